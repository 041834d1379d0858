# samples/python/articles/004_4_signature.py -- signatures
from numba import jit, int32
@jit(int32(int32, int32))
def function(a, b):
    # your loop or numerically intensive computations
    return a + b
print(function(3, 4))
# or if you haven't imported type names
# you can pass them as string
@jit('int32(int32, int32)')
def function(a, b):
    # your loop or numerically intensive computations
    return a + b
print(function(3, 4))
