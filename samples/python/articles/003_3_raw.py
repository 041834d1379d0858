# samples/python/articles/003_3_raw.py -- raw and scalar parameters
import cupy as cp
add_reverse = cp.ElementwiseKernel(
    'T x, raw T y', 'T z',
    'z = x + y[_ind.size() - i - 1]',
    'add_reverse')
x = cp.arange(5, dtype='float32')
print(add_reverse(x, x))
scale = cp.ElementwiseKernel('T x, T factor', 'T z', 'z = x * factor', 'scale')
print(scale(x, 3))
