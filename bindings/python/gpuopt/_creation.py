# bindings/python/gpuopt/_creation.py -- new arrays: of one value, of sequences of numbers, of the shape of another.
import operator

from . import _convert, _core, _dtypes

ndarray = _core.ndarray


def as_shape(shape):
    """A shape as a tuple: of an int, or of a sequence of ints."""
    if isinstance(shape, (tuple, list)):
        return tuple(map(operator.index, shape))
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(map(operator.index, shape))


def new(shape, dtype=None, *_, **__) -> ndarray:
    """What ndarray(shape, dtype) gives."""
    return empty(shape, dtype)


def empty(shape, dtype=None, order="C", *, device=None) -> ndarray:
    """An array whose elements have no values yet.

    >>> gp.empty((2, 3)).shape
    (2, 3)
    """
    shape = as_shape(shape)
    return _core.gpuopt_empty(device, dtype, len(shape), shape)


def zeros(shape, dtype=None, order="C", *, device=None) -> ndarray:
    """An array of zeros; float64 unless a dtype is given.

    >>> gp.zeros((2, 2), dtype="int32")
    array([[0, 0],
           [0, 0]], dtype=int32)
    """
    shape = as_shape(shape)
    return _core.gpuopt_zeros(device, dtype, len(shape), shape)


def ones(shape, dtype=None, order="C", *, device=None) -> ndarray:
    """An array of ones; float64 unless a dtype is given.

    >>> gp.ones((2, 2))
    array([[1., 1.],
           [1., 1.]])
    """
    shape = as_shape(shape)
    return _core.gpuopt_ones(device, dtype, len(shape), shape)


def full(shape, fill_value, dtype=None, order="C", *, device=None) -> ndarray:
    """An array of one value, whose dtype it takes unless one is given.

    >>> gp.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    """
    shape = as_shape(shape)
    if not isinstance(fill_value, (bool, int, float, complex)) or type(fill_value).__module__ == "numpy":
        value = _convert.asarray(fill_value, dtype, device=device)
        result = empty(shape, value.dtype, device=device)
        result[...] = value
        return result
    if dtype is None:
        dtype = _convert._SCALARS[next(k for k in _convert._SCALARS if isinstance(fill_value, k))]
    return _core.gpuopt_full(device, dtype, len(shape), shape, fill_value)


def _like(call, x, dtype, shape, device, make):
    if not isinstance(x, _core.ndarray):
        x = _convert.asarray(x)
    if shape is not None or (device is not None and x.device != device):
        return make(x.shape if shape is None else shape, x.dtype if dtype is None else dtype, device=device or x.device)
    return call(x, dtype)


def empty_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """An array of x's shape, whose elements have no values yet.

    >>> gp.empty_like(gp.zeros((2, 3))).shape
    (2, 3)
    """
    return _like(_core.gpuopt_empty_like, x, dtype, shape, device, empty)


def zeros_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """Zeros of x's shape, dtype and device.

    >>> gp.zeros_like(gp.array([3, 4]))
    array([0, 0])
    """
    return _like(_core.gpuopt_zeros_like, x, dtype, shape, device, zeros)


def ones_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """Ones of x's shape, dtype and device.

    >>> gp.ones_like(gp.array([3, 4]))
    array([1, 1])
    """
    return _like(_core.gpuopt_ones_like, x, dtype, shape, device, ones)


def full_like(x, /, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """One value in x's shape, dtype and device.

    >>> gp.full_like(gp.zeros(3), 2.5)
    array([2.5, 2.5, 2.5])
    """
    if not isinstance(x, _core.ndarray):
        x = _convert.asarray(x)
    shape = x.shape if shape is None else shape
    return full(shape, fill_value, x.dtype if dtype is None else dtype, device=device or x.device)


def _number(value):
    return value.item() if hasattr(value, "item") else value


def arange(start, /, stop=None, step=1, dtype=None, *, device=None) -> ndarray:
    """start, start + step, ... below stop; with one number those from 0 below it.

    >>> gp.arange(2, 10, 3)
    array([2, 5, 8])
    """
    start, stop, step = _number(start), _number(stop), _number(step)
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("division by zero")
    return _core.gpuopt_arange(device, dtype, start, stop, step)


def linspace(start, stop, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced numbers from start to stop, which is among them unless endpoint is False; of several ends,
    along a new axis.

    >>> gp.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    from ._functions import linspace_of
    from ._sequences import are_several, linspaces

    num = _count(num)
    if are_several(start, stop):
        result, step = linspaces(start, stop, num, endpoint, dtype, axis, device)
    else:
        result, step = linspace_of(_number(start), _number(stop), num, endpoint, dtype, device)
    return (result, step) if retstep else result


def _count(num):
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    return num


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None) -> ndarray:
    """Numbers spaced evenly on a logarithmic scale; of several ends or bases, along a new axis.

    >>> gp.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    """
    from ._sequences import are_several, logspaces

    if are_several(start, stop, base):
        return logspaces(start, stop, _count(num), endpoint, base, dtype, axis, device)
    exponents = linspace(start, stop, num, endpoint, device=device)
    result = _core.pow(float(base), exponents)
    return result if dtype is None else _convert.astype(result, dtype)


def _diagonal_number(k):
    """k within int64: what is further off is no diagonal either."""
    return max(-(2**62), min(operator.index(k), 2**62))


def eye(N, M=None, k=0, dtype=None, order="C", *, device=None) -> ndarray:
    """Ones on the k-th diagonal of N rows and M columns, zeros elsewhere.

    >>> gp.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return _core.gpuopt_eye(device, dtype, N, -1 if M is None else M, _diagonal_number(k))


def identity(n, dtype=None, *, device=None) -> ndarray:
    """The identity matrix of n rows.

    >>> gp.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, device=device)


def tri(N, M=None, k=0, dtype=None, *, device=None) -> ndarray:
    """Ones at and below the k-th diagonal, zeros above.

    >>> gp.tri(3)
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """
    return _core.gpuopt_tri(device, dtype, N, -1 if M is None else M, _diagonal_number(k))


def tril(x, /, k=0) -> ndarray:
    """x with zeros above the k-th diagonal.

    >>> gp.tril(gp.ones((3, 3)))
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """
    return _core.gpuopt_tril(_convert.asarray(x), _diagonal_number(k))


def triu(x, /, k=0) -> ndarray:
    """x with zeros below the k-th diagonal.

    >>> gp.triu(gp.ones((3, 3)))
    array([[1., 1., 1.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """
    return _core.gpuopt_triu(_convert.asarray(x), _diagonal_number(k))


def meshgrid(*arrays, indexing="xy", sparse=False, copy=True):
    """Coordinate arrays of the grid that 1-d arrays span.

    >>> x, y = gp.meshgrid([1, 2, 3], [10, 20])
    >>> y
    array([[10, 10, 10],
           [20, 20, 20]])
    """
    from ._manipulation import broadcast_arrays

    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(arrays)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[0], order[1] = 1, 0
    flat = [_convert.asarray(a).reshape(-1) for a in arrays]
    grids = [a.reshape((1,) * order[i] + (-1,) + (1,) * (count - 1 - order[i])) for i, a in enumerate(flat)]
    if not sparse:
        grids = broadcast_arrays(*grids)
    return tuple(_core.gpuopt_copy_array(g) if copy else g for g in grids)


def fromiter(iter, dtype, count=-1, *, device=None) -> ndarray:
    """A 1-d array of what an iterator gives.

    >>> gp.fromiter((k * k for k in range(4)), dtype="int64")
    array([0, 1, 4, 9])
    """
    import numpy

    return _convert.from_numpy(numpy.fromiter(iter, _dtypes.of(dtype), count), device)


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, device=None) -> ndarray:
    """A 1-d array of a copy of a buffer's bytes.

    >>> gp.frombuffer(b"abc", dtype="uint8")
    array([97, 98, 99], dtype=uint8)
    """
    import numpy

    given = _dtypes.of(dtype) or numpy.dtype(float)
    if given.name != "bfloat16":
        given = given.newbyteorder(numpy.dtype(dtype).byteorder)
    return _convert.from_numpy(numpy.frombuffer(buffer, given, count, offset), device)
