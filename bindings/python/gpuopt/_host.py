# bindings/python/gpuopt/_host.py -- functions that the library does not have yet, computed by NumPy in host memory.
#
# The arguments are copied to the host and the results to the device that the arguments are on. What the library
# learns to do
# itself leaves this file.

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


def _of(path, doc):
    """A function as NumPy has it at a path."""

    def function(*args, **kwargs):
        return call(path, *args, **kwargs)

    function.__name__ = function.__qualname__ = path.rpartition(".")[2]
    function.__doc__ = doc + "\n\nComputed by NumPy on the host."
    return function


# ---- Polynomials and insertion
# ------------------------------------------------------------------------------------------------------------

insert = _of("numpy.insert", "Values inserted along an axis.")
roots = _of("numpy.roots", "The roots of a polynomial.")
polyfit = _of("numpy.polyfit", "The polynomial of least squares.")

# ---- Decompositions
# ------------------------------------------------------------------------------------------------------


def cholesky(x, /, *, upper=False):
    """The Cholesky decomposition of positive definite matrices.

    Computed by NumPy on the host."""
    return call("numpy.linalg.cholesky", x, upper=upper)


def matrix_rank(x, /, tol=None, *, rtol=None):
    """The ranks of matrices.

    Computed by NumPy on the host."""
    return call("numpy.linalg.matrix_rank", x, tol, **_given(rtol=rtol))


def pinv(x, /, *, rtol=None):
    """The pseudo-inverses of matrices.

    Computed by NumPy on the host."""
    return call("numpy.linalg.pinv", x, **_given(rtol=rtol))


def qr(x, /, mode="reduced"):
    """The QR decomposition.

    Computed by NumPy on the host."""
    return call("numpy.linalg.qr", x, mode=mode)


def svd(x, /, full_matrices=True, compute_uv=True):
    """The singular value decomposition.

    Computed by NumPy on the host."""
    return call("numpy.linalg.svd", x, full_matrices=full_matrices, compute_uv=compute_uv)


def _given(**options):
    return {name: value for name, value in options.items() if value is not None}


det = _of("numpy.linalg.det", "The determinants of square matrices.")
eigh = _of("numpy.linalg.eigh", "Eigenvalues and eigenvectors of Hermitian matrices.")
eigvalsh = _of("numpy.linalg.eigvalsh", "Eigenvalues of Hermitian matrices.")
inv = _of("numpy.linalg.inv", "The inverses of square matrices.")
slogdet = _of("numpy.linalg.slogdet", "Sign and logarithm of the determinants.")
solve = _of("numpy.linalg.solve", "The solutions of systems of linear equations.")
svdvals = _of("numpy.linalg.svdvals", "The singular values.")
lstsq = _of("numpy.linalg.lstsq", "The solution of least squares.")
_numpy_eig = _of("numpy.linalg.eig", "Eigenvalues and eigenvectors of square matrices.")
_numpy_eigvals = _of("numpy.linalg.eigvals", "Eigenvalues of square matrices.")


def _complex(x):
    """eig of real matrices is complex, whatever the values: the standard's rule."""
    x = _convert.asarray(x)
    wide = {"float32": "complex64", "float64": "complex128"}.get(x.dtype.name)
    return x if wide is None else _convert.astype(x, wide)


def eig(x, /):
    """Eigenvalues and eigenvectors of square matrices, always complex.

    Computed by NumPy on the host."""
    return _numpy_eig(_complex(x))


def eigvals(x, /):
    """Eigenvalues of square matrices, always complex.

    Computed by NumPy on the host."""
    return _numpy_eigvals(_complex(x))
