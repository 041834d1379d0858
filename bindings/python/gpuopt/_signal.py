# bindings/python/gpuopt/_signal.py -- gradients, interpolation, convolutions and phases.
from . import _convert, _core
from ._manipulation import _array

_MODES = ("full", "same", "valid")  # the numbers of gpuopt_convolve_mode


def _on(x, other):
    """The other operand on the device of x."""
    return _convert.asarray(other, device=x.device)


def _axes(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(one + ndim if one < 0 else one for one in axes)


def gradient(f, *varargs, axis=None, edge_order=1):
    """The derivative by differences of second order: an array, or a tuple with one for each axis.

    >>> gp.gradient([1.0, 2.0, 4.0, 7.0])
    array([1. , 1.5, 2.5, 3. ])
    """
    f = _array(f)
    axes = _axes(axis, f.ndim)
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    spacings = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    if len(varargs) == 1 and len(axes) != 1 and getattr(varargs[0], "ndim", 0) != 0:
        raise TypeError("invalid number of arguments")
    results = tuple(_along(f, spacing, one, edge_order) for spacing, one in zip(spacings, axes))
    return results[0] if len(results) == 1 else results


def _along(f, spacing, axis, edge_order):
    if isinstance(spacing, (int, float)) or getattr(spacing, "ndim", 1) == 0:
        return _core.gpuopt_gradient(f, None, float(spacing), axis, edge_order)
    return _core.gpuopt_gradient(f, _on(f, spacing), 1.0, axis, edge_order)


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at x of the piecewise linear function through the points (xp, fp).

    >>> gp.interp([0.5, 1.5], [0.0, 1.0, 2.0], [0.0, 10.0, 20.0])
    array([ 5., 15.])
    """
    x = _array(x)
    return _core.gpuopt_interp(x, _on(x, xp), _on(x, fp), left, right, period)


def _mode(mode):
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return _MODES.index(mode)


def convolve(a, v, mode="full"):
    """The convolution of arrays of one dimension.

    >>> gp.convolve([1, 2, 3], [1, 1])
    array([1, 3, 5, 3])
    """
    a = _array(a)
    v = _on(a, v)
    return _core.gpuopt_convolve(_at_least_1d(a), _at_least_1d(v), _mode(mode))


def correlate(a, v, mode="valid"):
    """The cross-correlation of arrays of one dimension.

    >>> gp.correlate([1, 2, 3], [0, 1])
    array([2, 3])
    """
    a = _array(a)
    v = _on(a, v)
    return _core.gpuopt_correlate(_at_least_1d(a), _at_least_1d(v), _mode(mode))


def _at_least_1d(x):
    return x if x.ndim else x.reshape(1)


def unwrap(p, discont=None, axis=-1, *, period=None):
    """Phases without jumps along an axis. `period` None: 2 pi; `discont` None: half of the period.

    >>> gp.unwrap([0.0, 90.0, 350.0], period=360.0)
    array([  0.,  90., -10.])
    """
    if period is not None and period <= 0:
        raise ValueError("unwrap: the period is not positive and finite")
    return _core.gpuopt_unwrap(_array(p), 0.0 if discont is None else discont, period or 0.0, axis)


def _scan(function, a, axis, dtype, out):
    a = _array(a)
    flat = a.reshape(-1) if axis is None else a
    result = function(flat, 0 if axis is None else axis, dtype)
    if out is None:
        return result
    out[...] = result
    return out


def nancumsum(a, axis=None, dtype=None, out=None):
    """The running sum, where NaN counts as 0; of the flattened array without an axis.

    >>> gp.nancumsum([2.0, gp.nan, 3.0])
    array([2., 2., 5.])
    """
    return _scan(_core.gpuopt_nancumsum, a, axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The running product, where NaN counts as 1; of the flattened array without an axis.

    >>> gp.nancumprod([2.0, gp.nan, 3.0])
    array([2., 2., 6.])
    """
    return _scan(_core.gpuopt_nancumprod, a, axis, dtype, out)
