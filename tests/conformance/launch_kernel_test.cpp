// tests/conformance/launch_kernel_test.cpp -- kernels that launch kernels, on the device under test, against host code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/launches.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using Ints = std::vector<int32_t>;

class Launches : public KernelFormsTest {};

TEST_F(Launches, DoWhatTheTextsSay) {
  in_all_forms([&] {
    for (const LaunchText &text : kLaunchTexts) {
      const gp::array x = gp::zeros({4}, gp::int32);
      try {
        gp::raw_kernel(text.code, "k")(text.blocks, text.threads, x);
        EXPECT_EQ(values<int32_t>(x), Ints(text.x, text.x + 4)) << text.name;
      } catch (const gp::error &e) {
        ADD_FAILURE() << text.name << ": " << e.what();
      }
    }
  });
}

// ---- Algorithms, against host code ----

TEST_F(Launches, Quicksort) {
  const gp::raw_kernel sort(R"(
template <class T> __global__ void quicksort(T *x, int n) {
  if (n <= 12) {
    for (int i = 1; i < n; i++)
      for (int j = i; j > 0 && x[j] < x[j - 1]; j--) { T t = x[j]; x[j] = x[j - 1]; x[j - 1] = t; }
    return;
  }
  const T a = x[0], b = x[n / 2], c = x[n - 1];
  const T pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  int i = 0, j = n - 1;
  while (i <= j) {
    while (x[i] < pivot) i++;
    while (pivot < x[j]) j--;
    if (i <= j) { T t = x[i]; x[i++] = x[j]; x[j--] = t; }
  }
  if (j > 0) quicksort<T><<<1, 1, 0, cudaStreamFireAndForget>>>(x, j + 1);
  if (i < n - 1) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(x + i, n - i);
})",
                            "quicksort<float>");
  std::mt19937 rng(1);
  for (const int n : {1, 12, 13, 100, 3000}) {
    std::vector<float> x(static_cast<size_t>(n));
    for (float &each : x) each = static_cast<float>(rng() % 1000);
    const gp::array sorted(x);
    sort(1, 1, sorted, n);
    std::sort(x.begin(), x.end());
    EXPECT_EQ(values<float>(sorted), x) << n;
  }
}

// How often z * z + c stays small, of a point of the picture.
int dwell_of(int x, int y, int size) {
  const float cr = -2.0f + 3.0f * static_cast<float>(x) / static_cast<float>(size),
              ci = -1.5f + 3.0f * static_cast<float>(y) / static_cast<float>(size);
  float r = 0, i = 0;
  for (int k = 0; k < 64; k++) {
    const float rr = r * r, ii = i * i;
    if (rr + ii > 4.0f) return k;
    i = 2.0f * r * i + ci;
    r = rr - ii + cr;
  }
  return 64;
}

// The algorithm of Mariani and Silver: a square whose border has one dwell is filled, and others are divided into four.
TEST_F(Launches, MandelbrotByDivision) {
  const gp::raw_kernel squares(R"(
__device__ int dwell_of(int x, int y, int size) {
  float cr = -2.0f + 3.0f * x / size, ci = -1.5f + 3.0f * y / size, r = 0, i = 0;
  for (int k = 0; k < 64; k++) {
    float rr = r * r, ii = i * i;
    if (rr + ii > 4.0f) return k;
    i = 2.0f * r * i + ci;
    r = rr - ii + cr;
  }
  return 64;
}
__global__ void fill(int *out, int size, int x0, int y0, int dwell) {
  out[(y0 + blockIdx.x) * size + x0 + threadIdx.x] = dwell;
}
__global__ void compute(int *out, int size, int x0, int y0) {
  int x = x0 + threadIdx.x, y = y0 + blockIdx.x;
  out[y * size + x] = dwell_of(x, y, size);
}
__global__ void divide(int *out, int size, int x0, int y0, int side) {
  __shared__ int least, most;
  x0 += blockIdx.x * side; y0 += blockIdx.y * side;
  if (threadIdx.x == 0) { least = 1000; most = -1; }
  __syncthreads();
  for (int k = threadIdx.x; k < 4 * side; k += blockDim.x) {
    int along = k % side, edge = k / side;
    int x = edge < 2 ? x0 + along : x0 + (edge - 2) * (side - 1), y = edge < 2 ? y0 + edge * (side - 1) : y0 + along;
    int dwell = dwell_of(x, y, size);
    atomicMin(&least, dwell); atomicMax(&most, dwell);
  }
  __syncthreads();
  if (threadIdx.x) return;
  if (least == most) fill<<<side, side>>>(out, size, x0, y0, least);
  else if (side > 8) divide<<<dim3(2, 2), 32>>>(out, size, x0, y0, side / 2);
  else compute<<<side, side>>>(out, size, x0, y0);
})",
                               "divide");
  const int size = 128;
  const gp::array out = gp::full({size, size}, -1, gp::int32);
  squares({4, 4}, 32, out, size, 0, 0, size / 4);
  const Ints got = values<int32_t>(out);
  // Points inside of a square with one dwell on its border may differ from it by theory; at this size none does.
  int wrong = 0;
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) wrong += got[static_cast<size_t>(y * size + x)] != dwell_of(x, y, size);
  EXPECT_EQ(wrong, 0);
}

// ---- Random trees of launches ----

uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// What the kernel `node` below does, with all that it launches.
void node(std::vector<uint32_t> &out, uint32_t seed, uint32_t depth, uint32_t blocks, uint32_t threads) {
  for (uint32_t b = 0; b < blocks; b++)
    for (uint32_t t = 0; t < threads; t++) {
      const uint32_t h = mix(seed ^ mix(b * 1031 + t));
      out[h % out.size()] += h;
      if (depth == 0 || h % 4 != 1) continue;
      for (uint32_t k = 0; k < 1 + (h >> 4) % 2; k++) node(out, h + k, depth - 1, 1 + (h >> 8) % 3, 1 + (h >> 12) % 40);
      if ((h >> 20) % 3 == 0) node(out, ~h, depth - 1, 1, 1 + (h >> 16) % 5);
    }
}

constexpr const char *kNode = R"(
__device__ unsigned mix(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16;
}
__global__ void node(unsigned *out, unsigned n, unsigned seed, unsigned depth) {
  __shared__ unsigned shared_seed;
  if (threadIdx.x == 0) shared_seed = seed;
  __syncthreads();
  unsigned h = mix(shared_seed ^ mix(blockIdx.x * 1031 + threadIdx.x));
  atomicAdd(&out[h % n], h);
  if (depth == 0 || h % 4 != 1) return;
  for (unsigned k = 0; k < 1 + (h >> 4) % 2; k++) {
    if (h >> 30) node<<<1 + (h >> 8) % 3, 1 + (h >> 12) % 40>>>(out, n, h + k, depth - 1);
    else node<<<1 + (h >> 8) % 3, 1 + (h >> 12) % 40, 0, cudaStreamFireAndForget>>>(out, n, h + k, depth - 1);
  }
  if ((h >> 20) % 3 == 0) node<<<1, 1 + (h >> 16) % 5, 0, cudaStreamTailLaunch>>>(out, n, ~h, depth - 1);
}
)";

TEST_F(Launches, RandomTrees) {
  in_all_forms([&] {
    const gp::raw_kernel kernel(kNode, "node");
    for (uint32_t seed = 1; seed <= 12; seed++) {
      std::vector<uint32_t> want(37);
      node(want, seed, 3, 1 + seed % 5, 1 + seed * 7 % 60);
      const gp::array out = gp::zeros({37}, gp::uint32);
      kernel(1 + seed % 5, 1 + seed * 7 % 60, out, 37u, seed, 3u);
      EXPECT_EQ(values<uint32_t>(out), want) << seed;
    }
  });
}

TEST_F(Launches, RandomTreesOfSeveralThreadsAtOnce) {
  const gp::raw_kernel kernel(kNode, "node");
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (uint32_t k = 0; k < 4; k++)
    threads.emplace_back([&, k] {
      try {
        const gp::with_device here(device);
        for (uint32_t seed = 100 * k; seed < 100 * k + 10; seed++) {
          std::vector<uint32_t> want(37);
          node(want, seed, 3, 3, 40);
          const gp::array out = gp::zeros({37}, gp::uint32);
          kernel(3, 40, out, 37u, seed, 3u);
          right[k] += values<uint32_t>(out) == want;
        }
      } catch (const gp::error &e) {
        ADD_FAILURE() << e.what();
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{10, 10, 10, 10}));
}

// On the CPU the order is that of the blocks, and in a block that of the threads, whatever thread of the host runs
// them.
TEST_F(Launches, RunInOneOrderOnTheCpu) {
  if (!on_cpu) GTEST_SKIP() << "on GPUs they run at the same time";
  const int blocks = 5000, threads = 32;
  const gp::raw_kernel kernel(R"(
__global__ void append(int *out, int id) { out[atomicAdd(&out[0], 1) + 1] = id; }
__global__ void k(int *out, float *work) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 2000; i++) sum += work[(id * 7 + i) % 1000];
  work[1000 + id] = sum;
  if (id % 3 == 0) append<<<1, 1, 0, cudaStreamFireAndForget>>>(out, id);
})",
                              "k");
  const gp::array out = gp::zeros({blocks * threads}, gp::int32),
                  work = gp::ones({1000 + blocks * threads}, gp::float32);
  kernel(blocks, threads, out, work);
  const Ints got = values<int32_t>(out);
  const int count = (blocks * threads + 2) / 3;
  ASSERT_EQ(got[0], count);
  for (int k = 0; k < count; k++) ASSERT_EQ(got[static_cast<size_t>(k + 1)], 3 * k) << k;
}

// ---- Errors ----

TEST_F(Launches, WithConfigurationsThatAreNoneLaunchNothing) {
  const gp::raw_kernel kernel(R"(
__global__ void child(int *x) { x[0] = 1; }
__global__ void __launch_bounds__(64) small(int *x) { x[0] = 2; }
__global__ void k(int *x) {
  child<<<0, 1>>>(x); x[1] = cudaGetLastError();
  child<<<1, 1025>>>(x); x[2] = cudaGetLastError();
  child<<<dim3(1, 65536), 1>>>(x); x[3] = cudaGetLastError();
  child<<<1, dim3(1, 1, 65)>>>(x); x[4] = cudaGetLastError();
  child<<<-1, 1>>>(x); x[5] = cudaGetLastError();
  child<<<1, 32, 1 << 20>>>(x); x[6] = cudaGetLastError() != cudaSuccess;
  small<<<1, 65>>>(x); x[7] = cudaGetLastError() != cudaSuccess;
  x[8] = cudaGetLastError();
})",
                              "k");
  const gp::array x = gp::zeros({9}, gp::int32);
  kernel(1, 1, x);
  EXPECT_EQ(values<int32_t>(x), (Ints{0, 9, 9, 9, 9, 9, 1, 1, 0}));
}

TEST_F(Launches, ErrorsAreThoseOfEachThread) {
  const gp::raw_kernel kernel(R"(
__global__ void child(int *x) { atomicAdd(x, 1); }
__global__ void k(int *x) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  child<<<1, id % 3 ? 1 : 0>>>(x);
  __syncthreads();
  x[1 + id] = cudaGetLastError();
})",
                              "k");
  in_all_forms([&] {
    const gp::array x = gp::zeros({97}, gp::int32);
    kernel(3, 32, x);
    Ints want(97);
    want[0] = 64;
    for (size_t id = 0; id < 96; id++) want[1 + id] = id % 3 ? 0 : 9;
    EXPECT_EQ(values<int32_t>(x), want);
  });
}

TEST_F(Launches, NestToADepthOf24) {
  const gp::raw_kernel kernel(
      "__global__ void k(int *x, int depth) {\n"
      "  x[0] = depth;\n"
      "  k<<<1, 1>>>(x, depth + 1);\n"
      "  if (cudaError_t error = cudaGetLastError()) x[1] = error;\n"
      "}\n",
      "k");
  const gp::array x = gp::zeros({2}, gp::int32);
  kernel(1, 1, x, 0);
  EXPECT_EQ(values<int32_t>(x), (Ints{24, 65}));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEEDS_SIGNALS GTEST_SKIP() << "the sanitizer has handlers of its own for these signals"
#else
#define NEEDS_SIGNALS static_cast<void>(0)
#endif

TEST_F(Launches, ThatFaultAreFaultsOfTheLaunch) {
  NEEDS_SIGNALS;
  if (!on_cpu) GTEST_SKIP() << "a fault takes the device away";
  constexpr const char *code = R"(
__global__ void bad(int *x) { if (threadIdx.x == 3) x[0] = *(int *)nullptr; }
__global__ void stop(int *x) { __trap(); }
__global__ void fails(int *x) { assert(x[0] == 12345); }
__global__ void after(int *x) { x[0] = 1; }
template <int which> __global__ void middle(int *x) {
  if (which == 0) bad<<<1, 32>>>(x);
  if (which == 1) stop<<<2, 1>>>(x);
  if (which == 2) fails<<<1, 1>>>(x);
  after<<<1, 1>>>(x);
}
template <int which> __global__ void k(int *x) { middle<which><<<1, 1>>>(x); after<<<1, 1>>>(x); }
__global__ void own(int *x) { after<<<1, 1>>>(x); __trap(); }
)";
  const char *const names[] = {"k<0>", "k<1>", "k<2>", "own"};
  const char *const messages[] = {"k<0>: bad, which a kernel has launched at depth 2: fault: block (0, 0, 0)",
                                  "k<1>: stop, which a kernel has launched at depth 2: fault: block (0, 0, 0)",
                                  "k<2>: fails, which a kernel has launched at depth 2: assertion failed",
                                  "own: fault: "};
  for (size_t k = 0; k < 4; k++) {
    const gp::array x = gp::zeros({1}, gp::int32);
    const gp::raw_kernel kernel(code, names[k]);
    expect_error(GPUOPT_ERR_KERNEL_FAULT, messages[k], [&] { kernel(1, 1, x); });
    EXPECT_EQ(values<int32_t>(x), Ints{0}) << names[k];  // nothing else has run
    expect_error(GPUOPT_ERR_KERNEL_FAULT, messages[k], [&] { kernel(1, 1, x); });
  }
}

TEST_F(Launches, MoreThanCanWaitFailTheLaunchOnTheCpu) {
  if (!on_cpu) GTEST_SKIP() << "on GPUs the launch itself has an error";
  const gp::raw_kernel kernel(R"(
struct Large { int all[800]; };
__global__ void child(int *x, Large) { atomicAdd(x, 1); }
__global__ void k(int *x, int n) { Large large = {}; for (int i = 0; i < n; i++) child<<<1, 1>>>(x, large); }
)",
                              "k");
  const gp::array x = gp::zeros({1}, gp::int32);
  kernel(4, 4, x, 100);
  EXPECT_EQ(values<int32_t>(x), Ints{1600});
  expect_error(GPUOPT_ERR_OUT_OF_MEMORY, "k: its threads launch more kernels than can wait for its end",
               [&] { kernel(64, 16, x, 100); });
  EXPECT_EQ(values<int32_t>(x), Ints{1600});
}

TEST_F(Launches, OfWhatIsNoKernelDoNotCompileOnTheCpu) {
  if (!on_cpu) GTEST_SKIP() << "NVIDIA's compiler has messages of its own";
  const auto refused = [&](const std::string &before, const std::string &launch, const char *message) {
    const gp::raw_kernel kernel(
        before + "\n__global__ void child(int *) {}\n__global__ void k(int *x) {\n" + launch + "\n}\n", "k");
    const gp::array x = gp::zeros({1}, gp::int32);
    expect_error(GPUOPT_ERR_COMPILE, message, [&] { kernel(1, 1, x); });
  };
  const char *const none = "k:4: error: what is launched here is no kernel";
  refused("__device__ void f(int *) {}", "f<<<1, 1>>>(x);", none);
  refused("", "void (*p)(int *) = child; p<<<1, 1>>>(x);", none);
  refused("__global__ int g(int *) { return 1; }", "g<<<1, 1>>>(x);", none);
  refused("", "child<<<1, 1>>>(x, 2);", "k:4:");
  refused("", "child<<<1>>>(x);", "k:4:");
  refused("", "child<<<1, 1>>>(x)\n;\nint y = z;", "k:6:");
  refused("struct A { A() {} A(const A &) {} }; __global__ void g(A) {}", "g<<<1, 1>>>(A());",
          "the arguments of a launch are copied byte by byte");
  refused("", "cudaDeviceSynchronize();", "k:4: error: cudaDeviceSynchronize: of CUDA's runtime, kernels have");
}

}  // namespace
