# samples/python/articles/002_7_transfer.py -- to a device and back
from numba import cuda
import numpy as np
host_array = np.array([1, 2, 3, 4], dtype=np.int32)
device_array = cuda.to_device(host_array)
cuda.synchronize()
host_result = device_array.copy_to_host()
print(host_result)
del device_array
