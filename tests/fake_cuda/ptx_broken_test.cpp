// tests/fake_cuda/ptx_broken_test.cpp -- what the interpreter of PTX must notice: each test breaks one thing in a
// kernel that works.
#include <cmath>
#include <cstdio>
#include <fstream>

#include "tests/fake_cuda/ptx/ptx_run.h"

using namespace fake_cuda::ptx;

namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}

// y[t] = x[n - 1 - t], through shared memory, for a block of 256 threads.
const char *const kReverse = R"(
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [k_param_0];
  ld.param.u64 %rd2, [k_param_1];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.u32 %r2, [%rd6];
  mov.u32 %r3, buffer;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  mov.u32 %r6, buffer;
  sub.s32 %r6, %r6, %r4;
  ld.shared.u32 %r7, [%r6+1020];
  add.s64 %rd7, %rd4, %rd5;
  st.global.u32 [%rd7], %r7;
  ret;)";
const char *const kReverseShared = ".shared .align 4 .b8 buffer[1024];\n";

std::string reverse_text() { return kernel_text(2, kReverse, kReverseShared); }

bool reverses(const std::string &text) {
  const Buffer x(1024), y(1024);
  for (int i = 0; i < 256; ++i) x.as<int>()[i] = i * i + 1;
  run_text(text, {&x, &y}, 1, 256);
  bool right = true;
  for (int i = 0; i < 256; ++i) right = right && y.as<int>()[i] == (255 - i) * (255 - i) + 1;
  return right;
}

TEST(PtxBroken, WholeKernelWorks) { EXPECT_TRUE(reverses(reverse_text())); }

TEST(PtxBroken, DroppedBarrier) { EXPECT_FALSE(reverses(replaced(reverse_text(), "bar.sync 0;", ""))); }

// Warp 1 does not come to the barrier, and waits at another one.
TEST(PtxBroken, BarrierThatNotAllReach) {
  const std::string text =
      replaced(reverse_text(), "bar.sync 0;",
               "{ .reg .pred %q; setp.lt.u32 %q, %r1, 64; @%q bar.sync 0; @!%q bar.sync 1; bar.sync "
               "2, 32; }");
  EXPECT_NE(problem_of([&] { reverses(text); }), "");
}

TEST(PtxBroken, BarrierOfHalfAWarp) {
  const std::string text = replaced(reverse_text(), "bar.sync 0;",
                                    "{ .reg .pred %q; setp.lt.u32 %q, %r1, 16; @%q bar.sync 0; @!%q bar.sync 0; }");
  const std::string said = problem_of([&] { reverses(text); });
  EXPECT_NE(said.find("divergence"), said.npos) << said;
}

TEST(PtxBroken, SwappedParameters) {
  std::string text = replaced(reverse_text(), "[k_param_0]", "[k_param_2]");
  text = replaced(text, "[k_param_1]", "[k_param_0]");
  EXPECT_FALSE(reverses(replaced(text, "[k_param_2]", "[k_param_1]")));
}

TEST(PtxBroken, UnknownOpcode) {
  const std::string said = problem_of([] { reverses(replaced(reverse_text(), "shl.b32", "shuffle.b32")); });
  EXPECT_NE(said.find("shuffle.b32"), said.npos) << said;
}

TEST(PtxBroken, UnknownModifier) {
  const std::string said = problem_of([] { reverses(replaced(reverse_text(), "mul.wide.u32", "mul.wide.hot.u32")); });
  EXPECT_NE(said.find(".hot"), said.npos) << said;
}

TEST(PtxBroken, RegisterOfAnotherWidth) {
  const std::string said = problem_of([] { reverses(replaced(reverse_text(), "add.s32 %r5", "add.s32 %rd7")); });
  EXPECT_NE(said.find("width"), said.npos) << said;
}

// ------------------------------------------------------------------------------------------------ memory

const char *const kCopyFour = R"(
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [k_param_0];
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+16];
  st.global.v4.u32 [%rd1], {%r4, %r3, %r2, %r1};
  ret;)";

std::string copy_four(const std::string &from, const std::string &to) {
  const Buffer x(64);
  for (int i = 0; i < 16; ++i) x.as<int>()[i] = i;
  const std::string said = problem_of([&] { run_text(replaced(kernel_text(1, kCopyFour), from, to), {&x}, 1, 1); });
  EXPECT_TRUE(!said.empty() || x.as<int>()[0] == 7);
  return said;
}

TEST(PtxBroken, MisalignedVector) {
  EXPECT_EQ(copy_four("+16", "+16"), "");
  const std::string said = copy_four("+16", "+8");
  EXPECT_NE(said.find("multiple"), said.npos) << said;
}

TEST(PtxBroken, MemoryThatIsNotThere) {
  EXPECT_NE(copy_four("+16", "+64").find("global memory"), std::string::npos);
  EXPECT_NE(copy_four("[%rd1]", "[%rd1+-16]").find("global memory"), std::string::npos);
  EXPECT_NE(copy_four("st.global.v4.u32 [%rd1]", "st.shared.v4.u32 [0]").find("shared memory"), std::string::npos);
}

// One element beyond the array, on both sides, with another array beside it; and beyond what the launch adds.
TEST(PtxBroken, SharedArraysEndWhereTheyEnd) {
  const std::string two = std::string(kReverseShared) + ".shared .align 4 .b8 other[64];\n";
  for (const std::string &arrays : {two, ".shared .align 4 .b8 other[64];\n" + std::string(kReverseShared)}) {
    EXPECT_TRUE(reverses(kernel_text(2, kReverse, arrays)));
    for (const char *const at : {"[%r6+1024]", "[%r6+1016]"}) {
      const std::string said =
          problem_of([&] { reverses(replaced(kernel_text(2, kReverse, arrays), "[%r6+1020]", at)); });
      EXPECT_NE(said.find("of shared memory, "), said.npos) << said;
    }
  }
  const std::string behind = problem_of([] { reverses(replaced(reverse_text(), "[%r6+1020]", "[%r6+1024]")); });
  EXPECT_NE(behind.find("which is byte 1024 of the 1024 of buffer"), behind.npos) << behind;
  const std::string added = kernel_text(2, kReverse, ".extern .shared .align 16 .b8 buffer[];\n");
  const Buffer x(1024), y(1024);
  EXPECT_EQ(problem_of([&] { run_text(added, {&x, &y}, 1, 256, 1024); }), "");
  for (const uint32_t bytes : {0u, 1020u}) {
    const std::string said = problem_of([&] { run_text(added, {&x, &y}, 1, 256, bytes); });
    EXPECT_NE(said.find("of the " + std::to_string(bytes) + " of what the launch adds"), said.npos) << said;
  }
}

TEST(PtxBroken, ConstantMemoryIsNotWritten) {
  const std::string text =
      kernel_text(1,
                  "  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  mov.u32 %r1, 3;\n  mov.u64 %rd1, c;\n"
                  "  st.global.u32 [%rd1], %r1;\n  ret;",
                  ".const .align 4 .u32 c = 7;\n");
  const Buffer x(4);
  const std::string said = problem_of([&] { run_text(text, {&x}, 1, 1); });
  EXPECT_NE(said.find("constant memory"), said.npos) << said;
}

// ------------------------------------------------------------------------------------------------ bits

std::string multiply_add(const char *multiply, const char *add) {
  return kernel_text(1, std::string("  .reg .f32 %f<6>;\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [k_param_0];\n"
                                    "  ld.global.f32 %f1, [%rd1];\n  ld.global.f32 %f2, [%rd1+4];\n"
                                    "  ld.global.f32 %f3, [%rd1+8];\n  ") +
                            multiply + add + "\n  st.global.f32 [%rd1+12], %f5;\n  ret;");
}

float multiplied_and_added(const std::string &text) {
  const Buffer x(16);
  x.as<float>()[0] = 1 + 0x1p-12f;
  x.as<float>()[1] = 1 + 0x1p-12f;
  x.as<float>()[2] = -1 - 0x1p-11f;
  run_text(text, {&x}, 1, 1);
  return x.as<float>()[3];
}

// What -fmad=true makes of x * y + z is another number than what -fmad=false does; and where the compiler leaves it to
// the assembler, by instructions without a rounding, that is refused.
TEST(PtxBroken, Contraction) {
  EXPECT_EQ(multiplied_and_added(multiply_add("mul.rn.f32 %f4, %f1, %f2; ", "add.rn.f32 %f5, %f4, %f3;")), 0);
  EXPECT_EQ(multiplied_and_added(multiply_add("", "fma.rn.f32 %f5, %f1, %f2, %f3;")), 0x1p-24f);
  const std::string said =
      problem_of([] { multiplied_and_added(multiply_add("mul.f32 %f4, %f1, %f2; ", "add.f32 %f5, %f4, %f3;")); });
  EXPECT_NE(said.find("contracted"), said.npos) << said;
}

TEST(PtxBroken, ApproximationsAndFlushing) {
  for (const char *const text :
       {"rcp.approx.f32 %f5, %f1;", "div.approx.f32 %f5, %f1, %f2;", "div.full.f32 %f5, %f1, %f2;",
        "sqrt.approx.f32 %f5, %f1;", "ex2.approx.f32 %f5, %f1;", "add.rn.ftz.f32 %f5, %f1, %f2;",
        "mul.rn.ftz.f32 %f5, %f1, %f2;", "rsqrt.approx.f32 %f5, %f1;", "sin.approx.f32 %f5, %f1;"})
    EXPECT_NE(problem_of([&] { multiplied_and_added(multiply_add("", text)); }), "") << text;
}

// ------------------------------------------------------------------------------------------------ lanes

TEST(PtxBroken, ShuffleOfALaneThatDoesNotCome) {
  const std::string text = kernel_text(1, R"(
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, %laneid;
  setp.gt.u32 %p1, %r1, 3;
  @%p1 bar.sync 1;
  shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
  ret;)");
  const Buffer x(4);
  const std::string said = problem_of([&] { run_text(text, {&x}); });
  EXPECT_NE(said, "");
}

// As cuda::barrier waits: a lane looks whether others have come, and waits for itself in between.
TEST(PtxBroken, LanesThatLookWithoutEnd) {
  const std::string text = kernel_text(1, R"(
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [k_param_0];
  mov.u32 %r1, %lanemask_eq;
LOOP:
  bar.warp.sync %r1;
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra LOOP;
  ret;)");
  const Buffer x(4);
  const std::string said = problem_of([&] { run_text(text, {&x}); });
  EXPECT_NE(said.find("deadlock"), said.npos) << said;
  x.as<int>()[0] = 1;
  EXPECT_EQ(problem_of([&] { run_text(text, {&x}); }), "");
}

TEST(PtxBroken, LaneOutsideOfItsMask) {
  const std::string text = kernel_text(1, "  bar.warp.sync 1;\n  ret;");
  const Buffer x(4);
  const std::string said = problem_of([&] { run_text(text, {&x}); });
  EXPECT_NE(said.find("mask"), said.npos) << said;
}

TEST(PtxBroken, EndlessRecursion) {
  const std::string text = kernel_text(1, "  call.uni f;\n  ret;", ".func f()\n{\n  call.uni f;\n  ret;\n}\n");
  const Buffer x(4);
  const std::string said = problem_of([&] { run_text(text, {&x}); });
  EXPECT_NE(said.find("stack"), said.npos) << said;
}

}  // namespace
