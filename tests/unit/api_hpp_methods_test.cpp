// tests/unit/api_hpp_methods_test.cpp -- gpuopt.hpp: functions as methods, rows in a loop, numbers that are assigned,
// and arrays from and to the containers and views of C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <gpuopt/gpuopt.hpp>
#include <iterator>
#include <numeric>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

namespace {

V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
array counted() { return gp::arange(6, gp::float64).reshape({2, 3}).copy(); }  // 0 1 2 / 3 4 5

template <class Call>
gpuopt_status code_of(const Call &call) {
  try {
    call();
    return GPUOPT_OK;
  } catch (const gp::error &e) {
    return e.code();
  }
}

// A strided view with the members of std::mdspan that conversions need, of two dimensions.
template <class T>
struct View {
  using element_type = T;
  T *first;
  std::array<size_t, 2> sizes;
  std::array<ptrdiff_t, 2> steps;
  static constexpr size_t rank() { return 2; }
  size_t extent(size_t k) const { return sizes[k]; }
  ptrdiff_t stride(size_t k) const { return steps[k]; }
  T *data_handle() const { return first; }
};

// One of no dimensions, whose strides cannot be asked for, as std::mdspan has it.
struct PointView {
  using element_type = double;
  double *first;
  static constexpr size_t rank() { return 0; }
  size_t extent(size_t) const { return 1; }
  template <class Index>
  ptrdiff_t stride(Index) const {
    static_assert(sizeof(Index) == 0 && rank() > 0, "there are no strides");
    return 0;
  }
  double *data_handle() const { return first; }
};

}  // namespace

TEST(HppMethods, AreTheFunctions) {
  const array x = counted();
  EXPECT_EQ(x.sum().item<double>(), 15);
  EXPECT_EQ(values(x.sum(0)), (V{3, 5, 7}));
  EXPECT_EQ(x.sum(gp::axes(1).keepdims()).shape(), (gp::dims{2, 1}));
  EXPECT_EQ(x.prod().item<double>(), 0);
  EXPECT_EQ(x.mean().item<double>(), 2.5);
  EXPECT_EQ(values(x.var(1)), (V{2.0 / 3, 2.0 / 3}));
  EXPECT_EQ(values(x.std(1)), values(gp::sqrt(x.var(1))));
  EXPECT_EQ(values(x.min(1)), (V{0, 3}));
  EXPECT_EQ(values(x.max(0)), (V{3, 4, 5}));
  EXPECT_EQ(x.argmax().item<int64_t>(), 5);
  EXPECT_EQ(values(x.argmin(1)), (V{0, 0}));
  EXPECT_TRUE(x.any().item<bool>());
  EXPECT_FALSE(x.all().item<bool>());
  EXPECT_EQ(values(x.cumsum(1)), (V{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(values(x.cumprod(0)), (V{0, 1, 2, 0, 4, 10}));
  EXPECT_EQ(values(x.clip(1, 4)), (V{1, 1, 2, 3, 4, 4}));
  EXPECT_EQ(values((x / 2).round()), (V{0, 0, 1, 2, 2, 2})) << "halves to even";
  EXPECT_EQ(values(x.dot(x.T())), (V{5, 14, 14, 50}));
  EXPECT_EQ(x.itemsize(), 8u);
}

TEST(HppMethods, OfAxesAndElements) {
  const array x = counted();
  EXPECT_EQ(x.T().shape(), (gp::dims{3, 2}));
  EXPECT_EQ(values(x.T()), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(x.transpose()), values(x.T()));
  EXPECT_EQ(values(x.transpose({1, 0})), values(x.T()));
  EXPECT_EQ(code_of([&] { (void)x.transpose({0}); }), GPUOPT_ERR_INVALID_ARGUMENT);
  const array stack = gp::arange(12, gp::float64).reshape({2, 2, 3});
  EXPECT_EQ(stack.mT().shape(), (gp::dims{2, 3, 2}));
  EXPECT_EQ(stack.T().shape(), (gp::dims{3, 2, 2}));
  EXPECT_EQ(code_of([&] { (void)x.ravel().mT(); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(values(x.diagonal()), (V{0, 4}));
  EXPECT_EQ(x.trace().item<double>(), 4);
  EXPECT_EQ(x.reshape({1, 6}).squeeze().ndim(), 1);
  EXPECT_EQ(values(x.swapaxes(0, 1)), values(x.T()));
  EXPECT_EQ(values(x.repeat(2, 0)), (V{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(values(x.take(array({1}), 1)), (V{1, 4}));
  EXPECT_EQ(x.nonzero().size(), 2u);
  const std::vector<array> places = gp::where(x > 3);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(values(places[0]), (V{1, 1}));
  EXPECT_EQ(values(places[1]), (V{1, 2}));
  EXPECT_EQ(values(x.flatten()), (V{0, 1, 2, 3, 4, 5}));
  x.flatten().fill(7);
  EXPECT_EQ(values(x), (V{0, 1, 2, 3, 4, 5})) << "flatten copies";
}

TEST(HppMethods, ThatWorkInPlace) {
  const array x = array({3, 1, 2}).astype(gp::float64);
  EXPECT_EQ(values(x.argsort()), (V{1, 2, 0}));
  x.sort();
  EXPECT_EQ(values(x), (V{1, 2, 3}));
  EXPECT_EQ(x.searchsorted(2).item<int64_t>(), 1);
  x.put(array({0}), 9);
  EXPECT_EQ(values(x), (V{9, 2, 3}));
  x.partition(0);
  EXPECT_EQ(x.item<double>({0}), 2);
  x.fill(4);
  EXPECT_EQ(values(x), (V{4, 4, 4}));
}

TEST(HppAssignment, ANumberWritesTheElementsOfAVariable) {
  array x = counted();
  auto r = x[0];
  r = 5;
  EXPECT_EQ(values(x), (V{5, 5, 5, 3, 4, 5}));
  const array other = gp::zeros({3});
  r = other;  // another array: r refers to it now
  r = 1;
  EXPECT_EQ(values(other), (V{1, 1, 1}));
  EXPECT_EQ(values(x), (V{5, 5, 5, 3, 4, 5}));
  array alias = x;
  alias = 2;
  EXPECT_EQ(values(x), (V{2, 2, 2, 2, 2, 2})) << "a copy of a handle refers to the same elements";
  array none;
  EXPECT_EQ(code_of([&] { none = 5; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([&] { x = std::complex<double>(0, 1); }), GPUOPT_ERR_TYPE);
}

TEST(HppRows, AreViewsInOrder) {
  const array x = counted();
  V sums;
  for (const auto &row : x) sums.push_back(row.sum().item<double>());
  EXPECT_EQ(sums, (V{3, 12}));
  for (auto row : x) row = row.item<double>({0});
  EXPECT_EQ(values(x), (V{0, 0, 0, 3, 3, 3}));
  for (auto row : x) row += 1;
  EXPECT_EQ(values(x), (V{1, 1, 1, 4, 4, 4}));
  V twice;
  for (auto number : (x + x)[1]) twice.push_back(number.item<double>());
  EXPECT_EQ(twice, (V{8, 8, 8})) << "a temporary lives as long as the loop";
}

TEST(HppRows, AreCountedAndCompared) {
  const array x = counted();
  EXPECT_EQ(std::distance(x.begin(), x.end()), 2);
  EXPECT_EQ(x.end() - x.begin(), 2);
  EXPECT_EQ(values(x.begin()[1]), (V{3, 4, 5}));
  EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](const array &row) { return row.sum().item<double>() == 12; }));
  const std::vector<array> rows(x.begin(), x.end());
  EXPECT_EQ(values(gp::stack(rows)), values(x));
  auto at = x.begin();
  EXPECT_EQ(values(*at++), (V{0, 1, 2}));
  EXPECT_EQ(values(*at), (V{3, 4, 5}));
  int count = 0;
  for (auto row : gp::zeros({0, 3})) count += row.ndim();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(code_of([&] { (void)x.sum().begin(); }), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(HppContainers, BecomeArrays) {
  const std::array<float, 3> three{1, 2, 3};
  const array x(three);
  EXPECT_EQ(x.dtype(), gp::float32);
  EXPECT_EQ(values(x), (V{1, 2, 3}));
  const std::vector<std::vector<int>> rows{{1, 2}, {3, 4}, {5, 6}};
  const array y(rows);
  EXPECT_EQ(y.dtype(), gp::dtype_of<int>);
  EXPECT_EQ(y.shape(), (gp::dims{3, 2}));
  EXPECT_EQ(values(y), (V{1, 2, 3, 4, 5, 6}));
  const std::array<std::array<std::array<double, 2>, 1>, 2> cube{{{{{1, 2}}}, {{{3, 4}}}}};
  EXPECT_EQ(array(cube).shape(), (gp::dims{2, 1, 2}));
  const array bits(std::vector<bool>{true, false, true});
  EXPECT_EQ(bits.dtype(), gp::bool_);
  EXPECT_EQ(values(bits), (V{1, 0, 1}));
  EXPECT_EQ(array(std::vector<std::vector<bool>>{{true}, {false}}).shape(), (gp::dims{2, 1}));
  EXPECT_EQ(array(std::vector<std::vector<double>>{}).shape(), (gp::dims{0, 0}));
  const std::vector<std::vector<int>> ragged{{1, 2}, {3}};
  EXPECT_EQ(code_of([&] { (void)array(ragged); }), GPUOPT_ERR_SHAPE);
}

TEST(HppContainers, AreFilled) {
  const array x = counted();
  std::array<double, 6> all{};
  gp::copy_to(x.T(), all);
  EXPECT_EQ(all, (std::array<double, 6>{0, 3, 1, 4, 2, 5}));
  std::array<double, 5> few{};
  EXPECT_EQ(code_of([&] { gp::copy_to(x, few); }), GPUOPT_ERR_SHAPE);
  std::array<float, 6> other{};
  EXPECT_EQ(code_of([&] { gp::copy_to(x, other); }), GPUOPT_ERR_TYPE);
}

TEST(HppViews, OfOtherLibrariesComeAndGo) {
  V memory(12);
  std::iota(memory.begin(), memory.end(), 0.0);
  const View<const double> columns{memory.data(), {3, 4}, {1, 3}};  // Fortran order
  const array x(columns);
  EXPECT_EQ(x.shape(), (gp::dims{3, 4}));
  EXPECT_EQ(values(x[0]), (V{0, 3, 6, 9}));
  memory[0] = 100;
  EXPECT_EQ(x.item<double>({0, 0}), 0) << "it is a copy";
  const View<double> backwards{memory.data() + 11, {4, 3}, {-3, -1}};
  EXPECT_EQ(values(array(backwards)[0]), (V{11, 10, 9}));
  V target(24, -1);
  gp::copy_to(x, View<double>{target.data(), {3, 4}, {8, 2}});  // every second element
  EXPECT_EQ(V(target.begin(), target.begin() + 8), (V{0, -1, 3, -1, 6, -1, 9, -1}));
  EXPECT_EQ(code_of([&] { gp::copy_to(x, View<double>{target.data(), {4, 3}, {3, 1}}); }), GPUOPT_ERR_SHAPE);
  std::vector<float> floats(12);
  EXPECT_EQ(code_of([&] { gp::copy_to(x, View<float>{floats.data(), {3, 4}, {4, 1}}); }), GPUOPT_ERR_TYPE);
  EXPECT_EQ(array(View<double>{nullptr, {0, 4}, {4, 1}}).shape(), (gp::dims{0, 4}));
  double number = 2.5;
  const array point(PointView{&number});
  EXPECT_EQ(point.ndim(), 0);
  gp::copy_to(point * 2, PointView{&number});
  EXPECT_EQ(number, 5);
}

#if defined(__cpp_lib_span)
TEST(HppSpans, ComeAndGo) {
  V memory{1, 2, 3, 4};
  const std::span<const double> middle(memory.data() + 1, 2);
  const array x(middle);
  EXPECT_EQ(values(x), (V{2, 3}));
  gp::copy_to(x, std::span(memory).first<2>());
  EXPECT_EQ(memory, (V{2, 3, 3, 4}));
  EXPECT_EQ(code_of([&] { gp::copy_to(x, std::span(memory)); }), GPUOPT_ERR_SHAPE);
  const std::span<double> own = gp::as_span<double>(x);
  own[1] = 7;
  EXPECT_EQ(values(x), (V{2, 7}));
  EXPECT_EQ(code_of([&] { (void)gp::as_span<double>(counted().T()); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([&] { (void)gp::as_span<float>(x); }), GPUOPT_ERR_TYPE);
}
#endif
