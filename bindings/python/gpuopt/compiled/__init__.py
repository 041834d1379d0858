# bindings/python/gpuopt/compiled/__init__.py -- Python functions that are compiled: Numba's decorators.
"""A Python function's syntax tree becomes the library's CUDA C++ text, one function for each signature. The library
compiles it and keeps it in its cache."""

from .dispatch import Dispatcher, jit, njit
from .errors import TypingError, Unsupported
from .loops import prange
from .types import NUMBERS, Signature, none, typeof, void

__all__ = [
    "NUMBERS",
    "Dispatcher",
    "Signature",
    "TypingError",
    "Unsupported",
    "jit",
    "njit",
    "none",
    "prange",
    "typeof",
    "void",
]
