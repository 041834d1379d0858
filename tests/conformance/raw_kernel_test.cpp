// tests/conformance/raw_kernel_test.cpp -- kernels that say what each thread does, on the device under test, against
// plain host code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

namespace gp = gpuopt;
using gp::raw_kernel;

class Raw : public testing::Test {
 protected:
  static gp::device tested() {
    const char *const request = std::getenv("GPUOPT_TEST_DEVICE");
    return gp::device(request ? request : "cpu");
  }
  const gp::device device = tested();
  const gp::with_device scope{device};
};

template <class T>
std::vector<T> values(const gp::array &x) {
  std::vector<T> out(static_cast<size_t>(x.nbytes()) / sizeof(T));
  gp::detail::call(gpuopt_to_host, x.get(), static_cast<void *>(out.data()), static_cast<size_t>(x.nbytes()));
  return out;
}

template <class T>
std::vector<T> noise(size_t n, int low, int high) {
  std::mt19937 rng(static_cast<unsigned>(n) + 3);
  std::vector<T> out(n);
  for (T &x : out) x = static_cast<T>(low + static_cast<int>(rng() % static_cast<unsigned>(high - low)));
  return out;
}

template <class Call>
void expect_error(gpuopt_status code, const char *word, Call call) {
  try {
    call();
    ADD_FAILURE() << "did not fail: " << word;
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

TEST_F(Raw, AddsArrays) {
  const raw_kernel add(R"(extern "C" __global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
  })",
                       "add");
  const std::vector<float> x = noise<float>(100000, -50, 50), y = noise<float>(100001, -9, 9);
  const gp::array z = gp::zeros({100000}, gp::float32);
  add((100000 + 255) / 256, 256, gp::array(x), gp::array(y), z, 100000);
  const std::vector<float> got = values<float>(z);
  for (size_t k = 0; k < got.size(); k++) ASSERT_EQ(got[k], x[k] + y[k]) << k;
}

TEST_F(Raw, TwoDimensionsAndWhoAThreadIs) {
  const raw_kernel where(R"(
struct Where { int x, y, z, blocks, threads; };
__device__ int flat(dim3 size, uint3 at) { return (at.z * size.y + at.y) * size.x + at.x; }
extern "C" __global__ void where(Where *out) {
  int block = flat(gridDim, blockIdx), thread = flat(blockDim, threadIdx);
  Where w = {int(threadIdx.x), int(threadIdx.y), int(threadIdx.z), int(gridDim.x * 100 + gridDim.y * 10 + gridDim.z),
             int(blockDim.x * blockDim.y * blockDim.z)};
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = w;
})",
                         "where");
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
  const raw_kernel reverse(R"(extern "C" __global__ void reverse(int *x) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = tile[blockDim.x - 1 - threadIdx.x];
  })",
                           "reverse");
  std::vector<int32_t> want = noise<int32_t>(50 * 256, -1000, 1000);
  const gp::array x(want);
  reverse(50, 256, x);
  for (int block = 0; block < 50; block++) std::reverse(want.begin() + block * 256, want.begin() + (block + 1) * 256);
  EXPECT_EQ(values<int32_t>(x), want);
}

TEST_F(Raw, ABlockReducesInDynamicSharedMemory) {
  const raw_kernel total(R"(extern "C" __global__ void total(const long long *x, long long *sums, int n) {
    extern __shared__ long long partial[];
    long long mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[blockIdx.x * n + i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
      if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
      __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
  })",
                         "total");
  const std::vector<int64_t> x = noise<int64_t>(7 * 1000, -100, 100);
  const gp::array sums = gp::zeros({7}, gp::int64);
  total.launch(7, 128, 128 * 8, gp::array(x), sums, 1000);
  for (int block = 0; block < 7; block++)
    EXPECT_EQ(values<int64_t>(sums)[size_t(block)],
              std::accumulate(x.begin() + block * 1000, x.begin() + (block + 1) * 1000, int64_t{0}));
}

TEST_F(Raw, TiledMatmul) {
  const raw_kernel matmul(R"(extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < (n + 15) / 16; t++) {
      ta[y][x] = row < n && t * 16 + x < n ? a[row * n + t * 16 + x] : 0;
      tb[y][x] = column < n && t * 16 + y < n ? b[(t * 16 + y) * n + column] : 0;
      __syncthreads();
      for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
      __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
  })",
                          "matmul");
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
  const raw_kernel rounds(R"(extern "C" __global__ void rounds(int *x, int n) {
    __shared__ int left[64];
    left[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < n; k++) {
      int other = left[(threadIdx.x + 1) % blockDim.x];
      __syncthreads();
      left[threadIdx.x] = other;
      __syncthreads();
    }
    x[threadIdx.x] = left[threadIdx.x];
    if (threadIdx.x % 2) return;
    __syncthreads();
    x[threadIdx.x] += 1000;
  })",
                          "rounds");
  std::vector<int32_t> want(64), x(64);
  std::iota(x.begin(), x.end(), 0);
  const gp::array a(x);
  rounds(1, 64, a, 5);
  for (int k = 0; k < 64; k++) want[size_t(k)] = (k + 5) % 64 + (k % 2 ? 0 : 1000);
  EXPECT_EQ(values<int32_t>(a), want);
}

TEST_F(Raw, WarpShuffles) {
  const raw_kernel warp(R"(
__device__ float sum_of_warp(float x) {
  for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
  return x;
}
extern "C" __global__ void warp(const float *x, float *out) {
  float total = sum_of_warp(x[threadIdx.x]);
  out[threadIdx.x] = __shfl_sync(0xffffffffu, total, 0);
  out[blockDim.x + threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 3);
  out[2 * blockDim.x + threadIdx.x] = __shfl_up_sync(0xffffffffu, x[threadIdx.x], 2, 8);
})",
                        "warp");
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
  const raw_kernel votes(R"(extern "C" __global__ void votes(const int *x, unsigned *out) {
    int v = x[threadIdx.x];
    unsigned ballot = __ballot_sync(0xffffffffu, v > 0);
    out[threadIdx.x * 4 + 0] = ballot;
    out[threadIdx.x * 4 + 1] = __any_sync(0xffffffffu, v == 7) * 2 + __all_sync(0xffffffffu, v < 100);
    out[threadIdx.x * 4 + 2] = __popc(ballot);
    out[threadIdx.x * 4 + 3] = __syncthreads_count(v > 0);
  })",
                         "votes");
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
  const raw_kernel histogram(
      R"(extern "C" __global__ void histogram(const int *x, int *bins, float *sum, int *most, unsigned *turns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[x[i]], 1);
    atomicAdd(sum, float(x[i]));
    atomicMax(most, x[i] * 3);
    atomicInc(turns, 9u);
  })",
      "histogram");
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
  const raw_kernel poly(R"(
__constant__ double coefficients[3] = {1, -2, 0.5};
__device__ double horner(double x) {
  double y = 0;
  for (int k = 2; k >= 0; k--) y = y * x + coefficients[k];
  return y;
}
extern "C" __global__ void poly(const double *x, double *y) {
  int i = threadIdx.x;
  y[i] = horner(x[i]) + sin(x[i]) * exp(x[i]);
})",
                        "poly");
  const gp::array x = gp::linspace(-3, 3, 100), y = gp::zeros({100});
  poly(1, 100, x, y);
  const gp::array want = ((0.5 * x + -2) * x + 1) + gp::sin(x) * gp::exp(x);
  EXPECT_TRUE(gp::all(y == want).item<bool>());
}

TEST_F(Raw, OrderedWithOtherWorkOfTheArrays) {
  const raw_kernel twice(R"(extern "C" __global__ void twice(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
  })",
                         "twice");
  gp::array x = gp::arange(5000, gp::float32);
  x += 1;
  twice(4, 64, x, 5000);
  x -= 1;
  EXPECT_EQ(gp::sum(x.astype(gp::int64)).item<int64_t>(), int64_t{5000} * 5001 - 5000);
  twice(1, 32, x[gp::slice(10, 20)], 10);
  EXPECT_EQ(values<float>(x)[10], 42.0f);
  EXPECT_EQ(values<float>(x)[9], 19.0f);
}

TEST_F(Raw, WhatIsWrongIsSaid) {
  const gp::array x = gp::zeros({64}, gp::float32);
  const char *const text =
      R"(extern "C" __global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; })";
  const raw_kernel kernel(text, "k");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "1 arguments for 2 parameters", [&] { kernel(1, 64, x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "argument 1 has 8 bytes, its parameter 4", [&] { kernel(1, 64, x, 3.0); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "block is 64 x 0 x 1", [&] { kernel(1, {64, 0}, x, 3); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "2000 x 1 x 1", [&] { kernel(1, 2000, x, 3); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "no argument is an array", [&] { raw_kernel(text, "k")(1, 64, 3, 3); });
  expect_error(GPUOPT_ERR_COMPILE, "other", [&] { raw_kernel(text, "other")(1, 64, x, 3); });
  expect_error(GPUOPT_ERR_COMPILE, "k:2:", [&] {
    raw_kernel("extern \"C\" __global__ void k(float *x, int n) {\n x[0] = nothing; }", "k")(1, 1, x, 3);
  });
  kernel(1, 64, x, 3);
  EXPECT_EQ(values<float>(x)[2], 3);
  EXPECT_EQ(values<float>(x)[3], 0);
}

}  // namespace
