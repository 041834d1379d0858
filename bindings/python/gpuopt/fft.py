# bindings/python/gpuopt/fft.py -- discrete Fourier transforms.
"""Discrete Fourier transforms, as numpy.fft and the array API standard have them."""

import operator

from . import _core
from ._manipulation import roll

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _along(function, x, n, axis, norm):
    return function(x, None if n is None else (operator.index(n),), operator.index(axis), _norm(norm))


def _along_axes(function, x, s, axes, norm):
    """With sizes and no axes: the last ones. None among sizes: all elements."""
    s = None if s is None else tuple(-1 if n is None else operator.index(n) for n in s)
    axes = None if axes is None else tuple(operator.index(axis) for axis in axes)
    if s is not None and axes is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return function(x, len(s if s is not None else axes or ()), s, axes, _norm(norm))


def _norm(norm):
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _NORMS[norm]


def fft(x, /, n=None, axis=-1, norm="backward"):
    """The transform along an axis.

    >>> gp.fft.fft(gp.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _along(_core.gpuopt_fft, x, n, axis, norm)


def ifft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse transform along an axis.

    >>> gp.fft.ifft(gp.array([4.0 + 0j, 0j, 0j, 0j]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _along(_core.gpuopt_ifft, x, n, axis, norm)


def rfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform of real numbers along an axis.

    >>> gp.fft.rfft(gp.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _along(_core.gpuopt_rfft, x, n, axis, norm)


def irfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of rfft.

    >>> gp.fft.irfft(gp.array([4.0 + 0j, 0j, 0j]))
    array([1., 1., 1., 1.])
    """
    return _along(_core.gpuopt_irfft, x, n, axis, norm)


def hfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform of a signal with Hermitian symmetry.

    >>> gp.fft.hfft(gp.array([1.0 + 0j, 0j]))
    array([1., 1.])
    """
    return _along(_core.gpuopt_hfft, x, n, axis, norm)


def ihfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of hfft.

    >>> gp.fft.ihfft(gp.array([2.0, 0.0]))
    array([1.-0.j, 1.-0.j])
    """
    return _along(_core.gpuopt_ihfft, x, n, axis, norm)


def fftn(x, /, s=None, axes=None, norm="backward"):
    """The transform along several axes.

    >>> gp.fft.fftn(gp.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _along_axes(_core.gpuopt_fftn, x, s, axes, norm)


def ifftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse transform along several axes.

    >>> gp.fft.ifftn(gp.array([[4.0 + 0j, 0j], [0j, 0j]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _along_axes(_core.gpuopt_ifftn, x, s, axes, norm)


def rfftn(x, /, s=None, axes=None, norm="backward"):
    """The transform of real numbers along several axes.

    >>> gp.fft.rfftn(gp.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _along_axes(_core.gpuopt_rfftn, x, s, axes, norm)


def irfftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of rfftn.

    >>> gp.fft.irfftn(gp.array([[4.0 + 0j, 0j], [0j, 0j]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return _along_axes(_core.gpuopt_irfftn, x, s, axes, norm)


def fft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The transform along two axes.

    >>> gp.fft.fft2(gp.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _along_axes(_core.gpuopt_fftn, x, s, axes, norm)


def ifft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The inverse transform along two axes.

    >>> gp.fft.ifft2(gp.array([[4.0 + 0j, 0j], [0j, 0j]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _along_axes(_core.gpuopt_ifftn, x, s, axes, norm)


def rfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The transform of real numbers along two axes.

    >>> gp.fft.rfft2(gp.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return rfftn(x, s, axes, norm)


def irfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The inverse of rfft2.

    >>> gp.fft.irfft2(gp.array([[4.0 + 0j, 0j], [0j, 0j]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return irfftn(x, s, axes, norm)


def fftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of fft's results.

    >>> gp.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    positive = _core.gpuopt_arange(device, "float64", 0, (n - 1) // 2 + 1, 1)
    negative = _core.gpuopt_arange(device, "float64", -(n // 2), 0, 1)
    from ._manipulation import concat

    result = concat([positive, negative]) / (n * d)
    return result if dtype is None else result.astype(dtype)


def rfftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of rfft's results.

    >>> gp.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    result = _core.gpuopt_arange(device, "float64", 0, n // 2 + 1, 1) / (n * d)
    return result if dtype is None else result.astype(dtype)


def _shifted(x, axes, sign):
    axes = tuple(range(x.ndim)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    halves = [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes]
    return roll(x, tuple(halves), tuple(axes))


def fftshift(x, /, axes=None):
    """Frequency zero moved into the middle.

    >>> gp.fft.fftshift(gp.array([0, 1, -2, -1]))
    array([-2, -1,  0,  1])
    """
    return _shifted(x, axes, 1)


def ifftshift(x, /, axes=None):
    """The inverse of fftshift.

    >>> gp.fft.ifftshift(gp.array([-2, -1, 0, 1]))
    array([ 0,  1, -2, -1])
    """
    return _shifted(x, axes, -1)
