// plugins/shared/casts.h -- cast<To>(x) between any two of the 15 dtypes; branch-free, so plain loops over it vectorise
//
// real to integer: truncated and saturated, NaN gives 0.     integer to integer: wraps.     anything to bool: x != 0.
// complex to real: the real component.     to a narrower float: one rounding, half to even, overflow to infinity.
#ifndef GPUOPT_PLUGINS_SHARED_CASTS_H_
#define GPUOPT_PLUGINS_SHARED_CASTS_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// Returns the bits of x rounded to a 16-bit float with M fraction bits and exponent bias B, half to even. Computes with
// integers as wide as x.
template <int M, int B, class T>
GPO_FN u16 narrow_bits(T x) {
  using F = fp<T>;
  using U = uint_of<T>;
  constexpr int shift = F::mantissa - M;
  constexpr U min_normal = U(F::bias - B + 1) << F::mantissa;
  // Halfway between the largest finite value and the next power of two: from here on the result is infinite.
  constexpr U overflow = (U(F::bias + B + 1) << F::mantissa) - (U(1) << (shift - 1));
  constexpr U target_inf = U(2 * B + 1) << M;
  // Adding a number whose last place is the target's denormal spacing lets the adder round the denormals.
  const T denormal_scale = from_bits(U(U(F::bias - B + 1 - M + F::mantissa) << F::mantissa));
  const U bits = to_bits(x);
  const U sign = (bits & F::sign) >> (8 * sizeof(T) - 16);
  const U mag = bits & ~F::sign;
  const U rounded =
      (mag - (U(F::bias - B) << F::mantissa) + ((U(1) << (shift - 1)) - 1) + ((mag >> shift) & 1)) >> shift;
  const U denormal = to_bits(abs(x) + denormal_scale) - to_bits(denormal_scale);
  U out = mag < min_normal ? denormal : rounded;
  out = mag >= overflow ? target_inf : out;
  out = mag > F::inf ? target_inf | (U(1) << (M - 1)) : out;
  return u16(out | sign);
}

template <class T>
GPO_FN float16 to_float16(T x) {
  return {narrow_bits<10, 15>(x)};
}

// float has bfloat16's exponent range, so its denormals need no case of their own.
GPO_FN bfloat16 to_bfloat16(float x) {
  const u32 bits = to_bits(x);
  const u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return {u16(x != x ? (bits >> 16) | 0x40u : rounded)};
}
GPO_FN bfloat16 to_bfloat16(double x) { return {narrow_bits<7, 127>(x)}; }

GPO_FN float to_float(float16 h) {
  const u32 mag = u32(h.bits & 0x7fffu) << 13;
  // Multiplying moves the exponent to float's bias and normalises denormals.
  const u32 scaled = to_bits(from_bits(mag) * 0x1p112f);
  const u32 finite_or_inf = mag >= 0x0f800000u ? mag | 0x7f800000u : scaled;
  return from_bits(finite_or_inf | (u32(h.bits & 0x8000u) << 16));
}
GPO_FN float to_float(bfloat16 h) { return from_bits(u32(h.bits) << 16); }

// Returns a double that rounds to the 8 or 11 bits of a 16-bit float as x itself would: bits that do not fit become one
// sticky bit.
GPO_FN double to_sticky_double(u64 x) {
  const u64 sticky = (x & ~u64(0xfff)) | (u64((x & 0xfff) != 0) << 11);
  return double(x < (u64(1) << 53) ? x : sticky);
}
GPO_FN double to_sticky_double(i64 x) {
  const double magnitude = to_sticky_double(x < 0 ? u64(0) - u64(x) : u64(x));
  return x < 0 ? -magnitude : magnitude;
}

// Truncates and saturates. The bounds are powers of two, so both are exact in any float type wide enough to need them.
template <class To, class T>
GPO_FN To saturate(T x) {
  constexpr T lo = T(int_min<To>);
  constexpr T past_hi = T(uint_of<To>(1) << (8 * sizeof(To) - 2)) * (is_signed_int<To> ? T(2) : T(4));
  const bool inside = (x > lo) & (x < past_hi);
  // Small targets convert through int, which every vector unit has.
  using Wide = conditional<(sizeof(To) < 4), i32, To>;
  const To in_range = To(Wide(inside ? x : T(0)));
  const To low = x <= lo ? int_min<To> : in_range;
  return x >= past_hi ? int_max<To> : low;
}

template <class To, class From>
GPO_FN To cast(From x) {
  if constexpr (is_same<To, From>) {
    return x;
  } else if constexpr (is_complex<To>) {
    using R = real_of<To>;
    if constexpr (is_complex<From>) {
      return To{R(x.re), R(x.im)};
    } else {
      return To{cast<R>(x), R(0)};
    }
  } else if constexpr (is_complex<From>) {
    if constexpr (is_bool<To>) {
      return (x.re != 0) | (x.im != 0);
    } else {
      return cast<To>(x.re);
    }
  } else if constexpr (is_half<From>) {
    return cast<To>(to_float(x));
  } else if constexpr (is_half<To>) {
    // An integer of up to 32 bits is exact in double; wider ones are rounded only once, thanks to a sticky bit.
    if constexpr (is_float<From>) {
      if constexpr (is_same<To, float16>) {
        return to_float16(x);
      } else {
        return to_bfloat16(x);
      }
    } else if constexpr (sizeof(From) <= 2) {
      return cast<To>(float(x));
    } else if constexpr (sizeof(From) == 4) {
      return cast<To>(double(x));
    } else {
      return cast<To>(to_sticky_double(x));
    }
  } else if constexpr (is_bool<To>) {
    return x != From(0);
  } else if constexpr (is_float<From> && is_int<To>) {
    return saturate<To>(x);
  } else {
    return To(x);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_CASTS_H_
