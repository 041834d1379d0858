# samples/python/articles/003_2_generic.py -- generic types
import cupy as cp
squared_diff_generic = cp.ElementwiseKernel(
    'T x, T y',
    'T z',
    'z = (x - y) * (x - y)',
    'squared_diff_generic')
x = cp.arange(10, dtype='float64').reshape(2, 5)
y = cp.arange(5, dtype='float64')
print(squared_diff_generic(x, y), squared_diff_generic(x, y).dtype)
squared_diff_super_generic = cp.ElementwiseKernel(
    'X x, Y y',
    'Z z',
    'z = (x - y) * (x - y)',
    'squared_diff_super_generic')
z = cp.empty((2, 5), dtype='float32')
print(squared_diff_super_generic(x, cp.arange(5), z))
