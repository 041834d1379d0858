// bench/templates_eigen.cpp -- jobs of compare.py by Eigen, as its users would write them: one expression each.
#include <Eigen/Dense>
#include <cstdint>

#include "bench/templates.h"

namespace {

template <class T>
using Elements = Eigen::Array<T, Eigen::Dynamic, 1>;
template <class T>
using Rows = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Square = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using In = Eigen::Map<const T>;
template <class T>
using Out = Eigen::Map<T>;

}  // namespace

#define JOBS(T, SUFFIX)                                                                                  \
  extern "C" void eigen_threefold_##SUFFIX(T *x, int64_t n) {                                            \
    Out<Elements<T>> v(x, n);                                                                            \
    v = (v * T(5)).square() * T(2);                                                                      \
  }                                                                                                      \
  extern "C" void eigen_softplus_##SUFFIX(const T *x, T *out, int64_t n) {                               \
    const In<Elements<T>> v(x, n);                                                                       \
    Out<Elements<T>>(out, n) = v.max(T(0)) + (-v.abs()).exp().log1p();                                   \
  }                                                                                                      \
  extern "C" void eigen_sine_##SUFFIX(const T *x, const T *z, T *out, int64_t n) {                       \
    Out<Elements<T>>(out, n) = In<Elements<T>>(x, n).sin() * T(2) + In<Elements<T>>(z, n) * T(3) - T(1); \
  }                                                                                                      \
  extern "C" double eigen_sum_##SUFFIX(const T *x, int64_t n) { return In<Elements<T>>(x, n).sum(); }    \
  extern "C" double eigen_mean_##SUFFIX(const T *x, int64_t n) { return In<Elements<T>>(x, n).mean(); }  \
  extern "C" void eigen_sum_columns_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {        \
    Out<Elements<T>>(out, columns) = In<Rows<T>>(x, rows, columns).colwise().sum().transpose();          \
  }                                                                                                      \
  extern "C" void eigen_sum_rows_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {           \
    Out<Elements<T>>(out, rows) = In<Rows<T>>(x, rows, columns).rowwise().sum();                         \
  }                                                                                                      \
  extern "C" double eigen_add_##SUFFIX(const T *x, const T *y, int64_t n) {                              \
    const Elements<T> out = In<Elements<T>>(x, n) + In<Elements<T>>(y, n);                               \
    return last_of(out.data(), n);                                                                       \
  }                                                                                                      \
  extern "C" double eigen_chain_##SUFFIX(const T *x, int64_t n) {                                        \
    const Elements<T> out = (In<Elements<T>>(x, n) * T(5)).square() * T(2);                              \
    return last_of(out.data(), n);                                                                       \
  }                                                                                                      \
  extern "C" void eigen_matmul_##SUFFIX(const T *a, const T *b, T *out, int64_t n) {                     \
    Out<Square<T>>(out, n, n).noalias() = In<Square<T>>(a, n, n) * In<Square<T>>(b, n, n);               \
  }

JOBS(float, f32)
JOBS(double, f64)
