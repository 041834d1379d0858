# bindings/python/gpuopt/linalg.py -- products, norms, factorizations, systems of equations and eigenvalues.
"""Linear algebra: the array API standard's, NumPy's, and lu, expm and triangular solves as SciPy has them.

The last two axes are matrices, the others a stack of them. Integers are computed as float64. A matrix for which there
is no answer is NumPy's LinAlgError. Bits are the same on every device.
"""

import operator

from . import _convert, _core, _manipulation
from ._manipulation import _array, matrix_transpose, moveaxis

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


_NUCLEAR = 1e300  # GPUOPT_NORM_NUCLEAR


def __getattr__(name):
    if name == "LinAlgError":
        from numpy.linalg import LinAlgError

        return LinAlgError
    if name in ("EighResult", "EigResult", "QRResult", "SlogdetResult", "SVDResult"):
        from . import _results

        return getattr(_results, name)
    raise AttributeError(f"module 'gpuopt.linalg' has no attribute {name!r}")


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices in the last two axes.

    >>> gp.linalg.diagonal(gp.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    return _manipulation.diagonal(x, offset, -2, -1)


def matmul(x1, x2, /, out=None):
    """The matrix product; leading dimensions broadcast. ValueError names both shapes if they do not fit.

    >>> gp.matmul(gp.array([[1, 2], [3, 4]]), gp.array([1, 1]))
    array([3, 7])
    """
    return _stored(_core.gpuopt_matmul(x1, x2), out)


def dot(a, b, out=None):
    """NumPy's dot: inner product of vectors, matrix product, or the last axis of a with the last but one of b.

    >>> gp.dot([1, 2], [3, 4])
    array(11)
    """
    return _stored(_core.gpuopt_dot(a, b), out)


def einsum(subscripts, /, *operands, out=None, dtype=None, optimize=False):
    """Einstein's sums: a letter names an axis, "..." the axes without a letter. Subscripts are a str, or lists of
    numbers behind the operands. Products go from left to right, whatever `optimize` says.

    >>> gp.einsum("ij,j->i", gp.array([[1, 2], [3, 4]]), gp.array([1, 1]))
    array([3, 7])
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _of_lists((subscripts, *operands))
    arrays = [_array(x) for x in operands]
    arrays = arrays if dtype is None else [_core.gpuopt_astype(x, dtype, 0) for x in arrays]
    return _stored(_core.gpuopt_einsum(subscripts, len(arrays), arrays), out)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which NumPy would form the products of einsum, and what that costs; einsum has its own.

    >>> gp.einsum_path("ij,jk", gp.ones((2, 3)), gp.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    import numpy

    shapes = [numpy.broadcast_to(0.0, x.shape) if isinstance(x, _core.ndarray) else x for x in operands]
    return numpy.einsum_path(*shapes, optimize=optimize, einsum_call=einsum_call)


def _letters(numbers):
    """Subscripts of a list of numbers, in whose order their letters are."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    found = ""
    for number in numbers:
        if number is not Ellipsis and not 0 <= operator.index(number) < len(letters):
            raise ValueError("subscript is not within the valid range [0, 52)")
        found += "..." if number is Ellipsis else letters[number]
    return found


def _of_lists(given):
    """The subscripts and the operands of einsum(x, [0, 1], y, [1, 2], [0, 2])."""
    inputs = [_letters(numbers) for numbers in given[1::2]]
    result = "->" + _letters(given[-1]) if len(given) % 2 else ""
    return ",".join(inputs) + result, given[: 2 * len(inputs) : 2]


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def vecdot(x1, x2, /, axis=-1):
    """sum(conj(x1) * x2) along an axis.

    >>> gp.vecdot(gp.array([1, 2]), gp.array([3, 4]))
    array(11)
    """
    return _core.gpuopt_vecdot(x1, x2, axis)


def inner(a, b):
    """The sum of products over the last axes.

    >>> gp.inner([1, 2], [3, 4])
    array(11)
    """
    a, b = _array(a), _array(b)
    return a * b if a.ndim == 0 or b.ndim == 0 else _core.gpuopt_tensordot(a, b, 1, (-1,), (-1,))


def vdot(a, b):
    """sum(conj(a) * b) of the flattened arrays.

    >>> gp.vdot([1j, 2], [1j, 2])
    array(5.+0.j)
    """
    return _core.gpuopt_vecdot(_array(a).reshape(-1), _array(b).reshape(-1), -1)


def outer(a, b, out=None):
    """The products of each element of a with each of b.

    >>> gp.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    return _stored(_core.gpuopt_outer(_array(a), _array(b)), out)


def tensordot(a, b, axes=2):
    """Sums of products over pairs of axes: the last n of a with the first of b, or as two lists say.

    >>> gp.tensordot(gp.array([[1, 2], [3, 4]]), gp.array([1, 1]), axes=1)
    array([3, 7])
    """
    a, b = _array(a), _array(b)
    if not hasattr(axes, "__len__"):
        return _core.gpuopt_tensordot(a, b, operator.index(axes), None, None)
    first, second = (given if hasattr(given, "__len__") else (given,) for given in axes)
    return _core.gpuopt_tensordot(a, b, len(first), tuple(first), tuple(second))


def kron(a, b):
    """The Kronecker product.

    >>> gp.kron([1, 2], [1, 10])
    array([ 1, 10,  2, 20])
    """
    return _core.gpuopt_kron(_array(a), _array(b))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of three elements: along the last axes, or those that are named, or all along one.

    >>> gp.cross(gp.array([1, 0, 0]), gp.array([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        return _core.gpuopt_cross(_array(a), _array(b), axis)
    product = _core.gpuopt_cross(moveaxis(a, axisa, -1), moveaxis(b, axisb, -1), -1)
    return moveaxis(product, -1, axisc)


def matvec(x1, x2, /):
    """The product of each matrix with a vector, x2's last axis.

    >>> gp.matvec(gp.array([[1, 2], [3, 4]]), gp.array([1, 1]))
    array([3, 7])
    """
    return matmul(_array(x1), _array(x2)[..., None])[..., 0]


def vecmat(x1, x2, /):
    """The product of the conjugate of each vector, x1's last axis, with a matrix.

    >>> gp.vecmat(gp.array([1, 1]), gp.array([[1, 2], [3, 4]]))
    array([4, 6])
    """
    return matmul(_core.conj(_array(x1))[..., None, :], _array(x2))[..., 0, :]


def trace(x, /, *, offset=0, dtype=None):
    """The sums of diagonals of the matrices in the last two axes.

    >>> gp.linalg.trace(gp.array([[1, 2], [3, 4]]))
    array(5)
    """
    return _core.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_power(x, n, /):
    """Square matrices to an integer power: |n| factors x or inv(x); identities for 0.

    >>> gp.linalg.matrix_power(gp.array([[1, 1], [0, 1]]), 3)
    array([[1, 3],
           [0, 1]])
    """
    return _core.gpuopt_matrix_power(_array(x), operator.index(n))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(sum |x|**ord) ** (1/ord) over one axis, several, or all elements.

    >>> gp.linalg.vector_norm(gp.array([3.0, 4.0]))
    array(5.)
    """
    axes = None if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return _core.vector_norm(_array(x), 2.0 if ord is None else float(ord), axes, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of the matrices in the last two axes.

    >>> gp.linalg.matrix_norm(gp.array([[3.0, 0.0], [0.0, 4.0]]))
    array(5.)
    """
    order = {"fro": 0.0, None: 0.0, "nuc": _NUCLEAR}.get(ord, ord)
    if isinstance(order, str) or order in (0, _NUCLEAR) and ord not in ("fro", None, "nuc"):
        raise ValueError(f"Invalid norm order {ord!r} for matrices")
    return _core.gpuopt_matrix_norm(_array(x), float(order), int(keepdims))


def norm(x, ord=None, axis=None, keepdims=False):
    """NumPy's norm: of all elements, of vectors along an axis, or of matrices in two axes.

    >>> gp.linalg.norm(gp.array([3.0, 4.0]))
    array(5.)
    """
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
    result = matrix_norm(moveaxis(x, tuple(axes), (-2, -1)), ord="fro" if ord is None else ord)
    return (
        result.reshape(tuple(1 if i in {a % x.ndim for a in axes} else n for i, n in enumerate(x.shape)))
        if keepdims
        else result
    )


def _together(a, b):
    """Both as arrays, on the device of the first that is one already."""
    a = _array(a) if not isinstance(b, _core.ndarray) else _convert.asarray(a, device=b.device)
    return a, _convert.asarray(b, device=a.device)


# ---- Factorizations


def cholesky(x, /, *, upper=False):
    """The triangular factor of Hermitian, positive definite matrices: x = L L^H or, if `upper`, U^H U.

    >>> import gpuopt as gp
    >>> gp.linalg.cholesky(gp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    return _core.gpuopt_cholesky(_array(x), int(upper))


def qr(x, /, *, mode="reduced"):
    """x = Q R with orthonormal columns of Q and triangular R; mode "r" gives R alone.

    >>> gp.linalg.qr(gp.array([[3.0], [4.0]])).R.round(6)
    array([[-5.]])
    """
    from ._results import QRResult

    modes = {"reduced": 0, "complete": 1, "r": 2}
    if mode not in modes:
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r = _core.gpuopt_qr(_array(x), modes[mode])
    return r if mode == "r" else QRResult(q, r)


def lu(a):
    """a = P L U by Gaussian elimination with exchanges of rows: (P, L, U), as scipy.linalg.lu.

    >>> gp.linalg.lu(gp.array([[2.0, 1.0], [4.0, 4.0]]))[2]
    array([[ 4.,  4.],
           [ 0., -1.]])
    """
    return _core.gpuopt_lu(_array(a))


def lu_factor(a):
    """The same as scipy.linalg.lu_factor has it: L and U in one matrix, and the exchanges of rows.

    >>> gp.linalg.lu_factor(gp.array([[2.0, 1.0], [4.0, 4.0]]))[0]
    array([[ 4. ,  4. ],
           [ 0.5, -1. ]])
    """
    return _core.gpuopt_lu_factor(_array(a))


def lu_solve(lu_and_piv, b, trans=0):
    """Solves a x = b, a^T x = b (trans=1) or a^H x = b (trans=2) by what lu_factor(a) gave.

    >>> a = gp.array([[2.0, 0.0], [0.0, 4.0]])
    >>> gp.linalg.lu_solve(gp.linalg.lu_factor(a), gp.array([2.0, 8.0]))
    array([1., 2.])
    """
    lu, piv = lu_and_piv
    return _core.gpuopt_lu_solve(*_together(lu, piv), _together(lu, b)[1], operator.index(trans))


# ---- Systems of equations


def solve(a, b):
    """The solution x of a x = b for square matrices a; b of one dimension is a vector, else it is matrices.

    >>> gp.linalg.solve(gp.array([[2.0, 0.0], [0.0, 4.0]]), gp.array([2.0, 8.0]))
    array([1., 2.])
    """
    return _core.gpuopt_solve(*_together(a, b))


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """The solution of a x = b for a triangular a, of which only one triangle is read.

    >>> gp.linalg.solve_triangular(gp.array([[2.0, 1.0], [0.0, 4.0]]), gp.array([4.0, 8.0]))
    array([1., 2.])
    """
    trans = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    return _core.gpuopt_solve_triangular(*_together(a, b), int(lower), int(unit_diagonal), operator.index(trans))


def inv(x, /):
    """The inverses of square matrices.

    >>> gp.linalg.inv(gp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _core.gpuopt_inv(_array(x))


def det(x, /):
    """The determinants of square matrices.

    >>> gp.linalg.det(gp.array([[2.0, 0.0], [0.0, 3.0]]))
    array(6.)
    """
    return _core.gpuopt_det(_array(x))


def slogdet(x, /):
    """The sign and the logarithm of the absolute value of the determinants of square matrices.

    >>> gp.linalg.slogdet(gp.array([[-1.0, 0.0], [0.0, 1.0]])).sign
    array(-1.)
    """
    from ._results import SlogdetResult

    return SlogdetResult(*_core.gpuopt_slogdet(_array(x)))


def lstsq(a, b, rcond=None):
    """The solution x of least |b - a x|: (x, residuals, rank, singular values), as numpy.linalg.lstsq.

    >>> gp.linalg.lstsq(gp.array([[1.0], [1.0]]), gp.array([1.0, 3.0]))[0].round(6)
    array([2.])
    """
    x, residuals, rank, s = _core.gpuopt_lstsq(*_together(a, b), rcond)
    return x, residuals, int(rank), s


def _tolerance(x, rtol):
    """(the tolerance as one number or None, the tolerances as an array of one for each matrix or None)."""
    if rtol is None or isinstance(rtol, (int, float)):
        return rtol, None
    rtol = _convert.asarray(rtol, device=x.device)
    return (float(rtol), None) if rtol.ndim == 0 else (None, rtol)


def pinv(x, /, rcond=None, hermitian=False, *, rtol=None):
    """The pseudo-inverses of matrices; singular values not above rtol times the greatest count as 0.

    >>> gp.linalg.pinv(gp.array([[2.0, 0.0], [0.0, 4.0]])).round(6)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    x = _array(x)
    if rcond is not None and rtol is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    rtol = rcond if rtol is None else rtol
    rtol, each = _tolerance(x, rtol)
    if each is None:
        return _core.gpuopt_pinv(x, rtol)
    u, s, vh = svd(x, full_matrices=False)
    large = s > each[..., None] * _core.max(s, axis=-1, keepdims=True)
    inverse = _core.where(large, 1 / _core.where(large, s, 1), 0)
    return matmul(_core.conj(matrix_transpose(vh)) * inverse[..., None, :], _core.conj(matrix_transpose(u)))


def tensorsolve(a, b, axes=None):
    """The solution x of tensordot(a, x, x.ndim) = b.

    >>> gp.linalg.tensorsolve(gp.eye(2) * 2.0, gp.array([2.0, 4.0]))
    array([1., 2.])
    """
    axes = None if axes is None else tuple(axes)
    return _core.gpuopt_tensorsolve(*_together(a, b), 0 if axes is None else len(axes), axes)


def tensorinv(a, ind=2):
    """The inverse of a for tensordot over its first `ind` axes.

    >>> gp.linalg.tensorinv(gp.eye(4).reshape(2, 2, 2, 2) * 2.0).shape
    (2, 2, 2, 2)
    """
    return _core.gpuopt_tensorinv(_array(a), operator.index(ind))


# ---- Eigenvalues and singular values


def _is_upper(uplo):
    uplo = uplo.upper()
    if uplo not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return int(uplo == "U")


def eigh(x, /, UPLO="L"):
    """Eigenvalues, in ascending order, and eigenvectors, in columns, of Hermitian matrices.

    >>> gp.linalg.eigh(gp.array([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
    array([2., 3.])
    """
    from ._results import EighResult

    return EighResult(*_core.gpuopt_eigh(_array(x), _is_upper(UPLO)))


def eigvalsh(x, /, UPLO="L"):
    """The eigenvalues of Hermitian matrices, in ascending order.

    >>> gp.linalg.eigvalsh(gp.array([[3.0, 0.0], [0.0, 2.0]]))
    array([2., 3.])
    """
    return _core.gpuopt_eigvalsh(_array(x), _is_upper(UPLO))


def eig(x, /):
    """Eigenvalues and eigenvectors, in columns, of square matrices: complex, as the standard has them.

    >>> gp.linalg.eig(gp.array([[2.0, 0.0], [0.0, 3.0]])).eigenvalues.real
    array([2., 3.])
    """
    from ._results import EigResult

    return EigResult(*_core.gpuopt_eig(_array(x)))


def eigvals(x, /):
    """The eigenvalues of square matrices: complex, as the standard has them.

    >>> gp.linalg.eigvals(gp.array([[2.0, 0.0], [0.0, 3.0]])).real
    array([2., 3.])
    """
    return _core.gpuopt_eigvals(_array(x))


def svd(x, /, full_matrices=True, compute_uv=True, hermitian=False):
    """x = U diag(S) Vh: singular values in descending order; without `compute_uv` these alone.

    >>> gp.linalg.svd(gp.array([[3.0, 0.0], [0.0, 4.0]])).S
    array([4., 3.])
    """
    if not compute_uv:
        return svdvals(x)
    from ._results import SVDResult

    return SVDResult(*_core.gpuopt_svd(_array(x), int(full_matrices)))


def svdvals(x, /):
    """The singular values of matrices, in descending order.

    >>> gp.linalg.svdvals(gp.array([[3.0, 0.0], [0.0, 4.0]]))
    array([4., 3.])
    """
    return _core.gpuopt_svdvals(_array(x))


def matrix_rank(x, tol=None, hermitian=False, *, rtol=None):
    """The numbers of singular values above `tol`, or `rtol` times the greatest of their matrix.

    >>> gp.linalg.matrix_rank(gp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(1)
    """
    x = _array(x)
    if tol is not None:
        if rtol is not None:
            raise ValueError("`tol` and `rtol` can't be both set.")
        return _core.sum(svdvals(x) > _convert.asarray(tol, device=x.device)[..., None], axis=-1)
    rtol, each = _tolerance(x, rtol)
    if each is None:
        return _core.gpuopt_matrix_rank(x, rtol)
    s = svdvals(x)
    return _core.sum(s > each[..., None] * _core.max(s, axis=-1, keepdims=True), axis=-1)


def cond(x, p=None):
    """The condition numbers of matrices: norm(x) norm(inv(x)), by singular values for p of None, 2 and -2.

    >>> gp.linalg.cond(gp.eye(2))
    array(1.)
    """
    orders = {None: 2.0, "fro": 0.0, "nuc": _NUCLEAR}
    return _core.gpuopt_cond(_array(x), float(orders.get(p, p)))


# ---- Functions and products of matrices


def expm(a):
    """The exponentials of square matrices.

    >>> gp.linalg.expm(gp.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return _core.gpuopt_expm(_array(a))


def multi_dot(arrays, *, out=None):
    """The product of several matrices, in the order that takes the fewest multiplications.

    >>> gp.linalg.multi_dot([gp.array([[1, 2]]), gp.array([[3], [4]]), gp.array([[2]])])
    array([[22]])
    """
    arrays = [_array(x) for x in arrays]
    return _stored(_core.gpuopt_multi_dot(len(arrays), arrays), out)
