# samples/python/articles/001_2_current_device.py -- the current device
import cupy as cp
x_on_gpu0 = cp.array([1, 2, 3, 4, 5])
with cp.cuda.Device(1):
   x_on_gpu1 = cp.array([1, 2, 3, 4, 5])
x_on_gpu0 = cp.array([1, 2, 3, 4, 5])
with cp.cuda.Device(1):
   x = cp.array([1, 2, 3, 4, 5])
print(repr(x.device))
print(cp.cuda.get_current_stream() is not None)
