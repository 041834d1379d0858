// plugins/shared/fft/roots.h -- roots of unity, from exactly reduced angles
#ifndef GPUOPT_PLUGINS_SHARED_FFT_ROOTS_H_
#define GPUOPT_PLUGINS_SHARED_FFT_ROOTS_H_

#include "plugins/shared/math/trig.h"

namespace gpo {
namespace fft {

// The angle pi/2 part / whole, 0 <= part <= whole / 2, in two numbers.
GPO_FN math::angle<double> eighth_of_turn(i64 part, i64 whole) {
  using D = math::trig_data<double>;
  const double p = double(part), n = double(whole);
  const double product = p * D::pi_half;
  const double rest = fma(p, D::pi_half, -product) + p * D::pi_half_lo;
  const double r = product / n;
  return {r, (fma(-r, n, product) + rest) / n, 0};
}

// exp(-2 pi i sqrt(-1) / n) for 0 <= i < n. The angle is reduced to an eighth of a turn in integers, so that 1, -1 and
// the like are exact, and so is the symmetry of the others.
GPO_FN c128 root(i64 i, i64 n) {
  const bool lower = 2 * i > n;        // the conjugate of an angle in the other half
  i64 part = 4 * (lower ? n - i : i);  // the angle is part / n quarter turns, 0 to 2
  const bool left = part > n;          // its cosine is negative
  if (left) part = 2 * n - part;
  const bool steep = 2 * part > n;  // sine and cosine are exchanged
  if (steep) part = n - part;
  const math::ratio<double> tangent = math::tan_ratio(eighth_of_turn(part, n));
  const double sine = steep ? tangent.den.hi : tangent.num.hi, cosine = steep ? tangent.num.hi : tangent.den.hi;
  return {left ? -cosine : cosine, lower ? sine : 0.0 - sine};
}

// The same in another precision, rounded from double.
template <class T>
GPO_FN cplx<T> root_as(i64 i, i64 n) {
  const c128 w = root(i, n);
  return {T(w.re), T(w.im)};
}

}  // namespace fft
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_FFT_ROOTS_H_
