# bindings/python/gpuopt/_sequences.py -- geometric sequences, grids, functions of indices, and windows.
from . import _convert, _core, _dtypes
from ._creation import _count, _number, as_shape
from ._manipulation import _array, moveaxis
from ._namespace import result_type

ndarray = _core.ndarray


def are_several(*ends):
    """Whether one of these is no number, but an array or a list of them."""
    return any(getattr(end, "ndim", 0) or isinstance(end, (tuple, list)) for end in ends)


def _ends(device, *ends):
    """Ends as the library takes them: numbers, and arrays."""
    return [end if isinstance(end, (int, float, complex)) else _convert.asarray(end, device=device) for end in ends]


def linspaces(start, stop, num, endpoint, dtype, axis, device):
    """linspace of several ends, and the steps."""
    steps, result = _core.gpuopt_linspace_between(*_ends(device, start, stop), num, int(endpoint), axis, dtype)
    return result, steps


def logspaces(start, stop, num, endpoint, base, dtype, axis, device):
    """logspace of several ends or bases."""
    ends = _ends(device, start, stop, base)
    return _core.gpuopt_logspace_between(*ends, num, int(endpoint), axis, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None) -> ndarray:
    """Numbers of a constant ratio; of several ends, along a new axis.

    >>> gp.geomspace(1, 1000, 4).round(6)
    array([   1.,   10.,  100., 1000.])
    """
    if are_several(start, stop):
        ends = _ends(device, start, stop)
        return _core.gpuopt_geomspace_between(*ends, _count(num), int(endpoint), axis, dtype)
    return _core.gpuopt_geomspace(device, dtype, _number(start), _number(stop), num, int(endpoint))


def vander(x, N=None, increasing=False):
    """The powers of elements, as the rows of a matrix.

    >>> gp.vander([1, 2, 3])
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    return _core.gpuopt_vander(_array(x), -1 if N is None else N, int(increasing))


def fromfunction(function, shape, *, dtype=float, device=None, **kwargs):
    """An array from a function of the indices; a text is an expression of i0, i1, .., compiled as a kernel's.

    >>> gp.fromfunction(lambda i, j: i + j, (2, 2))
    array([[0., 1.],
           [1., 2.]])
    """
    shape = as_shape(shape)
    if isinstance(function, str):
        return _core.gpuopt_fromfunction(device, dtype, len(shape), shape, function)
    axes = [slice(0, size) for size in shape]
    grid = _Grid(False)[tuple(axes)] if axes else ()
    return function(*(axis.astype(dtype) for axis in grid), **kwargs)


class _Grid:
    """The coordinates of a grid: indexed by slices, of which a complex step is a number of points."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        single = not isinstance(key, tuple)
        axes = (key,) if single else key
        ends = [(axis.start or 0, axis.stop, 1 if axis.step is None else axis.step) for axis in axes]
        start, stop, step = ([_number(end[i]) for end in ends] for i in range(3))
        grid = _core.gpuopt_mgrid(None, len(axes), start, stop, step)
        if single:
            return grid[0]
        if not self._sparse:
            return grid
        whole = slice(None)
        return tuple(
            grid[(i, *(whole if k == i else slice(0, 1) for k in range(len(axes))))] for i in range(len(axes))
        )


mgrid = _Grid(False)
ogrid = _Grid(True)


def bartlett(M, *, device=None) -> ndarray:
    """The triangular window.

    >>> gp.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _core.gpuopt_bartlett(device, int(M))


def blackman(M, *, device=None) -> ndarray:
    """Blackman's window.

    >>> gp.blackman(5).round(6)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    return _core.gpuopt_blackman(device, int(M))


def hamming(M, *, device=None) -> ndarray:
    """Hamming's window.

    >>> gp.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _core.gpuopt_hamming(device, int(M))


def hanning(M, *, device=None) -> ndarray:
    """Von Hann's window.

    >>> gp.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _core.gpuopt_hanning(device, int(M))


def kaiser(M, beta, *, device=None) -> ndarray:
    """Kaiser's window.

    >>> gp.kaiser(3, 0.0)
    array([1., 1., 1.])
    """
    return _core.gpuopt_kaiser(device, int(M), beta)


def i0(x):
    """The modified Bessel function of the first kind and order 0.

    >>> gp.i0([0.0])
    array([1.])
    """
    return _core.gpuopt_i0(_array(x))
