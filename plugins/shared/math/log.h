// plugins/shared/math/log.h -- log, log2, log10, log1p for float and double; coefficients from
// gen/log.sollya
//
// x = 2^k (1 + f) with 1 + f between `split` and twice that, and log1p(f) by a polynomial (float) or a rational
// function.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_LOG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_LOG_H_

#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

template <class T>
struct log_data;

template <>
struct log_data<double> {
  static constexpr u64 one = 0x3ff0000000000000u, split = 0x3fe6a09e667f3bcdu;
  static constexpr double min_normal = 0x1p-1022, tiny = 0x1p-54;
  static constexpr double ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
  static constexpr double log2e_hi = 0x1.71547652b82fep+0, log2e_lo = 0x1.777d0ffda0d24p-56;
  static constexpr double log10e_hi = 0x1.bcb7b1526e50ep-2, log10e_lo = 0x1.95355baaafad3p-57;
  static constexpr double log10_2_hi = 0x1.34413509f79ffp-2, log10_2_lo = -0x1.9dc1da994fd21p-59;
  // (log1p(f) - f + f^2/2) / f^3; a division costs the CPUs less than the nine terms it saves
  GPO_FN static double tail(double f) {
    return poly(f, 0x1.5555555555551p-2, 0x1.8d6e27598de49p-1, 0x1.418d838e0574fp-1, 0x1.a1ef84b3de0a7p-3,
                0x1.61fcfba40ee5bp-6, 0x1.2aeaf52338ca5p-18) /
           poly(f, 1.0, 0x1.8a129d832a7e7p+1, 0x1.cbeb4c001737cp+1, 0x1.f5b7a05954c4ep+0, 0x1.f558b890194b8p-2,
                0x1.63c7013de0128p-5);
  }
};

template <>
struct log_data<float> {
  static constexpr u32 one = 0x3f800000u, split = 0x3f2aaaabu;
  static constexpr float min_normal = 0x1p-126f, tiny = 0x1p-25f;
  static constexpr float ln2_hi = 0x1.62e430p-1f, ln2_lo = -0x1.05c610p-29f;
  static constexpr float log2e_hi = 0x1.715476p+0f, log2e_lo = 0x1.4ae0cp-26f;
  static constexpr float log10e_hi = 0x1.bcb7b2p-2f, log10e_lo = -0x1.5b235ep-27f;
  static constexpr float log10_2_hi = 0x1.344136p-2f, log10_2_lo = -0x1.ec10cp-27f;
  GPO_FN static float tail(float f) {
    return poly(f, 0x1.555506p-2f, -0x1.fffefp-3f, 0x1.99d05ep-3f, -0x1.559de4p-3f, 0x1.1ed424p-3f, -0x1.f30e36p-4f,
                0x1.1e73a2p-3f, -0x1.080cap-3f);
  }
};

template <class T>
struct log_reduced {
  T k, f;
};

// A small non-negative integer as a float, less `offset`.
template <class T>
GPO_FN T small_uint_to_float(uint_of<T> n, T offset) {
  constexpr T unit = T(uint_of<T>(1) << fp<T>::mantissa);
  return from_bits(uint_of<T>(n | to_bits(unit))) - (unit + offset);
}
// Returns what is added to a finite result: 0 for finite x > pole, -inf at the pole, NaN below it, x itself for
// infinity and NaN. It uses masks instead of selections because AVX2's blend is slow.
template <class T>
GPO_FN T log_special(T x, T pole) {
  using U = uint_of<T>;
  const U below = x < pole ? ~U(0) : U(0);
  const U at = x == pole ? U(fp<T>::inf | fp<T>::sign) : U(0);
  const U beyond = x < inf<T>() ? U(0) : to_bits(x);
  return from_bits(U(below | at | beyond));
}

// Returns k of a number whose bits exceed those of `split` by `above`. AVX2 converts 32-bit integers, but not 64-bit
// ones.
GPO_FN float log_exponent(u32 above) { return float(i32(above) >> fp<float>::mantissa); }
GPO_FN double log_exponent(u64 above) {
  return small_uint_to_float((above + log_data<double>::one) >> fp<double>::mantissa, double(fp<double>::bias));
}
template <class T>
GPO_FN log_reduced<T> reduce_normal_log(T x) {
  using U = uint_of<T>;
  const U above = to_bits(x) - log_data<T>::split;
  const U fraction = above & ((U(1) << fp<T>::mantissa) - 1);
  return {log_exponent(above), from_bits(U(fraction + log_data<T>::split)) - T(1)};
}

// Reduces a positive finite x. For others k and f are meaningless but finite.
template <class T>
GPO_FN log_reduced<T> reduce_log(T x) {
  using D = log_data<T>;
  using U = uint_of<T>;
  constexpr int m = fp<T>::mantissa;
  constexpr U rescue = U(m + 2) << m, headroom = U(64);  // denormals are scaled by 2^(m + 2)
  const U rescued = x < D::min_normal ? rescue : U(0);
  const T y = x * from_bits(U(D::one + rescued));
  const U t = to_bits(y) + (D::one - D::split + (headroom << m)) - rescued;
  const T mantissa = from_bits(U((t & ((U(1) << m) - 1)) + D::split));
  return {small_uint_to_float(U(t >> m), T(fp<T>::bias + headroom)), mantissa - T(1)};
}

// (k log(2) + log1p(f)) + small. Where k is not 0 the sum k log(2) + f carries its rounding error along.
template <class T>
GPO_FN T log_sum(T k, T f, T small) {
  using D = log_data<T>;
  const T f2 = f * f;
  const T tail = fma(f2 * f, D::tail(f), fma(k, D::ln2_lo, small));
  const T hi = fma(k, D::ln2_hi, f);
  const T lo = fma(k, D::ln2_hi, -hi) + f;
  return hi + (lo + fma(T(-0.5), f2, tail));
}
// (k log_b(2) + log1p(f) log_b(e)) + k_lo; log_b(e) in two parts.
template <class T>
GPO_FN T log_sum_base(T k, T f, T log2_hi, T loge_hi, T loge_lo, T k_lo) {
  const T tail = fma(T(-0.5) * f, f, f * f * f * log_data<T>::tail(f));
  const T main = f * loge_hi;
  const T main_lo = fma(f, loge_hi, -main) + k_lo;
  const T hi = fma(k, log2_hi, main);
  const T lo = fma(k, log2_hi, -hi) + main;
  return hi + (lo + fma(tail, loge_hi, fma(f, loge_lo, main_lo)));
}

// The _easy forms are right for positive normal numbers; log_is_hard() is true for all others.
template <class T>
GPO_FN bool log_is_hard(T x) {
  using U = uint_of<T>;
  constexpr U first = U(1) << fp<T>::mantissa;
  return U(to_bits(x) - first) >= U(fp<T>::inf - first);
}
template <class T>
GPO_FN T log_easy(T x) {
  const log_reduced<T> r = reduce_normal_log(x);
  return log_sum(r.k, r.f, T(0));
}
template <class T>
GPO_FN T log2_easy(T x) {
  using D = log_data<T>;
  const log_reduced<T> r = reduce_normal_log(x);
  return log_sum_base(r.k, r.f, T(1), D::log2e_hi, D::log2e_lo, T(0));
}
template <class T>
GPO_FN T log10_easy(T x) {
  using D = log_data<T>;
  const log_reduced<T> r = reduce_normal_log(x);
  return log_sum_base(r.k, r.f, D::log10_2_hi, D::log10e_hi, D::log10e_lo, r.k * D::log10_2_lo);
}

template <class T>
GPO_FN T log(T x) {
  const log_reduced<T> r = reduce_log(x);
  return log_sum(r.k, r.f, log_special(x, T(0)));
}
template <class T>
GPO_FN T log2(T x) {
  using D = log_data<T>;
  const log_reduced<T> r = reduce_log(x);
  return log_sum_base(r.k, r.f, T(1), D::log2e_hi, D::log2e_lo, log_special(x, T(0)));
}
template <class T>
GPO_FN T log10(T x) {
  using D = log_data<T>;
  const log_reduced<T> r = reduce_log(x);
  const T k_lo = fma(r.k, D::log10_2_lo, log_special(x, T(0)));
  return log_sum_base(r.k, r.f, D::log10_2_hi, D::log10e_hi, D::log10e_lo, k_lo);
}

// log(1 + x.hi + x.lo) + extra_k log(2) + special for finite x.hi > -1. The exponent comes from the rounded 1 + x.hi,
// but f = 2^-k x + (2^-k - 1) from x itself, in two parts. The scale is held four times too large because 2^-k alone
// may be denormal.
template <class T>
GPO_FN T log1p_sum(hi_lo<T> x, T extra_k, T special) {
  using D = log_data<T>;
  using U = uint_of<T>;
  constexpr int m = fp<T>::mantissa;
  const U k = U(to_bits(T(1) + x.hi) + (D::one - D::split)) >> m;
  const T scale4 = from_bits(U((U(2 * fp<T>::bias + 2) - k) << m));
  const T base = fma(T(0.25), scale4, T(-1));
  const T f = fma(T(0.25) * x.hi, scale4, base);
  const T f_lo = fma(T(0.25) * x.lo, scale4, fma(T(0.25) * x.hi, scale4, base - f));
  return log_sum(small_uint_to_float(k, T(fp<T>::bias) - extra_k), f, fma(f_lo, T(1) - f, special));
}
template <class T>
GPO_FN T log1p(T x) {
  const T finite = x < inf<T>() ? x : T(0);
  const T y = log1p_sum({finite, T(0)}, T(0), log_special(x, T(-1)));
  return abs(x) < log_data<T>::tiny ? x : y;
}

// log1p_easy() is right except for special values and the largest numbers, whose scale would be denormal;
// log1p_is_hard() is true for these.
template <class T>
GPO_FN bool log1p_is_hard(T x) {
  return !((x > T(-1)) & (x < T(0x1p100)));
}
template <class T>
GPO_FN T log1p_easy(T x) {
  using D = log_data<T>;
  using U = uint_of<T>;
  const U above = to_bits(T(1) + x) - D::split;
  const T scale = from_bits(U(D::one - (above & ~((U(1) << fp<T>::mantissa) - 1))));
  const T base = scale - T(1);
  const T f = fma(x, scale, base);
  const T f_lo = fma(x, scale, base - f);
  const T y = log_sum(log_exponent(above), f, f_lo * (T(1) - f));
  return from_bits(U(to_bits(y) | (to_bits(x) & fp<T>::sign)));  // the sum loses the sign of -0
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_LOG_H_
