#!/usr/bin/env python3
# tests/unit/make_core_statistics_cases.py -- writes core_statistics_cases.h: what NumPy 2 answers to diff, ptp,
# trapezoid, average, cov, corrcoef, cross, kron, trace and nonzero, or that it refuses them. Run it with NumPy 2. The
# form of the cases: numpy_answers.py.
import random
from pathlib import Path

import numpy as np

from numpy_answers import Cases

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64",
          "complex128"]

cases = Cases()
add = cases.add


def diff(x, before, after, n, axis):
    ends = {"prepend": before, "append": after}
    return np.diff(x, n, axis, **{name: end for name, end in ends.items() if end is not None})


def trapezoid(y, x, axis):
    return np.trapezoid(y, x, 0.5, axis) if x is None else np.trapezoid(y, x, axis=axis)


def average(x, weights, axes=None, keepdims=0):
    return np.average(x, axes, weights, returned=True, keepdims=bool(keepdims))


def cov(x, y, fweights, aweights, columns, ddof):
    return np.cov(x, y, not columns, fweights=fweights, aweights=aweights, ddof=ddof)


def corrcoef(x, y, columns):
    return np.corrcoef(x, y, not columns)


def add_diff(of, n=1, axis=-1, before=None, after=None):
    add("diff", diff, of, before, after, n=n, axis=axis)


def differences():
    for dtype in DTYPES:
        add_diff((dtype, 7))
        add_diff((dtype, 3, 4), 2, 0)
        if not dtype.startswith("c"):  # complex numbers have no order here
            add("ptp", np.ptp, (dtype, 3, 4), axis=None)
        add("trapezoid", trapezoid, (dtype, 5), None, axis=-1)
        add("trapezoid", trapezoid, (dtype, 2, 5), (dtype, 5), axis=1)
    for n in (0, 1, 2, 3, 6, 7, 8, -1):
        add_diff(("float64", 2, 7), n)
        add_diff(("int32", 2, 0, 3), n, 1)
    for axis in (-3, -2, -1, 0, 1, 2):
        add_diff(("float64", 3, 4), 1, axis)
        add("trapezoid", trapezoid, ("float64", 3, 4), None, axis=axis)
        add("trapezoid", trapezoid, ("float64", 3, 4), ("float64", 3, 4), axis=axis)
        add("ptp", np.ptp, ("float64", 3, 4), axis=(axis,))
    for before, after in [(("float64",), None), (None, ("int8",)), (("float64", 2, 1), ("float64", 2, 3)),
                          (("complex64",), ("float64", 2, 0)), (("float64", 3, 1), None), (("float64", 1), None)]:
        add_diff(("float64", 2, 4), 1, -1, before, after)
        add_diff(("int32", 2, 4), 2, 1, before, after)
    add_diff(("float64",))
    add("trapezoid", trapezoid, ("float64",), None, axis=-1)
    add("trapezoid", trapezoid, ("float64", 2, 0), None, axis=-1)
    add("trapezoid", trapezoid, ("float64", 2, 1), None, axis=-1)
    add("trapezoid", trapezoid, ("float64", 2, 4), ("float64", 3), axis=-1)
    add("ptp", np.ptp, ("float64", 2, 0), axis=None)
    add("ptp", np.ptp, ("float64", 2, 0), axis=(0,))
    add("ptp", np.ptp, ("float64", 2, 3, 2), axis=(0, 2))


def averages():
    for dtype in DTYPES:
        for weights in (None, (dtype, 3, 4), ("float64", 3, 4), ("uint8", 3, 4)):
            add("average", average, (dtype, 3, 4), weights)
        add("average", average, (dtype, 3, 4), ("uint8", 4), axes=(1,))
    for axes in ((0,), (1,), (-1,), (0, 1), (1, 0), (2,)):
        for weights in (("uint8", 3), ("uint8", 4), ("uint8", 3, 4), ("uint8", 4, 3), None):
            for keepdims in (0, 1):
                add("average", average, ("float64", 3, 4), weights, axes=axes, keepdims=keepdims)
    add("average", average, ("float64", 3, 4), ("uint8", 3))
    add("average", average, ("float64", 0), None)
    add("average", average, ("float64", 0), ("float64", 0))
    add("average", average, ("float64", 2, 5, 3), ("uint8", 3, 2), axes=(2, 0))


def covariances():
    for dtype in DTYPES:
        for of in ((dtype, 3, 8), (dtype, 9)):
            add("cov", cov, of, None, None, None, columns=0, ddof=1)
            add("corrcoef", corrcoef, of, None, columns=0)
            add("cov", cov, of, of, None, None, columns=0, ddof=1)
    for columns in (0, 1):
        for ddof in (0, 1, 2, 9):
            for f in (None, ("uint8", 5), ("uint8", 4), ("float64", 5), ("int8", 5), ("uint8", 5, 1)):
                for a in (None, ("uint8", 5), ("float64", 5)):
                    add("cov", cov, ("float64", 5, 4) if columns else ("float64", 4, 5), None, f, a, columns=columns,
                        ddof=ddof)
        add("corrcoef", corrcoef, ("float64", 4, 5), None, columns=columns)
        add("corrcoef", corrcoef, ("float64", 4, 5), ("float64", 4, 5), columns=columns)
        add("corrcoef", corrcoef, ("float64", 1, 5), None, columns=columns)
    add("cov", cov, ("float64", 4, 5), ("float32", 5), None, None, columns=0, ddof=1)
    add("cov", cov, ("float64", 4, 5), ("float32", 4), None, None, columns=0, ddof=1)
    add("cov", cov, ("float64", 2, 2, 2), None, None, None, columns=0, ddof=1)
    add("cov", cov, ("float64", 0, 3), None, None, None, columns=0, ddof=1)
    add("cov", cov, ("float64",), None, None, None, columns=0, ddof=0)


def products():
    for dtype in DTYPES[1:]:
        add("cross", np.linalg.cross, (dtype, 3), (dtype, 3), axis=-1)
        add("kron", np.kron, (dtype, 2, 3), (dtype, 2, 2))
    for dtype in DTYPES:
        add("trace", np.trace, (dtype, 3, 4), offset=0, axis1=0, axis2=1)
    for axis in (-4, -2, -1, 0, 1):
        for shapes in [((2, 3), (2, 3)), ((3, 3), (3,)), ((3, 1, 3), (3, 2, 3)), ((1, 3), (4, 3)), ((2, 2), (2, 2))]:
            add("cross", np.linalg.cross, *[("float64", *shape) for shape in shapes], axis=axis)
    for shapes in [((), ()), ((2,), ()), ((), (2, 2)), ((3,), (2, 2)), ((2, 1, 2), (3,)), ((0,), (3,)),
                   ((2, 0), (1, 2))]:
        add("kron", np.kron, *[("float64", *shape) for shape in shapes])
    for offset in (-5, -2, -1, 0, 1, 3, 4):
        add("trace", np.trace, ("float64", 3, 4), offset=offset, axis1=0, axis2=1)
        add("trace", np.trace, ("int8", 2, 3, 4), offset=offset, axis1=-1, axis2=0)
    add("trace", np.trace, ("float64", 3), offset=0, axis1=0, axis2=1)
    add("trace", np.trace, ("float64", 3, 3), offset=0, axis1=0, axis2=0)


def places():
    for dtype in DTYPES:
        add("nonzero", np.nonzero, (dtype, 4, 3))
    for shape in ((7,), (2, 3, 2), (0,), (2, 0, 3), (), (1, 1, 1, 1)):
        add("nonzero", np.nonzero, ("int32", *shape))


def drawn(count=250):
    choose = random.Random(7)
    for _ in range(count):
        shape = [choose.choice([0, 1, 2, 3, 4]) for _ in range(choose.choice([1, 2, 2, 3]))]
        dtype = choose.choice(DTYPES)
        axis = choose.randrange(-len(shape), len(shape))
        add_diff((dtype, *shape), choose.choice([0, 1, 1, 2, 3]), axis)
        if not dtype.startswith("c"):
            add("ptp", np.ptp, (dtype, *shape), axis=(axis,))
        add("trapezoid", trapezoid, (dtype, *shape), None, axis=axis)
        add("average", average, (dtype, *shape), ("uint8", shape[axis]), axes=(axis,))


for make in (differences, averages, covariances, products, places, drawn):
    make()
cases.write("core_statistics_cases.h", Path(__file__).name)
