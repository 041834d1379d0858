# samples/python/articles/001_4_softplus.py -- one function for both kinds of arrays
import numpy as np
import cupy as cp
# Stable implementation of log(1 + exp(x))
def softplus(x):
    xp = cp.get_array_module(x)  # 'xp' is a standard usage in the community
    print("Using:", xp.__name__)
    return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))


print(softplus(np.array([-1.0, 0.0, 2.0])))
print(softplus(cp.array([-1.0, 0.0, 2.0])))
