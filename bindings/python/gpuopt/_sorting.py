# bindings/python/gpuopt/_sorting.py -- sorting, searching, histograms and sets.
from . import _convert, _core
from ._manipulation import _array, _axis

ndarray = _core.ndarray


def _given(axis, x):
    """An axis as the library takes one that may be missing."""
    return None if axis is None else (_axis(axis, x.ndim),)


def _beside(x, other):
    """Something that is to be compared with x: a number stays one."""
    if isinstance(other, (bool, int, float, complex)) and type(other).__module__ != "numpy":
        return other
    return _convert.asarray(other, device=x.device)


def sort(x, /, axis=-1, kind=None, *, descending=False, stable=True):
    """x sorted along an axis, or flattened and sorted; NaN last. Always stable.

    >>> gp.sort(gp.array([3, 1, 2]))
    array([1, 2, 3])
    """
    x = _array(x)
    return _core.gpuopt_sort(x, _given(axis, x), int(descending))


def argsort(x, /, axis=-1, kind=None, *, descending=False, stable=True):
    """The indices that sort x along an axis. Always stable.

    >>> gp.argsort(gp.array([3, 1, 2]))
    array([1, 2, 0])
    """
    x = _array(x)
    return _core.gpuopt_argsort(x, _given(axis, x), int(descending))


def partition(a, kth, axis=-1, kind="introselect"):
    """Elements parted at one, or several, that are in their sorted places.

    >>> gp.partition(gp.array([3, 1, 2]), 0)[0]
    array(1)
    """
    a = _array(a)
    if hasattr(kth, "__len__"):
        return sort(a, axis)
    return _parted(_core.gpuopt_partition, a, kth, axis)


def _parted(function, a, kth, axis):
    axes = _given(axis, a)
    try:
        return function(a, kth, axes)
    except IndexError:
        size = a.size if axes is None else a.shape[axes[0]]
        raise ValueError(f"kth(={kth}) out of bounds ({size})") from None


def argpartition(a, kth, axis=-1, kind="introselect"):
    """The indices of partition.

    >>> gp.argpartition(gp.array([3, 1, 2]), 0)[0]
    array(1)
    """
    a = _array(a)
    if hasattr(kth, "__len__"):
        return argsort(a, axis)
    return _parted(_core.gpuopt_argpartition, a, kth, axis)


def lexsort(keys, axis=-1):
    """The indices that sort by several keys, of which the last one counts most.

    >>> gp.lexsort(([1, 2, 3], [5, 4, 4]))
    array([1, 2, 0])
    """
    keys = [_array(key) for key in keys]
    return _core.gpuopt_lexsort(len(keys), keys, axis)


def take_along_axis(x, indices, /, axis=-1):
    """Elements of each line along an axis, at that line's own indices.

    >>> gp.take_along_axis(gp.array([[1, 2], [3, 4]]), gp.array([[1], [0]]), axis=1)
    array([[2],
           [3]])
    """
    x = _array(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    return _core.gpuopt_take_along_axis(x, _convert.asarray(indices, device=x.device), _axis(axis, x.ndim))


def searchsorted(x1, x2, /, side="left", sorter=None):
    """Where elements of x2 would be put to keep x1 sorted.

    >>> gp.searchsorted(gp.array([1, 3, 5]), 4)
    array(2)
    """
    x1 = _array(x1)
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    sorter = None if sorter is None else _convert.asarray(sorter, device=x1.device)
    return _core.gpuopt_searchsorted(x1, _beside(x1, x2), int(side == "right"), sorter)


def digitize(x, bins, right=False):
    """The bins that elements are in.

    >>> gp.digitize([0.5, 1.5, 2.5], [1.0, 2.0])
    array([0, 1, 2])
    """
    x = _array(x)
    return _core.gpuopt_digitize(x, _convert.asarray(bins, device=x.device), int(right))


def bincount(x, /, weights=None, minlength=0):
    """Counts of each non-negative integer, or the sums of their weights.

    >>> gp.bincount(gp.array([0, 1, 1, 3]))
    array([1, 2, 0, 1])
    """
    x = _array(x)
    weights = None if weights is None else _convert.asarray(weights, device=x.device)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    return _core.gpuopt_bincount(x, weights, minlength)


def _edges(x, bins, bounds):
    """The edges of bins of one width between two numbers."""
    low, high = map(float, bounds)
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not abs(low) + abs(high) < float("inf"):
        raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    dtype = x.dtype.name if x.dtype.kind == "f" else "float64"
    return _core.gpuopt_linspace(x.device, dtype, low, high, bins + 1, 1)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements are in each bin, and the bins' edges. `bins` is a number, or the edges in ascending order.

    >>> gp.histogram([1, 2, 1], bins=2)
    (array([2, 1]), array([1. , 1.5, 2. ]))
    """
    a = _array(a)
    if isinstance(bins, str):
        from ._host import call

        return call("numpy.histogram", a, bins, range, density, weights)
    weights = None if weights is None else _convert.asarray(weights, device=a.device)
    if hasattr(bins, "__len__") or isinstance(bins, ndarray):
        edges = _convert.asarray(bins, device=a.device)
    elif bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    elif range is None:
        return _core.gpuopt_histogram(a, bins, None, weights, int(bool(density)))
    else:
        edges = _edges(a, bins, range)
    return _core.gpuopt_histogram_with(a, edges, weights, int(bool(density))), edges


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins of histogram.

    >>> gp.histogram_bin_edges([0.0, 1.0, 4.0], bins=4)
    array([0., 1., 2., 3., 4.])
    """
    return histogram(a, bins, range)[1]


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points, rows of a matrix or a sequence of coordinates, are in each cell of a grid, and its edges.

    >>> gp.histogramdd([[0.0, 0.0], [1.0, 1.0]], bins=2)[0]
    array([[0., 0.],
           [0., 2.]])
    """
    sample = _sample(sample)
    weights = None if weights is None else _convert.asarray(weights, device=sample.device)
    dims = sample.shape[1]
    bins = (bins,) * dims if not hasattr(bins, "__len__") else bins
    if len(bins) != dims:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is not None and len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    edges = tuple(
        _grid_edges(sample[:, i], each, None if range is None else range[i], i) for i, each in enumerate(bins)
    )
    return _core.gpuopt_histogramdd_with(sample, dims, edges, weights, int(bool(density))), edges


def _sample(sample):
    if not isinstance(sample, ndarray) and isinstance(sample, (tuple, list)):
        from ._manipulation import stack

        return stack([_array(x) for x in sample], axis=-1)
    sample = _array(sample)
    return sample.reshape(-1, 1) if sample.ndim == 1 else sample


def _grid_edges(x, bins, bounds, axis):
    """The edges along an axis: as they are given, or of one width."""
    if hasattr(bins, "__len__") or isinstance(bins, ndarray):
        return _convert.asarray(bins, device=x.device)
    if bins < 1:
        raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
    if bounds is not None:
        return _edges(x if x.dtype.kind != "f" else x[:0].astype("float64"), bins, bounds)
    return _core.gpuopt_histogram(x, bins, None, None, 0)[1]


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points are in each cell of a grid of two dimensions, and the edges along both axes.

    >>> gp.histogram2d([0.0, 1.0, 1.0], [0.0, 1.0, 1.0], bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    x = _array(x)
    y = _convert.asarray(y, device=x.device)
    if x.shape != y.shape:
        raise ValueError("x and y must have the same length.")
    if not hasattr(bins, "__len__"):
        both = (bins, bins)
    else:
        both = bins if len(bins) == 2 else (bins, bins)
    counts, edges = histogramdd((x, y), both, range, density, weights)
    return counts, edges[0], edges[1]


def unique_values(x, /):
    """The different elements in ascending order; NaNs are different ones.

    >>> gp.unique_values(gp.array([3, 1, 3]))
    array([1, 3])
    """
    return _core.gpuopt_unique_values(_array(x), 0)


def unique_counts(x, /):
    """The different elements and their counts.

    >>> gp.unique_counts(gp.array([3, 1, 3])).counts
    array([1, 2])
    """
    from ._results import UniqueCountsResult

    return UniqueCountsResult(*_core.gpuopt_unique_counts(_array(x), 0))


def unique_inverse(x, /):
    """The different elements and their places in x.

    >>> gp.unique_inverse(gp.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    from ._results import UniqueInverseResult

    return UniqueInverseResult(*_core.gpuopt_unique_inverse(_array(x), 0))


def unique_all(x, /):
    """The different elements, their first positions, their places in x, and their counts.

    >>> gp.unique_all(gp.array([3, 1, 3])).counts
    array([1, 2])
    """
    from ._results import UniqueAllResult

    return UniqueAllResult(*_core.gpuopt_unique_all(_array(x), 0))


def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """The different elements in ascending order, and what is asked for of their positions and counts.

    >>> gp.unique([3, 1, 3])
    array([1, 3])
    """
    ar = _array(ar)
    if axis is not None:
        from ._host import call

        return call("numpy.unique", ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    if not (return_index or return_inverse or return_counts):
        return _core.gpuopt_unique_values(ar, int(equal_nan))
    values, *others = _core.gpuopt_unique_all(ar, int(equal_nan))
    wanted = (return_index, return_inverse, return_counts)
    return (values, *(other for other, asked in zip(others, wanted) if asked))


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among others.

    >>> gp.isin(gp.array([1, 2, 3]), [2, 4])
    array([False,  True, False])
    """
    element = _array(element)
    return _core.gpuopt_isin(element, _beside(element, test_elements), int(invert))


def union1d(ar1, ar2):
    """The elements of either array, in ascending order.

    >>> gp.union1d([1, 2], [2, 3])
    array([1, 2, 3])
    """
    return _core.gpuopt_union1d(_array(ar1), _array(ar2))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The elements of both arrays, in ascending order.

    >>> gp.intersect1d([1, 2, 3], [2, 3, 4])
    array([2, 3])
    """
    if return_indices:
        from ._host import call

        return call("numpy.intersect1d", ar1, ar2, assume_unique, return_indices)
    return _core.gpuopt_intersect1d(_array(ar1), _array(ar2))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of the first array that are not in the second, in ascending order; as they stand if they are said
    to be different ones.

    >>> gp.setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """
    if assume_unique:
        ar1 = _array(ar1).reshape(-1)
        return ar1[isin(ar1, ar2, invert=True)]
    return _core.gpuopt_setdiff1d(_array(ar1), _array(ar2))


def setxor1d(ar1, ar2, assume_unique=False):
    """The elements of exactly one of the arrays, in ascending order.

    >>> gp.setxor1d([1, 2, 3], [2, 4])
    array([1, 3, 4])
    """
    return _core.gpuopt_setxor1d(_array(ar1), _array(ar2))
