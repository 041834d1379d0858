# bindings/python/gpuopt/linalg.py -- products, norms and what is composed of them.
"""Linear algebra: products and norms. LinAlgError is NumPy's."""

import operator

from . import _core, _host, _manipulation
from ._manipulation import _array, matrix_transpose, moveaxis

__all__ = [
    "LinAlgError",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

cholesky, det, eig, eigh, eigvals, eigvalsh = (
    getattr(_host, n) for n in "cholesky det eig eigh eigvals eigvalsh".split()
)
inv, matrix_rank, pinv, qr, slogdet, solve = (
    getattr(_host, n) for n in "inv matrix_rank pinv qr slogdet solve".split()
)
svd, svdvals = _host.svd, _host.svdvals


def __getattr__(name):
    if name == "LinAlgError":
        from numpy.linalg import LinAlgError

        return LinAlgError
    raise AttributeError(f"module 'gpuopt.linalg' has no attribute {name!r}")


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices in the last two axes."""
    return _manipulation.diagonal(x, offset, -2, -1)


def matmul(x1, x2, /, out=None):
    """The matrix product; leading dimensions broadcast. ValueError names both shapes if they do not fit."""
    return _stored(_core.gpuopt_matmul(x1, x2), out)


def dot(a, b, out=None):
    """NumPy's dot: inner product of vectors, matrix product, or the last axis of a with the last but one of b."""
    return _stored(_core.gpuopt_dot(a, b), out)


def einsum(subscripts, /, *operands, out=None, dtype=None):
    """Einstein's sums: a letter names an axis, "..." the axes without a letter. Subscripts are a str."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are a str, such as 'ij,jk->ik'")
    arrays = [_array(x) for x in operands]
    arrays = arrays if dtype is None else [_core.gpuopt_astype(x, dtype, 0) for x in arrays]
    return _stored(_core.gpuopt_einsum(subscripts, len(arrays), arrays), out)


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def vecdot(x1, x2, /, axis=-1):
    """sum(conj(x1) * x2) along an axis."""
    return _core.gpuopt_vecdot(x1, x2, axis)


def inner(a, b):
    """The sum of products over the last axes."""
    a, b = _array(a), _array(b)
    return a * b if a.ndim == 0 or b.ndim == 0 else _core.gpuopt_tensordot(a, b, 1, (-1,), (-1,))


def vdot(a, b):
    """sum(conj(a) * b) of the flattened arrays."""
    return _core.gpuopt_vecdot(_array(a).reshape(-1), _array(b).reshape(-1), -1)


def outer(x1, x2, /):
    """The products of each element of x1 with each of x2."""
    return _core.gpuopt_outer(_array(x1), _array(x2))


def tensordot(x1, x2, /, axes=2):
    """Sums of products over pairs of axes: the last n of x1 with the first of x2, or as two lists say."""
    x1, x2 = _array(x1), _array(x2)
    if not hasattr(axes, "__len__"):
        return _core.gpuopt_tensordot(x1, x2, operator.index(axes), None, None)
    first, second = (a if hasattr(a, "__len__") else (a,) for a in axes)
    return _core.gpuopt_tensordot(x1, x2, len(first), tuple(first), tuple(second))


def kron(a, b):
    """The Kronecker product."""
    return _core.gpuopt_kron(_array(a), _array(b))


def cross(x1, x2, /, axis=-1):
    """The cross product of vectors of three elements."""
    return _core.gpuopt_cross(_array(x1), _array(x2), axis)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of diagonals of the matrices in the last two axes."""
    return _core.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_power(x, n, /):
    """Square matrices to an integer power."""
    x, n = _array(x), operator.index(n)
    if n < 0:
        return matrix_power(inv(x), -n)
    from ._creation import eye

    result = _core.gpuopt_broadcast_to(eye(x.shape[-1], dtype=x.dtype, device=x.device), x.ndim, x.shape)
    result = _core.gpuopt_copy_array(result)
    while n:
        result = _core.gpuopt_matmul(result, x) if n & 1 else result
        n >>= 1
        x = _core.gpuopt_matmul(x, x) if n else x
    return result


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(sum |x|**ord) ** (1/ord) over one axis, several, or all elements."""
    axes = None if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return _core.vector_norm(_array(x), float(ord), axes, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of the matrices in the last two axes."""
    x = _array(x)
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        result = {"nuc": _core.sum, 2: _core.max, -2: _core.min}[ord](values, axis=-1)
        return result.reshape((*result.shape, 1, 1)) if keepdims else result
    return _core.gpuopt_matrix_norm(x, 0.0 if ord in ("fro", None) else float(ord), int(keepdims))


def norm(x, ord=None, axis=None, keepdims=False):
    """NumPy's norm: of all elements, of vectors along an axis, or of matrices in two axes."""
    x = _array(x)
    if ord is None and axis is None and not keepdims:
        return _core.gpuopt_norm(x)
    if axis is None and ord is None:
        return vector_norm(x, axis=None, keepdims=keepdims)
    if axis is None:
        axis = (0,) if x.ndim == 1 else tuple(range(x.ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    result = matrix_norm(moveaxis(x, tuple(axes), (-2, -1)), ord=ord or "fro")
    return (
        result.reshape(tuple(1 if i in {a % x.ndim for a in axes} else n for i, n in enumerate(x.shape)))
        if keepdims
        else result
    )
