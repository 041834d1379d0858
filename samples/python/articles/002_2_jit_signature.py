# samples/python/articles/002_2_jit_signature.py -- a signature
from numba import jit
@jit('float64(float64)', nopython=True)
def my_function(x):
    return x * x
x = 112.0
print(my_function(x))
