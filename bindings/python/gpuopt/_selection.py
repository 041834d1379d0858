# bindings/python/gpuopt/_selection.py -- choosing, editing and joining by conditions and indices.
import operator

from . import _convert, _core
from ._indexing import _as_value, _read
from ._manipulation import _array, _axis, split

_MODES = {"raise": 0, "wrap": 1, "clip": 2}


def _mode(mode):
    if mode not in _MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return _MODES[mode]


def choose(a, choices, out=None, mode="raise"):
    """Of each place the choice that an index names.

    >>> gp.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    a = _array(a)
    choices = [_as_value(a, choice) for choice in choices]
    result = _core.gpuopt_choose(a, len(choices), choices, _mode(mode))
    if out is None:
        return result
    out[...] = result
    return out


def piecewise(x, condlist, funclist, *args, **kw):
    """Values, or functions of the elements, where conditions are true; of several the last one counts.

    >>> x = gp.array([-1.0, 2.0])
    >>> gp.piecewise(x, [x < 0, x >= 0], [0.0, 1.0])
    array([0., 1.])
    """
    x = _array(x)
    if not isinstance(condlist, (list, tuple)) or condlist and not hasattr(condlist[0], "__len__") and x.ndim:
        condlist = [condlist]
    conditions = [_convert.asarray(condition, device=x.device).astype(bool) for condition in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    if not any(map(callable, funclist)):
        values = [_as_value(x, value) for value in funclist]
        return _core.gpuopt_piecewise(x, len(conditions), conditions, len(values), values)
    if len(funclist) > len(conditions):
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions, funclist = [~rest, *conditions], [funclist[-1], *funclist[:-1]]
    y = _core.gpuopt_zeros_like(x, None)
    for condition, function in zip(conditions, funclist):
        y[condition] = function(x[condition], *args, **kw) if callable(function) else function
    return y


def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros at the front and the back of each axis, or of one.

    >>> gp.trim_zeros([0, 1, 2, 0])
    array([1, 2])
    """
    sides = {"fb": 3, "bf": 3, "f": 1, "b": 2}.get(trim.lower())
    if sides is None:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    filt = _array(filt)
    for each in (None,) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,):
        filt = _core.gpuopt_trim_zeros(filt, sides, None if each is None else (_axis(each, filt.ndim),))
    return filt


def put_along_axis(arr, indices, values, axis):
    """Writes values at indices along an axis; None is the flattened array.

    >>> x = gp.zeros((2, 2))
    >>> gp.put_along_axis(x, gp.array([[0], [1]]), 5.0, axis=1)
    >>> x
    array([[5., 0.],
           [0., 5.]])
    """
    indices = _convert.asarray(indices, device=arr.device)
    if axis is None:
        return put_along_axis(_core.gpuopt_reshape(arr, 1, (-1,), 2), indices, values, 0)
    _core.gpuopt_put_along_axis(arr, indices, _as_value(arr, values), _axis(axis, arr.ndim))
    return None


def _at(name, doc, start, value, result):
    def function(a, indices, b):
        items, arrays = _read(a, indices)
        _core.gpuopt_apply_at(_core.accumulating[name], a, len(items), items, len(arrays), arrays, _as_value(a, b))

    function.__name__ = function.__qualname__ = f"{name}_at"
    function.__doc__ = (
        f"{doc} Each of several equal indices counts, in their order: numpy.{name}.at.\n\n"
        f">>> x = gp.array({start})\n>>> gp.{name}_at(x, [0, 0, 2], {value})\n>>> x\narray({result})\n"
    )
    return function


add_at = _at("add", "a[indices] += b.", [1, 1, 1], 2, [5, 1, 3])
subtract_at = _at("subtract", "a[indices] -= b.", [2, 2, 2], 1, [0, 2, 1])
multiply_at = _at("multiply", "a[indices] *= b.", [1, 1, 1], 2, [4, 1, 2])
minimum_at = _at("minimum", "a[indices] = minimum(a[indices], b).", [1, 5, 4], 3, [1, 5, 3])
maximum_at = _at("maximum", "a[indices] = maximum(a[indices], b).", [1, 5, 4], 3, [3, 5, 4])


# ---- Indices


def diag_indices(n, ndim=2):
    """The indices of the diagonal of an array with axes of size n.

    >>> gp.diag_indices(2)
    (array([0, 1]), array([0, 1]))
    """
    return (_core.gpuopt_arange(None, "int64", 0, operator.index(n), 1),) * ndim


def diag_indices_from(arr):
    """The indices of the diagonal of an array.

    >>> gp.diag_indices_from(gp.zeros((2, 2)))
    (array([0, 1]), array([0, 1]))
    """
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (_core.gpuopt_arange(arr.device, "int64", 0, arr.shape[0], 1),) * arr.ndim


def tril_indices_from(arr, k=0):
    """The indices of the lower triangle of a matrix.

    >>> gp.tril_indices_from(gp.zeros((2, 2)))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return _core.gpuopt_tril_indices_from(arr, k)


def triu_indices_from(arr, k=0):
    """The indices of the upper triangle of a matrix.

    >>> gp.triu_indices_from(gp.zeros((2, 2)))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return _core.gpuopt_triu_indices_from(arr, k)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices along each axis as positions of the flattened array.

    >>> gp.ravel_multi_index(([0, 1], [2, 1]), (2, 3))
    array([2, 4])
    """
    indices = [_array(index) for index in multi_index]
    modes = [mode] * len(dims) if isinstance(mode, str) else list(mode)
    if len(indices) != len(dims) or len(modes) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    fortran = int(order == "F")
    return _core.gpuopt_ravel_multi_index(len(dims), indices, tuple(dims), list(map(_mode, modes)), fortran)


# ---- Shapes and joining


def resize(a, new_shape):
    """The elements, again from the first one on, in another shape.

    >>> gp.resize([1, 2, 3], (2, 2))
    array([[1, 2],
           [3, 1]])
    """
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if any(size < 0 for size in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    return _core.gpuopt_resize(_array(a), len(shape), shape)


def diagflat(v, k=0):
    """A matrix with the flattened array on a diagonal.

    >>> gp.diagflat([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    return _core.gpuopt_diagflat(_array(v), k)


def hsplit(ary, indices_or_sections):
    """Parts along the second axis, or of one dimension along it.

    >>> gp.hsplit(gp.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    ary = _array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """Parts along the first axis.

    >>> gp.vsplit(gp.array([[1, 2], [3, 4]]), 2)
    [array([[1, 2]]), array([[3, 4]])]
    """
    ary = _array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Parts along the third axis.

    >>> [part.shape for part in gp.dsplit(gp.zeros((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    ary = _array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def block(arrays):
    """An array of blocks in nested lists.

    >>> gp.block([[gp.ones((1, 1)), gp.zeros((1, 2))]])
    array([[1., 0., 0.]])
    """
    counts, leaves, depths = [], [], set()

    def visit(item, depth):
        if isinstance(item, tuple):
            raise TypeError("Only lists can be used to arrange blocks, and np.block does not allow implicit conversion")
        if not isinstance(item, list):
            leaves.append(_array(item))
            return depths.add(depth)
        if not item:
            raise ValueError(f"List at depth {depth + 1} cannot be empty")
        counts.append(len(item))
        for part in item:
            visit(part, depth + 1)
        return None

    visit(arrays, 0)
    if len(depths) > 1:
        raise ValueError("List depths are mismatched.")
    depth = depths.pop()
    return _core.gpuopt_block(depth, len(counts), counts, len(leaves), leaves) if depth else leaves[0].copy()


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the flattened array, between other elements.

    >>> gp.ediff1d([1, 4, 9])
    array([3, 5])
    """
    ary = _array(ary)
    ends = (None if end is None else _as_value(ary, end) for end in (to_end, to_begin))
    return _core.gpuopt_ediff1d(ary, *ends)
