# samples/python/articles/001_3_transfer.py -- to a device and back
import numpy as np
import cupy as cp
x_cpu = np.array([1, 2, 3])
x_gpu = cp.asarray(x_cpu)  # move the data to the current device.
with cp.cuda.Device(0):
   x_gpu_0 = cp.ndarray([1, 2, 3])  # create an array in GPU 0
with cp.cuda.Device(1):
   x_gpu_1 = cp.asarray(x_gpu_0)  # move the array to GPU 1
x_gpu = cp.array([1, 2, 3])  # create an array in the current device
x_cpu = cp.asnumpy(x_gpu)  # move the array to the host.
print(type(x_cpu), x_cpu)
x_cpu = x_gpu.get()
print(type(x_cpu), x_cpu)
print(x_gpu_1.shape)
