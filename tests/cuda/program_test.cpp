// tests/cuda/program_test.cpp -- programs on the fake driver against the literal reference, bit for bit.
#include "device_support.h"
#include "plugins/cuda/loop_results.h"
#include "plugins/cuda/program_cache.h"
#include "unit/random_program.h"

namespace gpuopt::cuda {
namespace {

using test::Family;
using test::ProgramBuilder;
using test::Random;
using test::RandomProgram;

class ProgramTest : public DeviceTest {
 protected:
  void SetUp() override {
    test::TestHost::set("GPUOPT_NVRTC", std::getenv("GPUOPT_NVRTC"));
    test::TestHost::set("GPUOPT_CACHE_DIR", std::getenv("GPUOPT_CACHE_DIR"));
    DeviceTest::SetUp();
  }

  // Runs on copies of the operands in device memory, and brings all of that back.
  gpuopt_status run_on_device(ProgramBuilder &builder, gpuopt_program program, gpuopt_error *why) {
    const auto blocks_here = builder.memory();
    std::vector<void *> there;
    for (const auto &[memory, bytes] : blocks_here) {
      there.push_back(allocate(bytes));
      EXPECT_EQ(upload(there.back(), memory, bytes), GPUOPT_OK);
    }
    const auto move = [&](gpuopt_operand operand) {
      auto *const data = static_cast<unsigned char *>(operand.data);
      for (size_t i = 0; i < there.size(); i++) {
        const auto &[memory, bytes] = blocks_here[i];
        if (data >= memory && data < memory + bytes) operand.data = static_cast<char *>(there[i]) + (data - memory);
      }
      return operand;
    };
    std::vector<gpuopt_operand> inputs, outputs;
    for (int i = 0; i < program.ninputs; i++) inputs.push_back(move(program.inputs[i]));
    for (int i = 0; i < program.noutputs; i++) outputs.push_back(move(program.outputs[i]));
    program.inputs = inputs.data();
    program.outputs = outputs.data();
    const gpuopt_status status = SLOT(program_run)(device, stream, &program, why);
    for (size_t i = there.size(); i-- > 0;) {
      EXPECT_EQ(download(blocks_here[i].first, there[i], blocks_here[i].second), GPUOPT_OK) << error.message;
      free_last();
    }
    return status;
  }

  void check(ProgramBuilder &builder) {
    builder.check_runs(
        1, [&](int, const gpuopt_program &program, gpuopt_error *why) { return run_on_device(builder, program, why); });
  }

  void check_random(Family family, uint64_t first_seed, int count, int64_t elements) {
    const uint64_t end = first_seed + static_cast<uint64_t>(count / GPUOPT_TEST_SHARE);
    for (uint64_t seed = first_seed; seed < end; seed++) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(RandomProgram(family, seed, elements).builder());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
};

int rounds(int usual) {
  const char *const wanted = std::getenv("GPUOPT_TEST_ROUNDS");
  return wanted ? std::atoi(wanted) : usual;
}

TEST_F(ProgramTest, RandomElementwise) { check_random(Family::kElementwise, 1, rounds(20), 3000); }
TEST_F(ProgramTest, RandomReduction) { check_random(Family::kReduction, 200000, rounds(30), 6000); }
TEST_F(ProgramTest, RandomScan) { check_random(Family::kScan, 400000, rounds(20), 6000); }

// Both backends have the same loops: one from ops.def, the other from what was compiled.
TEST_F(ProgramTest, LoopsAreThoseOfTheReference) {
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int op = 0; op < GPUOPT_OP_COUNT; op++)
      EXPECT_EQ(loop_results().elementwise[op][dtype], test::scalar_op(op, dtype).result_dtype) << op << " " << dtype;
    for (int i = 0; i < GPUOPT_REDUCTION_COUNT; i++)
      EXPECT_EQ(loop_results().reduction[i][dtype], test::reduction_op(i, dtype).result_dtype) << i << " " << dtype;
    for (int i = 0; i < GPUOPT_SCAN_COUNT; i++)
      EXPECT_EQ(loop_results().scan[i][dtype], test::scan_op(i, dtype).result_dtype) << i << " " << dtype;
  }
}

}  // namespace
}  // namespace gpuopt::cuda
