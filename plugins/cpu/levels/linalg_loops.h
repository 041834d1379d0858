// plugins/cpu/levels/linalg_loops.h -- the algorithms of linear algebra (plugins/shared/linalg), once per instruction
// set level.
#pragma once

#include <cstdint>

#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/triangular.h"

namespace gpuopt::cpu {

// c += a b, as gpo::linalg::InOrder::add_product() defines it.
template <class T>
using AddProduct = void (*)(const gpo::linalg::View<T> &c, const gpo::linalg::View<T> &a, const gpo::linalg::View<T> &b,
                            gpo::linalg::Terms terms);

// How the algorithms run loops and products: what they call a runner (plugins/shared/linalg/blocks.h), for code that is
// compiled elsewhere. loop() calls body(context, i) for every i < count, on several threads if `threads`.
struct LinalgRunner {
  bool threads;
  void (*loop)(bool threads, int64_t count, void (*body)(const void *context, int64_t i), const void *context);
  AddProduct<float> add_float32;
  AddProduct<double> add_float64;
  AddProduct<gpo::c64> add_complex64;
  AddProduct<gpo::c128> add_complex128;
};

// The functions of plugins/shared/linalg of the same names, for one type of elements.
template <class T>
struct LinalgAlgorithms {
  using R = gpo::real_of<T>;
  using Matrix = gpo::linalg::View<T>;
  void (*transpose)(int64_t m, int64_t n, const T *from, int64_t row, T *to, int64_t column);
  bool (*factorize_cholesky)(int64_t n, T *a, const LinalgRunner &run);
  void (*factorize_lu)(int64_t m, int64_t n, T *a, int64_t *pivots, const LinalgRunner &run);
  void (*solve_lu)(const Matrix &a, const int64_t *pivots, const Matrix &b, const LinalgRunner &run);
  void (*solve_triangle)(const gpo::linalg::Triangle<T> &t, const Matrix &b, const LinalgRunner &run);
  void (*factorize_qr)(int64_t m, int64_t n, T *a, T *tau, T *memory, const LinalgRunner &run,
                       gpo::linalg::KeptTriangles<T> kept);
  void (*form_q)(int64_t m, int64_t columns, int64_t count, T *a, const T *tau, T *q, T *memory,
                 const LinalgRunner &run, gpo::linalg::KeptTriangles<T> kept);
  void (*complete_basis)(int64_t m, int64_t given, T *q, T *memory, const LinalgRunner &run);
  bool (*symmetric_eigen)(int64_t n, T *a, R *w, bool vectors, R *work, const LinalgRunner &run);
  bool (*svd)(int64_t m, int64_t n, T *a, R *s, T *u, T *vh, R *work, const LinalgRunner &run);
  bool (*general_eigen)(int64_t n, T *a, gpo::cplx<R> *w, gpo::cplx<R> *v, R *work, const LinalgRunner &run);
};

struct LinalgLoops {
  LinalgAlgorithms<float> of_float32;
  LinalgAlgorithms<double> of_float64;
  LinalgAlgorithms<gpo::c64> of_complex64;
  LinalgAlgorithms<gpo::c128> of_complex128;

  template <class T>
  const LinalgAlgorithms<T> &of() const noexcept;
};
template <>
inline const LinalgAlgorithms<float> &LinalgLoops::of() const noexcept {
  return of_float32;
}
template <>
inline const LinalgAlgorithms<double> &LinalgLoops::of() const noexcept {
  return of_float64;
}
template <>
inline const LinalgAlgorithms<gpo::c64> &LinalgLoops::of() const noexcept {
  return of_complex64;
}
template <>
inline const LinalgAlgorithms<gpo::c128> &LinalgLoops::of() const noexcept {
  return of_complex128;
}

// Returns the algorithms of an instruction set level (2, 3 or 4); other architectures have one for all levels.
const LinalgLoops &linalg_loops(int level) noexcept;

}  // namespace gpuopt::cpu
