from numba import cuda
import numpy as np
# 在主机上创建一个NumPy数组
host_array = np.array([1, 2, 3, 4], dtype=np.int32)
# 使用cuda.to_device将主机数组复制到GPU
device_array = cuda.to_device(host_array)
# 确保数据传输完成
cuda.synchronize()
# 使用.copy_to_host()方法将GPU数组复制回主机数组
host_result = device_array.copy_to_host()
print(host_result)
# 释放GPU内存
del device_array
