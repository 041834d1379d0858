#!/usr/bin/env python3
# tests/unit/make_core_sort_cases.py -- writes core_sort_cases.h: what NumPy 2 answers to calls of sort, searchsorted,
# unique and their like, or that it refuses them. Run it with NumPy 2.
#
# Elements are given by their bits, in hexadecimal digits, complex ones as imaginary and real part in one number. NumPy
# has no descending order: it is made here of the ascending one, class by class of numbers and NaNs.
from pathlib import Path

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
cases = []
random = np.random.default_rng(20261125)
nan, inf = np.nan, np.inf


def numbers(dtype, shape, low=0, high=6):
    """Few different numbers, among them those that are special in the dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = [info.min, info.max, 0, 1] + ([-1, -2] if dtype.kind == "i" else [])
        return np.where(random.random(shape) < 0.3, random.choice(np.array(special, dtype), shape),
                        random.integers(low, high, shape).astype(dtype))
    if dtype.kind == "c":
        part = "float32" if dtype == np.complex64 else "float64"
        result = np.empty(shape, dtype)
        result.real, result.imag = numbers(part, shape, 0, 3), numbers(part, shape, 0, 3)
        return result
    special = np.array([nan, inf, -inf, -0.0, 0.0, -1.5], dtype)
    return np.where(random.random(shape) < 0.35, random.choice(special, shape),
                    random.integers(low, high, shape).astype(dtype))


def plain(dtype, shape, low=0, high=8):
    return random.integers(low, high, shape).astype(dtype)


def add(op, arrays, numbers, call, layout=0):
    """numbers: what the C call gets beside the arrays; call(*arrays) asks NumPy."""
    arrays = [np.asarray(a) for a in arrays]
    try:
        with np.errstate(all="ignore"):
            answer = call(*arrays)
        results = list(answer) if isinstance(answer, tuple) else [answer]
        if "median" in op or "quantile" in op:  # NaN of either sign, as the processor makes them
            results = [np.where(np.isnan(r), r.dtype.type(nan), r) if r.dtype.kind == "f" else r
                       for r in map(np.asarray, results)]
        refused = ""
    except Exception as error:  # which kind is a part of the case
        results, refused = [], type(error).__name__
    cases.append((op, [(a, layout) for a in arrays], [int(n) for n in numbers], list(map(np.asarray, results)),
                  refused))


def descending_line(x):
    """The positions that sort a line in descending order, NaN last, equal elements in theirs."""
    re_nan, im_nan = np.isnan(np.real(x)), np.isnan(np.imag(x))
    parts = []
    for a, b in [(False, False), (False, True), (True, False), (True, True)]:
        at = np.flatnonzero((re_nan == a) & (im_nan == b))
        order = np.argsort(x[at][::-1], kind="stable")
        parts.append(at[(len(at) - 1 - order)[::-1]])
    return np.concatenate(parts).astype(np.int64)


def order_of(x, axis, descending):
    if axis is None:
        x, axis = x.ravel(), 0
    if not descending or axis >= x.ndim or axis < -x.ndim:
        return np.argsort(x, axis, kind="stable").astype(np.int64)
    return np.apply_along_axis(descending_line, axis, x) if x.size else np.zeros(x.shape, np.int64)


def sorted_by(x, axis, descending):
    if not descending:
        return np.sort(x, axis, kind="stable")
    order = order_of(x, axis, True)
    return np.take_along_axis(x if axis is not None else x.ravel(), order, axis if axis is not None else 0)


def axis_list(axis):
    return [0, 0] if axis is None else [1, axis]


def orders():
    for dtype in DTYPES:
        for shape, axis in [((14,), 0), ((3, 5), -1), ((4, 3), 0), ((2, 3, 4), 1), ((2, 3), None)]:
            for descending in (0, 1):
                x = numbers(dtype, shape)
                layout = len(cases) % 4
                add("sort", [x], axis_list(axis) + [descending], lambda x: sorted_by(x, axis, descending), layout)
                add("argsort", [x], axis_list(axis) + [descending], lambda x: order_of(x, axis, descending), layout)
    for shape, axis in [((0,), 0), ((3, 0), 1), ((3, 0), 0), ((0, 3), None), ((), None), ((), -1), ((3,), 1),
                        ((2, 3), -3), ((1,), 0)]:
        x = numbers("float64", shape)
        add("sort", [x], axis_list(axis) + [0], lambda x: sorted_by(x, axis, 0))
        if shape != () or axis is None:  # NumPy gives argsort of a number an axis
            add("argsort", [x], axis_list(axis) + [1], lambda x: order_of(x, axis, 1))
    for shape, axis, count in [((12,), 0, 2), ((3, 8), -1, 3), ((5, 2), 0, 2), ((4,), 0, 1), ((0, 2), 0, 2),
                               ((3,), 1, 2)]:
        keys = [plain(random.choice(["int8", "float32", "uint64"]), shape, 0, 3) for _ in range(count)]
        add("lexsort", keys, [axis], lambda *k: np.lexsort(k, axis), len(cases) % 4)
    add("lexsort", [plain("int8", (3,)), plain("int8", (4,))], [0], lambda *k: np.lexsort(k, 0))
    for shape, k, axis, largest in [((9,), 3, 0, 1), ((9,), 0, 0, 1), ((3, 4), 4, -1, 0), ((4, 3), 2, 0, 1),
                                    ((3, 4), 1, 1, 0)]:
        x = numbers("float32", shape)

        def top_k(x):
            order = np.take(order_of(x, axis, largest), range(k), axis)
            return np.take_along_axis(x, order, axis), order
        add("top_k", [x], [k, axis, largest], top_k, len(cases) % 4)
    for shape, other, axis in [((5,), (7,), 0), ((3, 4), (3, 2), 1), ((3, 4), (2, 4), 0), ((3, 4), (1, 4), -2),
                               ((1, 4), (3, 2), 1), ((2, 3, 4), (2, 1, 4), 1), ((3, 4), (3,), 1), ((3, 4), (2, 4), 1),
                               ((3, 4), (3, 0), 1), ((2, 3), (2, 3), 2)]:
        size = shape[axis] if -len(shape) <= axis < len(shape) else 1
        indices = random.integers(-size, size, other)
        add("take_along_axis", [plain("int16", shape), indices], [axis],
            lambda x, i: np.take_along_axis(x, i, axis), len(cases) % 4)
    for bad in ([0, 3], [-4, 0]):
        add("take_along_axis", [plain("int16", (3,)), np.array(bad)], [0], lambda x, i: np.take_along_axis(x, i, 0))
    for kth, axis in [(0, 0), (2, 1), (-1, 1), (3, 1), (-4, 1), (0, 2), (5, None)]:
        for op in ("partition", "argpartition"):  # only whether NumPy refuses it
            add(op, [plain("int32", (2, 3))], axis_list(axis) + [kth],
                lambda x: getattr(np, op)(x, kth, axis).astype("int32" if op == "partition" else "int64"))


def searches():
    for dtype in DTYPES:
        for right in (0, 1):
            a, v = np.sort(numbers(dtype, (11,)), kind="stable"), numbers(dtype, (3, 4))
            add("searchsorted", [a, v], [right, 0],
                lambda a, v: np.searchsorted(a, v, "right" if right else "left"), len(cases) % 4)
    for a, v in [("int8", "float32"), ("uint64", "int64"), ("bool", "int16"), ("float32", "complex64")]:
        add("searchsorted", [np.sort(plain(a, (6,))), plain(v, (4,))], [0, 0], lambda a, v: np.searchsorted(a, v))
    x = numbers("float64", (10,))
    order = np.argsort(x, kind="stable")
    add("searchsorted", [x, numbers("float64", (5,)), order], [1, 1],
        lambda a, v, s: np.searchsorted(a, v, "right", s))
    for sorter in (order[:9], np.append(order[:9], 10), np.append(order[:9], -1), order.astype(float)):
        add("searchsorted", [x, x, sorter], [0, 1], lambda a, v, s: np.searchsorted(a, v, "left", s))
    add("searchsorted", [np.ones((2, 2)), x], [0, 0], lambda a, v: np.searchsorted(a, v))
    add("searchsorted", [np.ones(0), np.array(1.0)], [0, 0], lambda a, v: np.searchsorted(a, v))
    for bins in ([0, 1, 2.5], [2.5, 1, 0], [1, 1, 3], [3, 3, 1], [1], [], [1, 3, 2], [2, 2]):
        for right in (0, 1):
            add("digitize", [numbers("float64", (2, 5)), np.array(bins, float)], [right],
                lambda x, b: np.digitize(x, b, right), len(cases) % 4)
    add("digitize", [plain("uint8", (7,)), np.array([1, 4], "int16")], [0], lambda x, b: np.digitize(x, b, False))
    add("digitize", [np.ones(2, complex), np.ones(2)], [0], lambda x, b: np.digitize(x, b, False))
    for dtype in ("bool", "int8", "uint32", "int64", "uint64", "float64"):
        for minlength in (0, 12):
            high = 2 if dtype == "bool" else 8
            add("bincount", [plain(dtype, (9,), 0, high)], [minlength], lambda x: np.bincount(x, None, minlength),
                len(cases) % 4)
            add("bincount", [plain(dtype, (9,), 0, high), random.random(9)], [minlength],
                lambda x, w: np.bincount(x, w, minlength), len(cases) % 4)
    add("bincount", [plain("int64", (0,))], [0], lambda x: np.bincount(x))
    add("bincount", [plain("int64", (0,))], [5], lambda x: np.bincount(x, None, 5))
    add("bincount", [np.array([1, -1])], [0], lambda x: np.bincount(x))
    add("bincount", [np.array([1, 1])], [-1], lambda x: np.bincount(x, None, -1))
    add("bincount", [np.ones((2, 2), int)], [0], lambda x: np.bincount(x))
    add("bincount", [np.array(3)], [0], lambda x: np.bincount(x))
    add("bincount", [np.array([1, 1]), np.ones(3)], [0], lambda x, w: np.bincount(x, w))
    add("bincount", [np.array([1, 1]), np.ones(2, complex)], [0], lambda x, w: np.bincount(x, w))


def histograms():
    def ask(x, bins, interval, density, w=None):
        counts, edges = np.histogram(x, bins, interval, density or None, w)
        return counts.astype(np.float64) if density else counts, edges

    for dtype in ("float64", "float32", "int32", "uint8", "int8"):
        for bins, interval, density in [(4, None, 0), (10, (1, 5), 0), (1, None, 1), (8, (0, 8), 1), (5, (3, 3), 0)]:
            x = plain(dtype, (3, 7))
            given = [bins, int(interval is not None), *(interval or (0, 0)), density]
            add("histogram", [x], given, lambda x: ask(x, bins, interval, density), len(cases) % 4)
    for x, interval in [(np.ones(0), None), (np.ones(3), None), (np.array([1, nan]), None),
                        (np.array([1, nan]), (0, 2)),
                        (np.array([1, inf]), None), (np.ones(3), (2, 1)),
                        (np.array(4.0), None), (np.array([True, False, True]), None)]:
        given = [3, int(interval is not None), *(interval or (0, 0)), 0]
        add("histogram", [x], given, lambda x: ask(x, 3, interval, 0))
    add("histogram", [np.ones(3)], [0, 0, 0, 0, 0], lambda x: ask(x, 0, None, 0))
    for weights in ("float64", "int16", "float32"):
        for density in (0, 1):
            add("histogram", [plain("float64", (12,)), plain(weights, (12,))], [4, 0, 0, 0, density],
                lambda x, w: ask(x, 4, None, density, w))
    add("histogram", [np.ones(3), np.ones(4)], [4, 0, 0, 0, 0], lambda x, w: ask(x, 4, None, 0, w))
    for edges in ([0, 1, 4, 8], [0, 8], [2, 2, 3], [1, 5, 5], [0, 3, 2], [3], [[0, 1]], [-2.5, 0.5, 7]):
        for density in (0, 1):
            add("histogram_with", [plain("float64", (4, 5)), np.array(edges, float)], [density],
                lambda x, e: ask(x, e, None, density)[0], len(cases) % 4)
    add("histogram_with", [plain("int8", (9,)), np.array([1, 4, 6])], [0], lambda x, e: ask(x, e, None, 0)[0])
    add("histogram_with", [plain("int8", (9,)), np.array([1, 4, 6]), plain("float64", (9,))], [0],
        lambda x, e, w: ask(x, e, None, 0, w)[0])


METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
           "normal_unbiased"]


def quantiles():
    def ask(op, x, q, method, axes, keepdims):
        if "median" in op:
            return getattr(np, op)(x, axis=axes, keepdims=keepdims)
        q = q if q.ndim else float(q)
        return np.asarray(getattr(np, op)(x, q, axis=axes, method=METHODS[method], keepdims=keepdims))

    def case(op, x, q, method, axes, keepdims, layout=0):
        given = [method, int(keepdims), int(axes is not None), *(axes or ())]
        add(op, [x, np.array(q, float)], given, lambda x, q: ask(op, x, q, method, axes, keepdims), layout)

    for method in range(13):
        for shape, axes in [((7,), (0,)), ((10,), None), ((3, 8), (-1,)), ((1,), (0,)), ((2, 3, 4), (0, 2))]:
            dtype = "float64" if len(shape) != 3 else "int32"
            x = plain(dtype, shape, -9, 9)
            q = random.choice([0, 0.05, 0.1, 0.25, 1 / 3, 0.4, 0.5, 0.65, 0.75, 0.9, 1], (2, 3))
            layout = len(cases) % 4
            case("quantile", x, q, method, axes, bool(method % 2), layout)
            case("percentile", x, float(q[0, 0]) * 100, method, axes, False, layout)
            if dtype == "float64":
                missing = np.where(random.random(shape) < 0.3, nan, x)
                case("quantile", missing, q[0], method, axes, False, layout)
                case("nanquantile", missing, q[0], method, axes, True, layout)
                case("nanpercentile", missing, 50.0, method, axes, False, layout)
    for dtype in DTYPES[:-2]:  # those of complex numbers, which have medians in NumPy, are refused
        for shape, axes in [((6,), None), ((3, 5), (0,)), ((4, 3), (1,)), ((2, 3, 4), (1, 2)), ((2, 3), ())]:
            x = plain(dtype, shape, 0, 2 if dtype == "bool" else 9)
            case("median", x, 0, 0, axes, False, len(cases) % 4)
            case("nanmedian", x, 0, 0, axes, True)
            if dtype != "bool":
                case("quantile", x, 0.25, 0, axes, False, len(cases) % 4)
                case("quantile", x, 0.75, 1, axes, False, len(cases) % 4)
    case("median", np.array([[1, nan, 3], [4, 5, 6.0]]), 0, 0, (1,), False)
    case("nanmedian", np.array([[1, nan, 3], [nan, nan, nan]]), 0, 0, (1,), False)
    case("median", np.zeros((0, 3)), 0, 0, (0,), False)
    case("median", np.zeros((3, 0)), 0, 0, (0,), False)
    for q in (-0.1, 1.1, nan):
        case("quantile", np.ones(3), q, 0, None, False)
    case("quantile", np.ones(3), 0.5, 0, (1,), False)
    case("quantile", np.ones(3), [], 0, None, False)


def unique_of(x, equal_nan):
    values, indices, inverse, counts = np.unique(x, True, True, True, equal_nan=bool(equal_nan))
    return values, indices.astype(np.int64), inverse.reshape(x.shape).astype(np.int64), counts.astype(np.int64)


def sets():
    for dtype in DTYPES:
        for shape in [(13,), (3, 4)]:
            for equal_nan in (0, 1):
                x = numbers(dtype, shape)
                if x.dtype.kind == "c" and equal_nan:  # NumPy takes all that have a NaN for one and counts them apart
                    x = np.nan_to_num(x)
                layout = len(cases) % 4
                add("unique_all", [x], [equal_nan], lambda x: unique_of(x, equal_nan), layout)
                add("unique_values", [x], [equal_nan], lambda x: unique_of(x, equal_nan)[0], layout)
    for shape in [(0,), (), (1,), (2, 0)]:
        add("unique_all", [numbers("float32", shape)], [0], lambda x: unique_of(x, 0))
        add("unique_values", [numbers("float32", shape)], [0], lambda x: unique_of(x, 0)[0])
    x = numbers("float64", (12,))
    add("unique_counts", [x], [1], lambda x: (unique_of(x, 1)[0], unique_of(x, 1)[3]))
    add("unique_inverse", [x], [1], lambda x: (unique_of(x, 1)[0], unique_of(x, 1)[2]))
    pairs = [(d, d) for d in DTYPES] + [("int8", "float32"), ("uint64", "int64"), ("bool", "int16"),
                                        ("float16", "int16"), ("float32", "complex64")]
    for a, b in pairs:
        for shape in [((9,), (7,)), ((2, 3), (2, 2))]:
            x, y = numbers(a, shape[0]), numbers(b, shape[1])
            # Which of two equal zeros stays, NumPy leaves open.
            clean = [np.where(v == 0, np.zeros_like(v), v) if v.dtype.kind in "fc" else v for v in (x, y)]
            if "complex" in a + b:
                clean = [np.nan_to_num(v) for v in clean]
                clean = [v + 0 for v in clean]
            layout = len(cases) % 4
            for op in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
                add(op, clean, [], getattr(np, op), layout)
            add("isin", [x, y], [len(cases) % 2], lambda x, y: np.isin(x, y, invert=bool(len(cases) % 2)), layout)
    for shape in [((0,), (3,)), ((3,), (0,)), ((0,), (0,)), ((), ())]:
        x, y = plain("int32", shape[0]), plain("int32", shape[1])
        for op in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
            add(op, [x, y], [], getattr(np, op))
        add("isin", [x, y], [0], np.isin)


def words(numbers):
    return " ".join(str(n) for n in numbers)


def bits(array):
    raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    size = array.dtype.itemsize
    return " ".join(raw[i:i + size][::-1].hex().lstrip("0") or "0" for i in range(0, len(raw), size))


def typed(array, layout=""):
    return f"{array.dtype.name} {layout} {words(array.shape)} = {bits(array)}"


# op | dtype layout shape = elements, ... | numbers | dtype shape = elements, ... | error
def row(case):
    op, operands, numbers, results, refused = case
    given = ", ".join(typed(a, layout) for a, layout in operands)
    return f'    "{op} | {given} | {words(numbers)} | {", ".join(map(typed, results))} | {refused}",\n'


def main():
    for group in (orders, searches, histograms, quantiles, sets):
        group()
    text = ("// tests/unit/core_sort_cases.h -- generated by make_core_sort_cases.py with NumPy; do not edit.\n"
            "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCases[] = {\n" + "".join(map(row, cases)) +
            "};\n// NOLINTEND\n// clang-format on\n")
    Path(__file__).with_name("core_sort_cases.h").write_text(text)
    print(len(cases), "cases,", sum(1 for c in cases if c[4]), "refused")


main()
