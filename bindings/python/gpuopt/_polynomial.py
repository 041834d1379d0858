# bindings/python/gpuopt/_polynomial.py -- polynomials as arrays of coefficients, that of the highest power first.
from . import _convert, _core
from ._manipulation import _array


class RankWarning(RuntimeWarning):
    """A polynomial of least squares that is not the only one."""


def _beside(x, other):
    return _convert.asarray(other, device=x.device)


def _pair(p1, p2):
    p1 = _array(p1)
    return p1, _beside(p1, p2)


def polyval(p, x):
    """The polynomial with these coefficients at x.

    >>> gp.polyval([1, 2, 3], 2)
    array(11)
    """
    x = _array(x)
    return _core.gpuopt_polyval(_beside(x, p), x)


def polyadd(a1, a2):
    """The sum of two polynomials.

    >>> gp.polyadd([1, 2], [3, 4, 5])
    array([3, 5, 7])
    """
    return _core.gpuopt_polyadd(*_pair(a1, a2))


def polysub(a1, a2):
    """The difference of two polynomials.

    >>> gp.polysub([1, 2], [3])
    array([ 1, -1])
    """
    return _core.gpuopt_polysub(*_pair(a1, a2))


def polymul(a1, a2):
    """The product of two polynomials.

    >>> gp.polymul([1, 1], [1, -1])
    array([ 1,  0, -1])
    """
    return _core.gpuopt_polymul(*_pair(a1, a2))


def polydiv(u, v):
    """The quotient and the remainder of two polynomials.

    >>> gp.polydiv([1.0, 3.0, 2.0], [1.0, 1.0])
    (array([1., 2.]), array([0.]))
    """
    return _core.gpuopt_polydiv(*_pair(u, v))


def polyder(p, m=1):
    """The derivative of order m.

    >>> gp.polyder([1, 2, 3])
    array([2, 2])
    """
    return _core.gpuopt_polyder(_array(p), m)


def polyint(p, m=1, k=None):
    """The antiderivative of order m, with the constants k.

    >>> gp.polyint([2.0, 3.0])
    array([1., 3., 0.])
    """
    p = _array(p)
    return _core.gpuopt_polyint(p, m, None if k is None else _beside(p, k))


def roots(p):
    """The zeros of a polynomial; as NumPy's, real where all of them are.

    >>> gp.roots([1.0, -3.0, 2.0])
    array([2., 1.])
    """
    zeros = _core.gpuopt_roots(_array(p))
    return _core.real(zeros) if not bool(_core.any(_core.imag(zeros))) else zeros


def poly(seq_of_zeros):
    """The polynomial with these zeros, or the characteristic polynomial of a matrix.

    >>> gp.poly([1, 2])
    array([ 1., -3.,  2.])
    """
    return _core.gpuopt_poly(_array(seq_of_zeros))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree that is next to points in the sense of least squares.

    >>> gp.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(6)
    array([2., 1.])
    """
    import warnings

    x = _array(x)
    y, w = _beside(x, y), None if w is None else _beside(x, w)
    if cov and not full:
        return _core.gpuopt_polyfit_cov(x, y, deg, rcond, w, int(cov == "unscaled"))
    coefficients, residuals, rank, s = _core.gpuopt_polyfit(x, y, deg, rcond, w)
    if full:
        if rcond is None:
            kind = x.dtype if x.dtype.kind in "fc" else "float64"
            rcond = x.size * _epsilon(kind)
        return coefficients, residuals, rank, s, rcond
    if int(rank) != deg + 1:
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    return coefficients


def _epsilon(dtype):
    from ._namespace import finfo

    return float(finfo(dtype).eps)
