// plugins/shared/math/inverse_trig.h -- asin, acos, atan, atan2 for float and double; coefficients from
// gen/inverse_trig.sollya
#ifndef GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_

#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

template <class T>
struct inverse_trig_data;

template <>
struct inverse_trig_data<double> {
  static constexpr double huge = 0x1p1000;
  static constexpr hi_lo<double> pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  // (atan t - t) / t^3 and (asin t - t) / t^3 up to 1/2, in s = t^2
  GPO_FN static double atan_tail(double s) {
    return poly(s, -0x1.5555555555552p-2, 0x1.99999999990dcp-3, -0x1.249249245394ap-3, 0x1.c71c71ab030c4p-4,
                -0x1.745d139176818p-4, 0x1.3b1360d6d7227p-4, -0x1.110c72e5b7d23p-4, 0x1.e182f3d94de2fp-5,
                -0x1.ac734c9858d3ap-5, 0x1.77fe6dd86a296p-5, -0x1.3022ac5ba87f4p-5, 0x1.83b826ed9d49fp-6,
                -0x1.124fb41c0e1cap-7);
  }
  GPO_FN static double asin_tail(double s) {
    return poly(s, 0x1.555555555539p-3, 0x1.333333336e80fp-4, 0x1.6db6db427a4f8p-5, 0x1.f1c72c38fb343p-6,
                0x1.6e89f44019769p-6, 0x1.1c6be1a687d83p-6, 0x1.c6fdc1aa99fb6p-7, 0x1.8ec2fca664948p-7,
                0x1.abcf5cd3c582p-8, 0x1.3ff4a993e8f23p-6, -0x1.09d328395e2acp-6, 0x1.056d6c8369ac4p-5);
  }
};

template <>
struct inverse_trig_data<float> {
  static constexpr float huge = 0x1p100f;
  static constexpr hi_lo<float> pi = {0x1.921fb6p+1f, -0x1.777a5cp-24f};
  GPO_FN static float atan_tail(float s) {
    return poly(s, -0x1.555552p-2f, 0x1.999744p-3f, -0x1.24503p-3f, 0x1.c07266p-4f, -0x1.480d2ep-4f, 0x1.3fd504p-5f);
  }
  GPO_FN static float asin_tail(float s) {
    return poly(s, 0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b72p-5f, 0x1.8c415ap-6f, 0x1.5959aap-5f);
  }
};

// The angle k pi/4 + sign * atan(a / b) for k = 0, 2 or 4, sign = 1 or -1 and 0 <= a <= b. From 1/2 on the quotient
// becomes (a - b) / (a + b), whose numerator is exact, and the angle moves on by pi/4.
template <class T>
GPO_FN T turned_atan(T k, T sign, T a, T b) {
  using D = inverse_trig_data<T>;
  const bool past = a >= T(0.5) * b;
  const T num = past ? a - b : a, den = past ? a + b : b;
  const T den_lo = past ? (b - den) + a : T(0);
  const T inverse = T(1) / den;
  const T t = num * inverse;
  const T t_lo = fma(-t, den_lo, fma(-t, den, num)) * inverse;
  const T s = t * t;
  // The line stays within 0.015 of atan's derivative 1 / (1 + s).
  const T small = fma(t * s, D::atan_tail(s), t_lo * fma(s, T(-0.85), T(1)));
  const T quarters = past ? k + sign : k;
  const hi_lo<T> base = two_product(quarters, T(0.25) * D::pi.hi);
  const hi_lo<T> sum = fast_two_sum(base.hi, sign * t);
  return sum.hi + (fma(sign, small, fma(quarters, T(0.25) * D::pi.lo, base.lo)) + sum.lo);
}

template <class T>
GPO_FN T atan(T x) {
  constexpr T infinite = T(0x1p100);  // its arctangent, too, rounds to pi/2
  const T ax = abs(x) > infinite ? infinite : abs(x);
  const bool swap = ax > T(1);
  const T angle = turned_atan(swap ? T(2) : T(0), swap ? T(-1) : T(1), swap ? T(1) : ax, swap ? ax : T(1));
  return copysign(angle, x);
}

template <class T>
GPO_FN T atan2(T y, T x) {
  const T ax = abs(x), ay = abs(y);
  const bool swap = ay > ax, left = signbit(x);
  const T larger = swap ? ay : ax, smaller = swap ? ax : ay;
  // 0/0 becomes 0/1, finite/inf 0/1, inf/inf 1/1. Small operands are scaled so that neither 1/b overflows nor the
  // remainder of the division is lost among the denormals, large ones so that their sum does not overflow.
  const bool infinite = larger == inf<T>();
  const T down = larger > inverse_trig_data<T>::huge ? T(0x1p-24) : T(1);
  const T scale = larger < T(1) ? T(0x1p60) : down;
  const T b = (infinite | (larger == T(0))) ? T(1) : larger * scale;
  const T a = infinite ? (smaller == inf<T>() ? T(1) : T(0)) : smaller * scale;
  const T k = swap ? T(2) : (left ? T(4) : T(0));
  const T angle = turned_atan(k, swap != left ? T(-1) : T(1), a, b);
  return ((x != x) | (y != y)) ? nan<T>() : copysign(angle, y);
}

// asin(ax) for ax in [0, 1/2]; `beyond` that, asin(sqrt((1 - ax) / 2)), which is half of acos(ax).
template <class T>
GPO_FN hi_lo<T> reduced_asin(T ax, bool beyond) {
  const T z = beyond ? fma(T(-0.5), ax, T(0.5)) : ax * ax;
  const T root = gpo::sqrt(z);
  const T root_lo = fma(-root, root, z) / (root + root);
  return {beyond ? root : ax,
          fma((beyond ? root : ax) * z, inverse_trig_data<T>::asin_tail(z), (beyond & (z > T(0))) ? root_lo : T(0))};
}
// half_turns * pi + factor * (a.hi + a.lo)
template <class T>
GPO_FN T add_asin(T half_turns, T factor, hi_lo<T> a) {
  using D = inverse_trig_data<T>;
  const hi_lo<T> sum = fast_two_sum(half_turns * D::pi.hi, factor * a.hi);
  return sum.hi + (fma(factor, a.lo, half_turns * D::pi.lo) + sum.lo);
}

template <class T>
GPO_FN T asin(T x) {
  const bool beyond = abs(x) > T(0.5);
  return copysign(add_asin(beyond ? T(0.5) : T(0), beyond ? T(-2) : T(1), reduced_asin(abs(x), beyond)), x);
}
// With s = sqrt((1 - |x|) / 2): pi/2 - asin(x) for |x| <= 1/2, 2 asin(s) above, pi - 2 asin(s) below.
template <class T>
GPO_FN T acos(T x) {
  const bool beyond = abs(x) > T(0.5), left = x < T(0);
  const T half_turns = beyond ? (left ? T(1) : T(0)) : T(0.5);
  const T magnitude = beyond ? T(-2) : T(1);
  return add_asin(half_turns, left ? magnitude : -magnitude, reduced_asin(abs(x), beyond));
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_
