// plugins/shared/linalg/triangular.h -- solves systems with triangular matrices, by substitution
//
// Element i of the solution is (b[i] - the sum of a[i, k] x[k]) / a[i, i], where the products are subtracted one after
// the other: for lower triangular matrices in ascending order of k, for upper ones in descending order. Columns of the
// right side do not depend on each other.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_

#include "plugins/shared/linalg/numbers.h"

namespace gpo {
namespace factor {

// The columns that are taken together in passes over the rest. It has no part in the result.
inline constexpr i64 kBlock = 32;

// A triangular matrix of n rows and columns, `step` elements from one column to the next.
template <class T>
struct Triangle {
  i64 n;
  const T *a;
  i64 step;
  bool lower, unit_diagonal;
};

// Returns whether no element of the diagonal is 0.
template <class T>
GPO_ROUTINE bool is_regular(const Triangle<T> &t) {
  for (i64 i = 0; i < t.n && !t.unit_diagonal; i++) {
    if (is_zero(t.a[i + i * t.step])) return false;
  }
  return true;
}

template <class T>
GPO_ROUTINE void solve_lower(const Triangle<T> &t, T *x) {
  for (i64 first = 0; first < t.n; first += kBlock) {
    const i64 end = first + kBlock < t.n ? first + kBlock : t.n;
    for (i64 k = first; k < end; k++) {
      if (!t.unit_diagonal) x[k] = quotient(x[k], t.a[k + k * t.step]);
      subtract_one(end - k - 1, t.a + k + 1 + k * t.step, x[k], x + k + 1);
    }
    subtract_products(t.n - end, end - first, t.a + end + first * t.step, t.step, x + first, 1, x + end);
  }
}

template <class T>
GPO_ROUTINE void solve_upper(const Triangle<T> &t, T *x) {
  for (i64 end = t.n; end > 0; end -= kBlock) {
    const i64 first = end > kBlock ? end - kBlock : 0;
    for (i64 k = end - 1; k >= first; k--) {
      if (!t.unit_diagonal) x[k] = quotient(x[k], t.a[k + k * t.step]);
      subtract_one(k - first, t.a + first + k * t.step, x[k], x + first);
    }
    subtract_products(first, end - first, t.a + (end - 1) * t.step, -t.step, x + end - 1, -1, x);
  }
}

// Replaces b, which has n elements, by the solution x of a x = b.
template <class T>
GPO_ROUTINE void solve_triangle(const Triangle<T> &t, T *b) {
  t.lower ? solve_lower(t, b) : solve_upper(t, b);
}

}  // namespace factor
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_
