// tests/cuda/select_test.cpp -- masks and index arrays on the device against naive loops: every layout and element size.
#include "tests/unit/select_cases.h"

#include "tests/cuda/gpu.h"

namespace gpuopt::test {
namespace {

gpuopt_status run(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> &ints, gpuopt_error *error) {
  if (kind < GPUOPT_CALL_MASK_ASSIGN) return Gpu::get().run<&cuda::slots::gather>(kind, arrays, ints, error);
  return Gpu::get().run<&cuda::slots::scatter>(kind, arrays, ints, error);
}

TEST(Select, MaskCount) { check_mask_count(run); }
TEST(Select, MaskSelectAgainstLoops) { check_mask_select(run); }
TEST(Select, MaskAssignAgainstLoops) { check_mask_assign(run); }
TEST(Select, NonzeroAgainstLoops) { check_nonzero(run); }
TEST(Select, TakeAgainstLoops) { check_take(run); }
TEST(Select, PutAgainstLoopsLastDuplicateWins) { check_put_last_duplicate_wins(run); }
TEST(Select, BadIndicesAreNamedAndNothingIsWritten) { check_bad_indices(run); }

}  // namespace
}  // namespace gpuopt::test
