# bindings/python/gpuopt/_statistics.py -- averages, quantiles, covariances, differences and integrals.
from . import _convert, _core
from ._manipulation import _array

ndarray = _core.ndarray

# The numbers of gpuopt_quantile_method.
_METHODS = (
    "linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf closest_observation "
    "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased"
).split()


def _options(axis, keepdims):
    """Axes and keepdims as the library takes them."""
    axes = axis if axis is None or isinstance(axis, (tuple, list)) else (axis,)
    return axes, bool(keepdims)


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median along axes; NaN where an element is NaN.

    >>> gp.median([1.0, 3.0, 10.0])
    array(3.)
    """
    return _stored(_core.gpuopt_median(_array(a), _options(axis, keepdims)), out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median along axes of the elements that are not NaN.

    >>> gp.nanmedian([1.0, gp.nan, 3.0])
    array(2.)
    """
    return _stored(_core.gpuopt_nanmedian(_array(a), _options(axis, keepdims)), out)


def _quantiles(function, a, q, axis, out, method, keepdims, weights):
    if method not in _METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_METHODS}")
    a = _array(a)
    q = q if isinstance(q, (int, float)) else _convert.asarray(q, device=a.device)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        weighted = getattr(_core, f"{function.__name__}_weighted")
        weights = _convert.asarray(weights, device=a.device)
        return _stored(weighted(a, q, weights, _options(axis, keepdims)), out)
    return _stored(function(a, q, _METHODS.index(method), _options(axis, keepdims)), out)


def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Quantiles along axes, of q from 0 to 1.

    >>> gp.quantile([0.0, 10.0], 0.25)
    array(2.5)
    """
    return _quantiles(_core.gpuopt_quantile, a, q, axis, out, method, keepdims, weights)


def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Quantiles along axes of the elements that are not NaN, of q from 0 to 1.

    >>> gp.nanquantile([1.0, gp.nan, 3.0], 0.5)
    array(2.)
    """
    return _quantiles(_core.gpuopt_nanquantile, a, q, axis, out, method, keepdims, weights)


def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Percentiles along axes, of q from 0 to 100.

    >>> gp.percentile([0.0, 10.0], 25)
    array(2.5)
    """
    return _quantiles(_core.gpuopt_percentile, a, q, axis, out, method, keepdims, weights)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Percentiles along axes of the elements that are not NaN, of q from 0 to 100.

    >>> gp.nanpercentile([1.0, gp.nan, 3.0], 50)
    array(2.)
    """
    return _quantiles(_core.gpuopt_nanpercentile, a, q, axis, out, method, keepdims, weights)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean, each element counted by its weight. ZeroDivisionError if the weights sum to zero.

    >>> gp.average([1.0, 2.0], weights=[3.0, 1.0])
    array(1.25)
    """
    a = _array(a)
    weights = None if weights is None else _convert.asarray(weights, device=a.device)
    try:
        both = _core.gpuopt_average(a, weights, _options(axis, keepdims))
    except ValueError as error:
        if "sum to zero" in str(error):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized") from None
        raise
    return both if returned else both[0]


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables: the rows, or columns, of m and y.

    >>> gp.cov([[1.0, 3.0], [2.0, 6.0]])
    array([[2., 4.],
           [4., 8.]])
    """
    m = _array(m) if dtype is None else _convert.astype(_array(m), dtype)
    others = [None if x is None else _convert.asarray(x, device=m.device) for x in (y, fweights, aweights)]
    ddof = (0 if bias else 1) if ddof is None else ddof
    result = _core.gpuopt_cov(m, others[0], (others[1], others[2], not rowvar, 1.0 - ddof))
    return result if dtype is None else _convert.astype(result, dtype, copy=False)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlation coefficients of variables: the rows, or columns, of x and y.

    >>> gp.corrcoef([[1.0, 2.0], [2.0, 4.0]]).round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    x = _array(x) if dtype is None else _convert.astype(_array(x), dtype)
    y = None if y is None else _convert.asarray(y, device=x.device)
    result = _core.gpuopt_corrcoef(x, y, int(not rowvar))
    return result if dtype is None else _convert.astype(result, dtype, copy=False)


def ptp(a, axis=None, out=None, keepdims=False):
    """The range from the least to the greatest element.

    >>> gp.ptp([1, 7, 3])
    array(6)
    """
    result = _core.gpuopt_ptp(_array(a), _options(axis, keepdims))
    if out is None:
        return result
    out[...] = result
    return out


def diff(x, /, *args, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along an axis, n times.

    >>> gp.diff(gp.array([1, 4, 9]))
    array([3, 5])
    """
    n = args[0] if args else n
    axis = args[1] if len(args) > 1 else axis
    x = _array(x)
    prepend, append = (None if end is None else _convert.asarray(end, device=x.device) for end in (prepend, append))
    return _core.gpuopt_diff(x, n, axis, prepend, append)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule.

    >>> gp.trapezoid([1.0, 2.0, 3.0])
    array(4.)
    """
    y = _array(y)
    return _core.gpuopt_trapezoid(y, None if x is None else _convert.asarray(x, device=y.device), dx, axis)
