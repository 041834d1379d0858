// plugins/cpu/levels/power_loop.h -- powers of doubles, several vectors at a time; elementwise.h includes it.
//
// A power is a chain of some 70 operations, each of which waits for the one before it, and a processor looks only so
// far ahead for others. So a block of many vectors goes through one step after the other, and waits between them in
// arrays. The operations, and their bits, are those of math::pow_easy().
#pragma once

#include "plugins/cpu/levels/level.h"
#include "plugins/shared/math/power.h"

namespace gpuopt::cpu {
namespace {

template <int kSize>
struct Doubles {
  double values[static_cast<size_t>(kSize)];
  GPO_FN double &operator[](int j) { return values[j]; }
  GPO_FN double operator[](int j) const { return values[j]; }
};

// log(x) y in two parts for each element of a block: math::log_power().
template <int kSize, class X, class Y>
GPO_FN void log_powers(X x, Y y, Doubles<kSize> &hi, Doubles<kSize> &lo) {
  using namespace gpo::math;
  Doubles<kSize> k, f, s_hi, s_lo, z_hi, z_lo, rest;
  for (int j = 0; j < kSize; j++) {
    const log_reduced<double> r = reduce_normal_log(gpo::abs(x[j]));
    k[j] = r.k, f[j] = r.f;
  }
  for (int j = 0; j < kSize; j++) {
    const double_double s = log_ratio({f[j], 0.0}), z = multiply(s, s);
    s_hi[j] = s.hi, s_lo[j] = s.lo, z_hi[j] = z.hi, z_lo[j] = z.lo;
  }
  for (int j = 0; j < kSize; j++) rest[j] = log_series_rest(z_hi[j]);
  for (int j = 0; j < kSize; j++) {
    const double_double series = log_series({s_hi[j], s_lo[j]}, {z_hi[j], z_lo[j]}, rest[j]);
    hi[j] = series.hi, lo[j] = series.lo;
  }
  for (int j = 0; j < kSize; j++) {
    const double_double power = multiply(log_total(k[j], {hi[j], lo[j]}), y[j]);
    hi[j] = power.hi, lo[j] = power.lo;
  }
}

// Returns whether some element needs math::pow(); the results of the others are in `result`.
template <int kSize, class X, class Y>
GPO_FN bool easy_powers(X x, Y y, Doubles<kSize> &result) {
  using namespace gpo::math;
  Doubles<kSize> hi, lo, large, scale;
  log_powers(x, y, hi, lo);
  gpo::u64 hard = 0;
  for (int j = 0; j < kSize; j++) hard |= gpo::u64(pow_is_hard(x[j], y[j], hi[j]));
  for (int j = 0; j < kSize; j++) {
    const exp_terms e = exp_terms_of({hi[j], lo[j]});
    lo[j] = e.small, large[j] = e.large, scale[j] = e.scale;
  }
  for (int j = 0; j < kSize; j++) result[j] = pow_of_magnitude(x[j], y[j], sum_of_terms({lo[j], large[j], scale[j]}));
  return hard != 0;
}

// Computes a block. Results go to `out` at the end, because they may overwrite a source.
template <int kSize, class X, class Y>
GPO_FN void power_block(double *out, X x, Y y) {
  Doubles<kSize> result;
  if (__builtin_expect(easy_powers(x, y, result), 0)) {
    for (int j = 0; j < kSize; j++) result[j] = gpo::math::pow(x[j], y[j]);
  }
  __builtin_memcpy(out, &result, sizeof result);
}

}  // namespace
}  // namespace gpuopt::cpu
