# samples/python/articles/004_6_kernel.py -- a kernel
from numba import cuda
import numpy as np
@cuda.jit
def func(a, result):
    pos = cuda.grid(1)  # For 1D array
    # x, y = cuda.grid(2) # For 2D array
    if pos < a.shape[0]:
        result[pos] = a[pos] * (pos + 0.5)
array = np.arange(100.0)
result = np.zeros(100)
threadsperblock = 32
blockspergrid = (array.size + (threadsperblock - 1)) // threadsperblock
func[blockspergrid, threadsperblock](array, result)
print(result[:4], result[-1])
