# bindings/python/gpuopt/signal.py -- convolutions along all axes, as scipy.signal has them.
"""Convolutions and correlations of any number of dimensions, as scipy.signal has them."""

from . import _core
from ._manipulation import _array
from ._signal import _mode, _on

_METHODS = ("auto", "direct", "fft")  # the numbers of gpuopt_convolve_method


def _method(method):
    if method not in _METHODS:
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return _METHODS.index(method)


def convolve(in1, in2, mode="full", method="auto"):
    """The convolution along all axes; of mode "same" in the size of in1.

    >>> gp.signal.convolve(gp.array([1, 2, 3]), gp.array([1, 1]))
    array([1, 3, 5, 3])
    """
    in1 = _array(in1)
    return _core.gpuopt_convolve_nd(in1, _on(in1, in2), _mode(mode), _method(method))


def correlate(in1, in2, mode="full", method="auto"):
    """The cross-correlation along all axes; of mode "same" in the size of in1.

    >>> gp.signal.correlate(gp.array([1, 2, 3]), gp.array([0, 1]))
    array([1, 2, 3, 0])
    """
    in1 = _array(in1)
    return _core.gpuopt_correlate_nd(in1, _on(in1, in2), _mode(mode), _method(method))


def fftconvolve(in1, in2, mode="full"):
    """The convolution by Fourier transforms; of integers in float64.

    >>> gp.signal.fftconvolve(gp.array([1.0, 2.0]), gp.array([1.0, 1.0])).round(6)
    array([1., 3., 2.])
    """
    in1 = _array(in1)
    in2 = _on(in1, in2)
    if in1.dtype.kind in "biu" and in2.dtype.kind in "biu":
        from ._convert import astype

        in1 = astype(in1, "float64")
    return _core.gpuopt_convolve_nd(in1, in2, _mode(mode), _method("fft"))


def choose_conv_method(in1, in2, mode="full"):
    """"direct" or "fft", whichever is likely to take less time; integers only where "fft" is exact.

    >>> gp.signal.choose_conv_method(gp.zeros(8), gp.zeros(3))
    'direct'
    """
    in1 = _array(in1)
    return _METHODS[_core.gpuopt_choose_conv_method(in1, _on(in1, in2), _mode(mode))]
