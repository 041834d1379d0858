# bindings/python/gpuopt/_dtypes.py -- dtypes are numpy.dtype, bfloat16 that of ml_dtypes.
"""x.dtype is a numpy.dtype. What names a dtype is what NumPy takes, and the names of the library's own table."""

NAMES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
# Other names of them.
ALIASES = {
    "bool_": "bool",
    "boolean": "bool",
    "int_": "int64",
    "intp": "int64",
    "uintp": "uint64",
    "intc": "int32",
    "uintc": "uint32",
    "float_": "float64",
    "double": "float64",
    "single": "float32",
    "half": "float16",
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "uint": "uint64",
    "longlong": "int64",
    "ulonglong": "uint64",
    "csingle": "complex64",
    "cdouble": "complex128",
}
# What elements of NumPy's other kinds of dtypes are.
_OTHERS = {"U": "texts", "S": "texts", "T": "texts", "M": "dates", "m": "times", "O": "objects", "V": "records"}


def scalar_type(name):
    """NumPy's class of the elements of a dtype."""
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    import numpy

    return getattr(numpy, {"bool": "bool_"}.get(name, name))


def make(name):
    """The numpy.dtype of this name."""
    import numpy

    return numpy.dtype(scalar_type(name))


def name(value):
    """The name of the dtype that `value` means. TypeError if the library has none such."""
    if isinstance(value, str) and value in NAMES:
        return value
    import numpy

    found = numpy.dtype(value).newbyteorder("=").name
    if found not in NAMES:
        others = _OTHERS.get(numpy.dtype(value).kind)
        why = f": arrays of {others} are NumPy's alone, those of gpuopt have numbers" if others else ""
        raise TypeError(f"Unsupported dtype {numpy.dtype(value)}{why}")
    return found


def of(value):
    """The numpy.dtype that `value` means: an array's, a dtype, a name; None for None."""
    return None if value is None else make(name(value))
