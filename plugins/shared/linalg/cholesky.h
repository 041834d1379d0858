// plugins/shared/linalg/cholesky.h -- Cholesky factors of Hermitian, positive definite matrices
//
// a = l l^H. Element (i, j) of l is a[i, j], from which the products l[i, k] conj(l[j, k]) are subtracted one after the
// other in ascending order of k; then it is divided by l[j, j], which is the square root of the real part of its own.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_

#include "plugins/shared/linalg/triangular.h"

namespace gpo {
namespace factor {

// Subtracts the products with the columns [first, end) of l from column j, on and below the diagonal.
template <class T>
GPO_ROUTINE void downdate(i64 n, i64 first, i64 end, T *a, i64 j) {
  T row[kBlock];  // conj(l[j, k])
  for (i64 k = first; k < end; k++) row[k - first] = conjugate(a[j + k * n]);
  subtract_products(n - j, end - first, a + j + first * n, n, row, 1, a + j + j * n);
}

// Replaces the lower triangle of a, of n rows and columns, by l, and the rest by zeros. Returns false if a is not
// positive definite; what is in a does not count then. `each` runs what may run at the same time.
template <class T, class Each>
GPO_ROUTINE bool factorize_cholesky(i64 n, T *a, const Each &each) {
  using Real = real_of<T>;
  for (i64 first = 0; first < n; first += kBlock) {
    const i64 end = first + kBlock < n ? first + kBlock : n;
    for (i64 j = first; j < end; j++) {
      downdate(n, first, j, a, j);
      const Real square = real_part(a[j + j * n]);
      if (!(square > 0) || !isfinite(square)) return false;
      const Real root = sqrt(square);
      a[j + j * n] = from_real<T>(root);
      for (i64 i = j + 1; i < n; i++) {
        T &x = a[i + j * n];
        x = from_parts<T>(real_part(x) / root, imaginary_part(x) / root);
      }
    }
    each(n - end, [=](i64 j) { downdate(n, first, end, a, end + j); });
  }
  for (i64 j = 1; j < n; j++) {
    for (i64 i = 0; i < j; i++) a[i + j * n] = from_real<T>(0);
  }
  return true;
}

}  // namespace factor
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_CHOLESKY_H_
