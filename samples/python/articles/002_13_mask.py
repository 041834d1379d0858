# samples/python/articles/002_13_mask.py -- a mask that does not fit
import cupy as cp
import numpy as np
x = cp.zeros((3, 3))
y = cp.ones((2, 2))
z = cp.array([[1, 2], [3, 4]])
upper_triangle = z[cp.triu(cp.ones((3, 3), dtype=cp.bool_))]
