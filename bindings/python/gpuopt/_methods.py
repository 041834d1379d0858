# bindings/python/gpuopt/_methods.py -- methods and attributes of arrays that are made of functions; they are put on
# the type here.
from . import (
    _convert,
    _core,
    _functions,
    _indexing,
    _manipulation,
    _memory,
    _protocols,
    _reductions,
    _selection,
    _sorting,
    _statistics,
    linalg,
)
from ._creation import as_shape

ndarray = _core.ndarray


def _shape_of(arguments):
    return as_shape(arguments[0] if len(arguments) == 1 else arguments)


def reshape(self, *shape, order="C", copy=None):
    """The elements in another shape, in C order; one size may be -1. A view where that is possible."""
    return _manipulation.reshape(self, _shape_of(shape), order, copy=copy)


def transpose(self, *axes):
    """A view with the dimensions in another order, or reversed."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        axes = axes[0]
    return _manipulation.transpose(self, axes or None)


def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True, *, device=None):
    """The elements converted to a dtype; TypeError if `casting` does not allow that."""
    if casting != "unsafe":
        _manipulation._check_casts([self], dtype, casting)
    return _convert.astype(self, dtype, copy=copy, device=device)


def copy(self, order="C"):
    """A copy of the array; order="F": with the elements of the first axis side by side."""
    if order == "F" or (order == "A" and _memory.isfortran(self)):
        return _core.gpuopt_copy_array(self.T).T
    return _core.gpuopt_copy_array(self)


def flatten(self, order="C"):
    """A copy of the elements as one dimension."""
    return _core.gpuopt_copy_array(_manipulation.ravel(self, order))


def fill(self, value):
    """Writes a value to all elements."""
    self[...] = value


def item(self, *args):
    """One element as a number of Python's: the only one, or that at a position or an index."""
    if not args:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return _core.gpuopt_array_item(self, (0,) * self.ndim)
    index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if len(index) == 1 and self.ndim != 1:
        return self.reshape(-1).item(*index)
    return _core.gpuopt_array_item(self, index)


def tolist(self):
    """The elements as nested lists of Python's numbers."""
    return _convert.asnumpy(self).tolist()


def tobytes(self, order="C"):
    """The bytes of the elements, in C order."""
    return _convert.asnumpy(self).tobytes(order)


def get(self, stream=None, order="C", out=None, blocking=True):
    """A NumPy array of the elements: as asnumpy."""
    return _convert.asnumpy(self, out=out)


def set(self, arr, stream=None):
    """Writes the elements of a NumPy array."""
    self[...] = _convert.asarray(arr, device=self.device)


def clip(self, min=None, max=None, out=None):
    """The elements held between bounds."""
    return _functions.clip(self, min, max, out)


def sort(self, axis=-1, kind=None):
    """Sorts the array in place."""
    self[...] = _sorting.sort(self, axis=axis)


def partition(self, kth, axis=-1, kind="introselect", order=None):
    """Parts the array in place at one element, or several, that come to their sorted places."""
    self[...] = _sorting.partition(self, kth, axis)


def diagonal(self, offset=0, axis1=0, axis2=1):
    """The diagonal of the planes of two axes."""
    return _manipulation.diagonal(self, offset, axis1, axis2)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    return _functions.trace(self, offset, axis1, axis2, dtype, out)


def swapaxes(self, axis1, axis2):
    """A view with two dimensions swapped."""
    return _manipulation.swapaxes(self, axis1, axis2)


def take(self, indices, axis=None, out=None, mode="raise"):
    """Elements at indices along an axis."""
    return _functions.take(self, indices, axis, out, mode)


def to_device(self, device, /, *, stream=None):
    """The array on another device; itself, if it is there."""
    return _convert.to_device(self, device)


def cumsum(self, axis=None, dtype=None, out=None):
    """The running sum along an axis, or of the flattened array."""
    return _reductions.cumsum(self, axis, dtype, out)


def cumprod(self, axis=None, dtype=None, out=None):
    """The running product along an axis, or of the flattened array."""
    return _reductions.cumprod(self, axis, dtype, out)


def _first(function, name, doc):
    """A method of a function's first argument."""

    def method(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, doc
    return method


def _component(self, at):
    """A view of the real (0) or imaginary (1) components of complex numbers."""
    pairs = _core.gpuopt_view_dtype(self[..., None], f"float{4 * self.itemsize}")
    return pairs[..., at]


def _real(self):
    """The real components, as a view: the array itself, if it is not complex."""
    return _component(self, 0) if self.dtype.kind == "c" else self


def _set_real(self, value):
    _real(self)[...] = value


def _imag(self):
    """The imaginary components: a view, or zeros, if the array is not complex."""
    return _component(self, 1) if self.dtype.kind == "c" else _core.gpuopt_zeros_like(self, None)


def _set_imag(self, value):
    if self.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    _component(self, 1)[...] = value


class Flags:
    """How an array lies in memory, as ndarray.flags of NumPy."""

    def __init__(self, x):
        self.c_contiguous = x._contiguous
        self.f_contiguous = x.T._contiguous
        self.writeable = not x._read_only

    def __getitem__(self, name):
        return getattr(self, {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable"}.get(name, name.lower()))


def _flat(self):
    """The elements as one dimension."""
    return self.reshape(-1)


def _set_flat(self, values):
    """Writes values, one after the other and again from the first, to the elements."""
    values = _convert.asarray(values, device=self.device)
    self[...] = values if values.size == 1 or not self.size else _functions._repeated(values, self)


def _format(self, spec):
    if self.ndim == 0 and spec:
        return format(self.item(), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {type(self).__module__}.{type(self).__name__}.__format__")
    return str(self.item()) if self.ndim == 0 else str(self)


def _contains(self, value):
    return bool(_core.any(self == value))


def _complex(self):
    if self.size != 1:
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    return complex(self.item())


def copy_to_host(self, ary=None, stream=0):
    """numba.cuda's: a NumPy array of the elements, or `ary` with them written to it."""
    return _convert.asnumpy(self, out=ary)


def copy_to_device(self, ary, stream=0):
    """numba.cuda's: writes the elements of an array of the same shape to this one."""
    if tuple(ary.shape) != self.shape:
        raise ValueError(f"cannot copy an array of shape {tuple(ary.shape)} to one of shape {self.shape}")
    self[...] = _convert.asarray(ary, self.dtype, device=self.device)


_FUNCTIONS = [
    reshape,
    transpose,
    astype,
    copy,
    flatten,
    fill,
    item,
    tolist,
    tobytes,
    get,
    set,
    clip,
    sort,
    partition,
    diagonal,
    trace,
    swapaxes,
    take,
    to_device,
    cumsum,
    cumprod,
]
_FIRST = {
    "ravel": (_manipulation.ravel, "The elements as one dimension; a view where that is possible."),
    "squeeze": (_manipulation.squeeze, "A view without dimensions of size 1."),
    "repeat": (_manipulation.repeat, "Each element several times."),
    "round": (_functions.around, "The elements rounded to so many decimals."),
    "dot": (linalg.dot, "NumPy's dot."),
    "nonzero": (_indexing.nonzero, "The indices of the elements that are not zero, an array for each axis."),
    "argsort": (_sorting.argsort, "The indices that sort the array."),
    "argpartition": (_sorting.argpartition, "The indices that part the array at one element, or several."),
    "choose": (_selection.choose, "Of each place the choice that the element names."),
    "view": (_memory.view, "The same memory as elements of another dtype."),
    "searchsorted": (_sorting.searchsorted, "Where elements would be put to keep the array sorted."),
    "conj": (_core.conj, "The complex conjugates."),
    "conjugate": (_core.conj, "The complex conjugates."),
    "put": (_functions.put, "Writes elements at positions of the flattened array."),
    "ptp": (_statistics.ptp, "The range from the least to the greatest element."),
    "compress": (
        lambda self, condition, axis=None: _functions.compress(condition, self, axis),
        "Parts where a condition is true.",
    ),
}


def install():
    """Puts the methods on the type."""
    for function in _FUNCTIONS:
        setattr(ndarray, function.__name__, function)
    for name, (function, doc) in _FIRST.items():
        setattr(ndarray, name, _first(function, name, doc))
    ndarray.real, ndarray.imag = property(_real, _set_real), property(_imag, _set_imag)
    ndarray.flags, ndarray.flat = property(Flags, doc=Flags.__doc__), property(_flat, _set_flat)
    ndarray.__format__, ndarray.__contains__, ndarray.__complex__ = _format, _contains, _complex
    ndarray.copy_to_host, ndarray.copy_to_device = copy_to_host, copy_to_device
    ndarray.__class_getitem__ = classmethod(lambda cls, _: cls)
    _protocols.install(ndarray)
