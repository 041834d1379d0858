// tests/unit/api_walks_test.cpp -- reductions and scans of expressions whose operands are walked in every possible way:
// constant along any axes, transposed, reversed, with extents that are no powers of two; against plain loops. All
// values are whole and small, so that every order of additions gives the same numbers. It runs again without recording,
// as unit/api_walks_eager, and on one and on seven threads. A case that never returns fails.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <random>
#include <sstream>

#include "tests/unit/watchdog.h"

namespace gp = gpuopt;
using Shape = std::vector<int64_t>;
using Binary = std::function<double(double, double)>;

namespace {

// The oracle: an array in C order, and the operations on it as loops over its elements.
struct Plain {
  Shape shape;
  std::vector<double> values;
};

int64_t size_of(const Shape &shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

// The index along each axis of the element at `position` in C order.
Shape unravel(const Shape &shape, int64_t position) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d]) index[d] = position % shape[d];
  return index;
}

// The element of x at an index of a shape that x broadcasts to.
double element(const Plain &x, const Shape &index) {
  const size_t missing = index.size() - x.shape.size();
  int64_t position = 0;
  for (size_t d = 0; d < x.shape.size(); d++)
    position = position * x.shape[d] + (x.shape[d] == 1 ? 0 : index[d + missing]);
  return x.values[static_cast<size_t>(position)];
}

Plain broadcast(const Plain &x, const Shape &shape) {
  Plain y{shape, {}};
  for (int64_t i = 0; i < size_of(shape); i++) y.values.push_back(element(x, unravel(shape, i)));
  return y;
}

Plain combine(const Plain &a, const Plain &b, const Binary &op) {
  Shape shape = a.shape.size() > b.shape.size() ? a.shape : b.shape;
  const auto widen = [&](const Shape &other) {
    const size_t missing = shape.size() - other.size();
    for (size_t d = 0; d < other.size(); d++) shape[d + missing] = std::max(shape[d + missing], other[d]);
  };
  widen(a.shape), widen(b.shape);
  Plain y{shape, {}};
  for (int64_t i = 0; i < size_of(shape); i++) {
    const Shape index = unravel(shape, i);
    y.values.push_back(op(element(a, index), element(b, index)));
  }
  return y;
}

// Reduces the axes whose bit is set; they stay, of extent 1.
Plain reduce(const Plain &x, unsigned axes, const Binary &op) {
  Shape shape = x.shape;
  for (size_t d = 0; d < shape.size(); d++) shape[d] = axes >> d & 1 ? 1 : shape[d];
  Plain y{shape, std::vector<double>(static_cast<size_t>(size_of(shape)))};
  std::vector<bool> begun(y.values.size());
  for (int64_t i = 0; i < size_of(x.shape); i++) {
    const Shape index = unravel(x.shape, i);
    int64_t to = 0;
    for (size_t d = 0; d < shape.size(); d++) to = to * shape[d] + (shape[d] == 1 ? 0 : index[d]);
    const auto k = static_cast<size_t>(to);
    const double value = x.values[static_cast<size_t>(i)];
    y.values[k] = begun[k] ? op(y.values[k], value) : value;
    begun[k] = true;
  }
  return y;
}

Plain running_sum(Plain x, size_t axis) {
  int64_t stride = 1;
  for (size_t d = axis + 1; d < x.shape.size(); d++) stride *= x.shape[d];
  for (int64_t i = 0; i < size_of(x.shape); i++) {
    if (unravel(x.shape, i)[axis] > 0) x.values[static_cast<size_t>(i)] += x.values[static_cast<size_t>(i - stride)];
  }
  return x;
}

const Binary kAdd = [](double a, double b) { return a + b; };
const Binary kMultiply = [](double a, double b) { return a * b; };
const Binary kLeast = [](double a, double b) { return std::min(a, b); };
const Binary kGreatest = [](double a, double b) { return std::max(a, b); };

gp::array device_array(const Plain &x) { return gp::array(x.values.data(), gp::dims(x.shape)); }

std::string text(const Shape &shape) {
  std::ostringstream out;
  out << gp::dims(shape);
  return out.str();
}

// Reduced axes are kept in the oracle, and dropped by gpuopt: only the elements are compared.
void expect_same(const gp::array &got, const Plain &want, const std::string &what) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), want.values.size()) << what;
  for (size_t i = 0; i < values.size(); i++) {
    if (std::isnan(values[i]) && std::isnan(want.values[i])) continue;
    ASSERT_EQ(values[i], want.values[i]) << what << ", element " << i;
  }
}

class Walks : public testing::Test {
 protected:
  std::mt19937 random_{20261123};
  Watchdog watchdog_;

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool one_in(int64_t n) { return below(n) == 0; }

  Plain numbers(const Shape &shape) {
    Plain x{shape, {}};
    for (int64_t i = 0; i < size_of(shape); i++) x.values.push_back(static_cast<double>(below(6) - 2));
    return x;
  }

  // Awkward ones above all; now and then one that needs several tiles.
  int64_t extent() {
    static constexpr int64_t kExtents[] = {1, 2, 3, 5, 6, 7, 9, 13};
    return one_in(12) ? 33 + below(300) : kExtents[below(8)];
  }

  Shape shape() {
    Shape shape(static_cast<size_t>(1 + below(4)));
    do {
      for (int64_t &e : shape) e = extent();
    } while (size_of(shape) > 60000);
    return shape;
  }

  // A shape that broadcasts to `whole`: some axes are 1, and leading ones may be missing.
  Shape part_of(const Shape &whole) {
    Shape part = whole;
    for (int64_t &e : part) e = one_in(3) ? 1 : e;
    while (part.size() > 1 && part[0] == 1 && one_in(2)) part.erase(part.begin());
    return part;
  }

  // The same elements, lying in one of several ways.
  gp::array laid_out(const Plain &x) {
    switch (below(4)) {
      case 0:
        return transposed(x);
      case 1:
        return reversed(x);
      default:
        return device_array(x);
    }
  }

  static gp::array transposed(const Plain &x) {
    Plain turned{Shape(x.shape.rbegin(), x.shape.rend()), {}};
    for (int64_t i = 0; i < size_of(turned.shape); i++) {
      const Shape index = unravel(turned.shape, i);
      turned.values.push_back(element(x, Shape(index.rbegin(), index.rend())));
    }
    return device_array(turned).transpose();
  }

  gp::array reversed(const Plain &x) {
    const auto axis = static_cast<size_t>(below(static_cast<int64_t>(x.shape.size())));
    Plain backwards = x;
    for (size_t i = 0; i < x.values.size(); i++) {
      Shape index = unravel(x.shape, static_cast<int64_t>(i));
      index[axis] = x.shape[axis] - 1 - index[axis];
      backwards.values[i] = element(x, index);
    }
    return gp::flip(device_array(backwards), static_cast<int64_t>(axis));
  }

  struct Both {
    gp::array array;
    Plain plain;
    std::string name;
  };

  Both operand(const Shape &whole) {
    const Plain x = numbers(part_of(whole));
    Both both{laid_out(x), x, text(x.shape)};
    if (!one_in(4)) return both;
    both.array = gp::broadcast_to(both.array, gp::dims(whole));
    both.plain = broadcast(x, whole);
    both.name += " broadcast";
    return both;
  }

  // An elementwise expression of one to three operands of the shape `whole`.
  Both expression(const Shape &whole) {
    Both x = operand(whole);
    for (int64_t n = below(3); n > 0; n--) {
      const Both y = operand(whole);
      const bool sums = one_in(2);
      const Binary op = sums ? kAdd : kMultiply;
      x = {sums ? x.array + y.array : x.array * y.array, combine(x.plain, y.plain, op),
           x.name + (sums ? " + " : " * ") + y.name};
    }
    x.array = gp::broadcast_to(x.array, gp::dims(whole));
    x.plain = broadcast(x.plain, whole);
    return x;
  }

  void reduce_some(const Both &x) {
    const auto axes = static_cast<unsigned>(1 + below((1 << x.plain.shape.size()) - 1));
    std::vector<int64_t> list;
    for (int64_t d = 0; d < static_cast<int64_t>(x.plain.shape.size()); d++) {
      if (axes >> d & 1) list.push_back(d);
    }
    const gp::dims over(list);
    const std::string what = "of " + x.name + " over " + text(list);
    watchdog_.begin(what);
    expect_same(gp::sum(x.array, over), reduce(x.plain, axes, kAdd), "sum " + what);
    expect_same(gp::min(x.array, over), reduce(x.plain, axes, kLeast), "min " + what);
    expect_same(x.array + gp::max(x.array, gp::axes(over).keepdims()),
                combine(x.plain, reduce(x.plain, axes, kGreatest), kAdd), "x + max " + what);
  }

  void scan_some(const Both &x) {
    const int64_t axis = below(static_cast<int64_t>(x.plain.shape.size()));
    const std::string what = "running sum of " + x.name + " along " + std::to_string(axis);
    watchdog_.begin(what);
    const Plain sums = running_sum(x.plain, static_cast<size_t>(axis));
    expect_same(gp::cumulative_sum(x.array, axis), sums, what);
    const Both y = operand(x.plain.shape);
    expect_same(gp::cumulative_sum(x.array, axis) * y.array, combine(sums, y.plain, kMultiply), what + " * " + y.name);
  }
};

}  // namespace

TEST_F(Walks, SumOfTwoOperandsConstantAlongDifferentAxes) {
  watchdog_.begin("sum(ones(1, 2, 1) + ones(3, 1, 2), 0)");
  const std::vector<double> ones(6, 1.0);  // in memory: gp::ones() may be recorded as a constant
  const gp::array x = gp::array(ones.data(), {1, 2, 1}) + gp::array(ones.data(), {3, 1, 2});
  EXPECT_EQ(gp::sum(x, 0).to_vector<double>(), std::vector<double>(4, 6.0));
  EXPECT_EQ(gp::sum(gp::ones({1, 2, 1}) + gp::ones({3, 1, 2}), 0).to_vector<double>(), std::vector<double>(4, 6.0));
}

TEST_F(Walks, SumOfAProductWithAnOperandConstantAlongTheReducedAxis) {
  watchdog_.begin("sum((4, 5, 6) * (4, 1, 1), 1)");
  const Plain x = numbers({4, 5, 6}), y = numbers({4, 1, 1});
  expect_same(gp::sum(device_array(x) * device_array(y), 1), reduce(combine(x, y, kMultiply), 2, kAdd), "sum");
}

TEST_F(Walks, RunningSumDividedByASum) {
  watchdog_.begin("cumulative_sum(x(4, 5, 6, 7), -1) / sum(x, (1, 2, 3), keepdims)");
  Plain x = numbers({4, 5, 6, 7});
  for (double &v : x.values) v += 3;  // no sum is zero
  const gp::array a = device_array(x),
                  quotient = gp::cumulative_sum(a, -1) / gp::sum(a, gp::axes({1, 2, 3}).keepdims());
  expect_same(quotient, combine(running_sum(x, 3), reduce(x, 14, kAdd), [](double p, double q) { return p / q; }),
              "it");
}

TEST_F(Walks, SumOfABroadcastVector) {
  watchdog_.begin("sum(broadcast_to(ones(13), (3, 4, 13)), 0)");
  const gp::array x = gp::broadcast_to(gp::array(std::vector<double>(13, 1.0)), {3, 4, 13});
  EXPECT_EQ(gp::sum(x, 0).to_vector<double>(), std::vector<double>(52, 3.0));
}

TEST_F(Walks, RandomReductionsAndScans) {
  for (int round = 0; round < 3000 / GPUOPT_TEST_SHARE && !HasFatalFailure(); round++) {
    SCOPED_TRACE("round " + std::to_string(round));
    const Both x = expression(shape());
    reduce_some(x);
    scan_some(x);
  }
}
