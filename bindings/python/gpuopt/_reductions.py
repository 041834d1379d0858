# bindings/python/gpuopt/_reductions.py -- scans, and the options of reductions that the library has not: initial= and
# where=.
from . import _convert, _core

ndarray = _core.ndarray
_IDENTITY = {"sum": 0, "nansum": 0, "prod": 1, "nanprod": 1, "any": False, "all": True}
_COMBINE = {
    "sum": _core.add,
    "nansum": _core.add,
    "prod": _core.multiply,
    "nanprod": _core.multiply,
    "max": _core.maximum,
    "min": _core.minimum,
    "nanmax": _core.fmax,
    "nanmin": _core.fmin,
}


def composed(name, x, axis, dtype, keepdims, initial, where):
    """A reduction with initial= or where=: of x with the identity where it does not count, and combined with the
    start."""
    x = _convert.asarray(x)
    options = {"axis": axis, "keepdims": bool(keepdims)}
    if name in ("mean", "var", "std"):
        return _spread(name, x, where, options)
    if where is not None and where is not True:
        neutral = _IDENTITY.get(name, initial)
        if neutral is None:
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
                "specify 'initial'"
            )
        x = _core.where(_convert.asarray(where, device=x.device), x, neutral)
    if dtype is not None:
        options["dtype"] = dtype
    if name in ("max", "min") and initial is not None and x.size == 0:
        return _filled(x, initial, axis, keepdims)
    result = getattr(_core, name)(x, **options)
    return result if initial is None else _core.where(True, _COMBINE[name](result, initial), result)


def _filled(x, initial, axis, keepdims) -> ndarray:
    """The extreme of nothing is the start."""
    result = _core.sum(x, axis=axis, keepdims=bool(keepdims)).astype(x.dtype)
    result[...] = initial
    return result


def _spread(name, x, where, options) -> ndarray:
    mask = _convert.asarray(where, device=x.device) & _core.gpuopt_ones_like(x, "bool")
    count = _core.sum(mask, **options)
    mean = _core.sum(_core.where(mask, x, 0), **options) / count
    if name == "mean":
        return mean
    inner = _core.sum(_core.where(mask, x, 0), axis=options["axis"], keepdims=True) / _core.sum(
        mask, axis=options["axis"], keepdims=True
    )
    square = _core.square(_core.abs(_core.where(mask, x - inner, 0)))
    result = _core.sum(square, **options) / count
    return result if name == "var" else _core.sqrt(result)


def _scan(call, x, axis, dtype, include_initial) -> ndarray:
    x = x if isinstance(x, ndarray) else _convert.asarray(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis is required for an array of other than one dimension")
        axis = 0
    return call(x, axis, dtype, int(include_initial))


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False) -> ndarray:
    """The running sum along an axis; include_initial puts a 0 in front."""
    return _scan(_core.gpuopt_cumulative_sum, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False) -> ndarray:
    """The running product along an axis; include_initial puts a 1 in front."""
    return _scan(_core.gpuopt_cumulative_prod, x, axis, dtype, include_initial)


def _numpy_scan(call, a, axis, dtype, out) -> ndarray:
    a = a if isinstance(a, ndarray) else _convert.asarray(a)
    result = call(a.reshape(-1) if axis is None else a, 0 if axis is None else axis, dtype, 0)
    if out is None:
        return result
    out[...] = result
    return out


def cumsum(a, axis=None, dtype=None, out=None) -> ndarray:
    """The running sum along an axis, or of the flattened array."""
    return _numpy_scan(_core.gpuopt_cumulative_sum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None) -> ndarray:
    """The running product along an axis, or of the flattened array."""
    return _numpy_scan(_core.gpuopt_cumulative_prod, a, axis, dtype, out)
