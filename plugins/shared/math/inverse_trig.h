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
  static constexpr hi_lo<double> pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  // (atan t - t) / t^3 on [0, 1] and (asin t - t) / t^3 on [0, 1/2], in s = t^2
  GPO_FN static double atan_tail(double s) {
    return poly(s, -0x1.5555555555526p-2, 0x1.99999999955b4p-3, -0x1.249249237f57dp-3, 0x1.c71c717fcf76cp-4,
                -0x1.745d11ae74c4cp-4, 0x1.3b13669a29c9ap-4, -0x1.110e5126fa3b8p-4, 0x1.e1bba66bedb2p-5,
                -0x1.ae5e72bfe9e67p-5, 0x1.82dad798fe0acp-5, -0x1.59a3ff1e0359cp-5, 0x1.2c2e5cb19de41p-5,
                -0x1.e9fa0d38f10fep-6, 0x1.683cc8eceb055p-6, -0x1.c78fcc1616993p-7, 0x1.d7b925caa4892p-8,
                -0x1.7a3998a3a2487p-9, 0x1.b3fac8704d47dp-11, -0x1.3f364a25134c3p-13, 0x1.bbed9a0d9d2e7p-17);
  }
  GPO_FN static double asin_tail(double s) {
    return poly(s, 0x1.555555555539p-3, 0x1.333333336e80fp-4, 0x1.6db6db427a4f8p-5, 0x1.f1c72c38fb343p-6,
                0x1.6e89f44019769p-6, 0x1.1c6be1a687d83p-6, 0x1.c6fdc1aa99fb6p-7, 0x1.8ec2fca664948p-7,
                0x1.abcf5cd3c582p-8, 0x1.3ff4a993e8f23p-6, -0x1.09d328395e2acp-6, 0x1.056d6c8369ac4p-5);
  }
};

template <>
struct inverse_trig_data<float> {
  static constexpr hi_lo<float> pi = {0x1.921fb6p+1f, -0x1.777a5cp-24f};
  GPO_FN static float atan_tail(float s) {
    return poly(s, -0x1.55553ep-2f, 0x1.9991ecp-3f, -0x1.24211ap-3f, 0x1.c0946cp-4f, -0x1.5825f2p-4f, 0x1.da9c2ep-5f,
                -0x1.fe7d24p-6f, 0x1.6551e2p-7f, -0x1.d5a1aap-10f);
  }
  GPO_FN static float asin_tail(float s) {
    return poly(s, 0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b72p-5f, 0x1.8c415ap-6f, 0x1.5959aap-5f);
  }
};

// base + sign * atan(t + t_lo) for t in [0, 1] and sign 1 or -1.
template <class T>
GPO_FN T add_atan(hi_lo<T> base, T sign, T t, T t_lo) {
  const T s = t * t;
  // The line stays within 0.04 of atan's derivative 1 / (1 + s).
  const T small = fma(t * s, inverse_trig_data<T>::atan_tail(s), t_lo * fma(s, T(-0.48), T(0.97)));
  const hi_lo<T> sum = fast_two_sum(base.hi, sign * t);
  return sum.hi + (fma(sign, small, base.lo) + sum.lo);
}

template <class T>
GPO_FN T atan(T x) {
  using D = inverse_trig_data<T>;
  const T ax = abs(x);
  const bool swap = ax > T(1);
  const T inverse = T(1) / ax;
  const T inverse_lo = fma(-inverse, ax, T(1)) * inverse;
  const hi_lo<T> base = {swap ? T(0.5) * D::pi.hi : T(0), swap ? T(0.5) * D::pi.lo : T(0)};
  const T t_lo = (swap & (ax < inf<T>())) ? inverse_lo : T(0);
  return copysign(add_atan(base, swap ? T(-1) : T(1), swap ? inverse : ax, t_lo), x);
}

template <class T>
GPO_FN T atan2(T y, T x) {
  using D = inverse_trig_data<T>;
  const T ax = abs(x), ay = abs(y);
  const bool swap = ay > ax, left = signbit(x);
  const T larger = swap ? ay : ax, smaller = swap ? ax : ay;
  // 0/0 becomes 0/1, finite/inf 0/1, inf/inf 1/1; small operands are scaled so that neither 1/b overflows nor the
  // remainder of the division is lost among the denormals.
  const bool infinite = larger == inf<T>();
  const T scale = larger < T(1) ? T(0x1p60) : T(1);
  const T b = (infinite | (larger == T(0))) ? T(1) : larger * scale;
  const T a = infinite ? (smaller == inf<T>() ? T(1) : T(0)) : smaller * scale;
  const T inverse = T(1) / b;
  const T t = a * inverse;
  const T half_turns = swap ? T(0.5) : (left ? T(1) : T(0));
  const hi_lo<T> base = {half_turns * D::pi.hi, half_turns * D::pi.lo};
  const T angle = add_atan(base, swap != left ? T(-1) : T(1), t, fma(-t, b, a) * inverse);
  return ((x != x) | (y != y)) ? nan<T>() : copysign(angle, y);
}

// asin of ax in [0, 1/2], and `beyond` that asin of sqrt((1 - ax) / 2), which is a quarter turn's complement halved.
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
// pi/2 - asin x within, 2 asin(...) beyond on the right, pi - 2 asin(...) beyond on the left.
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
