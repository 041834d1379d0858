// tests/cuda/select_test.cpp -- masks and index arrays on the device against naive loops: every layout and element
// size.
#include "tests/cuda/library_support.h"
#include "tests/unit/select_cases.h"

namespace gpuopt::cuda {
namespace {

class Select : public LibraryTest {
 protected:
  test::RunCall on_device() {
    return [this](int32_t kind, const std::vector<test::Array *> &arrays, std::vector<int64_t> &ints,
                  gpuopt_error *problem) {
      if (kind < GPUOPT_CALL_MASK_ASSIGN) return run<&slots::gather>(kind, arrays, ints, problem);
      return run<&slots::scatter>(kind, arrays, ints, problem);
    };
  }
};

TEST_F(Select, MaskCount) { test::check_mask_count(on_device()); }
TEST_F(Select, MaskSelectAgainstLoops) { test::check_mask_select(on_device()); }
TEST_F(Select, MaskAssignAgainstLoops) { test::check_mask_assign(on_device()); }
TEST_F(Select, NonzeroAgainstLoops) { test::check_nonzero(on_device()); }
TEST_F(Select, TakeAgainstLoops) { test::check_indexed(on_device(), GPUOPT_CALL_TAKE); }
TEST_F(Select, PutAgainstLoopsLastDuplicateWins) { test::check_indexed(on_device(), GPUOPT_CALL_PUT); }
TEST_F(Select, BadIndicesAreNamedAndPutWritesNothing) { test::check_bad_indices(on_device()); }

// A mask that changed after it was counted is not followed out of bounds, and rows without a true element stay.
TEST_F(Select, AStaleCountWritesNothingElse) {
  test::Array mask = test::make_mask({5000}, test::Layout::kC, 50, 1), x(GPUOPT_FLOAT32, {5000});
  test::Array wide(GPUOPT_FLOAT32, {5000, 3});
  const auto places = test::true_places(mask);
  const auto count = static_cast<int64_t>(places.size());
  std::vector<int64_t> none;
  for (const int64_t rows : {count - 7, count + 7}) {
    for (test::Array *const from : {&x, &wide}) {
      test::Shape shape = from->shape();
      shape[0] = rows;
      test::Array out(GPUOPT_FLOAT32, shape, test::Layout::kC, 9);
      const int64_t row = from->size() / 5000;
      test::Array expected = out;
      for (int64_t i = 0; i < std::min(rows, count) * row; i++)
        expected.copy_from(i, *from, places[static_cast<size_t>(i / row)] * row + i % row);
      ASSERT_EQ((run<&slots::gather>(GPUOPT_CALL_MASK_SELECT, {from, &mask, &out}, none, &error)), GPUOPT_OK);
      EXPECT_TRUE(out == expected) << rows << " rows of " << row;
    }
  }
}

TEST_F(Select, AMaskOffItsAlignment) {
  test::Array mask = test::make_mask({9000}, test::Layout::kC, 50, 1);
  auto *const memory = static_cast<unsigned char *>(allocate(mask.storage().size() + 1)) + 1;
  ASSERT_EQ(upload(memory, mask.storage().data(), mask.storage().size()), GPUOPT_OK);
  const test::Call call(GPUOPT_CALL_MASK_COUNT, {mask.tensor_at(memory)}, {-1});
  ASSERT_EQ(SLOT(gather)(device, stream, &*call, &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(call.integer(0), static_cast<int64_t>(test::true_places(mask).size()));
}

TEST_F(Select, AFaultInAnyCallIsReportedAndTheNextCallWorks) {
  using test::Array, test::Layout;
  const Array mask = test::make_mask({300, 2}, Layout::kC, 50, 1),
              indices = test::make_indices({40}, Layout::kC, 10, 1);
  Array copy = mask;
  const auto rows = static_cast<int64_t>(test::true_places(copy).size());
  const Array x(GPUOPT_FLOAT32, {300, 2, 3}), selected(GPUOPT_FLOAT32, {rows, 3}), table(GPUOPT_FLOAT32, {10, 5});
  const Array taken(GPUOPT_FLOAT32, {40, 5}, Layout::kC, 3), places(GPUOPT_INT64, {rows, 2});
  const auto given = [](std::vector<Array> arrays) { return [arrays] { return arrays; }; };
  expect_faults_reported<&slots::gather>(GPUOPT_CALL_MASK_COUNT, given({mask}), {0});
  expect_faults_reported<&slots::gather>(GPUOPT_CALL_MASK_SELECT, given({x, mask, selected}), {});
  expect_faults_reported<&slots::gather>(GPUOPT_CALL_TAKE, given({table, indices, taken}), {0});
  expect_faults_reported<&slots::gather>(GPUOPT_CALL_NONZERO, given({mask, places}), {});
  expect_faults_reported<&slots::scatter>(GPUOPT_CALL_MASK_ASSIGN, given({mask, selected, x}), {});
  expect_faults_reported<&slots::scatter>(GPUOPT_CALL_PUT, given({indices, taken, table}), {0});
}

TEST_F(Select, UnknownKindsAreUnsupported) {
  std::vector<int64_t> none;
  EXPECT_EQ((run<&slots::gather>(GPUOPT_CALL_MATMUL, {}, none, &error)), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ((run<&slots::scatter>(GPUOPT_CALL_MATMUL, {}, none, &error)), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cuda
