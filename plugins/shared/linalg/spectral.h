// plugins/shared/linalg/spectral.h -- eigenvalues, singular values and their vectors: the functions that backends call
//
// Four types of elements: float, double, c64 and c128. Matrices are in column-major order without gaps: element (i, j)
// of a matrix with m rows is at i + j * m. Sizes may be 0; pointers to arrays of 0 elements may be null.
//
// One definition for every backend: the order of all operations is fixed, nothing depends on the width of vectors or on
// what `run` (blocks.h) runs at the same time, and every product and every sum is rounded by itself, but in the
// products of matrices. Singular values and eigenvalues are the same with and without vectors, to the bit.
//
// The functions allocate nothing: `work` has as many real numbers as the function of the same name with "_work" says.
// They have no state, so that calls in several threads, each with arrays of its own, are independent. Arrays must not
// overlap. They return false if an element of the matrix is infinite or NaN, or if the iteration has not converged
// within its limit (Golub and Van Loan: none is known that does not); the arrays then have no meaning.
//
// The matrix is scaled by a power of two so that its largest component is about 1, so neither huge nor tiny matrices
// overflow or underflow on the way.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace linalg {

// The eigenproblem of a Hermitian matrix, a z = w z (symmetric_eigen.h).
//
// a: n x n, with both triangles filled; the lower one is read, and the imaginary parts of the diagonal are ignored. It
// is overwritten, with `vectors` by the eigenvectors: column k belongs to w[k]. They are orthonormal, and of each the
// component of greatest modulus (nearly the greatest, where several are about as large) is real and positive.
// w: n eigenvalues in ascending order.
template <class T>
GPO_FN i64 symmetric_eigen_work(i64 n);
template <class T, class Run>
GPO_FN bool symmetric_eigen(i64 n, T *a, real_of<T> *w, bool vectors, real_of<T> *work, const Run &run);

// The singular value decomposition a = u diag(s) vh (svd.h). Below, k is the lesser of m and n.
//
// a: m x n; it is overwritten.
// s: k singular values, descending and >= 0, none of them -0.
// u: m x k with orthonormal columns, or null. vh: k x n with orthonormal rows, or null. Either may be null while the
// other is not. Both are orthonormal whatever the rank of a.
template <class T>
GPO_FN i64 svd_work(i64 m, i64 n);
template <class T, class Run>
GPO_FN bool svd(i64 m, i64 n, T *a, real_of<T> *s, T *u, T *vh, real_of<T> *work, const Run &run);

// The eigenproblem of any square matrix, a v = w v (general_eigen.h).
//
// a: n x n; it is overwritten.
// w: n eigenvalues, in the order in which they stand on the diagonal of the triangular form. Of a real matrix those
// that are not real are exact conjugates of each other, neighbours, the one with the positive imaginary part first, and
// those that are real have the imaginary part 0.
// v: null, or n x n: column k is the right eigenvector of w[k], with 2-norm 1 and a component of greatest modulus that
// is real, as LAPACK's geev has them. Conjugate eigenvalues have conjugate vectors, and real eigenvalues of real
// matrices have real ones. Defective matrices have columns that are parallel, up to rounding errors.
template <class T>
GPO_FN i64 general_eigen_work(i64 n);
template <class T, class Run>
GPO_FN bool general_eigen(i64 n, T *a, cplx<real_of<T>> *w, cplx<real_of<T>> *v, real_of<T> *work, const Run &run);

}  // namespace linalg
}  // namespace gpo

#include "plugins/shared/linalg/general_eigen.h"
#include "plugins/shared/linalg/svd.h"
#include "plugins/shared/linalg/symmetric_eigen.h"

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_H_
