# bindings/python/gpuopt/_host.py -- functions that the library does not have yet, computed by NumPy in host memory.
#
# The arguments are copied to the host and the results to the device that the arguments are on. What the library
# learns to do itself leaves this file.

from . import _convert, _core

ndarray = _core.ndarray


def _first(values):
    for value in values:
        if isinstance(value, ndarray):
            return value.device
        if isinstance(value, (tuple, list)):
            found = _first(value)
            if found is not None:
                return found
    return None


def _down(value):
    if isinstance(value, ndarray):
        return _convert.asnumpy(value)
    return type(value)(map(_down, value)) if isinstance(value, (tuple, list)) else value


def _up(value, device):
    from collections import namedtuple

    import numpy

    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return _convert.from_numpy(value, device)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return namedtuple(type(value).__name__, value._fields)(*(_up(v, device) for v in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_up(v, device) for v in value)
    return value


def call(path, *args, **kwargs):
    """The result of the function of NumPy at a path, for arrays of gpuopt."""
    import importlib

    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    result = found(*map(_down, args), **{k: _down(v) for k, v in kwargs.items()})
    return _up(result, _first((*args, *kwargs.values())))


def _of(path, doc, example=""):
    """A function as NumPy has it at a path."""

    def function(*args, **kwargs):
        return call(path, *args, **kwargs)

    function.__name__ = function.__qualname__ = path.rpartition(".")[2]
    function.__doc__ = f"{doc}\n\nComputed by NumPy on the host.\n\n{example}"
    return function


# ---- Insertion
# ------------------------------------------------------------------------------------------------------------

insert = _of(
    "numpy.insert",
    "Values inserted along an axis.",
    """>>> gp.insert(gp.array([1, 2, 3]), 1, 9)
array([1, 9, 2, 3])""",
)

# ---- Bits, text and files ------------------------------------------------------------------------------------------

packbits = _of(
    "numpy.packbits",
    "Eight elements as the bits of one byte, uint8.",
    """>>> gp.packbits(gp.array([1, 0, 1, 0, 0, 0, 0, 1], dtype="uint8"))
array([161], dtype=uint8)""",
)
unpackbits = _of(
    "numpy.unpackbits",
    "The bits of bytes as elements, uint8.",
    """>>> gp.unpackbits(gp.array([161], dtype="uint8"))
array([1, 0, 1, 0, 0, 0, 0, 1], dtype=uint8)""",
)
real_if_close = _of(
    "numpy.real_if_close",
    "The real components, if the imaginary ones are next to zero.",
    """>>> gp.real_if_close(gp.array([1.0 + 0j]))
array([1.])""",
)
sort_complex = _of(
    "numpy.sort_complex",
    "The elements as complex numbers in the order of their components.",
    """>>> gp.sort_complex(gp.array([2 + 1j, 1 + 0j]))
array([1.+0.j, 2.+1.j])""",
)
mask_indices = _of(
    "numpy.mask_indices",
    "The indices of a square matrix that a function such as triu keeps.",
    """>>> gp.mask_indices(2, gp.triu)
(array([0, 0, 1]), array([0, 1, 1]))""",
)
fromfile = _of("numpy.fromfile", "The numbers of a file, of bytes or of text.")
fromstring = _of(
    "numpy.fromstring",
    "The numbers of a text.",
    """>>> gp.fromstring("1 2 3", sep=" ")
array([1., 2., 3.])""",
)
genfromtxt = _of(
    "numpy.genfromtxt",
    "The numbers of a text file that lacks some.",
    """>>> gp.genfromtxt(["1,,3"], delimiter=",")
array([ 1., nan,  3.])""",
)
array2string = _of(
    "numpy.array2string",
    "The text of an array, with NumPy's options.",
    """>>> gp.array2string(gp.array([1, 2]), separator=", ")
'[1, 2]'""",
)
array_repr = _of(
    "numpy.array_repr",
    "repr of an array, with NumPy's options.",
    """>>> gp.array_repr(gp.array([1, 2]))
'array([1, 2])'""",
)
array_str = _of(
    "numpy.array_str",
    "str of an array, with NumPy's options.",
    """>>> gp.array_str(gp.array([1, 2]))
'[1 2]'""",
)
