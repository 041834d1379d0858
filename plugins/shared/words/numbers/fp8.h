// plugins/shared/words/numbers/fp8.h -- CUDA's 8-bit floats (cuda_fp8.h; CUDA Math API, "FP8 Intrinsics"):
// __nv_fp8_e4m3,
// __nv_fp8_e5m2, the vectors of two and four of them, and their conversions
//
// The formats are those of the Open Compute Project, "OCP 8-bit Floating Point Specification", 2023: E4M3 has no
// infinity and 448 as its largest number, E5M2 is the upper half of a 16-bit float. Conversions to them round to
// nearest, ties to even. A NaN becomes 0x7f, but that of a double keeps its sign and, in E5M2, the highest two bits of
// its payload, as in CUDA's own header. Of numbers that are too large, __NV_SATFINITE makes the largest of the format,
// and __NV_NOSAT an infinity or, in E4M3, NaN.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_FP8_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_FP8_H_

#include "plugins/shared/words/numbers/half.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace gpo {
namespace fp8 {

// The bits after the point, the exponent of the smallest normal number, the largest number, and what is beyond it.
struct Format {
  int fraction, lowest;
  unsigned largest, beyond;
};
GPO_WORD_FN Format format_of(__nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? Format{3, -6, 0x7e, 0x7f} : Format{2, -14, 0x7b, 0x7c};
}

// The size of a number, which is no NaN, without its sign: exponent and fraction are one number, so that a carry out of
// the fraction is right, too.
GPO_WORD_FN unsigned rounded(u64 size, Format format, bool finite) {
  const int exponent = int(size >> 52) - 1023, from = exponent < format.lowest ? format.lowest : exponent;
  const int shift = 52 - format.fraction + (from - exponent);
  if (shift > 54) return 0;  // less than half of the smallest number
  const u64 digits = (size & (1ull << 52) - 1) | 1ull << 52, half = 1ull << (shift - 1);
  const u64 low = digits >> shift, rest = digits & (half * 2 - 1);
  const u64 whole = low + (rest > half || (rest == half && (low & 1)) ? 1 : 0);
  const u64 bits = (u64(from - format.lowest) << format.fraction) + whole;
  return bits <= format.largest ? unsigned(bits) : finite ? format.largest : format.beyond;
}

GPO_WORD_FN __nv_fp8_storage_t of_double(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  const u64 bits = to_bits(x), size = bits & ~(1ull << 63);
  const unsigned sign = unsigned(bits >> 63) << 7;
  if (size > 0x7ffull << 52) return u8(sign | (kind == __NV_E4M3 ? 0x7f : 0x7e | unsigned(size >> 50 & 3)));
  return u8(sign | rounded(size, format_of(kind), saturation == __NV_SATFINITE));
}
GPO_WORD_FN __nv_fp8_storage_t of_float(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  return x != x ? u8(0x7f) : of_double(double(x), saturation, kind);
}

// Every 8-bit float is a 16-bit float.
GPO_WORD_FN __half to_half(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned size = x & 0x7f, sign = (x & 0x80u) << 8;
  if (size > (kind == __NV_E4M3 ? 0x7eu : 0x7cu)) return __half::of_bits(0x7fff);
  if (kind == __NV_E5M2) return __half::of_bits(u16(x << 8));
  if (size >= 8) return __half::of_bits(u16(sign | (size << 7) + (8u << 10)));  // the exponents' biases are 7 and 15
  const __half tiny(float(size) * 0x1p-9f);
  return __half::of_bits(u16(sign | tiny.bits_));
}

template <__nv_fp8_interpretation_t kind>
struct alignas(1) One {
  __nv_fp8_storage_t __x;

  One() = default;
  GPO_WORD_FN explicit One(__half x) : One(x.value()) {}
  GPO_WORD_FN explicit One(__nv_bfloat16 x) : One(x.value()) {}
  GPO_WORD_FN explicit One(float x) : __x(of_float(x, __NV_SATFINITE, kind)) {}
  GPO_WORD_FN explicit One(double x) : __x(of_double(x, __NV_SATFINITE, kind)) {}
#define GPO_OF_WHOLE(T) \
  GPO_WORD_FN explicit One(T x) : One(float(x)) {}
  GPO_OF_WHOLE(short)
  GPO_OF_WHOLE(unsigned short)
  GPO_OF_WHOLE(int)
  GPO_OF_WHOLE(unsigned)
  GPO_OF_WHOLE(long)
  GPO_OF_WHOLE(unsigned long)
  GPO_OF_WHOLE(long long)
  GPO_OF_WHOLE(unsigned long long)
#undef GPO_OF_WHOLE
  GPO_WORD_FN explicit operator __half() const { return to_half(__x, kind); }
  GPO_WORD_FN explicit operator float() const { return to_half(__x, kind).value(); }
  GPO_WORD_FN explicit operator __nv_bfloat16() const { return __nv_bfloat16(to_half(__x, kind).value()); }
  GPO_WORD_FN explicit operator double() const { return double(to_half(__x, kind).value()); }
  GPO_WORD_FN explicit operator bool() const { return (__x & 0x7f) != 0; }
  // Toward zero; what does not fit becomes the nearest that does, and NaN as the conversion of a 16-bit float has it.
#define GPO_TO_WHOLE(T)                                                          \
  GPO_WORD_FN explicit operator T() const {                                      \
    return halves::to_whole<T>(to_half(__x, kind).value(), halves::toward_zero); \
  }
  GPO_TO_WHOLE(char)
  GPO_TO_WHOLE(signed char)
  GPO_TO_WHOLE(unsigned char)
  GPO_TO_WHOLE(short)
  GPO_TO_WHOLE(unsigned short)
  GPO_TO_WHOLE(int)
  GPO_TO_WHOLE(unsigned)
  GPO_TO_WHOLE(long)
  GPO_TO_WHOLE(unsigned long)
  GPO_TO_WHOLE(long long)
  GPO_TO_WHOLE(unsigned long long)
#undef GPO_TO_WHOLE
};

// Element k of a vector is byte k.
template <__nv_fp8_interpretation_t kind>
struct alignas(2) Two {
  __nv_fp8x2_storage_t __x;

  Two() = default;
  GPO_WORD_FN explicit Two(float2 v) : Two(One<kind>(v.x), One<kind>(v.y)) {}
  GPO_WORD_FN explicit Two(double2 v) : Two(One<kind>(v.x), One<kind>(v.y)) {}
  GPO_WORD_FN explicit Two(__half2 v) : Two(One<kind>(v.x), One<kind>(v.y)) {}
  GPO_WORD_FN explicit Two(__nv_bfloat162 v) : Two(One<kind>(v.x), One<kind>(v.y)) {}
  GPO_WORD_FN explicit operator __half2() const { return __half2(to_half(u8(__x), kind), to_half(u8(__x >> 8), kind)); }
  GPO_WORD_FN explicit operator float2() const { return __half22float2(__half2(*this)); }
  GPO_WORD_FN Two(One<kind> x, One<kind> y) : __x(u16(x.__x | y.__x << 8)) {}
};
template <__nv_fp8_interpretation_t kind>
struct alignas(4) Four {
  __nv_fp8x4_storage_t __x;

  Four() = default;
  // Converts a float4 or any double4: NVIDIA's compiler has several of the latter.
  template <class V, class = decltype(V().w)>
  GPO_WORD_FN explicit Four(V v)
      : Four(Two<kind>(One<kind>(v.x), One<kind>(v.y)), Two<kind>(One<kind>(v.z), One<kind>(v.w))) {}
  GPO_WORD_FN Four(__half2 low, __half2 high) : Four(Two<kind>(low), Two<kind>(high)) {}
  GPO_WORD_FN Four(__nv_bfloat162 low, __nv_bfloat162 high) : Four(Two<kind>(low), Two<kind>(high)) {}
  GPO_WORD_FN explicit operator float4() const {
    Two<kind> low, high;
    low.__x = u16(__x);
    high.__x = u16(__x >> 16);
    const float2 a = float2(low), b = float2(high);
    return make_float4(a.x, a.y, b.x, b.y);
  }

 private:
  GPO_WORD_FN Four(Two<kind> low, Two<kind> high) : __x(low.__x | unsigned(high.__x) << 16) {}
};

}  // namespace fp8
}  // namespace gpo

using __nv_fp8_e4m3 = gpo::fp8::One<__NV_E4M3>;
using __nv_fp8_e5m2 = gpo::fp8::One<__NV_E5M2>;
using __nv_fp8x2_e4m3 = gpo::fp8::Two<__NV_E4M3>;
using __nv_fp8x2_e5m2 = gpo::fp8::Two<__NV_E5M2>;
using __nv_fp8x4_e4m3 = gpo::fp8::Four<__NV_E4M3>;
using __nv_fp8x4_e5m2 = gpo::fp8::Four<__NV_E5M2>;

// ---- Conversions by name ----

GPO_WORD_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind) {
  return gpo::fp8::of_double(x, saturation, kind);
}
GPO_WORD_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return gpo::fp8::of_float(x, saturation, kind);
}
GPO_WORD_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
  return gpo::fp8::of_float(__half(x).value(), saturation, kind);
}
GPO_WORD_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind) {
  return gpo::fp8::of_float(__nv_bfloat16(x).value(), saturation, kind);
}
#define GPO_CONVERT_TWO(from, type)                                                                    \
  GPO_WORD_FN __nv_fp8x2_storage_t __nv_cvt_##from##2_to_fp8x2(type v, __nv_saturation_t saturation,   \
                                                               __nv_fp8_interpretation_t kind) {       \
    const unsigned low = __nv_cvt_##from##_to_fp8(v.x, saturation, kind);                              \
    return __nv_fp8x2_storage_t(low | unsigned(__nv_cvt_##from##_to_fp8(v.y, saturation, kind)) << 8); \
  }
GPO_CONVERT_TWO(double, double2)
GPO_CONVERT_TWO(float, float2)
#undef GPO_CONVERT_TWO
GPO_WORD_FN __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(v)), saturation, kind);
}
GPO_WORD_FN __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturation,
                                                                __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(v)), saturation, kind);
}
GPO_WORD_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return gpo::fp8::to_half(x, kind);
}
GPO_WORD_FN __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return {gpo::fp8::to_half(gpo::u8(x), kind).bits_, gpo::fp8::to_half(gpo::u8(x >> 8), kind).bits_};
}

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_FP8_H_
