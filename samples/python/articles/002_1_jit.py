# samples/python/articles/002_1_jit.py -- a compiled function
from numba import jit
@jit(nopython=True)
def my_function(x):
    return x * x
x = 112.0
print(my_function(x))
