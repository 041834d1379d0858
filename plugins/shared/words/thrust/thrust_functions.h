// plugins/shared/words/thrust/thrust_functions.h -- thrust's policies, pairs, tuples, complex numbers and function
// objects for kernels.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_FUNCTIONS_H_

#include "plugins/shared/words/standard.h"
#include "plugins/shared/words/words.h"

namespace thrust {

struct gpo_policy {};
inline constexpr gpo_policy seq{}, device{}, host{};

using ::std::complex;
using ::std::get;
using ::std::make_pair;
using ::std::make_tuple;
using ::std::max;
using ::std::min;
using ::std::norm;
using ::std::pair;
using ::std::swap;
using ::std::tie;
using ::std::tuple;
using ::std::tuple_element;
using ::std::tuple_size;
using ::std::void_t;

// ---- functional.h ----

using ::std::equal_to;
using ::std::greater;
using ::std::less;
using ::std::minus;
using ::std::multiplies;
using ::std::plus;

#define GPO_THRUST_BINARY(name, expression)                                                    \
  template <class T = void>                                                                    \
  struct name {                                                                                \
    GPO_WORD_FN constexpr auto operator()(const T &a, const T &b) const { return expression; } \
  };                                                                                           \
  template <>                                                                                  \
  struct name<void> {                                                                          \
    template <class A, class B>                                                                \
    GPO_WORD_FN constexpr auto operator()(const A &a, const B &b) const {                      \
      return expression;                                                                       \
    }                                                                                          \
  };
GPO_THRUST_BINARY(divides, a / b)
GPO_THRUST_BINARY(modulus, a % b)
GPO_THRUST_BINARY(not_equal_to, a != b)
GPO_THRUST_BINARY(greater_equal, a >= b)
GPO_THRUST_BINARY(less_equal, a <= b)
GPO_THRUST_BINARY(logical_and, a &&b)
GPO_THRUST_BINARY(logical_or, a || b)
GPO_THRUST_BINARY(bit_and, a &b)
GPO_THRUST_BINARY(bit_or, a | b)
GPO_THRUST_BINARY(bit_xor, a ^ b)
GPO_THRUST_BINARY(maximum, a < b ? b : a)
GPO_THRUST_BINARY(minimum, b < a ? b : a)
#undef GPO_THRUST_BINARY

#define GPO_THRUST_UNARY(name, expression)                                         \
  template <class T = void>                                                        \
  struct name {                                                                    \
    GPO_WORD_FN constexpr auto operator()(const T &a) const { return expression; } \
  };                                                                               \
  template <>                                                                      \
  struct name<void> {                                                              \
    template <class A>                                                             \
    GPO_WORD_FN constexpr auto operator()(const A &a) const {                      \
      return expression;                                                           \
    }                                                                              \
  };
GPO_THRUST_UNARY(negate, -a)
GPO_THRUST_UNARY(square, a *a)
GPO_THRUST_UNARY(logical_not, !a)
GPO_THRUST_UNARY(identity, a)
#undef GPO_THRUST_UNARY

}  // namespace thrust

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_FUNCTIONS_H_
