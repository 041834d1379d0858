// tests/unit/cpu_special_values_test.cpp -- zeros, infinities and NaNs of either sign in every part of every floating
// operand, at every instruction set level: the values of C17 Annex G, the bits of the definitions, and no trace of a
// NaN's sign.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/shared/ops/scalar_ops.h"
#include "tests/not_here.h"

namespace gpuopt::test {
namespace {

using gpo::c128;
using gpo::c64;

// The NaNs of both signs stand last.
template <class T>
std::vector<T> special_values() {
  if constexpr (gpo::is_complex<T>) {
    std::vector<T> values;
    for (const auto re : special_values<gpo::real_of<T>>()) {
      for (const auto im : special_values<gpo::real_of<T>>()) values.push_back({re, im});
    }
    return values;
  } else {
    const T nan = gpo::nan<T>();
    return {T(0), -T(0), T(1), T(-1), T(2.5), T(-0.75), gpo::inf<T>(), -gpo::inf<T>(), nan, gpo::copysign(nan, T(-1))};
  }
}

template <class T>
bool same(T a, T b) {
  if constexpr (gpo::is_complex<T>) {
    return same(a.re, b.re) && same(a.im, b.im);
  } else if constexpr (gpo::is_float<T>) {
    return a != a ? b != b : gpo::to_bits(a) == gpo::to_bits(b);
  } else {
    return a == b;
  }
}
template <class T>
T with_positive_nans(T x) {
  if constexpr (gpo::is_complex<T>) {
    return {with_positive_nans(x.re), with_positive_nans(x.im)};
  } else {
    return x != x ? gpo::nan<T>() : x;
  }
}
template <class T>
std::string show(T x) {
  if constexpr (gpo::is_complex<T>) {
    return "(" + show(x.re) + "," + show(x.im) + ")";
  } else if constexpr (gpo::is_float<T>) {
    return (gpo::signbit(x) ? "-" : "+") + std::to_string(double(gpo::abs(x)));
  } else {
    return std::to_string(x);
  }
}

template <class T>
constexpr int dtype = gpo::is_same<T, float>    ? GPUOPT_FLOAT32
                      : gpo::is_same<T, double> ? GPUOPT_FLOAT64
                      : gpo::is_same<T, c64>    ? GPUOPT_COMPLEX64
                                                : GPUOPT_COMPLEX128;
template <class T>
constexpr char kind = gpo::is_complex<T> ? 'c' : 'f';
constexpr bool lists(const char *kinds, char wanted) {
  while (*kinds && *kinds != wanted) kinds++;
  return *kinds != 0;
}

// Every combination of `arity` special values, operand by operand.
template <class T>
std::vector<std::vector<T>> combinations(int arity) {
  const std::vector<T> values = special_values<T>();
  std::vector<std::vector<T>> operands(3);
  size_t total = 1;
  for (int k = 0; k < arity; k++) total *= values.size();
  for (size_t i = 0; i < total; i++) {
    size_t rest = i;
    for (auto &operand : operands) {
      operand.push_back(values[rest % values.size()]);
      rest /= values.size();
    }
  }
  return operands;
}

template <class Op, int kArity, class T>
auto defined(T a, T b, T c) {
  (void)b, (void)c;
  if constexpr (kArity == 1) {
    return Op::apply(a);
  } else if constexpr (kArity == 2) {
    return Op::apply(a, b);
  } else {
    return Op::apply(a, b, c);
  }
}

// The loops of every level against the definition, and the definition against itself with every NaN made positive.
template <class Op, int kOp, int kArity, class T>
void check_op(const char *name) {
  using R = decltype(defined<Op, kArity>(T(), T(), T()));
  const auto x = combinations<T>(kArity);
  const size_t n = x[0].size();
  const auto expected = std::make_unique<R[]>(n);
  const auto where = [&](size_t i) {
    std::string text = name;
    for (size_t k = 0; k < size_t(kArity); k++) text += " " + show(x[k][i]);
    return text;
  };
  const bool reads_sign = kOp == GPUOPT_OP_copysign || kOp == GPUOPT_OP_signbit;
  for (size_t i = 0; i < n; i++) {
    expected[i] = defined<Op, kArity>(x[0][i], x[1][i], x[2][i]);
    const R positive =
        defined<Op, kArity>(with_positive_nans(x[0][i]), with_positive_nans(x[1][i]), with_positive_nans(x[2][i]));
    EXPECT_TRUE(reads_sign || same(expected[i], positive))
        << where(i) << " takes the sign of a NaN: " << show(expected[i]) << ", " << show(positive);
  }
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const auto got = std::make_unique<R[]>(n);
    cpu::loop_table(level).elementwise[kOp][dtype<T>].vector(got.get(), x[0].data(), x[1].data(), x[2].data(),
                                                             static_cast<int64_t>(n));
    for (size_t i = 0; i < n; i++) {
      EXPECT_TRUE(same(got[i], expected[i]))
          << where(i) << " at level " << level << ": " << show(got[i]) << " for " << show(expected[i]);
    }
  }
}

template <class T>
void check_ops() {
#define GPUOPT_OP(name, nin, kinds, result, doc)                              \
  if constexpr (lists(kinds, kind<T>) && GPUOPT_OP_##name != GPUOPT_OP_where) \
    check_op<gpo::ops::name, GPUOPT_OP_##name, nin, T>(#name);
#include <gpuopt/ops.def>
}

TEST(CpuSpecialValues, Float32) { check_ops<float>(); }
TEST(CpuSpecialValues, Float64) { check_ops<double>(); }
TEST(CpuSpecialValues, Complex64) { check_ops<c64>(); }
TEST(CpuSpecialValues, Complex128) { check_ops<c128>(); }

// ---- Annex G, as the C library has it in long double

#if defined(_WIN32)
NOT_HERE(CpuSpecialValuesAnnexG, "mingw-w64's complex functions, the oracle, do not follow Annex G")
#else
using Wide = std::complex<long double>;
using Oracle = Wide (*)(const Wide &);

// Where Annex G leaves the signs of zeros and infinities open: beside a NaN, and where an infinite angle has no sign.
template <class T>
bool signs_are_open(T z, c128 wanted, double angle) {
  return z.re != z.re || z.im != z.im || wanted.re != wanted.re || wanted.im != wanted.im || std::isinf(angle);
}

// Special values exactly; what is between them within a few units in the last place.
template <class R>
bool agrees(R got, double wanted, bool sign_open) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (wanted == 0 || std::isinf(wanted))
    return sign_open ? std::fabs(got) == std::fabs(wanted) : same(got, static_cast<R>(wanted));
  return std::fabs(double(got) - wanted) <= 4 * double(std::numeric_limits<R>::epsilon()) * std::fabs(wanted);
}

template <class Op, class T>
void check_annex_g(const char *name, Oracle oracle, bool circular) {
  for (const T z : special_values<T>()) {
    const Wide exact = oracle(Wide(z.re, z.im));
    const c128 wanted = {double(exact.real()), double(exact.imag())};
    const bool open = signs_are_open(z, wanted, circular ? z.re : z.im);
    const T got = Op::apply(z);
    EXPECT_TRUE(agrees(got.re, wanted.re, open) && agrees(got.im, wanted.im, open))
        << name << show(z) << " is " << show(got) << ", not " << show(wanted);
  }
}
#define CHECK_ANNEX_G(name, circular)                              \
  check_annex_g<gpo::ops::name, c128>(#name, std::name, circular); \
  check_annex_g<gpo::ops::name, c64>(#name, std::name, circular)

TEST(CpuSpecialValues, AnnexG) {
  CHECK_ANNEX_G(exp, false);
  CHECK_ANNEX_G(log, false);
  CHECK_ANNEX_G(sqrt, false);
  CHECK_ANNEX_G(sinh, false);
  CHECK_ANNEX_G(cosh, false);
  CHECK_ANNEX_G(tanh, false);
  CHECK_ANNEX_G(asinh, false);
  CHECK_ANNEX_G(acosh, false);
  CHECK_ANNEX_G(atanh, false);
  CHECK_ANNEX_G(sin, true);
  CHECK_ANNEX_G(cos, true);
  CHECK_ANNEX_G(tan, true);
  CHECK_ANNEX_G(asin, true);
  CHECK_ANNEX_G(acos, true);
  CHECK_ANNEX_G(atan, true);
}
#endif

}  // namespace
}  // namespace gpuopt::test
