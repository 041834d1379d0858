# bindings/python/gpuopt/_indexing.py -- x[key] where key is more than integers and slices: masks, integer arrays,
# mixtures.
#
# As in NumPy: integer arrays broadcast together, integers beside them count as such, a mask stands for the positions
# of its true
# elements, and the result's index axes stand where the arrays stood, or in front if something stands between these.
import math
import operator

from . import _convert, _core

ndarray = _core.ndarray
_ALL = slice(None)


def getitem(x, key):
    mask = _only_mask(x, key)
    if mask is not None:
        return _core.gpuopt_mask_select(x, mask)
    items = _read(x, key)
    if not _has_arrays(items):
        return x[tuple(items)]
    view, axes, indices, at = _plan(x, items)
    return _gather(view, axes, indices, at)


def setitem(x, key, value):
    mask = _only_mask(x, key)
    if mask is not None:
        _core.gpuopt_mask_assign(x, mask, _as_value(x, value))
        return
    items = _read(x, key)
    if not _has_arrays(items):
        x[tuple(items)] = value
        return
    view, axes, indices, at = _plan(x, items)
    _scatter(view, axes, indices, at, _as_value(x, value))


def _as_value(x, value):
    if isinstance(value, (ndarray, bool, int, float, complex)) and type(value).__module__ != "numpy":
        return value
    return _convert.asarray(value, device=x.device)


def _only_mask(x, key):
    """The mask, if the key is one that covers the first axes."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if not isinstance(key, ndarray):
        if not isinstance(key, list) and type(key).__module__ != "numpy":
            return None
        key = _as_index(x, key)
    if not isinstance(key, ndarray) or key.dtype.kind != "b" or key.ndim == 0:
        return None
    return _fitting(key, x, 0)


def _fitting(mask, x, first):
    """The mask, whose sizes are those of x's axes or 0; one with a 0 has no true elements."""
    _check_mask(mask, x.shape, first)
    shape = x.shape[first : first + mask.ndim]
    return mask if mask.shape == shape else _core.gpuopt_zeros(x.device, "bool", len(shape), shape)


def _check_mask(mask, shape, first):
    if mask.ndim + first > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {mask.ndim + first} were indexed"
        )
    for axis, (have, want) in enumerate(zip(mask.shape, shape[first:])):
        if have not in (want, 0):
            raise IndexError(
                f"boolean index did not match indexed array along axis {first + axis}; size of axis is {want} but "
                f"size of corresponding boolean axis is {have}"
            )


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


def _has_arrays(items):
    return any(isinstance(item, ndarray) for item in items)


def _read(x, key):
    items = [_as_index(x, item) for item in (key if isinstance(key, tuple) else (key,))]
    return [
        int(i) if isinstance(i, ndarray) and i.ndim == 0 and i.dtype.kind != "b" and not _other_arrays(items, i) else i
        for i in items
    ]


def _other_arrays(items, item):
    return any(isinstance(other, ndarray) and other is not item for other in items)


def _consumed(item):
    """How many axes an item takes from x."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, ndarray) and item.dtype.kind == "b" else 1


def _expanded(x, items):
    """Items with the ellipsis as slices, one for each axis that no other item takes."""
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    taken = sum(map(_consumed, items))
    if taken > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {taken} were indexed")
    rest = [_ALL] * (x.ndim - taken)
    at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    if at is None:
        return items + rest, None
    return items[:at] + rest + items[at + 1 :], at if not rest else None


def _plan(x, items):
    """(view, its axes that are indexed, their indices, where the index axes go): None is in front of all."""
    items, empty_ellipsis = _expanded(x, items)
    basic, axes, indices, places = [], [], [], []
    source = 0
    for place, item in enumerate(items):
        if isinstance(item, ndarray) or isinstance(item, int):
            for index in _index_arrays(x, item, source, basic):
                axes.append(sum(b is not Ellipsis for b in basic) - 1 if index is _ADDED else len(basic))
                if index is _ADDED:
                    index = _zeros_for(x, item)
                else:
                    basic.append(_ALL)
                indices.append(index)
            places.append(place)
        else:
            basic.append(item)
        source += _consumed(item)
    adjacent = places == list(range(places[0], places[0] + len(places)))
    if empty_ellipsis is not None and places[0] < empty_ellipsis <= places[-1]:
        adjacent = False
    return x[tuple(basic)], axes, _broadcast(indices), axes[0] if adjacent else None


_ADDED = object()


def _index_arrays(x, item, axis, basic):
    """The integer arrays that an item stands for."""
    if isinstance(item, int):
        size = x.shape[axis]
        if not -size <= item < size:
            raise IndexError(f"index {item} is out of bounds for axis {axis} with size {size}")
        return [_convert.asarray(item, device=x.device)]
    if item.dtype.kind != "b":
        return [item]
    if item.ndim == 0:  # a bool adds an axis, of size 1 or 0
        basic.append(None)
        return [_ADDED]
    return list(nonzero(_fitting(item, x, axis)))


def _zeros_for(x, item):
    return _core.gpuopt_zeros(x.device, "int64", 1, (int(bool(item)),))


def _broadcast(indices):
    from ._manipulation import broadcast_arrays

    indices = [_convert.astype(i, "int64", copy=False) for i in indices]
    try:
        return broadcast_arrays(*indices) if len(indices) > 1 else indices
    except ValueError:
        shapes = " ".join(str(i.shape).replace(" ", "") for i in indices)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} "
        ) from None


def _within(index, size, axis):
    """The index counted from the front; IndexError if an element is out of range."""
    counted = _core.where(_core.less(index, 0), index + size, index)
    bad = _core.logical_or(_core.less(counted, 0), _core.greater_equal(counted, size))
    if bad.any():
        wrong = int(_core.gpuopt_mask_select(index.reshape(-1), bad.reshape(-1))[0])
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
    return counted


def _flat_index(view, axes, indices):
    """One index into the axes as if they were one."""
    total = None
    for axis, index in zip(axes, indices):
        size = view.shape[axis]
        index = _within(index, size, axis)
        total = index if total is None else total * size + index
    return total


def _in_front(view, axes):
    """The view with the indexed axes in front, and the sizes of these and of the rest."""
    rest = [axis for axis in range(view.ndim) if axis not in axes]
    return _core.gpuopt_permute_dims(view, (*axes, *rest)), [view.shape[a] for a in axes], [view.shape[a] for a in rest]


def _gather(view, axes, indices, at):
    if len(axes) == 1 and at is not None:
        return _take(view, indices[0], axes[0])
    front, sizes, rest = _in_front(view, axes)
    flat = front.reshape((math.prod(sizes), *rest))
    result = _core.gpuopt_take(flat, _flat_index(view, axes, indices), 0)
    return _moved(result, indices[0].ndim, at or 0)


def _take(view, index, axis):
    try:
        return _core.gpuopt_take(view, index, axis)
    except IndexError:
        _within(index, view.shape[axis], axis)  # says it in NumPy's words
        raise


def _moved(result, count, at):
    """The first `count` axes moved to `at`."""
    if at == 0 or count == 0:
        return result
    order = [*range(count, count + at), *range(count), *range(count + at, result.ndim)]
    return _core.gpuopt_permute_dims(result, order)


def _scatter(view, axes, indices, at, value):
    index = _flat_index(view, axes, indices)
    front, sizes, rest = _in_front(view, axes)
    value = _value_in_front(value, index, rest, at or 0)
    flat_shape = (math.prod(sizes), *rest)
    try:
        _core.gpuopt_put(_core.gpuopt_reshape(front, len(flat_shape), flat_shape, 2), index, 0, value)
    except ValueError:  # no view of that shape: in a copy
        copy = _core.gpuopt_copy_array(front).reshape(flat_shape)
        _core.gpuopt_put(copy, index, 0, value)
        _core.gpuopt_assign(front, copy.reshape(front.shape))


def _value_in_front(value, index, rest, at):
    """A value broadcast to the shape of x[key], with the index axes in front."""
    if not isinstance(value, ndarray) or value.ndim == 0:
        return value
    shape = (*rest[:at], *index.shape, *rest[at:])
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    try:
        value = _core.gpuopt_broadcast_to(value, len(shape), shape)
    except ValueError:
        raise ValueError(
            f"shape mismatch: value array of shape {value.shape} could not be broadcast to indexing result of "
            f"shape {shape}"
        ) from None
    order = [*range(at, at + index.ndim), *range(at), *range(at + index.ndim, len(shape))]
    return _core.gpuopt_permute_dims(value, order)


def nonzero(x, /):
    """The indices of the elements that are not zero, an array for each axis."""
    if x.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    rows = _core.gpuopt_argwhere(x)
    return tuple(rows[:, axis] for axis in range(x.ndim))
