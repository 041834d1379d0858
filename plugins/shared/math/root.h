// plugins/shared/math/root.h -- cbrt and hypot; coefficients from gen/root.sollya
#ifndef GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_
#define GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_

#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

// |x| = v 8^k with v in [1, 8), and v^(-1/3) to about 50 bits.
struct cbrt_parts {
  double v, inverse_root;
  rounded<double> k;  // its bits carry the double's exponent bias
};
// ax is normal and positive.
GPO_FN cbrt_parts reduce_cbrt(double ax) {
  const u64 bits = to_bits(ax);
  const double exponent = from_bits((bits >> 52) | to_bits(0x1p52)) - (0x1p52 + 1023.0);
  const double m = from_bits((bits & 0xfffffffffffffu) | to_bits(1.0));
  // exponent = 3 k + j with j = 0, 1, 2; shifted by one, so that no rounding is a tie.
  const rounded<double> k = round_product(exponent - 1.0, 0x1.5555555555555p-2, 1023.0);
  const double j = fma(k.value, -3.0, exponent);
  const double v = m * fma(0.5 * j, j + 1.0, 1.0);
  const double scale = poly(j, 1.0, -0x1.d2150c92f7332p-3, 0x1.5ca5af129611ep-6);
  const double r = scale * poly(m, 0x1.c7f365bc19373p0, -0x1.90e741f8a2f8dp0, 0x1.3e68b9ae9052dp0,
                                -0x1.321c5eac5d33fp-1, 0x1.3fa269b0736d9p-3, -0x1.16d6f12f7b0bbp-6);
  // One step of order four: (1 - e)^(-1/3) for the residue e = 1 - v r^3.
  const double e = fma(-v * r, r * r, 1.0);
  return {v, fma(r * e, poly(e, 0x1.5555555555555p-2, 0x1.c71c71c71c71cp-3, 0x1.61f9add3c0ca4p-3), r), k};
}

GPO_FN double cbrt(double x) {
  const double ax = abs(x);
  const bool denormal = ax < 0x1p-1022;
  const cbrt_parts p = reduce_cbrt(denormal ? ax * 0x1p54 : ax);
  const double y2 = p.inverse_root * p.inverse_root;
  const double c = p.v * y2;
  const double square = c * c;
  const double residue = fma(-fma(c, c, -square), c, fma(-square, c, p.v));
  const double root = fma(residue * y2, 0x1.5555555555555p-2, c);
  const double y = root * from_bits(p.k.bits << 52) * (denormal ? 0x1p-18 : 1.0);
  return ((ax > 0.0) & (ax < inf<double>())) ? copysign(y, x) : x;
}
GPO_FN float cbrt(float x) {
  const cbrt_parts p = reduce_cbrt(abs(double(x)));
  const double y = p.v * p.inverse_root * p.inverse_root * from_bits(p.k.bits << 52);
  return ((x != 0.0f) & (abs(x) < inf<float>())) ? copysign(float(y), x) : x;
}

GPO_FN double hypot(double x, double y) {
  const double ax = abs(x), ay = abs(y);
  const double larger = ax > ay ? ax : ay, smaller = ax > ay ? ay : ax;
  const double down = larger > 0x1p500 ? 0x1p-600 : 1.0;
  const double scale = larger < 0x1p-400 ? 0x1p600 : down;
  const double a = larger * scale, b = smaller * scale;
  const double unscale = larger > 0x1p500 ? 0x1p600 : (larger < 0x1p-400 ? 0x1p-600 : 1.0);
  const double root = gpo::sqrt(fma(a, a, b * b)) * unscale;
  const bool x_infinite = ax == inf<double>(), y_infinite = ay == inf<double>();
  return (x_infinite | y_infinite) ? inf<double>() : root;
}
// Squares of floats are exact in double and cannot overflow there.
GPO_FN float hypot(float x, float y) {
  const double a = double(x), b = double(y);
  const float root = float(gpo::sqrt(fma(a, a, b * b)));
  const bool x_infinite = isinf(x), y_infinite = isinf(y);
  return (x_infinite | y_infinite) ? inf<float>() : root;
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_
