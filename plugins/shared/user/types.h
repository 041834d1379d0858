// plugins/shared/user/types.h -- the names of element types in user kernels, and arithmetic on those for which C++ has
// none
//
// A kernel's own names take precedence, because the kernel's namespace only sees this one by a using directive.
#ifndef GPUOPT_PLUGINS_SHARED_USER_TYPES_H_
#define GPUOPT_PLUGINS_SHARED_USER_TYPES_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/math/complex_arithmetic.h"

// GPO_FN under another name, for what the core writes behind the author's text, where GPO_FN may be a macro of the
// author's.
#if defined(__CUDACC_RTC__)
#define gpuopt_fn __device__ __forceinline__
#else
#define gpuopt_fn inline __attribute__((__always_inline__))
#endif

namespace gpo {
namespace user {

using int8_t = i8;
using int16_t = i16;
using int32_t = i32;
using int64_t = i64;
using uint8_t = u8;
using uint16_t = u16;
using uint32_t = u32;
using uint64_t = u64;
using intptr_t = i64;
using uintptr_t = u64;
using ssize_t = i64;

// As Linux and CUDA's samples have them.
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

// A 16-bit float: arithmetic is float's, and storing rounds once, to nearest. It is not a template over gpo's own type,
// because unqualified calls would then find functions in namespace gpo, too.
template <bool brain>
struct SmallFloat {
  using Bits = conditional<brain, gpo::bfloat16, gpo::float16>;
  Bits value;
  SmallFloat() = default;
  GPO_FN SmallFloat(Bits bits) : value(bits) {}
  template <class T>
  GPO_FN SmallFloat(T x) : value(cast<Bits>(x)) {}
  GPO_FN operator float() const { return to_float(value); }
  template <class T>
  GPO_FN SmallFloat &operator+=(T x) {
    return *this = SmallFloat(float(*this) + x);
  }
  template <class T>
  GPO_FN SmallFloat &operator-=(T x) {
    return *this = SmallFloat(float(*this) - x);
  }
  template <class T>
  GPO_FN SmallFloat &operator*=(T x) {
    return *this = SmallFloat(float(*this) * x);
  }
  template <class T>
  GPO_FN SmallFloat &operator/=(T x) {
    return *this = SmallFloat(float(*this) / x);
  }
};
using float16 = SmallFloat<false>;
using bfloat16 = SmallFloat<true>;

// std::complex's arithmetic, with this library's rounding (math/complex_arithmetic.h).
template <class T>
struct complex {
  T re, im;
  complex() = default;
  GPO_FN complex(T real, T imag = T(0)) : re(real), im(imag) {}
  GPO_FN complex(cplx<T> z) : re(z.re), im(z.im) {}
  template <class U>
  GPO_FN explicit complex(complex<U> z) : re(T(z.re)), im(T(z.im)) {}
  GPO_FN operator cplx<T>() const { return {re, im}; }
  GPO_FN T real() const { return re; }
  GPO_FN T imag() const { return im; }
  GPO_FN void real(T x) { re = x; }
  GPO_FN void imag(T x) { im = x; }

  GPO_FN friend complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
  GPO_FN friend complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
  GPO_FN friend complex operator*(complex a, complex b) { return math::multiply(cplx<T>(a), cplx<T>(b)); }
  GPO_FN friend complex operator/(complex a, complex b) { return math::divide(cplx<T>(a), cplx<T>(b)); }
  GPO_FN friend complex operator-(complex a) { return {-a.re, -a.im}; }
  GPO_FN friend complex operator+(complex a) { return a; }
  GPO_FN friend bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
  GPO_FN friend bool operator!=(complex a, complex b) { return !(a == b); }
  GPO_FN complex &operator+=(complex b) { return *this = *this + b; }
  GPO_FN complex &operator-=(complex b) { return *this = *this - b; }
  GPO_FN complex &operator*=(complex b) { return *this = *this * b; }
  GPO_FN complex &operator/=(complex b) { return *this = *this / b; }
};

using float32 = float;
using float64 = double;
using complex64 = complex<float>;
using complex128 = complex<double>;

// plain() makes of a value what the definitions of operations (plugins/shared/ops) take, and wrapped() the reverse.
template <class T>
GPO_FN T plain(T x) {
  return x;
}
template <bool brain>
GPO_FN float plain(SmallFloat<brain> x) {
  return x;
}
template <class T>
GPO_FN cplx<T> plain(complex<T> z) {
  return z;
}
template <class T>
GPO_FN T wrapped(T x) {
  return x;
}
template <class T>
GPO_FN complex<T> wrapped(cplx<T> z) {
  return z;
}

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_TYPES_H_
