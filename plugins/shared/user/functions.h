// plugins/shared/user/functions.h -- how the functions of user_functions.def come to be, and those that are no
// operation of the library
//
// functions_used.h has a GPO_USER_<kind>(name, row) for each, behind the header of its row.
#ifndef GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_H_

#include "plugins/shared/user/types.h"

namespace gpo {
namespace user {

// As C++'s <cmath> takes its arguments: integers as double; a 16-bit float as float.
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

// An operation. What of it is rare (ops/op.h) is left to a function that is called for every element: in a vectorised
// loop it becomes a test of all elements of a vector (plugins/jit/rare.h).
#if defined(GPO_HOST_KERNELS)
template <class Op, class T, class... A>
__attribute__((noinline, const, section("gpuopt_rare"))) inline T or_rare(T easy, bool hard, A... x) {
  return hard ? Op::apply_hard(x...) : easy;
}
template <class Op, class T, class... A>
GPO_FN auto computed(T x, A... more) {
  if constexpr (Op::template has_hard<T>) {
    return or_rare<Op>(Op::apply_easy(x, more...), bool(Op::hard(x, more...)), x, more...);
  } else {
    return Op::apply(x, more...);
  }
}
#else
template <class Op, class... A>
GPO_FN auto computed(A... x) {
  return Op::apply(x...);
}
#endif

#define GPO_USER_MAGNITUDE(name, row)             \
  namespace gpo::user::functions {                \
  template <class T>                              \
  GPO_FN auto name(T x) {                         \
    return wrapped(computed<ops::row>(plain(x))); \
  }                                               \
  }
#define GPO_USER_UNARY(name, row)                                 \
  namespace gpo::user::functions {                                \
  template <class T>                                              \
  GPO_FN auto name(T x) {                                         \
    return wrapped(computed<ops::row>(argument(x)));              \
  }                                                               \
  GPO_FN float name##f(float x) { return computed<ops::row>(x); } \
  }
#define GPO_USER_BINARY(name, row)                                            \
  namespace gpo::user::functions {                                            \
  template <class A, class B>                                                 \
  GPO_FN auto name(A a, B b) {                                                \
    using T = common<decltype(argument(a)), decltype(argument(b))>;           \
    return wrapped(computed<ops::row>(T(argument(a)), T(argument(b))));       \
  }                                                                           \
  GPO_FN float name##f(float a, float b) { return computed<ops::row>(a, b); } \
  }
#define GPO_USER_TEST(name, row)            \
  namespace gpo::user::functions {          \
  template <class T>                        \
  GPO_FN bool name(T x) {                   \
    return computed<ops::row>(argument(x)); \
  }                                         \
  }

namespace functions {

// CUDA's: of floats the one that is a number.
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
// Half away from zero, as C's.
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
