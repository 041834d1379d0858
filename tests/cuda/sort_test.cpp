// tests/cuda/sort_test.cpp -- the slot sort on the device (unit/sort_cases.h): every dtype, short and long rows,
// layouts, and a fault in any call of the driver.
#include "tests/cuda/library_support.h"
#include "tests/unit/sort_cases.h"

namespace gpuopt::cuda {
namespace {

using test::Array;
using test::Contents;
using test::Layout;
using test::Shape;

class Sort : public LibraryTest {
 protected:
  test::RunCall on_device() {
    return [this](int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> &ints, gpuopt_error *problem) {
      return run<&slots::sort>(kind, arrays, ints, problem);
    };
  }

  // Rows of these lengths, with all contents.
  void check_lengths(int32_t dtype, const std::vector<int64_t> &lengths) {
    unsigned seed = static_cast<unsigned>(dtype);
    for (int64_t n : lengths) {
      for (Contents contents : test::kContents) {
        Array x(dtype, {n}, Layout::kC, ++seed);
        fill(x, dtype, contents, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " " + std::to_string(n) + " " +
                     std::to_string(static_cast<int>(contents)));
        check_sorts(on_device(), dtype, {n}, 0, dtype % 2, x, Layout::kC);
        if (HasFailure()) return;
      }
    }
  }
};

// Rows of up to 1024 elements are sorted by a block.
TEST_F(Sort, ShortRowsOfEveryDtype) {
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) check_lengths(dtype, {0, 1, 2, 33, 1024});
}

// Longer ones are sorted by their digits, in tiles of 2048.
TEST_F(Sort, LongRows) {
  for (const int32_t dtype :
       {GPUOPT_INT8, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_INT64, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128})
    check_lengths(dtype, {1025, 5000});
}

TEST_F(Sort, EveryAxisAndLayout) {
  unsigned seed = 1000;
  for (const Shape &shape : {Shape{3, 4, 5}, Shape{1, 7, 1}, Shape{0, 3}, Shape{300, 7}, Shape{3, 2500}}) {
    for (Layout layout : test::kLayouts) {
      for (size_t axis = 0; axis < shape.size(); axis++) {
        const int32_t dtype = std::array{GPUOPT_FLOAT32, GPUOPT_COMPLEX128}[seed % 2];
        Array x(dtype, shape, layout, ++seed);
        fill(x, dtype, seed % 3 ? Contents::kBits : Contents::kFew, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " seed " + std::to_string(seed));
        check_sorts(on_device(), dtype, shape, axis, true, x, test::kWritableLayouts[seed % 5]);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Sort, SearchesAgainstCounting) {
  unsigned seed = 2000;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {0, 1, 100}) {
      Array mixed(dtype, {n}, Layout::kC, ++seed), values(dtype, {9, 4}, test::kLayouts[seed % 6], seed);
      fill(mixed, dtype, Contents::kFew, seed);
      fill(values, dtype, seed % 2 ? Contents::kFew : Contents::kBits, seed + 7);
      check_search(on_device(), dtype, mixed, values, dtype % 2, seed);
    }
  }
}

TEST_F(Sort, CountsAndWeightsInOrder) {
  std::mt19937_64 random(5);
  for (int64_t n : {0, 1, 5000}) {
    for (int64_t bins : {1, 7, 3000}) {
      for (Layout layout : {Layout::kC, Layout::kReversed}) check_bins(on_device(), n, bins, layout, random);
    }
  }
}

TEST_F(Sort, AFaultInAnyCallIsReportedAndTheNextCallWorks) {
  const Array x(GPUOPT_UINT16, {3000}), sorted(GPUOPT_UINT16, {3000}), bins(GPUOPT_INT64, {40});
  const Array integers(GPUOPT_INT64, {3000}), weights(GPUOPT_FLOAT64, {3000}), sums(GPUOPT_FLOAT64, {40});
  const auto given = [](std::vector<Array> arrays) { return [arrays] { return arrays; }; };
  expect_faults_reported<&slots::sort>(GPUOPT_CALL_SORT, given({x, sorted}), {0, 0});
  expect_faults_reported<&slots::sort>(GPUOPT_CALL_BINCOUNT, given({integers, bins}), {});
  expect_faults_reported<&slots::sort>(GPUOPT_CALL_BINCOUNT, given({integers, weights, sums}), {});
}

TEST_F(Sort, UnknownKindsAreUnsupported) {
  std::vector<int64_t> none;
  EXPECT_EQ((run<&slots::sort>(GPUOPT_CALL_MATMUL, {}, none, &error)), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cuda
