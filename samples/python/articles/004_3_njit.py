# samples/python/articles/004_3_njit.py -- a loop
from numba import njit, jit
@njit      # or @jit(nopython=True)
def function(a, b):
    # your loop or numerically intensive computations
    result = 0
    for k in range(a):
        result += k * b
    return result
print(function(10, 2), function(10, 0.5))
