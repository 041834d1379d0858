# samples/python/articles/003_4_shapes.py -- arguments that do not broadcast
import cupy as cp
squared_diff = cp.ElementwiseKernel(
   'float32 x, float32 y',
   'float32 z',
   'z = (x - y) * (x - y)',
   'squared_diff')
squared_diff(cp.zeros((2, 5), dtype='float32'), cp.zeros(4, dtype='float32'))
