# bindings/python/gpuopt/_manipulation.py -- shapes: views, joining, splitting, repeating.
import operator

from . import _convert, _core
from ._convert import copy_code
from ._creation import as_shape, empty

ndarray = _core.ndarray


def _array(x):
    return x if isinstance(x, ndarray) else _convert.asarray(x)


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        from ._errors import axis_error

        raise axis_error(axis, ndim)
    return axis % ndim


def _axes(axes, ndim):
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)
    result = tuple(_axis(a, ndim) for a in axes)
    if len(set(result)) != len(result):
        raise ValueError("repeated axis")
    return result


# ---- Views
# ---------------------------------------------------------------------------------------------------------------


def reshape(x, /, shape, order="C", *, copy=None):
    """The elements in another shape, read and placed in C order, or with order="F" the first axis fastest; one size
    may be -1. A view where that is possible.

    >>> gp.reshape(gp.arange(4), (2, 2))
    array([[0, 1],
           [2, 3]])
    """
    shape = as_shape(shape)
    if order == "F" or (order == "A" and _is_fortran(_array(x))):
        return reshape(_array(x).T, shape[::-1], copy=copy).T
    if order not in ("C", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return _core.gpuopt_reshape(_array(x), len(shape), shape, copy_code(copy))


def _is_fortran(x):
    return x.T._contiguous and not x._contiguous


def ravel(x, order="C"):
    """The elements as one dimension; a view where that is possible. order="K": as they lie in memory.

    >>> gp.ravel([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    if order != "K":
        return reshape(x, -1, order)
    x = _array(x)
    strides = x.strides
    axes = sorted(range(x.ndim), key=lambda axis: -abs(strides[axis]))
    return reshape(_core.gpuopt_permute_dims(x, axes), -1)


def permute_dims(x, /, axes):
    """A view with the dimensions in another order.

    >>> gp.permute_dims(gp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = _array(x)
    if len(axes) != x.ndim:
        raise ValueError("axes don't match array")
    return _core.gpuopt_permute_dims(x, _axes(tuple(axes), x.ndim))


def transpose(a, axes=None):
    """A view with the dimensions in another order, or reversed.

    >>> gp.transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    return _array(a).T if axes is None else permute_dims(a, axes)


def matrix_transpose(x, /):
    """A view with the last two dimensions swapped.

    >>> gp.matrix_transpose(gp.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return _array(x).mT


def swapaxes(a, axis1, axis2):
    """A view with two dimensions swapped.

    >>> gp.swapaxes([[1, 2], [3, 4]], 0, 1)
    array([[1, 3],
           [2, 4]])
    """
    a = _array(a)
    order = list(range(a.ndim))
    first, second = _axis(axis1, a.ndim), _axis(axis2, a.ndim)
    order[first], order[second] = order[second], order[first]
    return _core.gpuopt_permute_dims(a, order)


def moveaxis(a, source, destination):
    """A view with some dimensions at other places.

    >>> gp.moveaxis(gp.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = _array(a)
    source, destination = _axes(source, x.ndim), _axes(destination, x.ndim)
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(x.ndim) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return _core.gpuopt_permute_dims(x, order)


def rollaxis(a, axis, start=0):
    """A view with a dimension moved before another.

    >>> gp.rollaxis(gp.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = _array(a)
    axis = _axis(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(x, /, axis=0):
    """A view with new dimensions of size 1.

    >>> gp.expand_dims(gp.array([1, 2]), axis=1)
    array([[1],
           [2]])
    """
    x = _array(x)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for at in sorted(_axes(axes, x.ndim + len(axes))):
        x = _core.gpuopt_expand_dims(x, at)
    return x


def squeeze(x, /, axis=None):
    """A view without the given dimensions of size 1, or without any of them.

    >>> gp.squeeze(gp.array([[1, 2]]), axis=0)
    array([1, 2])
    """
    x = _array(x)
    axes = () if axis is None else _axes(axis, x.ndim)
    if any(x.shape[a] != 1 for a in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return x[...] if axis is not None and not axes else _core.gpuopt_squeeze(x, len(axes), axes or None)


def flip(x, /, axis=None):
    """A view with the elements in reverse order along some dimensions, or all.

    >>> gp.flip(gp.array([1, 2, 3]))
    array([3, 2, 1])
    """
    x = _array(x)
    axes = () if axis is None else _axes(axis, x.ndim)
    return x[...] if axis is not None and not axes else _core.gpuopt_flip(x, len(axes), axes or None)


def fliplr(m):
    """A view with the second dimension reversed.

    >>> gp.fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """
    return flip(m, 1)


def flipud(m):
    """A view with the first dimension reversed.

    >>> gp.flipud([[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """m turned by k right angles in the plane of two dimensions.

    >>> gp.rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """
    m, k = _array(m), k % 4
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if _axis(axes[0], m.ndim) == _axis(axes[1], m.ndim):
        raise ValueError("Axes must be different.")
    if k == 0:
        return m[...]
    if k == 2:
        return flip(m, axes)
    return swapaxes(flip(m, axes[1]), *axes) if k == 1 else flip(swapaxes(m, *axes), axes[1])


def broadcast_shapes(*shapes):
    """The shape that these shapes broadcast to.

    >>> gp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    import numpy

    return numpy.broadcast_shapes(*shapes)


def broadcast_to(x, /, shape, subok=False):
    """A read-only view of x in a shape that it broadcasts to.

    >>> gp.broadcast_to(gp.array([1, 2]), (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    shape = as_shape(shape)
    return _core.gpuopt_broadcast_to(_array(x), len(shape), shape)


def broadcast_arrays(*arrays):
    """Views of all arrays in the shape that they broadcast to.

    >>> x, y = gp.broadcast_arrays([1, 2], [[3], [4]])
    >>> y
    array([[3, 3],
           [4, 4]])
    """
    arrays = [_array(a) for a in arrays]
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape) for a in arrays)


def atleast_1d(*arrays):
    """Arrays of at least one dimension.

    >>> gp.atleast_1d(3.0)
    array([3.])
    """
    result = [a if a.ndim else a[None] for a in map(_array, arrays)]
    return result[0] if len(result) == 1 else tuple(result)


def atleast_2d(*arrays):
    """Arrays of at least two dimensions; new ones are in front.

    >>> gp.atleast_2d([1, 2])
    array([[1, 2]])
    """
    result = [a if a.ndim > 1 else a.reshape((1, -1)) for a in map(_array, arrays)]
    return result[0] if len(result) == 1 else tuple(result)


def atleast_3d(*arrays):
    """Arrays of at least three dimensions, as NumPy adds them.

    >>> gp.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    result = [_three(a) for a in map(_array, arrays)]
    return result[0] if len(result) == 1 else tuple(result)


def _three(a):
    return a if a.ndim > 2 else a[:, :, None] if a.ndim == 2 else a.reshape((1, -1, 1))


# ---- Joining and splitting
# -----------------------------------------------------------------------------------------------


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one behind the other along an axis; axis None flattens them first.

    >>> gp.concat([gp.array([1, 2]), gp.array([3])])
    array([1, 2, 3])
    """
    arrays = [_array(a) for a in arrays]
    if dtype is not None:
        _check_casts(arrays, dtype, casting)
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    if arrays[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = _axis(axis, arrays[0].ndim)
    _check_joined(arrays, axis)
    if out is None:
        arrays = arrays if dtype is None else [_core.gpuopt_astype(a, dtype, 0) for a in arrays]
        return _core.gpuopt_concat(len(arrays), arrays, (axis,))
    at = 0
    for a in arrays:
        out[(slice(None),) * axis + (slice(at, at + a.shape[axis]),)] = a
        at += a.shape[axis]
    return out


def _check_casts(arrays, dtype, casting):
    """TypeError if one of the arrays cannot be cast to the dtype."""
    from ._dtypes import of
    from ._namespace import can_cast

    to = of(dtype)
    for a in arrays:
        if not can_cast(a.dtype, to, casting=casting):
            raise TypeError(f"Cannot cast array data from {a.dtype!r} to {to!r} according to the rule {casting!r}")


def _check_joined(arrays, axis):
    first = arrays[0]
    for at, a in enumerate(arrays):
        if a.ndim != first.ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along "
                f"dimension 0, the array at index 0 has {first.ndim} dimension(s) and the array at index {at} has "
                f"{a.ndim} dimension(s)"
            )
        for other, (have, want) in enumerate(zip(a.shape, first.shape)):
            if other != axis and have != want:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but "
                    f"along dimension {other}, the array at index 0 has size {want} and the array at index {at} "
                    f"has size {have}"
                )


concatenate = concat


def stack(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape along a new axis.

    >>> gp.stack([gp.array([1, 2]), gp.array([3, 4])])
    array([[1, 2],
           [3, 4]])
    """
    arrays = [_array(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = _axis(axis, arrays[0].ndim + 1)
    columns = [_core.gpuopt_expand_dims(a, axis) for a in arrays]
    return concat(columns, axis=axis, out=out, dtype=dtype, casting=casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays one below the other.

    >>> gp.vstack(([1, 2], [3, 4]))
    array([[1, 2],
           [3, 4]])
    """
    return concat([atleast_2d(a) for a in tup], axis=0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays side by side.

    >>> gp.hstack(([1, 2], [3]))
    array([1, 2, 3])
    """
    arrays = [atleast_1d(a) for a in tup]
    return concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays one behind the other in the third dimension.

    >>> gp.dstack(([1, 2], [3, 4]))
    array([[[1, 3],
            [2, 4]]])
    """
    return concat([atleast_3d(a) for a in tup], axis=2)


def column_stack(tup):
    """1-d arrays as columns, and 2-d arrays, side by side.

    >>> gp.column_stack(([1, 2], [3, 4]))
    array([[1, 3],
           [2, 4]])
    """
    return concat([a if a.ndim > 1 else a.reshape((-1, 1)) for a in map(_array, tup)], axis=1)


def append(arr, values, axis=None):
    """values behind arr.

    >>> gp.append([1, 2], [3, 4])
    array([1, 2, 3, 4])
    """
    return concat([arr, values], axis=axis)


def unstack(x, /, *, axis=0):
    """Views of the parts of x along an axis.

    >>> gp.unstack(gp.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    return tuple(moveaxis(x, axis, 0)[i] for i in range(x.shape[axis]))


def array_split(ary, indices_or_sections, axis=0):
    """Views of parts of nearly equal size, or cut at the given positions.

    >>> gp.array_split(gp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    ary = _array(ary)
    axis = _axis(axis, ary.ndim)
    size = ary.shape[axis]
    if isinstance(indices_or_sections, (list, tuple)):
        cuts = [0, *indices_or_sections, size]
    else:
        count = operator.index(indices_or_sections)
        small, larger = divmod(size, count)
        cuts = [min(i, larger) * (small + 1) + max(i - larger, 0) * small for i in range(count + 1)]
    return [ary[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(cuts, cuts[1:])]


def split(ary, indices_or_sections, axis=0):
    """Views of parts of equal size, or cut at the given positions.

    >>> gp.split(gp.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    if not isinstance(indices_or_sections, (list, tuple)) and _array(ary).shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


# ---- Repeating and moving
# ------------------------------------------------------------------------------------------------


def tile(A, reps):
    """A repeated along each dimension.

    >>> gp.tile(gp.array([1, 2]), 2)
    array([1, 2, 1, 2])
    """
    reps = as_shape(reps)
    return _core.gpuopt_tile(_array(A), len(reps), reps)


def repeat(x, repeats, /, axis=None):
    """Each element several times, along an axis or of the flattened array.

    >>> gp.repeat(gp.array([1, 2]), 2)
    array([1, 1, 2, 2])
    """
    x = _array(x)
    along = None if axis is None else (_axis(axis, max(x.ndim, 1)),)
    if not isinstance(repeats, ndarray):
        import numpy

        counts = numpy.asarray(repeats)
        if counts.ndim == 0:
            return _core.gpuopt_repeat(x, operator.index(counts[()]), along)
        repeats = _convert.from_numpy(counts, x.device)
    return _core.gpuopt_repeat_each(x, repeats, along)


def roll(x, /, shift, axis=None):
    """Elements moved along axes; what leaves at one end comes in at the other.

    >>> gp.roll(gp.arange(4), 1)
    array([3, 0, 1, 2])
    """
    x = _array(x)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
    if axis is None:
        return _core.gpuopt_roll(x, len(shifts), shifts, None)
    axes = tuple(_axis(at, x.ndim) for at in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    axes = axes * len(shifts) if len(axes) == 1 else axes
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    if len(axes) != len(shifts):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    return _core.gpuopt_roll(x, len(shifts), shifts, axes)


_PAD_MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}


def _pad_widths(pad_width, ndim):
    import numpy

    if isinstance(pad_width, dict):
        given, pad_width = pad_width, [(0, 0)] * ndim
        for axis, width in given.items():
            pad_width[_axis(axis, ndim)] = (width, width) if isinstance(width, int) else width
    widths = numpy.broadcast_to(numpy.asarray(pad_width), (ndim, 2))
    if widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    return widths.tolist()


def _pad_with_constants(array, widths, values):
    """array in a frame of other numbers at each side, the last axes outside."""
    import numpy

    values = numpy.broadcast_to(numpy.asarray(values), (array.ndim, 2)).tolist()
    for axis in range(array.ndim):
        for side in range(2):
            one = [0] * (2 * array.ndim)
            one[2 * axis + side] = widths[axis][side]
            array = _core.gpuopt_pad(array, one, 0, values[axis][side])
    return array


def pad(array, pad_width, mode="constant", constant_values=0, **options):
    """array in a frame of a constant, of its edge, of its mirror image or of its other end. NumPy's other modes, and
    their options, are computed by NumPy on the host.

    >>> gp.pad([1, 2], 1)
    array([0, 1, 2, 0])
    """
    array = _array(array)
    if mode not in _PAD_MODES or options:
        from ._host import call

        return call("numpy.pad", array, pad_width, mode, **options)
    widths = _pad_widths(pad_width, array.ndim)
    if isinstance(constant_values, (tuple, list)):
        return _pad_with_constants(array, widths, constant_values if mode == "constant" else 0)
    return _core.gpuopt_pad(array, [n for both in widths for n in both], _PAD_MODES[mode], constant_values)


def delete(arr, obj, axis=None):
    """arr without some parts along an axis.

    >>> gp.delete([1, 2, 3, 4], [0, 2])
    array([2, 4])
    """
    import numpy

    arr = _array(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    obj = _convert.asnumpy(obj) if isinstance(obj, ndarray) else obj
    kept = numpy.delete(numpy.arange(arr.shape[axis]), obj)
    return _core.gpuopt_take(arr, _convert.from_numpy(kept, arr.device), axis)


def diag(v, k=0):
    """The k-th diagonal of a matrix, or a matrix with that diagonal.

    >>> gp.diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    v = _array(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    result = _core.gpuopt_zeros(v.device, v.dtype, 1, (n * n,))
    start = k if k >= 0 else -k * n
    result[start : start + v.shape[0] * (n + 1) : n + 1] = v
    return result.reshape((n, n))


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal of the planes of two axes, as the last axis: a copy.

    >>> gp.diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a.shape[-2:]
    first, second = max(-offset, 0), max(offset, 0)
    count = max(min(rows - first, columns - second), 0)
    flat = a.reshape((*a.shape[:-2], rows * columns))
    start = first * columns + second
    return _core.gpuopt_copy_array(flat[..., start : start + count * (columns + 1) : columns + 1][..., :count])


def fill_diagonal(a, val, wrap=False):
    """Writes a value, or several one after the other, along the diagonal of a matrix, or of a cube of any dimensions.

    wrap: the diagonal of a matrix that is higher than wide begins again below.

    >>> x = gp.zeros((2, 2))
    >>> gp.fill_diagonal(x, 5)
    >>> x
    array([[5., 0.],
           [0., 5.]])
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    columns = a.shape[-1]
    places = range(0, a.size if wrap and a.ndim == 2 else min(a.shape[0], columns) * columns, columns + 1)
    if a.ndim > 2:
        places = range(0, a.size, sum(columns**k for k in range(a.ndim)))
    index = _core.gpuopt_arange(a.device, "int64", 0, places.stop, places.step)
    values = _convert.asarray(val, device=a.device).reshape(-1)
    if values.size > 1:
        count = _core.gpuopt_arange(a.device, "int64", 0, len(places), 1)
        values = _core.gpuopt_take(values, count % values.size, 0)
    from ._functions import unravel_index

    a[unravel_index(index, a.shape)] = values


def ix_(*args):
    """Arrays that index the cross product of 1-d arrays.

    >>> gp.arange(6).reshape(2, 3)[gp.ix_([0, 1], [0, 2])]
    array([[0, 2],
           [3, 5]])
    """
    from ._indexing import nonzero

    arrays = [nonzero(a)[0] if a.dtype.kind == "b" else a for a in map(_array, args)]
    return tuple(a.reshape((1,) * i + (-1,) + (1,) * (len(arrays) - 1 - i)) for i, a in enumerate(arrays))


def indices(dimensions, dtype=int, sparse=False):
    """The index of each place of a grid along each axis; sparse: each with its own axis alone.

    >>> gp.indices((2, 2))[1]
    array([[0, 1],
           [0, 1]])
    """
    dimensions = as_shape(dimensions)
    lines = [_core.gpuopt_arange(None, dtype, 0, n, 1) for n in dimensions]
    grids = [line.reshape((1,) * i + (-1,) + (1,) * (len(dimensions) - 1 - i)) for i, line in enumerate(lines)]
    if sparse:
        return tuple(grids)
    return stack(broadcast_arrays(*grids)) if grids else empty((0,), dtype)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """The windows of a size that lie along axes, each at the end of the shape: a copy.

    >>> gp.sliding_window_view(gp.arange(4), 3)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    x, sizes = _array(x), as_shape(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else tuple(_axis(a, x.ndim) for a in as_shape(axis))
    if len(axes) != len(sizes):
        raise ValueError(f"window_shape has {len(sizes)} sizes for {len(axes)} axes")
    for along, size in zip(axes, sizes):
        count = x.shape[along] - size + 1
        if size < 0 or count < 1:
            raise ValueError("window shape cannot be larger than input array shape" if size >= 0 else
                             "`window_shape` cannot contain negative values")
        places = _core.gpuopt_arange(x.device, "int64", 0, count, 1).reshape((-1, 1))
        places = places + _core.gpuopt_arange(x.device, "int64", 0, size, 1)
        x = moveaxis(_core.gpuopt_take(x, places, along), along + 1, -1)
    return x
