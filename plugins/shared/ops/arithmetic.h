// plugins/shared/ops/arithmetic.h -- the arithmetic family of ops.def, and sqrt
#ifndef GPUOPT_PLUGINS_SHARED_OPS_ARITHMETIC_H_
#define GPUOPT_PLUGINS_SHARED_OPS_ARITHMETIC_H_

#include "plugins/shared/math/complex_arithmetic.h"
#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/divmod.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

struct add : op {
  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_bool<T>) {
      return a | b;
    } else if constexpr (is_int<T>) {
      return T(wrap_of<T>(a) + wrap_of<T>(b));
    } else if constexpr (is_complex<T>) {
      return T{a.re + b.re, a.im + b.im};
    } else {
      return a + b;
    }
  }
};

struct subtract : op {
  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return T(wrap_of<T>(a) - wrap_of<T>(b));
    } else if constexpr (is_complex<T>) {
      return T{a.re - b.re, a.im - b.im};
    } else {
      return a - b;
    }
  }
};

struct multiply : op {
  template <class T>
  static constexpr bool has_hard = is_complex<T>;

  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_bool<T>) {
      return a & b;
    } else if constexpr (is_int<T>) {
      return T(wrap_of<T>(a) * wrap_of<T>(b));
    } else if constexpr (is_complex<T>) {
      return math::multiply(a, b);
    } else {
      return a * b;
    }
  }
  template <class T>
  GPO_FN static T apply_easy(T a, T b) {
    return math::multiply_easy(a, b);
  }
  template <class T>
  GPO_FN static bool hard(T a, T b) {
    return math::multiply_is_hard(a, b);
  }
  template <class T>
  GPO_FN static T apply_hard(T a, T b) {
    return math::multiply_hard(a, b);
  }
};

struct divide : op {
  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_complex<T>) {
      return math::divide(a, b);
    } else {
      return a / b;
    }
  }
};

// Division by an integer zero is 0 for the quotient and both remainders.
struct floor_divide : op {
  template <class T>
  static constexpr bool has_hard = is_float<T>;

  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return math::int_floor_divide(a, b);
    } else {
      return hard(a, b) ? apply_hard(a, b) : apply_easy(a, b);
    }
  }
  template <class T>
  GPO_FN static T apply_easy(T a, T b) {
    return math::floor_divide(a, b, math::fmod_easy(a, b));
  }
  template <class T>
  GPO_FN static bool hard(T a, T b) {
    return math::fmod_is_hard(a, b);
  }
  template <class T>
  GPO_FN static T apply_hard(T a, T b) {
    return math::floor_divide(a, b, math::fmod_hard(a, b));
  }
};

struct remainder : op {
  template <class T>
  static constexpr bool has_hard = is_float<T>;

  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return math::int_remainder(a, b);
    } else {
      return hard(a, b) ? apply_hard(a, b) : apply_easy(a, b);
    }
  }
  template <class T>
  GPO_FN static T apply_easy(T a, T b) {
    return math::floor_remainder(b, math::fmod_easy(a, b));
  }
  template <class T>
  GPO_FN static bool hard(T a, T b) {
    return math::fmod_is_hard(a, b);
  }
  template <class T>
  GPO_FN static T apply_hard(T a, T b) {
    return math::floor_remainder(b, math::fmod_hard(a, b));
  }
};

struct fmod : op {
  template <class T>
  static constexpr bool has_hard = is_float<T>;

  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return math::int_fmod(a, b);
    } else {
      return hard(a, b) ? apply_hard(a, b) : apply_easy(a, b);
    }
  }
  template <class T>
  GPO_FN static T apply_easy(T a, T b) {
    return math::fmod_easy(a, b);
  }
  template <class T>
  GPO_FN static bool hard(T a, T b) {
    return math::fmod_is_hard(a, b);
  }
  template <class T>
  GPO_FN static T apply_hard(T a, T b) {
    return math::fmod_hard(a, b);
  }
};

struct negative : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_int<T>) {
      return T(wrap_of<T>(0) - wrap_of<T>(x));
    } else if constexpr (is_complex<T>) {
      return T{-x.re, -x.im};
    } else {
      return -x;
    }
  }
};

GPO_UNARY_OP(positive, x)

struct abs : op {
  template <class T>
  GPO_FN static real_of<T> apply(T x) {
    if constexpr (is_complex<T>) {
      return math::hypot(x.re, x.im);
    } else if constexpr (is_float<T>) {
      return gpo::abs(x);
    } else if constexpr (is_signed_int<T>) {
      return x < 0 ? negative::apply(x) : x;
    } else {
      return x;
    }
  }
};

struct sign : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_complex<T>) {
      return math::sign(x);
    } else if constexpr (is_float<T>) {
      const T unit = x > T(0) ? T(1) : (x < T(0) ? T(-1) : T(0));
      return x != x ? x : unit;
    } else {
      return T(T(x > T(0)) - T(is_negative(x)));
    }
  }
};

struct square : op {
  template <class T>
  static constexpr bool has_hard = is_complex<T>;

  template <class T>
  GPO_FN static T apply(T x) {
    return multiply::apply(x, x);
  }
  template <class T>
  GPO_FN static T apply_easy(T x) {
    return math::multiply_easy(x, x);
  }
  template <class T>
  GPO_FN static bool hard(T x) {
    return math::multiply_is_hard(x, x);
  }
  template <class T>
  GPO_FN static T apply_hard(T x) {
    return math::multiply_hard(x, x);
  }
};

struct reciprocal : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_complex<T>) {
      return math::reciprocal(x);
    } else {
      return T(1) / x;
    }
  }
};

struct sqrt : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_complex<T>) {
      return math::sqrt(x);
    } else {
      return gpo::sqrt(x);
    }
  }
};

GPO_BINARY_OP(gcd, math::int_gcd(a, b))
GPO_BINARY_OP(lcm, math::int_lcm(a, b))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_ARITHMETIC_H_
