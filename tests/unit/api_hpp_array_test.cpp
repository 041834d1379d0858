// tests/unit/api_hpp_array_test.cpp -- gpuopt.hpp: arrays as values: making, looking, indexing, writing, printing.
#include <gtest/gtest.h>

#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <sstream>

namespace gp = gpuopt;
using gp::array;
using gp::dims;

// The elements as doubles, whatever the dtype.
static std::vector<double> values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
using V = std::vector<double>;

// The code of the error that `body` throws; GPUOPT_OK if none.
template <class Body>
static gpuopt_status code_of(Body body) {
  try {
    body();
    return GPUOPT_OK;
  } catch (const gp::error &e) {
    EXPECT_STRNE(e.what(), "");
    return e.code();
  }
}

static std::string str(const array &x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(Braces, TakeTheirShapeFromTheNesting) {
  EXPECT_EQ(array({1, 2, 3}).shape(), (dims{3}));
  EXPECT_EQ(array({{1, 2}, {3, 4}, {5, 6}}).shape(), (dims{3, 2}));
  EXPECT_EQ(array({{{1}, {2}}, {{3}, {4}}}).shape(), (dims{2, 2, 1}));
  EXPECT_EQ(array({{1, 2}}).shape(), (dims{1, 2}));
  EXPECT_EQ(array({{1}}).shape(), (dims{1, 1}));
  EXPECT_EQ(array({5}).shape(), (dims{1}));
  EXPECT_EQ(array(std::initializer_list<gp::detail::nested>{}).shape(), (dims{0}));
  const array listed{1, 2, 3};
  EXPECT_EQ(listed.shape(), (dims{3}));
  EXPECT_EQ(values(array({{1, 2}, {3, 4}})), (V{1, 2, 3, 4}));
  EXPECT_EQ(code_of([] { array({{1, 2}, {3}}); }), GPUOPT_ERR_SHAPE);
}

TEST(Braces, TakeTheirDtypeAsNumPyDoes) {
  EXPECT_EQ(array({true, false}).dtype(), gp::bool_);
  EXPECT_EQ(array({1, 2}).dtype(), gp::int64);
  EXPECT_EQ(array({true, 2}).dtype(), gp::int64);
  EXPECT_EQ(array({1u, 2u}).dtype(), gp::uint64);
  EXPECT_EQ(array({1, 2.5}).dtype(), gp::float64);
  EXPECT_EQ(array({1.0f, 2.5f}).dtype(), gp::float32);
  EXPECT_EQ(array({1.0f, 2.5}).dtype(), gp::float64);
  EXPECT_EQ(array({1.0, std::complex<double>(0, 1)}).dtype(), gp::complex128);
  EXPECT_EQ(array({1, 2}, gp::float16).dtype(), gp::float16);
  EXPECT_EQ(values(array({1, 2}, gp::bfloat16)), (V{1, 2}));
  EXPECT_EQ(array({-128, 127}, gp::int8).to_vector<int8_t>(), (std::vector<int8_t>{-128, 127}));
  EXPECT_EQ(array({UINT64_MAX}).to_vector<uint64_t>(), (std::vector<uint64_t>{UINT64_MAX}));
  EXPECT_EQ(array({0, 3}, gp::bool_).to_vector<bool>(), (std::vector<bool>{false, true}));
}

TEST(Braces, RefuseWhatTheDtypeCannotHold) {
  EXPECT_EQ(code_of([] { array({128}, gp::int8); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([] { array({-1}, gp::uint32); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([] { array({1.5}, gp::int32); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([] { array({NAN}, gp::int64); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([] { array({9223372036854775808.0}, gp::int64); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([] { array({std::complex<double>(0, 1)}, gp::float64); }), GPUOPT_ERR_TYPE);
}

TEST(Memory, GoesInAndOut) {
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(array(numbers).dtype(), gp::float32);
  EXPECT_EQ(array(numbers).to_vector<float>(), numbers);
  const array matrix(numbers.data(), {2, 3});
  EXPECT_EQ(matrix.shape(), (dims{2, 3}));
  EXPECT_EQ(matrix.transpose().to_vector<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(code_of([&] { matrix.to_vector<double>(); }), GPUOPT_ERR_TYPE);
  EXPECT_EQ(array(std::vector<int>{1}).dtype(), gp::int32);
  EXPECT_EQ(array(std::vector<long>{1}).dtype(), sizeof(long) == 8 ? gp::int64 : gp::int32);
  EXPECT_EQ(array(std::vector<long long>{1}).dtype(), gp::int64);
}

TEST(Memory, IsAdoptedWithoutACopy) {
  std::vector<double> numbers{1, 2, 3};
  double *const address = numbers.data();
  const array x = gp::adopt(std::move(numbers), gp::device("cpu"));
  EXPECT_EQ(x.data<double>(), address);
  x.assign(7);
  EXPECT_EQ(x.to_vector<double>(), (V{7, 7, 7}));
  EXPECT_EQ(code_of([&] { x.data<float>(); }), GPUOPT_ERR_TYPE);
}

TEST(Array, KnowsItsFacts) {
  const array x = gp::zeros({2, 3, 4}, gp::int16);
  EXPECT_EQ(x.ndim(), 3);
  EXPECT_EQ(x.size(), 24);
  EXPECT_EQ(x.nbytes(), 48);
  EXPECT_EQ(x.shape(1), 3);
  EXPECT_EQ(x.shape(-1), 4);
  EXPECT_EQ(code_of([&] { (void)x.shape(3); }), GPUOPT_ERR_INDEX);
  EXPECT_EQ(x.strides(), (dims{24, 8, 2}));
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_FALSE(x.transpose().is_contiguous());
  EXPECT_TRUE(gp::broadcast_to(x, {5, 2, 3, 4}).is_read_only());
  EXPECT_EQ(x.device(), gp::device());
  int64_t product = 1;
  for (int64_t n : x.shape()) product *= n;
  EXPECT_EQ(product, 24);
}

TEST(Array, CopiesAreReferences) {
  array x({1, 2, 3});
  array y = x, z;
  z = x;
  const array separate = x.copy();
  x += 1;
  EXPECT_EQ(values(y), (V{2, 3, 4}));
  EXPECT_EQ(values(z), (V{2, 3, 4}));
  EXPECT_EQ(values(separate), (V{1, 2, 3}));
  y = separate;  // the variable refers to another array; x is untouched
  EXPECT_EQ(values(x), (V{2, 3, 4}));
  const array moved = std::move(x);
  EXPECT_TRUE(x.empty());  // NOLINT: that is what is tested
  EXPECT_EQ(values(moved), (V{2, 3, 4}));
}

TEST(Array, EmptyOnesFailWithAMessage) {
  const array nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(code_of([&] { (void)nothing.shape(); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([&] { (void)(nothing + 1); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([&] { (void)gp::sum(nothing); }), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Subscripts, AreViews) {
  const array x = gp::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(values(x[1][2][3]), (V{23}));
  EXPECT_EQ(values(x(1, 2, 3)), (V{23}));
  EXPECT_EQ(values(x(-1, gp::all, 0)), (V{12, 16, 20}));
  EXPECT_EQ(values(x[{0, 1, gp::slice(1, 4, 2)}]), (V{5, 7}));
  EXPECT_EQ(values(x(0, 0, gp::slice(gp::none, gp::none, -1))), (V{3, 2, 1, 0}));
  EXPECT_EQ(values(x(0, 0, gp::slice(2))), (V{0, 1}));
  EXPECT_EQ(values(x(0, 0, gp::slice(-2, gp::none))), (V{2, 3}));
  EXPECT_EQ(x(gp::ellipsis, 0).shape(), (dims{2, 3}));
  EXPECT_EQ(x(gp::newaxis, 0).shape(), (dims{1, 3, 4}));
  EXPECT_EQ((x[{gp::slice(1, 5, 2), gp::all, 0, gp::newaxis, gp::ellipsis}].shape()), (dims{1, 3, 1}));
  EXPECT_EQ(x[{0}].shape(), (dims{3, 4}));
  EXPECT_EQ(code_of([&] { (void)x[2]; }), GPUOPT_ERR_INDEX);
  const size_t row = 1;
  x(row, 0, 0) += 100;
  EXPECT_EQ(x.item<int>({1, 0, 0}), 112);
}

TEST(Subscripts, AssignmentsWriteElements) {
  array x = gp::zeros({3, 4}, gp::int32);
  const array view = x;
  x[0] = 5;
  x(1, gp::slice(1, 3)) = array({7, 8});
  x(gp::all, 3) = x(gp::all, 0);
  x(2) += 2;
  x(2, 0) *= 10;
  EXPECT_EQ(values(view), (V{5, 5, 5, 5, 0, 7, 8, 0, 20, 2, 2, 2}));
  x(gp::ellipsis) = gp::ones(4);  // broadcast and cast
  EXPECT_EQ(values(view), V(12, 1.0));
  EXPECT_EQ(code_of([&] { x[0] = gp::ones(5); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(code_of([&] { gp::broadcast_to(x, {2, 3, 4})(0) = 1; }), GPUOPT_ERR_READ_ONLY);
}

TEST(Selections, ReadAndWriteByMask) {
  array x({1.0, NAN, 3.0, NAN});
  x[gp::isnan(x)] = 0;
  EXPECT_EQ(values(x), (V{1, 0, 3, 0}));
  const array above = x[x > 0];
  EXPECT_EQ(values(above), (V{1, 3}));
  x[x > 0] = array({10, 30});
  x[x == 30] += 0.5;
  x[x == 10] -= 1;
  EXPECT_EQ(values(x), (V{9, 0, 30.5, 0}));
  EXPECT_EQ(values(x[x > 0] * 2), (V{18, 61}));
  EXPECT_EQ(gp::sum(x[x > 0]).item<double>(), 39.5);
  EXPECT_EQ(code_of([&] { (void)array(x[array({true, false})]); }), GPUOPT_ERR_INDEX);
}

TEST(Selections, ReadAndWriteByIndices) {
  array x({10, 20, 30, 40});
  const array last_and_first({-1, 0});
  EXPECT_EQ(values(x[last_and_first]), (V{40, 10}));
  x[last_and_first] = 0;
  EXPECT_EQ(values(x), (V{0, 20, 30, 0}));
  array y({1, 2, 3, 4});
  y[array({0, 1})] = y[array({2, 3})];  // one selection into another
  EXPECT_EQ(values(y), (V{3, 4, 3, 4}));
  y[array({0})] *= 5;
  EXPECT_EQ(values(y), (V{15, 4, 3, 4}));
  EXPECT_EQ(code_of([&] { (void)array(x[array({4})]); }), GPUOPT_ERR_INDEX);
}

TEST(Item, ConvertsOnlyWithoutLoss) {
  const array x({{1.0, 2.5}, {-3.0, 1e300}});
  EXPECT_EQ(x.item<double>({0, 1}), 2.5);
  EXPECT_EQ(x.item<float>({-1, 0}), -3.0f);
  EXPECT_EQ(x.item<int>({0, 0}), 1);
  EXPECT_EQ(x.item<std::complex<double>>({0, 1}), std::complex<double>(2.5, 0));
  EXPECT_EQ(code_of([&] { (void)x.item<int>({0, 1}); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([&] { (void)x.item<unsigned>({1, 0}); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([&] { (void)x.item<int64_t>({1, 1}); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([&] { (void)x.item<double>({2, 0}); }), GPUOPT_ERR_INDEX);
  EXPECT_EQ(code_of([&] { (void)x.item<double>(); }), GPUOPT_ERR_INDEX);
  EXPECT_EQ(array({{{7}}}).item<int8_t>(), 7);
  EXPECT_EQ(code_of([&] { (void)array({200}).item<int8_t>(); }), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(code_of([&] { (void)array({std::complex<double>(1, 0)}).item<double>(); }), GPUOPT_ERR_TYPE);
  EXPECT_TRUE(array({2}).item<bool>());
  x.set_item({0, 0}, 9);
  EXPECT_EQ(x.item<double>({0, 0}), 9);
}

TEST(Printing, IsNumPys) {
  EXPECT_EQ(str(array({{1.0, NAN}, {0.5, -2.0}})), "[[ 1.   nan]\n [ 0.5 -2. ]]");
  EXPECT_EQ(array({5, 7, 9}).str(true), "array([5, 7, 9])");
  EXPECT_EQ(array({1.0f}).str(true), "array([1.], dtype=float32)");
  std::ostringstream out;
  out << gp::float32 << ' ' << gp::default_dtype << ' ' << dims{2, 3} << dims{4} << dims{};
  EXPECT_EQ(out.str(), "float32 default (2, 3)(4,)()");
  array x({1, 2});
  EXPECT_EQ(str(x << 2), "[4 8]");  // << between arrays and numbers shifts
}

TEST(Dims, TakeAnyIntegersAndAtMost64) {
  const size_t n = 2;
  const int m = 3;
  EXPECT_EQ(gp::zeros({n, m}).shape(), (dims{2, 3}));
  EXPECT_EQ(gp::zeros(n).shape(), (dims{2}));
  EXPECT_EQ(gp::zeros(dims{}).shape(), dims{});
  EXPECT_EQ(dims(std::vector<int>{4, 5}), (dims{4, 5}));
  EXPECT_NE((dims{4, 5}), (dims{4}));
  EXPECT_NE((dims{4, 5}), (dims{4, 6}));
  EXPECT_EQ(code_of([] { dims(std::vector<int>(65, 1)); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gp::ones(dims(std::vector<int>(64, 1))).ndim(), 64);
}
