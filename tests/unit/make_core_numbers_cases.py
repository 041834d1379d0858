#!/usr/bin/env python3
# tests/unit/make_core_numbers_cases.py -- writes core_numbers_cases.h: what NumPy 2 and SciPy answer to functions of
# numbers and polynomials, convolutions of several dimensions and histogramdd, or that they refuse them. Run it with
# both.
#
# Element k, in C order, of operand j is (7*k + 13*j + 1) % 11 - 5, of unsigned dtypes without the 5, of bool whether
# the former is above 0. Complex elements have twice that as their imaginary part, with the opposite sign. "sorted"
# operands are 2*k + (k % 3) / 2 - 6 instead, of "holes" each third element of floats is NaN, "scaled" ones are
# multiplied by 2^((37*k) % 41 - 20), "zeros" have 0 for their first two and their last element, to "large" ones 300 is
# added twice and taken twice, and "special" ones are the numbers of SPECIAL, over and over. A case is
#   function | options | operands | results
# where an operand is a dtype, a kind and a shape, or "none", and a result a dtype, a shape and "=" before the elements.
import warnings
from pathlib import Path

import numpy as np
import scipy.signal
import scipy.special

REAL = ["int8", "int64", "uint8", "uint64", "float16", "float32", "float64"]
DTYPES = [*REAL, "complex64", "complex128", "bool"]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.0, -8.0, 3.0, 5e-324, -2.5e-310, 1.7e308, 1e-40,
           65504.0]
cases = []


def operand(j, of):
    if of is None:
        return None
    dtype, kind, *shape = of
    k = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    numbers = (7 * k + 13 * j + 1) % 11 - 5
    if kind == "sorted":
        numbers = 2 * k + k % 3 / 2 - 6
    elif kind == "holes":
        numbers = np.where(k % 3 == 2, np.nan, numbers)
    elif kind == "scaled":
        numbers = numbers * 2.0 ** ((37 * k) % 41 - 20)
    elif kind == "zeros":
        numbers = np.where((k < 2) | (k == k.size - 1), 0, numbers)
    elif kind == "large":
        numbers = 300 * (1 - 2 * (k // 2 % 2)) + numbers
    elif kind == "special":
        numbers = np.array(SPECIAL)[k % len(SPECIAL)]
    if dtype == "bool":
        numbers = numbers > 0
    elif dtype.startswith("u"):
        numbers = numbers + 5
    elif dtype.startswith("c"):
        numbers = numbers - 2j * numbers
    return numbers.astype(dtype).reshape(shape)


def number(x):
    if x.dtype.kind == "c":
        return f"{x.real:.17g} {x.imag:.17g}"
    return f"{x:.17g}" if x.dtype.kind == "f" else str(int(x))


def written(answer):
    answer = np.asarray(answer)
    form = " ".join(map(str, (answer.dtype.name, *answer.shape)))
    return f"{form} = {' '.join(map(number, answer.ravel()))}".rstrip()


def add(name, function, *operands, **options):
    """A case: `function` gets the arrays and the options."""
    texts = ["none" if of is None else " ".join(map(str, of)) for of in operands]
    given = " ".join(f"{key}={value}" for key, value in options.items())
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answers = function(*(operand(j, of) for j, of in enumerate(operands)), **options)
            answer = " ; ".join(map(written, answers if isinstance(answers, tuple) else (answers,)))
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError):
        answer = "refused"
    cases.append(f"{name} | {given} | {', '.join(texts)} | {answer}")


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
lines = "".join(f'    "{case}",\n' for case in dict.fromkeys(cases))
(Path(__file__).parent / "core_numbers_cases.h").write_text(
    "// tests/unit/core_numbers_cases.h -- generated by make_core_numbers_cases.py with NumPy and SciPy; do not edit.\n"
    f"// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {{\n{lines}}};\n// NOLINTEND\n")
