# bindings/python/gpuopt/compiled/fusion.py -- fuse: functions of arrays in one pass, as CuPy's.
import functools

from .. import _core

ndarray = _core.ndarray


def _evaluated(result):
    arrays = [r for r in (result if isinstance(result, (tuple, list)) else (result,)) if isinstance(r, ndarray)]
    if arrays:
        _core.eval(*arrays)
    return result


class Fusion:
    """A function whose operations on arrays run together.

    Operations are recorded anyway, and those that one pass can do become one; this runs them when the function returns.
    """

    def __init__(self, function, name=None):
        functools.update_wrapper(self, function)
        self.py_func, self.name = function, name or function.__name__

    def __repr__(self):
        return f"<Fusion name={self.name!r}>"

    def __call__(self, *args, **kwargs):
        return _evaluated(self.py_func(*args, **kwargs))


def fuse(*args, kernel_name=None):
    """cupy.fuse: a function of arrays, whose operations run in one pass. With or without parentheses.

    >>> f = gp.fuse(lambda x, y: gp.sqrt(x * x + y * y))
    >>> f(gp.array([3.0]), gp.array([4.0]))
    array([5.])
    """
    if args and callable(args[0]) and len(args) == 1:
        return Fusion(args[0], kernel_name)
    return lambda function: Fusion(function, kernel_name)
