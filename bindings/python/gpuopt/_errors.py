# bindings/python/gpuopt/_errors.py -- exceptions that Python does not have.
"""Exceptions of gpuopt.

Errors are Python's own classes, and NumPy's AxisError and LinAlgError, wherever one says what happened. Each that
comes from the
library has the attributes ``code`` ("GPUOPT_ERR_SHAPE"), ``reason`` ("DRIVER_MISSING", "NONE") and ``backend_code``.
"""


class Unavailable(RuntimeError):
    """The backend or the compiler that was asked for cannot work here; ``reason`` says why."""


class CompileError(RuntimeError):
    """The text of a kernel does not compile; the message has what the compiler says."""


class CommError(RuntimeError):
    """Another process of the group failed, did not answer in time, or made a different call."""


class DeviceError(RuntimeError):
    """A device failed or is gone, or the library has a defect; ``code`` says which."""


def axis_error(axis, ndim):
    import numpy

    return getattr(numpy, "exceptions", numpy).AxisError(axis, ndim)  # NumPy 1.24 has no module for them
