# samples/python/articles/002_4_njit.py -- an array expression
from numba import njit
import numpy as np
@njit
def parallel_function(arr):
    return arr * 2
arr = np.arange(10)
result = parallel_function(arr)
print(result)
