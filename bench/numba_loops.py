# bench/numba_loops.py -- the loops of layout_cases.py as users of Numba write them, with its default rounding
import numba
import numpy as np
from numba import prange

parallel = numba.njit(parallel=True)


@parallel
def transpose(x):
    y = np.empty((x.shape[1], x.shape[0]), x.dtype)
    for i in prange(y.shape[0]):
        for k in range(y.shape[1]):
            y[i, k] = x[k, i]
    return y


@parallel
def add_transpose(x):
    y = np.empty_like(x)
    for i in prange(x.shape[0]):
        for k in range(x.shape[1]):
            y[i, k] = x[i, k] + x[k, i]
    return y


@parallel
def every_second(x):
    y = np.empty((x.size + 1) // 2, x.dtype)
    for i in prange(y.size):
        y[i] = x[2 * i] * 3
    return y


@parallel
def sum_rows(x):
    y = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            total += x[i, k]
        y[i] = total
    return y


@parallel
def divide_rows(x):
    y = np.empty_like(x)
    for i in prange(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            total += x[i, k]
        for k in range(x.shape[1]):
            y[i, k] = x[i, k] / total
    return y


@parallel
def length(x):
    total = 0.0
    for i in prange(x.shape[0]):
        for k in range(x.shape[1]):
            total += x[i, k] * x[i, k]
    return np.sqrt(total)


@numba.njit
def running_sum(x):
    y = np.empty_like(x)
    total = x.dtype.type(0)
    for i in range(x.size):
        total += x[i]
        y[i] = total
    return y


@parallel
def gather(x, index):
    y = np.empty_like(x)
    for i in prange(index.size):
        y[i] = x[index[i]]
    return y


@parallel
def powers(x, y):
    z = np.empty_like(x)
    for i in prange(x.size):
        z[i] = x[i] ** y[i]
    return z


@parallel
def mean_square(x, y):
    total = 0.0
    for i in prange(x.size):
        total += (x[i] - y[i]) * (x[i] - y[i])
    return total / x.size


@parallel
def chain(x):
    y = np.empty_like(x)
    for i in prange(x.size):
        v = x[i]
        for _ in range(32):
            v = v * 0.75 + 0.25
        y[i] = v
    return y
