// tests/unit/cpu_sort_test.cpp -- the slot sort of the CPU (sort_cases.h): every dtype, layouts, lengths for which the
// sorts take other ways, and contents that are hard for them.
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/library/sort.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/sort_cases.h"

namespace gpuopt::cpu {
namespace {

using test::Array;
using test::Call;
using test::check_bins;
using test::check_search;
using test::check_sorts;
using test::Contents;
using test::fill;
using test::kContents;
using test::kLayouts;
using test::kWritableLayouts;
using test::Layout;
using test::set_integer;
using test::Shape;

class SortTest : public testing::Test {
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
    return test::status_of(error, [&] { run_sort(*call); });
  }
};

TEST_F(SortTest, EveryDtypeLengthAndContents) {
  unsigned seed = 0;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {0, 1, 2, 15, 16, 17, 33, 256, 257, 3000, 20000}) {
      for (Contents contents : kContents) {
        Array x(dtype, {n}, Layout::kC, ++seed);
        fill(x, dtype, contents, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " " + std::to_string(n) + " " +
                     std::to_string(static_cast<int>(contents)));
        check_sorts(run, dtype, {n}, 0, seed % 2, x, Layout::kC);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SortTest, ManyElementsOnAllThreads) {
  unsigned seed = 100;
  for (int32_t dtype : {GPUOPT_INT8, GPUOPT_UINT16, GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_INT64, GPUOPT_FLOAT64,
                        GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    for (Contents contents : kContents) {
      const int64_t n = 200000 + seed;
      Array x(dtype, {n}, Layout::kC, ++seed);
      fill(x, dtype, contents, seed);
      SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " " + std::to_string(static_cast<int>(contents)));
      check_sorts(run, dtype, {n}, 0, seed % 2, x, seed % 3 ? Layout::kC : Layout::kReversed);
      if (HasFailure()) return;
    }
  }
}

TEST_F(SortTest, EveryAxisAndLayout) {
  unsigned seed = 1000;
  const Shape shapes[] = {{3, 4, 5}, {1, 7, 1}, {0, 3}, {3, 0}, {300, 7}, {5, 70000}, {20, 20, 20}};
  for (const Shape &shape : shapes) {
    for (Layout layout : kLayouts) {
      for (size_t axis = 0; axis < shape.size(); axis++) {
        const int32_t dtype = std::array{GPUOPT_FLOAT32, GPUOPT_INT16, GPUOPT_COMPLEX128, GPUOPT_FLOAT64}[seed % 4];
        Array x(dtype, shape, layout, ++seed);
        fill(x, dtype, seed % 2 ? Contents::kBits : Contents::kFew, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " seed " + std::to_string(seed));
        check_sorts(run, dtype, shape, axis, seed / 2 % 2, x, kWritableLayouts[seed % 5]);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SortTest, SearchesAgainstCounting) {
  unsigned seed = 2000;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {0, 1, 2, 3, 100}) {
      for (bool right : {false, true}) {
        Array mixed(dtype, {n}, Layout::kC, ++seed), values(dtype, {9, 4}, kLayouts[seed % 6], seed);
        fill(mixed, dtype, seed % 3 ? Contents::kFew : Contents::kBits, seed);
        fill(values, dtype, seed % 3 ? Contents::kFew : Contents::kBits, seed + 7);
        check_search(run, dtype, mixed, values, right, seed);
      }
    }
  }
}

// A place among evenly spaced elements is guessed first: at them, between them, beyond their ends, at a NaN, and where
// one of them is not in its place.
TEST_F(SortTest, SearchesAmongEvenlySpacedElements) {
  unsigned seed = 3000;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {3, 4, 5, 30, 36}) {
      for (int64_t moved : {0, 1, 2}) {
        for (bool right : {false, true}) {
          Array mixed(dtype, {n}, Layout::kC, ++seed), values(dtype, {9, 4}, kLayouts[seed % 6], seed);
          for (int64_t i = 0; i < n; i++) set_integer(mixed, dtype, i, 3 * i + 7 + (i == n / 2 ? moved : 0));
          fill(values, dtype, seed % 2 ? Contents::kNearZero : Contents::kBits, seed + 7);
          check_search(run, dtype, mixed, values, right, seed);
        }
      }
    }
  }
}

// Tenths are not multiples of a double: a quotient is now above, now below the integer that it stands for.
TEST_F(SortTest, SearchesAmongTenths) {
  for (int64_t n = 4; n <= 36; n++) {
    for (bool right : {false, true}) {
      Array mixed(GPUOPT_FLOAT64, {n}, Layout::kC, 1), values(GPUOPT_FLOAT64, {9, 4}, Layout::kC, 1);
      for (int64_t i = 0; i < n; i++) mixed.set(i, 0.1 * static_cast<double>(i) + 0.3);
      for (int64_t v = 0; v < 36; v++) values.set(v, 0.1 * static_cast<double>(v) + 0.3);
      check_search(run, GPUOPT_FLOAT64, mixed, values, right, 1);
    }
  }
}

TEST_F(SortTest, CountsAndWeightsInOrder) {
  std::mt19937_64 random(5);
  for (int64_t n : {0, 1, 50, 200000}) {
    for (int64_t bins : {1, 7, 3000}) {
      for (Layout layout : {Layout::kC, Layout::kReversed, Layout::kGaps}) check_bins(run, n, bins, layout, random);
    }
  }
}

// ---- The loops over keys

class KeyLoopsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() > detected_isa_level()) GTEST_SKIP() << "this processor is below the level";
    if (!loop_table(GetParam()).keys8.sort) GTEST_SKIP() << "the level has no vectors for it";
  }
};

// Contents that are hard for a quicksort: random, few values, in order, backwards, the greatest ones, equal ones, an
// organ pipe, and the greatest one with some others.
template <typename K>
K hard_key(int kind, int64_t i, int64_t n, std::mt19937_64 &random) {
  const K any = static_cast<K>(random());
  const K greatest = std::numeric_limits<K>::max();
  const K kinds[] = {any,
                     static_cast<K>(any % 3),
                     static_cast<K>(i),
                     static_cast<K>(n - i),
                     static_cast<K>(greatest - any % 2),
                     0,
                     static_cast<K>(i < n / 2 ? i : n - i),
                     any % 100 ? greatest : any};
  return kinds[kind];
}

template <typename K>
void check_key_sort(const KeyLoops<K> &loops) {
  constexpr int64_t kGuard = 64;
  constexpr K kMark = 0x5A5A5A5A;
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 2500; trial++) {
    const int64_t n = trial < 1200 ? trial : static_cast<int64_t>(random() % 3000);
    const int kind = trial % 8;
    std::vector<K> x(static_cast<size_t>(n + kGuard), kMark), other = x;
    for (int64_t i = 0; i < n; i++) x[static_cast<size_t>(i)] = hard_key<K>(kind, i, n, random);
    std::vector<K> expected(x);
    std::sort(expected.begin(), expected.end() - kGuard);
    const bool into_other = random() % 2;
    loops.sort(x.data(), other.data(), n, into_other);
    ASSERT_TRUE((into_other ? other : x) == expected) << n << " keys of kind " << kind;
    const std::vector<K> &spare = into_other ? x : other;
    ASSERT_TRUE(std::all_of(spare.end() - kGuard, spare.end(), [](K key) { return key == kMark; })) << n;
  }
}

TEST_P(KeyLoopsTest, SortAllSizesAndContents) {
  check_key_sort(loop_table(GetParam()).keys4);
  check_key_sort(loop_table(GetParam()).keys8);
}

// Enters sorted ends of buckets, 2^levels - 1 of them, into the tree below a node.
template <typename K>
void set_tree(std::vector<K> &tree, size_t node, const K *ends, size_t count) {
  if (count == 0) return;
  tree[node] = ends[count / 2];
  set_tree(tree, 2 * node, ends, count / 2);
  set_tree(tree, 2 * node + 1, ends + count / 2 + 1, count / 2);
}

template <typename K>
void check_find_buckets(const KeyLoops<K> &loops, int levels, int64_t n) {
  std::mt19937_64 random(9);
  const K range = static_cast<K>(levels < 4 ? 100 : -1);
  std::vector<K> ends((size_t{1} << levels) - 1), tree(256), x(static_cast<size_t>(n));
  for (K &end : ends) end = static_cast<K>(random() % range);
  std::sort(ends.begin(), ends.end());
  for (K &key : x) key = random() % 4 ? static_cast<K>(random() % range) : ends[random() % ends.size()];
  set_tree(tree, 1, ends.data(), ends.size());
  std::vector<uint8_t> buckets(static_cast<size_t>(n) + 1, 99);
  loops.find_buckets(x.data(), n, tree.data(), levels, buckets.data());
  EXPECT_EQ(buckets[static_cast<size_t>(n)], 99);
  for (size_t i = 0; i < x.size(); i++)
    ASSERT_EQ(buckets[i], std::upper_bound(ends.begin(), ends.end(), x[i]) - ends.begin()) << levels << " " << n;
}

TEST_P(KeyLoopsTest, FindBuckets) {
  for (int levels = 1; levels <= 8; levels++) {
    for (int64_t n : {0, 1, 63, 64, 65, 1000}) {
      check_find_buckets(loop_table(GetParam()).keys4, levels, n);
      check_find_buckets(loop_table(GetParam()).keys8, levels, n);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, KeyLoopsTest, testing::Values(3, 4));

// ---- Failures

// Whatever memory there is, a sort is right or fails and writes nothing: by vectors keys are sorted without the memory
// for buckets, too.
TEST_F(SortTest, IsRightOrFailsWithAnyAmountOfMemory) {
  constexpr int64_t n = 70000;
  Array x(GPUOPT_FLOAT64, {n}), expected(GPUOPT_FLOAT64, {n});
  fill(x, GPUOPT_FLOAT64, Contents::kBits, 5);
  const Call first(GPUOPT_CALL_SORT, {x.tensor(), expected.tensor()}, {0, 0});
  run_sort(*first);
  int failed = 0, sorted = 0;
  for (uint64_t limit = n; limit < 6 * n * sizeof(double); limit += n) {
    Array out(GPUOPT_FLOAT64, {n});
    const Array before = out;
    const Call sort(GPUOPT_CALL_SORT, {x.tensor(), out.tensor()}, {0, 0});
    Allocator::get().trim();
    Allocator::get().set_limit(limit);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status = test::status_of(&error, [&] { run_sort(*sort); });
    Allocator::get().set_limit(0);
    ++(status == GPUOPT_OK ? sorted : failed);
    EXPECT_TRUE(out == (status == GPUOPT_OK ? expected : before)) << limit;
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(sorted, 0);
}

TEST_F(SortTest, WithoutMemoryNothingIsWritten) {
  Array x(GPUOPT_FLOAT64, {100000}), out(GPUOPT_FLOAT64, {100000}), order(GPUOPT_INT64, {100000});
  const Array before = out, order_before = order;
  const Call sort(GPUOPT_CALL_SORT, {x.tensor(), out.tensor()}, {0, 0});
  const Call argsort(GPUOPT_CALL_ARGSORT, {x.tensor(), order.tensor()}, {0, 0});
  Allocator::get().trim();
  Allocator::get().set_limit(1);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*sort); }), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*argsort); }), GPUOPT_ERR_OUT_OF_MEMORY);
  Allocator::get().set_limit(0);
  EXPECT_TRUE(out == before);
  EXPECT_TRUE(order == order_before);
}

TEST_F(SortTest, UnknownKindsAreUnsupported) {
  const Call call(GPUOPT_CALL_TAKE, {});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*call); }), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cpu
