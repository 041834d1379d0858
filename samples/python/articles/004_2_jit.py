# samples/python/articles/004_2_jit.py -- a compiled function
from numba import jit
@jit
def function(x):
    # your loop or numerically intensive computations
    return x
print(function(3), function(2.5))
