# bindings/python/gpuopt/_convert.py -- arrays of what is none: Python's numbers and lists, NumPy's arrays, other
# libraries'.
from . import _core, _device, _dtypes

ndarray = _core.ndarray
_SCALARS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_NEVER, _ALWAYS, _IF_NEEDED = 2, 1, 0


def copy_code(copy):
    """None, True and False as the library's numbers."""
    return _IF_NEEDED if copy is None else _ALWAYS if copy else _NEVER


def _is_numpy(value):
    return type(value).__module__.partition(".")[0] in ("numpy", "ml_dtypes")


def operand(value, beside, function):
    """`value` as an operand beside an array: an array, a Python number, or NotImplemented.

    The extension calls this for what is neither an array nor a number of Python's own classes. `function`: what has
    __dlpack__ counts, too.
    """
    if _is_numpy(value) and hasattr(value, "dtype"):
        return _numpy_operand(value, None if beside is None or not isinstance(beside, ndarray) else beside.device)
    for kind in (int, float, complex):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, (list, tuple)) or (function and hasattr(value, "__dlpack__")):
        return asarray(value, device=None if beside is None else beside.device)
    return NotImplemented


def _numpy_operand(value, device) -> ndarray:
    if value.ndim and not (device or _device.current()).host_memory:
        raise TypeError(f"Unsupported type {type(value)}")
    return from_numpy(value, device)


def from_numpy(value, device=None, dtype=None) -> ndarray:
    """A copy of a NumPy array or scalar on a device."""
    import numpy

    value = numpy.asarray(value)
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    address = value.__array_interface__["data"][0]
    result = _core.from_host(device, address, value.dtype, value.ndim, value.shape, value.strides)
    return result if dtype is None else astype(result, dtype, copy=False)


def astype(x, dtype, /, *, copy=True, device=None) -> ndarray:
    """x converted to a dtype; x itself, if it has that dtype and copy is False.

    >>> gp.astype(gp.array([1.5, 2.5]), "int64")
    array([1, 2])
    """
    if not copy and device is None and isinstance(x, ndarray) and x.dtype == _dtypes.of(dtype):
        return x
    result = _core.gpuopt_astype(x, dtype, _ALWAYS if copy else _IF_NEEDED)
    return result if device is None else to_device(result, device)


def to_device(x, device, /, *, stream=None, copy=None) -> ndarray:
    """x on another device; x itself if it is there."""
    return _core.gpuopt_to_device(x, device, copy_code(copy))


def _of_array(x, dtype, device, copy) -> ndarray:
    device = x.device if device is None else _device.Device(device)
    dtype = x.dtype if dtype is None else _dtypes.of(dtype)
    if x.device is device and x.dtype == dtype:
        return _core.gpuopt_copy_array(x) if copy else x
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    x = x if x.device is device else to_device(x, device)
    return x if x.dtype == dtype else astype(x, dtype)


def _of_number(value, dtype, device) -> ndarray:
    kind = next(k for k in _SCALARS if isinstance(value, k))
    value = kind(value)
    if dtype is None:
        dtype = "uint64" if kind is int and value >= 2**63 else _SCALARS[kind]
    elif kind is complex and _dtypes.of(dtype).kind != "c":
        raise TypeError("a complex number cannot be converted to a real dtype")
    return _core.gpuopt_full(device, dtype, 0, (), value)


def _has_array(values):
    return any(isinstance(v, ndarray) or (isinstance(v, (list, tuple)) and _has_array(v)) for v in values)


def _of_sequence(values, dtype, device) -> ndarray:
    """Nested lists: NumPy reads them, but for those with arrays of a device in them."""
    import numpy

    if _has_array(values):
        from ._manipulation import stack

        parts = [asarray(v, dtype=dtype, device=device) for v in values]
        return stack(parts) if device is None else to_device(stack(parts), device)
    given = numpy.array(values, dtype=None if dtype is None else _dtypes.of(dtype))
    if given.dtype.kind not in "biufc" and given.dtype.name != "bfloat16":
        _dtypes.name(given.dtype)  # which raises for these
    return from_numpy(given, device)


def asarray(obj, dtype=None, order=None, *, device=None, copy=None, like=None) -> ndarray:
    """An array of anything that is one: an array, a number, nested lists, NumPy's arrays, what has __dlpack__ or
    a buffer.

    An array that is already of the dtype and on the device is returned as it is, unless copy is True. Memory of
    others is copied; with copy=False it is shared, where the device can use it, and ValueError where it cannot.

    >>> gp.asanyarray([1, 2, 3])
    array([1, 2, 3])
    """
    if isinstance(obj, ndarray):
        return _of_array(obj, dtype, device, copy)
    if copy is False:
        return _shared(obj, dtype, device)
    if _is_numpy(obj) and hasattr(obj, "dtype"):
        return from_numpy(obj, device, dtype)
    if isinstance(obj, (bool, int, float, complex)):
        return _of_number(obj, dtype, device)
    if isinstance(obj, (list, tuple, range)):
        return _of_sequence(obj, dtype, device)
    if hasattr(obj, "__dlpack__"):
        from ._protocols import from_dlpack

        return _of_array(from_dlpack(obj, device=device, copy=True), dtype, device, None)
    return _of_buffer(obj, dtype, device)


def _of_buffer(obj, dtype, device) -> ndarray:
    import numpy

    value = numpy.asarray(obj)
    if value.dtype.kind not in "biufc":
        raise TypeError(f"Unsupported type {type(obj)}")
    return from_numpy(value, device, dtype)


def _shared(obj, dtype, device) -> ndarray:
    from ._protocols import from_dlpack

    if isinstance(obj, (bool, int, float, complex, list, tuple)):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if not hasattr(obj, "__dlpack__"):
        import numpy

        obj = numpy.asarray(memoryview(obj))
    try:
        return _of_array(from_dlpack(obj, device=device, copy=False), dtype, device, False)
    except BufferError as error:
        raise ValueError(str(error)) from error


def array(object, dtype=None, *, copy=True, order="K", ndmin=0, device=None) -> ndarray:
    """As asarray, and always a new array.

    >>> gp.array([[1, 2], [3, 4]], dtype="float32")
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    result = asarray(object, dtype, device=device, copy=copy or None)
    while result.ndim < ndmin:
        result = result[None]
    return result


asanyarray = asarray
ascontiguousarray = asarray


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array of a's elements, in host memory: a copy of an array of gpuopt, and NumPy's own arrays as they
    are.

    >>> gp.asnumpy(gp.arange(3))
    array([0, 1, 2])
    """
    import numpy

    if not isinstance(a, ndarray):
        return numpy.asarray(a)
    result = numpy.empty(a.shape, a.dtype) if out is None else out
    if not result.flags.c_contiguous or result.dtype != a.dtype or result.shape != a.shape:
        result[...] = asnumpy(a)
        return result
    a._to_host(result.__array_interface__["data"][0], a.nbytes)
    return result
