// plugins/shared/linalg/cholesky.h -- Cholesky factors of Hermitian, positive definite matrices
//
// a = l l^H, by blocks of columns. Element (i, j) of l is a[i, j], from which the products l[i, k] conj(l[j, k]) are
// subtracted: those with columns of other blocks as products of matrices (blocks.h), those with the block's own columns
// one after the other in ascending order of k. Then it is divided by l[j, j], which is the square root of the real part
// of its own. (G. Golub, C. Van Loan, "Matrix Computations", 4.2.)
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_

#include "plugins/shared/linalg/blocks.h"

namespace gpo {
namespace linalg {

// Computes the columns [first, end) of l, from which the products with the columns before `first` have been subtracted.
template <class T>
GPO_LONG bool factorize_columns(i64 n, i64 first, i64 end, T *a) {
  using R = real_of<T>;
  T row[kBlock];  // conj(l[j, k])
  for (i64 j = first; j < end; ++j) {
    for (i64 k = first; k < j; ++k) row[k - first] = conj(a[j + k * n]);
    subtract_products(n - j, j - first, a + j + first * n, n, row, a + j + j * n);
    const R square = re(a[j + j * n]);
    if (!(square > R(0)) || !isfinite(square)) return false;
    const R root = sqrt(square);
    a[j + j * n] = number<T>(root);
    R *const below = parts(a + j + 1 + j * n);
    for (i64 i = 0; i < (n - j - 1) * components<T>; ++i) below[i] = below[i] / root;
  }
  return true;
}

// Replaces the lower triangle of a, of n rows and columns, by l, and the rest by zeros. Returns false if a is not
// positive definite; what is in a does not count then.
template <class T, class Run>
GPO_FN bool factorize_cholesky(i64 n, T *a, const Run &run) {
  constexpr i64 strip = 128;  // columns whose part above the diagonal is computed in vain
  const View<T> matrix = view_of(a, n, n);
  bool definite = true;
  const auto base = [&](i64 first, i64 end) { definite = definite && factorize_columns(n, first, end, a); };
  const auto update = [&](i64 first, i64 middle, i64 end) {
    for (i64 j = middle; definite && j < end; j += strip) {
      const i64 columns = j + strip < end ? strip : end - j, depth = middle - first;
      run.add_product(matrix.block(j, j, n - j, columns).transposed(), matrix.block(j, first, columns, depth),
                      matrix.block(j, first, n - j, depth).transposed(), Terms{true, true});
    }
  };
  for_halves(n, base, update, NoMerge());
  for (i64 j = 1; j < n; ++j) fill(j, number<T>(0), a + j * n);
  return definite;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_
