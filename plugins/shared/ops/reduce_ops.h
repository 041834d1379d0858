// plugins/shared/ops/reduce_ops.h -- one definition of every reduction and scan row of ops.def: struct
// gpo::reduce::<row>
//
// For input elements x of type T (half types already widened to float, `any`, `all` and `count_nonzero` already bool):
//   accumulator<T>      the type of partial results
//   identity<A>()       the identity of combine(); also the result of no elements, where that is not an error
//   lift<A>(x, index)   the partial result of one element
//   combine(a, b)       associative and commutative except for the rounding of floating sums and products
//   finish(a)           the result element
#ifndef GPUOPT_PLUGINS_SHARED_OPS_REDUCE_OPS_H_
#define GPUOPT_PLUGINS_SHARED_OPS_REDUCE_OPS_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/ops/arithmetic.h"
#include "plugins/shared/ops/extremes.h"

namespace gpo {

// The dtype of a SUM row's result.
template <class T>
using sum_of = conditional<is_bool<T> || is_signed_int<T>, i64, conditional<is_unsigned_int<T>, u64, T>>;

// The identities of minimum and maximum.
template <class T>
GPO_FN T greatest() {
  if constexpr (is_float<T>) {
    return inf<T>();
  } else if constexpr (is_bool<T>) {
    return true;
  } else {
    return int_max<T>;
  }
}
template <class T>
GPO_FN T least() {
  if constexpr (is_float<T>) {
    return -inf<T>();
  } else if constexpr (is_bool<T>) {
    return false;
  } else {
    return int_min<T>;
  }
}

template <class T>
struct indexed {
  T value;
  i64 index;
};

namespace reduce {

// Reductions whose partial results are plain values and final as they are.
struct of_values {
  template <class A, class T>
  GPO_FN static A lift(T x, i64) {
    return cast<A>(x);
  }
  template <class A>
  GPO_FN static A finish(A a) {
    return a;
  }
};

#define GPO_REDUCTION(name, accumulator_type, identity_value, op) \
  struct name : of_values {                                       \
    template <class T>                                            \
    using accumulator = accumulator_type;                         \
    template <class A>                                            \
    GPO_FN static A identity() {                                  \
      return identity_value;                                      \
    }                                                             \
    template <class A>                                            \
    GPO_FN static A combine(A a, A b) {                           \
      return ops::op::apply(a, b);                                \
    }                                                             \
  };
GPO_REDUCTION(sum, sum_of<T>, cast<A>(0.0f), add)
GPO_REDUCTION(prod, sum_of<T>, cast<A>(1.0f), multiply)
GPO_REDUCTION(min, T, greatest<A>(), minimum)
GPO_REDUCTION(max, T, least<A>(), maximum)
GPO_REDUCTION(any, bool, false, maximum)
GPO_REDUCTION(all, bool, true, minimum)
GPO_REDUCTION(count_nonzero, i64, 0, add)
GPO_REDUCTION(cumulative_sum, sum_of<T>, cast<A>(0.0f), add)
GPO_REDUCTION(cumulative_prod, sum_of<T>, cast<A>(1.0f), multiply)
#undef GPO_REDUCTION

// NaN is the identity of fmin and fmax, so all-NaN input stays NaN.
#define GPO_NAN_REDUCTION(name, integer_identity, op) \
  struct name : of_values {                           \
    template <class T>                                \
    using accumulator = T;                            \
    template <class A>                                \
    GPO_FN static A identity() {                      \
      if constexpr (is_float<A>) {                    \
        return nan<A>();                              \
      } else {                                        \
        return integer_identity;                      \
      }                                               \
    }                                                 \
    template <class A>                                \
    GPO_FN static A combine(A a, A b) {               \
      return ops::op::apply(a, b);                    \
    }                                                 \
  };
GPO_NAN_REDUCTION(nanmin, greatest<A>(), fmin)
GPO_NAN_REDUCTION(nanmax, least<A>(), fmax)
#undef GPO_NAN_REDUCTION

// NaN beats every number, equal values (the two zeros among them) fall to the lower index: a total order, so the result
// does not depend on how the elements are combined.
#define GPO_ARG_REDUCTION(name, worst, better)                           \
  struct name {                                                          \
    template <class T>                                                   \
    using accumulator = indexed<T>;                                      \
    template <class A>                                                   \
    GPO_FN static A identity() {                                         \
      return {worst<decltype(A::value)>(), int_max<i64>};                \
    }                                                                    \
    template <class A, class T>                                          \
    GPO_FN static A lift(T x, i64 index) {                               \
      return {x, index};                                                 \
    }                                                                    \
    template <class A>                                                   \
    GPO_FN static A combine(A a, A b) {                                  \
      const bool a_nan = a.value != a.value, b_nan = b.value != b.value; \
      const bool tie = (a.value == b.value) | (a_nan & b_nan);           \
      const bool a_wins = (a.value better b.value) | (a_nan & !b_nan);   \
      const bool take_a = a_wins | (tie & (a.index < b.index));          \
      return {take_a ? a.value : b.value, take_a ? a.index : b.index};   \
    }                                                                    \
    template <class A>                                                   \
    GPO_FN static i64 finish(A a) {                                      \
      return a.index;                                                    \
    }                                                                    \
  };
GPO_ARG_REDUCTION(argmin, greatest, <)
GPO_ARG_REDUCTION(argmax, least, >)
#undef GPO_ARG_REDUCTION

}  // namespace reduce
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_REDUCE_OPS_H_
