from numba import cuda
import numpy as np
@cuda.jit
def gpu_kernel(x, y):
    # 核函数体,使用 CUDA 线程索引进行计算
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
gpu_kernel[blocks_per_grid, threads_per_block](x_device, result_device)# 给cuda.jit修饰的函数分配资源,并传入参数x 和 y
cuda.synchronize()
result = result_device.copy_to_host()
print(result[:5], result[-1])
