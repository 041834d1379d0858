import cupy as cp
# 创建一个Cupy数组(自动在GPU上)
x = cp.array([1., 2., 3., 4., 5.])
y = cp.sqrt(x)
print(y)
# 将Cupy数组转换回Numpy数组(如果有需要的话)
z = cp.asnumpy(y)
print(z)
