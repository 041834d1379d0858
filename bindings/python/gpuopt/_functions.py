# bindings/python/gpuopt/_functions.py -- functions of the standard and of NumPy that are composed of others.
import math
import operator

from . import _convert, _core
from ._manipulation import _array, _axis, _check_casts, diagonal
from ._namespace import result_type

ndarray = _core.ndarray


def linspace_of(start, stop, num, endpoint, dtype, device):
    """The numbers and the step between them: ends that are integers are exact, complex ones give a complex dtype."""
    start, stop = (float(end) if type(end) is int and not -(2**63) <= end < 2**64 else end for end in (start, stop))
    step, result = _core.gpuopt_linspace_step(device, dtype, start, stop, num, int(endpoint))
    return result, step


# ---- Elementwise
# ---------------------------------------------------------------------------------------------------------


def clip(x, /, min=None, max=None, out=None, *, a_min=None, a_max=None):
    """x held between bounds, either of which may be None.

    >>> gp.clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """
    x = _array(x)
    low, high = _bounds(x, a_min if min is None else min, a_max if max is None else max)
    result = _convert.asarray(x, copy=True) if low is None and high is None else x
    kind = x.dtype
    if low is not None:
        result = _core.maximum(result, low)
    if high is not None:
        result = _core.minimum(result, high)
    result = result if result.dtype == kind or _keeps_more(x, low, high) else _convert.astype(result, kind)
    if out is None:
        return result
    out[...] = result
    return out


def _bounds(x, low, high):
    """The bounds, but for Python's integers that no element of the dtype is beyond."""
    if x.dtype.kind in "iu":
        from ._namespace import iinfo

        limits = iinfo(x.dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    return low, high


def _keeps_more(x, *bounds):
    return any(isinstance(b, float) or hasattr(b, "dtype") for b in bounds)


def around(a, decimals=0, out=None):
    """a rounded to so many decimals, halves to even.

    >>> gp.around([1.234, 5.678], 1)
    array([1.2, 5.7])
    """
    a, decimals = _array(a), operator.index(decimals)
    if a.dtype.kind == "b":
        result = a
    else:
        result = _core.round(a) if decimals == 0 else _core.gpuopt_round_decimals(a, decimals)
    if out is None:
        return result
    out[...] = result
    return out


def round(x, /, decimals=0, out=None):
    """The nearest integer, halves to even; or x rounded to so many decimals.

    >>> gp.round([0.5, 1.5, 2.25])
    array([0., 2., 2.])
    """
    return around(x, decimals, out)


def fix(x, out=None):
    """x rounded towards zero.

    >>> gp.fix([-1.7, 1.7])
    array([-1.,  1.])
    """
    return _core.trunc(x, out=out)


def angle(z, deg=False):
    """The angle of complex numbers, in radians or degrees.

    >>> gp.angle([1j, -1.0], deg=True)
    array([ 90., 180.])
    """
    z = _array(z)
    result = _core.atan2(_core.imag(z), _core.real(z))
    return _core.rad2deg(result) if deg else result


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b|.

    >>> gp.isclose([1.0, 2.0], [1.0, 2.1])
    array([ True, False])
    """
    return _core.gpuopt_isclose(_array(a), b, rtol, atol, int(equal_nan))


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close.

    >>> gp.allclose([1.0, 2.0], [1.0, 2.0000001])
    True
    """
    return bool(_core.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements.

    >>> gp.array_equal([1, 2], [1, 2])
    True
    """
    a1, a2 = _array(a1), _array(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(_core.all(same | (_core.isnan(a1) & _core.isnan(a2)) if equal_nan else same))


def array_equiv(a1, a2):
    """Whether two arrays are equal after broadcasting.

    >>> gp.array_equiv([1, 2], [[1, 2], [1, 2]])
    True
    """
    try:
        return bool(_core.all(_array(a1) == a2))
    except ValueError:
        return False


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """x with numbers for NaN and infinities; with copy=False they are written to x itself.

    >>> gp.nan_to_num([1.0, gp.nan])
    array([1., 0.])
    """
    result = _core.gpuopt_nan_to_num(_array(x), nan, posinf, neginf)
    if copy or not isinstance(x, ndarray):
        return result
    x[...] = result
    return x


def isneginf(x, out=None):
    """Whether x is negative infinity.

    >>> gp.isneginf(gp.array([-gp.inf, 0.0]))
    array([ True, False])
    """
    return _core.logical_and(_core.less(x, 0), _core.isinf(x), out=out)


def isposinf(x, out=None):
    """Whether x is positive infinity.

    >>> gp.isposinf(gp.array([gp.inf, 0.0]))
    array([ True, False])
    """
    return _core.logical_and(_core.greater(x, 0), _core.isinf(x), out=out)


def iscomplexobj(x):
    """Whether the dtype is complex.

    >>> gp.iscomplexobj(gp.array([1j]))
    True
    """
    return _array(x).dtype.kind == "c"


def isrealobj(x):
    """Whether the dtype is not complex.

    >>> gp.isrealobj(gp.array([1.0]))
    True
    """
    return not iscomplexobj(x)


def iscomplex(x):
    """Whether the imaginary part is not zero.

    >>> gp.iscomplex(gp.array([1, 1j]))
    array([False,  True])
    """
    return _core.imag(_array(x)) != 0


def isreal(x):
    """Whether the imaginary part is zero.

    >>> gp.isreal(gp.array([1, 1j]))
    array([ True, False])
    """
    return _core.imag(_array(x)) == 0


def isscalar(element):
    """Whether this is a number and not an array.

    >>> gp.isscalar(2.5)
    True
    """
    import numpy

    return numpy.isscalar(element)


def where(condition, x=None, y=None, /):
    """x where the condition is true, else y; the positions of true elements, if these are left out.

    >>> gp.where(gp.array([True, False]), 1.0, 2.0)
    array([1., 2.])
    """
    from ._indexing import nonzero

    if x is None and y is None:
        return nonzero(_array(condition))
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    if isinstance(x, ndarray) or isinstance(y, ndarray):
        return _core.where(condition, x, y)
    condition = _array(condition)
    return _core.where(condition, _convert.asarray(x, device=condition.device), y)


def select(condlist, choicelist, default=0):
    """Of each place the choice whose condition is the first that is true.

    >>> x = gp.arange(4)
    >>> gp.select([x < 1, x > 2], [x + 10, x * 10], default=-1)
    array([10, -1, -1, 30])
    """
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = where(condition, choice, result)
    return result


# ---- Searching and counting
# ----------------------------------------------------------------------------------------------


def argwhere(a):
    """The indices of elements that are not zero, one in a row.

    >>> gp.argwhere([[0, 1], [2, 0]])
    array([[0, 1],
           [1, 0]])
    """
    return _core.gpuopt_argwhere(_array(a))


def flatnonzero(a):
    """The positions of elements that are not zero in the flattened array.

    >>> gp.flatnonzero([[0, 1], [2, 0]])
    array([1, 2])
    """
    return argwhere(_array(a).reshape(-1))[:, 0]


def extract(condition, arr):
    """The elements where a condition is true, as one dimension.

    >>> gp.extract([True, False, True], gp.array([1, 2, 3]))
    array([1, 3])
    """
    return _core.gpuopt_mask_select(_array(arr).reshape(-1), _core.not_equal(_array(condition).reshape(-1), 0))


def compress(condition, a, axis=None, out=None):
    """Parts along an axis where a condition is true.

    >>> gp.compress([True, False, True], [[1, 2], [3, 4], [5, 6]], axis=0)
    array([[1, 2],
           [5, 6]])
    """
    a = _array(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    return take(a, flatnonzero(condition), axis, out)


def take(x, indices, /, axis=None, out=None, mode="raise"):
    """Elements at indices along an axis, or of the flattened array.

    >>> gp.take(gp.array([10, 20, 30]), [2, 0])
    array([30, 10])
    """
    result = _taken(_array(x), indices, axis, mode)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"take: out has the shape {out.shape}, and the result {result.shape}")
    out[...] = result
    return out


def _taken(x, indices, axis, mode):
    if axis is None:
        if x.ndim != 1:
            x = x.reshape(-1)
        axis = 0
    indices = _indices(indices, x.device)
    axis = _axis(axis, x.ndim)
    if mode != "raise" and not x.shape[axis]:
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        if 0 in (*before, *after):  # The result is empty, too, and any index will do, as in NumPy.
            return x.reshape((*before, *indices.shape, *after))
    return _core.gpuopt_take(x, _in_mode(indices, x.shape[axis], mode), axis)


def _indices(indices, device):
    """Indices as an array: NumPy's array of an empty list has float64."""
    empty = isinstance(indices, (list, tuple)) and len(indices) == 0
    return _convert.asarray(indices, "int64" if empty else None, device=device)


def _in_mode(indices, size, mode):
    """Indices as an axis of the size has them: held at its ends, taken around, or as they are."""
    if mode == "clip":
        return clip(indices, 0, size - 1)
    return indices % size if mode == "wrap" else indices


def put(a, ind, v, mode="raise"):
    """Writes elements at positions of the flattened array, the values one after the other and again from the first.

    >>> x = gp.arange(4)
    >>> gp.put(x, [0, 2], [8, 9])
    >>> x
    array([8, 1, 9, 3])
    """
    flat = _core.gpuopt_reshape(a, 1, (-1,), 0)
    ind = _in_mode(_indices(ind, a.device).reshape(-1), a.size, mode)
    if ind.size:
        flat[ind] = _repeated(_convert.asarray(v, device=a.device), ind)
        a[...] = flat.reshape(a.shape)


def putmask(a, mask, values):
    """Writes the elements of values at the places where a mask is true.

    >>> x = gp.arange(4)
    >>> gp.putmask(x, x > 1, gp.array([5, 6, 7, 8]))
    >>> x
    array([0, 1, 7, 8])
    """
    values = _convert.asarray(values, device=a.device)
    a[...] = where(mask, values if values.size == 1 else _repeated(values, a), a)


def place(arr, mask, vals):
    """Writes vals, one after the other, at the places where a mask is true.

    >>> x = gp.arange(4)
    >>> gp.place(x, x > 1, [8, 9])
    >>> x
    array([0, 1, 8, 9])
    """
    mask = _array(mask) != 0
    count = int(_core.count_nonzero(mask))
    vals = _convert.asarray(vals, device=arr.device).reshape(-1)
    if count:
        arr[mask] = take(vals, _core.gpuopt_arange(arr.device, "int64", 0, count, 1) % vals.size)


def _repeated(values, like):
    order = _core.gpuopt_arange(like.device, "int64", 0, like.size, 1) % values.size
    return take(values.reshape(-1), order).reshape(like.shape)


def unravel_index(indices, shape, order="C"):
    """Positions of the flattened array as indices along each axis; order="F": the first axis varies fastest.

    >>> gp.unravel_index([1, 5], (2, 3))
    (array([0, 1]), array([1, 2]))
    """
    rest, result = _array(indices), []
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if rest.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    outside = _core.logical_or(rest < 0, rest >= math.prod(shape))
    if rest.size and bool(_core.any(outside)):
        wrong = _core.gpuopt_mask_select(rest.reshape(-1), outside.reshape(-1))[0]
        raise ValueError(f"index {int(wrong)} is out of bounds for array with size {math.prod(shape)}")
    for size in shape if order == "F" else reversed(shape):
        result.append(rest % size)
        rest = rest // size
    return tuple(result if order == "F" else reversed(result))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sums of the diagonals of planes.

    >>> gp.trace([[1, 2], [3, 4]])
    array(5)
    """
    return _core.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def tril_indices(n, k=0, m=None):
    """The indices of the lower triangle of a matrix.

    >>> gp.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    from ._creation import tri
    from ._indexing import nonzero

    return nonzero(tri(n, m, k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """The indices of the upper triangle of a matrix.

    >>> gp.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    from ._creation import tri
    from ._indexing import nonzero

    return nonzero(_core.logical_not(tri(n, m, k - 1, dtype=bool)))


def issubdtype(arg1, arg2):
    """Whether a dtype is of a class of NumPy's.

    >>> gp.issubdtype("float32", "float32")
    True
    """
    import numpy

    return numpy.issubdtype(arg1, arg2)


def iterable(y):
    """Whether one can iterate over it.

    >>> gp.iterable(gp.arange(3))
    True
    """
    return hasattr(y, "__iter__")


def ndim(a):
    """The number of dimensions.

    >>> gp.ndim([[1, 2], [3, 4]])
    2
    """
    return _array(a).ndim


def shape(a):
    """The size of each dimension.

    >>> gp.shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    return _array(a).shape


def size(a, axis=None):
    """The number of elements, or along an axis.

    >>> gp.size([[1, 2, 3], [4, 5, 6]])
    6
    """
    return (
        _array(a).size
        if axis is None
        else math.prod(_array(a).shape[i] for i in (axis if isinstance(axis, tuple) else (axis,)))
    )


def copy(a, order="K"):
    """A copy of an array.

    >>> gp.copy(gp.array([1, 2]))
    array([1, 2])
    """
    return _convert.asarray(a, copy=True)


def copyto(dst, src, casting="same_kind", where=True):
    """Writes src into dst, or where a mask is true. TypeError if `casting` does not allow the cast.

    >>> x = gp.zeros(3)
    >>> gp.copyto(x, [1, 2, 3])
    >>> x
    array([1., 2., 3.])
    """
    if not isinstance(src, (bool, int)):
        src = src if isinstance(src, (float, complex)) else _convert.asarray(src, device=dst.device)
        _check_casts([_convert.asarray(src)], dst.dtype, casting)
    if where is True:
        dst[...] = src
    else:
        dst[...] = _core.where(where, src, dst)


def common_type(*arrays):
    """The floating dtype that the arrays promote to.

    >>> gp.common_type(gp.array([1]), gp.array([1.0], dtype="float32"))
    <class 'numpy.float64'>
    """
    return result_type(*arrays, "float32" if all(a.dtype.kind == "f" for a in arrays) else "float64").type


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d of each line along an axis.

    >>> gp.apply_along_axis(gp.sort, 1, gp.array([[3, 1], [2, 5]]))
    array([[1, 3],
           [2, 5]])
    """
    from ._manipulation import moveaxis, stack

    arr = _array(arr)
    lines = moveaxis(arr, axis, -1)
    flat = lines.reshape((math.prod(lines.shape[:-1]), arr.shape[axis]))
    results = [_convert.asarray(func1d(flat[i], *args, **kwargs)) for i in range(flat.shape[0])]
    joined = stack(results).reshape((*lines.shape[:-1], *results[0].shape))
    return moveaxis(joined, -1, axis) if results[0].ndim == 1 else joined


def apply_over_axes(func, a, axes):
    """func(a, axis) over several axes, one after the other; axes that it reduces are kept with size 1.

    >>> gp.apply_over_axes(gp.sum, gp.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    result = _array(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        axis = _axis(axis, result.ndim)
        found = func(result, axis)
        if found.ndim not in (result.ndim, result.ndim - 1):
            raise ValueError("function is not returning an array of the correct shape")
        result = found if found.ndim == result.ndim else _core.gpuopt_expand_dims(found, axis)
    return result
