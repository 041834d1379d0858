// bench/templates_armadillo.cpp -- jobs of compare.py by Armadillo, as its users would write them: one expression each.
// Products are left out: they are OpenBLAS's, the bound.
#define ARMA_DONT_USE_WRAPPER
#define ARMA_DONT_USE_BLAS
#define ARMA_DONT_USE_LAPACK
#define ARMA_USE_OPENMP
#define ARMA_NO_DEBUG
#include <algorithm>
#include <armadillo>
#include <cstdint>
#include <limits>

#include "bench/templates.h"

namespace {

// The elements at `x`, which are not copied.
template <class T>
arma::Col<T> at(const T *x, int64_t n) {
  return arma::Col<T>(const_cast<T *>(x), static_cast<arma::uword>(n), false, true);
}

// A matrix by rows is the transpose of Armadillo's, which are by columns.
template <class T>
arma::Mat<T> transposed(const T *x, int64_t rows, int64_t columns) {
  return arma::Mat<T>(const_cast<T *>(x), static_cast<arma::uword>(columns), static_cast<arma::uword>(rows), false,
                      true);
}

}  // namespace

#define JOBS(T, SUFFIX)                                                                                   \
  extern "C" void armadillo_threefold_##SUFFIX(T *x, int64_t n) {                                         \
    arma::Col<T> v = at(x, n);                                                                            \
    v = arma::square(v * T(5)) * T(2);                                                                    \
  }                                                                                                       \
  extern "C" void armadillo_softplus_##SUFFIX(const T *x, T *out, int64_t n) {                            \
    const arma::Col<T> v = at(x, n);                                                                      \
    arma::Col<T> result = at(out, n);                                                                     \
    result = arma::clamp(v, T(0), std::numeric_limits<T>::max()) + arma::log1p(arma::exp(-arma::abs(v))); \
  }                                                                                                       \
  extern "C" void armadillo_sine_##SUFFIX(const T *x, const T *z, T *out, int64_t n) {                    \
    arma::Col<T> result = at(out, n);                                                                     \
    result = arma::sin(at(x, n)) * T(2) + at(z, n) * T(3) - T(1);                                         \
  }                                                                                                       \
  extern "C" double armadillo_sum_##SUFFIX(const T *x, int64_t n) { return arma::accu(at(x, n)); }        \
  extern "C" double armadillo_mean_##SUFFIX(const T *x, int64_t n) { return arma::mean(at(x, n)); }       \
  extern "C" void armadillo_sum_columns_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {     \
    arma::Col<T> result = at(out, columns);                                                               \
    result = arma::sum(transposed(x, rows, columns), 1);                                                  \
  }                                                                                                       \
  extern "C" void armadillo_sum_rows_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {        \
    const arma::Row<T> sums = arma::sum(transposed(x, rows, columns), 0);                                 \
    std::copy(sums.begin(), sums.end(), out);                                                             \
  }                                                                                                       \
  extern "C" double armadillo_add_##SUFFIX(const T *x, const T *y, int64_t n) {                           \
    const arma::Col<T> out = at(x, n) + at(y, n);                                                         \
    return last_of(out.memptr(), n);                                                                      \
  }                                                                                                       \
  extern "C" double armadillo_chain_##SUFFIX(const T *x, int64_t n) {                                     \
    const arma::Col<T> out = arma::square(at(x, n) * T(5)) * T(2);                                        \
    return last_of(out.memptr(), n);                                                                      \
  }

JOBS(float, f32)
JOBS(double, f64)
