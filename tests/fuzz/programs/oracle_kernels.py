# tests/fuzz/programs/oracle_kernels.py -- NumPy's answers for the statements that call user kernels: those of
# kernels.def.
#
# What a kernel computes is written with the same operations in the same order, in the kernel's own dtype, so that most
# answers are exact.
import struct

import numpy as np

import reductions
from elementwise import Weak, as_dtype
from expected import Exact, Fails, Near, Unknown
from oracle_arrays import Payload, strong, writable
from program import split
from tables import KIND, promote, promote_weak
from values import cast, spacing, widened

# The dtypes that generic parameters are called with.
DTYPES = ("int32", "int64", "float32", "float64")


def quiet(function):
    def wrapped(model, s):
        with np.errstate(all="ignore"):
            return function(model, s)
    return wrapped


def _flat(x):
    """The elements in C order, as arrays that own them: NumPy makes numbers of 0-d ones."""
    return np.ascontiguousarray(x).reshape(-1)


# ---- elementwise


def _squared_difference(x, y):
    return (x - y) * (x - y)


def _larger_plus_index(x, y):
    return np.where(x > y, x, y) + np.arange(x.size).reshape(x.shape).astype(x.dtype)


def _halved_below_zero(x):
    wide = x.astype(np.float64)
    return np.where(wide < 0, 0.5 * wide, wide)


_ELEMENTWISE = {"squared_difference": _squared_difference, "larger_plus_index": _larger_plus_index,
                "halved_below_zero": _halved_below_zero}


def _generic(operands):
    """The one dtype of all operands; for others than DTYPES, which a program has by accident, there are no answers."""
    found = {x[0] for x in operands if not isinstance(x, Weak)}
    if len(found) != 1:
        raise Fails("TYPE")
    dtype = found.pop()
    if dtype not in DTYPES:
        raise Unknown
    return dtype


def _broadcast(arrays):
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError:
        raise Fails("SHAPE") from None


def _elementwise(name, dtype, arrays):
    if name == "from_the_end":
        x, y = arrays
        if y.size < x.size:
            raise Unknown
        return Exact(dtype, x + y.ravel()[:x.size][::-1].reshape(x.shape))
    shape = _broadcast(arrays)[0].shape
    result = _ELEMENTWISE[name](*(np.atleast_1d(x) for x in _broadcast(arrays))).reshape(shape)
    return Exact("float64" if name == "halved_below_zero" else dtype, result)


def _kernel(model, s):
    operands = [strong(model, word) for word in s.words[1:]]
    return _elementwise(s.words[0], _generic(operands), [x for _, x in operands])


def _kernel_into(model, s):
    dtype, target = writable(model, s.words[-1])
    operands = [strong(model, word) for word in s.words[1:-1]]
    made = _generic(operands)
    result = _elementwise(s.words[0], made, [x for _, x in operands])
    if result.dtype != dtype:
        raise Fails("TYPE")
    if result.shape != target.shape:
        raise Fails("SHAPE")
    return result


# ---- reductions


def _sum_of_squares(dtype, x):
    if KIND[dtype] in "iu":
        return Exact(dtype, np.add.reduce(x * x, axis=1, dtype=x.dtype))
    wide = widened(x, dtype) ** 2
    values, bound, free = reductions.sum_of(wide, dtype)
    size = np.where(np.isfinite(wide), wide, 0).sum(axis=1)
    rounding = size * np.longdouble(2.0) ** (-52 if dtype == "float64" else -23) + x.shape[1] * spacing(
        np.zeros_like(size), dtype
    )
    return Near(dtype, values, bound + rounding, free)


def _greatest_of_both(dtype, x, y):
    greater = np.where(x > y, x, y)
    if x.shape[1] == 0:
        raise Unknown if x.shape[0] == 0 else Fails("INVALID_ARGUMENT")
    if KIND[dtype] in "iu":
        return Exact(dtype, greater.max(axis=1))
    # With a NaN the result depends on which is compared first, which is the library's to say.
    return Near(dtype, widened(greater.max(axis=1), dtype), 0, np.isnan(greater).any(axis=1))


def _last_nonzero(dtype, x):
    places = np.where(x != 0, np.arange(x.shape[1], dtype=np.int64)[None, :], -1)
    return Exact("int64", places.max(axis=1, initial=-1))


def _any_above(dtype, x, limit):
    return Exact("bool", (x > limit).any(axis=1))


_REDUCTIONS = {"sum_of_squares": _sum_of_squares, "greatest_of_both": _greatest_of_both, "last_nonzero": _last_nonzero,
               "any_above": _any_above}


def _reduction_kernel(model, s):
    operands = [model.arrays[word] for word in s.words[3:]]
    dtype = _generic(operands)
    arrays = _broadcast([as_dtype(x, dtype) for x in operands])
    layout = reductions.Layout(arrays[0].shape, None if s.words[1] == "*" else split(s.words[1]), s.words[2] == "1")
    return _REDUCTIONS[s.words[0]](dtype, *(layout.matrix(x) for x in arrays)).reshaped(layout.shape)


# ---- raw kernels


def _blocks(x, size):
    """x as rows of `size`, the last filled up with zeros."""
    padded = np.zeros(-(-x.size // size) * size, x.dtype)
    padded[:x.size] = x
    return padded.reshape(-1, size)


def _scaled(x, old, rows, columns, block):
    result, n = old.copy(), rows * columns
    result[:n] = x.dtype.type(3) * x[:n] + old[:n]
    return result


def _reversed_blocks(x, old, rows, columns, block):
    result, n = old.copy(), rows * columns
    for first in range(0, n, block):
        result[first:min(first + block, n)] = x[first:min(first + block, n)][::-1]
    return result


def _halved(partial, plus):
    """A tree of sums over the last axis, whose length is a power of two."""
    while partial.shape[-1] > 1:
        half = partial.shape[-1] // 2
        partial = plus(partial[..., :half], partial[..., half:])
    return partial[..., 0]


def _row_sums(x, old, rows, columns, block):
    result, partial = old.copy(), np.zeros((rows, block), x.dtype)
    matrix = x[:rows * columns].reshape(rows, columns)
    for first in range(0, columns, block):
        part = matrix[:, first:first + block]
        partial[:, :part.shape[1]] += part
    result[:rows] = _halved(partial, np.add)
    return result


def _warp_sums(x, old, rows, columns, block):
    result, n = old.copy(), rows * columns
    sums = _blocks(x[:n], 32)
    for step in (16, 8, 4, 2, 1):
        sums = sums + sums[:, np.arange(32) ^ step]
    result[:n] = sums.ravel()[:n]
    return result


def _occurrences(x, old, rows, columns, block):
    result = old.copy()
    np.add.at(result, np.mod(np.fmod(x[:rows], columns) + columns, columns), 1)
    return result


_RAW = {"scaled": _scaled, "reversed_blocks": _reversed_blocks, "row_sums": _row_sums, "warp_sums": _warp_sums,
        "occurrences": _occurrences}


def _raw(model, s):
    dtype, target = writable(model, s.words[6])
    source, x = strong(model, s.words[5])
    if not x.flags.c_contiguous or not target.flags.c_contiguous:
        raise Fails("INVALID_ARGUMENT")
    if source != dtype:
        raise Fails("TYPE")
    rows, columns, block = (int(word) for word in s.words[1:4])
    return Exact(dtype, _RAW[s.words[0]](_flat(x).copy(), _flat(target), rows, columns, block).reshape(target.shape))


# ---- modules, and native functions


def _module(model, s):
    dtype, target = writable(model, s.words[3])
    if not target.flags.c_contiguous:
        raise Fails("INVALID_ARGUMENT")
    if dtype != "int32":
        raise Fails("TYPE")
    factor, term = (np.int32(int(word)) for word in s.words[1:3])
    return Exact(dtype, target * factor + term)


def _cfunc(model, s):
    x, y = (float.fromhex(word) for word in s.words[1:])
    return Payload(struct.pack("<d", (x * y - 3) / (x * x + 1) + y))


# ---- ufuncs

# The dtypes of kernels.def, in their order.
_TYPES = {"affine": ("int32", "float32", "float64"), "plus": ("int64", "float64"),
          "inner_product": ("int64", "float64"),
          "running_maximum": ("int32", "float32", "float64")}


def _loop_dtype(name, operands):
    """The first dtype that all can be cast to safely."""
    for dtype in _TYPES[name]:
        if all(promote_weak(dtype, x.kind) == dtype if isinstance(x, Weak) else promote(x[0], dtype) == dtype
               for x in operands):
            return dtype
    raise Fails("TYPE")


def _apply(name, x, y):
    return x.dtype.type(3) * x - y if name == "affine" else x + y


def _ufunc(model, s):
    operands = [model.arrays[word] for word in s.words[1:]]
    dtype = _loop_dtype(s.words[0], operands)
    x, y = _broadcast([as_dtype(operand, dtype) for operand in operands])
    return Exact(dtype, _apply(s.words[0], np.atleast_1d(x), np.atleast_1d(y)).reshape(x.shape))


def _ufunc_reduce(model, s):
    name, keepdims = s.words[0], s.words[3] == "1"
    source, x = strong(model, s.words[1])
    dtype = _loop_dtype(name, [(source, x)] * 2)
    layout = reductions.Layout(x.shape, None if s.words[2] == "*" else split(s.words[2]), keepdims)
    matrix = layout.matrix(cast(x, source, dtype))
    if name == "plus":
        if KIND[dtype] in "iu":
            return Exact(dtype, np.add.reduce(matrix, axis=1, dtype=matrix.dtype)).reshaped(layout.shape)
        return Near(dtype, *reductions.sum_of(widened(matrix, dtype), dtype)).reshaped(layout.shape)
    if len(layout.axes) != 1:
        raise Unknown if len(layout.axes) == 0 else Fails("INVALID_ARGUMENT")
    if layout.length == 0:
        raise Unknown if layout.rows == 0 else Fails("INVALID_ARGUMENT")
    result = matrix[:, 0]
    for column in range(1, layout.length):
        result = _apply(name, result, matrix[:, column])
    return Exact(dtype, result).reshaped(layout.shape)


def _ufunc_accumulate(model, s):
    source, x = strong(model, s.words[1])
    dtype = _loop_dtype(s.words[0], [(source, x)] * 2)
    axis = int(s.words[2])
    if not -x.ndim <= axis < x.ndim:
        raise Fails("INDEX")
    result = np.moveaxis(cast(x, source, dtype), axis, -1).copy()
    for place in range(1, result.shape[-1]):
        result[..., place] = _apply(s.words[0], result[..., place - 1], result[..., place])
    return Exact(dtype, np.moveaxis(result, -1, axis))


def _ufunc_outer(model, s):
    operands = [strong(model, word) for word in s.words[1:]]
    dtype = _loop_dtype(s.words[0], operands)
    a, b = (cast(x, source, dtype) for source, x in operands)
    x, y = np.broadcast_arrays(a.reshape(a.shape + (1,) * b.ndim), b)
    return Exact(dtype, _apply(s.words[0], np.atleast_1d(x), np.atleast_1d(y)).reshape(x.shape))


def _ufunc_at(model, s):
    dtype, x = writable(model, s.words[1])
    index_dtype, indices = strong(model, s.words[2])
    values = model.arrays[s.words[3]]
    if KIND[index_dtype] not in "iu":
        raise Fails("TYPE")
    if x.ndim == 0:
        raise Fails()
    if _loop_dtype(s.words[0], [(dtype, x), values]) != dtype:
        raise Fails("TYPE")
    indices = indices.astype(np.int64)
    if indices.size and (indices.min() < -x.shape[0] or indices.max() >= x.shape[0]):
        raise Fails("INDEX")
    try:
        values = np.broadcast_to(as_dtype(values, dtype), indices.shape + x.shape[1:])
    except ValueError:
        raise Fails("SHAPE") from None
    result = x.copy()
    for index, value in zip(indices.ravel(), values.reshape((indices.size,) + x.shape[1:])):
        result[index] = _apply(s.words[0], result[index:index + 1 or None], value)[0]
    return Exact(dtype, result)


# ---- generalized ufuncs


def _inner_product(a, b):
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise Fails("SHAPE")
    try:
        loop = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise Fails("SHAPE") from None
    result = np.zeros(loop + (a.shape[-2], b.shape[-1]), a.dtype)
    for k in range(a.shape[-1]):
        result = result + a[..., :, k:k + 1] * b[..., k:k + 1, :]
    return result


def _running_maximum(x):
    if x.ndim < 1:
        raise Fails("SHAPE")
    result = x.copy()
    for i in range(1, x.shape[-1]):
        result[..., i] = np.where(x[..., i] > result[..., i - 1], x[..., i], result[..., i - 1])
    return result


_GENERALIZED = {"inner_product": _inner_product, "running_maximum": _running_maximum}


def _gufunc(model, s):
    operands = [strong(model, word) for word in s.words[1:]]
    dtype = _loop_dtype(s.words[0], operands)
    return Exact(dtype, _GENERALIZED[s.words[0]](*(cast(x, source, dtype) for source, x in operands)))


# ---- stencils

_CONSTANT, _REFLECT, _NEAREST = 0, 1, 2


def _within(place, n, mode):
    """The index that one beyond the array stands for."""
    if mode == _CONSTANT or mode == _NEAREST:  # of the former no element is read
        return np.clip(place, 0, n - 1)
    if mode == _REFLECT:
        place = np.mod(place, 2 * n)
        return np.where(place < n, place, 2 * n - 1 - place)
    return np.mod(place, n)


def _neighbours(a, mode):
    """A function of offsets along each axis that gives the elements there."""
    def at(*offsets):
        return a[np.ix_(*(_within(np.arange(n) + offset, n, mode) for n, offset in zip(a.shape, offsets)))]
    return at


def _smoothed(at, two, a):
    return at(-1) + two * at(0) + at(2)


def _laplacian(at, two, a):
    return at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - (two + two) * at(0, 0)


def _weighted(at, two, a, w):
    return w[0] * at(0, -1) + w[1] * at(1, 1)


# With the least and greatest offset along each axis.
_STENCILS = {"smoothed": (_smoothed, [(-1, 2)]), "laplacian": (_laplacian, [(-1, 1), (-1, 1)]),
             "weighted": (_weighted, [(0, 1), (-1, 1)])}


def _stencil(model, s):
    function, reach = _STENCILS[s.words[0]]
    mode, number = int(s.words[1]), Weak.parse(s.words[2])
    operands = [strong(model, word) for word in s.words[3:]]
    dtype, (a, *rest) = _generic(operands), [x for _, x in operands]
    if a.ndim != len(reach):
        raise Fails()
    if rest and rest[0].size < 2:
        raise Unknown
    if a.size == 0:
        return Exact(dtype, a.copy())
    result = function(_neighbours(a, mode), a.dtype.type(2), a, *(_flat(x) for x in rest))
    if mode == _CONSTANT:
        inside = np.ones(a.shape, bool)
        for axis, (least, greatest) in enumerate(reach):
            place = np.arange(a.shape[axis])
            good = (place + least >= 0) & (place + greatest < a.shape[axis])
            inside &= good.reshape([-1 if d == axis else 1 for d in range(a.ndim)])
        result = np.where(inside, result, number.array(dtype))
    return Exact(dtype, result)


VERBS = {name: quiet(function) for name, function in {
    "kernel": _kernel, "kernel_into": _kernel_into, "reduction_kernel": _reduction_kernel, "raw": _raw,
    "module": _module, "cfunc": _cfunc, "ufunc": _ufunc,
    "ufunc_reduce": _ufunc_reduce, "ufunc_accumulate": _ufunc_accumulate, "ufunc_outer": _ufunc_outer,
    "ufunc_at": _ufunc_at,
    "gufunc": _gufunc, "stencil": _stencil}.items()}

# Every row of kernels.def, by the verb that calls it.
ROWS = {(verb, name) for verb, names in {
    "kernel": [*_ELEMENTWISE, "from_the_end"], "reduction_kernel": _REDUCTIONS, "raw": _RAW, "module": ["in_two_steps"],
    "cfunc": ["rational"], "ufunc": ["affine", "plus"],
    "ufunc_reduce": ["affine", "plus"], "ufunc_accumulate": ["affine", "plus"], "ufunc_outer": ["affine", "plus"],
    "ufunc_at": ["affine", "plus"],
    "gufunc": _GENERALIZED, "stencil": _STENCILS}.items() for name in names}
