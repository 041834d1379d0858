// plugins/shared/ops/rounding.h -- the rounding and manipulation families of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_ROUNDING_H_
#define GPUOPT_PLUGINS_SHARED_OPS_ROUNDING_H_

#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

#define GPO_ROUNDING_OP(name, function) \
  struct name : op {                    \
    template <class T>                  \
    GPO_FN static T apply(T x) {        \
      if constexpr (is_float<T>) {      \
        return function(x);             \
      } else {                          \
        return x;                       \
      }                                 \
    }                                   \
  };
GPO_ROUNDING_OP(ceil, gpo::ceil)
GPO_ROUNDING_OP(floor, gpo::floor)
GPO_ROUNDING_OP(trunc, gpo::trunc)
#undef GPO_ROUNDING_OP

struct round : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_complex<T>) {
      return T{gpo::rint(x.re), gpo::rint(x.im)};
    } else if constexpr (is_float<T>) {
      return gpo::rint(x);
    } else {
      return x;
    }
  }
};

struct real : op {
  template <class T>
  GPO_FN static real_of<T> apply(T x) {
    if constexpr (is_complex<T>) {
      return x.re;
    } else {
      return x;
    }
  }
};

struct imag : op {
  template <class T>
  GPO_FN static real_of<T> apply(T x) {
    if constexpr (is_complex<T>) {
      return x.im;
    } else {
      return T(0);
    }
  }
};

struct conj : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_complex<T>) {
      return T{x.re, -x.im};
    } else {
      return x;
    }
  }
};

GPO_BINARY_OP(copysign, gpo::copysign(a, b))

// The next representable number from a towards b, by integer steps in a format whose bits order like sign and
// magnitude. Unlike every other row it has loops for the 16-bit floats, too: their neighbours are not those of float.
struct nextafter : op {
  GPO_FN static float apply(float a, float b) { return from_bits(step(to_bits(a), to_bits(b), fp<float>::inf)); }
  GPO_FN static double apply(double a, double b) { return from_bits(step(to_bits(a), to_bits(b), fp<double>::inf)); }
  GPO_FN static float16 apply(float16 a, float16 b) { return {step(a.bits, b.bits, u16(0x7c00))}; }
  GPO_FN static bfloat16 apply(bfloat16 a, bfloat16 b) { return {step(a.bits, b.bits, u16(0x7f80))}; }

 private:
  template <class U>
  GPO_FN static U step(U a, U b, U inf) {
    constexpr U sign = U(U(1) << (8 * sizeof(U) - 1));
    const U mag_a = U(a & ~sign), mag_b = U(b & ~sign);
    // A step goes away from zero if b lies beyond a on a's own side; the step from zero takes b's sign.
    const bool outward = (((a ^ b) & sign) == 0) & (mag_b > mag_a);
    const U stepped = outward ? U(a + 1) : U(a - 1);
    const U from_zero = U((b & sign) | 1);
    const U moved = mag_a == 0 ? from_zero : stepped;
    const bool same = (a == b) | ((mag_a | mag_b) == 0);
    const U out = same ? b : moved;
    return ((mag_a > inf) | (mag_b > inf)) ? U(inf | (inf >> 1)) : out;
  }
};

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_ROUNDING_H_
