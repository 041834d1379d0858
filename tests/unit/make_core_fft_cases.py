#!/usr/bin/env python3
# tests/unit/make_core_fft_cases.py -- writes core_fft_cases.h: what NumPy 2 answers to calls of numpy.fft's functions,
# or that it refuses them. Run it with NumPy 2.
#
# Element k, in C order, of an operand is (7*k + 1) % 23, whatever its layout, of complex dtypes with the imaginary part
# (5*k + 2) % 19; of bool whether the former is odd. Dtype and shape are NumPy's answer, the values that in long double.
import itertools
from pathlib import Path

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
NORMS = ["backward", "ortho", "forward"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MORE = ["fftn", "ifftn", "rfftn", "irfftn"]
cases = []


def operand(shape, dtype):
    k = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    re, im = (7 * k + 1) % 23, (5 * k + 2) % 19
    x = re % 2 == 1 if dtype == "bool" else re + 1j * im if dtype.startswith("complex") else re
    return x.astype(dtype).reshape(shape)


def wide(x):
    return x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def add(op, x, layout, numbers, call):
    """numbers: what the C call gets beside the array; call(array) asks NumPy."""
    try:
        answer, refused = call(x), ""
        values = call(wide(x))
    except Exception as error:  # which kind is a part of the case
        answer = values = None
        # NumPy looks for the last of no axes, which is an IndexError by chance.
        chance = op in ("rfftn", "irfftn") and numbers[:2] == [0, 0] and (numbers[2] == 1 or x.ndim == 0)
        refused = "ValueError" if chance else type(error).__name__
    cases.append((op, x, layout, list(numbers), answer, values, refused))


def one(op, shape, dtype="float64", n=None, axis=-1, norm=0, layout=0):
    numbers = [0 if n is None else 1, 0 if n is None else n, axis, norm]
    add(op, operand(shape, dtype), layout, numbers, lambda x: getattr(np.fft, op)(x, n, axis, NORMS[norm]))


def more(op, shape, dtype="float64", s=None, axes=None, norm=0, layout=0):
    count = len(s) if s is not None else len(axes) if axes is not None else 0
    numbers = [count, s is not None, *(s or ()), axes is not None, *(axes or ()), norm]
    add(op, operand(shape, dtype), layout, [int(i) for i in numbers],
        lambda x: getattr(np.fft, op)(x, s, axes, NORMS[norm]))


def shift(op, shape, dtype="int32", axes=None, layout=0):
    numbers = [0 if axes is None else len(axes), axes is not None, *(axes or ())]
    add(op, operand(shape, dtype), layout, [int(i) for i in numbers], lambda x: getattr(np.fft, op)(x, axes))


def frequencies(op, n, d):
    add(op, np.zeros(1), 0, [n], lambda x: getattr(np.fft, op)(n, d).astype(x.dtype))


def everything():
    for op, dtype in itertools.product(ONE, DTYPES):
        one(op, (2, 5), dtype)
    for op, norm, n in itertools.product(ONE, range(3), [None, 3, 4, 9]):
        one(op, (2, 6), "float64" if op in ("rfft", "ihfft") else "complex128", n, -1, norm)
    for op, layout, axis in itertools.product(ONE, range(4), [0, 1, -3]):
        one(op, (3, 4, 2), "float32", None, axis, 0, layout)
    for op in ONE:
        for shape, n, axis in [((0, 3), None, -1), ((3, 0), None, 0), ((0,), None, 0), ((0,), 4, 0), ((2, 0), 3, 1),
                               ((1,), None, 0), ((1,), 1, 0), ((3,), 0, 0), ((3,), -1, 0), ((3,), None, 1),
                               ((3,), None, -2), ((), None, -1), ((2, 3), 1, 0)]:
            if op in ("irfft", "hfft") and 0 in shape and n:
                continue  # NumPy reads elements there that nobody has written
            one(op, shape, "float64", n, axis)
    for op in MORE:
        for dtype in ("int16", "float16", "float32", "float64", "complex64", "complex128"):
            more(op, (3, 4), dtype)
        for s, axes in [(None, (0,)), (None, (1, 0)), (None, (0, 2)), ((2, 5), (0, 1)), ((-1, 3), (2, 0)),
                        ((4, -1), (-1, -3)), (None, ()), (None, (0, 0)), ((3, 3, 3), None), ((2, 2), None),
                        ((0, 2), (0, 1)), ((2,), (3,)), ((2, -2), (0, 1)), ((1, 1, 1, 1), None)]:
            for norm in range(3):
                more(op, (3, 2, 4), "float64", s, axes, norm, norm)
        for shape in [(0, 3), (3, 0), (), (1, 1)]:
            more(op, shape)
    for op in ("fftshift", "ifftshift"):
        for shape, axes in [((5,), None), ((4, 3), None), ((4, 3), (1,)), ((4, 3), (-2,)), ((4, 3), (0, 0)),
                            ((4, 3), ()), ((0, 3), None), ((4, 3), (2,)), ((2, 3, 4), (0, -1))]:
            shift(op, shape, "int32", axes, len(shape))
        for dtype in DTYPES:
            shift(op, (5,), dtype)
    for op, n, d in itertools.product(("fftfreq", "rfftfreq"), [1, 2, 5, 8], [1.0]):
        frequencies(op, n, d)


def numbers_text(a):
    parts = a.ravel()
    if a.dtype.kind == "c":
        parts = np.stack([parts.real, parts.imag], -1).ravel()
    return " ".join(f"{float(v):.17g}" for v in parts)


def line(op, x, layout, numbers, answer, values, refused):
    given = " ".join(map(str, [x.dtype, layout, *x.shape]))
    got = "" if refused else f"{' '.join(map(str, [answer.dtype, *answer.shape]))} = {numbers_text(values)}"
    return f"{op} | {given} | {' '.join(map(str, numbers))} | {got} | {refused}"


everything()
out = Path(__file__).with_name("core_fft_cases.h")
with out.open("w") as file:
    file.write("// tests/unit/core_fft_cases.h -- generated by make_core_fft_cases.py with NumPy; do not edit.\n"
               "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {\n")
    for case in cases:
        file.write(f'    "{line(*case)}",\n')
    file.write("};\n// NOLINTEND\n// clang-format on\n")
