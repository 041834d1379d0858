#!/usr/bin/env python3
# tests/unit/make_core_numbers_cases.py -- writes core_numbers_cases.h: what NumPy 2 and SciPy answer to functions of
# numbers and polynomials, convolutions of several dimensions and histogramdd, or that they refuse them. Run it with
# both. The form of the cases: numpy_answers.py.
from pathlib import Path

import numpy as np
import scipy.signal
import scipy.special

from numpy_answers import Cases

REAL = ["int8", "int64", "uint8", "uint64", "float16", "float32", "float64"]
DTYPES = [*REAL, "complex64", "complex128", "bool"]

cases = Cases()
add = cases.add


def numbers():
    for dtype in ("float16", "float32", "float64", "complex64"):
        for kind, size in (("special", 16), ("scaled", 9)):
            for name in ("frexp", "modf", "spacing"):
                if (name, dtype) != ("spacing", "float16"):  # NumPy's has exceptions
                    add(name, getattr(np, name), (dtype, kind, size))
            if dtype != "float16":
                add("entr", scipy.special.entr, (dtype, kind, size))
            for exponent in ("int8", "int32", "bool", "float64"):
                add("ldexp", np.ldexp, (dtype, kind, size), (exponent, "plain", size))
            add("ldexp", lambda x, n, times: np.ldexp(x, n * times), (dtype, kind, size), ("int32", "plain", size),
                times=400)
    for dtype in ("float64", "complex128", "float32"):
        add("xlogy", scipy.special.xlogy, (dtype, "plain", 11), (dtype, "plain", 11))
        add("xlogy", scipy.special.xlogy, (dtype, "plain", 3, 1), (dtype, "holes", 6))
        add("xlogy", scipy.special.xlogy, (dtype, "zeros", 3), (dtype, "holes", 3))
    for dtype in [name for name in DTYPES if name != "bool"]:
        add("divmod", np.divmod, (dtype, "plain", 11), (dtype, "plain", 11))
        add("float_power", np.float_power, (dtype, "plain", 6), (dtype, "plain", 6))
    add("divmod", np.divmod, ("float64", "special", 16), ("float64", "plain", 16))
    add("divmod", np.divmod, ("int64", "plain", 3, 1), ("uint8", "plain", 4))


def polynomials():
    for name in ("polyadd", "polysub", "polymul", "polydiv"):
        for first, second in ((6, 3), (3, 6), (1, 1), (4, 4)):
            for dtype in ("int64", "float32", "float64", "complex128"):
                add(name, getattr(np, name), (dtype, "plain", first), ("float64", "plain", second))
        add(name, getattr(np, name), ("int8", "plain", 6), ("int8", "plain", 2))
        if name in ("polymul", "polydiv"):  # NumPy adds such matrices
            add(name, getattr(np, name), ("float64", "plain", 2, 2), ("float64", "plain", 2))
    add("polymul", np.polymul, ("float64", "zeros", 6), ("int64", "zeros", 5))
    add("polymul", np.polymul, ("float16", "large", 6), ("float16", "large", 5))  # products overflow, their sums do not
    add("polymul", np.polymul, ("float64", "zeros", 3), ("int64", "plain", 5))
    add("polydiv", np.polydiv, ("float64", "plain", 0), ("float64", "plain", 3))
    add("polyadd", np.polyadd, ("float64", "plain", 0), ("float64", "plain", 3))
    for dtype in DTYPES:
        add("polyval", np.polyval, (dtype, "plain", 4), ("float64", "plain", 2, 3))
        add("polyval", np.polyval, ("float32", "plain", 4), (dtype, "plain", 5))
        for m in (0, 1, 2, 5):
            add("polyder", np.polyder, (dtype, "plain", 4), m=m)
            add("polyint", np.polyint, (dtype, "plain", 4), m=m)
        add("poly", np.poly, (dtype, "plain", 4))
    add("polyval", np.polyval, ("float64", "plain", 0), ("float32", "plain", 3))
    add("polyder", np.polyder, ("float64", "plain", 4), m=-1)
    add("polyint", np.polyint, ("float64", "plain", 4), m=-1)
    for count in (1, 2, 3, 4):
        add("polyint_k", lambda p, k, m: np.polyint(p, m, k), ("float64", "plain", 3), ("complex64", "plain", count),
            m=3)
    add("poly", np.poly, ("float64", "plain", 0))
    add("poly", np.poly, ("float64", "plain", 2, 3))
    add("poly", lambda x: np.poly(x), ("float64", "plain", 3, 3))


def zeros():
    def sorted_roots(p):
        return np.sort_complex(np.roots(p)).astype("complex64" if p.dtype in ("float32", "complex64") else "complex128")
    for dtype in ("int64", "float32", "float64", "complex128"):
        for kind, size in (("plain", 5), ("zeros", 6), ("plain", 1), ("plain", 2), ("zeros", 3), ("plain", 0)):
            add("roots", sorted_roots, (dtype, kind, size))
    add("roots", sorted_roots, ("float64", "holes", 4))


def fits():
    def fit(x, y, w, degree):
        c, residuals, rank, s, _ = np.polyfit(x, y, degree, full=True, w=w)
        return c, residuals, np.asarray(rank, "int64"), s
    def covariance(x, y, w, degree, unscaled):
        return np.polyfit(x, y, degree, w=w, cov="unscaled" if unscaled else True)
    for degree in (0, 1, 3):
        for dtype in ("int64", "float32", "float64"):
            add("polyfit", fit, (dtype, "sorted", 8), (dtype, "plain", 8), None, degree=degree)
            add("polyfit", fit, (dtype, "sorted", 8), (dtype, "plain", 8, 2), (dtype, "sorted", 8), degree=degree)
        for unscaled in (0, 1):
            add("polyfit_cov", covariance, ("float64", "sorted", 8), ("float64", "plain", 8), None, degree=degree,
                unscaled=unscaled)
            add("polyfit_cov", covariance, ("float64", "sorted", 8), ("float64", "plain", 8, 2),
                ("float64", "sorted", 8), degree=degree, unscaled=unscaled)
    add("polyfit", fit, ("float64", "sorted", 3), ("float64", "plain", 3), None, degree=2)
    for x, y, w in (((8,), (7,), None), ((0,), (0,), None), ((2, 2), (4,), None), ((4,), (), None), ((4,), (4,), (3,)),
                    ((4,), (4,), (2, 2))):
        add("polyfit", fit, ("float64", "sorted", *x), ("float64", "plain", *y),
            None if w is None else ("float64", "plain", *w), degree=1)
    add("polyfit", fit, ("float64", "sorted", 4), ("float64", "plain", 4), None, degree=-1)


def in_range(x, y, mode):
    """The sums of products of elements that there are: SciPy has zeros beyond the ends, which a NaN makes NaN."""
    full = np.zeros((x.shape[0] + y.shape[0] - 1, x.shape[1] + y.shape[1] - 1))
    for at in np.ndindex(*x.shape):
        for by in np.ndindex(*y.shape):
            full[at[0] + by[0], at[1] + by[1]] += x[at] * y[by]
    m, n = y.shape
    middle, inner = ((m - 1) // 2, (n - 1) // 2), full[m - 1:1 - m, n - 1:1 - n]
    return [full, full[middle[0]:middle[0] + x.shape[0], middle[1]:middle[1] + x.shape[1]], inner][mode]


def convolutions():
    shapes = [((4, 5), (2, 3)), ((2, 3), (4, 5)), ((4, 2), (2, 4)), ((3, 4, 2), (2, 1, 2)), ((), ()), ((5,), (3,)),
              ((3,), (5,)), ((2, 3), (1, 1)), ((2, 0), (2, 2)), ((2,), (2, 2))]
    for mode, text in enumerate(("full", "same", "valid")):
        for name, function in (("convolve_nd", scipy.signal.convolve), ("correlate_nd", scipy.signal.correlate)):
            def run(x, y, mode, method, function=function, text=text):
                if not x.size:
                    raise ValueError
                return np.asarray(function(x, y, text, "direct"))
            for x, y in shapes:
                for method in (1, 2):
                    add(name, run, ("float64", "plain", *x), ("float64", "plain", *y), mode=mode, method=method)
            for dtype in [each for each in DTYPES if each not in ("float16", "bool")]:
                add(name, run, (dtype, "plain", 3, 4), (dtype, "plain", 2, 2), mode=mode, method=mode % 3)
            add(name, run, ("complex128", "plain", 3, 4), ("complex128", "plain", 2, 3), mode=mode, method=2)
            def own(x, y, mode, method, name=name):
                return in_range(x, y if name == "convolve_nd" else y[::-1, ::-1], mode)
            add(name, own, ("float64", "plain", 3, 3), ("float64", "holes", 2, 2), mode=mode, method=1)


def histograms():
    for dtype in [each for each in DTYPES if each != "float16"]:
        for density in (0, 1):
            def run(x, e1, e2, w=None, density=density):
                return np.histogramdd(x, [e1, e2], density=bool(density), weights=w)[0]
            if not dtype.startswith("c"):  # NumPy orders complex numbers
                add("histogramdd_with", run, (dtype, "plain", 20, 2), ("float64", "sorted", 5), ("int64", "sorted", 4),
                    density=density)
            add("histogramdd_with", run, ("float64", "holes", 20, 2), ("float64", "sorted", 5),
                ("float32", "sorted", 4), (dtype, "plain", 20), density=density)
    def run(x, bins, ranges=0):
        counts, edges = np.histogramdd(x, [bins] * x.shape[1], [(-2, 3)] * x.shape[1] if ranges else None)
        return counts, *edges
    for dtype in ("int8", "float64", "bool"):
        for ranges in (0, 1):
            add("histogramdd", run, (dtype, "plain", 20, 2), bins=3, ranges=ranges)
            add("histogramdd", run, (dtype, "plain", 7, 3), bins=2, ranges=ranges)
    add("histogramdd", run, ("float64", "plain", 0, 2), bins=2, ranges=0)
    add("histogramdd", run, ("float64", "plain", 4, 2), bins=0, ranges=0)
    add("histogramdd", run, ("float64", "holes", 4, 2), bins=1, ranges=0)


for make in (numbers, polynomials, zeros, fits, convolutions, histograms):
    make()
cases.write("core_numbers_cases.h", Path(__file__).name, "NumPy and SciPy")
