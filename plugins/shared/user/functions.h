// plugins/shared/user/functions.h -- macros that define the functions of user_functions.def, and the functions that are
// no operations of the library
//
// functions_used.h has a GPO_USER_<kind>(name, row) for each of the former, behind the header of its row.
#ifndef GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_H_

#include "plugins/shared/user/types.h"

namespace gpo {
namespace user {

// Converts an argument as C++'s <cmath> does: integers to double; also 16-bit floats to float.
template <class T>
GPO_FN auto argument(T x) {
  if constexpr (is_int<T> || is_bool<T>) {
    return double(x);
  } else {
    return plain(x);
  }
}
template <class A, class B>
struct common_ {
  using type = decltype(A() + B());
};
template <class A>
struct common_<A, A> {
  using type = A;
};
template <class A, class B>
using common = typename common_<A, B>::type;

}  // namespace user
}  // namespace gpo

// Defines computed::name, an operation. Its slow path (ops/op.h) is in a function that is called for every element. In
// a vectorized loop, the call becomes a test of all elements of a vector (plugins/jit/compile/slow_paths.h). Each
// operation has templates of its own, since Clang, to find one instance, loads all instances of a template that
// precompiled headers have.
#if defined(GPO_HOST_KERNELS)
#define GPO_USER_COMPUTED(name, row)                                                                            \
  namespace gpo::user::computed {                                                                               \
  template <class Op, class T, class... A>                                                                      \
  __attribute__((noinline, const, section("gpuopt_slow"))) inline T name##_or_slow(T easy, bool hard, A... x) { \
    return hard ? Op::apply_hard(x...) : easy;                                                                  \
  }                                                                                                             \
  template <class Op = ops::row, class T, class... A>                                                           \
  GPO_FN auto name(T x, A... more) {                                                                            \
    if constexpr (Op::template has_hard<T>) {                                                                   \
      return name##_or_slow<Op>(Op::apply_easy(x, more...), bool(Op::hard(x, more...)), x, more...);            \
    } else {                                                                                                    \
      return Op::apply(x, more...);                                                                             \
    }                                                                                                           \
  }                                                                                                             \
  }
#else
#define GPO_USER_COMPUTED(name, row) \
  namespace gpo::user::computed {    \
  template <class... A>              \
  GPO_FN auto name(A... x) {         \
    return ops::row::apply(x...);    \
  }                                  \
  }
#endif

// Defines functions::name. For double and float it is a plain function, for which no template need be instantiated.
#define GPO_USER_ONE(name, row, result, of_others)                   \
  GPO_USER_COMPUTED(name, row)                                       \
  namespace gpo::user::functions {                                   \
  GPO_FN result(double) name(double x) { return computed::name(x); } \
  GPO_FN result(float) name(float x) { return computed::name(x); }   \
  template <class T>                                                 \
  GPO_FN auto name(T x) {                                            \
    return wrapped(computed::name(of_others(x)));                    \
  }                                                                  \
  }
#define GPO_USER_SAME(T) T
#define GPO_USER_TRUTH(T) bool

#define GPO_USER_MAGNITUDE(name, row) GPO_USER_ONE(name, row, GPO_USER_SAME, plain)
#define GPO_USER_UNARY(name, row)                   \
  GPO_USER_ONE(name, row, GPO_USER_SAME, argument)  \
  namespace gpo::user::functions {                  \
  GPO_FN float name##f(float x) { return name(x); } \
  }
#define GPO_USER_BINARY(name, row)                                        \
  GPO_USER_COMPUTED(name, row)                                            \
  namespace gpo::user::functions {                                        \
  GPO_FN double name(double a, double b) { return computed::name(a, b); } \
  GPO_FN float name(float a, float b) { return computed::name(a, b); }    \
  GPO_FN float name##f(float a, float b) { return computed::name(a, b); } \
  template <class A, class B>                                             \
  GPO_FN auto name(A a, B b) {                                            \
    using T = common<decltype(argument(a)), decltype(argument(b))>;       \
    return wrapped(computed::name(T(argument(a)), T(argument(b))));       \
  }                                                                       \
  }
#define GPO_USER_TEST(name, row) GPO_USER_ONE(name, row, GPO_USER_TRUTH, argument)

// By the function `of`, which is defined before.
#define GPO_USER_FAST(name, of)                \
  namespace gpo::user::functions {             \
  GPO_FN float name(float x) { return of(x); } \
  }
#define GPO_USER_FAST_BINARY(name, of)                     \
  namespace gpo::user::functions {                         \
  GPO_FN float name(float a, float b) { return of(a, b); } \
  }
#define GPO_USER_SINCOS(name, of)                                                         \
  namespace gpo::user::functions {                                                        \
  template <class T>                                                                      \
  GPO_FN void name(T x, T *sine, T *cosine) {                                             \
    *sine = sin(x);                                                                       \
    *cosine = cos(x);                                                                     \
  }                                                                                       \
  GPO_FN void name##f(float x, float *sine, float *cosine) { name(x, sine, cosine); }     \
  GPO_FN void __##name##f(float x, float *sine, float *cosine) { name(x, sine, cosine); } \
  }

// If the kernel's text declares a function of this name for types of its own, it would hide ours for all other types.
// This template stands beside it; overload resolution prefers what the kernel declares, being more specialized.
#define GPO_USER_YIELDS(name, ours)       \
  namespace gpuopt_kernel {               \
  namespace gpuopt_text {                 \
  template <class gpo_A, class... gpo_B>  \
  GPO_FN auto name(gpo_A a, gpo_B... b) { \
    return ours(a, b...);                 \
  }                                       \
  }                                       \
  }

// The same for one that is no template, where it can be called so.
#define GPO_USER_STANDS_BESIDE(name)                                   \
  namespace gpuopt_kernel {                                            \
  namespace gpuopt_text {                                              \
  template <class gpo_A, class... gpo_B>                               \
  GPO_FN auto name(gpo_A a, gpo_B... b) -> decltype(::name(a, b...)) { \
    return ::name(a, b...);                                            \
  }                                                                    \
  }                                                                    \
  }

namespace gpo {
namespace user {
namespace functions {

// min and max as in CUDA: of two floats of which one is a NaN, the other one.
template <class A, class B>
GPO_FN auto min(A a, B b) {
  using T = common<decltype(plain(a)), decltype(plain(b))>;
  const T x = T(a), y = T(b);
  return y < x || x != x ? y : x;
}
template <class A, class B>
GPO_FN auto max(A a, B b) {
  using T = common<decltype(plain(a)), decltype(plain(b))>;
  const T x = T(a), y = T(b);
  return x < y || x != x ? y : x;
}
template <class T>
GPO_FN auto rsqrt(T x) {
  using F = decltype(argument(x));
  return F(1) / gpo::sqrt(argument(x));
}
// Rounds halves away from zero, as C's round().
template <class T>
GPO_FN auto round(T x) {
  const auto y = argument(x);
  using F = decltype(argument(x));
  const F whole = gpo::trunc(y);
  return gpo::abs(y - whole) >= F(0.5) ? whole + gpo::copysign(F(1), y) : gpo::copysign(whole, y);
}
template <class T>
GPO_FN auto fma(T a, T b, T c) {
  return gpo::fma(argument(a), argument(b), argument(c));
}
template <class T>
GPO_FN complex<T> conj(complex<T> z) {
  return {z.re, -z.im};
}
template <class T>
GPO_FN T real(complex<T> z) {
  return z.re;
}
template <class T>
GPO_FN T imag(complex<T> z) {
  return z.im;
}

}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_H_
