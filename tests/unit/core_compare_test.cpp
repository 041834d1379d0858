// tests/unit/core_compare_test.cpp -- integer arrays compared with integers that their dtype may not hold.
#include <algorithm>
#include <limits>

#include "core_array_support.h"

namespace support {
namespace {

using Wide = __int128;  // holds every integer there is

Wide wide(const gpuopt_scalar &x) { return x.kind == 'u' ? Wide(x.value.u) : Wide(x.value.i); }

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
    for (int op = GPUOPT_OP_equal; op <= GPUOPT_OP_greater_equal; ++op) {
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
