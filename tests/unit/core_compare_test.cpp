// tests/unit/core_compare_test.cpp -- integer arrays compared with integers that their dtype may not hold.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core_array_support.h"

namespace support {
namespace {

using Wide = __int128;  // holds every integer there is

Wide wide(const gpuopt_scalar &x) { return x.kind == 'u' ? Wide(x.value.u) : Wide(x.value.i); }

#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) {GPUOPT_OP_##name, #family},
const std::pair<gpuopt_op, std::string> families[] = {
#include <gpuopt/ops.def>
};

std::vector<gpuopt_op> comparisons() {
  std::vector<gpuopt_op> found;
  for (const auto &[op, family] : families) {
    if (family == "comparison") found.push_back(op);
  }
  return found;
}

bool compare(gpuopt_op op, Wide a, Wide b) {
  switch (op) {
    case GPUOPT_OP_equal:
      return a == b;
    case GPUOPT_OP_not_equal:
      return a != b;
    case GPUOPT_OP_less:
      return a < b;
    case GPUOPT_OP_less_equal:
      return a <= b;
    case GPUOPT_OP_greater:
      return a > b;
    default:
      return a >= b;
  }
}

Array apply(gpuopt_op op, const Array &a, const Array &b) {
  const gpuopt_array inputs[] = {a.get(), b.get()};
  Result r;
  return r.take(gpuopt_apply(op, 2, inputs, nullptr, &r.array, &r.error));
}

std::vector<gpuopt_scalar> numbers() {
  std::vector<gpuopt_scalar> all;
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const uint64_t greatest = ~uint64_t{0} >> (64 - bits);
    all.push_back(gpuopt_scalar_uint(greatest));
    if (bits < 64) all.push_back(gpuopt_scalar_uint(greatest + 1));
    if (bits < 63) all.push_back(gpuopt_scalar_int(static_cast<int64_t>(greatest) + 1));
    if (bits < 64) all.push_back(gpuopt_scalar_int(-static_cast<int64_t>(greatest) - 1));
    if (bits < 63) all.push_back(gpuopt_scalar_int(-static_cast<int64_t>(greatest) - 2));
  }
  for (const int64_t small : {-1, 0, 1}) all.push_back(gpuopt_scalar_int(small));
  return all;
}

// The core answers for these six by what each of them means: another one would need an answer of its own.
TEST(Compare, TheFamilyHasSixOperations) {
  const std::vector<gpuopt_op> six = {GPUOPT_OP_equal,      GPUOPT_OP_not_equal, GPUOPT_OP_less,
                                      GPUOPT_OP_less_equal, GPUOPT_OP_greater,   GPUOPT_OP_greater_equal};
  EXPECT_EQ(comparisons(), six);
}

template <class T>
class CompareWithNumbers : public testing::Test {};
using Integers = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(CompareWithNumbers, Integers);

TYPED_TEST(CompareWithNumbers, GiveTheMathematicalAnswer) {
  using T = TypeParam;
  const std::vector<T> values = {std::numeric_limits<T>::min(), 0, 1, std::numeric_limits<T>::max()};
  const Array x = make<T>({4}, values);
  for (const gpuopt_scalar &number : numbers()) {
    const Array y = weak(number);
    for (const gpuopt_op op : comparisons()) {
      const std::vector<bool> right = values_of<bool>(apply(op, x, y)), left = values_of<bool>(apply(op, y, x));
      ASSERT_EQ(right.size(), 4u);
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(right[i], compare(op, values[i], wide(number))) << op << " " << double(wide(number)) << " " << i;
        EXPECT_EQ(left[i], compare(op, wide(number), values[i])) << op << " " << double(wide(number)) << " " << i;
      }
    }
  }
}

TEST(Compare, BoolWithNumbersBeyondInt64) {
  const Array x = make<bool>({2}, {false, true});
  const Array y = weak(gpuopt_scalar_uint(~uint64_t{0}));
  EXPECT_EQ(values_of<bool>(apply(GPUOPT_OP_less, x, y)), (std::vector<bool>{true, true}));
  EXPECT_EQ(values_of<bool>(apply(GPUOPT_OP_equal, x, y)), (std::vector<bool>{false, false}));
}

TEST(Compare, TheCFunctionsAndOutDoTheSame) {
  const Array x = make<int8_t>({3}, {-128, 0, 127}), y = weak(gpuopt_scalar_int(1000));
  const Array out = make<bool>({3}, {false, false, false});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_less_into(x.get(), y.get(), out.get(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(values_of<bool>(out), (std::vector<bool>{true, true, true}));
  Result r;
  EXPECT_EQ(values_of<bool>(r.take(gpuopt_greater(x.get(), y.get(), &r.array, &r.error))),
            (std::vector<bool>{false, false, false}));
}

// Arithmetic has no such answer, and weak scalars alone no device.
// Signed integers of every width beside uint64: no integer dtype holds both, and float64, to which they promote, takes
// 2^53 and 2^53 + 1 for equal.
template <class T>
class CompareWithUint64 : public testing::Test {};
using SignedIntegers = testing::Types<int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(CompareWithUint64, SignedIntegers);

template <class T>
std::vector<T> near_powers() {
  std::vector<T> values = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1};
  for (int bit = 1; bit < std::numeric_limits<T>::digits; ++bit) {
    const T power = static_cast<T>(T{1} << bit);
    for (const T x : {static_cast<T>(power - 1), power, static_cast<T>(power + 1)}) {
      values.push_back(x);
      if (std::is_signed_v<T>) values.push_back(static_cast<T>(T{0} - x));
    }
  }
  return values;
}

TYPED_TEST(CompareWithUint64, IsExact) {
  using T = TypeParam;
  const std::vector<T> signed_values = near_powers<T>();
  const std::vector<uint64_t> unsigned_values = near_powers<uint64_t>();
  const auto rows = static_cast<int64_t>(signed_values.size()), columns = static_cast<int64_t>(unsigned_values.size());
  const Array s = make<T>({rows, 1}, signed_values), u = make<uint64_t>({columns}, unsigned_values);
  for (const gpuopt_op op : comparisons()) {
    const Array forward = apply(op, s, u), backward = apply(op, u, s);
    ASSERT_EQ(gpuopt_array_dtype(forward.get()), GPUOPT_BOOL);
    const std::vector<bool> got = values_of<bool>(forward), exchanged = values_of<bool>(backward);
    for (size_t k = 0; k < got.size(); ++k) {
      const Wide a = signed_values[k / unsigned_values.size()], b = unsigned_values[k % unsigned_values.size()];
      ASSERT_EQ(got[k], compare(op, a, b)) << gpuopt_op_name(op) << " of element " << k;
      ASSERT_EQ(exchanged[k], compare(op, b, a)) << gpuopt_op_name(op) << " exchanged, element " << k;
    }
  }
}

TEST(Compare, MixedSignsIntoAnArrayAndWithErrors) {
  const Array s = make<int64_t>({2}, {(int64_t{1} << 53) + 1, -1});
  const Array u = make<uint64_t>({2}, {uint64_t{1} << 53, ~uint64_t{0}});
  const Array out = make<float>({2}, {7, 7}), wrong = make<uint8_t>({3}, {7, 7, 7});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_greater_into(s.get(), u.get(), out.get(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{1, 0}));
  EXPECT_EQ(gpuopt_less_into(s.get(), u.get(), wrong.get(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(std::string(error.message).compare(0, 6, "less: "), 0) << error.message;
  const Array three = make<uint64_t>({3}, {1, 2, 3});
  Result r;
  EXPECT_EQ(gpuopt_equal(s.get(), three.get(), &r.array, &r.error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(std::string(r.error.message).compare(0, 7, "equal: "), 0) << r.error.message;
}

TEST(Compare, WhatStaysAnError) {
  const Array x = make<int8_t>({1}, {1}), y = weak(gpuopt_scalar_int(1000));
  gpuopt_array result = nullptr;
  EXPECT_EQ(gpuopt_add(x.get(), y.get(), &result, nullptr), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(gpuopt_less(y.get(), y.get(), &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_less(x.get(), nullptr, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_less(nullptr, y.get(), &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace support
