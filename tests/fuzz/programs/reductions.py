# tests/fuzz/programs/reductions.py -- NumPy's answers for reductions, statistics and scans.
#
# Everything is a matrix: the axes kept are its rows, the reduced ones its columns. Sums and products of floats are
# computed in long double; what is allowed is a bound on the error of any sensible order of summation, from the sum of
# the magnitudes.
import numpy as np

from expected import Exact, Fails, Near, Unknown, epsilon, half_a_unit
from tables import KIND, REDUCTIONS, SCANS, loop_of, real_of
from values import cast, largest, widened


def normalized_axes(axes, ndim):
    """Axes as non-negative numbers, ascending; None means all."""
    if axes is None:
        return list(range(ndim))
    if any(not -ndim <= axis < ndim for axis in axes):
        raise Fails("INDEX")
    found = [axis % ndim for axis in axes]
    if len(set(found)) != len(found):
        raise Fails()
    return sorted(found)


class Layout:
    """How an array becomes a matrix, and the results an array again."""

    def __init__(self, shape, axes, keepdims):
        self.axes = normalized_axes(axes, len(shape))
        self.kept = [i for i in range(len(shape)) if i not in self.axes]
        self.length = int(np.prod([shape[i] for i in self.axes], dtype=np.int64))
        self.rows = int(np.prod([shape[i] for i in self.kept], dtype=np.int64))
        if keepdims:
            self.shape = tuple(1 if i in self.axes else n for i, n in enumerate(shape))
        else:
            self.shape = tuple(shape[i] for i in self.kept)

    def matrix(self, x):
        return np.transpose(x, self.kept + self.axes).reshape(self.rows, self.length)


def _sum_dtype(dtype):
    return {"?": "int64", "i": "int64", "u": "uint64"}.get(KIND[dtype], dtype)


def _steps(length):
    """How many roundings one element may go through: sums are made in blocks and a tree."""
    return min(length, 512) + 16


def sum_of(x, dtype, axis=1, scan=False):
    """The sums of rows of long double (complex) values, their bound, and what is free: partial sums may overflow."""
    function = np.cumsum if scan else np.sum
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(x), np.abs(x), 0)
        magnitude = function(finite, axis=axis)
        values = function(x, axis=axis) if x.shape[axis] or scan else np.zeros(x.shape[0], x.dtype)
        free = magnitude > largest("float64" if real_of(dtype) == "float64" else "float32") / 2
        if KIND[dtype] == "c":
            free |= ~np.isfinite(np.abs(values))
        return values, _steps(x.shape[axis]) * epsilon(dtype) * magnitude + half_a_unit(values, dtype), free


def product_of(x, dtype, axis=1, scan=False):
    """The products, which are free where a partial product may overflow or lose bits below the normal numbers."""
    function = np.cumprod if scan else np.prod
    top = {"float64": 1020}.get(real_of(dtype), 124)
    with np.errstate(all="ignore"):
        size = np.abs(x)
        log = np.log2(np.where((size == 0) | ~np.isfinite(size), 1, size))
        total = np.cumsum if scan else np.sum
        up, down = total(np.maximum(log, 0), axis=axis), total(np.minimum(log, 0), axis=axis)
        values = function(x, axis=axis)
        special = total((size == 0) | ~np.isfinite(size), axis=axis) > 0
        ends = (up > top) | (down < -top)
        free = ends & ~(special & ~(up > top)) | (special & (KIND[dtype] == "c")) | (special & ends)
        # Whatever their order: each of the multiplications rounds the whole product.
        return values, (4 * (x.shape[axis] + 1)) * epsilon(dtype) * np.abs(values) + half_a_unit(values, dtype), free


_FOLDS = {"sum": sum_of, "prod": product_of, "cumulative_sum": sum_of, "cumulative_prod": product_of}
_INTEGER = {"sum": np.add, "prod": np.multiply, "cumulative_sum": np.add, "cumulative_prod": np.multiply}


def _fold(name, x, dtype, target, scan=False):
    """sum, prod and the scans of a matrix of stored elements, in the dtype asked for."""
    x = cast(x, dtype, target)
    if KIND[target] in "iu":
        with np.errstate(all="ignore"):
            operation = _INTEGER[name].accumulate if scan else _INTEGER[name].reduce
            return Exact(target, operation(x, axis=1, dtype=target))
    if KIND[target] == "?":
        raise Unknown
    values, bound, free = _FOLDS[name](widened(x, target), target, 1, scan)
    return Near(target, values, bound, free)


def _positions(x, dtype, least):
    """The first NaN, or the first extreme element, of each row."""
    x = widened(x, dtype) if KIND[dtype] == "f" else x
    return (np.argmin if least else np.argmax)(x, axis=1)


def _extreme(x, dtype, least, ignore_nan):
    """The extreme element of each row; among zeros the negative one is the lesser."""
    wide = widened(x, dtype)
    if KIND[dtype] == "f":
        nan = np.isnan(wide)
        if ignore_nan:
            wide = np.where(nan & ~nan.all(axis=1, keepdims=True), np.longdouble(np.inf if least else -np.inf), wide)
        rank = np.where(wide == 0, np.where(np.signbit(wide) == least, 0,
                                            np.ldexp(np.longdouble(1 if least else -1), -5000)), wide)
        place = (np.argmin if least else np.argmax)(rank, axis=1)
        if ignore_nan:  # an infinity in front of a NaN that was taken for one
            found = (rank == np.take_along_axis(rank, place[:, None], axis=1)) & ~nan
            place = np.where(found.any(axis=1), found.argmax(axis=1), place)
    else:
        place = (np.argmin if least else np.argmax)(wide, axis=1)
    return Exact(dtype, np.take_along_axis(x, place[:, None], axis=1)[:, 0])


def _table_row(name, x, dtype, layout, target):
    """A row of ops.def."""
    row = REDUCTIONS[name]
    if row.result == "BOOL" or name == "count_nonzero":
        truth = cast(x, dtype, "bool")
        function = {"any": np.any, "all": np.all, "count_nonzero": np.count_nonzero}[name]
        return Exact("bool" if row.result == "BOOL" else "int64", np.asarray(function(truth, axis=1)))
    if loop_of(row, dtype) != dtype:
        raise Fails("TYPE")
    if row.result == "SUM":
        return _fold(name, x, dtype, target or _sum_dtype(dtype))
    if layout.length == 0:
        if layout.rows == 0:
            raise Unknown
        raise Fails("INVALID_ARGUMENT")
    if row.result == "INDEX":
        return Exact("int64", _positions(x, dtype, name == "argmin").astype(np.int64))
    return _extreme(x, dtype, name.endswith("min"), name.startswith("nan"))


def _mean(values, bound, free, count, dtype):
    with np.errstate(all="ignore"):
        mean = values / count
        return Near(dtype, mean, bound / count + 2 * epsilon(dtype) * np.abs(mean) + half_a_unit(mean, dtype), free)


def _spread(wide, dtype, count, correction, root):
    """var and std, by two passes; `count` of each row, elements left out are NaN in real part."""
    result = real_of(dtype)
    with np.errstate(all="ignore"):
        present = ~np.isnan(wide)
        mean = np.where(present, wide, 0).sum(axis=1) / count
        offset = np.where(present, wide - mean[:, None], 0)
        squares = (np.abs(offset) ** 2).sum(axis=1)
        unit = epsilon(dtype) * _steps(wide.shape[1])
        size = np.max(np.abs(np.where(present, wide, 0)), axis=1, initial=0)
        error = 2 * unit * size + unit * np.sqrt(squares / count)
        divisor = count - correction
        variance = squares / divisor
        bound = (2 * error * np.sqrt(squares * count) + count * error ** 2 + 2 * unit * squares) / divisor
        limit = largest("float64" if real_of(dtype) == "float64" else "float32")
        free = (
            (divisor <= 0)
            | (squares > limit / 4)
            | (size > limit / (4 * np.maximum(count, 1)))
            | (size**2 * count > limit / 4)
        )
        free |= (squares < 1e-30 if real_of(dtype) != "float64" else squares < 1e-280) & (squares > 0)
        if root:
            deviation = np.sqrt(variance)  # of the variance as it accumulated: 16-bit results are rounded once
            spread = np.sqrt(variance + bound) - np.sqrt(np.maximum(variance - bound, 0))
            return Near(result, deviation, spread + 4 * epsilon(dtype) * deviation + half_a_unit(deviation, result),
                        free)
        return Near(result, variance, bound + half_a_unit(variance, result), free)


def _nan_position(x, dtype, layout, least):
    if KIND[dtype] not in "?iuf":
        raise Fails("TYPE")
    if layout.length == 0:
        raise Unknown if layout.rows == 0 else Fails("INVALID_ARGUMENT")
    wide = widened(x, dtype)
    if KIND[dtype] == "f":
        if np.isnan(wide).all(axis=1).any():
            raise Fails("INVALID_ARGUMENT")
        # NumPy takes a NaN for the infinity that is not sought, and finds it where nothing else is there; here only
        # numbers have a place.
        extreme = (np.nanmin if least else np.nanmax)(wide, axis=1, keepdims=True)
        return Exact("int64", (wide == extreme).argmax(axis=1).astype(np.int64))
    return Exact("int64", _positions(x, dtype, least).astype(np.int64))


def _statistic(name, x, dtype, layout, target, correction):
    """mean, var, std and the nan- functions."""
    if name in ("nanargmin", "nanargmax"):
        return _nan_position(x, dtype, layout, name == "nanargmin")
    if name in ("nansum", "nanprod"):
        if KIND[dtype] in "fc":
            empty = np.isnan(widened(x, dtype))
            neutral = cast(np.asarray(name == "nanprod"), "bool", dtype)
            x = np.where(empty, neutral, x)
        return _fold(name[3:], x, dtype, target or _sum_dtype(dtype))
    ignore, kind = name.startswith("nan"), name.replace("nan", "")
    if KIND[dtype] in "?iu":
        x, dtype = cast(x, dtype, "float64"), "float64"
    result = target if kind == "mean" and target else dtype
    # 16-bit results are of sums in float32, of elements that nobody has rounded to 16 bits
    if kind == "mean" and target:
        wider = "float32" if target in ("float16", "bfloat16") else target
        x, dtype = cast(x, dtype, wider), wider
    if KIND[dtype] not in "fc":
        raise Unknown
    wide = widened(x, dtype)
    with np.errstate(all="ignore"):
        count = (~np.isnan(wide)).sum(axis=1) if ignore else np.full(layout.rows, layout.length)
        count = count.astype(np.longdouble)
        if kind == "mean":
            values, bound, free = sum_of(np.where(np.isnan(wide), 0, wide) if ignore else wide, dtype)
            return _mean(values, bound, free, count, result)
        spread = _spread(wide, dtype, count, correction, kind == "std")
        infinite = np.isinf(wide) & ~np.isnan(wide)  # a complex number with a NaN in either part is a NaN
        bad = infinite.any(axis=1) if ignore else ~np.isfinite(wide).all(axis=1)
        spread.values = np.where(bad | (count == 0), np.longdouble(np.nan), spread.values)
        spread.free = spread.free & ~(count == 0)
        return spread


def reduce(name, x, dtype, axes, keepdims, target, correction):
    layout = Layout(x.shape, axes, keepdims)
    matrix = layout.matrix(x)
    if name in REDUCTIONS:
        result = _table_row(name, matrix, dtype, layout, target)
    else:
        result = _statistic(name, matrix, dtype, layout, target, correction)
    return result.reshaped(layout.shape)


def scan(name, x, dtype, axis, target, initial):
    row = SCANS[name]
    if x.ndim == 0:
        raise Unknown
    axis = normalized_axes([axis], x.ndim)[0]
    if loop_of(row, dtype) is None:
        raise Fails("TYPE")
    moved = np.moveaxis(x, axis, -1)
    length = moved.shape[-1]
    matrix = (
        moved.reshape(-1, length)
        if moved.size
        else np.zeros((int(np.prod(moved.shape[:-1], dtype=np.int64)), length), x.dtype)
    )
    result = _fold(name, matrix, dtype, target or _sum_dtype(dtype), scan=True)
    if initial:
        result = _with_identity(result, name.endswith("prod"))
    shape = moved.shape[:-1] + (length + bool(initial),)
    back = lambda a: np.moveaxis(a.reshape(shape), -1, axis)
    if isinstance(result, Exact):
        return Exact(result.dtype, back(result.elements))
    return Near(result.dtype, back(result.values), back(result.bound), back(result.free))


def _with_identity(result, one):
    """The identity in front of each row."""
    in_front = lambda a, value: np.concatenate([np.full((a.shape[0], 1), value, a.dtype), a], axis=1)
    if isinstance(result, Exact):
        return Exact(result.dtype, in_front(result.elements, int(one)))
    return Near(result.dtype, in_front(result.values, int(one)), in_front(result.bound, 0),
                in_front(result.free, False))
