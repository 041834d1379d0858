#!/usr/bin/env python3
# tests/unit/make_selection_cases.py -- writes selection_cases.h: what NumPy 2 answers to the functions of
# gpuopt_selection.h, or that it refuses them.
#
# Element k, in C order, of operand j is (7*k + 13*j + 1) % 11 - 5; of unsigned dtypes without the 5, of bool whether
# the former is above 0. Complex elements have twice that as their imaginary part, with the opposite sign. A dtype
# "modN" is int64 of (7*k + 13*j + 1) % 11 % N. A case is
#   function | options | operands | results
# where an operand is a dtype and a shape, and a result a dtype, a shape and "=" before the elements.
import warnings
from pathlib import Path

import numpy as np

from numpy_answers import written

DTYPES = ["bool", "int8", "int64", "uint16", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
cases = []


def operand(j, text):
    dtype, *shape = text.split()
    shape = tuple(map(int, shape))
    numbers = (7 * np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64) + 13 * j + 1) % 11
    if dtype.startswith("mod"):
        return (numbers % int(dtype[3:])).reshape(shape)
    if dtype == "bool":
        numbers = numbers > 5
    elif not dtype.startswith("u"):
        numbers = numbers - 5
    if dtype.startswith("c"):
        numbers = numbers - 2j * numbers
    return numbers.astype(dtype).reshape(shape)


def add(name, options, operands, function):
    """A case: `function` gets the arrays, and returns one result or a tuple of them."""
    arrays = [operand(j, text) for j, text in enumerate(operands)]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answers = function(*arrays)
    except (ValueError, TypeError, IndexError) as error:
        assert "refused" in options, f"{name} {operands}: {error}"
        return cases.append(f"{name} | {options} | {', '.join(operands)} | refused")
    answers = answers if isinstance(answers, (tuple, list)) else (answers,)
    return cases.append(f"{name} | {options} | {', '.join(operands)} | {', '.join(map(written, answers))}")


def changed(function):
    """A function that changes its first argument, as one that returns it."""

    def call(x, *rest):
        function(x, *rest)
        return x

    return call


MODES = {"raise": 0, "wrap": 1, "clip": 2}
for d in DTYPES:
    add("choose", "mode=0", ["mod3 4", f"{d} 4", f"{d} 3 4", f"{d} 1"], lambda i, *c: np.choose(i, c))
    add(
        "select",
        "",
        ["bool 3 4", "bool 4", f"{d} 3 4", f"{d} 4", f"{d}"],
        lambda a, b, c, e, o: np.select([a, b], [c, e], o),
    )
    add("compress", "axis=0", ["bool 3", f"{d} 4 2"], lambda c, x: np.compress(c, x, 0))
    add("compress", "axis=none", ["bool 5", f"{d} 4 2"], lambda c, x: np.compress(c, x))
    add("extract", "", [f"{d} 3 4", "int8 4 3"], np.extract)
    add("flatnonzero", "", [f"{d} 3 5"], np.flatnonzero)
    add("copyto", "", [f"{d} 3 4", f"{d} 4", "bool 3 1"], lambda x, v, m: (np.copyto(x, v, where=m), x)[1])
    add("putmask", "", [f"{d} 3 4", "int8 3 4", f"{d} 5"], changed(np.putmask))
    add("place", "", [f"{d} 3 4", "int8 3 4", f"{d} 3"], changed(lambda x, m, v: np.place(x, m.astype(bool), v)))
    add("fill_diagonal", "wrap=0", [f"{d} 7 3", f"{d} 2"], changed(np.fill_diagonal))
    add("fill_diagonal", "wrap=1", [f"{d} 11 3", f"{d} 5"], changed(lambda x, v: np.fill_diagonal(x, v, True)))
    add("fill_diagonal", "wrap=0", [f"{d} 3 3 3", f"{d}"], changed(np.fill_diagonal))
    add(
        "put_along_axis",
        "axis=1",
        [f"{d} 3 4", "mod4 3 2", f"{d} 2"],
        changed(lambda x, i, v: np.put_along_axis(x, i, v, 1)),
    )
    add(
        "put_along_axis",
        "axis=0",
        [f"{d} 3 4", "mod3 2 1", f"{d} 2 4"],
        changed(lambda x, i, v: np.put_along_axis(x, i, v, 0)),
    )
    add("resize", "shape=3,5", [f"{d} 2 3"], lambda x: np.resize(x, (3, 5)))
    add("diagflat", "k=-1", [f"{d} 2 2"], lambda x: np.diagflat(x, -1))
    add("hstack", "", [f"{d} 2 2", f"{d} 2 1"], lambda *x: np.hstack(x))
    add("block", "rows=2", [f"{d} 2 2", f"{d} 2 1", f"{d} 1 3"], lambda a, b, c: np.block([[a, b], [c]]))
    for op in ("add", "multiply", "subtract", "minimum", "maximum", "fmin", "fmax"):
        if d.startswith("c") and op[0] in "mf" and op != "multiply" or d == "bool" and op == "subtract":
            continue
        add(f"{op}_at", "", [f"{d} 4", "mod3 9", f"{d} 9"], changed(getattr(np, op).at))
    add("add_at", "", [f"{d} 3 2", "mod3 2 4", f"{d} 4 2"], changed(np.add.at))
    if d != "bool":
        add("ediff1d", "", [f"{d} 2 3", f"{d} 2", f"{d} 1"], np.ediff1d)
    add("isreal", "", [f"{d} 5"], np.isreal)
    add("iscomplex", "", [f"{d} 5"], np.iscomplex)
for x, y in (("int8 3", "float32 3"), ("uint64 2", "int64 2"), ("float16 2", "int32 2")):
    add("hstack", "", [x, y], lambda *a: np.hstack(a))
    add("choose", "mode=0", ["mod2 " + x.split()[1], x, y], lambda i, *c: np.choose(i, c))
for mode in ("wrap", "clip"):
    add("choose", f"mode={MODES[mode]}", ["int64 9", "int32 9", "int32 9"], lambda i, *c: np.choose(i, c, mode=mode))
    add(
        "ravel_multi_index",
        f"shape=3,4 mode={MODES[mode]} fortran=0",
        ["int64 7", "int64 7"],
        lambda *i: np.ravel_multi_index(i, (3, 4), mode=mode),
    )
add("choose", "mode=0 refused", ["int64 9", "int32 9", "int32 9"], lambda i, *c: np.choose(i, c))
for fortran in (0, 1):
    order = "CF"[fortran]
    add(
        "ravel_multi_index",
        f"shape=3,4,5 mode=0 fortran={fortran}",
        ["mod3 7", "mod4 7", "mod5 7"],
        lambda *i: np.ravel_multi_index(i, (3, 4, 5), order=order),
    )
    add(
        "unravel_index",
        f"shape=2,3,4 fortran={fortran}",
        ["mod11 3 2"],
        lambda i: np.unravel_index(i, (2, 3, 4), order=order),
    )
add(
    "ravel_multi_index",
    "shape=3,4 mode=0 fortran=0 refused",
    ["int64 7", "int64 7"],
    lambda *i: np.ravel_multi_index(i, (3, 4)),
)
add("unravel_index", "shape=2,3 fortran=0 refused", ["mod11 3 2"], lambda i: np.unravel_index(i, (2, 3)))
add(
    "piecewise",
    "conditions=2",
    ["float64 6", "bool 6", "bool 6", "int8", "float32"],
    lambda x, a, b, v, w: np.piecewise(x, [a, b], [v.item(), w.item()]),
)
add("piecewise", "conditions=1", ["int32 6", "bool 6", "int8", "int8"], lambda x, a, v, w: np.piecewise(x, [a], [v, w]))
for shape in ("7", "3 4", "2 3 4"):
    add("trim_zeros", "axis=none", ["bool " + shape], np.trim_zeros)
    add("trim_zeros", "axis=0", ["bool " + shape], lambda x: np.trim_zeros(x, axis=0))
add("trim_zeros", "axis=none", ["mod1 4"], np.trim_zeros)
add("trim_zeros", "axis=none", ["mod1 2 3"], np.trim_zeros)
for k in (-2, 0, 1, 9):
    for m in (-1, 5, 0):
        n = None if m < 0 else m
        add("tril_indices", f"n=4 k={k} m={m}", [], lambda: np.tril_indices(4, k, n))
        add("triu_indices", f"n=4 k={k} m={m}", [], lambda: np.triu_indices(4, k, n))
add("diag_indices", "n=3 ndim=3", [], lambda: np.diag_indices(3, 3))
add("diag_indices_from", "", ["int8 2 2 2"], np.diag_indices_from)
add("diag_indices_from", "refused", ["int8 2 3"], np.diag_indices_from)
add("ix", "", ["mod4 3", "bool 5", "int16 2"], lambda *x: np.ix_(*x))
for shape in ("3", "2 3", "2 3 4"):
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        if name == "column_stack" and shape == "2 3 4":
            continue
        add(name, "", [f"int32 {shape}", f"int32 {shape}"], lambda *x: getattr(np, name)(x))
for name, shape in (("hsplit", "6"), ("hsplit", "2 6"), ("vsplit", "6 2"), ("dsplit", "1 2 6")):
    add(name, "sections=3", [f"int32 {shape}"], lambda x: tuple(getattr(np, name)(x, 3)))
add("hsplit", "sections=4 refused", ["int32 2 6"], lambda x: tuple(np.hsplit(x, 4)))
add("vsplit", "sections=1 refused", ["int32 6"], lambda x: tuple(np.vsplit(x, 1)))
for axis, start in ((0, 3), (2, 0), (-1, 1), (1, -1)):
    add("rollaxis", f"axis={axis} start={start}", ["int32 2 3 4"], lambda x: np.rollaxis(x, axis, start))
add("fliplr", "", ["int32 2 3"], np.fliplr)
add("fliplr", "refused", ["int32 3"], np.fliplr)
add("flipud", "", ["int32 2 3"], np.flipud)
add("resize", "shape=2,2", ["int32 0"], lambda x: np.resize(x, (2, 2)))
add("resize", "shape=0,2", ["int32 3"], lambda x: np.resize(x, (0, 2)))
add("compress", "axis=1 refused", ["bool 3", "int8 4 2"], lambda c, x: np.compress(c, x, 1))
add(
    "put_along_axis",
    "axis=1 refused",
    ["int8 3 4", "int64 3 4", "int8"],
    changed(lambda x, i, v: np.put_along_axis(x, i, v, 1)),
)
add("copyto", "refused", ["int8 3", "float32 3", "bool 3"], lambda x, v, m: np.copyto(x, v, where=m))
add("fill_diagonal", "wrap=0 refused", ["int8 3", "int8"], changed(np.fill_diagonal))
add("place", "refused", ["int8 3", "int8 3", "int8 0"], changed(lambda x, m, v: np.place(x, m.astype(bool), v)))
add("add_at", "refused", ["int8 3", "mod9 4", "int8 4"], changed(np.add.at))

with open(Path(__file__).with_name("selection_cases.h"), "w", encoding="ascii") as out:
    out.write(
        "// tests/unit/selection_cases.h -- generated by make_selection_cases.py with NumPy; do not edit.\n"
        "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kSelectionCases[] = {\n"
    )
    for case in cases:
        out.write(f'    "{case}",\n')
    out.write("};\n// NOLINTEND\n// clang-format on\n")
