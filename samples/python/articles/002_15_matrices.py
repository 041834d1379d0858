import cupy as cp
# 创建两个随机的浮点型 CuPy 数组,相当于 NumPy 中的矩阵
A = cp.random.rand(3, 3).astype('float32') # 3x3 矩阵
B = cp.random.rand(3, 3).astype('float32') # 另一个 3x3 矩阵
# 执行矩阵乘法
C = cp.dot(A, B) # 或者使用 @ 操作符 C = A @ B
# 打印结果
print("矩阵 A:\n", A)
print("矩阵 B:\n", B)
print("矩阵 A 和 B 的乘积:\n", C)
# 将 CuPy 数组转换回 NumPy 数组(如果需要)
import numpy as np
numpy_C = C.get() # 将 CuPy 数组转换为 NumPy 数组
# 执行一些基本的 NumPy 操作,比如求和
sum_C = cp.sum(C) # 在 GPU 上计算 C 的总和
# 打印 C 的总和
print("矩阵 C 的总和:", sum_C)
# 释放不再使用的 CuPy 数组以节省 GPU 内存
del A, B, C
cp.get_default_memory_pool().free_all_blocks()
