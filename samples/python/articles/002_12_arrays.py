# samples/python/articles/002_12_arrays.py -- functions of arrays
import cupy as cp
import numpy as np
x = cp.zeros((3, 3))
y = cp.ones((2, 2))
z = cp.array([[1, 2], [3, 4]])
sqrt_result = cp.sqrt(x)
total = x.sum()
mean_value = x.mean()
print(sqrt_result, total, mean_value)
numpy_array = np.random.rand(10)
cupy_array = cp.array(numpy_array)
numpy_array_again = cupy_array.get()
print((numpy_array_again == numpy_array).all())
random_array = cp.random.rand(3, 3)
normal_array = cp.random.normal(0, 1, (3, 3))
print(random_array.shape, normal_array.shape, normal_array.dtype)
a = cp.array([1, 2, 3])
b = cp.array([[1], [2], [3]])
result = a + b
print(result)
second_row = z[1]
print(second_row)
del x, y, z
cp.get_default_memory_pool().free_all_blocks()
