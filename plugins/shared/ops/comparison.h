// plugins/shared/ops/comparison.h -- the comparison and classification families of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_COMPARISON_H_
#define GPUOPT_PLUGINS_SHARED_OPS_COMPARISON_H_

#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

struct equal : op {
  template <class T>
  GPO_FN static bool apply(T a, T b) {
    if constexpr (is_complex<T>) {
      return (a.re == b.re) & (a.im == b.im);
    } else {
      return a == b;
    }
  }
};

struct not_equal : op {
  template <class T>
  GPO_FN static bool apply(T a, T b) {
    return !equal::apply(a, b);
  }
};

#define GPO_COMPARISON_OP(name, operator_) \
  struct name : op {                       \
    template <class T>                     \
    GPO_FN static bool apply(T a, T b) {   \
      return a operator_ b;                \
    }                                      \
  };
GPO_COMPARISON_OP(less, <)
GPO_COMPARISON_OP(less_equal, <=)
GPO_COMPARISON_OP(greater, >)
GPO_COMPARISON_OP(greater_equal, >=)
#undef GPO_COMPARISON_OP

// A complex number is NaN or infinite if either component is, finite if both are.
#define GPO_CLASSIFY_OP(name, of_integers, join)               \
  struct name : op {                                           \
    template <class T>                                         \
    GPO_FN static bool apply(T x) {                            \
      if constexpr (is_complex<T>) {                           \
        const bool re = gpo::name(x.re), im = gpo::name(x.im); \
        return re join im;                                     \
      } else if constexpr (is_float<T>) {                      \
        return gpo::name(x);                                   \
      } else {                                                 \
        return of_integers;                                    \
      }                                                        \
    }                                                          \
  };
GPO_CLASSIFY_OP(isnan, false, |)
GPO_CLASSIFY_OP(isinf, false, |)
GPO_CLASSIFY_OP(isfinite, true, &)
#undef GPO_CLASSIFY_OP

struct signbit : op {
  template <class T>
  GPO_FN static bool apply(T x) {
    return gpo::signbit(x);
  }
};

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_COMPARISON_H_
