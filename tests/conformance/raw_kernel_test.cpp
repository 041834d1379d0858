// tests/conformance/raw_kernel_test.cpp -- kernels that say what each thread does, on the device under test, against
// plain host code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/conformance/raw_kernels.h"

namespace {

namespace gp = gpuopt;
using gp::raw_kernel;
using namespace gpuopt::test;

using Raw = KernelTest;

template <class T>
std::vector<T> noise(size_t n, int low, int high) {
  std::mt19937 rng(static_cast<unsigned>(n) + 3);
  std::vector<T> out(n);
  for (T &x : out) x = static_cast<T>(low + static_cast<int>(rng() % static_cast<unsigned>(high - low)));
  return out;
}

TEST_F(Raw, AddsArrays) {
  const raw_kernel add(kAdd.code, kAdd.name);
  const std::vector<float> x = noise<float>(100000, -50, 50), y = noise<float>(100001, -9, 9);
  const gp::array z = gp::zeros({100000}, gp::float32);
  add((100000 + 255) / 256, 256, gp::array(x), gp::array(y), z, 100000);
  const std::vector<float> got = values<float>(z);
  for (size_t k = 0; k < got.size(); k++) ASSERT_EQ(got[k], x[k] + y[k]) << k;
}

TEST_F(Raw, TwoDimensionsAndWhoAThreadIs) {
  const raw_kernel where(kWhere.code, kWhere.name);
  const gp::array out = gp::zeros({3 * 2 * 4 * 5 * 3 * 2, 5}, gp::int32);
  where({3, 2, 4}, {5, 3, 2}, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int k = 0; k < 3 * 2 * 4 * 30; k++) {
    const int t = k % 30;
    const std::vector<int32_t> want{t % 5, t / 5 % 3, t / 15, 324, 30};
    EXPECT_EQ(std::vector<int32_t>(got.begin() + 5 * k, got.begin() + 5 * k + 5), want) << k;
  }
}

TEST_F(Raw, SharedMemoryAndBarriers) {
  const raw_kernel reverse(kReverse.code, kReverse.name);
  std::vector<int32_t> want = noise<int32_t>(50 * 256, -1000, 1000);
  const gp::array x(want);
  reverse(50, 256, x);
  for (int block = 0; block < 50; block++) std::reverse(want.begin() + block * 256, want.begin() + (block + 1) * 256);
  EXPECT_EQ(values<int32_t>(x), want);
}

TEST_F(Raw, ABlockReducesInDynamicSharedMemory) {
  const raw_kernel total(kTotal.code, kTotal.name);
  const std::vector<int64_t> x = noise<int64_t>(7 * 1000, -100, 100);
  const gp::array sums = gp::zeros({7}, gp::int64);
  total.launch(7, 128, 128 * 8, gp::array(x), sums, 1000);
  for (int block = 0; block < 7; block++)
    EXPECT_EQ(values<int64_t>(sums)[size_t(block)],
              std::accumulate(x.begin() + block * 1000, x.begin() + (block + 1) * 1000, int64_t{0}));
}

TEST_F(Raw, TiledMatmul) {
  const raw_kernel matmul(kMatmul.code, kMatmul.name);
  const int n = 75;
  const std::vector<float> a = noise<float>(size_t(n * n), -8, 8), b = noise<float>(size_t(n * n) + 1, -8, 8);
  const gp::array c = gp::zeros({n, n}, gp::float32);
  matmul({5, 5}, {16, 16}, gp::array(a), gp::array(b), c, n);
  const std::vector<float> got = values<float>(c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float want = 0;  // small integers: exact in any order
      for (int k = 0; k < n; k++) want += a[size_t(i * n + k)] * b[size_t(k * n + j)];
      ASSERT_EQ(got[size_t(i * n + j)], want);
    }
}

TEST_F(Raw, BarriersInLoopsThatThreadsLeaveEarly) {
  const raw_kernel rounds(kRounds.code, kRounds.name);
  std::vector<int32_t> want(64), x(64);
  std::iota(x.begin(), x.end(), 0);
  const gp::array a(x);
  rounds(1, 64, a, 5);
  for (int k = 0; k < 64; k++) want[size_t(k)] = (k + 5) % 64 + (k % 2 ? 0 : 1000);
  EXPECT_EQ(values<int32_t>(a), want);
}

TEST_F(Raw, WarpShuffles) {
  const raw_kernel warp(kWarp.code, kWarp.name);
  const std::vector<float> x = noise<float>(96, -100, 100);
  const gp::array out = gp::zeros({3, 96}, gp::float32);
  warp(1, 96, gp::array(x), out);
  const std::vector<float> got = values<float>(out);
  for (size_t k = 0; k < 96; k++) {
    const size_t begin = k / 32 * 32, lane = k % 32;
    EXPECT_EQ(got[k], std::accumulate(x.begin() + long(begin), x.begin() + long(begin) + 32, 0.0f));
    EXPECT_EQ(got[96 + k], x[begin + (lane ^ 3)]);
    EXPECT_EQ(got[192 + k], lane % 8 < 2 ? x[k] : x[k - 2]);
  }
}

TEST_F(Raw, Votes) {
  const raw_kernel votes(kVotes.code, kVotes.name);
  const std::vector<int32_t> x = noise<int32_t>(64, -10, 10);
  const gp::array out = gp::zeros({64, 4}, gp::uint32);
  votes(1, 64, gp::array(x), out);
  const std::vector<uint32_t> got = values<uint32_t>(out);
  for (size_t k = 0; k < 64; k++) {
    uint32_t ballot = 0;
    for (size_t lane = 0; lane < 32; lane++) ballot |= uint32_t(x[k / 32 * 32 + lane] > 0) << lane;
    const bool seven = std::count(x.begin() + long(k / 32 * 32), x.begin() + long(k / 32 * 32) + 32, 7) > 0;
    EXPECT_EQ(got[4 * k], ballot);
    EXPECT_EQ(got[4 * k + 1], (seven ? 2u : 0u) + 1);
    EXPECT_EQ(got[4 * k + 2], uint32_t(__builtin_popcount(ballot)));
    EXPECT_EQ(got[4 * k + 3], uint32_t(std::count_if(x.begin(), x.end(), [](int v) { return v > 0; })));
  }
}

TEST_F(Raw, Atomics) {
  const raw_kernel histogram(kHistogram.code, kHistogram.name);
  const std::vector<int32_t> x = noise<int32_t>(100000, 0, 16);
  const gp::array bins = gp::zeros({16}, gp::int32), sum = gp::zeros({}, gp::float32), most = gp::zeros({}, gp::int32),
                  turns = gp::zeros({}, gp::uint32);
  histogram(782, 128, gp::array(x), bins, sum, most, turns, 100000);
  for (int k = 0; k < 16; k++) EXPECT_EQ(values<int32_t>(bins)[size_t(k)], std::count(x.begin(), x.end(), k));
  EXPECT_EQ(sum.item<float>(), float(std::accumulate(x.begin(), x.end(), 0)));
  EXPECT_EQ(most.item<int>(), 45);
  EXPECT_EQ(turns.item<int>(), 100000 % 10);
}

TEST_F(Raw, ConstantsFunctionsAndTheLibrarysMath) {
  const raw_kernel poly(kPoly.code, kPoly.name);
  const gp::array x = gp::linspace(-3, 3, 100), y = gp::zeros({100});
  poly(1, 100, x, y);
  const gp::array want = ((0.5 * x + -2) * x + 1) + gp::sin(x) * gp::exp(x);
  EXPECT_TRUE(gp::all(y == want).item<bool>());
}

// Functions with a rare path, which some threads of a block take.
TEST_F(Raw, RarePathsOfSomeThreads) {
  const raw_kernel wave(R"(
    __global__ void wave(const double *x, double *y) {
      __shared__ double turned[96];
      const int n = blockDim.x, k = blockIdx.x * n + threadIdx.x;
      turned[threadIdx.x] = sin(x[k]);
      __syncthreads();
      y[k] = cos(turned[n - 1 - threadIdx.x] * 1e9);
    })",
                        "wave");
  std::vector<double> angles;
  for (int k = 0; k < 5 * 96; k++) angles.push_back(k % 7 ? k : std::ldexp(k, k % 60));
  const gp::array x(angles), y = gp::zeros({5 * 96});
  wave(5, 96, x, y);
  const gp::array blocks = gp::sin(gp::reshape(x, {5, 96}))[{gp::all, gp::slice(gp::none, gp::none, -1)}];
  EXPECT_EQ(values<double>(y), values<double>(gp::reshape(gp::cos(blocks * 1e9), {5 * 96})));
}

TEST_F(Raw, OrderedWithOtherWorkOfTheArrays) {
  const raw_kernel twice(kTwice.code, kTwice.name);
  gp::array x = gp::arange(5000, gp::float32);
  x += 1;
  twice(4, 64, x, 5000);
  x -= 1;
  EXPECT_EQ(gp::sum(x.astype(gp::int64)).item<int64_t>(), int64_t{5000} * 5001 - 5000);
  twice(1, 32, x[gp::slice(10, 20)], 10);
  EXPECT_EQ(values<float>(x)[10], 42.0f);
  EXPECT_EQ(values<float>(x)[9], 19.0f);
}

TEST_F(Raw, InstancesOfTemplates) {
  const std::vector<raw_kernel> kernels = gp::raw_module(kScale, {kScaleNames.begin(), kScaleNames.end()});
  const std::vector<float> x = noise<float>(200, -50, 50);
  const gp::array real(x), complex = gp::array(x).astype(gp::complex64);
  kernels[0](2, 128, real, 200);
  kernels[1](2, 128, complex, 100);
  kernels[2](1, 128, real, 100);
  const std::vector<float> got = values<float>(real);
  for (size_t k = 0; k < 200; k++) EXPECT_EQ(got[k], (k < 100 ? -3 : 3) * x[k]) << k;
  const std::vector<float> parts = values<float>(complex);
  for (size_t k = 0; k < 200; k++) {
    EXPECT_EQ(parts[2 * k], (k < 100 ? 2 : 1) * x[k]) << k;
    EXPECT_EQ(parts[2 * k + 1], 0) << k;
  }
  const raw_kernel alone(kScale, "scale<double, -7>");
  const gp::array y = gp::ones({5});
  alone(1, 32, y, 4);
  EXPECT_EQ(values<double>(y), (std::vector<double>{-7, -7, -7, -7, 1}));
  expect_error(GPUOPT_ERR_COMPILE, "nothing", [&] { raw_kernel(kScale, "nothing<float>")(1, 1, y, 1); });
  expect_error(GPUOPT_ERR_COMPILE, "scale", [&] { raw_kernel(kScale, "scale<float>")(1, 1, y, 1); });
}

// The text has no word of 16-bit floats: the name alone does.
TEST_F(Raw, InstancesForHalf) {
  const char *const text = R"(
#include <thrust/device_ptr.h>
struct Scale {
  float by, more;
  __host__ float first() const { return by; }
};
template <class T>
__global__ void scale(const T *x, thrust::device_ptr<T> y, int n) {
  const Scale s = {.by = 3.0f, .more = 1.0f};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T(float(x[i]) * s.by + s.more);
})";
  const gp::array x = gp::arange(100, gp::int32).astype(gp::float16), y = gp::zeros({100}, gp::float16);
  raw_kernel(text, "scale<half>")(1, 128, x, y, 100);
  EXPECT_EQ(values<float>(y.astype(gp::float32)), values<float>((x * 3 + 1).astype(gp::float32)));
}

TEST_F(Raw, KernelsOfAModuleShareItsVariables) {
  using Factors = std::array<float, 4>;
  const std::vector<raw_kernel> kernels = gp::raw_module(kShared, {kSharedNames.begin(), kSharedNames.end()});
  const raw_kernel &count = kernels[0], &apply = kernels[1];
  const gp::array x = gp::ones({8}, gp::float32), y = gp::zeros({8}, gp::float32);
  EXPECT_EQ(apply.get_global<int>("calls"), 5);
  EXPECT_EQ(apply.get_global<Factors>("factors"), (Factors{1, 2, 3, 4}));
  gpuopt_raw_launch_options on_device = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  on_device.device = device.get();
  const uint32_t two[] = {2, 1, 1};
  const int ten = 10;
  const gpuopt_raw_argument argument{nullptr, &ten, sizeof ten};
  for (int turn = 0; turn < 3; turn++)
    gp::detail::call(gpuopt_raw_kernel_launch, count.get(), +two, +two, 0u, 1, &argument, &on_device);
  EXPECT_EQ(apply.get_global<int>("calls"), 35);
  EXPECT_EQ(apply.get_global<double>("mine::total"), 1.5);
  EXPECT_EQ(count.get_global<unsigned>("plain"), 10u);
  count.set_global("factors", Factors{-1, 0, 8, 0.5f});
  count.set_global("calls", 100);
  apply(1, 8, x, y);
  EXPECT_EQ(values<float>(y), (std::vector<float>{99, 100, 108, 100.5f, 99, 100, 108, 100.5f}));
  float third = 0;
  gp::detail::call(gpuopt_raw_kernel_get_global, apply.get(), "factors", uint64_t{8}, static_cast<void *>(&third),
                   uint64_t{4}, &on_device);
  EXPECT_EQ(third, 8);
}

TEST_F(Raw, VariablesOfATemplate) {
  const std::vector<raw_kernel> kernels = gp::raw_module(kInstances, {kInstancesNames.begin(), kInstancesNames.end()});
  const gp::array x = gp::ones({4}, gp::float32), y = gp::zeros({4}, gp::float64);
  using Four = std::array<double, 4>;
  EXPECT_EQ(kernels[1].get_global<Four>("mask<double>"), (Four{1, 2, 3, 4}));
  kernels[1].set_global("mask<double>", Four{5, 6, 7, 8});
  kernels[1](1, 4, x.astype(gp::float64), y);
  EXPECT_EQ(values<double>(y), (std::vector<double>{5, 6, 7, 8}));
  EXPECT_EQ((kernels[1].get_global<std::array<double, 3>>("mine::sums<double, 3, true>")),
            (std::array<double, 3>{5, 6, 7}));
  kernels[0](1, 4, x, x);
  EXPECT_EQ(values<float>(x), (std::vector<float>{1, 2, 3, 4}));
  for (const char *name : {"mask<int>", "mask", "mask<double", "mask<>", "mask<Other>", "mine::sums<double, 3x, true>"})
    expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "its text has no", [&] { kernels[1].get_global<int>(name); });
}

// As PTX shifts, in a loop over threads and in what is left of one: the processor's own instructions differ.
TEST_F(Raw, ShiftsByMoreBitsThanThereAre) {
  const raw_kernel shift(R"(
__global__ void shift(const unsigned *n, unsigned *left, int *right, unsigned long long *wide, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  left[i] = 0x80000001u << n[i];
  right[i] = int(0x80000001u) >> n[i];
  wide[i] = ~0ull >> n[i];
})",
                         "shift");
  for (const uint32_t n : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 100u, 0xFFFFFFFFu}) {
    for (const int count : {1, 67}) {
      const gp::array amount = gp::full({count}, n, gp::uint32), left = gp::zeros({count}, gp::uint32);
      const gp::array right = gp::zeros({count}, gp::int32), wide = gp::zeros({count}, gp::uint64);
      shift(3, 32, amount, left, right, wide, count);
      const auto size = static_cast<size_t>(count);
      EXPECT_EQ(values<uint32_t>(left), std::vector<uint32_t>(size, n < 32 ? 0x80000001u << n : 0)) << n;
      EXPECT_EQ(values<int32_t>(right), std::vector<int32_t>(size, int32_t(0x80000001u) >> (n < 32 ? n : 31))) << n;
      EXPECT_EQ(values<uint64_t>(wide), std::vector<uint64_t>(size, n < 64 ? ~uint64_t{0} >> n : 0)) << n;
    }
  }
}

TEST_F(Raw, VariablesThatAreNone) {
  const raw_kernel apply = gp::raw_module(kShared, {kSharedNames.begin(), kSharedNames.end()})[1];
  for (const char *name : {"nothing", "hidden", "apply", "total", "", "mine::", "a b"})
    expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "apply: its text has no", [&] { apply.get_global<int>(name); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "8 bytes from byte 0 on of the variable calls, which has 4",
               [&] { apply.set_global("calls", int64_t{1}); });
  int value = 0;
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  const auto get = [&](gpuopt_kernel kernel, const char *name, uint64_t offset, void *data) {
    gp::detail::call(gpuopt_raw_kernel_get_global, kernel, name, offset, data, uint64_t{4}, &options);
  };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "the options name no device",
               [&] { get(apply.get(), "calls", 0, &value); });
  options.device = device.get();
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "from byte 1 on", [&] { get(apply.get(), "calls", 1, &value); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "from byte 18446744073709551615 on",
               [&] { get(apply.get(), "calls", ~uint64_t{0}, &value); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "a pointer is NULL", [&] { get(apply.get(), "calls", 0, nullptr); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "a pointer is NULL", [&] { get(apply.get(), nullptr, 0, &value); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "the kernel is NULL", [&] { get(nullptr, "calls", 0, &value); });
  const gp::elementwise_kernel other("T x", "T y", "y = x", "other");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "other is not a raw kernel", [&] { get(other.get(), "calls", 0, &value); });
}

TEST_F(Raw, Attributes) {
  const gpuopt_kernel_attributes tile = raw_kernel(kReverse.code, kReverse.name).attributes();
  EXPECT_EQ(tile.shared_bytes, 256 * 4);
  EXPECT_GE(tile.max_threads_per_block, 256);
  EXPECT_LE(tile.max_threads_per_block, 1024);
  EXPECT_TRUE(tile.registers == -1 || tile.registers > 0);
  const raw_kernel add(kAdd.code, kAdd.name);
  EXPECT_EQ(add.attributes().shared_bytes, 0);
  EXPECT_EQ(add.attributes().local_bytes, 0);
  gpuopt_kernel_attributes out = GPUOPT_KERNEL_ATTRIBUTES_INIT;
  const auto ask = [&](gpuopt_kernel kernel, gpuopt_device where, gpuopt_kernel_attributes *into) {
    gp::detail::call(gpuopt_raw_kernel_attributes, kernel, where, into);
  };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "the kernel is NULL", [&] { ask(nullptr, device.get(), &out); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "the device is NULL", [&] { ask(add.get(), nullptr, &out); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "the result is NULL", [&] { ask(add.get(), device.get(), nullptr); });
  out.struct_size = 0;
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "struct_size", [&] { ask(add.get(), device.get(), &out); });
  const gp::elementwise_kernel other("T x", "T y", "y = x", "other");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "other is not a raw kernel", [&] { ask(other.get(), device.get(), &out); });
}

TEST_F(Raw, SharedVariablesOfClassTypes) {
  const raw_kernel classes(kClasses.code, kClasses.name);
  const std::vector<float> x = noise<float>(64, -100, 100);
  const gp::array out = gp::zeros({6, 64}, gp::float32);
  classes.launch(1, 64, 64 * 16, gp::array(x), out);
  const std::vector<float> got = values<float>(out);
  for (size_t t = 0; t < 64; t++) {
    const size_t next = (t + 1) % 64;
    const float v = x[next], n = static_cast<float>(next);
    const float want[] = {2 * v + 3, 2 * v, 2 * v, v + n + v / 2, 2 * v, 2 * v + n};
    for (size_t k = 0; k < 6; k++) EXPECT_EQ(got[64 * k + t], want[k]) << k << ' ' << t;
  }
}

TEST_F(Raw, SharedVariablesAreNotInitialized) {
  const char *const said[] = {"", "a __shared__ variable cannot have an initializer", "a constructor that is not empty",
                              "a destructor that is not empty"};
  const bool by_nvidia = device.backend() != "cpu";  // which warns of constructors
  const gp::array out = gp::zeros({1}, gp::int32);
  for (const SharedDeclaration &declaration : kSharedDeclarations) {
    SCOPED_TRACE(declaration.text);
    const raw_kernel kernel(shared_declaration_text(declaration), "k");
    if (declaration.problem == SharedDeclaration::kFine) {
      kernel.launch(1, 1, 64, out);
      EXPECT_GT(out.item<int>(), 9);
    } else if (!by_nvidia) {
      expect_error(GPUOPT_ERR_COMPILE, {"k:3:", said[declaration.problem]}, [&] { kernel(1, 1, out); });
    } else if (declaration.problem == SharedDeclaration::kInitializer) {
      expect_error(GPUOPT_ERR_COMPILE, "k:3", [&] { kernel(1, 1, out); });
    }
  }
}

TEST_F(Raw, BlocksWithinLaunchBounds) {
  std::vector<raw_kernel> kernels = gp::raw_module(kBounds, {kBoundsNames.begin(), kBoundsNames.end()});
  kernels.emplace_back(kBounded.code, kBounded.name);
  const uint32_t most[] = {64, 5, 1024, 1024, 96};
  const gp::array x = gp::zeros({1024}, gp::int32);
  for (size_t k = 0; k < kernels.size(); k++) {
    SCOPED_TRACE(k);
    EXPECT_EQ(kernels[k].attributes().max_threads_per_block, int32_t(most[k]));
    kernels[k](1, most[k], x);
    const std::string said = "this kernel runs in blocks of 1 to " + std::to_string(most[k]);
    for (const gp::dim3 &larger : {gp::dim3(most[k] + 1), gp::dim3(1, most[k], 2)})
      expect_error(GPUOPT_ERR_INVALID_ARGUMENT, said.c_str(), [&] { kernels[k](1, larger, x); });
  }
  const std::vector<int32_t> got = values<int32_t>(x);
  EXPECT_EQ(got[0], 64 + 5 + 1 + 1 + 1);
  EXPECT_EQ(got[95], 3);
  EXPECT_EQ(got[96], 2);
}

TEST_F(Raw, NamesThatAreNone) {
  for (const char *name :
       {"", "3k", "<int>", "k<", "k<int> x", "k;", "a b", "k\n", "k(int", "(int)", "a b(int)", "\"k\"", "k<{}>"})
    expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "names no function", [&] { raw_kernel("", name); });
  gpuopt_kernel kernel = nullptr;
  const char *const names[] = {"k", nullptr};
  const auto make = [&](int32_t count, const char *const *of, gpuopt_kernel *into) {
    gp::detail::call(gpuopt_raw_module, "", count, of, into);
  };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "0 names", [&] { make(0, names, &kernel); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "a pointer that is NULL", [&] { make(1, nullptr, &kernel); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "a pointer that is NULL", [&] { make(1, names, nullptr); });
  gpuopt_kernel two[2] = {kernel, kernel};
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "names no function", [&] { make(2, names, two); });
}

TEST_F(Raw, MoreSharedMemoryThanMostKernelsHave) {
  const raw_kernel total(kTotal.code, kTotal.name);
  const gp::array x = gp::ones({1000}, gp::int64), sums = gp::zeros({1}, gp::int64);
  total.launch(1, 128, 64 << 10, x, sums, 1000);
  EXPECT_EQ(sums.item<int64_t>(), 1000);
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "total: 1048576 bytes of shared memory",
               [&] { total.launch(1, 128, 1 << 20, x, sums, 1000); });
}

TEST_F(Raw, WhatIsWrongIsSaid) {
  const gp::array x = gp::zeros({64}, gp::float32);
  const char *const text =
      R"(extern "C" __global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; })";
  const raw_kernel kernel(text, "k");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "k: 1 arguments for 2 parameters", [&] { kernel(1, 64, x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "k: argument 1 has 8 bytes, its parameter 4",
               [&] { kernel(1, 64, x, 3.0); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "idle: 1 arguments for 0 parameters",
               [&] { raw_kernel("__global__ void idle() {}", "idle")(1, 64, x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "block is 64 x 0 x 1", [&] { kernel(1, {64, 0}, x, 3); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "2000 x 1 x 1", [&] { kernel(1, 2000, x, 3); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "no argument is an array", [&] { raw_kernel(text, "k")(1, 64, 3, 3); });
  expect_error(GPUOPT_ERR_COMPILE, "other", [&] { raw_kernel(text, "other")(1, 64, x, 3); });
  try {
    raw_kernel("extern \"C\" __global__ void k(float *x, int n) {\n x[0] = nothing; }", "k")(1, 1, x, 3);
    ADD_FAILURE() << "it compiles";
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_COMPILE);
    const std::string said = e.what();  // Clang's way to name a line, or NVRTC's
    EXPECT_TRUE(said.find("k:2:") != said.npos || said.find("k(2)") != said.npos) << said;
  }
  kernel(1, 64, x, 3);
  EXPECT_EQ(values<float>(x)[2], 3);
  EXPECT_EQ(values<float>(x)[3], 0);
}

}  // namespace
