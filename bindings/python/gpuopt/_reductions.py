# bindings/python/gpuopt/_reductions.py -- scans, and what where= of a reduction takes.
from . import _convert, _core

ndarray = _core.ndarray


def mask(where, beside) -> ndarray:
    """where= of a reduction as an array on the device of `beside`."""
    return _convert.asarray(where, device=None if beside is None else beside.device)


def _scan(call, x, axis, dtype, include_initial, out) -> ndarray:
    x = x if isinstance(x, ndarray) else _convert.asarray(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis is required for an array of other than one dimension")
        axis = 0
    return _stored(call(x, axis, dtype, int(include_initial)), out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """The running sum along an axis; include_initial puts a 0 in front.

    >>> gp.cumulative_sum(gp.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _scan(_core.gpuopt_cumulative_sum, x, axis, dtype, include_initial, out)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """The running product along an axis; include_initial puts a 1 in front.

    >>> gp.cumulative_prod(gp.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return _scan(_core.gpuopt_cumulative_prod, x, axis, dtype, include_initial, out)


def _numpy_scan(call, a, axis, dtype, out) -> ndarray:
    a = a if isinstance(a, ndarray) else _convert.asarray(a)
    return _stored(call(a.reshape(-1) if axis is None else a, 0 if axis is None else axis, dtype, 0), out)


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def cumsum(a, axis=None, dtype=None, out=None) -> ndarray:
    """The running sum along an axis, or of the flattened array.

    >>> gp.cumsum([1, 2, 3])
    array([1, 3, 6])
    """
    return _numpy_scan(_core.gpuopt_cumulative_sum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None) -> ndarray:
    """The running product along an axis, or of the flattened array.

    >>> gp.cumprod([1, 2, 3])
    array([1, 2, 6])
    """
    return _numpy_scan(_core.gpuopt_cumulative_prod, a, axis, dtype, out)
