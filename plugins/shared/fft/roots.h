// plugins/shared/fft/roots.h -- roots of unity, from exactly reduced angles
#ifndef GPUOPT_PLUGINS_SHARED_FFT_ROOTS_H_
#define GPUOPT_PLUGINS_SHARED_FFT_ROOTS_H_

#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/trig.h"

namespace gpo {
namespace fft {

struct SineCosine {
  double sine, cosine;
};

// Those of an angle up to pi/4, within 0.51 units in the last place. Taylor's series, of which the terms that matter
// below the last place are double-double.
GPO_FN SineCosine sine_and_cosine(math::double_double r) {
  const math::double_double s = math::multiply(r, r);
  const double sine_rest = math::poly(s.hi, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                                      -1.0 / 1307674368000.0, 1.0 / 355687428096000.0, -1.0 / 121645100408832000.0);
  const double cosine_rest =
      math::poly(s.hi, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0,
                 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0, 1.0 / 2432902008176640000.0);
  const math::double_double sixth =
      math::fast_two_sum(-0x1.5555555555555p-3, fma(s.hi, sine_rest, -0x1.5555555555555p-57));
  const math::double_double twenty_fourth =
      math::fast_two_sum(0x1.5555555555555p-5, fma(s.hi, cosine_rest, 0x1.5555555555555p-59));
  const math::double_double half = math::add(math::multiply(s, twenty_fourth), -0.5);
  const math::double_double cubic = math::multiply(math::multiply(s, sixth), r), square = math::multiply(s, half);
  const math::double_double sine = math::fast_two_sum(r.hi, cubic.hi), cosine = math::fast_two_sum(1.0, square.hi);
  return {sine.hi + (sine.lo + (cubic.lo + r.lo)), cosine.hi + (cosine.lo + square.lo)};
}

// Those of pi/2 part / whole, 0 <= part <= whole / 2. An eighth of a turn has equal ones.
GPO_FN SineCosine sine_and_cosine(i64 part, i64 whole) {
  using D = math::trig_data<double>;
  constexpr double half_root = 0.70710678118654752440;
  if (2 * part == whole) return {half_root, half_root};
  return sine_and_cosine(math::divide(math::multiply({D::pi_half, D::pi_half_lo}, double(part)), {double(whole), 0.0}));
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
  const SineCosine both = sine_and_cosine(part, n);
  const double sine = steep ? both.cosine : both.sine, cosine = steep ? both.sine : both.cosine;
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
