# bindings/python/gpuopt/_protocols.py -- arrays among those of others: NumPy's protocols, DLPack, pickle, copy.

import sys

from . import _convert, _core, _device

ndarray = _core.ndarray

# ---- NumPy's functions and ufuncs
# ----------------------------------------------------------------------------------------

# NumPy's names of ufuncs that have another here.
_UFUNCS = {
    "power": "pow",
    "absolute": "abs",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "true_divide": "divide",
    "mod": "remainder",
}
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


_RUNNING = {"add": "cumsum", "multiply": "cumprod"}


def _refuse_numpy(values):
    """Arrays of NumPy's are no operands beside those in a device's memory, as in CuPy."""
    on_device = any(isinstance(v, ndarray) and not v.device.host_memory for v in values)
    for value in values:
        if on_device and type(value).__module__ == "numpy" and getattr(value, "ndim", 0) > 0:
            raise TypeError(f"Unsupported type {type(value)}")


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    import gpuopt

    _refuse_numpy(inputs)
    out = kwargs.pop("out", None)
    if out is not None and not all(isinstance(o, ndarray) or (o is None and len(out) > 1) for o in out):
        return NotImplemented
    name = ufunc.__name__
    named = getattr(gpuopt, _UFUNCS.get(name, name), None)
    if method == "__call__":
        function = named
    elif method == "reduce" and name in _REDUCTIONS:
        function = getattr(gpuopt, _REDUCTIONS[name])
        kwargs.setdefault("axis", 0)
    elif method == "accumulate" and name in _RUNNING:
        function = getattr(gpuopt, _RUNNING[name])
        kwargs.setdefault("axis", 0)
    elif method == "at" and name in _core.accumulating and isinstance(inputs[0], ndarray):
        function = getattr(gpuopt, f"{name}_at")
    elif method == "reduceat" and name in _REDUCTIONS:
        function = _reduceat(name)
    elif method == "outer":
        function = _outer(named)
    elif method in ("reduce", "accumulate") and ufunc.nin == 2 and ufunc.nout == 1 and named is not None:
        from ._ufunc_methods import accumulate_by, reduce_by

        function = (reduce_by if method == "reduce" else accumulate_by)(ufunc, named)
    else:
        return NotImplemented
    if function is None:
        return NotImplemented
    if out is None:
        return function(*inputs, **kwargs)
    if ufunc.nout > 1:
        from ._ufunc_methods import store_all

        return store_all(function(*inputs, **kwargs), out)
    return function(*inputs, out=out[0], **kwargs)


def _outer(function):
    def outer(a, b):
        a, b = _convert.asarray(a), _convert.asarray(b)
        return function(a.reshape(a.shape + (1,) * b.ndim), b)

    return None if function is None else outer


def _reduceat(name):
    import gpuopt

    reduction = getattr(gpuopt, _REDUCTIONS[name])

    def reduceat(a, indices, axis=0, dtype=None, out=None):
        a = _convert.asarray(a)
        axis = axis + a.ndim if axis < 0 else axis
        starts, size = _convert.asnumpy(_convert.asarray(indices)).tolist(), a.shape[axis]
        for start in starts:
            if not 0 <= start < size:
                raise IndexError(f"index {start} out-of-bounds in {name}.reduceat [0, {size})")
        if not starts:
            parts = [reduction(a, axis=axis, keepdims=True)[(slice(None),) * axis + (slice(0),)]]
        else:  # a part that ends before it begins is its first element
            ends = [max(start + 1, end) for start, end in zip(starts, starts[1:] + [size])]
            pieces = [a[(slice(None),) * axis + (slice(*ends),)] for ends in zip(starts, ends)]
            parts = [reduction(piece, axis=axis, keepdims=True) for piece in pieces]
        result = gpuopt.concat(parts, axis=axis)
        result = result if dtype is None else result.astype(dtype)
        if out is None:
            return result
        out[...] = result
        return out

    return reduceat


def array_function(self, func, types, args, kwargs):
    import gpuopt

    if not all(issubclass(t, ndarray) or t.__module__ == "numpy" for t in types):
        return NotImplemented
    _refuse_numpy(args)
    home = gpuopt
    for part in func.__module__.split(".")[1:]:
        home = getattr(home, part, home) if part in ("linalg", "fft") else home
    function = getattr(home, func.__name__, None)
    return NotImplemented if function is None else function(*args, **kwargs)


def to_numpy_array(self, dtype=None, copy=None):
    """np.asarray(x): the host's memory itself, where the array is there; arrays of a device are not copied
    without being asked."""
    import numpy

    if not self.device.host_memory:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )
    if copy or self.dtype.name == "bfloat16":
        value = _convert.asnumpy(self)
    else:
        value = numpy.asarray(memoryview(self))
    return value if dtype is None else value.astype(dtype, copy=False)


_HOST, _CUDA = 1, 2  # types of devices as DLPack numbers them


def _interface(self, kind, name):
    """What both interfaces say of an array in the memory of one kind of device; others do not have the attribute."""
    if (self.device.backend == "cuda") != (kind == _CUDA) or self.dtype.name == "bfloat16":
        raise AttributeError(f"{name}: the array is not such a one")
    address, read_only, found = self._window()
    if found != kind:
        raise AttributeError(f"{name}: the array is in the memory of another kind of device")
    strides = None if self._contiguous else self.strides
    return {
        "version": 3,
        "shape": self.shape,
        "typestr": self.dtype.str,
        "data": (address, read_only),
        "strides": strides,
    }


def array_interface(self):
    """NumPy's description of an array in host memory."""
    return _interface(self, _HOST, "__array_interface__")


def cuda_array_interface(self):
    """Numba's and CuPy's description of an array in a GPU's memory. The device has done its work when this returns."""
    return _interface(self, _CUDA, "__cuda_array_interface__") | {"stream": None}


def array_namespace(self, /, *, api_version=None):
    """The namespace of the array API standard: gpuopt."""
    import gpuopt

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"the array API of version {api_version} is not known")
    return gpuopt


# ---- DLPack
# --------------------------------------------------------------------------------------------------------------


def _host_access(x):
    """Whether the host can use the array's memory in place: its own, or managed memory of a GPU."""
    return bool(x.device.attribute("host_access"))


def dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule of DLPack with the array's memory, or with a copy."""
    to_host = 0
    if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
        in_place = dl_device[0] == _HOST and not copy and _host_access(self)
        if dl_device[0] != _HOST or copy is False and not in_place:
            raise BufferError(f"the array cannot be exported to the device {tuple(dl_device)} without a copy")
        if in_place:  # its users on the host know nothing of streams
            to_host, stream = 1, None
        else:
            self = _convert.to_device(self, "cpu")
    versioned = max_version is not None and max_version[0] >= 1
    if not versioned and self._read_only and not copy:
        raise BufferError("the array is read-only, which DLPack before version 1 cannot say")
    try:
        return self._dlpack(int(versioned), 0 if stream is None else stream, _convert.copy_code(copy), to_host)
    except ValueError as error:
        raise BufferError(str(error)) from error


def from_dlpack(x, /, *, device=None, copy=None):
    """An array of what has __dlpack__: of the same memory, where the device can use it and copy is not True.

    >>> gp.from_dlpack(gp.array([1, 2]))
    array([1, 2])
    """
    if isinstance(x, ndarray) and device is None and not copy:
        return x[...]
    device = _device_of(x) if device is None else _device.Device(device)
    # What leaves a device is copied by those whose memory it is.
    leaves = device.host_memory and hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == _CUDA
    if leaves and copy is False and not (isinstance(x, ndarray) and _host_access(x)):
        raise BufferError(f"the array cannot be exported to the device {(_HOST, 0)} without a copy")
    capsule = _capsule(x, copy, {"dl_device": (_HOST, 0)} if leaves else {})
    try:
        return _core.from_dlpack(device, capsule, _convert.copy_code(copy))
    except (ValueError, NotImplementedError) as error:
        raise BufferError(str(error)) from error


def _device_of(x):
    """The device whose memory x is in."""
    kind, number = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else (1, 0)
    if isinstance(x, ndarray):
        return x.device
    return _device.Device(f"cuda:{number}!") if kind in (2, 13) else _device.Device("cpu")


def _capsule(x, copy, options):
    if not hasattr(x, "__dlpack__"):
        if type(x).__name__ != "PyCapsule":
            raise TypeError(f"Unsupported type {type(x)}")
        return x
    options |= {} if x.__dlpack_device__()[0] == _HOST else {"stream": None}
    try:
        return x.__dlpack__(max_version=(1, 1), copy=copy or None, **options)
    except TypeError:
        options.pop("dl_device", None)
        return x.__dlpack__(**options)


# ---- pickle and copy
# -----------------------------------------------------------------------------------------------------


def rebuild(buffer, dtype, shape, device):
    """The array that was pickled: on a device as it was on, or, where there is none, on the CPU with the same
    numbers."""
    import numpy

    from ._dtypes import make

    if "dask" in sys.modules:
        from . import _dask

        _dask.register()
    return _convert.from_numpy(numpy.frombuffer(buffer, make(dtype)).reshape(shape), _device.Device(device))


def reduce_ex(self, protocol):
    from pickle import PickleBuffer

    data = _convert.asnumpy(self)
    buffer = (
        PickleBuffer(data.view("u1") if data.ndim else data.reshape(1).view("u1")) if protocol >= 5 else data.tobytes()
    )
    return rebuild, (buffer, self.dtype.name, self.shape, self.device.backend + f":{self.device.id}")


def copy_one(self):
    return _core.gpuopt_copy_array(self)


def deepcopy(self, memo):
    return _core.gpuopt_copy_array(self)


def dask_token(self):
    """What Dask names an array by: the first thing that it asks of one, and so where it is told of the type."""
    from . import _dask

    return _dask.token(self)


def html(self):
    """What a notebook shows."""
    from ._notebook import html_of

    return html_of(self)


def install(type):
    """Puts the protocols on the type."""
    type.__array_ufunc__, type.__array_function__, type.__array_priority__ = array_ufunc, array_function, 100
    type.__array__, type.__array_namespace__ = to_numpy_array, array_namespace
    type.__dlpack__ = dlpack
    type.__array_interface__ = property(array_interface)
    type.__cuda_array_interface__ = property(cuda_array_interface)
    type.__reduce_ex__, type.__copy__, type.__deepcopy__ = reduce_ex, copy_one, deepcopy
    type._repr_html_, type.__dask_tokenize__ = html, dask_token
