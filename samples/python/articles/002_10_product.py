# samples/python/articles/002_10_product.py -- operands that do not broadcast
import cupy as cp
import numpy as np
x = cp.zeros((3, 3))
y = cp.ones((2, 2))
z = cp.array([[1, 2], [3, 4]])
elementwise_product = x * y
