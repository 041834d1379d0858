# bindings/python/tests/test_linalg.py -- linear algebra beside NumPy, on stacks, empty matrices and each dtype.
import numpy as np
import pytest

import gpuopt as gp

DTYPES = ("float32", "float64", "complex64", "complex128")
SHAPES = ((0, 0), (1, 1), (2, 2), (5, 5), (3, 4, 4), (0, 3, 3), (2, 3, 7, 7))


def near(got, want, dtype):
    """Asserts that the arrays differ by a few hundred units in the last place of the largest element at most."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, want.shape, got.dtype, want.dtype)
    scale = max(1.0, float(np.abs(want).max())) if want.size else 1.0
    np.testing.assert_allclose(got, want, rtol=0, atol=500 * np.finfo(dtype).eps * scale)


def matrices(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return (x + 3 * np.eye(*shape[-2:])).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_square_matrices_as_numpy(shape, dtype):
    a = matrices(shape, dtype)
    x = gp.asarray(a)
    b = matrices((*shape[:-1], 2), dtype, 2)
    near(gp.linalg.solve(x, gp.asarray(b)), np.linalg.solve(a, b), dtype)
    near(gp.linalg.inv(x), np.linalg.inv(a), dtype)
    near(gp.linalg.det(x), np.linalg.det(a), dtype)
    for got, want in zip(gp.linalg.slogdet(x), np.linalg.slogdet(a)):
        near(got, want, dtype)
    positive = a @ adjoint(a) + np.eye(shape[-1], dtype=dtype)
    near(gp.linalg.cholesky(gp.asarray(positive)), np.linalg.cholesky(positive), dtype)
    near(gp.linalg.cholesky(gp.asarray(positive), upper=True), np.linalg.cholesky(positive, upper=True), dtype)
    near(gp.linalg.eigvalsh(gp.asarray(positive)), np.linalg.eigvalsh(positive), dtype)
    near(gp.linalg.matrix_power(x, 3), np.linalg.matrix_power(a, 3), dtype)
    near(gp.linalg.matrix_power(x, -2), np.linalg.matrix_power(a, -2), dtype)
    if shape[-1]:
        near(gp.linalg.pinv(x), np.linalg.pinv(a), dtype)
        near(gp.linalg.cond(x), np.linalg.cond(a), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", (*SHAPES, (4, 2), (2, 4), (3, 0), (0, 3), (2, 9, 4)))
def test_factors_make_the_matrix(shape, dtype):
    a = matrices(shape, dtype)
    x = gp.asarray(a)
    q, r = gp.linalg.qr(x)
    near(gp.matmul(q, r), a, dtype)
    near(r, np.linalg.qr(a).R, dtype)
    near(gp.linalg.qr(x, mode="r"), np.linalg.qr(a).R, dtype)
    p, lower, upper = gp.linalg.lu(x)
    near(gp.matmul(gp.matmul(gp.astype(p, dtype), lower), upper), a, dtype)
    for full in (False, True):
        u, s, vh = (np.asarray(part) for part in gp.linalg.svd(x, full_matrices=full))
        k = s.shape[-1]
        near((u[..., :k] * s[..., None, :]).astype(dtype) @ vh[..., :k, :], a, dtype)
        near(adjoint(u) @ u, np.broadcast_to(np.eye(u.shape[-1], dtype=dtype), (*shape[:-2], *u.shape[-1:] * 2)), dtype)
    near(s, np.linalg.svdvals(a), dtype)
    rank = np.linalg.matrix_rank(a) if min(shape[-2:]) else np.zeros(shape[:-2], int)  # before NumPy 2.3 an error
    near(gp.linalg.matrix_rank(x), rank, "float64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvectors(dtype):
    a = matrices((3, 6, 6), dtype)
    hermitian = a + adjoint(a)
    w, v = (np.asarray(part) for part in gp.linalg.eigh(gp.asarray(hermitian)))
    near(hermitian @ v, (v * w[..., None, :]).astype(dtype), dtype)
    w, v = (np.asarray(part) for part in gp.linalg.eig(gp.asarray(a)))
    near(a.astype(v.dtype) @ v, v * w[..., None, :], dtype)
    order = np.lexsort((w.imag, w.real), axis=-1)
    want = np.linalg.eigvals(a).astype(w.dtype)
    near(np.take_along_axis(w, order, -1).real, np.sort(want.real, axis=-1), dtype)


def test_least_squares_and_tolerances():
    a, b = matrices((6, 3), "float64"), matrices((6, 2), "float64", 2)
    (*found, rank, s), (*wanted, wanted_rank, wanted_s) = gp.linalg.lstsq(a, gp.asarray(b)), np.linalg.lstsq(a, b)
    assert rank == wanted_rank
    for got, want in zip((*found, s), (*wanted, wanted_s)):
        near(got, want, "float64")
    low = np.diag([1.0, 1e-3, 1e-9])
    for rtol in (None, 1e-6, np.array([1e-2, 1e-6])):
        stack = np.stack([low, low]) if isinstance(rtol, np.ndarray) else low
        near(gp.linalg.matrix_rank(gp.asarray(stack), rtol=rtol), np.linalg.matrix_rank(stack, rtol=rtol), "float64")
        near(gp.linalg.pinv(gp.asarray(stack), rtol=rtol), np.linalg.pinv(stack, rtol=rtol), "float64")
    assert int(gp.linalg.matrix_rank(gp.asarray(low), tol=1e-4)) == 2


def test_solving_in_parts():
    a, b = matrices((4, 4), "float64"), matrices((4, 2), "float64", 3)
    factors = gp.linalg.lu_factor(gp.asarray(a))
    for trans, matrix in ((0, a), (1, a.T)):
        near(gp.linalg.lu_solve(factors, gp.asarray(b), trans), np.linalg.solve(matrix, b), "float64")
    near(gp.linalg.solve_triangular(gp.asarray(a), b, lower=True), np.linalg.solve(np.tril(a), b), "float64")
    near(gp.linalg.solve_triangular(a, gp.asarray(b), "T"), np.linalg.solve(np.triu(a).T, b), "float64")


def test_norms_and_products():
    a = matrices((2, 4, 5), "float64")
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        near(gp.linalg.matrix_norm(gp.asarray(a), ord=order), np.linalg.matrix_norm(a, ord=order), "float64")
    with pytest.raises(ValueError):
        gp.linalg.matrix_norm(gp.asarray(a), ord=3)
    with pytest.raises(ValueError):
        gp.linalg.matrix_norm(gp.asarray(a), ord=0)
    square = matrices((3, 3), "float64")
    for order in (None, "fro", 1, -1, 2, -2, np.inf, -np.inf):
        near(gp.linalg.cond(gp.asarray(square), order), np.linalg.cond(square, order), "float64")
    parts = [matrices(shape, "float64") for shape in ((3, 5), (5, 2), (2, 4))]
    near(gp.linalg.multi_dot([gp.asarray(p) for p in parts]), np.linalg.multi_dot(parts), "float64")
    tensor, right = matrices((6, 2, 3), "float64"), np.arange(6.0)
    near(gp.linalg.tensorsolve(gp.asarray(tensor), gp.asarray(right)), np.linalg.tensorsolve(tensor, right), "float64")
    near(gp.linalg.tensorinv(gp.asarray(tensor), ind=1), np.linalg.tensorinv(tensor, ind=1), "float64")
    nilpotent = np.diag([1.0, 2.0, 3.0], 1)
    want = sum(np.linalg.matrix_power(nilpotent, k) / [1, 1, 2, 6][k] for k in range(4))
    near(gp.linalg.expm(gp.asarray(nilpotent)), want, "float64")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: gp.linalg.inv(gp.zeros((2, 2))), "Singular matrix"),
        (lambda: gp.linalg.solve(gp.ones((2, 2)), gp.ones(2)), "Singular matrix"),
        (lambda: gp.linalg.cholesky(-gp.eye(3)), "Matrix is not positive definite"),
    ],
)
def test_no_answer_is_numpys_error(call, message):
    with pytest.raises(np.linalg.LinAlgError, match=message) as caught:
        call()
    assert caught.value.code == "GPUOPT_ERR_LINALG"
