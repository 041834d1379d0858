// tests/cuda/operations_nvrtc_test.cpp -- the real run-time compiler takes the kernels of every operation and cast in
// every dtype and way of lying in memory, without a word: nvrtc_checks.h says which for which architecture.
#include <gtest/gtest.h>

#include "tests/cuda/nvrtc_checks.h"
#include "tests/cuda/operations_corpus.h"

namespace gpuopt::test {
namespace {

using OperationsNvrtc = RealNvrtc<>;

TEST_F(OperationsNvrtc, EveryOperationOnRows) {
  expect_dealt(*compiler.nvrtc, operations(Variant::kDense), Code::kPtx);
}
TEST_F(OperationsNvrtc, EveryOperationOnPoints) {
  expect_dealt(*compiler.nvrtc, operations(Variant::kPoints), Code::kPtx);
}
TEST_F(OperationsNvrtc, EveryOperationOfLongArrays) {
  expect_dealt(*compiler.nvrtc, operations_together(Variant::kLongPoints), Code::kPtx);
}
TEST_F(OperationsNvrtc, EveryCast) { expect_dealt(*compiler.nvrtc, casts(), Code::kMachine); }
TEST_F(OperationsNvrtc, RandomPrograms) {
  expect_dealt(*compiler.nvrtc, random_programs(Family::kElementwise), Code::kMachine);
}

// Down to the machine's code, many in one kernel; GenerationsNvrtc shows that architectures differ in the back end
// alone.
TEST_F(OperationsNvrtc, EveryOperationInMachineCode) {
  expect_dealt(*compiler.nvrtc, operations_together(Variant::kPoints), Code::kMachine);
}

}  // namespace
}  // namespace gpuopt::test
