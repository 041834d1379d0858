/* abi/gpuopt/gpuopt_linalg.h -- linear algebra: factorizations, systems of equations, eigenvalues and singular values;
 * part of gpuopt.h, which includes it.
 *
 * The linear algebra of the array API standard 2025.12 and of NumPy 2, and some of SciPy's. The last two axes of an
 * operand are matrices, the others a stack of them, each of which is computed by itself. Fewer dimensions than a
 * function needs, or matrices that are not square where they have to be, are GPUOPT_ERR_SHAPE.
 *
 * float32, float64, complex64 and complex128 are computed in that precision; integers and bool become float64; float16
 * and bfloat16 are GPUOPT_ERR_TYPE. Operands of two dtypes are promoted. Matrices without rows or columns, and stacks
 * without matrices, are allowed unless a function says otherwise.
 *
 * A matrix for which there is no answer (it is singular, not positive definite, or an iteration has not converged) is
 * GPUOPT_ERR_LINALG; then there is no result, for the whole stack. Infinities and NaN are not looked for; a matrix that
 * has some gives NaN, or is GPUOPT_ERR_LINALG.
 *
 * The algorithms and the order of their operations are fixed (plugins/shared/linalg/), so that the bits are the same on
 * every device and processor, whatever the number of threads and the layout of the operands. GPUOPT_LINALG=fast gives
 * that up: it leaves large decompositions and systems of equations to a LAPACK, if one is installed, whose bits, and
 * signs or phases of vectors, are its own. Results are new and C-contiguous unless a function says otherwise, and the
 * functions run: nothing of them is recorded, apart from sums and products of their results. They are safe from any
 * threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_LINALG_H)
#define GPUOPT_LINALG_H

/* ---- Factorizations ---- */

/* The triangular factor of Hermitian, positive definite matrices (..., n, n): L with x = L L^H or, if `upper` is not 0,
 * U with x = U^H U. Only the lower triangle of x is read, or the upper one; imaginary parts of its diagonal do not
 * count. The other triangle of the result is 0, its diagonal is real and positive. GPUOPT_ERR_LINALG: a matrix is not
 * positive definite. numpy.linalg.cholesky. */
GPUOPT_CALL gpuopt_cholesky(gpuopt_array x, int32_t upper, gpuopt_array *result, gpuopt_error *error);

enum {
  GPUOPT_QR_REDUCED = 0,  /* q (..., m, k) and r (..., k, n), where k is the lesser of m and n */
  GPUOPT_QR_COMPLETE = 1, /* q (..., m, m) and r (..., m, n) */
  GPUOPT_QR_R = 2         /* r (..., k, n) alone; q may be NULL, and is set to NULL otherwise */
};
typedef int32_t gpuopt_qr_mode;
/* x = q r for matrices (..., m, n), by Householder reflections with LAPACK's signs: q has orthonormal columns, r is 0
 * below the diagonal. r's diagonal is real, and has the opposite sign of the real part of the element that was reduced
 * to it, except where nothing had to be reduced. numpy.linalg.qr. */
GPUOPT_CALL gpuopt_qr(gpuopt_array x, gpuopt_qr_mode mode, gpuopt_array *q, gpuopt_array *r, gpuopt_error *error);

/* x = p l u for matrices (..., m, n), by Gaussian elimination with exchanges of rows (partial pivoting: the element of
 * the greatest |re| + |im| in its column, the first of equals): p (..., m, m) a permutation, of the real dtype of x's
 * precision, l (..., m, k) lower triangular with a diagonal of ones, u (..., k, n) upper triangular; k is the lesser of
 * m and n. A singular x has one, too. scipy.linalg.lu. */
GPUOPT_CALL gpuopt_lu(gpuopt_array x, gpuopt_array *p, gpuopt_array *l, gpuopt_array *u, gpuopt_error *error);
/* The same in the form that gpuopt_lu_solve() takes: `lu` (..., m, n) has u, and below its diagonal l without the
 * diagonal; `pivots` (..., k), int64, says of row i with which row it was exchanged, one after the other from the
 * first. scipy.linalg.lu_factor. */
GPUOPT_CALL gpuopt_lu_factor(gpuopt_array x, gpuopt_array *lu, gpuopt_array *pivots, gpuopt_error *error);

/* Which of the matrices a triangular solve is made with. */
enum { GPUOPT_TRANS_NONE = 0, GPUOPT_TRANS_TRANSPOSE = 1, GPUOPT_TRANS_CONJUGATE = 2 };
typedef int32_t gpuopt_trans;
/* Solves a x = b, a^T x = b or a^H x = b, of whose square matrices gpuopt_lu_factor() gave `lu` and `pivots`. `b` and
 * the result are as for gpuopt_solve(). A pivot outside of the matrix is GPUOPT_ERR_INDEX. GPUOPT_ERR_LINALG: a matrix
 * is singular. scipy.linalg.lu_solve. */
GPUOPT_CALL gpuopt_lu_solve(gpuopt_array lu, gpuopt_array pivots, gpuopt_array b, gpuopt_trans trans,
                            gpuopt_array *result, gpuopt_error *error);

/* ---- Systems of equations ---- */

/* Solves x1 x = x2 for matrices x1 (..., n, n). x2 of one dimension is a vector of n; of more, it is matrices
 * (..., n, k); the stacks are broadcast. The result has the shape of x2 after that. GPUOPT_ERR_LINALG: a matrix is
 * singular. numpy.linalg.solve, of NumPy 2. */
GPUOPT_CALL gpuopt_solve(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
/* Solves a x = b, a^T x = b or a^H x = b for triangular matrices a, of which only the lower triangle is read if `lower`
 * is not 0, else only the upper one; with `unit_diagonal` not 0 the diagonal is not read either, and counts as ones.
 * `b` and the result are as for gpuopt_solve(). GPUOPT_ERR_LINALG: a 0 on a diagonal. scipy.linalg.solve_triangular. */
GPUOPT_CALL gpuopt_solve_triangular(gpuopt_array a, gpuopt_array b, int32_t lower, int32_t unit_diagonal,
                                    gpuopt_trans trans, gpuopt_array *result, gpuopt_error *error);
/* The inverses of matrices (..., n, n). GPUOPT_ERR_LINALG: one is singular. numpy.linalg.inv. */
GPUOPT_CALL gpuopt_inv(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The determinants of matrices (..., n, n), of shape (...): that of a singular one is 0, that of no rows 1. A product
 * that leaves the range of numbers on the way does no harm. numpy.linalg.det. */
GPUOPT_CALL gpuopt_det(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The same as sign * exp(logabsdet): `sign` of absolute value 1, and the logarithm of the determinant's absolute value,
 * which is real; 0 and -infinity of singular matrices. numpy.linalg.slogdet. */
GPUOPT_CALL gpuopt_slogdet(gpuopt_array x, gpuopt_array *sign, gpuopt_array *logabsdet, gpuopt_error *error);

/* The x of least |x| among those that make |b - a x| least, for a matrix a (m, n) and a vector b (m) or the columns of
 * a matrix b (m, k), by singular values. Those not above *rcond times the greatest count as 0 (NULL: the dtype's
 * epsilon times the greater of m and n). Each of these may be NULL: `residuals`, the sums of squares of |b - a x|, of
 * shape (k), for a vector (1), or (0) if rank < n or m <= n; `rank`, int64 of shape (); `s`, the singular values of a,
 * in descending order. Anything but these dimensions is GPUOPT_ERR_SHAPE. numpy.linalg.lstsq. */
GPUOPT_CALL gpuopt_lstsq(gpuopt_array a, gpuopt_array b, const double *rcond, gpuopt_array *x, gpuopt_array *residuals,
                         gpuopt_array *rank, gpuopt_array *s, gpuopt_error *error);
/* The pseudo-inverses (..., n, m) of matrices (..., m, n). Singular values not above *rtol times the greatest of their
 * matrix count as 0 (NULL: the dtype's epsilon times the greater of m and n). numpy.linalg.pinv. */
GPUOPT_CALL gpuopt_pinv(gpuopt_array x, const double *rtol, gpuopt_array *result, gpuopt_error *error);

/* Solves the tensor equation tensordot(a, x, x's dimensions) = b. The `count` axes in `axes` (NULL: none) of `a` are
 * moved behind the others first; then a.shape is b.shape followed by the shape of x, and both have the same number of
 * elements (GPUOPT_ERR_SHAPE). The rest is as for gpuopt_solve(). numpy.linalg.tensorsolve. */
GPUOPT_CALL gpuopt_tensorsolve(gpuopt_array a, gpuopt_array b, int32_t count, const int64_t *axes, gpuopt_array *result,
                               gpuopt_error *error);
/* The inverse of `a` as a tensor equation, whose first `ind` axes are b's: of shape a.shape[ind:] + a.shape[:ind]. The
 * products of both groups of sizes must be equal (GPUOPT_ERR_SHAPE); `ind` not above 0 is GPUOPT_ERR_INVALID_ARGUMENT.
 * numpy.linalg.tensorinv. */
GPUOPT_CALL gpuopt_tensorinv(gpuopt_array a, int32_t ind, gpuopt_array *result, gpuopt_error *error);

/* ---- Eigenvalues and singular values ---- */

/* The eigenvalues w (..., n), real and in ascending order, and eigenvectors v (..., n, n), in columns, of Hermitian
 * matrices (..., n, n): x v = v diag(w), v is unitary. Only the lower triangle of x is read or, if `upper` is not 0,
 * only the upper one; imaginary parts of its diagonal do not count. Of each vector the component of greatest absolute
 * value (nearly the greatest, of several about as large) is real and positive. GPUOPT_ERR_LINALG: not converged, or an
 * element is not finite. numpy.linalg.eigh. */
GPUOPT_CALL gpuopt_eigh(gpuopt_array x, int32_t upper, gpuopt_array *w, gpuopt_array *v, gpuopt_error *error);
/* The eigenvalues alone. numpy.linalg.eigvalsh. */
GPUOPT_CALL gpuopt_eigvalsh(gpuopt_array x, int32_t upper, gpuopt_array *result, gpuopt_error *error);
/* The eigenvalues w (..., n) and eigenvectors v (..., n, n), in columns of norm 1, of any square matrices. Both are
 * complex, also where all eigenvalues are real. Those of a real matrix that are not real are conjugates next to each
 * other, the one with the positive imaginary part first, and so are their vectors. Of each vector a component of
 * greatest absolute value is real. GPUOPT_ERR_LINALG: not converged, or an element is not finite. numpy.linalg.eig. */
GPUOPT_CALL gpuopt_eig(gpuopt_array x, gpuopt_array *w, gpuopt_array *v, gpuopt_error *error);
/* The eigenvalues alone. numpy.linalg.eigvals. */
GPUOPT_CALL gpuopt_eigvals(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

/* x = u diag(s) vh for matrices (..., m, n): singular values s (..., k), real and in descending order, where k is the
 * lesser of m and n, and u (..., m, k) and vh (..., k, n) or, if `full` is not 0, (..., m, m) and (..., n, n), with
 * orthonormal columns and rows, whose signs or phases are those of the algorithm (plugins/shared/linalg/svd.h), as are
 * the columns and rows that belong to no singular value. GPUOPT_ERR_LINALG: not converged, or an element is not finite.
 * numpy.linalg.svd. */
GPUOPT_CALL gpuopt_svd(gpuopt_array x, int32_t full, gpuopt_array *u, gpuopt_array *s, gpuopt_array *vh,
                       gpuopt_error *error);
/* The singular values alone. numpy.linalg.svdvals. */
GPUOPT_CALL gpuopt_svdvals(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The numbers of singular values above *rtol times the greatest of their matrix (NULL: the dtype's epsilon times the
 * greater of m and n), int64 of shape (...). x of less than two dimensions has rank 1 if any element is not 0, else 0.
 * numpy.linalg.matrix_rank. */
GPUOPT_CALL gpuopt_matrix_rank(gpuopt_array x, const double *rtol, gpuopt_array *result, gpuopt_error *error);
/* The condition numbers of matrices, real, of shape (...): the quotient of the greatest and the least singular value
 * for `ord` 2 (of -2 its inverse), which any (..., m, n) have; for other orders of gpuopt_matrix_norm(), those of
 * square ones, norm(x) norm(inv(x)), where a singular matrix is infinite. Matrices without elements are
 * GPUOPT_ERR_SHAPE. numpy.linalg.cond. */
GPUOPT_CALL gpuopt_cond(gpuopt_array x, double ord, gpuopt_array *result, gpuopt_error *error);

/* ---- Functions and products of matrices ---- */

/* x to an integer power: the product of |n| factors x or inv(x), by squaring; n = 0 gives identities. Integers stay
 * integers unless n is negative, and wrap. GPUOPT_ERR_LINALG: n is negative, and a matrix is singular.
 * numpy.linalg.matrix_power. */
GPUOPT_CALL gpuopt_matrix_power(gpuopt_array x, int64_t n, gpuopt_array *result, gpuopt_error *error);
/* The exponential of matrices (..., n, n), by scaling, a Pade approximant of degree 13 and squaring (N. Higham, "The
 * scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26, 2005).
 * scipy.linalg.expm. */
GPUOPT_CALL gpuopt_expm(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The product of `count` arrays, at least two (GPUOPT_ERR_INVALID_ARGUMENT), in the order that takes the fewest
 * multiplications (T. Cormen et al., "Introduction to Algorithms", matrix-chain multiplication). All have two
 * dimensions, but the first and the last may have one: a row, a column, which the result then lacks. GPUOPT_ERR_SHAPE:
 * other dimensions, or sizes that do not fit. The products are those of gpuopt_matmul(). numpy.linalg.multi_dot. */
GPUOPT_CALL gpuopt_multi_dot(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);

#endif
