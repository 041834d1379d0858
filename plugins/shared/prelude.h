// plugins/shared/prelude.h -- scalar types and primitives that mean the same bits under GCC, Clang, nvcc and
// header-free NVRTC
//
// Compile with contraction off (-ffp-contract=off, NVRTC -fmad=false): every fused multiply-add here is written out.
// Nothing here may depend on a header, because NVRTC parses this text at run time without any.
#ifndef GPUOPT_PLUGINS_SHARED_PRELUDE_H_
#define GPUOPT_PLUGINS_SHARED_PRELUDE_H_

#if defined(__FAST_MATH__)
#error "the scalar definitions need IEEE arithmetic: build without -ffast-math"
#endif

// GPO_FN marks what is inlined into every loop; always_inline also keeps a build for a newer ISA from leaking
// out-of-line copies into the others. GPO_SLOW marks slow paths that must not make those loops longer.
#if defined(__CUDACC_RTC__)
#define GPO_FN __device__ __forceinline__
#define GPO_SLOW static __device__ __noinline__
#elif defined(__CUDACC__)
#define GPO_FN __host__ __device__ __forceinline__
#define GPO_SLOW [[maybe_unused]] static __host__ __device__ __noinline__
#elif defined(_MSC_VER) && !defined(__clang__)
#define GPO_FN __forceinline
#define GPO_SLOW [[maybe_unused]] static __declspec(noinline)
#else
#define GPO_FN inline __attribute__((always_inline))
#define GPO_SLOW static __attribute__((noinline, unused))
#endif

#if !defined(__CUDACC_RTC__) && !defined(__INT64_TYPE__)
#include <stdint.h>
#endif

namespace gpo {

#if defined(__CUDACC_RTC__)
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
#elif defined(__INT64_TYPE__)
using i8 = __INT8_TYPE__;
using i16 = __INT16_TYPE__;
using i32 = __INT32_TYPE__;
using i64 = __INT64_TYPE__;
using u8 = __UINT8_TYPE__;
using u16 = __UINT16_TYPE__;
using u32 = __UINT32_TYPE__;
using u64 = __UINT64_TYPE__;
#else
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
#endif

struct float16 {
  u16 bits;
};
struct bfloat16 {
  u16 bits;
};

template <class T>
struct cplx {
  T re, im;
};
using c64 = cplx<float>;
using c128 = cplx<double>;

// Type traits, as those of <type_traits>.
template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;
template <class T>
inline constexpr bool is_bool = is_same<T, bool>;
template <class T>
inline constexpr bool is_signed_int = is_same<T, i8> || is_same<T, i16> || is_same<T, i32> || is_same<T, i64>;
template <class T>
inline constexpr bool is_unsigned_int = is_same<T, u8> || is_same<T, u16> || is_same<T, u32> || is_same<T, u64>;
template <class T>
inline constexpr bool is_int = is_signed_int<T> || is_unsigned_int<T>;
template <class T>
inline constexpr bool is_float = is_same<T, float> || is_same<T, double>;
template <class T>
inline constexpr bool is_half = is_same<T, float16> || is_same<T, bfloat16>;
template <class T>
inline constexpr bool is_complex = is_same<T, c64> || is_same<T, c128>;

template <bool C, class A, class B>
struct conditional_ {
  using type = A;
};
template <class A, class B>
struct conditional_<false, A, B> {
  using type = B;
};
template <bool C, class A, class B>
using conditional = typename conditional_<C, A, B>::type;

template <class T>
struct real_of_ {
  using type = T;
};
template <class T>
struct real_of_<cplx<T>> {
  using type = T;
};
// The component type of a complex type, else the type itself.
template <class T>
using real_of = typename real_of_<T>::type;

// The integer types as wide as T.
template <class T>
using uint_of =
    conditional<sizeof(T) == 1, u8, conditional<sizeof(T) == 2, u16, conditional<sizeof(T) == 4, u32, u64>>>;
template <class T>
using int_of = conditional<sizeof(T) == 1, i8, conditional<sizeof(T) == 2, i16, conditional<sizeof(T) == 4, i32, i64>>>;

#if defined(__CUDA_ARCH__) && !defined(__clang__)
GPO_FN u32 to_bits(float x) { return u32(__float_as_int(x)); }
GPO_FN u64 to_bits(double x) { return u64(__double_as_longlong(x)); }
GPO_FN float from_bits(u32 b) { return __int_as_float(i32(b)); }
GPO_FN double from_bits(u64 b) { return __longlong_as_double(i64(b)); }

GPO_FN float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GPO_FN double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
GPO_FN float sqrt(float x) { return __fsqrt_rn(x); }
GPO_FN double sqrt(double x) { return __dsqrt_rn(x); }
GPO_FN float floor(float x) { return ::floorf(x); }
GPO_FN double floor(double x) { return ::floor(x); }
GPO_FN float ceil(float x) { return ::ceilf(x); }
GPO_FN double ceil(double x) { return ::ceil(x); }
GPO_FN float trunc(float x) { return ::truncf(x); }
GPO_FN double trunc(double x) { return ::trunc(x); }
GPO_FN float rint(float x) { return ::rintf(x); }
GPO_FN double rint(double x) { return ::rint(x); }
#else
GPO_FN u32 to_bits(float x) { return __builtin_bit_cast(u32, x); }
GPO_FN u64 to_bits(double x) { return __builtin_bit_cast(u64, x); }
GPO_FN float from_bits(u32 b) { return __builtin_bit_cast(float, b); }
GPO_FN double from_bits(u64 b) { return __builtin_bit_cast(double, b); }

GPO_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GPO_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GPO_FN float sqrt(float x) { return __builtin_sqrtf(x); }
GPO_FN double sqrt(double x) { return __builtin_sqrt(x); }
GPO_FN float floor(float x) { return __builtin_floorf(x); }
GPO_FN double floor(double x) { return __builtin_floor(x); }
GPO_FN float ceil(float x) { return __builtin_ceilf(x); }
GPO_FN double ceil(double x) { return __builtin_ceil(x); }
GPO_FN float trunc(float x) { return __builtin_truncf(x); }
GPO_FN double trunc(double x) { return __builtin_trunc(x); }
GPO_FN float rint(float x) { return __builtin_rintf(x); }
GPO_FN double rint(double x) { return __builtin_rint(x); }
#endif

// Bits of the fraction, bias of the exponent, and bit patterns of the sign and of infinity.
template <class T>
struct fp;
template <>
struct fp<float> {
  static constexpr int mantissa = 23, bias = 127;
  static constexpr u32 sign = 0x80000000u, inf = 0x7f800000u;
};
template <>
struct fp<double> {
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr u64 sign = 0x8000000000000000u, inf = 0x7ff0000000000000u;
};

template <class T>
GPO_FN T inf() {
  return from_bits(fp<T>::inf);
}
template <class T>
GPO_FN T nan() {
  return from_bits(uint_of<T>(fp<T>::inf | (fp<T>::inf >> 1)));
}
template <class T>
GPO_FN T abs(T x) {
  return from_bits(uint_of<T>(to_bits(x) & ~fp<T>::sign));
}
template <class T>
GPO_FN T copysign(T magnitude, T sign) {
  return from_bits(uint_of<T>((to_bits(magnitude) & ~fp<T>::sign) | (to_bits(sign) & fp<T>::sign)));
}
template <class T>
GPO_FN bool signbit(T x) {
  return to_bits(x) >= fp<T>::sign;
}
template <class T>
GPO_FN bool isnan(T x) {
  return x != x;
}
template <class T>
GPO_FN bool isinf(T x) {
  return abs(x) == inf<T>();
}
template <class T>
GPO_FN bool isfinite(T x) {
  return abs(x) < inf<T>();
}

// Integer range, without <limits>.
template <class T>
inline constexpr T int_min = is_signed_int<T> ? T(uint_of<T>(1) << (8 * sizeof(T) - 1)) : T(0);
template <class T>
inline constexpr T int_max = T(~int_min<T>);

// x < 0 without the warning that unsigned x brings.
template <class T>
GPO_FN bool is_negative(T x) {
  if constexpr (is_unsigned_int<T>) {
    return false;
  } else {
    return x < T(0);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_PRELUDE_H_
