// tests/unit/cpu_check_test.cpp -- GPUOPT_CPU_CHECK: the messages about kernels with errors, word for word, and that
// there are none about correct kernels. Some of both are random.
#include <gpuopt/kernel_next.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/code/jit.h"
#include "plugins/cpu/kernel/block_check.h"
#include "plugins/cpu/kernel/kernel_object.h"
#include "plugins/shared/host/barrier.h"
#include "tests/unit/cpu_test_host.h"

namespace {

using gpuopt::test::TestHost;

struct Shape {
  uint32_t grid = 1, block = 32, shared = 0;
};

class Checked {
 public:
  explicit Checked(const std::string &text) {
    TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
    TestHost::set("GPUOPT_CACHE_MAX_BYTES", "0");
    TestHost::set("GPUOPT_CPU_CHECK", "1");
    TestHost::install();
    object_ = gpuopt::cpu::open_kernel(gpuopt::cpu::compile_kernel("k", text, GPUOPT_KERNEL_RAW, 3), true);
    EXPECT_TRUE(object_.raw.checked);
  }

  // The message of what was found, or "".
  template <class... A>
  std::string run(Shape shape, A... arguments) const {
    const void *const list[] = {&arguments..., nullptr};
    gpuopt_kernel_launch launch{};
    launch.struct_size = sizeof launch;
    launch.narguments = static_cast<int32_t>(sizeof...(arguments));
    const gpuopt_kernel_memory memory{{sizeof memory, GPUOPT_KERNEL_NEXT_MEMORY, nullptr}, ranges_.data()};
    if (!ranges_.empty()) launch.next = &memory;
    launch.grid[0] = shape.grid;
    launch.block[0] = shape.block;
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    launch.shared_bytes = shape.shared;
    try {
      gpuopt::cpu::BlockCheck check(launch);
      gpuopt::cpu::BlockRun run(object_.raw, launch, list, &check);
      for (uint64_t k = 0; k < shape.grid; k++) run.run(k);
    } catch (const gpuopt::plugin::Failure &finding) {
      return finding.message;
    }
    return "";
  }

  // Sets the memory that the arguments of later launches point to.
  void know(std::vector<gpuopt_kernel_range> ranges) { ranges_ = std::move(ranges); }

 private:
  std::vector<gpuopt_kernel_range> ranges_;
  gpuopt::cpu::KernelObject object_;
};

// The message about a kernel of (unsigned *x, unsigned n), whose body begins in line 2.
std::string found(const std::string &body, Shape shape = {}, unsigned n = 0, std::vector<unsigned> *memory = nullptr) {
  std::vector<unsigned> own(4096);
  const Checked kernel("extern \"C\" __global__ void k(unsigned *x, unsigned n) {\n" + body + "\n}");
  return kernel.run(shape, (memory ? *memory : own).data(), n);
}

// ---- Bounds ----

TEST(CheckBounds, OfAnArrayEvenWhereAnotherFollows) {
  const std::string body = R"(  __shared__ unsigned a[32], b[32];
  b[threadIdx.x] = 7;
  a[threadIdx.x + n] = 1;)";
  EXPECT_EQ(found(body), "");
  EXPECT_EQ(found(body, {1, 32}, 1),
            "out of bounds: thread (31, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 128 of a, which has 128 bytes "
            "(line 4)");
}

TEST(CheckBounds, AccessesFarOutsideAreNotCarriedOut) {
  EXPECT_EQ(found(R"(  __shared__ unsigned a[8];
  a[threadIdx.x * n] = n;)",
                  {3, 32}, 1u << 30),
            "out of bounds: thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 4294967296 of a, which has 32 "
            "bytes (line 3)");
}

TEST(CheckBounds, BeforeTheBeginning) {
  EXPECT_EQ(found(R"(  __shared__ unsigned a[40];
  for (int i = threadIdx.x; i < 40; i += blockDim.x) a[i] = i;
  __syncthreads();
  x[threadIdx.x] = a[(int)threadIdx.x - 3];)"),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at byte -12 of a, which has 160 bytes "
            "(line 5)");
}

TEST(CheckBounds, OfDynamicSharedMemory) {
  const std::string body = R"(  extern __shared__ double more[];
  __shared__ double fixed[2];
  if (threadIdx.x < 2) fixed[threadIdx.x] = 0;
  more[threadIdx.x] = 1;)";
  EXPECT_EQ(found(body, {1, 32, 256}), "");
  EXPECT_EQ(found(body, {1, 32, 252}),
            "out of bounds: thread (31, 0, 0) of block (0, 0, 0) writes 8 bytes at byte 248 of more, which has 252 "
            "bytes (line 5)");
  EXPECT_EQ(found(body),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) writes 8 bytes at byte 0 of more, which has 0 bytes "
            "(line 5)");
}

TEST(CheckBounds, OfSharedMemoryIfThePointerMayBeOfEitherArray) {
  const std::string body = R"(  __shared__ unsigned a[32], b[32];
  unsigned *p = threadIdx.x & 1 ? a : b;
  p[threadIdx.x + n] = 1;)";
  EXPECT_EQ(found(body), "");
  EXPECT_EQ(found(body, {}, 1u << 28),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 1073741952 of shared memory, "
            "which has 256 bytes "
            "(line 4)");
}

TEST(CheckBounds, InAFunctionThatTheKernelCalls) {
  EXPECT_EQ(Checked(R"(struct Pair { double a, b; };
__device__ Pair take(const Pair *from, int k) {
  return from[k];
}
extern "C" __global__ void k(Pair *out) {
  extern __shared__ Pair pairs[];
  if (threadIdx.x < 4) pairs[threadIdx.x] = Pair{1, 2};
  __syncthreads();
  out[threadIdx.x] = take(pairs, threadIdx.x);
})")
                .run({1, 5, 64}, std::vector<double>(10).data()),
            "out of bounds: thread (4, 0, 0) of block (0, 0, 0) reads 8 bytes at byte 64 of pairs, which has 64 bytes "
            "(line 3)");
}

TEST(CheckBounds, OfTheLaunchsArrays) {
  Checked kernel(R"(extern "C" __global__ void k(const unsigned *from, unsigned *to, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i + 1];
})");
  // The two are adjacent, so that a wrong index accesses the other one.
  std::vector<unsigned> memory(128);
  unsigned *const from = memory.data(), *const to = from + 64;
  kernel.know({{from, 256}, {to, 256}, {}});
  EXPECT_EQ(kernel.run({2, 32}, from, to, 63u), "");
  EXPECT_EQ(
      kernel.run({2, 32}, from, to, 64u),
      "out of bounds: thread (31, 0, 0) of block (1, 0, 0) reads 4 bytes at byte 256 of from, which has 256 bytes "
      "(line 3)");
  kernel.know({{from, 512}, {to, 100}, {}});
  EXPECT_EQ(kernel.run({2, 32}, from, to, 64u),
            "out of bounds: thread (25, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 100 of to, which has 100 bytes "
            "(line 3)");
  kernel.know({{}, {}, {}});
  EXPECT_EQ(kernel.run({2, 32}, from, to, 63u), "");
}

// A view begins within its array's memory, and a kernel may access what is before it.
TEST(CheckBounds, OfTheLaunchsArraysBeginWhereTheirMemoryDoes) {
  Checked kernel("extern \"C\" __global__ void k(unsigned *x, int by) {\n  for (x += by; by < 0; by++) *x++ = 5;\n}");
  std::vector<unsigned> memory(40);
  kernel.know({{memory.data(), 80}, {}});
  EXPECT_EQ(kernel.run({1, 1}, memory.data() + 10, -10), "");
  EXPECT_EQ(memory[0], 5u);
  EXPECT_EQ(kernel.run({1, 1}, memory.data() + 10, -11),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at byte -4 of x, which has 80 bytes "
            "(line 2)");
}

TEST(CheckBounds, OfLocalArrays) {
  const std::string body = R"(  unsigned own[8], other[8];
  for (unsigned i = 0; i < 8; i++) other[i] = 7;
  for (unsigned i = 0; i < n; i++) own[i] = i;
  x[threadIdx.x] = own[threadIdx.x % 8] + other[n - 1];)";
  EXPECT_EQ(found(body, {1, 32}, 8), "");
  EXPECT_EQ(found(body, {1, 32}, 9),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 32 of own, which has 32 bytes "
            "(line 4)");
  EXPECT_EQ(found(body, {1, 1}, 0),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 17179869180 of other, which has "
            "32 bytes (line 5)");
}

TEST(CheckBounds, OfLocalArraysInFunctionsThatAreGivenThem) {
  EXPECT_EQ(Checked(R"(__device__ int last(const int *list, int n) {
  return list[n - 1];
}
extern "C" __global__ void k(int *out, int n) {
  int list[4] = {1, 2, 3, 4};
  list[n & 3] += n;
  out[0] = last(list, n);
})")
                .run({}, std::vector<int>(4).data(), 5),
            "out of bounds: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 16 of list, which has 16 bytes "
            "(line 2)");
}

// ---- Uninitialized memory ----

TEST(CheckUnwritten, SharedMemory) {
  const std::string body = R"(  __shared__ unsigned s[32];
  if (threadIdx.x < n) s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];)";
  EXPECT_EQ(found(body, {2, 32}, 32), "");
  EXPECT_EQ(found(body, {2, 32}, 30),
            "uninitialized: thread (30, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 120 of s (line 5), which no "
            "thread of its block has written");
}

TEST(CheckUnwritten, SharedMemoryThatAnotherBlockHasWritten) {
  EXPECT_EQ(found(R"(  __shared__ unsigned s;
  if (blockIdx.x == 0) s = 5;
  __syncthreads();
  x[blockIdx.x] = s + n;)",
                  {2, 1}),
            "uninitialized: thread (0, 0, 0) of block (1, 0, 0) reads 4 bytes at byte 0 of s (line 5), which no thread "
            "of its block has written");
}

TEST(CheckUnwritten, AnAtomicAdditionIsAReadToo) {
  EXPECT_EQ(found("  __shared__ unsigned s;\n  atomicAdd(&s, 1u);\n  __syncthreads();\n  x[0] = s;", {1, 4}),
            "uninitialized: thread (0, 0, 0) of block (0, 0, 0) updates 4 bytes at byte 0 of s (line 3), which no "
            "thread of its block has written");
  EXPECT_EQ(found("  __shared__ unsigned s;\n  atomicExch(&s, 1u);", {1, 1}).substr(0, 14), "uninitialized:");
}

TEST(CheckUnwritten, PaddingOfAStructIsNotReported) {
  EXPECT_EQ(Checked(R"(struct Mixed { char a; double b[4]; };
extern "C" __global__ void k(Mixed *out) {
  __shared__ Mixed s[2];
  s[threadIdx.x].a = 1;
  for (int i = 0; i < 4; i++) s[threadIdx.x].b[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[1 - threadIdx.x];
})")
                .run({1, 2}, std::vector<double>(10).data()),
            "");
}

// ---- Races ----

TEST(CheckRaces, AReadWithoutABarrier) {
  const std::string before = "  __shared__ unsigned tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n",
                    after = "  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];";
  EXPECT_EQ(found(before + "  __syncthreads();\n" + after, {1, 64}), "");
  EXPECT_EQ(found(before + after, {1, 64}),
            "data race: thread (32, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 128 of tile (line 3), thread (31, "
            "0, 0) of "
            "block (0, 0, 0) read them (line 4), and nothing orders the two");
}

TEST(CheckRaces, AWriteAfterAReadWithoutABarrier) {
  EXPECT_EQ(found(R"(  __shared__ unsigned s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned other = s[(threadIdx.x + 1) % 32];
  s[threadIdx.x] = other;)"),
            "data race: thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 4 of s (line 6), thread (0, 0, 0) "
            "of block (0, 0, 0) "
            "read them (line 5), and nothing orders the two");
}

TEST(CheckRaces, BetweenBlocks) {
  EXPECT_EQ(found("  x[threadIdx.x + blockIdx.x * n] += 1;", {4, 32}, 32), "");
  EXPECT_EQ(found("  x[threadIdx.x + blockIdx.x * n] += 1;", {4, 32}, 31),
            "data race: thread (0, 0, 0) of block (1, 0, 0) reads 4 bytes of global memory (line 2), thread (31, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 2), and nothing orders the two");
}

TEST(CheckRaces, OfAVariableOfTheText) {
  EXPECT_EQ(Checked("__device__ int calls;\nextern \"C\" __global__ void k() {\n  calls += 1;\n}").run({}),
            "data race: thread (1, 0, 0) of block (0, 0, 0) reads 4 bytes of calls (line 3), thread (0, 0, 0) of block "
            "(0, 0, 0) wrote "
            "them (line 3), and nothing orders the two");
}

TEST(CheckRaces, AtomicsRaceWithOthersOnly) {
  EXPECT_EQ(
      found("  atomicAdd(&x[0], 1u); atomicMax(&x[0], threadIdx.x); atomicCAS(&x[0], 5u, 6u); atomicExch(&x[0], 1u);",
            {2, 64}),
      "");
  EXPECT_EQ(found("  atomicAdd(&x[0], 1u);\n  if (threadIdx.x == 40) x[1] = x[0];", {1, 64}),
            "data race: thread (40, 0, 0) of block (0, 0, 0) reads 4 bytes of global memory (line 3), thread (0, 0, 0) "
            "of block (0, 0, 0) "
            "updated them (line 2), and nothing orders the two");
  EXPECT_EQ(found("  volatile unsigned *v = x;\n  v[0] = v[1] + threadIdx.x;", {2, 64}), "");
}

// Reductions were written in this way for GPUs whose warps ran in lockstep.
TEST(CheckRaces, VolatileDoesNotOrderTheLanesOfAWarp) {
  const auto body = [](const std::string &between) {
    return "  __shared__ unsigned s[64];\n  s[threadIdx.x] = threadIdx.x; s[threadIdx.x + 32] = 1;\n  "
           "__syncthreads();\n  volatile unsigned *v = s;\n  v[threadIdx.x] += v[threadIdx.x + 16];" +
           between + "\n  x[threadIdx.x] = v[threadIdx.x];";
  };
  EXPECT_EQ(
      found(body("")),
      "data race: thread (16, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 64 of s (line 6), thread (0, 0, 0) "
      "of block (0, 0, 0) read them (line 6), and nothing orders the two: volatile does not, lanes of a warp need "
      "__syncwarp() between a write and a read");
  EXPECT_EQ(found(R"(  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x; s[threadIdx.x + 32] = 1;
  __syncthreads();
  volatile unsigned *v = s;
  for (int by = 16; by > 0; by /= 2) {
    unsigned sum = v[threadIdx.x] + v[threadIdx.x + by];
    __syncwarp();
    v[threadIdx.x] = sum;
    __syncwarp();
  }
  x[threadIdx.x] = v[threadIdx.x];)"),
            "");
}

TEST(CheckRaces, ThreadsThatWriteTheSameDoNotRace) {
  EXPECT_EQ(found("  __shared__ unsigned s;\n  s = 5;\n  __syncthreads();\n  x[threadIdx.x] = s;", {2, 64}), "");
  EXPECT_EQ(found("  __shared__ unsigned s;\n  s = 5 + threadIdx.x / 40;", {2, 64}),
            "data race: thread (40, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 0 of s (line 3), thread (0, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 3), and nothing orders the two");
}

TEST(CheckRaces, DifferentBytesOfOneWordDoNotRace) {
  EXPECT_EQ(found(R"(  unsigned char *bytes = (unsigned char *)x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i + n] = i;
  __syncthreads();
  bytes[i + n] += 1;)",
                  {4, 33}, 1),
            "");
  EXPECT_EQ(found("  ((unsigned char *)x)[threadIdx.x + 1] = threadIdx.x;\n  if (threadIdx.x == 7) *(unsigned long "
                  "long *)(x + 2) = 0;",
                  {1, 9}),
            "data race: thread (8, 0, 0) of block (0, 0, 0) writes 1 byte of global memory (line 2), thread (7, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 3), and nothing orders the two");
}

TEST(CheckRaces, SyncwarpOrdersItsLanesAndShufflesDoNot) {
  const auto body = [](const std::string &between) {
    return "  __shared__ unsigned s[64];\n  s[threadIdx.x] = threadIdx.x;\n" + between +
           "\n  x[threadIdx.x] = s[threadIdx.x ^ n];";
  };
  EXPECT_EQ(found(body("__syncwarp();"), {1, 64}, 16), "");
  EXPECT_EQ(found(body("__syncwarp(threadIdx.x & 1 ? 0xaaaaaaaau : 0x55555555u);"), {1, 64}, 2), "");
  const std::string race =
      "data race: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 4 of s (line 5), thread (1, 0, 0) of block "
      "(0, 0, 0) wrote them "
      "(line 3), and nothing orders the two";
  EXPECT_EQ(found(body("__syncwarp(threadIdx.x & 1 ? 0xaaaaaaaau : 0x55555555u);"), {1, 64}, 1), race);
  EXPECT_EQ(found(body("unsigned all = __shfl_sync(~0u, threadIdx.x, 0); if (all) x[0] = 1;"), {1, 64}, 1), race);
  EXPECT_EQ(found(body("__syncwarp();"), {1, 64}, 32),
            "data race: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at byte 128 of s (line 5), thread (32, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 3), and nothing orders the two");
}

// The last block sums the results of all blocks (threadFenceReduction of NVIDIA's samples).
TEST(CheckRaces, FencesAndAtomicsOrderBlocks) {
  const auto body = [](const std::string &fence) {
    return "  __shared__ bool last;\n  if (threadIdx.x == 0) {\n    x[blockIdx.x + 1] = blockIdx.x;\n    " + fence +
           "\n    last = atomicInc(&x[0], gridDim.x) == gridDim.x - 1;\n  }\n  __syncthreads();\n" +
           "  if (last && threadIdx.x < gridDim.x) x[100 + threadIdx.x] = x[1 + threadIdx.x];";
  };
  EXPECT_EQ(found(body("__threadfence();"), {5, 32}), "");
  EXPECT_EQ(found(body("__threadfence(); x[blockIdx.x + 1] = 7;"), {5, 32}),
            "data race: thread (0, 0, 0) of block (4, 0, 0) reads 4 bytes of global memory (line 9), thread (0, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 5), and nothing orders the two");
  EXPECT_EQ(found(body(""), {5, 32}),
            "data race: thread (0, 0, 0) of block (4, 0, 0) reads 4 bytes of global memory (line 9), thread (0, 0, 0) "
            "of block (0, 0, 0) "
            "wrote them (line 4), and nothing orders the two");
}

TEST(CheckRaces, ALockOrdersWhatItGuards) {
  const auto body = [](const std::string &fence) {
    return "  while (atomicCAS(&x[0], 0u, 1u)) {}\n  " + fence + "\n  x[1] += 1;\n  " + fence +
           "\n  atomicExch(&x[0], 0u);";
  };
  std::vector<unsigned> memory(4);
  EXPECT_EQ(found(body("__threadfence();"), {3, 33}, 0, &memory), "");
  EXPECT_EQ(memory[1], 99u);
  EXPECT_EQ(found(body("__threadfence_block();"), {1, 33}), "");
  EXPECT_NE(found(body(""), {1, 33}), "");
}

TEST(CheckRaces, AreFoundInLimitedMemoryWithAWarning) {
  const gpuopt_check_site write{GPUOPT_SITE_WRITE, 1, "", 0, 0};
  gpuopt::cpu::Order order;
  order.begin_block(0, 2);
  gpuopt::cpu::RaceShadow races(order, 100);
  for (uintptr_t k = 0; k < 100; k++) EXPECT_FALSE(races.access(0, 4 * k, 4, &write, true).found);
  EXPECT_FALSE(races.is_incomplete());
  EXPECT_FALSE(races.access(0, 400, 4, &write, true).found);
  EXPECT_TRUE(races.is_incomplete());
  EXPECT_FALSE(races.access(1, 400, 4, &write, true).found);
  EXPECT_TRUE(races.access(1, 396, 4, &write, true).found);
  races.forget(0, 40);
  EXPECT_FALSE(races.access(1, 36, 4, &write, true).found);
  EXPECT_TRUE(races.access(1, 40, 4, &write, true).found);
}

// ---- Waiting ----

TEST(CheckWaits, BarriersThatDiverge) {
  EXPECT_EQ(found(R"(  if (threadIdx.x < n) {
    x[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
  })",
                  {2, 64}, 40),
            "divergent barrier: thread (0, 0, 0) of block (0, 0, 0) waits in __syncthreads (line 4), thread (40, 0, 0) "
            "of block (0, 0, 0) in "
            "__syncthreads (line 6)");
  EXPECT_EQ(found("  if (threadIdx.x == 9)\n    x[0] = __syncthreads_count(1);\n  else\n    __syncthreads();"),
            "divergent barrier: thread (0, 0, 0) of block (0, 0, 0) waits in __syncthreads (line 5), thread (9, 0, 0) "
            "of block (0, 0, 0) in "
            "__syncthreads_count (line 3)");
}

TEST(CheckWaits, ABarrierThatSomeThreadsSkip) {
  EXPECT_EQ(found("  x[threadIdx.x] = 1;\n  if (threadIdx.x < 32) __syncthreads();", {1, 64}),
            "divergent barrier: thread (0, 0, 0) of block (0, 0, 0) waits in __syncthreads (line 3), thread (32, 0, 0) "
            "of block (0, 0, 0) has come to the end of the kernel without");
  EXPECT_EQ(found("  if (threadIdx.x < n) {\n    x[0] = 1;\n    __syncthreads();\n    x[1] = 2;\n  }", {2, 40}, 40),
            "");
  EXPECT_EQ(found("  if (threadIdx.x < n) {\n    x[0] = 1;\n    __syncthreads();\n    x[1] = 2;\n  }", {2, 40}, 39),
            "divergent barrier: thread (0, 0, 0) of block (0, 0, 0) waits in __syncthreads (line 4), thread (39, 0, 0) "
            "of block (0, 0, 0) has come to the end of the kernel without");
  EXPECT_EQ(found("  for (unsigned i = 0; i < threadIdx.x / 4; i++)\n    __syncthreads();", {1, 8}),
            "divergent barrier: thread (4, 0, 0) of block (0, 0, 0) waits in __syncthreads (line 3), thread (0, 0, 0) "
            "of block (0, 0, 0) has come to the end of the kernel without");
}

// Statements of the kernel lie at the lines and columns at which the headers have their return statements.
TEST(CheckWaits, ReturnsInHeadersAreNotTakenForThoseOfTheKernel) {
  for (const int moved : {0, 1}) {
    std::string body = std::string(static_cast<size_t>(moved), '\n');
    for (int k = 0; k < 300; k++) body += "for (;;)\n  break;\n";
    const std::string message = found(body + "  if (threadIdx.x < 32) __syncthreads();", {1, 64});
    EXPECT_EQ(message.find("divergent barrier: thread (0, 0, 0)"), 0u) << moved << ": " << message;
  }
}

TEST(CheckWaits, ReturnsInFunctionsAndMacrosCountAsArrivals) {
  EXPECT_EQ(Checked(R"(#define LEAVE_IF(condition) if (condition) return
__device__ void all(unsigned *x, unsigned n) {
  LEAVE_IF(threadIdx.x >= n);
  x[threadIdx.x] = 1;
  __syncthreads();
}
template <class T>
__device__ void some(T *x) {
  if (threadIdx.x % 2) {
    return;
  }
  __syncthreads();
  x[threadIdx.x] += 1;
}
extern "C" __global__ void k(unsigned *x, unsigned n) {
  all(x, n);
  LEAVE_IF(threadIdx.x >= n);
  some(x);
})")
                .run({1, 40}, std::vector<unsigned>(64).data(), 39u),
            "");
}

TEST(CheckWaits, ShufflesFromInactiveLanes) {
  EXPECT_EQ(found("  if (threadIdx.x >= 20) return;\n  x[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x, 4);"),
            "inactive lane: thread (16, 0, 0) of block (0, 0, 0) reads in __shfl_down_sync (line 3) the value of lane "
            "20, which has returned");
  EXPECT_EQ(found("  if (threadIdx.x < 4) x[threadIdx.x] = __shfl_sync(0xfu, threadIdx.x, 4 + n);\n  __syncthreads();"),
            "inactive lane: thread (0, 0, 0) of block (0, 0, 0) reads in __shfl_sync (line 2) the value of lane 4, "
            "which is not in its mask 0xf");
  EXPECT_EQ(
      found("  if (threadIdx.x >= 16) return;\n  unsigned v = threadIdx.x;\n  for (int by = 8; by > 0; by /= 2) v += "
            "__shfl_xor_sync(0xffffu, v, by);\n  x[threadIdx.x] = v;"),
      "");
  EXPECT_EQ(found("  if (threadIdx.x >= 20) return;\n  x[threadIdx.x] = __ballot_sync(~0u, 1);"), "");
}

TEST(CheckWaits, AJumpToTheEndIsAReturn) {
  EXPECT_EQ(found("  if (threadIdx.x % 3) goto end;\n  __syncthreads();\n  x[threadIdx.x] = 1;\nend:;", {1, 40}), "");
}

// GPUs since Volta behave in this way.
TEST(CheckWaits, ThreadsThatHaveReturnedCountAsArrived) {
  EXPECT_EQ(
      found("  if (threadIdx.x % 3) return;\n  __syncthreads();\n  __syncwarp();\n  x[threadIdx.x] = 1;", {2, 40}), "");
}

TEST(CheckWaits, Deadlocks) {
  EXPECT_EQ(found("  if (threadIdx.x == 5)\n    __syncwarp();\n  else\n    __syncthreads();", {1, 40}),
            "deadlock in block (0, 0, 0): thread (0, 0, 0) and 38 more wait in __syncthreads (line 5); thread (5, 0, "
            "0) waits in __syncwarp "
            "with mask 0xffffffff (line 3)");
}

TEST(CheckWaits, Masks) {
  EXPECT_EQ(found("  if (threadIdx.x < 4)\n    x[threadIdx.x] = __shfl_sync(0x7, threadIdx.x, 0);"),
            "wrong mask: thread (3, 0, 0) of block (0, 0, 0) is not in the mask of its own __shfl_sync with mask 0x7 "
            "(line 3), being lane 3");
  EXPECT_EQ(found("  if (threadIdx.x < 2)\n    __syncwarp(threadIdx.x ? 0x3 : 0x7);\n  __syncthreads();"),
            "different masks: thread (0, 0, 0) of block (0, 0, 0) waits in __syncwarp with mask 0x7 (line 3), thread "
            "(1, 0, 0) of block (0, "
            "0, 0) in __syncwarp with mask 0x3 (line 3)");
  EXPECT_EQ(
      found("  x[threadIdx.x] = threadIdx.x < 16 ? __shfl_down_sync(~0u, n, 1)\n                                    : "
            "__reduce_add_sync(~0u, n);"),
      "divergent warp: thread (0, 0, 0) of block (0, 0, 0) waits in __shfl_down_sync with mask 0xffffffff (line 2), "
      "thread (16, 0, 0) "
      "of block (0, 0, 0) in __reduce_add_sync with mask 0xffffffff (line 3)");
}

TEST(CheckWaits, WarpOperationsOnBothSidesOfABranch) {
  std::vector<unsigned> memory(64);
  EXPECT_EQ(found(R"(  if (threadIdx.x & 1) {
    x[threadIdx.x] = __reduce_add_sync(0xaaaaaaaau, threadIdx.x);
  } else {
    x[threadIdx.x] = __reduce_add_sync(0x55555555u, threadIdx.x);
  })",
                  {1, 32}, 0, &memory),
            "");
  for (unsigned t = 0; t < 32; t++) EXPECT_EQ(memory[t], t & 1 ? 256u : 240u);
}

// ---- Random programs ----
//
// Programs are made of parts that are free of races and divergence in any context, in uniform loops and branches. Each
// part also has a form that the host runs. One part may have a defect, which shows if a thread reaches it.

struct Model {
  std::vector<unsigned> v, s;
  unsigned n = 0, counter = 0;
  bool reached = false;  // whether a thread reaches the defect
  unsigned size() const { return static_cast<unsigned>(v.size()); }
};

struct Part {
  std::string text;
  std::function<void(Model &)> run;
};

class Programs {
 public:
  explicit Programs(unsigned seed) : random_(seed) {}

  Part several(int depth) {
    std::vector<Part> parts;
    std::string text;
    for (unsigned k = 0, count = 1 + pick(3); k < count; k++) {
      parts.push_back(part(depth));
      text += parts.back().text;
    }
    return {text, [parts](Model &m) {
              for (const Part &part : parts) part.run(m);
            }};
  }

  // Inserts the defect between two parts, at any depth.
  Part with_defect(int depth, const Part &defect) {
    const Part before = several(depth), inside = depth ? around(with_defect(depth - 1, defect)) : defect,
               after = several(depth);
    return {before.text + inside.text + after.text, [=](Model &m) {
              before.run(m);
              inside.run(m);
              after.run(m);
            }};
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Part part(int depth) {
    if (depth && pick(3) == 0) return around(several(depth - 1));
    switch (pick(5)) {
      case 0:
        return exchange();
      case 1:
        return exchange_in_warp();
      case 2:
        return count();
      case 3:
        return reduce();
      default:
        return alone();
    }
  }

  Part around(const Part &body) {
    const std::string name = "k" + std::to_string(names_++);
    const unsigned count = pick(4), bit = pick(2);
    if (pick(2))
      return {"for (unsigned " + name + " = 0; " + name + " < " + std::to_string(count) + "; " + name + "++) {\n" +
                  body.text + "}\n",
              [=](Model &m) {
                for (unsigned k = 0; k < count; k++) body.run(m);
              }};
    return {"if (n & " + std::to_string(1 + bit) + ") {\n" + body.text + "}\n", [=](Model &m) {
              if (m.n & (1 + bit)) body.run(m);
            }};
  }

  Part exchange() {
    const unsigned by = 1 + pick(40);
    const std::string other = "s[(t + " + std::to_string(by) + ") % N]";
    return {"s[t] = v;\n__syncthreads();\nv = v * 3 + " + other + ";\n__syncthreads();\n", [=](Model &m) {
              const std::vector<unsigned> old = m.s = m.v;
              for (unsigned t = 0; t < m.size(); t++) m.v[t] = old[t] * 3 + old[(t + by) % m.size()];
            }};
  }

  Part exchange_in_warp() {
    return {"s[t] = v;\n__syncwarp();\nif ((t ^ 1) < N) v ^= s[t ^ 1] + 1;\n__syncwarp();\n", [](Model &m) {
              const std::vector<unsigned> old = m.s = m.v;
              for (unsigned t = 0; t < m.size(); t++)
                if ((t ^ 1) < m.size()) m.v[t] ^= old[t ^ 1] + 1;
            }};
  }

  Part count() {
    return {"atomicAdd(&counter, v);\n__syncthreads();\nv += counter;\n__syncthreads();\n", [](Model &m) {
              for (const unsigned v : m.v) m.counter += v;
              for (unsigned &v : m.v) v += m.counter;
            }};
  }

  Part reduce() {
    return {
        "s[t] = v;\nfor (unsigned h = 64; h > 0; h /= 2) {\n__syncthreads();\nif (t < h && t + h < N) s[t] ^= s[t + "
        "h];\n}\n"
        "__syncthreads();\nv += s[0];\n__syncthreads();\n",
        [](Model &m) {
          m.s = m.v;
          for (unsigned h = 64; h > 0; h /= 2)
            for (unsigned t = 0; t < h && t + h < m.size(); t++) m.s[t] ^= m.s[t + h];
          for (unsigned &v : m.v) v += m.s[0];
        }};
  }

  Part alone() {
    return {
        "{\nunsigned local[4] = {v, t, 5, n};\nfor (unsigned i = 0; i < (v & 3); i++) local[i] ^= local[3 - i] + i;\nv "
        "= "
        "local[v & 3] + 1;\n}\n",
        [](Model &m) {
          for (unsigned t = 0; t < m.size(); t++) {
            unsigned &v = m.v[t], local[4] = {v, t, 5, m.n};
            for (unsigned i = 0; i < (v & 3); i++) local[i] ^= local[3 - i] + i;
            v = local[v & 3] + 1;
          }
        }};
  }

  std::mt19937 random_;
  unsigned names_ = 0;
};

const struct Defect {
  const char *text, *finding;
} kDefects[] = {
    {"", ""},
    {"s[t] = v;\nv += s[(t + 1) % N];  // HERE\n__syncthreads();\n", "data race: "},
    {"__syncthreads();\nx[t / 2] = t;  // HERE\n__syncthreads();\n", "data race: "},
    {"if (t & 1) {\n__syncthreads();  // HERE\n} else {\n__syncthreads();\n}\n", "divergent barrier: "},
    {"__syncthreads();\ns[t + 1] = v;  // HERE\n__syncthreads();\n", "out of bounds: "},
};

unsigned line_of_defect(const std::string &text) {
  const size_t at = text.find("// HERE");
  return at == std::string::npos ? 0
                                 : 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + long(at), '\n'));
}

TEST(CheckRandomPrograms, FindsTheDefectAndNothingElse) {
  unsigned reached = 0, clean = 0;
  for (unsigned seed = 0; seed < 60; seed++) {
    const Defect &defect = kDefects[seed % 5];
    const Part program = Programs(seed).with_defect(2, {defect.text, [](Model &m) { m.reached = true; }});
    const unsigned size = 2 + seed * 7 % 99;
    const std::string text =
        "extern \"C\" __global__ void k(unsigned *x, unsigned n) {\n__shared__ unsigned s[" + std::to_string(size) +
        "], counter;\nunsigned t = threadIdx.x, N = blockDim.x, v = t * t + n;\ncounter = n;\ns[t] = "
        "t;\n__syncthreads();\n" +
        program.text + "x[blockIdx.x * N + t] = v;\n}";
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Model model;
    model.n = model.counter = seed;
    for (unsigned t = 0; t < size; t++) model.v.push_back(t * t + seed);
    program.run(model);
    std::vector<unsigned> got(2 * size);
    const std::string finding = Checked(text).run({2, size}, got.data(), seed);
    if (model.reached && *defect.text) {
      reached++;
      EXPECT_EQ(finding.find(defect.finding), 0u) << finding;
      EXPECT_NE(finding.find("(line " + std::to_string(line_of_defect(text)) + ")"), std::string::npos) << finding;
    } else {
      clean++;
      ASSERT_EQ(finding, "");
      for (unsigned k = 0; k < 2 * size; k++) ASSERT_EQ(got[k], model.v[k % size]) << k;
    }
  }
  EXPECT_GE(reached, 15u);
  EXPECT_GE(clean, 15u);
}

}  // namespace
