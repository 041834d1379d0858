// plugins/shared/math/complex_functions.h -- functions of a complex argument, computed in double; c64 results are
// rounded once
//
// Special values are those of C17 Annex G and the array API 2025.12. The algorithms without a citation are the textbook
// formulas; accuracy comes from the real functions and from double-double where terms cancel.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/math/complex_arithmetic.h"
#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/hyperbolic.h"
#include "plugins/shared/math/inverse_trig.h"
#include "plugins/shared/math/trig.h"

namespace gpo {
namespace math {
namespace wide {  // the same names on c128, out of line

GPO_FN c128 times_i(c128 z) { return {-z.im, z.re}; }
GPO_FN c128 over_i(c128 z) { return {z.im, -z.re}; }
GPO_FN c128 both_nan() { return {nan<double>(), nan<double>()}; }
GPO_FN double half_pi() { return trig_data<double>::pi_half; }

// ---- exponentials

// value 2^exponent, the value not denormal.
struct scaled_factor {
  double value;
  int exponent;
};
GPO_FN scaled_factor scaled(double x) {
  const bool tiny = abs(x) < 0x1p-1000;
  return {tiny ? x * 0x1p1000 : x, tiny ? -1000 : 0};
}
// x 2^n for |n| < 3000, rounded once, |x| of at most 2.
GPO_FN double times_power(double x, int n) {
  const int bound = n > 2046 ? 2046 : (n < -2040 ? -2040 : n);
  return exp2_of_biased<double>(u64(bound + 2046)).times(x);
}
// exp(x) times each of two factors of at most 1 in size. Powers of two are multiplied in last, so that a small factor
// can keep a large exponential from overflowing.
GPO_SLOW c128 exp_times(double_double x, scaled_factor re, scaled_factor im) {
  // Beyond 1500 even the least denormal factor gives an infinity, below -1400 everything underflows. exp_accurate ends
  // at 1400.
  const double bound = x.hi > 1500.0 ? 1500.0 : (x.hi < -1400.0 ? -1400.0 : x.hi);
  const double rest = bound == x.hi ? x.lo : 0.0;  // beside a huge x.hi, x.lo may have overflowed to a NaN
  const bool lowered = bound > 1400.0;
  const double_double less = {-128.0 * exp_data<double>::ln2_hi, -128.0 * exp_data<double>::ln2_lo};
  const scaled_exp e = exp_accurate(lowered ? add(double_double{bound, rest}, less) : double_double{bound, rest});
  const int n = int(e.n) + (lowered ? 128 : 0);
  return {times_power(e.value.hi * re.value, n + re.exponent), times_power(e.value.hi * im.value, n + im.exponent)};
}
// exp(x) (cos y + i sin y) for finite y.
GPO_SLOW c128 exp_polar(double_double x, double cos_y, double sin_y) {
  return exp_times(x, scaled(cos_y), scaled(sin_y));
}
// exp where a component is infinite or NaN.
GPO_SLOW c128 exp_special(c128 z) {
  if (z.im == 0.0) return {math::exp(z.re), z.im};
  if (isfinite(z.im) && isinf(z.re)) {
    const double size = z.re > 0.0 ? inf<double>() : 0.0;
    return {size * math::cos(z.im), size * math::sin(z.im)};
  }
  if (z.re == -inf<double>()) return {0.0, with_sign(0.0, z.im)};
  if (z.re == inf<double>()) return {z.re, nan<double>()};
  return both_nan();
}
GPO_SLOW c128 exp(c128 z) {
  if (!is_finite(z)) return exp_special(z);
  if (z.im == 0.0) return {math::exp(z.re), z.im};
  return exp_polar({z.re, 0.0}, math::cos(z.im), math::sin(z.im));
}
// exp(x) (cos y + i sin y) for an angle in two parts. y.lo is the rounding error of y.hi, so small unless the angle is
// huge.
GPO_SLOW c128 exp_turned(double_double x, double_double y) {
  const double c = math::cos(y.hi), s = math::sin(y.hi);
  const double c_lo = math::cos(y.lo), s_lo = math::sin(y.lo);
  return exp_polar(x, sum_of_products(c, c_lo, -s, s_lo), sum_of_products(s, c_lo, c, s_lo));
}
GPO_SLOW c128 exp2(c128 z) {
  if (!is_finite(z)) return exp_special(z);
  if (z.im == 0.0) return {math::exp2(z.re), z.im};
  constexpr double_double ln2 = {exp_data<double>::ln2_hi, exp_data<double>::ln2_lo};
  const double x = z.re > 2200.0 ? 2200.0 : (z.re < -2020.0 ? -2020.0 : z.re);
  if (abs(z.im) < 0x1p-900) {  // the angle is its own sine, and may be denormal
    return exp_times(multiply(ln2, x), {1.0, 0}, {z.im * 0x1p900 * ln2.hi, -900});
  }
  return exp_turned(multiply(ln2, x), multiply(ln2, z.im));
}
// (e^x - 1) cos y - (1 - cos y)
GPO_SLOW c128 expm1(c128 z) {
  if (!is_finite(z) || z.re > 700.0) {
    const c128 e = exp(z);
    return {e.re - 1.0, e.im};
  }
  if (z.im == 0.0) return {math::expm1(z.re), z.im};
  const double s = math::sin(0.5 * z.im);
  return {sum_of_products(math::expm1(z.re), math::cos(z.im), -2.0 * s, s), math::exp(z.re) * math::sin(z.im)};
}

// ---- logarithms

GPO_FN double_double square(double x) { return two_product(x, x); }
// log(x) / 2 + extra_k log(2) for a double-double x > 0.
GPO_FN double_double half_log(double_double x, double extra_k) {
  const log_reduced<double> r = reduce_log(x.hi);
  const double scale = from_bits(u64(1023 - i64(r.k)) << 52);  // brings x.lo along with x.hi; here |k| stays small
  const double_double y = log_sum_accurate(r.k + 2.0 * extra_k, fast_two_sum(r.f, x.lo * scale));
  return {0.5 * y.hi, 0.5 * y.lo};
}
// log |z| for any z: half the logarithm of the sum of squares, which stays exact enough to show |z| = 1.
GPO_SLOW double_double log_abs(c128 z) {
  if (has_infinity(z)) return {inf<double>(), 0.0};
  if (!is_finite(z)) return {nan<double>(), 0.0};
  if (z.re == 0.0 && z.im == 0.0) return {-inf<double>(), 0.0};
  const int e = exponent_of(z);
  const c128 unit = scale_by(z, -e);
  return half_log(add(square(unit.re), square(unit.im)), double(e));
}

GPO_SLOW c128 log(c128 z) { return {log_abs(z).hi, math::atan2(z.im, z.re)}; }
GPO_SLOW c128 log2(c128 z) {
  constexpr double_double log2e = {log_data<double>::log2e_hi, log_data<double>::log2e_lo};
  const double_double size = log_abs(z);
  return {isfinite(size.hi) ? multiply(size, log2e).hi : size.hi, math::atan2(z.im, z.re) * log2e.hi};
}
GPO_SLOW c128 log10(c128 z) {
  constexpr double_double log10e = {log_data<double>::log10e_hi, log_data<double>::log10e_lo};
  const double_double size = log_abs(z);
  return {isfinite(size.hi) ? multiply(size, log10e).hi : size.hi, math::atan2(z.im, z.re) * log10e.hi};
}
// Near 0 half of log1p(2 x + x^2 + y^2), that sum in double-double; elsewhere log(1 + z).
GPO_SLOW c128 log1p(c128 z) {
  const double angle = math::atan2(z.im, 1.0 + z.re);
  if (!(abs(z.re) < 0.125 && abs(z.im) < 0.25)) {
    const double_double x = two_sum(1.0, z.re);
    if (!(abs(z.re) < 0x1p60 && abs(z.im) < 0x1p60)) return {log_abs(z).hi, angle};
    if (x.hi == 0.0 && z.im == 0.0) return {-inf<double>(), angle};
    const int e = exponent_of(c128{x.hi, z.im});
    const double scale = scale_by(1.0, -e);
    const double_double unit = {x.hi * scale, x.lo * scale};
    return {half_log(add(multiply(unit, unit), square(z.im * scale)), double(e)).hi, angle};
  }
  const double_double sum = add(add(square(z.re), z.re + z.re), square(z.im));
  return {0.5 * log_sum_accurate(0.0, sum).hi, angle};
}

// ---- roots

// sqrt((|x| + |z|) / 2) is one component, y over twice that the other; scaled by a power of four.
GPO_SLOW c128 sqrt(c128 z) {
  if (isinf(z.im)) return {inf<double>(), z.im};
  if (isinf(z.re)) {
    const double other = isnan(z.im) ? z.im : 0.0;
    if (z.re > 0.0) return {z.re, copysign(other, z.im)};
    return {abs(other), with_sign(inf<double>(), z.im)};
  }
  if (!is_finite(z)) return both_nan();
  if (z.re == 0.0 && z.im == 0.0) return {0.0, z.im};
  const int half = exponent_of(z) >> 1;
  const c128 unit = scale_by(z, -2 * half);
  const double larger = scale_by(gpo::sqrt(0.5 * (abs(unit.re) + hypot(unit.re, unit.im))), half);
  const double smaller = z.im / (larger + larger);
  return z.re >= 0.0 ? c128{larger, smaller} : c128{abs(smaller), copysign(larger, z.im)};
}

// ---- hyperbolic and, through i, trigonometric

// (cos y + i sin y) exp |x| / 2, where exp |x| / 2 stands for cosh x and |sinh x| if |x| > 40. The power of two in it
// is multiplied in last.
GPO_SLOW c128 large_exponential(double ax, double cos_y, double sin_y) {
  scaled_factor c = scaled(cos_y), s = scaled(sin_y);
  c.value *= 0.5, s.value *= 0.5;
  return exp_times({ax, 0.0}, c, s);
}
GPO_SLOW c128 sinh(c128 z) {
  if (z.im == 0.0) return {math::sinh(z.re), z.im};
  if (!isfinite(z.im)) {
    const bool axis = z.re == 0.0 || isinf(z.re);
    return {axis ? z.re : nan<double>(), nan<double>()};
  }
  const double c = math::cos(z.im), s = math::sin(z.im);
  if (isfinite(z.re) && abs(z.re) > 40.0) {
    const c128 y = large_exponential(abs(z.re), c, s);
    return {z.re < 0.0 ? -y.re : y.re, y.im};
  }
  return {math::sinh(z.re) * c, math::cosh(z.re) * s};
}
GPO_SLOW c128 cosh(c128 z) {
  if (z.im == 0.0) return {math::cosh(z.re), with_sign(0.0, z.re) * copysign(1.0, z.im)};
  if (!isfinite(z.im)) {
    if (isinf(z.re)) return {inf<double>(), nan<double>()};
    return {nan<double>(), z.re == 0.0 ? 0.0 : nan<double>()};
  }
  if (z.re == 0.0) return {math::cos(z.im), z.re * math::sin(z.im)};
  const double c = math::cos(z.im), s = math::sin(z.im);
  if (isfinite(z.re) && abs(z.re) > 40.0) {
    const c128 y = large_exponential(abs(z.re), c, s);
    return {y.re, z.re < 0.0 ? -y.im : y.im};
  }
  return {math::cosh(z.re) * c, math::sinh(z.re) * s};
}
// Kahan 1987: with t = tan y and s = sinh x, (b s cosh x + i t) / (1 + b s^2) where b = 1 + t^2.
GPO_SLOW c128 tanh(c128 z) {
  if (isinf(z.re)) {
    const double sign = isfinite(z.im) && z.im != 0.0 ? math::sin(z.im) * math::cos(z.im) : z.im;
    return {copysign(1.0, z.re), with_sign(0.0, sign)};
  }
  if (z.im == 0.0) return {math::tanh(z.re), z.im};
  if (!is_finite(z)) return {z.re == 0.0 ? z.re : nan<double>(), nan<double>()};
  if (abs(z.re) > 22.0) {  // cosh x and |sinh x| agree
    const double decay = math::exp(-2.0 * abs(z.re));
    return {copysign(1.0, z.re), 4.0 * math::sin(z.im) * math::cos(z.im) * decay};
  }
  const double t = math::tan(z.im), s = math::sinh(z.re);
  const double b = fma(t, t, 1.0), den = fma(b * s, s, 1.0);
  return {b * s * math::cosh(z.re) / den, t / den};
}
GPO_FN c128 sin(c128 z) { return over_i(sinh(times_i(z))); }
GPO_FN c128 cos(c128 z) { return cosh(times_i(z)); }
GPO_FN c128 tan(c128 z) { return over_i(tanh(times_i(z))); }

// ---- inverses (Kahan 1987, "Branch Cuts for Complex Elementary Functions")

// The square roots of 1 - z and 1 + z. Their products below add terms of one sign only.
struct root_pair {
  c128 minus, plus;
};
GPO_FN root_pair roots_about(c128 z) { return {sqrt(c128{1.0 - z.re, -z.im}), sqrt(c128{1.0 + z.re, z.im})}; }

// is_far() returns whether a component of z is 2^60 or more, or infinite. Then one component of asin(z) and acos(z) is
// an angle of z, and the other, up to its sign, log |2 z|, which log_of_double() returns.
GPO_FN bool is_far(c128 z) { return !(abs(z.re) < 0x1p60) || !(abs(z.im) < 0x1p60); }
GPO_SLOW double log_of_double(c128 z) {
  const double_double size = log_abs(z);
  return isfinite(size.hi) ? add(size, double_double{log_data<double>::ln2_hi, log_data<double>::ln2_lo}).hi : size.hi;
}

GPO_SLOW c128 acos(c128 z) {
  if (isnan(z.re) || isnan(z.im)) {
    if (has_infinity(z)) return {nan<double>(), -with_sign(inf<double>(), z.im)};
    return {z.re == 0.0 ? half_pi() : nan<double>(), nan<double>()};
  }
  if (is_far(z)) return {math::atan2(abs(z.im), z.re), -copysign(log_of_double(z), z.im)};
  const root_pair r = roots_about(z);
  const double size = sum_of_products(r.plus.re, r.minus.im, -r.plus.im, r.minus.re);
  return {2.0 * math::atan2(r.minus.re, r.plus.re), copysign(math::asinh(size), -z.im)};
}
GPO_SLOW c128 asin(c128 z) {
  if (isnan(z.re) || isnan(z.im)) {
    if (has_infinity(z)) return {nan<double>(), isinf(z.im) ? z.im : inf<double>()};
    if (z.re == 0.0) return {z.re, nan<double>()};
    return {nan<double>(), nan<double>()};
  }
  if (is_far(z)) return {math::atan2(z.re, abs(z.im)), copysign(log_of_double(z), z.im)};
  const root_pair r = roots_about(z);
  const double size = sum_of_products(r.minus.re, r.plus.im, -r.minus.im, r.plus.re);
  const double along = sum_of_products(r.minus.re, r.plus.re, -r.minus.im, r.plus.im);
  return {math::atan2(z.re, along), copysign(math::asinh(size), z.im)};
}
GPO_FN c128 asinh(c128 z) { return over_i(asin(times_i(z))); }
GPO_SLOW c128 acosh(c128 z) {
  if (isnan(z.re) || isnan(z.im)) {
    if (has_infinity(z)) return {inf<double>(), nan<double>()};
    return {nan<double>(), z.re == 0.0 ? half_pi() : nan<double>()};
  }
  if (is_far(z)) return {log_of_double(z), math::atan2(z.im, z.re)};
  const c128 minus = sqrt(c128{z.re - 1.0, z.im}), plus = sqrt(c128{z.re + 1.0, z.im});
  return {math::asinh(sum_of_products(minus.re, plus.re, minus.im, plus.im)), 2.0 * math::atan2(minus.im, plus.re)};
}

// log1p(4 x / ((1 - x)^2 + y^2)) / 4 and half the angle of (1 - x^2 - y^2, 2 y).
GPO_SLOW c128 atanh(c128 z) {
  const double ax = abs(z.re), ay = abs(z.im);
  if (isnan(z.re) || isnan(z.im)) {
    if (isinf(z.re) || z.re == 0.0) return {copysign(0.0, z.re), nan<double>()};
    if (isinf(z.im)) return {with_sign(0.0, z.re), copysign(half_pi(), z.im)};
    return both_nan();
  }
  if (!(ax < 0x1p60) || !(ay < 0x1p60)) {  // 1 / z is all that is left of the real part
    const double re = is_finite(z) ? math::reciprocal(z).re : 0.0;
    return {copysign(re, z.re), copysign(half_pi(), z.im)};
  }
  const double_double square_y = square(z.im);
  const double_double angle = add(add(negate(square(z.re)), 1.0), negate(square_y));
  const double im = 0.5 * math::atan2(z.im + z.im, angle.hi);
  if (ax == 1.0 && ay < 0x1p-500) {  // y^2 would underflow
    return {copysign(ay == 0.0 ? inf<double>() : 0.5 * (log_data<double>::ln2_hi - math::log(ay)), z.re), im};
  }
  const double den = fma(1.0 - ax, 1.0 - ax, square_y.hi);
  return {copysign(0.25 * math::log1p(4.0 * ax / den), z.re), im};
}
GPO_FN c128 atan(c128 z) { return over_i(atanh(times_i(z))); }

// ---- powers

// z^n for 1 <= n <= 256 by squaring in double-double, both components of z below 2.
GPO_SLOW c128 unit_power(c128 z, int n) {
  double_double re = {1.0, 0.0}, im = {0.0, 0.0}, fre = {z.re, 0.0}, fim = {z.im, 0.0};
  for (; n != 0; n >>= 1) {
    if (n & 1) {
      const double_double t = add(multiply(re, fre), negate(multiply(im, fim)));
      im = add(multiply(re, fim), multiply(im, fre));
      re = t;
    }
    const double_double t = add(multiply(fre, fre), negate(multiply(fim, fim)));
    fim = multiply(multiply(fre, fim), 2.0);
    fre = t;
  }
  return {re.hi, im.hi};
}
GPO_SLOW c128 integer_power(c128 z, int n) {
  const int count = n < 0 ? -n : n, e = exponent_of(z);
  const c128 power = unit_power(scale_by(z, -e), count);
  const int shift = e * n;
  const int bounded = shift > 3000 ? 3000 : (shift < -3000 ? -3000 : shift);
  return scale_by(n < 0 ? math::reciprocal(power) : power, bounded);
}

// The argument of z as a double-double: one Newton step from the rounded one.
GPO_SLOW double_double angle_of(c128 z) {
  const double theta = math::atan2(z.im, z.re);
  const c128 unit = scale_by(z, -exponent_of(z));
  if (unit.im == 0.0) {
    constexpr double pi_lo = 2 * trig_data<double>::pi_half_lo;
    return {theta, unit.re < 0.0 ? copysign(pi_lo, theta) : 0.0};
  }
  // The correction: of the point turned back by theta, the distance from the real axis over that along it.
  const angle<double> a = reduce_angle(theta, 0.0);
  sine_cosine t = sin_cos_accurate({a.r, a.r_lo});
  for (u64 turns = a.quadrant & 3; turns != 0; --turns) t = {t.cosine, negate(t.sine)};
  const double_double across = add(multiply(t.cosine, unit.im), negate(multiply(t.sine, unit.re)));
  const double along = fma(t.cosine.hi, unit.re, t.sine.hi * unit.im);
  return fast_two_sum(theta, across.hi / along);
}

// exp(b log a) in double-double, except small integer powers, which are multiplied out. 0^b is 0 for Re b > 0, else
// NaN.
GPO_SLOW c128 pow(c128 a, c128 b) {
  if (b.re == 0.0 && b.im == 0.0) return {1.0, 0.0};
  if (a.re == 0.0 && a.im == 0.0) return b.re > 0.0 ? c128{0.0, 0.0} : both_nan();
  if (b.im == 0.0 && abs(b.re) <= 256.0 && rint(b.re) == b.re && is_finite(a)) return integer_power(a, int(b.re));
  if (!is_finite(a) || !is_finite(b)) return exp(math::multiply(b, log(a)));
  const double_double size = log_abs(a), turn = angle_of(a);
  const double_double re = add(multiply(size, b.re), negate(multiply(turn, b.im)));
  const double_double im = add(multiply(turn, b.re), multiply(size, b.im));
  if (!isfinite(re.hi) || !isfinite(im.hi)) return exp(c128{re.hi, im.hi});
  return exp_turned(re, {im.hi, isfinite(im.lo) ? im.lo : 0.0});
}

}  // namespace wide

#define GPO_DEFINE_COMPLEX(name)                     \
  template <class T>                                 \
  GPO_FN cplx<T> name(cplx<T> z) {                   \
    return cast<cplx<T>>(wide::name(cast<c128>(z))); \
  }
GPO_DEFINE_COMPLEX(exp)
GPO_DEFINE_COMPLEX(exp2)
GPO_DEFINE_COMPLEX(expm1)
GPO_DEFINE_COMPLEX(log)
GPO_DEFINE_COMPLEX(log2)
GPO_DEFINE_COMPLEX(log10)
GPO_DEFINE_COMPLEX(log1p)
GPO_DEFINE_COMPLEX(sqrt)
GPO_DEFINE_COMPLEX(sin)
GPO_DEFINE_COMPLEX(cos)
GPO_DEFINE_COMPLEX(tan)
GPO_DEFINE_COMPLEX(asin)
GPO_DEFINE_COMPLEX(acos)
GPO_DEFINE_COMPLEX(atan)
GPO_DEFINE_COMPLEX(sinh)
GPO_DEFINE_COMPLEX(cosh)
GPO_DEFINE_COMPLEX(tanh)
GPO_DEFINE_COMPLEX(asinh)
GPO_DEFINE_COMPLEX(acosh)
GPO_DEFINE_COMPLEX(atanh)
#undef GPO_DEFINE_COMPLEX
template <class T>
GPO_FN cplx<T> pow(cplx<T> a, cplx<T> b) {
  return cast<cplx<T>>(wide::pow(cast<c128>(a), cast<c128>(b)));
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_
