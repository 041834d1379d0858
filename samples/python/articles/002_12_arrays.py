import cupy as cp
import numpy as np
# 创建一个全零数组
x = cp.zeros((3, 3))
# 创建一个全一数组
y = cp.ones((2, 2))
# 从 Python 列表创建数组
z = cp.array([[1, 2], [3, 4]])
# 计算平方根
sqrt_result = cp.sqrt(x)
# 计算数组的总和
total = x.sum()
# 计算数组的均值
mean_value = x.mean()
print(sqrt_result, total, mean_value)
# 将 NumPy 数组转换为 CuPy 数组
numpy_array = np.random.rand(10)
cupy_array = cp.array(numpy_array)
# 将 CuPy 数组转换回 NumPy 数组
numpy_array_again = cupy_array.get()
print((numpy_array_again == numpy_array).all())
# 生成随机数数组
random_array = cp.random.rand(3, 3)
# 生成符合正态分布的随机数数组
normal_array = cp.random.normal(0, 1, (3, 3))
print(random_array.shape, normal_array.shape, normal_array.dtype)
# 广播示例
a = cp.array([1, 2, 3])
b = cp.array([[1], [2], [3]])
result = a + b # 结果是一个 3x3 的数组
print(result)
# 获取第二行
second_row = z[1]
print(second_row)
# 释放内存
del x, y, z
cp.get_default_memory_pool().free_all_blocks()
