// tests/conformance/word_kernel_test.cpp -- every word of CUDA C++ that kernels may use, on the device under test,
// against results that Python computed (tests/kernels/make_words.py), and words that take more than one thread.
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/word_cases.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;

using Words = KernelTest;

constexpr size_t kTogether = 40;  // cases of one kernel

void expect_results(const WordCase *cases, size_t count) {
  std::vector<uint64_t> in;
  size_t results = 0;
  for (size_t k = 0; k < count; k++) {
    results += cases[k].rows.size();
    for (const WordCase::Row &row : cases[k].rows) in.insert(in.end(), row.arguments.begin(), row.arguments.end());
  }
  in.push_back(0);  // the array is not empty
  const gp::array given(in), made = gp::zeros({static_cast<int64_t>(results)}, gp::uint64);
  gp::raw_kernel(words_kernel(cases, count), "compute")(1, 1, given, made);
  const std::vector<uint64_t> out = values<uint64_t>(made);
  for (size_t k = 0, at = 0; k < count; k++) {
    for (size_t r = 0; r < cases[k].rows.size(); r++, at++) {
      EXPECT_TRUE(is_result(cases[k], cases[k].rows[r], out[at]))
          << cases[k].word << ", row " << r << ": " << std::hex << out[at] << " is not " << cases[k].rows[r].result;
    }
  }
}

TEST_F(Words, HaveTheResultsThatPythonComputed) {
  const std::vector<WordCase> cases = word_cases(GPUOPT_SOURCE_DIR);
  ASSERT_GT(cases.size(), 700u);
  for (size_t k = 0; k < cases.size(); k += kTogether) {
    SCOPED_TRACE(cases[k].word);
    expect_results(&cases[k], std::min(kTogether, cases.size() - k));
  }
}

TEST_F(Words, ShufflesAndVotesWithoutMasks) {
  const gp::raw_kernel kernel(R"(
#include <device_launch_parameters.h>
__global__ void k(int *out) {
  int t = threadIdx.x;
  out[t] = __shfl_down(t, 1);
  out[32 + t] = __shfl(t, 5);
  out[64 + t] = __shfl_xor(t, 3);
  out[96 + t] = __shfl_up(t, 2, 8);
  out[128 + t] = __any(t == 7) + 2 * __all(t < 31) + 4 * (__ballot(t == 4) == 16);
  out[160 + t] = __popc(__activemask()) + warpSize - 32;
})",
                              "k");
  const gp::array out = gp::zeros({192}, gp::int32);
  kernel(1, 32, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 32; t++) {
    EXPECT_EQ(got[size_t(t)], t < 31 ? t + 1 : t);
    EXPECT_EQ(got[size_t(32 + t)], 5);
    EXPECT_EQ(got[size_t(64 + t)], t ^ 3);
    EXPECT_EQ(got[size_t(96 + t)], t % 8 < 2 ? t : t - 2);
    EXPECT_EQ(got[size_t(128 + t)], 5);
    EXPECT_EQ(got[size_t(160 + t)], 32);
  }
}

TEST_F(Words, HeadersHaveTheirMacros) {
  const gp::raw_kernel kernel(R"(
#include <cinttypes>
#include <inttypes.h>
#include <stdint.h>
__global__ void k(unsigned long long *out) {
  out[0] = UINT64_C(3) << 40;
  out[1] = INT64_C(-1) < 0 && sizeof(UINT32_C(1)) == 4 && sizeof(INT8_C(1)) == 4;
  const char *formats[] = {PRId64, PRIu8, PRIx32, PRIXMAX};
  for (int k = 0; k < 4; k++) {
    out[2 + k] = 0;
    for (const char *c = formats[k]; *c; c++) out[2 + k] = out[2 + k] * 256 + *c;
  }
})",
                              "k");
  const gp::array out = gp::zeros({6}, gp::uint64);
  kernel(1, 1, out);
  EXPECT_EQ(values<uint64_t>(out), (std::vector<uint64_t>{3ull << 40, 1, 0x6c6c64, 0x686875, 0x78, 0x6c6c58}));
}

TEST_F(Words, OfWholeWarpsAndBlocks) {
  const gp::raw_kernel kernel(R"(
__global__ void k(unsigned *out) {
  unsigned t = threadIdx.x, all = 0xffffffffu;
  int same, other;
  unsigned sum = __reduce_add_sync(all, t), least = __reduce_min_sync(all, t + 3), most = __reduce_max_sync(all, t);
  unsigned bits = __reduce_and_sync(all, t | 8) + __reduce_or_sync(all, t) + __reduce_xor_sync(all, t);
  unsigned equal = __match_all_sync(all, t / 32, &same), unequal = __match_all_sync(all, t % 32, &other);
  __syncwarp();
  out[t * 4] = sum + least + most + bits;
  out[t * 4 + 1] = (equal == all) + 2 * same + 4 * (unequal == 0) + 8 * other;
  int votes = __all_sync(all, 1) && !__any_sync(all, 0);
  out[t * 4 + 2] = (__match_any_sync(all, t % 4) == 0x11111111u << t % 4) + 2 * votes;
  out[t * 4 + 3] = __syncthreads_count(t < 5) + 10 * __syncthreads_and(t < 64) + 20 * __syncthreads_or(t == 63);
})",
                              "k");
  const gp::array out = gp::zeros({256}, gp::uint32);
  kernel(1, 64, out);
  const std::vector<uint32_t> got = values<uint32_t>(out);
  for (uint32_t t = 0; t < 64; t++) {
    const uint32_t first = t / 32 * 32, last = first + 31;
    EXPECT_EQ(got[t * 4], 16 * (first + last) + first + 3 + last + (first | 8) + (first | 31)) << t;
    EXPECT_EQ(got[t * 4 + 1], 7u) << t;
    EXPECT_EQ(got[t * 4 + 2], 3u) << t;
    EXPECT_EQ(got[t * 4 + 3], 35u) << t;
  }
}

TEST_F(Words, AtomicsOfCuda) {
  const gp::raw_kernel kernel(R"(
__global__ void k(int *x) {
  atomicAdd(x, 1);
  atomicAdd_block(x, 1);
  atomicAdd_system(x, 1);
  atomicSub(x + 1, 2);
  atomicMin(x + 2, -int(threadIdx.x));
  atomicMax(x + 3, int(threadIdx.x));
  atomicInc((unsigned *)x + 4, 40u);
  atomicDec((unsigned *)x + 5, 40u);
  atomicAnd(x + 6, ~(1 << threadIdx.x % 32));
  atomicOr(x + 7, 1 << threadIdx.x % 32);
  atomicXor(x + 8, int(threadIdx.x));
  int old = 0;
  for (int seen; (seen = atomicCAS(x + 9, old, old + 3)) != old;) old = seen;
  if (threadIdx.x == 5) atomicExch(x + 10, 77);
  if (threadIdx.x == 6) atomicExch_system(x + 11, 78);
  atomicCAS_system(x + 12, 0, 79);
  atomicAdd_system((float *)x + 13, 0.5f);
})",
                              "k");
  const gp::array x = gp::zeros({14}, gp::int32);
  kernel(1, 64, x);
  EXPECT_EQ(values<int32_t>(x),
            (std::vector<int32_t>{192, -128, -63, 63, 64 % 41, 41 - 64 % 41, 0, -1, 0, 192, 77, 78, 79, 0x42000000}));
}

TEST_F(Words, AtomicsOfTheStandardLibrary) {
  const gp::raw_kernel kernel(R"(
#include <cuda/atomic>
__global__ void k(int *counts, unsigned *bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(counts[0]);
  sum.fetch_add(i, cuda::memory_order_relaxed);
  cuda::std::atomic_ref<int> most(counts[1]);
  most.fetch_max(i);
  std::atomic_ref<int> steps(counts[2]);
  steps++;
  cuda::atomic_ref<unsigned> set(bits[i / 32]);
  set.fetch_or(1u << i % 32, cuda::std::memory_order_acq_rel);
  int old = steps.load();
  while (i < 3 && !steps.compare_exchange_weak(old, old + 1000)) {}
})",
                              "k");
  const gp::array counts = gp::zeros({3}, gp::int32), bits = gp::zeros({8}, gp::uint32);
  kernel(4, 64, counts, bits);
  EXPECT_EQ(values<int32_t>(counts), (std::vector<int32_t>{255 * 128, 255, 3256}));
  EXPECT_EQ(values<uint32_t>(bits), std::vector<uint32_t>(8, ~0u));
}

TEST_F(Words, AtomicsThatAreVariables) {
  const gp::raw_kernel kernel(R"(
#include <cuda/std/atomic>
__global__ void k(int *x) {
  cuda::atomic<int, cuda::thread_scope_device> *a = (cuda::atomic<int, cuda::thread_scope_device> *)x;
  std::atomic<int> *b = (std::atomic<int> *)(x + 1);
  ++*a;
  (*a)++;
  *a += 2;
  --*a;
  if (threadIdx.x == 0) b->store(7 + b->load());
  if (threadIdx.x == 0) x[2] = int(sizeof *a) + a->is_lock_free();
})",
                              "k");
  const gp::array x = gp::zeros({3}, gp::int32);
  kernel(1, 32, x);
  EXPECT_EQ(values<int32_t>(x), (std::vector<int32_t>{96, 7, 5}));
}

TEST_F(Words, HintsFencesAndClocks) {
  const gp::raw_kernel kernel(R"(
static __constant__ float factors[2] = {2, 3};
static __device__ __noinline__ float scaled(const float *__restrict__ x, int i) {
  return __ldg(x + i) * factors[i % 2];
}
extern "C" __global__ void __launch_bounds__(64) k(const float *__restrict__ x, float *y) {
  int i = threadIdx.x;
  long long begin = clock64();
  clock_t small = clock();
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) sum += __ldcg(x + i) + __ldcs(x + i) + __ldca(x + i);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(1);
  __stcg(y + i, sum + scaled(x, i));
  if (clock64() < begin) y[i] = -1;
})",
                              "k");
  const gp::array x = gp::arange(64, gp::float32), y = gp::zeros({64}, gp::float32);
  kernel(1, 64, x, y);
  const std::vector<float> got = values<float>(y);
  for (int i = 0; i < 64; i++) EXPECT_EQ(got[size_t(i)], float(12 * i + i * (2 + i % 2))) << i;
}

TEST_F(Words, OfElementwiseKernels) {
  const gp::elementwise_kernel kernel("float32 x", "float32 y",
                                      "y = __int_as_float(__float_as_int(x)) + __popc(7u) + norm3df(x, 0.0f, 0.0f) + "
                                      "std::max(x, float(M_PI)) + rsqrtf(4.0f) + FLT_MAX * 0",
                                      "k");
  const gp::array x(std::vector<float>{4, 9});
  EXPECT_EQ(values<float>(kernel(x)), (std::vector<float>{15.5f, 30.5f}));
}

TEST_F(Words, AreTheAuthorsOwnIfDeclared) {
  const gp::raw_kernel kernel(R"(
#define M_PI 3
typedef unsigned char uint;
struct float9 { float x[9]; };
__device__ float norm(float a, float b) { return a + b; }
__device__ int __float2int_rd(float x) { return 7; }
__device__ double sinpi(int x) { return 8; }
__device__ double sin(float9 x) { return x.x[0]; }
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__global__ void k(float *y) {
  const float FLT_MAX = 5, y0 = 1, j1 = 2;
  float9 nine = {};
  y[0] = M_PI + sizeof(uint) + norm(1, 2) + FLT_MAX + y0 + j1 + __float2int_rd(9.5f) + sinpi(3u) + sin(nine) + sin(0.0);
  y[1] = (make_float2(1, 2) + make_float2(3, 4)).y;
})",
                              "k");
  const gp::array y = gp::zeros({2}, gp::float32);
  kernel(1, 1, y);
  EXPECT_EQ(values<float>(y), (std::vector<float>{3 + 1 + 3 + 5 + 1 + 2 + 7 + 8, 6}));
}

TEST_F(Words, HeadersThatAreKnown) {
  const std::vector<std::string> names = known_headers();
  std::string text;
  for (const std::string &name : names) text += "#include <" + name + ">\n#include \"" + name + "\"\n";
  const gp::raw_kernel kernel(text + "__global__ void k(int *y) { y[0] = 5; }", "k");
  const gp::array y = gp::zeros({1}, gp::int32);
  kernel(1, 1, y);
  EXPECT_EQ(values<int32_t>(y)[0], 5);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST_F(Words, AnUnknownHeaderIsNamedWithThoseThatAreKnown) {
  const gp::raw_kernel kernel("#include <thrust/host_vector.h>\n__global__ void k(int *y) {}", "k");
  const gp::array y = gp::zeros({1}, gp::int32);
  expect_error(GPUOPT_ERR_COMPILE, {"thrust/host_vector.h", "these headers alone", " cuda.h "},
               [&] { kernel(1, 1, y); });
}

}  // namespace
