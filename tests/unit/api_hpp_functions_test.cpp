// tests/unit/api_hpp_functions_test.cpp -- gpuopt.hpp: creation, views, types, files and random numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;
using gp::dims;

static std::vector<double> values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
using V = std::vector<double>;

TEST(Creation, FillsAndRanges) {
  EXPECT_EQ(gp::empty({2, 0}).size(), 0);
  EXPECT_EQ(values(gp::ones(2)), (V{1, 1}));
  EXPECT_EQ(gp::zeros(2).dtype(), gp::float64);
  EXPECT_EQ(gp::full(2, 3).dtype(), gp::int64);
  EXPECT_EQ(values(gp::full(2, 3.5, gp::float32)), (V{3.5, 3.5}));
  EXPECT_EQ(values(gp::arange(3)), (V{0, 1, 2}));
  EXPECT_EQ(gp::arange(3).dtype(), gp::int64);
  EXPECT_EQ(values(gp::arange(5, 0, -2)), (V{5, 3, 1}));
  EXPECT_EQ(gp::arange(2, gp::float32).dtype(), gp::float32);
  EXPECT_EQ(values(gp::linspace(0, 1, 3)), (V{0, 0.5, 1}));
  EXPECT_EQ(values(gp::linspace(0, 1, 2, false)), (V{0, 0.5}));
  EXPECT_EQ(values(gp::eye(2)), (V{1, 0, 0, 1}));
  EXPECT_EQ(values(gp::eye(2, 3, 1)), (V{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values(gp::tri(2)), (V{1, 0, 1, 1}));
  const array x({{1, 2}, {3, 4}});
  EXPECT_EQ(values(gp::tril(x)), (V{1, 0, 3, 4}));
  EXPECT_EQ(values(gp::triu(x, 1)), (V{0, 2, 0, 0}));
  EXPECT_EQ(gp::zeros_like(x).dtype(), gp::int64);
  EXPECT_EQ(gp::ones_like(x, gp::float16).dtype(), gp::float16);
  EXPECT_EQ(values(gp::full_like(x, 6)), (V{6, 6, 6, 6}));
  EXPECT_EQ(gp::empty_like(x).shape(), (dims{2, 2}));
}

TEST(Views, AndCopies) {
  const array x = gp::arange(6).reshape({2, -1});
  EXPECT_EQ(x.shape(), (dims{2, 3}));
  EXPECT_EQ(values(gp::permute_dims(x, {1, 0})), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(gp::matrix_transpose(x).shape(), (dims{3, 2}));
  EXPECT_EQ(gp::expand_dims(x, -1).shape(), (dims{2, 3, 1}));
  EXPECT_EQ(gp::squeeze(gp::expand_dims(x, 0)).shape(), (dims{2, 3}));
  EXPECT_EQ(values(gp::flip(x, 1)), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values(gp::flip(x)), (V{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(x.ravel().shape(), (dims{6}));
  EXPECT_EQ(gp::broadcast_to(gp::arange(3), {2, 3}).shape(), (dims{2, 3}));
  x.ravel()(0) = 50;  // a view of x
  EXPECT_EQ(x.item<int>({0, 0}), 50);
  EXPECT_THROW((void)x.transpose().reshape(-1, GPUOPT_COPY_NEVER), gp::error);
  EXPECT_EQ(values(gp::take(x, array({2, 0}), 1)), (V{2, 50, 5, 3}));
  gp::put(x, array({0}), -1, 1);
  EXPECT_EQ(values(x), (V{-1, 1, 2, -1, 4, 5}));
  EXPECT_EQ(values(gp::argwhere(x < 0)), (V{0, 0, 1, 0}));
}

TEST(Types, PromoteAndCast) {
  EXPECT_EQ(gp::promote_types(gp::int8, gp::uint8), gp::int16);
  EXPECT_EQ(gp::result_type(gp::zeros(1, gp::float32), 2.0), gp::float32);
  EXPECT_EQ(gp::result_type(gp::zeros(1, gp::int8), gp::zeros(1, gp::float32), 1), gp::float32);
  EXPECT_TRUE(gp::can_cast(gp::int8, gp::int16));
  EXPECT_FALSE(gp::can_cast(gp::int16, gp::int8));
  EXPECT_TRUE(gp::can_cast(gp::int16, gp::int8, false));
  EXPECT_EQ(gp::dtype_of<char>, std::is_signed_v<char> ? gp::int8 : gp::uint8);
  EXPECT_EQ(values(gp::nan_to_num(array({NAN, 1.0}))), (V{0, 1}));
  EXPECT_EQ(values(gp::nan_to_num(array({INFINITY, -INFINITY}), 0, 5, -5)), (V{5, -5}));
  EXPECT_EQ(values(gp::isclose(array({1.0, 1.1}), 1)), (V{1, 0}));
}

// Each component by itself: a NaN in one leaves the other as it is, with the sign of its zero.
TEST(Functions, ReplaceInComponents) {
  using C = std::complex<float>;
  const array z = gp::array(std::vector<C>{{NAN, -0.0F}, {1, INFINITY}, {-INFINITY, NAN}, {-0.0F, 2}});
  const array turned = z.reshape({2, 2}).T();
  const std::vector<C> got = gp::nan_to_num(turned, 0.5).to_vector<C>();
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(got, (std::vector<C>{{0.5F, -0.0F}, {-largest, 0.5F}, {1, largest}, {-0.0F, 2}}));
  EXPECT_TRUE(std::signbit(got[0].imag()) && std::signbit(got[3].real()));
  EXPECT_EQ(gp::nan_to_num(turned, 0.5).shape(), gp::dims({2, 2}));
  EXPECT_EQ(gp::nan_to_num(z[1], 0, 7, -7).to_vector<C>(), (std::vector<C>{{1, 7}}));
  EXPECT_EQ(gp::nan_to_num(z[gp::slice(0, 0)]).dtype(), gp::complex64);
}

// A file name in the test's working directory, removed again.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const char *name) : path(name) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
};

TEST(Files, RoundTrip) {
  const TemporaryFile npy("api_hpp_functions.npy"), npz("api_hpp_functions.npz");
  const array x({{1.5f, 2.5f}, {3.5f, 4.5f}}), n({1, 2, 3});
  gp::save_npy(x, npy.path);
  const array read = gp::load_npy(npy.path);
  EXPECT_EQ(read.dtype(), gp::float32);
  EXPECT_EQ(read.shape(), x.shape());
  EXPECT_EQ(values(read), values(x));
  gp::save_npz(npz.path, {{"x", x}, {"numbers", n}}, true);
  const gp::npz file(npz.path);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"x", "numbers"}));
  EXPECT_EQ(values(file["numbers"]), (V{1, 2, 3}));
  EXPECT_THROW((void)file["y"], gp::error);
  EXPECT_THROW(gp::npz("no such file.npz"), gp::error);
}

TEST(DLPack, RoundTrip) {
  const array x({1.0, 2.0, 3.0});
  const array y = gp::from_dlpack(gp::to_dlpack(x));
  y(1) = 20;  // the same memory
  EXPECT_EQ(values(x), (V{1, 20, 3}));
}

TEST(Random, RandomStateIsNumPys) {
  gp::random_state rng(1);
  const array a = rng.choice({0.0, 1.0, 2.0, NAN}, {100, 1000});
  EXPECT_EQ(a(gp::slice(3), gp::slice(3)).str(), "[[ 1. nan  0.]\n [ 0.  2.  0.]\n [ 1. nan  2.]]");
  rng.seed(7);  // the first three of numpy.random.RandomState(7).random_sample(3)
  EXPECT_EQ(values(rng.random_sample(3)), (V{0.07630828937395717, 0.7799187922401146, 0.4384092314408935}));
  EXPECT_EQ(rng.randint(0, 5, {2, 2}, gp::int8).dtype(), gp::int8);
  EXPECT_EQ(rng.normal(0, 1).shape(), dims{});
  EXPECT_EQ(rng.uniform(-1, 1, 4).shape(), (dims{4}));
  EXPECT_EQ(rng.permutation(10).size(), 10);
  const array x = gp::arange(10);
  rng.shuffle(x);
  EXPECT_EQ(gp::sum(x).item<int>(), 45);
  EXPECT_EQ(gp::sum(rng.permutation(x)).item<int>(), 45);
  EXPECT_EQ(values(rng.choice(array({1, 2}), 3, true, array({0.0, 1.0}))), (V{2, 2, 2}));
  EXPECT_THROW((void)rng.choice({1, 2}, 3, false), gp::error);
}

TEST(Random, GeneratorsOfOneSeedAgree) {
  gp::generator one(42), two(42), other(43);
  const array x = one.random(100), y = two.random(100);
  EXPECT_EQ(values(x), values(y));
  EXPECT_NE(values(x), values(other.random(100)));
  EXPECT_NE(values(one.random(100)), values(y));  // and go on
  EXPECT_TRUE(gp::all((x >= 0) & (x < 1)).item<bool>());
  EXPECT_EQ(one.normal(0, 1, {2, 3}, gp::float32).dtype(), gp::float32);
  EXPECT_TRUE(gp::all(one.exponential(2, 10) >= 0).item<bool>());
  const array dice = one.integers(1, 6, 1000, gp::int8, true);
  EXPECT_EQ(gp::min(dice).item<int>(), 1);
  EXPECT_EQ(gp::max(dice).item<int>(), 6);
  EXPECT_EQ(gp::sum(one.permutation(10)).item<int>(), 45);
  EXPECT_EQ(gp::sum(one.choice({1, 2, 3}, 3, false)).item<int>(), 6);
}
