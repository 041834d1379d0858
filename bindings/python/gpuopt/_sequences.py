# bindings/python/gpuopt/_sequences.py -- geometric sequences, grids, functions of indices, and windows.
from . import _convert, _core, _dtypes
from ._creation import _count, _number, as_shape
from ._manipulation import _array, moveaxis
from ._namespace import result_type

ndarray = _core.ndarray


def are_several(*ends):
    """Whether one of these is no number, but an array or a list of them."""
    return any(getattr(end, "ndim", 0) or isinstance(end, (tuple, list)) for end in ends)


def lines_between(start, stop, num, endpoint, device):
    """`num` evenly spaced numbers along a new first axis from each start to its stop, and the steps."""
    start, stop = (_convert.asarray(end, device=device) for end in (start, stop))
    start, stop = (_convert.astype(end, result_type(start, stop, 1.0), copy=False) for end in (start, stop))
    parts = num - 1 if endpoint else num
    delta = stop - start
    counts = _core.gpuopt_arange(delta.device, "float64", 0, num, 1).reshape((-1,) + (1,) * delta.ndim)
    step = delta / parts if parts > 0 else delta * float("nan")
    result = start + (_core.where(step == 0, counts / parts * delta, counts * step) if parts > 0 else counts * delta)
    if endpoint and num > 1:
        result[-1] = stop
    return result, step


def _along(result, dtype, axis):
    result = result if axis == 0 else moveaxis(result, 0, axis)
    return result if dtype is None else _convert.astype(result, dtype)


def linspaces(start, stop, num, endpoint, dtype, axis, device):
    """linspace of several ends, and the steps."""
    result, step = lines_between(start, stop, num, endpoint, device)
    if dtype is not None and _dtypes.of(dtype).kind in "iu":
        result = _core.floor(result)
    return _along(result, dtype, axis), step


def logspaces(start, stop, num, endpoint, base, dtype, axis, device):
    """logspace of several ends or bases."""
    base = _convert.asarray(base, device=device)
    start, stop = (_convert.asarray(end, device=device) for end in (start, stop))
    start, stop = (end + _core.gpuopt_zeros_like(base, None) if base.ndim else end for end in (start, stop))
    return _along(_core.pow(base, lines_between(start, stop, num, endpoint, device)[0]), dtype, axis)


def _geomspaces(start, stop, num, endpoint, dtype, axis, device):
    start, stop = (_convert.asarray(end, device=device) for end in (start, stop))
    start, stop = (_convert.astype(end, result_type(start, stop, "float64"), copy=False) for end in (start, stop))
    if bool(_core.any(start == 0)) or bool(_core.any(stop == 0)):
        raise ValueError("Geometric sequence cannot include zero")
    sign = _core.sign(start)
    first, last = start / sign, stop / sign
    result = logspaces(_core.log10(first), _core.log10(last), num, endpoint, 10.0, None, 0, device)
    if num > 0:
        result[0] = first
    if num > 1 and endpoint:
        result[-1] = last
    return _along(result * sign, dtype, axis)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None) -> ndarray:
    """Numbers of a constant ratio; of several ends, along a new axis."""
    if are_several(start, stop):
        return _geomspaces(start, stop, _count(num), endpoint, dtype, axis, device)
    return _core.gpuopt_geomspace(device, dtype, _number(start), _number(stop), num, int(endpoint))


def vander(x, N=None, increasing=False):
    """The powers of elements, as the rows of a matrix."""
    return _core.gpuopt_vander(_array(x), -1 if N is None else N, int(increasing))


def fromfunction(function, shape, *, dtype=float, device=None, **kwargs):
    """An array from a function of the indices; a text is an expression of i0, i1, .., compiled as a kernel's."""
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
    """The triangular window."""
    return _core.gpuopt_bartlett(device, int(M))


def blackman(M, *, device=None) -> ndarray:
    """Blackman's window."""
    return _core.gpuopt_blackman(device, int(M))


def hamming(M, *, device=None) -> ndarray:
    """Hamming's window."""
    return _core.gpuopt_hamming(device, int(M))


def hanning(M, *, device=None) -> ndarray:
    """Von Hann's window."""
    return _core.gpuopt_hanning(device, int(M))


def kaiser(M, beta, *, device=None) -> ndarray:
    """Kaiser's window."""
    return _core.gpuopt_kaiser(device, int(M), beta)


def i0(x):
    """The modified Bessel function of the first kind and order 0."""
    return _core.gpuopt_i0(_array(x))
