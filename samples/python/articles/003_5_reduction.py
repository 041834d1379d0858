# samples/python/articles/003_5_reduction.py -- a reduction
import cupy as cp
l2norm_kernel = cp.ReductionKernel(
    'T x',  # input params
    'T y',  # output params
    'x * x',  # map
    'a + b',  # reduce
    'y = sqrt(a)',  # post-reduction map
    '0',  # identity value
    'l2norm'  # kernel name
)
x = cp.arange(10, dtype='float32').reshape(2, 5)
print(l2norm_kernel(x, axis=1))
