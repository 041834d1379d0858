// bench/templates_xtensor.cpp -- jobs of compare.py by xtensor with xsimd, as its users would write them: one
// expression each.
#define XTENSOR_USE_XSIMD
#include <array>
#include <cstdint>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include "bench/templates.h"

namespace {

template <class T>
auto at(T *x, int64_t n) {
  return xt::adapt(x, static_cast<size_t>(n), xt::no_ownership(), std::array<size_t, 1>{static_cast<size_t>(n)});
}

template <class T>
auto matrix(T *x, int64_t rows, int64_t columns) {
  const std::array<size_t, 2> shape = {static_cast<size_t>(rows), static_cast<size_t>(columns)};
  return xt::adapt(x, shape[0] * shape[1], xt::no_ownership(), shape);
}

}  // namespace

#define JOBS(T, SUFFIX)                                                                                  \
  extern "C" void xtensor_threefold_##SUFFIX(T *x, int64_t n) {                                          \
    auto v = at(x, n);                                                                                   \
    xt::noalias(v) = xt::square(v * T(5)) * T(2);                                                        \
  }                                                                                                      \
  extern "C" void xtensor_softplus_##SUFFIX(const T *x, T *out, int64_t n) {                             \
    const auto v = at(x, n);                                                                             \
    auto result = at(out, n);                                                                            \
    xt::noalias(result) = xt::maximum(v, T(0)) + xt::log1p(xt::exp(-xt::abs(v)));                        \
  }                                                                                                      \
  extern "C" void xtensor_sine_##SUFFIX(const T *x, const T *z, T *out, int64_t n) {                     \
    const auto a = at(x, n), b = at(z, n);                                                               \
    auto result = at(out, n);                                                                            \
    xt::noalias(result) = xt::sin(a) * T(2) + b * T(3) - T(1);                                           \
  }                                                                                                      \
  extern "C" double xtensor_sum_##SUFFIX(const T *x, int64_t n) {                                        \
    return xt::sum<T>(at(x, n), xt::evaluation_strategy::immediate)();                                   \
  }                                                                                                      \
  extern "C" double xtensor_mean_##SUFFIX(const T *x, int64_t n) {                                       \
    return xt::mean<T>(at(x, n), xt::evaluation_strategy::immediate)();                                  \
  }                                                                                                      \
  extern "C" void xtensor_sum_columns_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {      \
    auto result = at(out, columns);                                                                      \
    xt::noalias(result) = xt::sum<T>(matrix(x, rows, columns), {0}, xt::evaluation_strategy::immediate); \
  }                                                                                                      \
  extern "C" void xtensor_sum_rows_##SUFFIX(const T *x, T *out, int64_t rows, int64_t columns) {         \
    auto result = at(out, rows);                                                                         \
    xt::noalias(result) = xt::sum<T>(matrix(x, rows, columns), {1}, xt::evaluation_strategy::immediate); \
  }                                                                                                      \
  extern "C" double xtensor_add_##SUFFIX(const T *x, const T *y, int64_t n) {                            \
    const auto a = at(x, n), b = at(y, n);                                                               \
    const xt::xtensor<T, 1> out = a + b;                                                                 \
    return last_of(out.data(), n);                                                                       \
  }                                                                                                      \
  extern "C" double xtensor_chain_##SUFFIX(const T *x, int64_t n) {                                      \
    const auto a = at(x, n);                                                                             \
    const xt::xtensor<T, 1> out = xt::square(a * T(5)) * T(2);                                           \
    return last_of(out.data(), n);                                                                       \
  }

JOBS(float, f32)
JOBS(double, f64)
