# bindings/python/gpuopt/fft.py -- discrete Fourier transforms.
"""Discrete Fourier transforms, as numpy.fft and the array API standard have them. Computed by NumPy on the host so
far."""

from . import _core
from ._host import _of
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

fft = _of("numpy.fft.fft", "The transform along an axis.")
ifft = _of("numpy.fft.ifft", "The inverse transform along an axis.")
fftn = _of("numpy.fft.fftn", "The transform along several axes.")
ifftn = _of("numpy.fft.ifftn", "The inverse transform along several axes.")
fft2 = _of("numpy.fft.fft2", "The transform along two axes.")
ifft2 = _of("numpy.fft.ifft2", "The inverse transform along two axes.")
rfft = _of("numpy.fft.rfft", "The transform of real numbers.")
irfft = _of("numpy.fft.irfft", "The inverse of rfft.")
rfftn = _of("numpy.fft.rfftn", "The transform of real numbers along several axes.")
irfftn = _of("numpy.fft.irfftn", "The inverse of rfftn.")
hfft = _of("numpy.fft.hfft", "The transform of a signal with Hermitian symmetry.")
ihfft = _of("numpy.fft.ihfft", "The inverse of hfft.")


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
