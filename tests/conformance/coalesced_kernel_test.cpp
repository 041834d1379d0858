// tests/conformance/coalesced_kernel_test.cpp -- cg::coalesced_threads() and __activemask() in code that not all lanes
// of a warp come to, on the device under test, against what each thread is to get.
//
// CUDA promises less: a GPU may let lanes that go the same way come to a call at different times. These texts are
// such that none does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using Ints = std::vector<int32_t>;

constexpr int kThreads = 80;  // of a block: two warps and a half

class Coalesced : public KernelFormsTest {};

// The lanes of thread t's warp for which `holds`, as a mask.
uint32_t lanes_where(int t, const std::function<bool(int)> &holds) {
  uint32_t mask = 0;
  for (int other = t / 32 * 32; other < std::min(t / 32 * 32 + 32, kThreads); other++)
    if (holds(other)) mask |= 1u << other % 32;
  return mask;
}
int count(uint32_t mask) { return __builtin_popcount(mask); }
int rank_in(uint32_t mask, int t) { return count(mask & ((1u << t % 32) - 1)); }
int first_of(uint32_t mask, int t) { return t / 32 * 32 + __builtin_ctz(mask); }

struct Case {
  const char *name, *code;  // of k(int *out), whose threads are numbered by t
  std::function<int(int t)> want;
};

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"a third of the lanes", R"(
  if (t % 3 == 0) {
    auto g = cg::coalesced_threads();
    int first = g.shfl(t, 0), next = g.shfl_down(t, 1);
    g.sync();
    out[t] = g.size() * 1000000 + g.thread_rank() * 10000 + first * 100 + next;
  })",
       [](int t) {
         const uint32_t mask = lanes_where(t, [](int k) { return k % 3 == 0; });
         if (t % 3) return -1;
         const bool last = rank_in(mask, t) == count(mask) - 1;
         return count(mask) * 1000000 + rank_in(mask, t) * 10000 + first_of(mask, t) * 100 + (last ? t : t + 3);
       }},
      {"all lanes", "\n  out[t] = cg::coalesced_threads().size() + int(__activemask() >> 1 & 4096);",
       [](int t) { return t < 64 ? 32 + 4096 : 16 + 4096; }},
      {"lanes of both branches, by one function with two callers", R"(
  if (t % 5 < 2) out[t] = next(&counters[0]); else out[t] = 1000 + next(&counters[1]);)",
       [](int t) {
         int before = 0;  // the warps come in their order
         for (int k = 0; k < t / 32 * 32; k++) before += (k % 5 < 2) == (t % 5 < 2);
         const uint32_t mask = lanes_where(t, [t](int k) { return (k % 5 < 2) == (t % 5 < 2); });
         return before + rank_in(mask, t) + (t % 5 < 2 ? 0 : 1000);
       }},
      {"lanes that are left", R"(
  if (t % 4 == 1) return;
  if (t >= 70) return;
  out[t] = int(__activemask() & 0x7fffffff);)",
       [](int t) {
         const auto stays = [](int k) { return k % 4 != 1 && k < 70; };
         return stays(t) ? static_cast<int>(lanes_where(t, stays) & 0x7fffffff) : -1;
       }},
      {"loops of different lengths", R"(
  int sum = 0;
  for (int i = 0; i < t * 7 % 6; i++) sum = sum * 33 + cg::coalesced_threads().size();
  out[t] = sum;)",
       [](int t) {
         uint32_t sum = 0;
         for (int i = 0; i < t * 7 % 6; i++)
           sum = sum * 33 + static_cast<uint32_t>(count(lanes_where(t, [i](int k) { return i < k * 7 % 6; })));
         return static_cast<int>(sum);
       }},
      {"nested branches, and a loop in them", R"(
  int sum = 0;
  if (t % 2) {
    if (t % 3) {
      for (int i = 0; i < 2 + t % 4; i++) {
        auto g = cg::coalesced_threads();
        sum += g.shfl(t * 3 + i, g.size() - 1);
      }
    } else {
      sum = -int(cg::coalesced_threads().size());
    }
    sum += 1000 * __popc(__activemask());
  }
  out[t] = sum;)",
       [](int t) {
         int sum = 0;
         if (t % 2 == 0) return 0;
         if (t % 3) {
           for (int i = 0; i < 2 + t % 4; i++) {
             const auto here = [i](int k) { return k % 2 && k % 3 && i < 2 + k % 4; };
             const uint32_t mask = lanes_where(t, here);
             sum += (t / 32 * 32 + 31 - __builtin_clz(mask)) * 3 + i;
           }
         } else {
           sum = -count(lanes_where(t, [](int k) { return k % 2 && k % 3 == 0; }));
         }
         return sum + 1000 * count(lanes_where(t, [](int k) { return k % 2 == 1; }));
       }},
      {"while others wait for the block, or for lanes of theirs", R"(
  if (t % 32 < 10) {
    out[t] = cg::coalesced_threads().size();
  } else if (t % 32 < 14) {
    __syncwarp(0x3c00);
    out[t] = 100 + __popc(__activemask());
  }
  __syncthreads();
  if (t % 32 >= 14) out[t] = 200 + cg::coalesced_threads().size();)",
       [](int t) {
         if (t % 32 < 10) return 10;
         return t % 32 < 14 ? 104 : t < 64 ? 218 : 202;
       }},
      {"a mask of the active lanes, and shuffles with it", R"(
  switch (t % 4) {
    case 0: case 3: {
      unsigned m = __activemask();
      out[t] = __shfl_sync(m, t, __ffs(m) - 1) * 100 + __reduce_add_sync(m, 1);
      break;
    }
    case 1: { unsigned m = __activemask(); out[t] = __ballot_sync(m, t % 8 == 1) & 0xffff; break; }
    default: out[t] = 0;
  })",
       [](int t) {
         if (t % 4 == 1) return static_cast<int>(lanes_where(t, [](int k) { return k % 8 == 1; }) & 0xffff);
         if (t % 4 == 2) return 0;
         return t / 32 * 3200 + count(lanes_where(t, [](int k) { return k % 4 == 0 || k % 4 == 3; }));
       }},
      {"parts of a coalesced group", R"(
  if (t % 3) {
    auto g = cg::coalesced_threads();
    auto part = cg::binary_partition(g, t % 4 < 2);
    out[t] = part.size() * 100 + part.thread_rank();
  })",
       [](int t) {
         if (t % 3 == 0) return -1;
         const uint32_t mask = lanes_where(t, [t](int k) { return k % 3 && (k % 4 < 2) == (t % 4 < 2); });
         return count(mask) * 100 + rank_in(mask, t);
       }},
  };
  return all;
}

std::string text_of(const Case &one) {
  return std::string(
             "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__device__ int counters[2];\n"
             "// One atomic function for all lanes that are here.\n"
             "__device__ int next(int *counter) {\n"
             "  auto g = cg::coalesced_threads();\n"
             "  int first;\n"
             "  if (g.thread_rank() == 0) first = atomicAdd(counter, g.size());\n"
             "  return g.shfl(first, 0) + g.thread_rank();\n"
             "}\n"
             "__global__ void k(int *out) {\n  const int t = threadIdx.x;") +
         one.code + "\n}\n";
}

TEST_F(Coalesced, LanesAreThoseThatComeToTheCall) {
  in_all_forms([&] {
    for (const Case &one : cases()) {
      const gp::array out = gp::full({kThreads}, -1, gp::int32);
      Ints want(kThreads);
      for (int t = 0; t < kThreads; t++) want[static_cast<size_t>(t)] = one.want(t);
      try {
        gp::raw_kernel(text_of(one), "k")(1, kThreads, out);
        EXPECT_EQ(values<int32_t>(out), want) << one.name;
      } catch (const gp::error &e) {
        ADD_FAILURE() << one.name << ": " << e.what();
      }
    }
  });
}

// Elements that pass a test are counted by one atomic function for all lanes that have one. Lanes of several iterations
// may be at the call at a time.
TEST_F(Coalesced, AggregatedAtomics) {
  const gp::raw_kernel filter(R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void filter(const int *x, int n, int *out, int *counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] % 7 != 0) continue;
    auto g = cg::coalesced_threads();
    int place;
    if (g.thread_rank() == 0) { place = atomicAdd(&counts[0], g.num_threads()); atomicAdd(&counts[1], 1); }
    out[g.shfl(place, 0) + g.thread_rank()] = i;
  }
})",
                              "filter");
  const int n = 10000;
  Ints x(n);
  for (int i = 0; i < n; i++) x[static_cast<size_t>(i)] = i * i % 1009 + i / 3;
  in_all_forms([&] {
    const gp::array out = gp::full({n}, -1, gp::int32), counts = gp::zeros({2}, gp::int32);
    filter(5, 96, gp::array(x), n, out, counts);
    std::set<int> want, warps;
    for (int i = 0; i < n; i++)
      if (x[static_cast<size_t>(i)] % 7 == 0) want.insert(i), warps.insert(i / 32);
    Ints got = values<int32_t>(out);
    const Ints counted = values<int32_t>(counts);
    ASSERT_EQ(counted[0], static_cast<int>(want.size()));
    got.resize(want.size());
    EXPECT_EQ(std::set<int>(got.begin(), got.end()), want);
    EXPECT_GE(counted[1], static_cast<int>(want.size() + 31) / 32);
    const int most = static_cast<int>(on_cpu ? warps.size() : want.size());
    EXPECT_LE(counted[1], most);
  });
}

// On the CPU a function that calls itself cannot wait, and its thread is alone there.
TEST_F(Coalesced, InFunctionsThatCallThemselves) {
  const gp::raw_kernel kernel(R"(
__device__ int walk(int n) { return n == 0 ? __popc(__activemask()) : walk(n - 1); }
__global__ void k(int *out) { out[threadIdx.x] = walk(threadIdx.x % 4); })",
                              "k");
  const gp::array out = gp::zeros({kThreads}, gp::int32);
  kernel(1, kThreads, out);
  for (const int lanes : values<int32_t>(out)) {
    EXPECT_GE(lanes, 1);
    EXPECT_LE(lanes, on_cpu ? 1 : 32);
  }
}

}  // namespace
