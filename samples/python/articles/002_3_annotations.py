# samples/python/articles/002_3_annotations.py -- annotations of types
from numba import jit
@jit
def my_function(x: float) -> float:
    return x * x
result = my_function(10.5)
print(result)
