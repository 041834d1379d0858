# bench/array_bound.py -- the bound of array_compare.py's cases: bound_arrays.cpp, OpenBLAS and FFTW, called by ctypes
import ctypes
import pathlib

import numpy as np

from fftw import FFTW_FORWARD, FFTW_MEASURE, library


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Bound:
    """Functions of NumPy inputs, whose results are in memory that is allocated before."""

    def __init__(self, build, threads):
        self.loops = ctypes.CDLL(str(pathlib.Path(build).resolve() / "lib" / "libbench_bound.so"))
        self.loops.bound_dot.restype = ctypes.c_double
        self.loops.bound_unique.restype = ctypes.c_int64
        self.loops.bound_set_threads(threads)
        self.has_blas = bool(self.loops.bound_blas_threads(threads))
        self.fftw = library(threads)
        self.make = {"matmul float64 100000 of 4 x 4": self.small_products, "dot float64 1e7": self.dot,
                     "sort float64 1e7": self.sort, "argsort float64 1e6": self.argsort,
                     "unique int64 1e6": self.unique, "histogram float64 1e6, 100 bins": self.histogram,
                     "take float64 1e6": self.take, "concat float64 1e6 twice": self.concat}

    def maker(self, name):
        """The method that makes the call for a case; None if there is no bound."""
        if name in self.make:
            return self.make[name]
        if name.startswith("matmul") and self.has_blas:
            return self.product
        if name.startswith(("fft", "rfft")) and self.fftw:
            return self.transform
        return None

    def has(self, name):
        return self.maker(name) is not None

    def call(self, name, inputs):
        """A call without arguments."""
        return self.maker(name)(*inputs)

    def product(self, a, b):
        c = np.empty_like(a)
        multiply = getattr(self.loops, "bound_matmul_f32" if a.dtype == np.float32 else "bound_matmul_f64")
        return lambda: (multiply(pointer(a), pointer(b), pointer(c), ctypes.c_int64(len(a))), c)[1]

    def small_products(self, a, b):
        c, count = np.empty_like(a), ctypes.c_int64(len(a))
        return lambda: (self.loops.bound_matmul_4x4(pointer(a), pointer(b), pointer(c), count), c)[1]

    def dot(self, x, y):
        return lambda: np.float64(self.loops.bound_dot(pointer(x), pointer(y), ctypes.c_int64(len(x))))

    def sort(self, x):
        y = np.empty_like(x)
        return lambda: (self.loops.bound_sort(pointer(x), pointer(y), ctypes.c_int64(len(x))), y)[1]

    def argsort(self, x):
        y = np.empty(len(x), np.int64)
        return lambda: (self.loops.bound_argsort(pointer(x), pointer(y), ctypes.c_int64(len(x))), y)[1]

    def unique(self, x):
        y = np.empty_like(x)
        return lambda: y[:self.loops.bound_unique(pointer(x), pointer(y), ctypes.c_int64(len(x)))]

    def histogram(self, x):
        counts = np.empty(100, np.int64)
        count = self.loops.bound_histogram
        return lambda: (count(pointer(x), ctypes.c_int64(len(x)), ctypes.c_int64(100), pointer(counts)), counts)[1]

    def take(self, x, index):
        y = np.empty_like(x)
        return lambda: (self.loops.bound_take(pointer(x), pointer(index), pointer(y), ctypes.c_int64(len(x))), y)[1]

    def concat(self, x, y):
        z = np.empty(2 * len(x))
        return lambda: (self.loops.bound_concat(pointer(x), pointer(y), pointer(z), ctypes.c_int64(len(x))), z)[1]

    def transform(self, x):
        """FFTW's plan for the last axis, or all axes of a square. Planning overwrites the memory."""
        source = np.empty_like(x)
        is_real = x.dtype.kind == "f"
        result = np.empty(x.shape[:-1] + (x.shape[-1] // 2 + 1,) if is_real else x.shape, complex)
        rank = 2 if x.ndim == 2 and x.shape[0] == x.shape[1] else 1
        lengths = (ctypes.c_int * rank)(*x.shape[-rank:])
        count, step = int(np.prod(x.shape[:-rank], dtype=int)), int(np.prod(x.shape[-rank:]))
        common = (rank, lengths, count, pointer(source), None, 1, step, pointer(result), None, 1,
                  result.size // count)
        if is_real:
            self.fftw.fftw_plan_many_dft_r2c.restype = ctypes.c_void_p
            plan = self.fftw.fftw_plan_many_dft_r2c(*common, FFTW_MEASURE)
        else:
            plan = self.fftw.fftw_plan_many_dft(*common, FFTW_FORWARD, FFTW_MEASURE)
        source[...] = x
        return lambda memory=source: (self.fftw.fftw_execute(plan), result)[1]  # the plan reads that memory
