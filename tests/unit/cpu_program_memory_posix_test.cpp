// tests/unit/cpu_program_memory_posix_test.cpp -- programs that run out of memory: the host's scratch memory and the
// plugin's own plans fail one after the other; each time nothing is written and the same program then runs.
//
// POSIX only: mingw's C++ library allocates for thread-local objects in between and swallows the failure
#include <new>
#include <thread>

#include "tests/unit/cpu_program_builder.h"

namespace {
// Allocations of this thread until one fails, and all after it; < 0: none does.
thread_local int64_t news_left = -1;
thread_local int64_t news_failed = 0;

bool fails() {
  if (news_left < 0) return false;
  if (news_left > 0) {
    news_left--;
    return false;
  }
  news_failed++;
  return true;
}
}  // namespace

// Not inlined: the compiler would warn about new and free as a pair.
[[gnu::noinline]] void *operator new(size_t size) {
  void *const memory = fails() ? nullptr : std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return fails() ? nullptr : std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }

namespace gpuopt::test {
namespace {

// Runs `body` on a thread of its own, which has neither plans nor scratch memory yet.
template <class Body>
void on_fresh_thread(Body body) {
  std::thread(body).join();
}

struct Outcome {
  gpuopt_status status;
  std::string message;
  bool failed;  // some allocation did
};

Outcome run(ProgramBuilder &builder, int64_t scratch, int64_t news) {
  const gpuopt_program &program = builder.program();
  Outcome outcome = {};
  on_fresh_thread([&] {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    TestHost::get().allocations_left = scratch;
    news_left = news;
    outcome.status = cpu::run_program(program, TestHost::api(), &error);
    news_left = -1;
    outcome.failed = news_failed > 0 || TestHost::get().allocations_left == 0;
    TestHost::get().allocations_left = -1;
    outcome.message = error.message;
  });
  return outcome;
}

void expect_untouched(ProgramBuilder &builder, int64_t scratch, int64_t news) {
  const auto before = builder.snapshot();
  const int64_t outstanding = TestHost::get().outstanding;
  const Outcome outcome = run(builder, scratch, news);
  EXPECT_EQ(outcome.status, GPUOPT_ERR_OUT_OF_MEMORY) << outcome.message;
  EXPECT_NE(outcome.message.find("memory"), std::string::npos) << outcome.message;
  EXPECT_TRUE(builder.snapshot() == before) << "memory changed";
  EXPECT_EQ(TestHost::get().outstanding, outstanding) << "scratch memory leaked";
}

void check_out_of_memory(ProgramBuilder builder) {
  TestHost::install();
  builder.check();  // settings and threads, which the test host's strings need memory for, are there from here on
  cpu::isa_level();
  expect_untouched(builder, 0, -1);
  // Every allocation of the plan, one after the other.
  for (int64_t n = 0;; n++) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const auto before = builder.snapshot();
    if (!run(builder, -1, n).failed) {
      EXPECT_GT(n, 3) << "a plan allocates";
      builder.restore(before);
      break;
    }
    expect_untouched(builder, -1, n);
    if (testing::Test::HasFailure()) return;
  }
  builder.check();  // against the reference, with memory
}

ProgramBuilder elementwise_program(int64_t n) {
  Random random(1);
  ProgramBuilder builder({n}, 0);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense_layout({n}, ~uint64_t{0}, 8), random);
  const int y = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense_layout({n}, ~uint64_t{0}, 8), random);
  const int v = builder.elementwise(GPUOPT_OP_add, {builder.elementwise(GPUOPT_OP_multiply, {x, y}), y});
  builder.output(builder.cast(v, GPUOPT_FLOAT32));
  builder.output_in_place(v, x);
  return builder;
}

ProgramBuilder reduction_program(int64_t rows, int64_t columns, uint64_t axes) {
  Random random(2);
  ProgramBuilder builder({rows, columns}, axes);
  const Layout layout = dense_layout({rows, columns}, ~uint64_t{0}, 8);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
  const int most = builder.reduce(GPUOPT_REDUCTION_max, x);
  builder.output(builder.reduce(GPUOPT_REDUCTION_sum, x));
  builder.output_in_place(builder.elementwise(GPUOPT_OP_subtract, {x, most}), x);
  return builder;
}

ProgramBuilder scan_program(int64_t rows, int64_t columns, uint64_t axes) {
  Random random(3);
  ProgramBuilder builder({rows, columns}, axes);
  const Layout layout = dense_layout({rows, columns}, ~uint64_t{0}, 8);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
  builder.output(builder.scan(GPUOPT_SCAN_cumulative_sum, x));
  return builder;
}

TEST(ProgramOutOfMemory, Elementwise) { check_out_of_memory(elementwise_program(100)); }
TEST(ProgramOutOfMemory, ElementwiseOnThreads) { check_out_of_memory(elementwise_program(200000)); }
TEST(ProgramOutOfMemory, ReductionByBlocks) { check_out_of_memory(reduction_program(40, 50, 2)); }
TEST(ProgramOutOfMemory, ReductionOfColumns) { check_out_of_memory(reduction_program(1000, 300, 1)); }
TEST(ProgramOutOfMemory, ReductionByChunks) { check_out_of_memory(reduction_program(1, 300000, 2)); }
TEST(ProgramOutOfMemory, Scan) { check_out_of_memory(scan_program(40, 50, 2)); }
TEST(ProgramOutOfMemory, ScanOfColumns) { check_out_of_memory(scan_program(1000, 300, 1)); }
TEST(ProgramOutOfMemory, ScanByChunks) { check_out_of_memory(scan_program(1, 300000, 2)); }

}  // namespace
}  // namespace gpuopt::test
