# bindings/python/gpuopt/_weighted.py -- quantiles of elements that count by their weights: the inverse of the
# distribution function, as numpy.quantile has it for method="inverted_cdf".
import math

from . import _convert, _core
from ._manipulation import _axes, moveaxis
from ._sorting import argsort, take_along_axis


def quantile(a, q, per, axis, method, keepdims, weights, skip_nan):
    """The least elements whose weights, with those of all smaller ones, are at least q/per of the whole."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    axes = None if axis is None else _axes(axis, a.ndim)
    weights = _checked(a, _convert.asarray(weights, device=a.device), axes)
    axes = tuple(range(a.ndim)) if axes is None else axes
    result = _of_lines(_lines(a, axes), _fractions(a, q, per), _lines(weights, axes), skip_nan)
    if not keepdims:
        return result
    kept = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    return result.reshape(result.shape[: result.ndim - (a.ndim - len(axes))] + kept)


def _checked(a, weights, axes):
    """Weights in a's shape: they are given so, or in the shape of the axes."""
    if weights.shape != a.shape:
        if axes is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[i] for i in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = weights.transpose(sorted(range(len(axes)), key=axes.__getitem__))
        shape = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
        weights = _core.gpuopt_broadcast_to(weights.reshape(shape), a.ndim, a.shape)
    if bool(_core.any(weights < 0)):
        raise ValueError("Weights must be non-negative.")
    return weights


def _fractions(a, q, per):
    """q in [0, 1]: numbers in a's dtype, if that is a floating one."""
    if isinstance(q, (int, float)):
        q = _convert.asarray(q, a.dtype if a.dtype.kind == "f" else None, device=a.device)
    q = _convert.asarray(q, device=a.device)
    q = q / per if per != 1 else q
    if not bool(_core.all((q >= 0) & (q <= 1))):
        whole = "Percentiles must be in the range [0, 100]" if per == 100 else "Quantiles must be in the range [0, 1]"
        raise ValueError(whole)
    return q


def _lines(x, axes):
    """x with the axes as its last one."""
    x = moveaxis(x, axes, tuple(range(-len(axes), 0))) if axes else x
    rest = x.shape[: x.ndim - len(axes)]
    return x.reshape((*rest, math.prod(x.shape[len(rest) :])))


def _of_lines(x, q, weights, skip_nan):
    absent = _core.isnan(x) if x.dtype.kind == "f" else None
    if absent is not None and skip_nan:
        weights = _core.where(absent, 0, weights)
    order = argsort(x, axis=-1)
    x, weights = take_along_axis(x, order, axis=-1), take_along_axis(weights, order, axis=-1)
    sums = _core.gpuopt_cumulative_sum(weights, -1, "float64", 0)
    shares = sums / sums[..., -1:]
    without = _core.all(absent, axis=-1) if absent is not None and skip_nan else False
    if bool(_core.any(_core.isnan(shares[..., -1]) & _core.logical_not(without))):
        raise ValueError("Weights included NaN, inf or were all zero.")
    shares = _convert.astype(shares, q.dtype) if q.dtype.kind == "f" else shares
    shares = _core.where(shares == 0, -1, shares)
    below = shares < q.reshape(q.shape + (1,) * x.ndim)
    at = _core.minimum(_core.sum(below, axis=-1), x.shape[-1] - 1)
    flat = at.reshape((-1, *x.shape[:-1], 1))
    lines = _core.gpuopt_broadcast_to(x, x.ndim + 1, (flat.shape[0], *x.shape))
    result = take_along_axis(lines, flat, axis=-1).reshape(at.shape)
    if absent is None:
        return result
    return _core.where(without if skip_nan else _core.isnan(x[..., -1]), float("nan"), result)
