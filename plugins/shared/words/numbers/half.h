// plugins/shared/words/numbers/half.h -- CUDA's 16-bit floats: __half and __half2 of cuda_fp16.h, __nv_bfloat16 and
// __nv_bfloat162 of cuda_bf16.h, with their arithmetic, comparisons and conversions (CUDA Math API, "Half Precision
// Intrinsics" and "Bfloat16 Precision Intrinsics")
//
// Each operation rounds once, as IEEE 754 says: sums, quotients and products are computed in a format that is wide
// enough that a second rounding changes nothing (Figueroa, "When is double rounding innocuous?", 1995), fused
// operations by rounding to odd first (Boldo and Melquiond, 2008). A result that is NaN has the bits 0x7fff.
//
// Functions are friends of the types, so that a kernel's own functions of the same name are not hidden, and other
// arguments are converted.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_HALF_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_HALF_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/words.h"

namespace gpo {
namespace halves {

enum Rounding { to_nearest, toward_zero, downward, upward };

template <class Bits>
struct Format;
template <>
struct Format<float16> {
  static constexpr u16 infinity = 0x7c00, one = 0x3c00;
  static constexpr float smallest_safe = 0;  // the product of two is a float, even if it is tiny
};
template <>
struct Format<bfloat16> {
  static constexpr u16 infinity = 0x7f80, one = 0x3f80;
  static constexpr float smallest_safe = 0x1p-120f;  // below, products and quotients are computed in double
};

template <class Bits>
GPO_WORD_FN Bits canonical(Bits x) {
  return {(x.bits & 0x7fff) > Format<Bits>::infinity ? u16(0x7fff) : x.bits};
}

// The nearest 16-bit float, ties to even.
template <class Bits, class T>
GPO_WORD_FN Bits nearest(T x) {
  return canonical(cast<Bits>(x));
}

// x rounded in a direction: the nearest number, moved by one unit if it lies on the wrong side.
template <class Bits>
GPO_WORD_FN Bits directed(double x, Rounding mode) {
  Bits y = nearest<Bits>(x);
  const double back = to_float(y);
  if (mode == to_nearest || !(back < x || back > x)) return y;
  const bool negative = y.bits >> 15 != 0;
  const bool wants_up = mode == upward || (mode == toward_zero && negative);
  const bool wants_down = mode == downward || (mode == toward_zero && !negative);
  if (back < x && wants_up) y.bits = u16(negative ? y.bits - 1 : y.bits + 1);
  if (back > x && wants_down) y.bits = u16(negative ? y.bits + 1 : y.bits - 1);
  return y;
}
template <class T>
GPO_WORD_FN double exact_or_sticky(T x) {
  if constexpr (sizeof(T) == 8 && !is_float<T>) {
    return to_sticky_double(conditional<(T(-1) < T(0)), i64, u64>(x));
  } else {
    return double(x);
  }
}

// a * b + c in double, rounded to odd, so that rounding it again to 16 bits is right.
GPO_WORD_FN double fused(double a, double b, double c) {
  const double p = a * b, s = p + c, part = s - p, error = (p - (s - part)) + (c - part);
  const u64 bits = to_bits(s);
  if (!(error < 0 || error > 0) || (bits & 1)) return s;
  return from_bits((error > 0) == (s > 0) ? bits + 1 : bits - 1);
}

// The whole number that x is rounded to in one of the four modes.
GPO_WORD_FN double whole(float x, Rounding mode) {
  const double low = gpo::floor(double(x)), rest = double(x) - low;
  const double half_of_low = gpo::floor(low * 0.5) * 2;
  switch (mode) {
    case downward:
      return low;
    case upward:
      return rest > 0 ? low + 1 : low;
    case toward_zero:
      return x < 0 && rest > 0 ? low + 1 : low;
    default:
      return rest > 0.5 || (rest == 0.5 && half_of_low != low) ? low + 1 : low;
  }
}
// Saturates. NaN is 0, and of 64 bits the highest bit alone.
template <class To>
GPO_WORD_FN To to_whole(float x, Rounding mode) {
  using Same = conditional<(To(-1) < To(0)), int_of<To>, uint_of<To>>;
  if (x != x) return sizeof(To) == 8 ? To(1ull << 63) : To(0);
  return To(saturate<Same>(whole(x, mode)));
}

// The bits alone: __half_raw and its like.
template <class Bits>
struct Raw {
  unsigned short x;
};
template <class Bits>
struct alignas(4) RawPair {
  unsigned short x, y;
};

template <class Bits>
struct Number {
  u16 bits_;

  Number() = default;
  GPO_WORD_FN Number(Bits x) : bits_(x.bits) {}
  GPO_WORD_FN Number(Raw<Bits> raw) : bits_(raw.x) {}
  GPO_WORD_FN operator Raw<Bits>() const { return {bits_}; }
#define GPO_FROM(T) \
  GPO_WORD_FN Number(T x) : bits_(nearest<Bits>(exact_or_sticky(x)).bits) {}
  GPO_FROM(short)
  GPO_FROM(unsigned short)
  GPO_FROM(int)
  GPO_FROM(unsigned)
  GPO_FROM(long)
  GPO_FROM(unsigned long)
  GPO_FROM(long long)
  GPO_FROM(unsigned long long)
  GPO_FROM(double)
#undef GPO_FROM
  GPO_WORD_FN Number(float x) : bits_(nearest<Bits>(x).bits) {}
  template <class Other>
  GPO_WORD_FN explicit Number(const Number<Other> &x) : bits_(nearest<Bits>(x.value()).bits) {}

  GPO_WORD_FN float value() const { return to_float(Bits{bits_}); }
  GPO_WORD_FN operator float() const { return value(); }
  GPO_WORD_FN operator bool() const { return (bits_ & 0x7fff) != 0; }
#define GPO_TO(T) \
  GPO_WORD_FN operator T() const { return to_whole<T>(value(), toward_zero); }
  GPO_TO(char)
  GPO_TO(signed char)
  GPO_TO(unsigned char)
  GPO_TO(short)
  GPO_TO(unsigned short)
  GPO_TO(int)
  GPO_TO(unsigned)
  GPO_TO(long)
  GPO_TO(unsigned long)
  GPO_TO(long long)
  GPO_TO(unsigned long long)
#undef GPO_TO
  GPO_WORD_FN bool is_nan() const { return (bits_ & 0x7fff) > Format<Bits>::infinity; }
  GPO_WORD_FN static Number of_bits(u16 bits) {
    Number x;
    x.bits_ = bits;
    return x;
  }
  GPO_WORD_FN Number saturated() const {
    if (is_nan() || bits_ >> 15) return of_bits(0);
    return bits_ > Format<Bits>::one ? of_bits(Format<Bits>::one) : *this;
  }
  GPO_WORD_FN Number without_negative() const { return is_nan() ? of_bits(0x7fff) : bits_ >> 15 ? of_bits(0) : *this; }

  // ---- Arithmetic ----

  GPO_WORD_FN static Number sum(Number a, Number b) { return Number(a.value() + b.value()); }
  GPO_WORD_FN static Number product(Number a, Number b) {
    const float p = a.value() * b.value();
    return gpo::abs(p) < Format<Bits>::smallest_safe ? Number(double(a.value()) * double(b.value())) : Number(p);
  }
  GPO_WORD_FN static Number quotient(Number a, Number b) {
    const float q = a.value() / b.value();
    return gpo::abs(q) < Format<Bits>::smallest_safe ? Number(double(a.value()) / double(b.value())) : Number(q);
  }
  GPO_WORD_FN friend Number __hadd(Number a, Number b) { return sum(a, b); }
  GPO_WORD_FN friend Number __hsub(Number a, Number b) { return sum(a, __hneg(b)); }
  GPO_WORD_FN friend Number __hmul(Number a, Number b) { return product(a, b); }
  GPO_WORD_FN friend Number __hdiv(Number a, Number b) { return quotient(a, b); }
  GPO_WORD_FN friend Number __hadd_rn(Number a, Number b) { return __hadd(a, b); }
  GPO_WORD_FN friend Number __hsub_rn(Number a, Number b) { return __hsub(a, b); }
  GPO_WORD_FN friend Number __hmul_rn(Number a, Number b) { return __hmul(a, b); }
  GPO_WORD_FN friend Number __hadd_sat(Number a, Number b) { return __hadd(a, b).saturated(); }
  GPO_WORD_FN friend Number __hsub_sat(Number a, Number b) { return __hsub(a, b).saturated(); }
  GPO_WORD_FN friend Number __hmul_sat(Number a, Number b) { return __hmul(a, b).saturated(); }
  GPO_WORD_FN friend Number __hfma(Number a, Number b, Number c) {
    return Number(fused(a.value(), b.value(), c.value()));
  }
  GPO_WORD_FN friend Number __hfma_sat(Number a, Number b, Number c) { return __hfma(a, b, c).saturated(); }
  GPO_WORD_FN friend Number __hfma_relu(Number a, Number b, Number c) { return __hfma(a, b, c).without_negative(); }
  GPO_WORD_FN friend Number __hneg(Number a) { return a.is_nan() ? of_bits(0x7fff) : of_bits(u16(a.bits_ ^ 0x8000)); }
  GPO_WORD_FN friend Number __habs(Number a) { return a.is_nan() ? of_bits(0x7fff) : of_bits(u16(a.bits_ & 0x7fff)); }

  GPO_WORD_FN friend Number operator+(Number a, Number b) { return __hadd(a, b); }
  GPO_WORD_FN friend Number operator-(Number a, Number b) { return __hsub(a, b); }
  GPO_WORD_FN friend Number operator*(Number a, Number b) { return __hmul(a, b); }
  GPO_WORD_FN friend Number operator/(Number a, Number b) { return __hdiv(a, b); }
  GPO_WORD_FN friend Number operator+(Number a) { return a; }
  GPO_WORD_FN friend Number operator-(Number a) { return __hneg(a); }
  GPO_WORD_FN Number &operator+=(Number b) { return *this = *this + b; }
  GPO_WORD_FN Number &operator-=(Number b) { return *this = *this - b; }
  GPO_WORD_FN Number &operator*=(Number b) { return *this = *this * b; }
  GPO_WORD_FN Number &operator/=(Number b) { return *this = *this / b; }
  GPO_WORD_FN Number &operator++() { return *this = *this + of_bits(Format<Bits>::one); }
  GPO_WORD_FN Number &operator--() { return *this = *this - of_bits(Format<Bits>::one); }
  GPO_WORD_FN Number operator++(int) {
    const Number old = *this;
    ++*this;
    return old;
  }
  GPO_WORD_FN Number operator--(int) {
    const Number old = *this;
    --*this;
    return old;
  }

  // ---- Comparisons ----

  // Those whose name ends in u are true if an argument is NaN.
#define GPO_COMPARE(name, symbol)                                                                                  \
  GPO_WORD_FN friend bool __h##name(Number a, Number b) { return a.value() symbol b.value(); }                     \
  GPO_WORD_FN friend bool __h##name##u(Number a, Number b) { return a.is_nan() || b.is_nan() || __h##name(a, b); } \
  GPO_WORD_FN friend bool operator symbol(Number a, Number b) { return a.value() symbol b.value(); }
  GPO_COMPARE(eq, ==)
  GPO_COMPARE(le, <=)
  GPO_COMPARE(ge, >=)
  GPO_COMPARE(lt, <)
  GPO_COMPARE(gt, >)
#undef GPO_COMPARE
  GPO_WORD_FN friend bool __hne(Number a, Number b) { return !a.is_nan() && !b.is_nan() && a.value() != b.value(); }
  GPO_WORD_FN friend bool __hneu(Number a, Number b) { return a.value() != b.value(); }
  GPO_WORD_FN friend bool operator!=(Number a, Number b) { return a.value() != b.value(); }
  GPO_WORD_FN friend bool __hisnan(Number a) { return a.is_nan(); }
  GPO_WORD_FN friend int __hisinf(Number a) {
    return (a.bits_ & 0x7fff) != Format<Bits>::infinity ? 0 : a.bits_ >> 15 ? -1 : 1;
  }
  // The number where the other is NaN; -0 is less than +0.
  GPO_WORD_FN friend Number __hmax(Number a, Number b) {
    if (a.is_nan() || b.is_nan()) return a.is_nan() && b.is_nan() ? of_bits(0x7fff) : a.is_nan() ? b : a;
    return a.value() > b.value() || (a.value() == b.value() && !(a.bits_ >> 15)) ? a : b;
  }
  GPO_WORD_FN friend Number __hmin(Number a, Number b) {
    if (a.is_nan() || b.is_nan()) return a.is_nan() && b.is_nan() ? of_bits(0x7fff) : a.is_nan() ? b : a;
    return a.value() < b.value() || (a.value() == b.value() && a.bits_ >> 15) ? a : b;
  }
  GPO_WORD_FN friend Number __hmax_nan(Number a, Number b) {
    return a.is_nan() || b.is_nan() ? of_bits(0x7fff) : __hmax(a, b);
  }
  GPO_WORD_FN friend Number __hmin_nan(Number a, Number b) {
    return a.is_nan() || b.is_nan() ? of_bits(0x7fff) : __hmin(a, b);
  }

#if defined(__CUDACC_RTC__) || defined(GPO_RAW_KERNEL)
  // ---- Other threads ----

  GPO_WORD_FN friend Number __shfl_sync(unsigned mask, Number x, int lane, int width = 32) {
    return of_bits(u16(::__shfl_sync(mask, unsigned(x.bits_), lane, width)));
  }
  GPO_WORD_FN friend Number __shfl_up_sync(unsigned mask, Number x, unsigned by, int width = 32) {
    return of_bits(u16(::__shfl_up_sync(mask, unsigned(x.bits_), by, width)));
  }
  GPO_WORD_FN friend Number __shfl_down_sync(unsigned mask, Number x, unsigned by, int width = 32) {
    return of_bits(u16(::__shfl_down_sync(mask, unsigned(x.bits_), by, width)));
  }
  GPO_WORD_FN friend Number __shfl_xor_sync(unsigned mask, Number x, int bits, int width = 32) {
    return of_bits(u16(::__shfl_xor_sync(mask, unsigned(x.bits_), bits, width)));
  }
#endif
  // Returns the old value.
  GPO_WORD_FN friend Number atomicAdd(Number *address, Number x) {
    unsigned short *const place = &address->bits_;
    unsigned short old = *const_cast<volatile unsigned short *>(place);
    for (;;) {
      const unsigned short seen = ::atomicCAS(place, old, __hadd(of_bits(old), x).bits_);
      if (seen == old) return of_bits(old);
      old = seen;
    }
  }
  GPO_WORD_FN friend Number __ldg(const Number *address) { return of_bits(::__ldg(&address->bits_)); }
};

template <class Bits>
struct alignas(4) Pair {
  using One = Number<Bits>;
  One x, y;

  Pair() = default;
  GPO_WORD_FN Pair(One both) : x(both), y(both) {}
  GPO_WORD_FN Pair(One low, One high) : x(low), y(high) {}
  GPO_WORD_FN Pair(RawPair<Bits> raw) : x(One::of_bits(raw.x)), y(One::of_bits(raw.y)) {}
  GPO_WORD_FN operator RawPair<Bits>() const { return {x.bits_, y.bits_}; }

  // Functions of each element.
#define GPO_EACH_1(name, of) \
  GPO_WORD_FN friend Pair name(Pair a) { return {of(a.x), of(a.y)}; }
#define GPO_EACH_2(name, of) \
  GPO_WORD_FN friend Pair name(Pair a, Pair b) { return {of(a.x, b.x), of(a.y, b.y)}; }
#define GPO_EACH_3(name, of) \
  GPO_WORD_FN friend Pair name(Pair a, Pair b, Pair c) { return {of(a.x, b.x, c.x), of(a.y, b.y, c.y)}; }
  GPO_EACH_2(__hadd2, __hadd)
  GPO_EACH_2(__hsub2, __hsub)
  GPO_EACH_2(__hmul2, __hmul)
  GPO_EACH_2(__h2div, __hdiv)
  GPO_EACH_2(__hadd2_rn, __hadd)
  GPO_EACH_2(__hsub2_rn, __hsub)
  GPO_EACH_2(__hmul2_rn, __hmul)
  GPO_EACH_2(__hadd2_sat, __hadd_sat)
  GPO_EACH_2(__hsub2_sat, __hsub_sat)
  GPO_EACH_2(__hmul2_sat, __hmul_sat)
  GPO_EACH_3(__hfma2, __hfma)
  GPO_EACH_3(__hfma2_sat, __hfma_sat)
  GPO_EACH_3(__hfma2_relu, __hfma_relu)
  GPO_EACH_1(__hneg2, __hneg)
  GPO_EACH_1(__habs2, __habs)
  GPO_EACH_2(__hmax2, __hmax)
  GPO_EACH_2(__hmin2, __hmin)
  GPO_EACH_2(__hmax2_nan, __hmax_nan)
  GPO_EACH_2(__hmin2_nan, __hmin_nan)
  GPO_EACH_2(operator+, __hadd)
  GPO_EACH_2(operator-, __hsub)
  GPO_EACH_2(operator*, __hmul)
  GPO_EACH_2(operator/, __hdiv)
  GPO_EACH_1(operator-, __hneg)
#undef GPO_EACH_1
#undef GPO_EACH_2
#undef GPO_EACH_3
  GPO_WORD_FN friend Pair operator+(Pair a) { return a; }
  GPO_WORD_FN Pair &operator+=(Pair b) { return *this = *this + b; }
  GPO_WORD_FN Pair &operator-=(Pair b) { return *this = *this - b; }
  GPO_WORD_FN Pair &operator*=(Pair b) { return *this = *this * b; }
  GPO_WORD_FN Pair &operator/=(Pair b) { return *this = *this / b; }
  // a * b + c of complex numbers.
  GPO_WORD_FN friend Pair __hcmadd(Pair a, Pair b, Pair c) {
    const One re = __hfma(a.x, b.x, c.x), im = __hfma(a.x, b.y, c.y);
    return {__hfma(__hneg(a.y), b.y, re), __hfma(a.y, b.x, im)};
  }

  // As 1 or 0 of each element, as a mask of 16 bits for each, and whether it holds for both.
#define GPO_COMPARE(name)                                                                 \
  GPO_WORD_FN friend Pair __h##name##2(Pair a, Pair b) {                                  \
    return {One(__h##name(a.x, b.x) ? 1 : 0), One(__h##name(a.y, b.y) ? 1 : 0)};          \
  }                                                                                       \
  GPO_WORD_FN friend unsigned __h##name##2_mask(Pair a, Pair b) {                         \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                       \
  GPO_WORD_FN friend bool __hb##name##2(Pair a, Pair b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define GPO_COMPARE_BOTH(name) GPO_COMPARE(name) GPO_COMPARE_UNORDERED(name)
#define GPO_COMPARE_UNORDERED(name)                                                             \
  GPO_WORD_FN friend Pair __h##name##u2(Pair a, Pair b) {                                       \
    return {One(__h##name##u(a.x, b.x) ? 1 : 0), One(__h##name##u(a.y, b.y) ? 1 : 0)};          \
  }                                                                                             \
  GPO_WORD_FN friend unsigned __h##name##u2_mask(Pair a, Pair b) {                              \
    return (__h##name##u(a.x, b.x) ? 0xffffu : 0) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                             \
  GPO_WORD_FN friend bool __hb##name##u2(Pair a, Pair b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }
  GPO_COMPARE_BOTH(eq)
  GPO_COMPARE_BOTH(ne)
  GPO_COMPARE_BOTH(le)
  GPO_COMPARE_BOTH(ge)
  GPO_COMPARE_BOTH(lt)
  GPO_COMPARE_BOTH(gt)
#undef GPO_COMPARE
#undef GPO_COMPARE_BOTH
#undef GPO_COMPARE_UNORDERED
  GPO_WORD_FN friend bool operator==(Pair a, Pair b) { return __hbeq2(a, b); }
  GPO_WORD_FN friend bool operator!=(Pair a, Pair b) { return __hbneu2(a, b); }
  GPO_WORD_FN friend bool operator<=(Pair a, Pair b) { return __hble2(a, b); }
  GPO_WORD_FN friend bool operator>=(Pair a, Pair b) { return __hbge2(a, b); }
  GPO_WORD_FN friend bool operator<(Pair a, Pair b) { return __hblt2(a, b); }
  GPO_WORD_FN friend bool operator>(Pair a, Pair b) { return __hbgt2(a, b); }
  GPO_WORD_FN friend Pair __hisnan2(Pair a) { return {One(a.x.is_nan() ? 1 : 0), One(a.y.is_nan() ? 1 : 0)}; }

  GPO_WORD_FN static Pair of_word(unsigned word) { return {One::of_bits(u16(word)), One::of_bits(u16(word >> 16))}; }
  GPO_WORD_FN unsigned word() const { return x.bits_ | unsigned(y.bits_) << 16; }
#if defined(__CUDACC_RTC__) || defined(GPO_RAW_KERNEL)
  GPO_WORD_FN friend Pair __shfl_sync(unsigned mask, Pair a, int lane, int width = 32) {
    return of_word(::__shfl_sync(mask, a.word(), lane, width));
  }
  GPO_WORD_FN friend Pair __shfl_up_sync(unsigned mask, Pair a, unsigned by, int width = 32) {
    return of_word(::__shfl_up_sync(mask, a.word(), by, width));
  }
  GPO_WORD_FN friend Pair __shfl_down_sync(unsigned mask, Pair a, unsigned by, int width = 32) {
    return of_word(::__shfl_down_sync(mask, a.word(), by, width));
  }
  GPO_WORD_FN friend Pair __shfl_xor_sync(unsigned mask, Pair a, int bits, int width = 32) {
    return of_word(::__shfl_xor_sync(mask, a.word(), bits, width));
  }
#endif
  // Atomic for each element, not for the pair, as CUDA's.
  GPO_WORD_FN friend Pair atomicAdd(Pair *address, Pair a) {
    return {atomicAdd(&address->x, a.x), atomicAdd(&address->y, a.y)};
  }
  GPO_WORD_FN friend Pair __ldg(const Pair *address) { return {__ldg(&address->x), __ldg(&address->y)}; }
};

}  // namespace halves
}  // namespace gpo

using __half = gpo::halves::Number<gpo::float16>;
using __half2 = gpo::halves::Pair<gpo::float16>;
using __nv_bfloat16 = gpo::halves::Number<gpo::bfloat16>;
using __nv_bfloat162 = gpo::halves::Pair<gpo::bfloat16>;
using __half_raw = gpo::halves::Raw<gpo::float16>;
using __half2_raw = gpo::halves::RawPair<gpo::float16>;
using __nv_bfloat16_raw = gpo::halves::Raw<gpo::bfloat16>;
using __nv_bfloat162_raw = gpo::halves::RawPair<gpo::bfloat16>;
// Inside of the kernel's namespaces, where they hide gpo::user's.
namespace gpuopt_kernel {
using half = ::__half;
using half2 = ::__half2;
using nv_bfloat16 = ::__nv_bfloat16;
using nv_bfloat162 = ::__nv_bfloat162;
}  // namespace gpuopt_kernel

// ---- Conversions: `one` is half or bfloat16, `two` half2 or bfloat162 ----

#define GPO_ROUNDED_FROM(type, name, one, of)                                                              \
  GPO_WORD_FN of __##name##2##one##_rn(type x) { return of(x); }                                           \
  GPO_WORD_FN of __##name##2##one##_rz(type x) {                                                           \
    return of(gpo::halves::directed<decltype(gpo::halves::bits_of(of()))>(gpo::halves::exact_or_sticky(x), \
                                                                          gpo::halves::toward_zero));      \
  }                                                                                                        \
  GPO_WORD_FN of __##name##2##one##_rd(type x) {                                                           \
    return of(gpo::halves::directed<decltype(gpo::halves::bits_of(of()))>(gpo::halves::exact_or_sticky(x), \
                                                                          gpo::halves::downward));         \
  }                                                                                                        \
  GPO_WORD_FN of __##name##2##one##_ru(type x) {                                                           \
    return of(gpo::halves::directed<decltype(gpo::halves::bits_of(of()))>(gpo::halves::exact_or_sticky(x), \
                                                                          gpo::halves::upward));           \
  }
#define GPO_ROUNDED_TO(type, name, one, of)                                  \
  GPO_WORD_FN type __##one##2##name##_rn(of x) {                             \
    return gpo::halves::to_whole<type>(x.value(), gpo::halves::to_nearest);  \
  }                                                                          \
  GPO_WORD_FN type __##one##2##name##_rz(of x) {                             \
    return gpo::halves::to_whole<type>(x.value(), gpo::halves::toward_zero); \
  }                                                                          \
  GPO_WORD_FN type __##one##2##name##_rd(of x) {                             \
    return gpo::halves::to_whole<type>(x.value(), gpo::halves::downward);    \
  }                                                                          \
  GPO_WORD_FN type __##one##2##name##_ru(of x) { return gpo::halves::to_whole<type>(x.value(), gpo::halves::upward); }
#define GPO_INTEGERS(macro, one, of)                                                   \
  macro(int, int, one, of) macro(unsigned, uint, one, of) macro(short, short, one, of) \
      macro(unsigned short, ushort, one, of) macro(long long, ll, one, of) macro(unsigned long long, ull, one, of)

namespace gpo {
namespace halves {
template <class Bits>
GPO_WORD_FN Bits bits_of(Number<Bits> x) {
  return {x.bits_};
}
}  // namespace halves
}  // namespace gpo

#define GPO_CONVERSIONS(one, of, two, of2)                                                     \
  GPO_INTEGERS(GPO_ROUNDED_FROM, one, of)                                                      \
  GPO_INTEGERS(GPO_ROUNDED_TO, one, of)                                                        \
  GPO_ROUNDED_FROM(float, float, one, of)                                                      \
  GPO_WORD_FN of __float2##one(float x) { return of(x); }                                      \
  GPO_WORD_FN of __double2##one(double x) { return of(x); }                                    \
  GPO_WORD_FN float __##one##2float(of x) { return x.value(); }                                \
  GPO_WORD_FN signed char __##one##2char_rz(of x) {                                            \
    return gpo::halves::to_whole<signed char>(x.value(), gpo::halves::toward_zero);            \
  }                                                                                            \
  GPO_WORD_FN unsigned char __##one##2uchar_rz(of x) {                                         \
    return gpo::halves::to_whole<unsigned char>(x.value(), gpo::halves::toward_zero);          \
  }                                                                                            \
  GPO_WORD_FN short __##one##_as_short(of x) { return short(x.bits_); }                        \
  GPO_WORD_FN unsigned short __##one##_as_ushort(of x) { return x.bits_; }                     \
  GPO_WORD_FN of __short_as_##one(short x) { return of::of_bits(gpo::u16(x)); }                \
  GPO_WORD_FN of __ushort_as_##one(unsigned short x) { return of::of_bits(x); }                \
  GPO_WORD_FN of2 __float2##two##_rn(float x) { return of2(of(x)); }                           \
  GPO_WORD_FN of2 __floats2##two##_rn(float x, float y) { return of2(of(x), of(y)); }          \
  GPO_WORD_FN of2 __float22##two##_rn(float2 v) { return of2(of(v.x), of(v.y)); }              \
  GPO_WORD_FN float2 __##two##2float2(of2 v) { return make_float2(v.x.value(), v.y.value()); } \
  GPO_WORD_FN of2 __halves2##two(of x, of y) { return of2(x, y); }                             \
  GPO_WORD_FN of2 __##one##2##two(of x) { return of2(x); }                                     \
  GPO_WORD_FN of2 make_##two(of x, of y) { return of2(x, y); }                                 \
  GPO_WORD_FN of __low2##one(of2 v) { return v.x; }                                            \
  GPO_WORD_FN of __high2##one(of2 v) { return v.y; }                                           \
  GPO_WORD_FN of2 __low2##two(of2 v) { return of2(v.x); }                                      \
  GPO_WORD_FN of2 __high2##two(of2 v) { return of2(v.y); }                                     \
  GPO_WORD_FN of2 __lows2##two(of2 a, of2 b) { return of2(a.x, b.x); }                         \
  GPO_WORD_FN of2 __highs2##two(of2 a, of2 b) { return of2(a.y, b.y); }                        \
  GPO_WORD_FN float __low2float(of2 v) { return v.x.value(); }                                 \
  GPO_WORD_FN float __high2float(of2 v) { return v.y.value(); }                                \
  GPO_WORD_FN of2 __lowhigh2highlow(of2 v) { return of2(v.y, v.x); }
GPO_CONVERSIONS(half, __half, half2, __half2)
GPO_CONVERSIONS(bfloat16, __nv_bfloat16, bfloat162, __nv_bfloat162)
#undef GPO_CONVERSIONS
#undef GPO_INTEGERS
#undef GPO_ROUNDED_TO
#undef GPO_ROUNDED_FROM

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_HALF_H_
