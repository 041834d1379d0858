# bindings/python/gpuopt/_optional.py -- programs for NumPy or gpuopt: which module to use, and which one an array
# belongs to.
import os

from . import _core, _device

_DEVICES = {"cupy": "cuda", "cuda": "cuda", "gpuopt": None}


def array_module(xp=None):
    """The module to make arrays with: numpy, or gpuopt on the device asked for.

    xp is a module, or "numpy", "cupy" (gpuopt on a GPU, if one works), "gpuopt", or a request as gpuopt.Device takes
    it ("cuda:1", "cuda!", "auto"). Without one the environment's ARRAY_MODULE counts, read at each call, and else it is
    numpy. A GPU that does not work is one warning through logging, and the CPU.

    >>> gp.array_module("numpy").__name__
    'numpy'
    """
    if xp is None:
        xp = os.environ.get("ARRAY_MODULE") or "numpy"
    if not isinstance(xp, str):
        return xp
    if xp == "numpy":
        import numpy

        return numpy
    import gpuopt

    try:
        device = _device.Device(_DEVICES.get(xp, xp)) if xp != "gpuopt" else None
    except ValueError as error:
        raise ValueError(f"Don't know ARRAY_MODULE {xp!r}") from error
    if device is not None:
        device.use()
    return gpuopt


def get_array_module(*args):
    """gpuopt, if one of the arguments is an array of it, else numpy.

    >>> gp.get_array_module(gp.zeros(2)).__name__
    'gpuopt'
    """
    if any(isinstance(a, _core.ndarray) for a in args):
        import gpuopt

        return gpuopt
    import numpy

    return numpy
