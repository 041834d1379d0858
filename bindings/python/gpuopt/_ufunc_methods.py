# bindings/python/gpuopt/_ufunc_methods.py -- methods of NumPy's ufuncs on arrays, composed of the functions of that
# name.
from . import _convert, _core

ndarray = _core.ndarray

# Those that may be associated in any way: they are computed in halves, in as many steps as the size has bits.
_ASSOCIATIVE = {
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "fmax",
    "fmin",
    "gcd",
    "hypot",
    "lcm",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
}


def _along(axis, index):
    """A key for a part along an axis."""
    return (slice(None),) * axis + (index,)


def _prepared(ufunc, function, x, dtype):
    """x in the dtype that the function's results have: a result is an operand of the next step."""
    x = _convert.asarray(x, dtype)
    if ufunc.__name__.startswith("logical"):
        return _convert.astype(x, "bool")
    if not x.ndim:
        raise TypeError(f"cannot {ufunc.__name__} over an array without dimensions")
    nothing = x[:0]
    return x if dtype is not None else _convert.astype(x, function(nothing, nothing).dtype, copy=False)


def _axes(axis, ndim):
    from ._manipulation import _axes as checked

    return tuple(range(ndim)) if axis is None else checked(axis, ndim)


def _identity(ufunc, dtype):
    """The identity, as a number of the dtype: that of bitwise_and has all bits."""
    import numpy

    return numpy.array(ufunc.identity).astype(dtype).item() if ufunc.identity == -1 else ufunc.identity


def _folded(ufunc, function, x, axis):
    """x reduced along one axis, which keeps the size 1; the axis is not empty."""
    if ufunc.__name__ in ("gcd", "hypot") and x.shape[axis] == 1:
        return _core.abs(x)  # NumPy begins with their identity, 0
    if ufunc.__name__ in _ASSOCIATIVE:
        while x.shape[axis] > 1:
            even = x.shape[axis] // 2 * 2
            rest = x[_along(axis, slice(even, None))]
            x = function(x[_along(axis, slice(0, even, 2))], x[_along(axis, slice(1, even, 2))])
            x = _core.gpuopt_concat(2, [x, rest], (axis,)) if rest.shape[axis] else x
        return x
    if ufunc.__name__ == "subtract":
        rest = _core.sum(x[_along(axis, slice(1, None))], axis=axis, keepdims=True, dtype=x.dtype)
        return x[_along(axis, slice(0, 1))] - rest
    result = x[_along(axis, slice(0, 1))]
    for at in range(1, x.shape[axis]):
        result = function(result, x[_along(axis, slice(at, at + 1))])
    return result


def reduce_by(ufunc, function):
    """ufunc.reduce of a function that is no reduction of the library."""

    def reduce(a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        x = _prepared(ufunc, function, a, dtype)
        axes, start = _axes(axis, x.ndim), _identity(ufunc, x.dtype) if initial is None else initial
        if where is not True:
            if start is None:
                raise ValueError(f"reduction operation {ufunc.__name__!r} does not have an identity, so to use a "
                                 "where mask one has to specify 'initial'")
            x = _convert.astype(_core.where(where, x, start), x.dtype, copy=False)
        for at in axes:
            if x.shape[at]:
                x = _folded(ufunc, function, x, at)
            elif start is None:
                raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
            else:
                shape = (*x.shape[:at], 1, *x.shape[at + 1 :])
                x = _core.gpuopt_full(x.device, x.dtype, len(shape), shape, start)
        if initial is not None:
            x = function(_convert.asarray(initial, x.dtype, device=x.device), x)
        x = x if keepdims else x[tuple(0 if at in axes else slice(None) for at in range(x.ndim))]
        return _stored(x, out)

    return reduce


def _scanned(function, x, axis):
    """The running results of an associative function: those of twice as many elements in each step."""
    known = 1
    while known < x.shape[axis]:
        before, after = x[_along(axis, slice(None, -known))], x[_along(axis, slice(known, None))]
        x = _core.gpuopt_concat(2, [x[_along(axis, slice(known))], function(before, after)], (axis,))
        known *= 2
    return x


def accumulate_by(ufunc, function):
    """ufunc.accumulate of a function that is no scan of the library."""

    def accumulate(a, axis=0, dtype=None, out=None):
        from ._manipulation import _axis

        x = _prepared(ufunc, function, a, dtype)
        axis = _axis(axis, x.ndim)
        if ufunc.__name__ in _ASSOCIATIVE or x.shape[axis] < 2:
            return _stored(_scanned(function, x, axis), out)
        parts = [x[_along(axis, slice(0, 1))]]
        for at in range(1, x.shape[axis]):
            parts.append(function(parts[-1], x[_along(axis, slice(at, at + 1))]))
        return _stored(_core.gpuopt_concat(len(parts), parts, (axis,)), out)

    return accumulate


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def store_all(results, outs):
    """The results of a ufunc that has several, written to those arrays that are given."""
    return tuple(_stored(result, out) for result, out in zip(results, outs))
