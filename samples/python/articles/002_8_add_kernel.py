# samples/python/articles/002_8_add_kernel.py -- arrays of the device
from numba import cuda
import numpy as np
@cuda.jit()
def add_kernel(x, y, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] = x[i] + y[i]
def main():
    n = 256
    x = cuda.device_array(n, dtype=np.int32)
    y = cuda.device_array(n, dtype=np.int32)
    z = cuda.device_array(n, dtype=np.int32)
    for i in range(n):
        x[i] = i
        y[i] = 2 * i
    threadsperblock = 32
    blockspergrid = (n + (threadsperblock - 1)) // threadsperblock
    add_kernel[blockspergrid, threadsperblock](x, y, z, n)
    result = z.copy_to_host()
    print(result)
if __name__ == '__main__':
    main()
