// tests/unit/scalar_ops_test.cpp -- every row of ops.def is defined for each of its loop dtypes; integer and special
// cases
#include "plugins/shared/scalar_ops.h"

#include <gtest/gtest.h>

#include "plugins/shared/reduce_ops.h"

namespace {

using namespace gpo;

// ---- Completeness: a row without a definition for one of its dtypes, or with the wrong result type, does not compile.
// (The calls are real because naming a function template in an unevaluated operand would not compile its body.)

enum class Result { SAME, BOOL, REAL, LOGICAL, SELECT };

template <Result kResult, class T>
using ResultOf = conditional<kResult == Result::BOOL || kResult == Result::LOGICAL, bool,
                             conditional<kResult == Result::REAL, real_of<T>, T>>;

constexpr bool has_kind(const char *kinds, char kind) {
  for (; *kinds; ++kinds)
    if (*kinds == kind) return true;
  return false;
}

template <class T>
constexpr char kind_of() {
  return is_bool<T> ? '?' : is_signed_int<T> ? 'i' : is_unsigned_int<T> ? 'u' : is_complex<T> ? 'c' : 'f';
}

template <class Expected, class Actual>
void expect_type(Actual) {
  static_assert(is_same<Expected, Actual>, "wrong result type");
}

template <class Op, int kInputs, Result kResult, class T>
void instantiate_row() {
  using R = ResultOf<kResult, T>;
  const T x{};
  if constexpr (kInputs == 1) {
    expect_type<R>(Op::apply(x));
    if constexpr (Op::template has_hard<T>) {
      expect_type<R>(Op::hard(x) ? Op::apply_hard(x) : Op::apply_easy(x));
    }
  } else if constexpr (kInputs == 2) {
    expect_type<R>(Op::apply(x, x));
    if constexpr (Op::template has_hard<T>) {
      expect_type<R>(Op::hard(x, x) ? Op::apply_hard(x, x) : Op::apply_easy(x, x));
    }
  } else if constexpr (kResult == Result::SELECT) {
    expect_type<R>(Op::apply(true, x, x));
  } else {
    expect_type<R>(Op::apply(x, x, x));
  }
}

template <class Reduction, class T>
void instantiate_reduction() {
  using A = typename Reduction::template accumulator<T>;
  const A a = Reduction::combine(Reduction::template identity<A>(), Reduction::template lift<A>(T{}, i64(0)));
  expect_type<A>(a);
  (void)Reduction::finish(a);
}

template <class... Ts>
struct Types {};
using LoopTypes = Types<bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double, c64, c128>;

template <class... Ts, class Visitor>
void for_each_type(Types<Ts...>, Visitor visit) {
  (visit(Ts{}), ...);
}

TEST(ScalarOps, EveryRowIsDefinedForEachOfItsDtypes) {
#define GPUOPT_OP(name, nin, kinds, result, doc)                                                       \
  for_each_type(LoopTypes{}, [](auto zero) {                                                           \
    using T = decltype(zero);                                                                          \
    if constexpr (has_kind(kinds, kind_of<T>())) instantiate_row<ops::name, nin, Result::result, T>(); \
  });
#define GPUOPT_REDUCTION(name, kinds, result, doc)                                         \
  for_each_type(LoopTypes{}, [](auto zero) {                                               \
    using T = decltype(zero);                                                              \
    if constexpr (has_kind(kinds, kind_of<T>())) instantiate_reduction<reduce::name, T>(); \
  });
#define GPUOPT_SCAN(name, kinds, result, doc) GPUOPT_REDUCTION(name, kinds, result, doc)
#include "gpuopt/ops.def"
}

}  // namespace
