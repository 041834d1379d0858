# samples/python/articles/002_5_kernel.py -- a kernel
from numba import cuda
import numpy as np
@cuda.jit
def gpu_kernel(x, y):
    position = cuda.grid(1)
    if position < len(x):
        y[position] = x[position] * x[position]
x = np.arange(1000)
y = np.zeros_like(x)
n = len(x)
x_device = cuda.to_device(x)
y_device = cuda.to_device(y)
result_device = cuda.device_array_like(x_device)
threads_per_block = 256
blocks_per_grid = (n + (threads_per_block - 1)) // threads_per_block
gpu_kernel[blocks_per_grid, threads_per_block](x_device, result_device)
cuda.synchronize()
result = result_device.copy_to_host()
print(result[:5], result[-1])
