# samples/python/articles/004_7_device_function.py -- a device function
from numba import cuda
import numpy as np
@cuda.jit(device=True)
def device_function(a, b):
    return a + b
@cuda.jit
def kernel(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = device_function(x[i], y[i])
out = np.zeros(4)
kernel[1, 32](np.arange(4), np.ones(4), out)
print(out)
