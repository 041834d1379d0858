# bindings/python/gpuopt/_namespace.py -- what the standard asks of a namespace beside its functions: dtypes, limits,
# inspection.
from . import _core, _device, _dtypes

ndarray = _core.ndarray
_DEFAULTS = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class Info:
    """What gpuopt.__array_namespace_info__() gives."""

    def capabilities(self):
        """What the namespace can do."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device on which this thread makes arrays."""
        return _device.current()

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays that are made without one."""
        return {kind: _dtypes.make(name) for kind, name in _DEFAULTS.items()}

    def devices(self):
        """The devices that are open and the CPU."""
        return tuple(dict.fromkeys([_device.current(), _device.Device("cpu")]))

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of a kind, or of several, by name."""
        kinds = [kind] if isinstance(kind, str) else list(kind or ("bool", "numeric"))
        return {name: _dtypes.make(name) for k in kinds for name in _KINDS[k]}


def __array_namespace_info__():
    """Capabilities, devices and dtypes, as the array API standard has them."""
    return Info()


def isdtype(dtype, kind):
    """Whether a dtype is of a kind ("integral", "real floating", ...), or is another dtype, or one of several of
    these.

    >>> gp.isdtype(gp.float32, "real floating")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    dtype = _dtypes.of(dtype)
    if isinstance(kind, str) and kind in ("bool", *_KINDS):
        extra = {"real floating": ("float16", "bfloat16"), "numeric": ("float16", "bfloat16")}.get(kind, ())
        return dtype.name in (*_KINDS[kind], *extra)
    return dtype == _dtypes.of(kind)


def result_type(*arrays_and_dtypes):
    """The dtype that arrays, dtypes and numbers promote to: numbers are weak.

    >>> gp.result_type(gp.array([1], dtype="int8"), 2.5)
    dtype('float64')
    """
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    arrays = [a if _is_operand(a) else _core.gpuopt_zeros("cpu", _dtype_of(a), 0, ()) for a in arrays_and_dtypes]
    return _dtypes.make(_dtypes.NAMES[_core.gpuopt_result_type(len(arrays), arrays) - 1])


def _is_operand(value):
    return isinstance(value, ndarray) or type(value) in (bool, int, float, complex)


def _dtype_of(value):
    """The dtype of NumPy's arrays and scalars, and of what names one."""
    return value if isinstance(value, type) or not hasattr(value, "dtype") else value.dtype


def promote_types(type1, type2):
    """The dtype that two dtypes promote to.

    >>> gp.promote_types("int32", "float32")
    dtype('float64')
    """
    return result_type(_dtypes.of(type1), _dtypes.of(type2))


def can_cast(from_, to, /, casting="safe"):
    """Whether a dtype, or an array's, can be cast to another: safely, or within its kind (same_kind), or at all
    (unsafe).

    >>> gp.can_cast("int32", "float64")
    True
    """
    source = _dtypes.of(from_.dtype if isinstance(from_, ndarray) else from_)
    if casting == "unsafe":
        return True
    if casting in ("no", "equiv"):
        return source == _dtypes.of(to)
    return bool(_core.gpuopt_can_cast(source, _dtypes.of(to), {"safe": 0, "same_kind": 1}[casting]))


class Finfo:
    """numpy.finfo, whose numbers are Python's floats, as the standard has it."""

    def __init__(self, dtype):
        import numpy

        self._numpy, self.dtype = numpy.finfo(dtype), numpy.finfo(dtype).dtype
        self.bits = self._numpy.bits
        for name in ("eps", "max", "min", "smallest_normal", "tiny", "resolution"):
            setattr(self, name, float(getattr(self._numpy, name)))

    def __getattr__(self, name):
        return getattr(self._numpy, name)

    def __repr__(self):
        return repr(self._numpy)


def finfo(dtype, /):
    """Limits of a floating dtype, of an array's or of the components of a complex one.

    >>> gp.finfo("float32").bits
    32
    """
    dtype = _dtypes.of(dtype.dtype if isinstance(dtype, ndarray) else dtype)
    if dtype.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(dtype)
    return Finfo(dtype)


def iinfo(dtype, /):
    """Limits of an integer dtype.

    >>> gp.iinfo("int16").max
    32767
    """
    import numpy

    return numpy.iinfo(_dtypes.of(dtype.dtype if isinstance(dtype, ndarray) else dtype))
