# samples/python/articles/002_14_sqrt.py -- to NumPy and back
import cupy as cp
x = cp.array([1., 2., 3., 4., 5.])
y = cp.sqrt(x)
print(y)
z = cp.asnumpy(y)
print(z)
