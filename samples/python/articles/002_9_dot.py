# samples/python/articles/002_9_dot.py -- a product of shapes that do not fit
import cupy as cp
import numpy as np
x = cp.zeros((3, 3))
y = cp.ones((2, 2))
z = cp.array([[1, 2], [3, 4]])
print(x)
print(y)
print(z)
result = cp.dot(x, z)
