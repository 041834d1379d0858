// tests/unit/api_hpp_layouts_test.cpp -- gpuopt.hpp: operands whose dimensions lie in any order in memory, large enough
// to be cut into several tiles, give what a loop over their elements gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <gpuopt/gpuopt.hpp>
#include <numeric>

namespace gp = gpuopt;
using gp::array;

namespace {

constexpr int64_t kModulus = 113;  // so that the elements are exact in every dtype, and their sums of two, too

// Returns elements 0, 1, 2, ... modulo kModulus.
array counting(const gp::dims &shape, gp::dtype type) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  std::vector<int32_t> list(static_cast<size_t>(n));
  for (size_t i = 0; i < list.size(); i++) list[i] = static_cast<int32_t>(i % kModulus);
  array x = array(list).reshape(shape).astype(type).copy();
  x.eval();
  return x;
}

struct Flips {
  bool of[4];
};

// Returns the elements of counting(shape) with axes permuted and flipped, by arithmetic on their indices.
std::vector<int32_t> permuted(const gp::dims &shape, const std::vector<int64_t> &order, const Flips &flips) {
  const size_t ndim = order.size();
  std::vector<int64_t> strides(ndim, 1), index(ndim, 0);
  for (size_t d = ndim - 1; d > 0; d--) strides[d - 1] = strides[d] * shape[d];
  std::vector<int32_t> list;
  for (bool more = true; more;) {
    int64_t at = 0;
    for (size_t d = 0; d < ndim; d++) {
      const int64_t extent = shape[static_cast<size_t>(order[d])];
      at += (flips.of[d] ? extent - 1 - index[d] : index[d]) * strides[static_cast<size_t>(order[d])];
    }
    list.push_back(static_cast<int32_t>(at % kModulus));
    size_t d = ndim;
    while (d > 0 && ++index[d - 1] == shape[static_cast<size_t>(order[d - 1])]) index[--d] = 0;
    more = d > 0;
  }
  return list;
}

array flipped(array x, const Flips &flips, size_t ndim) {
  std::vector<int64_t> axes;
  for (size_t d = 0; d < ndim; d++) {
    if (flips.of[d]) axes.push_back(static_cast<int64_t>(d));
  }
  return axes.empty() ? x : gp::flip(x, gp::dims(axes));
}

std::vector<int32_t> list_of(const array &x) { return x.astype(gp::int32).to_vector<int32_t>(); }

// Checks a copy, a sum with an operand in C order, and writing into a view, for all orders of the axes.
void check_orders(const gp::dims &shape, gp::dtype type, const Flips &flips) {
  const size_t ndim = shape.size();
  std::vector<int64_t> order(ndim);
  std::iota(order.begin(), order.end(), 0);
  const array x = counting(shape, type);
  do {
    const gp::dims axes(order);
    const array view = flipped(x.transpose(axes), flips, ndim);
    const std::vector<int32_t> wanted = permuted(shape, order, flips);
    ASSERT_EQ(list_of(view.copy()), wanted);
    const array straight = counting(view.shape(), type);
    const array sum = straight.astype(gp::int32) + view.astype(gp::int32);
    const std::vector<int32_t> added = sum.to_vector<int32_t>();
    for (size_t i = 0; i < added.size(); i++) {
      ASSERT_EQ(added[i], wanted[i] + static_cast<int32_t>(static_cast<int64_t>(i) % kModulus)) << i;
    }
    array target = gp::zeros(shape, type).copy();
    flipped(target.transpose(axes), flips, ndim).assign(view);
    ASSERT_EQ(list_of(target), list_of(x));
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

TEST(Layouts, OrdersOfTwoAxes) {
  for (const gp::dtype type : {gp::uint8, gp::int16, gp::float16, gp::float32, gp::float64, gp::complex128}) {
    check_orders({133, 71}, type, {});
    check_orders({3, 1001}, type, {});
  }
  check_orders({64, 128}, gp::float64, {{true, false}});
  check_orders({65, 129}, gp::float32, {{true, true}});
  check_orders({65, 40}, gp::bfloat16, {{false, true}});
}

TEST(Layouts, OrdersOfThreeAxes) {
  check_orders({5, 70, 33}, gp::float64, {});
  check_orders({34, 3, 67}, gp::int8, {{true, false, false}});
  check_orders({40, 41, 3}, gp::float32, {{false, true, true}});
  check_orders({1, 90, 90}, gp::complex64, {});
}

TEST(Layouts, OrdersOfFourAxes) { check_orders({6, 17, 5, 19}, gp::uint16, {{true, false, true, false}}); }

// A matrix that is added to its own transpose in place is read before it is overwritten.
TEST(Layouts, AMatrixAndItsTransposeInPlace) {
  constexpr int64_t n = 150;
  array x = counting({n, n}, gp::float64);
  const std::vector<double> before = x.to_vector<double>();
  x += x.T();
  const std::vector<double> after = x.to_vector<double>();
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) {
      ASSERT_EQ(after[static_cast<size_t>(i * n + j)],
                before[static_cast<size_t>(i * n + j)] + before[static_cast<size_t>(j * n + i)]);
    }
  }
}

// Expects element i of x to be expected(i).
template <class Expected>
void expect_elements(const array &x, const Expected &expected, const char *what) {
  const std::vector<double> list = x.to_vector<double>();
  for (size_t i = 0; i < list.size(); i++) {
    ASSERT_EQ(list[i], expected(static_cast<int64_t>(i))) << what << ", element " << i;
  }
}

// Results of more bytes than the last-level caches of most processors have are stored past these: computed, copied and
// filled ones, from any address on, in place, and transposed.
TEST(Layouts, ResultsTooLargeForTheCaches) {
  constexpr int64_t rows = 2300, n = rows * rows;
  const array x = counting({n}, gp::float64);
  const auto count = [](int64_t i) { return static_cast<double>(i % kModulus); };
  expect_elements(
      x * 2 + 1, [&](int64_t i) { return count(i) * 2 + 1; }, "computed");
  expect_elements(
      gp::full({n}, 2.5), [](int64_t) { return 2.5; }, "filled");
  expect_elements(
      x.reshape({rows, rows}).T().copy().reshape({n}), [&](int64_t i) { return count(i % rows * rows + i / rows); },
      "transposed");
  array y = gp::zeros({n + 1});
  y(gp::slice(1, n + 1)).assign(x + 1);
  expect_elements(
      y, [&](int64_t i) { return i == 0 ? 0 : count(i - 1) + 1; }, "behind the first element");
  y += y;
  expect_elements(
      y, [&](int64_t i) { return i == 0 ? 0 : 2 * count(i - 1) + 2; }, "in place");
}
