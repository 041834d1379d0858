// tests/unit/cpu_gather_test.cpp -- masks and index arrays against naive loops: every layout, element size and level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/library/gather.h"
#include "plugins/cpu/library/mask_loops.h"
#include "plugins/cpu/library/scatter.h"
#include "plugins/cpu/library/take_loops.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/shared/host/walk.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/select_cases.h"

namespace gpuopt::cpu {
using plugin::bytes_of;
using plugin::Walk;
namespace {

using test::Array;
using test::Call;
using test::kLayouts;
using test::Layout;
using test::make_mask;
using test::random_mask;
using test::Shape;
using test::true_places;

// ---- Walk ----

TEST(WalkTest, VisitsEveryElementOnceInOrder) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; round++) {
    Shape shape;
    for (unsigned axis = random() % 5; axis-- > 0;) shape.push_back(1 + random() % 4);
    Array a(GPUOPT_INT16, shape, kLayouts[random() % 6], round), b(GPUOPT_INT64, shape, kLayouts[random() % 6], round);
    const gpuopt_tensor ta = a.tensor(), tb = b.tensor();
    const Walk<2> walk(ta.ndim, ta.shape, {ta.strides, tb.strides});
    ASSERT_EQ(walk.size(), a.size());
    const int64_t begin = random() % (a.size() + 1), end = begin + random() % (a.size() - begin + 1);
    int64_t next = begin;
    walk.runs(begin, end, [&](int64_t position, const auto &offsets, int64_t count) {
      ASSERT_EQ(position, next);
      for (int64_t i = 0; i < count; i++, next++) {
        ASSERT_EQ(bytes_of(ta) + offsets[0] + i * walk.inner_stride(0), reinterpret_cast<char *>(a.at(next)));
        ASSERT_EQ(bytes_of(tb) + offsets[1] + i * walk.inner_stride(1), reinterpret_cast<char *>(b.at(next)));
      }
    });
    ASSERT_EQ(next, end);
  }
}

TEST(WalkTest, MergesWhatIsContiguous) {
  const int64_t shape[] = {2, 1, 3, 4}, strides[] = {48, 999, 16, 4};
  const Walk<1> walk(4, shape, {strides});
  EXPECT_TRUE(walk.is_one_run());
  EXPECT_EQ(walk.inner_size(), 24);
  EXPECT_EQ(walk.inner_stride(0), 4);
}

TEST(WalkTest, EmptyShapesHaveNoRuns) {
  const int64_t shape[] = {3, 0, 2}, strides[] = {8, 8, 8};
  const Walk<1> walk(3, shape, {strides});
  EXPECT_EQ(walk.size(), 0);
  walk.runs(0, 0, [](int64_t, const auto &, int64_t) { FAIL(); });
}

// ---- Mask loops ----

class MaskLoopsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() > detected_isa_level()) GTEST_SKIP() << "this processor is below the level";
  }
  const MaskLoops &loops_ = mask_loops(GetParam());
};

TEST_P(MaskLoopsTest, CountAndCollect) {
  for (int64_t n : {0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 200, 1024}) {
    for (int percent : {0, 1, 50, 99, 100}) {
      const std::vector<uint8_t> mask = random_mask(n, percent, static_cast<unsigned>(n + percent));
      std::vector<int32_t> expected;
      for (int64_t i = 0; i < n; i++) {
        if (mask[i]) expected.push_back(static_cast<int32_t>(i));
      }
      std::vector<int32_t> index(n + kIndexSlack, -1);
      EXPECT_EQ(loops_.count(mask.data(), n), static_cast<int64_t>(expected.size()));
      EXPECT_EQ(loops_.collect(mask.data(), n, index.data()), static_cast<int64_t>(expected.size()));
      index.resize(expected.size());
      EXPECT_EQ(index, expected);
    }
  }
}

template <typename T>
void check_compress(void (*compress)(T *, const T *, const uint8_t *, int64_t, int64_t)) {
  for (int64_t n : {0, 1, 31, 32, 63, 64, 65, 128, 500, 4096}) {
    for (int percent : {0, 1, 30, 100}) {
      const std::vector<uint8_t> mask = random_mask(n, percent, static_cast<unsigned>(n + percent));
      std::vector<T> from(n), expected;
      std::iota(from.begin(), from.end(), T{1000});
      for (int64_t i = 0; i < n; i++) {
        if (mask[i]) expected.push_back(from[i]);
      }
      const auto count = static_cast<int64_t>(expected.size());
      std::vector<T> to(count + 64, T{7});
      expected.resize(count + 64, T{7});  // nothing past the room may change
      compress(to.data(), from.data(), mask.data(), n, count);
      EXPECT_EQ(to, expected) << n << " elements, " << percent << "%";
    }
  }
}

TEST_P(MaskLoopsTest, Compress4) { check_compress(loops_.compress4); }
TEST_P(MaskLoopsTest, Compress8) { check_compress(loops_.compress8); }

INSTANTIATE_TEST_SUITE_P(Levels, MaskLoopsTest, testing::Values(2, 3, 4));

// ---- Loops of take ----

class TakeLoopsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() > detected_isa_level()) GTEST_SKIP() << "this processor is below the level";
  }
  const TakeLoops &loops_ = take_loops(GetParam());
};

// Takes n elements of all arrays' sizes, from memory and to memory that is `off` bytes off alignment.
template <typename T>
void check_take(void (*take)(char *, const char *, const char *, int64_t, int64_t), int64_t n, int64_t size,
                size_t off) {
  std::mt19937_64 random(static_cast<uint64_t>(n * 1000 + size));
  std::vector<T> from(static_cast<size_t>(size)), expected;
  for (T &x : from) x = static_cast<T>(random());
  std::vector<int64_t> index(static_cast<size_t>(n));
  for (int64_t &at : index) {
    at = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * size)) - size;
    expected.push_back(from[static_cast<size_t>(at < 0 ? at + size : at)]);
  }
  constexpr size_t kGuard = 128;
  std::vector<char> source(from.size() * sizeof(T) + off), places(index.size() * 8 + off),
      to(expected.size() * sizeof(T) + off + kGuard, 'x');
  std::memcpy(source.data() + off, from.data(), source.size() - off);
  if (n) std::memcpy(places.data() + off, index.data(), places.size() - off);
  take(to.data() + off, places.data() + off, source.data() + off, size, n);
  std::vector<char> all(to.size(), 'x');  // nothing before or behind the elements may change
  if (n) std::memcpy(all.data() + off, expected.data(), expected.size() * sizeof(T));
  EXPECT_EQ(to, all) << n << " of " << size << " elements, " << off << " bytes off";
}

TEST_P(TakeLoopsTest, TakesWhatIndicesSay) {
  for (int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 100, 1000}) {
    for (int64_t size : {1, 2, 9, 1000, 100000}) {  // the last of more bytes than are called near
      for (size_t off : {0, 1, 4}) {
        check_take<uint32_t>(loops_.take4, n, size, off);
        check_take<uint64_t>(loops_.take8, n, size, off);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, TakeLoopsTest, testing::Values(2, 3, 4));

// ---- Whole calls ----

class GatherTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }

  static gpuopt_status run(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> &ints,
                           gpuopt_error *error) {
    std::vector<gpuopt_tensor> tensors;
    for (Array *array : arrays) tensors.push_back(array->tensor());
    const Call call(kind, tensors, ints);
    const bool gathers = kind < GPUOPT_CALL_MASK_ASSIGN;
    const gpuopt_status status =
        test::status_of(error, [&] { return gathers ? run_gather(*call) : run_scatter(*call); });
    for (size_t i = 0; i < ints.size(); i++) ints[i] = call.integer(i);
    return status;
  }

  gpuopt_error error_ = GPUOPT_ERROR_INIT;
};

TEST_F(GatherTest, MaskCount) { test::check_mask_count(run); }
TEST_F(GatherTest, MaskSelectAgainstLoops) { test::check_mask_select(run); }
TEST_F(GatherTest, MaskAssignAgainstLoops) { test::check_mask_assign(run); }
TEST_F(GatherTest, NonzeroAgainstLoops) { test::check_nonzero(run); }
TEST_F(GatherTest, TakeAgainstLoops) { test::check_indexed(run, GPUOPT_CALL_TAKE); }
TEST_F(GatherTest, PutAgainstLoopsLastDuplicateWins) { test::check_indexed(run, GPUOPT_CALL_PUT); }
TEST_F(GatherTest, BadIndicesAreNamedAndPutWritesNothing) { test::check_bad_indices(run); }

TEST_F(GatherTest, MaskSelectRefusesAWrongCountAndWritesNothing) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), x(GPUOPT_FLOAT32, {100}), out(GPUOPT_FLOAT32, {99});
  const Array before = out;
  const Call call(GPUOPT_CALL_MASK_SELECT, {x.tensor(), mask.tensor(), out.tensor()});
  EXPECT_EQ(test::status_of(&error_, [&] { run_gather(*call); }), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(out == before);
}

TEST_F(GatherTest, MaskAssignRefusesAWrongCountAndWritesNothing) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), values(GPUOPT_FLOAT32, {3}), out(GPUOPT_FLOAT32, {100});
  const Array before = out;
  const Call call(GPUOPT_CALL_MASK_ASSIGN, {mask.tensor(), values.tensor(), out.tensor()});
  EXPECT_EQ(test::status_of(&error_, [&] { run_scatter(*call); }), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(out == before);
}

TEST_F(GatherTest, UnknownKindsAreUnsupported) {
  const Call call(GPUOPT_CALL_MATMUL, {});
  EXPECT_EQ(test::status_of(&error_, [&] { run_gather(*call); }), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(test::status_of(&error_, [&] { run_scatter(*call); }), GPUOPT_ERR_UNSUPPORTED);
}

TEST_F(GatherTest, NoMemoryIsReportedAndNothingIsWritten) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), x(GPUOPT_FLOAT32, {100});
  Array out(GPUOPT_FLOAT32, {static_cast<int64_t>(true_places(mask).size())});
  const Array before = out;
  Allocator::get().trim();
  Allocator::get().set_limit(1);
  const Call call(GPUOPT_CALL_MASK_SELECT, {x.tensor(), mask.tensor(), out.tensor()});
  EXPECT_EQ(test::status_of(&error_, [&] { run_gather(*call); }), GPUOPT_ERR_OUT_OF_MEMORY);
  Allocator::get().set_limit(0);
  EXPECT_TRUE(out == before);
  EXPECT_EQ(test::status_of(&error_, [&] { run_gather(*call); }), GPUOPT_OK);
}

}  // namespace
}  // namespace gpuopt::cpu
