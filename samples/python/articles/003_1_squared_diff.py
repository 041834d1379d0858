# samples/python/articles/003_1_squared_diff.py -- an elementwise kernel
import cupy as cp
squared_diff = cp.ElementwiseKernel(
   'float32 x, float32 y',
   'float32 z',
   'z = (x - y) * (x - y)',
   'squared_diff')
x = cp.arange(10, dtype='float32').reshape(2, 5)
y = cp.arange(5, dtype='float32')
print(squared_diff(x, y))
print(squared_diff(x, 5))
z = cp.empty((2, 5), dtype='float32')
squared_diff(x, y, z)
print(z)
