# samples/python/articles/001_5_mixed.py -- both kinds of arrays in one expression
import numpy as np
import cupy as cp
x_cpu = np.array([1, 2, 3])
y_cpu = np.array([4, 5, 6])
print(repr(x_cpu + y_cpu))
x_gpu = cp.asarray(x_cpu)
try:
    x_gpu + y_cpu
    # Arrays in host memory are operands beside NumPy's; those of a GPU are not.
except TypeError as error:
    assert str(error) == "Unsupported type <class 'numpy.ndarray'>"
print(repr(cp.asnumpy(x_gpu) + y_cpu))
print(repr(cp.asnumpy(x_gpu) + cp.asnumpy(y_cpu)))
print(repr(x_gpu + cp.asarray(y_cpu)))
print(repr(cp.asarray(x_gpu) + cp.asarray(y_cpu)))
