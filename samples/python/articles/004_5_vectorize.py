# samples/python/articles/004_5_vectorize.py -- vectorize
from numba import vectorize
import numpy as np
@vectorize
def func(a, b):
    # Some operation on scalars
    return a + b if a > b else a - b
print(func(np.arange(5), np.array([4, 3, 2, 1, 0])))
@vectorize(target="parallel")
def func(a, b):
    # Some operation on scalars
    return a + b if a > b else a - b
print(func(np.arange(5.0), 2.0), func(3, 4))
