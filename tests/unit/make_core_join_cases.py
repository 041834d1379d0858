#!/usr/bin/env python3
# tests/unit/make_core_join_cases.py -- writes core_join_cases.h: what NumPy 2 answers to calls of concat, split, pad
# and their like, or that it refuses them. Run it with NumPy 2.
#
# Element k, in C order, of operand j is (7*k + 13*j + 1) % 100, whatever the operand's layout; of bool whether that is
# odd. Indices and counts are given as they are.
import itertools
from pathlib import Path

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]
cases = []


def operand(j, shape, dtype):
    size = int(np.prod(shape, dtype=np.int64))
    numbers = (7 * np.arange(size, dtype=np.int64) + 13 * j + 1) % 100
    return (numbers % 2 == 1 if dtype == "bool" else numbers.astype(dtype)).reshape(shape)


def spec(shape, dtype="int32", layout=0):
    return (tuple(shape), dtype, layout)


def add(op, operands, numbers, call):
    """numbers: what the C call gets beside the arrays; call(*arrays) asks NumPy."""
    arrays = [operand(j, shape, dtype) for j, (shape, dtype, _) in enumerate(operands)]
    try:
        answer = call(*arrays)
        results = list(answer) if isinstance(answer, (tuple, list)) else [answer]
        refused = ""
    except Exception as error:  # which kind is a part of the case
        results, refused = [], type(error).__name__
    cases.append((op, operands, list(numbers), results, refused))


def axis_list(axis):
    return [0, 0] if axis is None else [1, axis]


def joins():
    for shapes, axis in [(((2, 3), (4, 3)), 0), (((2, 3), (2, 1)), 1), (((2, 3), (2, 5), (2, 0)), -1), (((3,),), 0),
                         (((0,), (4,)), 0), (((2, 0, 3), (2, 0, 1)), 2), (((2, 3), (4,)), None), (((), (2, 2)), None),
                         (((0, 2), ()), None), (((2, 3), (2, 3)), -3), (((2, 3), (2, 3)), 2), (((), ()), 0),
                         (((2, 3), (3,)), 0), (((2, 3), (2, 4)), 0), (((1, 2, 3), (1, 2, 3), (4, 2, 3)), -3)]:
        for layout in range(4):
            operands = [spec(s, "int32", layout) for s in shapes]
            add("concat", operands, axis_list(axis), lambda *a: np.concatenate(a, axis))
            if len(shapes) == 2:
                add("append", operands, axis_list(axis), lambda x, y: np.append(x, y, axis))
    for a, b in itertools.product(DTYPES, DTYPES):
        add("concat", [spec((2, 2), a), spec((1, 2), b)], [1, 0], lambda *x: np.concatenate(x, 0))
    for dtypes in [("bool", "uint8", "float16"), ("int8", "uint16", "float32"), ("uint64", "int8", "uint8"),
                   ("uint16", "float16", "int8"), ("int8", "complex64", "uint16"), ("uint32", "bool", "int32")]:
        add("stack", [spec((2,), d) for d in dtypes], [0], lambda *x: np.stack(x, 0))
    for shape, count, axis, layout in [((2, 3), 2, 0, 0), ((2, 3), 3, -1, 1), ((2, 3), 2, 1, 2), ((), 3, 0, 0),
                                       ((0, 2), 2, 1, 0), ((2, 3), 2, 3, 0), ((2, 3), 2, -4, 0), ((4,), 1, 1, 3)]:
        add("stack", [spec(shape, "int16", layout)] * count, [axis], lambda *x: np.stack(x, axis))
    add("stack", [spec((2, 3)), spec((3, 2))], [0], lambda *x: np.stack(x, 0))
    for shapes, ij in itertools.product([((3,), (2,)), ((3,), (2,), (4,)), ((3,),), ((), (2,)), ((0,), (2,)),
                                         ((2, 2), (3,))], [0, 1]):
        add("meshgrid", [spec(s, "float32", 2) for s in shapes], [ij],
            lambda *x: np.meshgrid(*x, indexing="ij" if ij else "xy"))
    for shapes in [((3,), (2, 1)), ((), (2, 2)), ((2, 0), (1,)), ((2,), (3,)), ((2, 3),)]:
        add("broadcast_arrays", [spec(s) for s in shapes], [], lambda *x: np.broadcast_arrays(*x))


def parts():
    for shape, axis in [((3, 2), 0), ((3, 2), -1), ((0, 2), 0), ((2, 0), 0), ((4,), 0), ((3, 2), 2)]:
        count = shape[axis] if -2 <= axis < len(shape) else 1
        add("unstack", [spec(shape, "int64", 1)], [axis, count], lambda x: np.unstack(x, axis=axis))
    for shape, sections, axis in [((6, 2), 3, 0), ((6, 2), 4, 0), ((7,), 3, 0), ((2, 5), 2, -1), ((2, 5), 5, 1),
                                  ((3,), 5, 0), ((0, 2), 2, 0), ((4,), 0, 0), ((4,), 2, 1)]:
        for op in ("split", "array_split"):
            add(op, [spec(shape, "int32", 2)], [sections, axis], lambda x: getattr(np, op)(x, sections, axis))
    for shape, places, axis in [((7,), [2, 5], 0), ((7,), [], 0), ((7,), [5, 2], 0), ((7,), [-3, 20], 0),
                                ((2, 6), [1, 1, 4], -1), ((0,), [0, 1], 0), ((7,), [2], 3), ((7,), [-20], 0)]:
        add("split_at", [spec(shape, "int32", 1)], [axis] + places, lambda x: np.split(x, places, axis))


def moves():
    for shape, shifts, axes in [((5,), [2], [0]), ((5,), [-7], [0]), ((2, 3), [1, 1], [0, 1]),
                                ((2, 3), [1, 2], [1, -1]),
                                ((2, 3), [4], None), ((2, 3), [1, 2], None), ((0, 3), [2], [0]), ((0, 3), [2], [1]),
                                ((), [3], None), ((2, 3), [0], [0]), ((2, 3), [1], [2]), ((2, 3, 4), [1, 2, -1],
                                                                                          [0, 1, 2])]:
        for layout in range(4):
            add("roll", [spec(shape, "uint8", layout)], [int(axes is not None), len(shifts)] + shifts + (axes or []),
                lambda x: np.roll(x, shifts if axes is not None or len(shifts) > 1 else shifts[0], axes))
    for shape, count, axis in [((3,), 2, 0), ((2, 3), 3, 0), ((2, 3), 2, -1), ((2, 3), 2, None), ((2, 3), 0, 1),
                               ((0, 3), 2, 0), ((), 4, None), ((), 4, 0), ((2,), -1, 0), ((2, 3), 1, 2), ((2, 1, 3),
                                                                                                          2, 1)]:
        for layout in range(4):
            add("repeat", [spec(shape, "float64", layout)], axis_list(axis) + [count],
                lambda x: np.repeat(x, count, axis))
    for shape, counts, axis in [((3,), [1, 0, 2], 0), ((2, 3), [2, 1], 0), ((2, 3), [0, 3, 1], -1), ((2, 3), [2], 1),
                                ((2, 3), [1, 2, 3, 0, 1, 2], None), ((2, 3), [1, 2], 1), ((0,), [], 0), ((2,),
                                                                                                         [1, -1], 0)]:
        add("repeat_each", [spec(shape, "int32", 2)], axis_list(axis) + counts,
            lambda x: np.repeat(x, np.array(counts, np.int64), axis))
    for shape, reps in [((3,), [2]), ((2, 3), [2, 2]), ((2, 3), [3]), ((3,), [2, 1]), ((3,), [2, 3, 2]), ((), [3]),
                        ((), []), ((2, 3), [0, 2]), ((1, 3), [4, 1]), ((2, 1), [2, 3]), ((0, 2), [2, 2]), ((2,), [-1]),
                        ((2, 1, 3), [2, 1, 3])]:
        for layout in range(4):
            add("tile", [spec(shape, "int16", layout)], reps, lambda x: np.tile(x, reps))
    for shape, widths in [((4,), (2, 3)), ((1,), (2, 1)), ((3,), (0, 0)), ((3,), (7, 8)), ((2,), (40, 37)),
                          ((2, 3), (1, 2, 0, 3)),
                          ((2, 3), (2, 2, 4, 4)), ((0,), (1, 1)), ((0, 2), (0, 0, 1, 1)), ((), ()), ((3,), (-1, 0)),
                          ((2, 2, 2), (1, 0, 0, 1, 2, 2)), ((3, 1), (1, 1, 2, 2)), ((5,), (40, 41))]:
        for mode, layout in itertools.product(range(5), range(3)):
            pairs = np.array(widths).reshape(-1, 2)
            pairs = [tuple(int(w) for w in pair) for pair in pairs]
            more = {"constant_values": 9} if mode == 0 else {}
            add("pad", [spec(shape, "int32", layout)], [mode] + list(widths),
                lambda x: x.copy() if x.ndim == 0 else np.pad(x, pairs, MODES[mode], **more))


def views():
    for shape, source, to in [((2, 3, 4), [0], [-1]), ((2, 3, 4), [2, 0], [0, 1]), ((2, 3), [], []),
                              ((2, 3), [0, 0], [0, 1]),
                              ((2, 3), [0, 1], [1, 1]), ((2, 3), [2], [0]), ((2, 3), [0], [-3]), ((), [], [])]:
        add("moveaxis", [spec(shape)], source + to, lambda x: np.moveaxis(x, source, to))
    for shape, a, b in [((2, 3, 4), 0, 2), ((2, 3, 4), -1, 1), ((2, 3), 0, 0), ((2, 3), 0, 2), ((0, 3), 0, 1)]:
        add("swapaxes", [spec(shape)], [a, b], lambda x: np.swapaxes(x, a, b))
    for shape, k, axes in [((2, 3), 1, None), ((2, 3), 2, None), ((2, 3), -1, None), ((2, 3), 4, None),
                           ((2, 3, 4), 3, [1, 2]),
                           ((2, 3, 4), 1, [2, 0]), ((2, 3), 1, [1, 0]), ((2, 3), 1, [0, 0]), ((2, 3), 1, [0, 2]),
                           ((3,), 1, None), ((0, 3), 1, None), ((2, 3, 4), -7, [-1, -2])]:
        add("rot90", [spec(shape)], [k] + (axes or []), lambda x: np.rot90(x, k, axes or (0, 1)))
    for shape, offset, a, b in [((3, 4), 0, 0, 1), ((3, 4), 2, 0, 1), ((3, 4), -2, 0, 1), ((3, 4), 9, 0, 1),
                                ((3, 4), -9, 0, 1),
                                ((2, 3, 4), 1, 0, 2), ((2, 3, 4), 0, -1, 0), ((3,), 0, 0, 1), ((3, 4), 0, 1,
                                                                                               1), ((3, 4), 0, 0, 2),
                                ((0, 3), 0, 0, 1), ((3, 4), 1, 1, 0)]:
        for layout in range(3):
            add("diagonal", [spec(shape, "int32", layout)], [offset, a, b], lambda x: np.diagonal(x, offset, a, b))
    for shape, k in [((3,), 0), ((3,), 2), ((3,), -1), ((0,), 1), ((0,), 0), ((3, 4), 1), ((3, 4), -5), ((), 0),
                     ((2, 2, 2), 0)]:
        add("diag", [spec(shape, "float32")], [k], lambda x: np.diag(x, k))
    for shape, layout in itertools.product([(2, 3), (), (0, 2), (4,), (2, 1, 3)], range(4)):
        add("ravel", [spec(shape, "int64", layout)], [], lambda x: np.ravel(x))
        for n in (1, 2, 3):
            add("atleast_nd", [spec(shape, "int64", layout)], [n], lambda x: getattr(np, f"atleast_{n}d")(x))
    for shape, axes in [((2, 3), [0]), ((2, 3), [0, 2]), ((2, 3), [-1, 0]), ((), [0, 1]), ((2, 3), [0, 0]),
                        ((2, 3), [0, 4]),
                        ((2, 3), []), ((2, 3), [3, 1, -5])]:
        add("expand_dims_n", [spec(shape)], axes, lambda x: np.expand_dims(x, tuple(axes)))


def edits():
    flags = lambda text: [int(c) for c in text]
    # kind: 0 an integer, 1 a list of integers, 2 a mask
    for shape, kind, indices, axis in [((5,), 0, [1], 0), ((5,), 0, [-1], 0), ((5,), 1, [0, 3, 0], 0),
                                       ((2, 4), 1, [-1, 1], 1),
                                       ((2, 4), 0, [1], None), ((2, 4), 1, [], 0), ((2, 4), 2, flags("0110"), 1),
                                       ((2, 4), 2, flags("0110"), 0), ((2, 4), 2, flags("0000"), 1), ((5,), 0, [5], 0),
                                       ((5,), 1, [0, -6], 0), ((5,), 0, [0], 1), ((), 0, [0], None), ((0,), 1, [], 0),
                                       ((0,), 0, [0], 0), ((2, 4), 1, [2], -1), ((4,), 2, flags("0010"), 0)]:
        for layout in range(3):
            what = indices[0] if kind == 0 else np.array(indices, bool if kind == 2 else np.int64)
            add("delete", [spec(shape, "int32", layout)], axis_list(axis) + [kind] + indices,
                lambda x: np.delete(x, what, axis))
    for shape, kind, indices, values, axis in [
            ((4,), 0, [1], (), 0), ((4,), 0, [1], (3,), 0), ((4,), 1, [1], (3,), 0), ((4,), 1, [1, 3], (), 0),
            ((4,), 1, [3, 1], (2,), 0), ((4,), 1, [2, 2], (2,), 0), ((4,), 1, [4, -1], (2,), 0), ((2, 3), 0, [1],
                                                                                                  (2,), 1),
            ((2, 3), 0, [1], (), 1), ((2, 3), 0, [1], (3,), 0), ((2, 3), 1, [1], (2, 1), 1), ((2, 3), 0, [2], (3, 2),
                                                                                              1),
            ((2, 3), 1, [0, 2], (2, 2), 1), ((2, 3), 1, [0, 2], (2,), 1), ((2, 3), 1, [0, 2, 2], (3,), None), ((2, 3),
                                                                                                               0, [0],
                                                                                                               (2, 2),
                                                                                                               None),
            ((4,), 2, flags("1010"), (2,), 0), ((4,), 2, flags("0000"), (), 0), ((4,), 1, [], (), 0), ((4,), 0, [5],
                                                                                                       (), 0),
            ((4,), 0, [-5], (), 0), ((4,), 1, [0, 5], (2,), 0), ((4,), 1, [0, 2], (3,), 0), ((0,), 0, [0], (2,), 0),
            ((2, 3), 0, [1], (4,), 0), ((4,), 0, [0], (), 1), ((), 0, [0], (2,), None), ((2, 3), 0, [-1], (1, 3), 0),
            ((2, 3), 1, [1], (1, 2, 1), 1)]:
        for dtype, layout in (("int32", 0), ("float32", 2)):
            what = indices[0] if kind == 0 else np.array(indices, bool if kind == 2 else np.int64)
            add("insert", [spec(shape, dtype, layout), spec(values, "int64")], axis_list(axis) + [kind] + indices,
                lambda x, v: np.insert(x, what, v, axis))


def words(numbers):
    return " ".join(str(n) for n in numbers)


def flat(result):
    return words(int(v.real) for v in np.asarray(result).ravel().tolist())


# op | dtype layout shape, ... | numbers | dtype shape = elements, ... | error
def row(case):
    op, operands, numbers, results, refused = case
    arrays = ", ".join(f"{d} {layout} {words(s)}" for s, d, layout in operands)
    answers = ", ".join(f"{r.dtype.name} {words(r.shape)} = {flat(r)}" for r in map(np.asarray, results))
    return f'    "{op} | {arrays} | {words(numbers)} | {answers} | {refused}",\n'


def main():
    for group in (joins, parts, moves, views, edits):
        group()
    text = ("// tests/unit/core_join_cases.h -- generated by make_core_join_cases.py with NumPy; do not edit.\n"
            "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {\n" + "".join(map(row, cases)) +
            "};\n// NOLINTEND\n// clang-format on\n")
    Path(__file__).with_name("core_join_cases.h").write_text(text)
    print(len(cases), "cases,", sum(1 for c in cases if c[4]), "refused")


main()
