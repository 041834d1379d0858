#!/usr/bin/env python3
# tests/unit/make_core_signal_cases.py -- writes core_signal_cases.h: what NumPy 2 answers to gradient, interp,
# convolve, correlate, unwrap, nancumsum and nancumprod, or that it refuses them. Run it with NumPy 2. The form of the
# cases: numpy_answers.py.
from pathlib import Path

import numpy as np

from numpy_answers import Cases

DTYPES = ["int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64", "complex128"]

cases = Cases()
add = cases.add


def gradient(x, at, axis, edge):
    return np.gradient(x, 0.5 if at is None else at, axis=axis, edge_order=edge)


def gradients():
    for dtype in [name for name in DTYPES if not name.startswith("u")] + ["bool"]:
        for edge in (1, 2):
            add("gradient", gradient, (dtype, "plain", 6), None, axis=0, edge=edge)
            add("gradient", gradient, (dtype, "plain", 3, 4), ("float64", "sorted", 3), axis=-2, edge=edge)
    for size in (0, 1, 2, 3):
        for edge in (1, 2, 3):
            add("gradient", gradient, ("float64", "plain", size), None, axis=0, edge=edge)
            add("gradient", gradient, ("float64", "plain", size), ("float64", "sorted", size), axis=0, edge=edge)
    add("gradient", gradient, ("float64", "plain", 4), ("float64", "sorted", 3), axis=0, edge=1)
    add("gradient", gradient, ("float64", "plain", 4), ("float64", "sorted", 2, 2), axis=0, edge=1)
    add("gradient", gradient, ("float64", "plain", 4), None, axis=1, edge=1)
    add("gradient", gradient, ("float64", "plain", 2, 0, 3), None, axis=0, edge=1)
    add("gradient", gradient, ("float64", "plain", 2, 3, 4), ("int32", "sorted", 4), axis=2, edge=2)


def interp(x, xp, fp, left=None, right=None, period=None):
    return np.interp(x, xp, fp, left, right, period)


def interps():
    for dtype in [*DTYPES, "bool"]:
        add("interp", interp, ("float64", "plain", 9), ("float64", "sorted", 5), (dtype, "plain", 5))
        add("interp", interp, ("float32", "plain", 2, 3), ("int32", "sorted", 4), (dtype, "plain", 4), left=-7, right=9)
    for dtype in ("float64", "complex128"):
        add("interp", interp, ("float64", "holes", 9), ("float64", "sorted", 5), (dtype, "holes", 5))
        add("interp", interp, ("float64", "holes", 9), ("float64", "plain", 5), (dtype, "plain", 5), period=6)
        add("interp", interp, ("float64", "holes", 9), ("float64", "plain", 3), (dtype, "plain", 3), period=-4)
        for size in (0, 1, 2):
            add("interp", interp, ("float64", "plain", 5), ("float64", "sorted", size), (dtype, "plain", size))
            if size:
                add("interp", interp, ("float64", "plain", 5), ("float64", "sorted", size), (dtype, "plain", size),
                    period=3)
    add("interp", interp, ("float64", "plain"), ("float64", "sorted", 3), ("float64", "plain", 3))
    add("interp", interp, ("float64", "plain", 0), ("float64", "sorted", 3), ("float64", "plain", 3))
    add("interp", interp, ("float64", "plain", 2), ("float64", "sorted", 3), ("float64", "plain", 2))
    add("interp", interp, ("complex128", "plain", 2), ("float64", "sorted", 3), ("float64", "plain", 3))
    add("interp", interp, ("float64", "plain", 2), ("float64", "sorted", 3), ("float64", "plain", 3), period=0)


def convolutions():
    for mode, text in enumerate(("full", "same", "valid")):
        for name, function in (("convolve", np.convolve), ("correlate", np.correlate)):
            def run(x, y, mode, function=function, text=text):
                return function(x, y, text)
            for n, m in ((5, 3), (3, 5), (4, 2), (2, 4), (1, 1), (4, 4), (0, 2), (2, 0)):
                add(name, run, ("float64", "plain", n), ("float64", "plain", m), mode=mode)
            for dtype in [*DTYPES, "bool"]:
                add(name, run, (dtype, "plain", 6), (dtype, "plain", 4), mode=mode)
                add(name, run, (dtype, "plain", 2), ("float32", "plain", 5), mode=mode)
            add(name, run, ("complex128", "plain", 2), ("complex128", "plain", 5), mode=mode)
            add(name, run, ("float64", "plain", 7), ("float64", "holes", 4), mode=mode)  # a NaN beyond the ends
            add(name, run, ("float32", "holes", 2), ("float32", "plain", 5), mode=mode)


def unwrap(x, axis, period=None, discont=None):
    return np.unwrap(x, discont, axis, period=2 * np.pi if period is None else period)


def phases():
    for dtype in ("int64", "int32", "float16", "float32", "float64", "complex64"):
        add("unwrap", unwrap, (dtype, "plain", 9), axis=-1)
        add("unwrap", unwrap, (dtype, "plain", 3, 4), axis=0, period=5)
        add("unwrap", unwrap, (dtype, "plain", 3, 4), axis=1, period=4)
        add("unwrap", unwrap, (dtype, "plain", 9), axis=0, period=4, discont=6)
    for shape in ((0,), (1,), (2, 0), (0, 2), (1, 3)):
        add("unwrap", unwrap, ("float64", "plain", *shape), axis=0)
    add("unwrap", unwrap, ("float64", "holes", 9), axis=0)
    add("unwrap", unwrap, ("float64", "plain", 9), axis=1)


def scans():
    for name, function in (("nancumsum", np.nancumsum), ("nancumprod", np.nancumprod)):
        for dtype in [*DTYPES, "bool"]:
            kind = "holes" if dtype[0] in "fc" else "plain"
            add(name, function, (dtype, kind, 5), axis=0)
            add(name, function, (dtype, kind, 3, 4), axis=-2)
        for shape in ((0,), (2, 0), (1,)):
            add(name, function, ("float64", "holes", *shape), axis=0)
        add(name, function, ("float64", "holes", 5), axis=1)


for make in (gradients, interps, convolutions, phases, scans):
    make()
cases.write("core_signal_cases.h", Path(__file__).name)
