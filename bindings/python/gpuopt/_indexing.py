# bindings/python/gpuopt/_indexing.py -- x[key] where key is more than integers and slices: masks, integer arrays,
# mixtures. gpuopt_get() and gpuopt_set() do it; here the items become what these take.
import operator

from . import _convert, _core

ndarray = _core.ndarray


def getitem(x, key):
    items, arrays = _read(x, key)
    return _core.gpuopt_get(x, len(items), items, len(arrays), arrays)


def setitem(x, key, value):
    items, arrays = _read(x, key)
    _core.gpuopt_set(x, len(items), items, len(arrays), arrays, _as_value(x, value))


def _as_value(x, value):
    if isinstance(value, (ndarray, bool, int, float, complex)) and type(value).__module__ != "numpy":
        return value
    return _convert.asarray(value, device=x.device)


def _read(x, key):
    """The items of a key, and those of them that are arrays."""
    items = [_as_index(x, item) for item in (key if isinstance(key, tuple) else (key,))]
    return items, [item for item in items if isinstance(item, ndarray)]


def _as_index(x, item):
    """One item as an int, a slice, None, Ellipsis or an array of integers or bool on x's device."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, bool) or type(item).__name__ in ("bool", "bool_"):
        return _convert.asarray(bool(item), device=x.device)
    if not isinstance(item, (ndarray, list, tuple)):
        try:
            return operator.index(item)
        except TypeError:
            pass
    array = _index_array(x, item)
    if array.size == 0 and not isinstance(item, ndarray) and not hasattr(item, "dtype"):
        array = _convert.astype(array, "int64")
    if array.dtype.kind not in "biu":
        raise IndexError(_INVALID)
    return array


_INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


def _index_array(x, item):
    try:
        return _convert.asarray(item, device=x.device)
    except TypeError:
        raise IndexError(_INVALID) from None


def nonzero(x, /):
    """The indices of the elements that are not zero, an array for each axis.

    >>> gp.nonzero(gp.array([0, 3, 0, 4]))
    (array([1, 3]),)
    """
    if x.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    rows = _core.gpuopt_argwhere(x)
    return tuple(rows[:, axis] for axis in range(x.ndim))
