# bindings/python/gpuopt/fft.py -- discrete Fourier transforms.
"""Discrete Fourier transforms, as numpy.fft and the array API standard have them. Computed by NumPy on the host so
far."""

from . import _core
from ._host import call
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
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def fft(x, /, n=None, axis=-1, norm="backward"):
    """The transform along an axis."""
    return call("numpy.fft.fft", x, n, axis, norm)


def ifft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse transform along an axis."""
    return call("numpy.fft.ifft", x, n, axis, norm)


def rfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform of real numbers along an axis."""
    return call("numpy.fft.rfft", x, n, axis, norm)


def irfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of rfft."""
    return call("numpy.fft.irfft", x, n, axis, norm)


def hfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform of a signal with Hermitian symmetry."""
    return call("numpy.fft.hfft", x, n, axis, norm)


def ihfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of hfft."""
    return call("numpy.fft.ihfft", x, n, axis, norm)


def fftn(x, /, s=None, axes=None, norm="backward"):
    """The transform along several axes."""
    return call("numpy.fft.fftn", x, s, _all_axes(s, axes), norm)


def ifftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse transform along several axes."""
    return call("numpy.fft.ifftn", x, s, _all_axes(s, axes), norm)


def rfftn(x, /, s=None, axes=None, norm="backward"):
    """The transform of real numbers along several axes."""
    return call("numpy.fft.rfftn", x, s, _all_axes(s, axes), norm)


def irfftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of rfftn."""
    return call("numpy.fft.irfftn", x, s, _all_axes(s, axes), norm)


def fft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The transform along two axes."""
    return call("numpy.fft.fft2", x, s, axes, norm)


def ifft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """The inverse transform along two axes."""
    return call("numpy.fft.ifft2", x, s, axes, norm)


def _all_axes(s, axes):
    """With sizes and no axes: the last ones."""
    return tuple(range(-len(s), 0)) if axes is None and s is not None else axes


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of fft's results."""
    positive = _core.gpuopt_arange(device, "float64", 0, (n - 1) // 2 + 1, 1)
    negative = _core.gpuopt_arange(device, "float64", -(n // 2), 0, 1)
    from ._manipulation import concat

    result = concat([positive, negative]) / (n * d)
    return result if dtype is None else result.astype(dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of rfft's results."""
    result = _core.gpuopt_arange(device, "float64", 0, n // 2 + 1, 1) / (n * d)
    return result if dtype is None else result.astype(dtype)


def _shifted(x, axes, sign):
    axes = tuple(range(x.ndim)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    halves = [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes]
    return roll(x, tuple(halves), tuple(axes))


def fftshift(x, /, *, axes=None):
    """Frequency zero moved into the middle."""
    return _shifted(x, axes, 1)


def ifftshift(x, /, *, axes=None):
    """The inverse of fftshift."""
    return _shifted(x, axes, -1)
