// tests/unit/cpu_fission_test.cpp -- kernels whose threads wait for each other, lowered to loops and to coroutines. The
// results have the same bits as each other and as those of plain host code.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::kNumber;
using gpuopt::test::noise;
using gpuopt::test::Shape;

enum class Form { loops, coroutines };

// Runs a kernel of (const T *in, T *out, int n) in both forms, which must write the same, and returns that. `form` is
// the form that the kernel must get if it may become loops.
template <class T>
std::vector<T> run_both(const std::string &body, Form form, const std::vector<T> &in, size_t nout, Shape grid,
                        Shape block, int n = 0) {
  const std::string type = sizeof(T) == 8 ? "double" : std::is_integral_v<T> ? "unsigned" : "float";
  const std::string text =
      "typedef " + type + " T;\nextern \"C\" __global__ void k(const T *in, T *out, int n) {\n" + body + "\n}";
  const Kernel loops(text, true), coroutines(text, false);
  EXPECT_EQ(loops.loops(), form == Form::loops) << body;
  std::vector<T> first(nout), second(nout);
  loops.run(grid, block, in.data(), first.data(), n);
  coroutines.run(grid, block, in.data(), second.data(), n);
  for (size_t k = 0; k < nout; ++k) {
    if (first[k] != first[k] && second[k] != second[k]) continue;  // any NaN will do
    EXPECT_EQ(std::memcmp(&first[k], &second[k], sizeof(T)), 0) << body << " at " << k;
  }
  return first;
}
const Shape kShapes[] = {{32, 1, 1}, {1, 1, 1}, {7, 5, 3}, {1024, 1, 1}, {16, 16, 1}, {100, 1, 2}, {4, 8, 16}};

TEST(Fission, ReversesABlockOfAnyShape) {
  for (const Shape &shape : kShapes) {
    const size_t size = shape.volume(), blocks = 6;
    const std::vector<unsigned> in = noise<unsigned>(size * blocks);
    const auto got = run_both(std::string(kNumber) + R"(
      __shared__ T tile[1024];
      unsigned base = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * N;
      tile[t] = in[base + t];
      __syncthreads();
      out[base + t] = tile[N - 1 - t];)",
                              Form::loops, in, in.size(), {1, 2, 3}, shape);
    for (size_t k = 0; k < got.size(); k++) ASSERT_EQ(got[k], in[k / size * size + size - 1 - k % size]);
  }
}

TEST(Fission, TiledMatrixProductWithRaggedEdges) {
  for (const int tile : {8, 16, 32}) {
    const int n = 75, blocks = (n + tile - 1) / tile;
    const std::vector<float> in = noise<float>(size_t(2 * n * n));
    const auto got = run_both("#define TILE " + std::to_string(tile) + R"(
      const T *a = in, *b = in + n * n;
      __shared__ float ta[TILE][TILE], tb[TILE][TILE];
      int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
      float sum = 0;
      for (int s = 0; s < (n + TILE - 1) / TILE; s++) {
        ta[y][x] = row < n && s * TILE + x < n ? a[row * n + s * TILE + x] : 0;
        tb[y][x] = column < n && s * TILE + y < n ? b[(s * TILE + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
      }
      if (row < n && column < n) out[row * n + column] = sum;)",
                              Form::loops, in, size_t(n * n), {uint32_t(blocks), uint32_t(blocks), 1},
                              {uint32_t(tile), uint32_t(tile), 1}, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float want = 0;
        for (int k = 0; k < n; k++) want += in[size_t(i * n + k)] * in[size_t(n * n + k * n + j)];
        ASSERT_EQ(got[size_t(i * n + j)], want) << i << ' ' << j;
      }
  }
}

TEST(Fission, TreeReductionAfterAStridedSum) {
  const int n = 10007;
  const std::vector<double> in = noise<double>(n);
  const auto got = run_both(R"(
      __shared__ T partial[256];
      T mine = 0;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += in[i];
      partial[threadIdx.x] = mine;
      __syncthreads();
      for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
      }
      if (threadIdx.x == 0) out[blockIdx.x] = partial[0];)",
                            Form::loops, in, 3, {3}, {256}, n);
  for (int block = 0; block < 3; block++) {
    std::vector<double> partial(256);
    for (int t = 0; t < 256; t++)
      for (int i = block * 256 + t; i < n; i += 768) partial[size_t(t)] += in[size_t(i)];
    for (size_t s = 128; s; s /= 2)
      for (size_t t = 0; t < s; t++) partial[t] += partial[t + s];
    EXPECT_EQ(got[size_t(block)], partial[0]);
  }
}

// Threads run different numbers of iterations, none, or all the same number. The values that leave the loop are those
// of each thread.
TEST(Fission, StridedLoopsOfAnyLength) {
  const std::string text =
      std::string("extern \"C\" __global__ void k(const unsigned *in, unsigned *out, int n) {\n") + kNumber + R"(
      __shared__ unsigned s[1024];
      unsigned sum = 0, last = 7, count = 0, at = (blockIdx.x * N + t) * 5;
      int i = blockIdx.x * N + t;
      for (; i < n; i += gridDim.x * N) {
        sum = sum * 3 + in[i];
        if (in[i] & 1) last = in[i] ^ i;
        count++;
      }
      s[t] = sum;
      __syncthreads();
      unsigned j = t + n, passed = 0;
      do passed += in[j] & 15; while ((j += 64) < 200);
      out[at] = s[N - 1 - t];
      out[at + 1] = last;
      out[at + 2] = count;
      out[at + 3] = i;
      out[at + 4] = passed * 1000 + j;
    })";
  const std::vector<unsigned> in = noise<unsigned>(3000);
  for (const int level : {2, 3, 4}) {
    if (gpuopt::cpu::isa_level() < level) continue;
    const Kernel kernel(text, true, level);
    ASSERT_TRUE(kernel.loops());
    for (const Shape &shape : kShapes) {
      for (const int n : {0, 1, 31, 64, 257, 1000}) {
        const unsigned size = shape.volume(), blocks = 3;
        std::vector<unsigned> got(size * blocks * 5);
        kernel.run({blocks}, shape, in.data(), got.data(), n);
        for (unsigned g = 0; g < size * blocks; g++) {
          const auto sum_of = [&](unsigned first) {
            unsigned sum = 0;
            for (unsigned i = first; i < unsigned(n); i += size * blocks) sum = sum * 3 + in[i];
            return sum;
          };
          unsigned last = 7, count = 0, i = g, j = g % size + unsigned(n), passed = 0;
          for (; i < unsigned(n); i += size * blocks, count++) last = in[i] & 1 ? in[i] ^ i : last;
          do passed += in[j] & 15;
          while ((j += 64) < 200);
          const unsigned want[] = {sum_of(g / size * size + size - 1 - g % size), last, count, i, passed * 1000 + j};
          for (size_t k = 0; k < 5; k++)
            ASSERT_EQ(got[g * 5 + k], want[k]) << "thread " << g << " of " << size << ", n " << n << ", word " << k;
        }
      }
    }
  }
}

// The carried variable comes before the induction variable in the loop's header, or behind it.
TEST(Fission, StridedLoopsCarryTheIndexOfThePreviousIteration) {
  const unsigned n = 500;
  const std::vector<unsigned> in = noise<unsigned>(n);
  for (const bool first : {true, false}) {
    const std::string loop =
        first ? "unsigned last = 7, i = t; for (; i < n; i += N)" : "unsigned i = t, last = 7; for (; i < n; i += N)";
    const auto got = run_both(std::string(kNumber) + "unsigned sum = 0;\n" + loop + R"( {
        sum = sum * 3 + in[i] * last;
        last = i;
      }
      __syncthreads();
      out[t] = sum + last;)",
                              Form::loops, in, 64, {1}, {64}, int(n));
    for (unsigned t = 0; t < 64; t++) {
      unsigned sum = 0, last = 7;
      for (unsigned i = t; i < n; last = i, i += 64) sum = sum * 3 + in[i] * last;
      EXPECT_EQ(got[t], sum + last) << t;
    }
  }
}

TEST(Fission, AtomicsInAStridedLoopRunInTheOrderOfThreads) {
  const std::vector<float> in = noise<float>(300);
  const auto got = run_both(R"(
      __shared__ T sum;
      sum = 0;
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += 64) atomicAdd(&sum, in[i] * 0.1f);
      __syncthreads();
      out[threadIdx.x] = sum;)",
                            Form::loops, in, 64, {1}, {64}, 300);
  float sum = 0;
  for (size_t t = 0; t < 64; t++)
    for (size_t i = t; i < 300; i += 64) sum += in[i] * 0.1f;
  for (const float x : got) EXPECT_EQ(x, sum);
}

// With atomics before and behind it, and no barrier between, a strided loop is not run in lockstep.
TEST(Fission, AStridedLoopBetweenAtomicsKeepsTheirOrder) {
  const std::vector<float> in = noise<float>(300);
  const auto got = run_both(R"(
      __shared__ T sum;
      sum = 0;
      __syncthreads();
      T mine = 0;
      atomicAdd(&sum, in[threadIdx.x] * 0.3f);
      for (int i = threadIdx.x; i < n; i += 64) mine += in[i];
      atomicAdd(&sum, mine * 0.1f);
      __syncthreads();
      out[threadIdx.x] = sum;)",
                            Form::loops, in, 64, {1}, {64}, 300);
  float sum = 0;
  for (size_t t = 0; t < 64; t++) {
    float mine = 0;
    sum += in[t] * 0.3f;
    for (size_t i = t; i < 300; i += 64) mine += in[i];
    sum += mine * 0.1f;
  }
  for (const float x : got) EXPECT_EQ(x, sum);
}

// The last warp of a block may have fewer than 32 lanes.
TEST(Fission, WholeWarpsExchange) {
  for (const unsigned size : {32u, 64u, 100u, 7u}) {
    const std::vector<unsigned> in = noise<unsigned>(size);
    const auto got = run_both(R"(
      unsigned t = threadIdx.x, x = in[t], *o = out + 6 * t;
      o[0] = __shfl_down_sync(0xffffffffu, x, 3);
      o[1] = __shfl_up_sync(0xffffffffu, x, n, 8);
      o[2] = __shfl_xor_sync(0xffffffffu, x, 5);
      o[3] = __shfl_sync(0xffffffffu, x, x & 31);
      o[4] = __ballot_sync(0xffffffffu, x & 1);
      __syncwarp();
      o[5] = __reduce_max_sync(0xffffffffu, x) * 2 + __any_sync(0xffffffffu, x > 1900);)",
                              Form::loops, in, 6 * size, {1}, {size}, 2);
    for (unsigned t = 0; t < size; t++) {
      const unsigned begin = t / 32 * 32, end = std::min(begin + 32, size), lane = t % 32;
      unsigned ballot = 0, most = 0;
      for (unsigned other = begin; other < end; other++) {
        ballot |= (in[other] & 1) << (other - begin);
        most = std::max(most, in[other]);
      }
      const auto of = [&](unsigned other) { return other >= begin && other < end ? in[other] : in[t]; };
      const unsigned want[] = {
          of(t + 3), lane % 8 >= 2 ? in[t - 2] : in[t], of(begin + (lane ^ 5)), of(begin + (in[t] & 31)),
          ballot,    most * 2 + (most > 1900)};
      for (size_t k = 0; k < 6; k++) ASSERT_EQ(got[6 * t + k], want[k]) << size << ' ' << t << ' ' << k;
    }
  }
}

// The usual reduction of a block: each warp sums its values, and the first warp sums the results.
TEST(Fission, OneWarpSumsTheSumsOfAll) {
  for (const unsigned size : {256u, 96u, 32u, 1000u}) {
    const std::vector<float> in = noise<float>(5000);
    const auto got = run_both(R"(
      __shared__ T sums[32];
      unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
      T x = 0;
      for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) x += in[i];
      for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
      if (lane == 0) sums[warp] = x;
      __syncthreads();
      if (warp == 0) {
        x = lane < (blockDim.x + 31) / 32 ? sums[lane] : 0;
        for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
        if (t == 0) out[blockIdx.x] = x;
      })",
                              Form::loops, in, 3, {3}, {size}, 5000);
    const auto sum_of_warp = [](std::vector<float> x) {
      const size_t lanes = x.size();
      for (size_t s = 16; s > 0; s /= 2)
        for (size_t lane = 0; lane < lanes; lane++) x[lane] += x[lane + s < lanes ? lane + s : lane];
      return x[0];
    };
    for (unsigned block = 0; block < 3; block++) {
      std::vector<float> sums(32);
      for (unsigned begin = 0; begin < size; begin += 32) {
        std::vector<float> x(std::min(32u, size - begin));
        for (unsigned lane = 0; lane < x.size(); lane++)
          for (unsigned i = block * size + begin + lane; i < 5000; i += 3 * size) x[lane] += in[i];
        sums[begin / 32] = sum_of_warp(x);
      }
      sums.resize(std::min(32u, size));
      EXPECT_EQ(got[block], sum_of_warp(sums)) << size << ' ' << block;
    }
  }
}

// A branch that is uniform in the warps of a block of one row may diverge in those of other blocks, which are
// coroutines.
TEST(Fission, WarpsOfBlocksOfSeveralRows) {
  const std::vector<unsigned> in = noise<unsigned>(96);
  const std::string body = std::string(kNumber) + R"(
      T x = in[t];
      if (threadIdx.x < 32) x = x * 3 + __shfl_up_sync(0xffffffffu, x, 1);
      out[t] = x;)";
  const auto one = run_both(body, Form::loops, in, 96, {1}, {96}),
             two = run_both(body, Form::loops, in, 96, {1}, {48, 2});
  for (unsigned t = 0; t < 96; t++) {
    EXPECT_EQ(one[t], t < 32 ? in[t] * 3 + in[t ? t - 1 : 0] : in[t]) << t;
    const unsigned lane = t % 32, given = lane == 0           ? in[t]
                                          : (t - 1) % 48 < 32 ? in[t - 1]
                                                              : 0;  // threads that have returned give 0
    EXPECT_EQ(two[t], t % 48 < 32 ? in[t] * 3 + given : in[t]) << t;
  }
}

TEST(Fission, OnlyTheWarpsThatTakeABranchTouchMemory) {
  const std::vector<unsigned> in = noise<unsigned>(96);
  const auto got = run_both(R"(
      if (threadIdx.x / 32 == 1) {
        T x = __shfl_xor_sync(0xffffffffu, in[threadIdx.x], 1);
        out[threadIdx.x] = x;
      })",
                            Form::loops, in, 96, {1}, {96});
  for (unsigned t = 0; t < 96; t++) EXPECT_EQ(got[t], t / 32 == 1 ? in[t ^ 1] : 0) << t;
}

TEST(Fission, ThreadsReadWhatTheyWrote) {
  const std::vector<unsigned> in = noise<unsigned>(256);
  const auto got = run_both(R"(
      __shared__ T s[512];
      unsigned t = threadIdx.x, *p = s + 2 * t;
      s[2 * t] = in[t];
      s[2 * t + 1] = in[t] * 3;
      p[n] += 5;               // n is 1: the element that was written last
      out[2 * t] = s[2 * t + 1];
      out[2 * t + 1] = p[0] ^ out[2 * t];
      __syncthreads();
      out[2 * t] += s[2 * (255 - t)];)",
                            Form::loops, in, 512, {1}, {256}, 1);
  for (size_t t = 0; t < 256; t++) {
    EXPECT_EQ(got[2 * t], in[t] * 3 + 5 + in[255 - t]);
    EXPECT_EQ(got[2 * t + 1], in[t] ^ (in[t] * 3 + 5));
  }
}

// Two adjacent loads may not be combined into one in front of the store between them.
TEST(Fission, AStoreBetweenTwoLoadsIsSeenByTheSecond) {
  const std::vector<unsigned> in = noise<unsigned>(512);
  const auto got = run_both(R"(
      __shared__ T s[1025];
      unsigned t = threadIdx.x;
      s[2 * t] = in[2 * t];
      s[2 * t + 1] = in[2 * t + 1];
      __syncthreads();
      T *p = s + 2 * t, first = p[0];
      p[n] = first * 7 + t;    // n is 1: the second element
      out[t] = first ^ p[1];)",
                            Form::loops, in, 256, {1}, {256}, 1);
  for (unsigned t = 0; t < 256; t++) EXPECT_EQ(got[t], in[2 * t] ^ (in[2 * t] * 7 + t));
}

// A value from the beginning of an iteration is read when that of the next iteration is known already.
TEST(Fission, TheLastIterationsFirstValueIsReadBehindTheLoop) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const auto got = run_both(R"(
      __shared__ T s[64];
      unsigned t = threadIdx.x, x = in[t], before = 0;
      for (int k = 0;; k++) {
        before = x;
        s[t] = x;
        __syncthreads();
        x = x * 3 + s[(t + 1) % 64];
        __syncthreads();
        if (k == n) break;
      }
      out[2 * t] = before;
      out[2 * t + 1] = x;)",
                            Form::loops, in, 128, {1}, {64}, 4);
  std::vector<unsigned> x = in, before;
  for (int k = 0; k <= 4; k++) {
    before = x;
    for (size_t t = 0; t < 64; t++) x[t] = before[t] * 3 + before[(t + 1) % 64];
  }
  for (size_t t = 0; t < 64; t++) {
    EXPECT_EQ(got[2 * t], before[t]);
    EXPECT_EQ(got[2 * t + 1], x[t]);
  }
}

TEST(Fission, LocalArraysAndValuesThatSwapAcrossBarriers) {
  const std::vector<unsigned> in = noise<unsigned>(96);
  const auto got = run_both(R"(
      unsigned t = threadIdx.x, local[5] = {in[t], t, 3, 4, 5}, a = in[t], b = t;
      __shared__ T s[96];
      for (int k = 0; k < n; k++) {
        unsigned old = a;
        a = b + local[(t + k) % 5];
        b = old;
        s[t] = a;
        __syncthreads();
        local[k % 5] += s[(t + 1) % 96];
        unsigned *where = k & 1 ? local : local + 1;
        where[t & 3] ^= k;
        __syncthreads();
      }
      out[t] = a * 31 + b + local[0] + local[1] + local[2] + local[3] + local[4];)",
                            Form::loops, in, 96, {1}, {96}, 9);
  std::vector<std::vector<unsigned>> local(96);
  std::vector<unsigned> a = in, b(96), s(96);
  for (unsigned t = 0; t < 96; t++) local[t] = {in[t], t, 3, 4, 5}, b[t] = t;
  for (unsigned k = 0; k < 9; k++) {
    for (unsigned t = 0; t < 96; t++) {
      const unsigned old = a[t];
      s[t] = a[t] = b[t] + local[t][(t + k) % 5];
      b[t] = old;
    }
    for (unsigned t = 0; t < 96; t++) {
      local[t][k % 5] += s[(t + 1) % 96];
      local[t][(k & 1 ? 0 : 1) + (t & 3)] ^= k;
    }
  }
  for (unsigned t = 0; t < 96; t++)
    EXPECT_EQ(got[t], a[t] * 31 + b[t] + local[t][0] + local[t][1] + local[t][2] + local[t][3] + local[t][4]);
}

TEST(Fission, TheOrderOfAtomicsIsThatOfTheThreads) {
  const std::vector<float> in = noise<float>(128);
  const auto got = run_both(R"(
      __shared__ T sum;
      sum = 0;
      __syncthreads();
      for (int k = 0; k < n; k++) atomicAdd(&sum, in[threadIdx.x] * 0.1f + k);
      if (n > 3) atomicAdd(&sum, in[127 - threadIdx.x] * 0.3f);
      __syncthreads();
      out[threadIdx.x] = sum;)",
                            Form::loops, in, 128, {1}, {128}, 5);
  float sum = 0;
  for (size_t t = 0; t < 128; t++) {
    for (int k = 0; k < 5; k++) sum += in[t] * 0.1f + float(k);
    sum += in[127 - t] * 0.3f;
  }
  for (const float x : got) EXPECT_EQ(x, sum);
}

TEST(Fission, AtomicsOnBothSidesOfABranchWithABarrierAreNotReordered) {
  const std::vector<float> in = noise<float>(64);
  run_both(R"(
      __shared__ T sum;
      sum = 0;
      for (int k = 0; k < n; k++) {
        __syncthreads();
        atomicAdd(&sum, in[threadIdx.x] * 0.1f);
        if (k == 2) __syncthreads();
        atomicAdd(&sum, in[threadIdx.x] * 0.3f);
      }
      __syncthreads();
      out[threadIdx.x] = sum;)",
           Form::coroutines, in, 64, {1}, {64}, 5);
}

TEST(Fission, BlocksReturnTogetherOrCountTheirThreads) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const auto got = run_both(R"(
      if (blockIdx.x == 1 || n == 0) return;
      out[blockIdx.x * 64 + threadIdx.x] = __syncthreads_count(in[threadIdx.x] > n) * 10 +
                                           __syncthreads_or(threadIdx.x == 3) * 2 +
                                           __syncthreads_and(threadIdx.x == 3);)",
                            Form::loops, in, 192, {3}, {64}, 900);
  unsigned count = 0;
  for (const unsigned x : in) count += x > 900;
  for (size_t k = 0; k < 192; k++) EXPECT_EQ(got[k], k / 64 == 1 ? 0 : count * 10 + 2);
}

// No other host thread accesses shared memory, and integer sums do not depend on their order. Such loops therefore run
// in lockstep, without atomic instructions.
TEST(Fission, HistogramsInSharedMemory) {
  const int n = 5000;
  const std::vector<unsigned> in = noise<unsigned>(n);
  const auto got = run_both(R"(
      __shared__ unsigned own[64], most;
      if (threadIdx.x < 64) own[threadIdx.x] = 0;
      if (threadIdx.x == 0) most = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[in[i] % 64], 1u);
      __syncthreads();
      if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], own[threadIdx.x]);)",
                            Form::loops, in, 64, {3}, {96}, n);
  std::vector<unsigned> want(64);
  for (const unsigned x : in) want[x % 64]++;
  EXPECT_EQ(got, want);
}

// A loop as text, and the same compiled for the host. `visit` is called in each iteration.
using Visit = std::function<void(uint64_t)>;
struct StridedLoop {
  const char *text;
  void (*run)(unsigned t, unsigned N, int n, const Visit &visit);
};
#define STRIDED(...)                                                                                     \
  {                                                                                                      \
#__VA_ARGS__, [](unsigned t, unsigned N, [[maybe_unused]] int n, const Visit &visit) { __VA_ARGS__ } \
  }
constexpr StridedLoop kStridedLoops[] = {
    STRIDED(for (int i = int(t); i < n; i += int(N)) visit(unsigned(i));),
    STRIDED(for (int i = n - 1 - int(t); i >= 0; i -= int(N)) visit(unsigned(i));),
    STRIDED(for (int i = int(t) - 300; n >= i; i += int(N)) visit(unsigned(i));),
    STRIDED(for (int i = int(t * 2); i <= n; i += int(N) * 2) visit(unsigned(i));),
    STRIDED(for (int i = int(t ^ 5); i < n; i += int(N)) visit(unsigned(i));),
    STRIDED(for (int i = int(t * 7 % 32); i < n; i += int(N)) visit(unsigned(i));),
    // The first threads have no iteration, or the variable wraps around in some threads before it does in others.
    STRIDED(for (unsigned i = t - 5; i < unsigned(n); i += N) visit(i);),
    STRIDED(for (unsigned i = 4294967000u + t; i > 4294960000u; i += N) visit(i);),
    STRIDED(for (unsigned i = 4294966000u + t; i + 20 >= 4294960000u; i += N) visit(i);),
    STRIDED(for (unsigned i = unsigned(n) - 1 - t; i < unsigned(n); i -= N) visit(i);),
    STRIDED(for (unsigned i = 2147483000u + t; i < 2147483000u + unsigned(n); i += N) visit(i);),
    STRIDED(for (unsigned short i = (unsigned short)(65000 + t); i > 64000; i = (unsigned short)(i + N)) visit(i);),
    STRIDED(for (short i = (short)(32000 + t); i > 31000; i = (short)(i + N)) visit((unsigned)i);),
    STRIDED(for (unsigned i = 4294966000u + t; (long long)i + 1 > n + 4294960000ll; i += N) visit(i);),
    STRIDED(for (long long i = t; i < n; i += N) visit((unsigned)i);),
    STRIDED(for (unsigned long long i = t + 4294967000ull; i < 4294967000ull + unsigned(n); i += N)
                visit((unsigned)i);),
    STRIDED(unsigned i = t; do visit(i); while ((i += N) < unsigned(n));),
    STRIDED(unsigned i = t; if (t % 3 != 1) do visit(i); while ((i += N) < unsigned(n));),
    STRIDED(unsigned i = t; do {
      visit(i);
      i += N;
    } while (i - 3 < unsigned(n));),
    STRIDED(for (int i = int(t); i < n; i += int(N)) {
      if (i % 3 == 0) continue;
      visit(unsigned(i));
    }),
    STRIDED(for (int i = int(t); i < n; i += int(N)) {
      if (i > 500) break;
      visit(unsigned(i));
    }),
    STRIDED(for (int i = int(t); i < n && i % 100 != 77; i += int(N)) visit(unsigned(i));),
    STRIDED(for (int i = int(t), k = 0; i < n; i += int(N), k++) visit(unsigned(i * 3 + k));),
};
#undef STRIDED

// Loops whose end is tested for the least and the greatest of the threads' values alone. Threads of a block end at
// different iterations, or have none.
TEST(Fission, StridedLoopsThatUpdateAtomically) {
  for (const StridedLoop &loop : kStridedLoops) {
    const Kernel kernel(
        "#define visit(x) (atomicAdd(&own[(unsigned(x) * 2654435761u) >> 26], 1u), last = (x), count++)\n"
        "extern \"C\" __global__ void k(unsigned *out, int n) {\n" +
            std::string(kNumber) +
            "__shared__ unsigned own[64];\nunsigned last = 99, count = 0;\n"
            "for (unsigned k = t; k < 64; k += N) own[k] = 0;\n__syncthreads();\n" +
            loop.text +
            "\n__syncthreads();\nfor (unsigned k = t; k < 64; k += N) out[k] = own[k];\n"
            "out[64 + 2 * t] = last; out[65 + 2 * t] = count;\n}",
        true);
    ASSERT_TRUE(kernel.loops()) << loop.text;
    for (const Shape &shape : {Shape{1}, Shape{33}, Shape{64}, Shape{7, 5, 3}, Shape{1000}, Shape{1024}}) {
      for (const int n : {0, 1, 63, 64, 65, 700, 1000, 2048}) {
        const unsigned size = shape.volume();
        std::vector<unsigned> got(64 + 2 * size), want(64 + 2 * size);
        kernel.run({1}, shape, got.data(), n);
        for (unsigned t = 0; t < size; t++) {
          unsigned *const mine = &want[64 + 2 * t];
          mine[0] = 99;
          loop.run(t, size, n, [&](uint64_t i) {
            want[(unsigned(i) * 2654435761u) >> 26]++;
            mine[0] = unsigned(i);
            mine[1]++;
          });
        }
        ASSERT_EQ(got, want) << loop.text << " of " << size << " threads, n " << n;
      }
    }
  }
}

// The 64 bits of a variable of 32 bits, of either sign, also where it wraps around in some threads: before the first
// iteration or at the end of one.
TEST(Fission, StridedLoopsExtendTheirVariable) {
  constexpr int kLeast = std::numeric_limits<int>::min(), kGreatest = std::numeric_limits<int>::max();
  const struct {
    int first, step, n;
  } cases[] = {{0, 256, 5000},
               {-700, 256, 300},
               {5, 256, 5},
               {kGreatest - 2000, 256, kGreatest - 300},
               {kGreatest - 50, 256, kLeast + 1000},
               {kGreatest - 255, 256, kLeast + 1000},
               {kGreatest - 256, 256, kLeast + 1000},
               {kGreatest - 1000, 900, kLeast + 1000},
               {kGreatest - 1000, 1001, kLeast + 2000}};
  const auto slot = [](int64_t i) { return (static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15) >> 58; };
  for (const bool guarded : {true, false}) {
    const std::string visit = "atomicAdd(&own[((unsigned long long)i * 0x9E3779B97F4A7C15ull) >> 58], 1u);";
    const std::string next = "i = (int)((unsigned)i + (unsigned)step)", begin = "int i = (int)(threadIdx.x + first);\n";
    const std::string loop = guarded ? begin + "for (; i < n; " + next + ") " + visit
                                     : begin + "do { " + visit + next + "; } while (i < n);";
    const Kernel kernel(
        "extern \"C\" __global__ void k(unsigned *out, int first, int step, int n) {\n__shared__ unsigned own[64];\n"
        "if (threadIdx.x < 64) own[threadIdx.x] = 0;\n__syncthreads();\n" +
            loop + "\n__syncthreads();\nif (threadIdx.x < 64) out[threadIdx.x] = own[threadIdx.x];\n}",
        true);
    ASSERT_TRUE(kernel.loops()) << loop;
    for (const auto &[first, step, n] : cases) {
      std::vector<unsigned> got(64), want(64);
      kernel.run({1}, {256}, got.data(), first, step, n);
      for (unsigned t = 0; t < 256; t++) {
        int i = static_cast<int>(t + static_cast<unsigned>(first));
        if (guarded && i >= n) continue;
        do {
          want[slot(i)]++;
          i = static_cast<int>(static_cast<unsigned>(i) + static_cast<unsigned>(step));
        } while (i < n);
      }
      EXPECT_EQ(got, want) << loop << " from " << first << " in steps of " << step << " to " << n;
    }
  }
}

// Updates of different kinds, and updates whose result is used, keep their order.
TEST(Fission, AtomicUpdatesThatDoNotCommute) {
  const int n = 3000;
  const std::vector<unsigned> in = noise<unsigned>(n);
  for (const char *const update : {"atomicAdd(&own[in[i] % 8], 3u); atomicMax(&own[in[i] % 8], in[i]);",
                                   "own[8 + threadIdx.x % 8] += atomicAdd(&own[in[i] % 8], 1u) * (i + 1);",
                                   "atomicExch(&own[in[i] % 8], i);", "atomicCAS(&own[in[i] % 8], in[i] % 3, i);",
                                   "atomicXor(&own[in[i] % 8], i);", "atomicMin(&own[in[i] % 8], in[i]);"})
    run_both(std::string(R"(
      __shared__ unsigned own[16];
      if (threadIdx.x < 16) own[threadIdx.x] = 1000 * threadIdx.x;
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {)") +
                 update + "}\n__syncthreads(); if (threadIdx.x < 16) out[threadIdx.x] = own[threadIdx.x];",
             Form::loops, in, 16, {1}, {64}, n);
}

// Compared with plain code, since loops and coroutines might both have another order.
TEST(Fission, AdditionsAndExclusiveOrsOfAVariableRunInTheOrderOfThreads) {
  const unsigned n = 3000, threads = 64;
  const std::vector<unsigned> in = noise<unsigned>(n);
  const auto got = run_both(R"(
      __shared__ unsigned own[8];
      if (threadIdx.x < 8) own[threadIdx.x] = 0;
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&own[i % 8], 3000u);
        atomicXor(&own[i % 8], in[i]);
      }
      __syncthreads();
      if (threadIdx.x < 8) out[threadIdx.x] = own[threadIdx.x];)",
                            Form::loops, in, 8, {1}, {threads}, n);
  std::vector<unsigned> want(8);
  for (unsigned t = 0; t < threads; t++)
    for (unsigned i = t; i < n; i += threads) want[i % 8] = (want[i % 8] + 3000) ^ in[i];
  EXPECT_EQ(got, want);
}

TEST(Fission, KernelsWithoutProofAreCoroutines) {
  const std::vector<unsigned> in = noise<unsigned>(64);
  const char *const bodies[] = {
      "if (threadIdx.x > 40) return; __syncthreads(); out[threadIdx.x] = 1;",
      "if (threadIdx.x > 40) __syncthreads(); out[threadIdx.x] = 1;",
      "for (unsigned k = 0; k < 3 + threadIdx.x % 2; k++) __syncthreads(); out[threadIdx.x] = 1;",
      "if (in[0] > 3) __syncthreads(); out[threadIdx.x] = 1;",
      "if (threadIdx.x % 32 < 16) out[threadIdx.x] = __shfl_down_sync(0xffffu, in[threadIdx.x], 1);",
      "out[threadIdx.x] = __shfl_down_sync(n == 5 ? 0xffffffffu : 1u, in[threadIdx.x], 1);",
      "if (threadIdx.x < 33) out[threadIdx.x] = __shfl_down_sync(0xffffffffu, in[threadIdx.x], 1);",
      "if (in[threadIdx.x] & 1) out[threadIdx.x] = __shfl_down_sync(0xffffffffu, in[threadIdx.x], 1);",
      "if (threadIdx.x < 32) { out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, n, 1); __syncthreads(); }",
      "T x = 1; if (threadIdx.x < 32) x = __shfl_xor_sync(0xffffffffu, 3u, 1); atomicAdd(out, x);",
      "for (unsigned k = 0; k < 1 + threadIdx.x / 32; k++) out[threadIdx.x] += __ballot_sync(0xffffffffu, k);",
      "if (threadIdx.x & 1) { out[threadIdx.x] = 1; __syncthreads(); } else { out[threadIdx.x] = 2; __syncthreads(); }",
  };
  for (const char *const body : bodies) run_both(body, Form::coroutines, in, 64, {1}, {64}, 5);
}
}  // namespace
