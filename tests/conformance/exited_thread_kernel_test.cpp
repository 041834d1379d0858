// tests/conformance/exited_thread_kernel_test.cpp -- blocks some of whose threads end while the others go on to
// barriers, on the device under test, against host code. A barrier waits for the threads that have not ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using Unsigned = std::vector<uint32_t>;

class ExitedThreads : public KernelFormsTest {};

// Which threads take part in the rounds: those for which the condition holds leave before the first.
enum class Leaves { none, behind, odd, all_but_one, a_warp };
constexpr Leaves kLeaves[] = {Leaves::none, Leaves::behind, Leaves::odd, Leaves::all_but_one, Leaves::a_warp};

std::string condition(Leaves which) {
  switch (which) {
    case Leaves::none:
      return "false";
    case Leaves::behind:
      return "g >= n";
    case Leaves::odd:
      return "t % 2";
    case Leaves::all_but_one:
      return "t != blockIdx.x";
    default:
      return "t / 32 == 0 && blockDim.x > 32";
  }
}

bool leaves(Leaves which, uint32_t t, uint32_t block, uint32_t size, uint32_t n) {
  switch (which) {
    case Leaves::none:
      return false;
    case Leaves::behind:
      return block * size + t >= n;
    case Leaves::odd:
      return t % 2;
    case Leaves::all_but_one:
      return t != block;
    default:
      return t / 32 == 0 && size > 32;
  }
}

constexpr uint32_t kBlocks = 3, kRounds = 5, kMost = 100;

// In each round a thread takes its neighbor's value of the round before, which is that of its end if it has ended.
// `leaves_in` is the round in which a thread ends, if it does.
template <class LeavesIn>
Unsigned expected(uint32_t size, LeavesIn leaves_in) {
  Unsigned out(kBlocks * size);
  for (uint32_t b = 0; b < kBlocks; b++) {
    Unsigned s(size), next;
    for (uint32_t t = 0; t < size; t++) s[t] = b * 1000 + t;
    for (uint32_t round = 0; round < kRounds; round++) {
      const auto goes_on = [&](uint32_t t) { return leaves_in(b, t) > round; };
      next = s;
      for (uint32_t t = 0; t < size; t++)
        if (goes_on(t)) next[t] = s[(t + 1) % size] * 3 + round;
      s = next;
    }
    for (uint32_t t = 0; t < size; t++) out[b * size + t] = leaves_in(b, t) >= kRounds ? s[t] : 7;
  }
  return out;
}

constexpr const char *kBegin = R"(
extern "C" __global__ void k(unsigned *out, unsigned n) {
  __shared__ unsigned s[100];
  unsigned t = threadIdx.x, size = blockDim.x, g = blockIdx.x * size + t;
  s[t] = blockIdx.x * 1000 + t;
  __syncthreads();
)";
constexpr const char *kRound = R"(
    unsigned next = s[(t + 1) % size] * 3 + round;
    __syncthreads();
    s[t] = next;
    __syncthreads();
)";

Unsigned run(const std::string &text, uint32_t size, uint32_t n) {
  const gp::array out(Unsigned(kBlocks * size, 7));
  try {
    gp::raw_kernel(text, "k")(kBlocks, size, out, n);
    return values<uint32_t>(out);
  } catch (const gp::error &e) {
    ADD_FAILURE() << text << "\n" << e.what();
    return {};
  }
}

void expect_rounds(const std::string &text, Leaves which) {
  for (const uint32_t size : {1u, 31u, 64u, kMost}) {
    const uint32_t n = 2 * size + size / 3;  // in the last block
    const auto leaves_in = [&](uint32_t b, uint32_t t) { return leaves(which, t, b, size, n) ? 0 : kRounds; };
    EXPECT_EQ(run(text, size, n), expected(size, leaves_in)) << text << " with " << size << " threads";
  }
}

TEST_F(ExitedThreads, ThatReturnDoNotHoldUpBarriersInALoop) {
  in_all_forms([] {
    for (const Leaves which : kLeaves) {
      expect_rounds(kBegin + ("  if (" + condition(which)) +
                        ") return;\n  for (unsigned round = 0; round < 5; round++) {" + kRound +
                        "  }\n  out[g] = s[t];\n}",
                    which);
    }
  });
}

// As if they had returned: there is nothing behind the branch. CUDA does not define it, and GPUs since Volta do it.
TEST_F(ExitedThreads, ThatAreLeftOutByABranchDoNotHoldUpBarriersInALoop) {
  in_unchecked_forms([] {
    for (const Leaves which : kLeaves) {
      expect_rounds(kBegin + ("  if (!(" + condition(which)) + ")) {\n  unsigned round = 0;\n  while (round < 5) {" +
                        kRound + "    round++;\n  }\n  out[g] = s[t];\n  }\n}",
                    which);
    }
  });
}

// Threads end in different rounds, between the two barriers of a round, and in different ways.
TEST_F(ExitedThreads, ThatEndInDifferentRounds) {
  const auto body = [](const char *ends, const char *behind) {
    return std::string(kBegin) + "  for (unsigned round = 0; round < 5; round++) {\n    if (round == t % 8) " + ends +
           ";" + kRound + "  }\n  " + behind + "out[g] = s[t];\n}";
  };
  const auto expect = [](const std::string &text) {
    for (const uint32_t size : {1u, 31u, 64u, kMost}) {
      const auto leaves_in = [](uint32_t, uint32_t t) { return t % 8; };
      EXPECT_EQ(run(text, size, 0), expected(size, leaves_in)) << text << " with " << size << " threads";
    }
  };
  in_all_forms([&] { expect(body("return", "")); });
  in_unchecked_forms([&] { expect(body("break", "if (t % 8 >= 5) ")); });
}

TEST_F(ExitedThreads, AreNotCountedAtBarriers) {
  in_all_forms([] {
    for (const Leaves which : kLeaves) {
      const std::string text = R"(
extern "C" __global__ void k(unsigned *out, unsigned n) {
  unsigned t = threadIdx.x, g = blockIdx.x * blockDim.x + t, sum = 0;
  if ()" + condition(which) + R"() return;
  for (unsigned round = 0; round < 5; round++)
    sum = sum * 10 + __syncthreads_count(t % 3 != round % 3) + __syncthreads_and(t < 99) + 3 * __syncthreads_or(t == 4);
  out[g] = sum;
})";
      for (const uint32_t size : {1u, 31u, 64u, kMost}) {
        const uint32_t n = 2 * size + size / 3;
        Unsigned want(kBlocks * size, 7);
        for (uint32_t b = 0; b < kBlocks; b++) {
          Unsigned left;
          for (uint32_t t = 0; t < size; t++)
            if (!leaves(which, t, b, size, n)) left.push_back(t);
          uint32_t sum = 0;
          const bool all = std::all_of(left.begin(), left.end(), [](uint32_t t) { return t < 99; });
          const bool any = std::count(left.begin(), left.end(), 4u) > 0;
          for (uint32_t round = 0; round < kRounds; round++) {
            const auto counts = [&](uint32_t t) { return t % 3 != round % 3; };
            sum = sum * 10 + uint32_t(std::count_if(left.begin(), left.end(), counts)) + all + 3 * any;
          }
          for (const uint32_t t : left) want[b * size + t] = sum;
        }
        EXPECT_EQ(run(text, size, n), want) << text << " with " << size << " threads";
      }
    }
  });
}

}  // namespace
