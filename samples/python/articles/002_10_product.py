import cupy as cp
import numpy as np
# 创建一个全零数组
x = cp.zeros((3, 3))
# 创建一个全一数组
y = cp.ones((2, 2))
# 从 Python 列表创建数组
z = cp.array([[1, 2], [3, 4]])
# 元素乘法
elementwise_product = x * y
