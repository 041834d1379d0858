# samples/python/articles/004_8_others.py -- guvectorize, stencil, cfunc, atomics, shared memory
from numba import cfunc, cuda, float32, float64, guvectorize, int64, stencil
import numpy as np
@guvectorize([(int64[:], int64, int64[:])], '(n),()->(n)')
def g(x, y, res):
    for i in range(x.shape[0]):
        res[i] = x[i] + y
print(g(np.arange(5), 2))
@stencil
def mean(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])
print(mean(np.arange(20).reshape(4, 5)))
@cfunc(float64(float64, float64))
def add(x, y):
    return x + y
print(add.ctypes(4.0, 5.0))
@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)
bins = np.zeros(4, dtype=np.int32)
histogram[1, 32](np.array([0, 1, 1, 3, 3, 3]), bins)
print(bins)
@cuda.jit
def reverse(x):
    part = cuda.shared.array(8, dtype=float32)
    i = cuda.threadIdx.x
    part[i] = x[i]
    cuda.syncthreads()
    x[i] = part[7 - i]
x = np.arange(8, dtype=np.float32)
reverse[1, 8](x)
print(x)
