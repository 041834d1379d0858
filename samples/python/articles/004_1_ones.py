# samples/python/articles/004_1_ones.py -- a thousand million elements
import numpy as np
import cupy as cp
import time
### CuPy and GPU
s = time.time()
x_gpu = cp.ones((1000,1000,1000))
e = time.time()
print(e - s)
s = time.time()
x_gpu *= 5
e = time.time()
print(e - s)
s = time.time()
x_gpu *= 5
x_gpu *= x_gpu
x_gpu += x_gpu
e = time.time()
print(e - s)
