# bindings/python/gpuopt/_memory.py -- how arrays lie in memory, and which of them share it.
from . import _convert, _core

ndarray = _core.ndarray


def view(self, dtype=None, type=None):
    """The same memory as elements of another dtype; where their sizes differ, the last axis becomes longer or shorter.

    Writes are seen by both. ValueError if the last axis is not contiguous, or does not hold a whole number of elements.
    """
    if type not in (None, ndarray):
        raise TypeError("view: arrays are of one class, gpuopt.ndarray")
    return _core.gpuopt_view_dtype(self, self.dtype if dtype in (None, ndarray) else dtype)


class _Place:
    """What NumPy is told of an array's place, whose elements it does not look at."""

    def __init__(self, x):
        self.__array_interface__ = {
            "version": 3,
            "shape": x.shape,
            "typestr": f"|V{x.itemsize}",
            "data": (_core.gpuopt_array_data(x) or 1, True),
            "strides": x.strides,
        }


def _place(x):
    import numpy

    return numpy.asarray(_Place(x)) if isinstance(x, ndarray) else numpy.asarray(x)


def shares_memory(a, b, max_work=None):
    """Whether some element of a lies where one of b does; arrays of NumPy's count, too.

    >>> x = gp.arange(4)
    >>> gp.shares_memory(x[::2], x[1::2])
    False
    """
    import numpy

    return bool(numpy.shares_memory(_place(a), _place(b), max_work))


def may_share_memory(a, b, max_work=None):
    """Whether the memory of a and b, from the first to the last element of each, overlaps.

    >>> x = gp.arange(4)
    >>> gp.may_share_memory(x, x[1:])
    True
    """
    import numpy

    return bool(numpy.may_share_memory(_place(a), _place(b), max_work))


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray, and ValueError for infinities and NaNs.

    >>> gp.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    x = _convert.asarray(a, dtype)
    if x.dtype.kind in "fcV" and not bool(_core.all(_core.isfinite(x))):
        raise ValueError("array must not contain infs or NaNs")
    return x


def asfortranarray(a, dtype=None):
    """The elements with those of the first axis side by side; a copy unless they lie so.

    >>> gp.asfortranarray([[1, 2], [3, 4]]).strides
    (8, 16)
    """
    x = _convert.asarray(a, dtype)
    return x if x.T._contiguous else _core.gpuopt_copy_array(x.T).T


def isfortran(a):
    """Whether the elements of the first axis lie side by side, and those of the last do not.

    >>> gp.isfortran(gp.asfortranarray([[1, 2], [3, 4]]))
    True
    """
    return a.T._contiguous and not a._contiguous


def min_scalar_type(a):
    """The smallest dtype that holds a number; of an array with dimensions its own.

    >>> gp.min_scalar_type(300)
    dtype('uint16')
    """
    import numpy

    if not isinstance(a, ndarray):
        return numpy.min_scalar_type(a)
    return a.dtype if a.ndim else numpy.min_scalar_type(a.item())
