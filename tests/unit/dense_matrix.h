// tests/unit/dense_matrix.h -- matrices of complex numbers, by which tests see what decompositions promise.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/unit/call_array.h"

namespace gpuopt::test::dense {

using Complex = std::complex<double>;

inline bool is_single(int32_t dtype) { return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64; }
inline bool is_complex(int32_t dtype) { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }
inline int32_t real_of(int32_t dtype) { return is_single(dtype) ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64; }
inline int32_t complex_of(int32_t dtype) { return is_single(dtype) ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128; }

// The element of an array at a position in C order.
inline Complex element_of(Array &array, int32_t dtype, int64_t position) {
  switch (dtype) {
    case GPUOPT_FLOAT32:
      return array.get<float>(position);
    case GPUOPT_FLOAT64:
      return array.get<double>(position);
    case GPUOPT_COMPLEX64:
      return array.get<std::complex<float>>(position);
    case GPUOPT_INT64:
      return static_cast<double>(array.get<int64_t>(position));
    default:
      return array.get<Complex>(position);
  }
}
inline void set_element(Array &array, int32_t dtype, int64_t position, Complex value) {
  if (dtype == GPUOPT_FLOAT32) array.set(position, static_cast<float>(value.real()));
  if (dtype == GPUOPT_FLOAT64) array.set(position, value.real());
  if (dtype == GPUOPT_COMPLEX64) array.set(position, std::complex<float>(value));
  if (dtype == GPUOPT_COMPLEX128) array.set(position, value);
}

// A matrix in row-major order, in and out of arrays of any of the dtypes.
struct Dense {
  int64_t m, n;
  std::vector<Complex> x;

  Dense(int64_t rows, int64_t columns) : m(rows), n(columns), x(static_cast<size_t>(rows * columns)) {}
  Complex &at(int64_t i, int64_t j) { return x[static_cast<size_t>(i * n + j)]; }
  Complex at(int64_t i, int64_t j) const { return x[static_cast<size_t>(i * n + j)]; }

  // Matrix `number` of a stack of matrices of these sizes; a vector is one column.
  static Dense of(Array &array, int32_t dtype, int64_t rows, int64_t columns, int64_t number) {
    Dense to(rows, columns);
    for (int64_t i = 0; i < rows * columns; i++)
      to.x[static_cast<size_t>(i)] = element_of(array, dtype, number * rows * columns + i);
    return to;
  }
  static Dense of(Array &array, int32_t dtype) {
    const Shape &shape = array.shape();
    return of(array, dtype, shape.empty() ? 1 : shape[0], shape.size() < 2 ? 1 : shape[1], 0);
  }
  void put(Array &array, int32_t dtype, int64_t number = 0) const {
    for (int64_t i = 0; i < m * n; i++) set_element(array, dtype, number * m * n + i, x[static_cast<size_t>(i)]);
  }
  Array array(int32_t dtype) const {
    Array to(dtype, {m, n});
    put(to, dtype);
    return to;
  }
};
inline Dense operator*(const Dense &a, const Dense &b) {
  Dense c(a.m, b.n);
  for (int64_t i = 0; i < a.m; i++)
    for (int64_t k = 0; k < a.n; k++)
      for (int64_t j = 0; j < b.n; j++) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}
inline Dense adjoint(const Dense &a) {
  Dense c(a.n, a.m);
  for (int64_t i = 0; i < a.m; i++)
    for (int64_t j = 0; j < a.n; j++) c.at(j, i) = std::conj(a.at(i, j));
  return c;
}
inline Dense diagonal(const Dense &values, int64_t m, int64_t n) {
  Dense c(m, n);
  for (int64_t i = 0; i < values.m; i++) c.at(i, i) = values.at(i, 0);
  return c;
}
inline Dense identity(int64_t n) {
  Dense c(n, n);
  for (int64_t i = 0; i < n; i++) c.at(i, i) = 1;
  return c;
}
// Numbers that float has exactly; with `hermitian` a positive definite matrix.
inline Dense some_matrix(int32_t dtype, int64_t m, int64_t n, bool hermitian = false) {
  std::mt19937 random(static_cast<unsigned>(m + 3 * n));
  Dense a(m, n);
  const auto number = [&] { return static_cast<double>(random() % 256) / 64 - 2; };
  for (Complex &element : a.x) {
    const double re = number();
    element = Complex(re, is_complex(dtype) ? number() : 0);
  }
  if (!hermitian) return a;
  Dense h = adjoint(a);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) h.at(i, j) += a.at(i, j) + (i == j ? Complex(40.0 * static_cast<double>(n)) : 0);
  return h;
}

inline bool is_near(const char *what, int32_t dtype, const Dense &a, const Dense &b) {
  double most = 1, off = a.m == b.m && a.n == b.n ? 0 : INFINITY;
  for (size_t i = 0; off == 0 && i < b.x.size(); i++) most = std::fmax(most, std::abs(b.x[i]));
  for (size_t i = 0; i < std::min(a.x.size(), b.x.size()); i++) {
    const double distance = std::abs(a.x[i] - b.x[i]);
    off = std::isnan(distance) ? INFINITY : std::fmax(off, distance);
  }
  const double epsilon = is_single(dtype) ? 1.2e-7 : 2.3e-16;
  if (off <= 40 * static_cast<double>(std::max(a.m, a.n)) * epsilon * most) return true;
  fprintf(stderr, "%s, dtype %d: off by %g of %g\n", what, dtype, off, most);
  return false;
}

}  // namespace gpuopt::test::dense
