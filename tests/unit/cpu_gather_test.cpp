// tests/unit/cpu_gather_test.cpp -- masks and index arrays against naive loops: every layout, element size and level.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/cpuid.h"
#include "plugins/cpu/gather.h"
#include "plugins/cpu/mask_loops.h"
#include "plugins/cpu/memory.h"
#include "plugins/shared/host/walk.h"
#include "tests/unit/cpu_test_array.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
using plugin::Walk;
namespace {

using test::Array;
using test::Call;
using test::count_of;
using test::kLayouts;
using test::kWritableLayouts;
using test::Layout;
using test::Shape;

constexpr int32_t kDtypes[] = {GPUOPT_BOOL, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_INT64, GPUOPT_COMPLEX128};

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

std::vector<uint8_t> random_mask(int64_t n, int percent, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> mask(n);
  for (auto &byte : mask) byte = static_cast<int>(random() % 100) < percent ? 1 + random() % 255 : 0;
  return mask;
}

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

// ---- Whole calls ----

class GatherTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }

  Array make_mask(const Shape &shape, Layout layout, int percent, unsigned seed) {
    Array mask(GPUOPT_BOOL, shape, layout, seed);
    const std::vector<uint8_t> values = random_mask(mask.size(), percent, seed);
    for (int64_t i = 0; i < mask.size(); i++) mask.set<uint8_t>(i, values[i] != 0);
    return mask;
  }

  Array make_indices(const Shape &shape, Layout layout, int64_t size, unsigned seed) {
    Array indices(GPUOPT_INT64, shape, layout, seed);
    std::mt19937_64 random(seed);
    for (int64_t i = 0; i < indices.size(); i++) {
      indices.set<int64_t>(i, static_cast<int64_t>(random() % (2 * size)) - size);
    }
    return indices;
  }

  // Flat C-order positions of the true elements.
  std::vector<int64_t> true_places(Array &mask) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < mask.size(); i++) {
      if (mask.get<uint8_t>(i)) places.push_back(i);
    }
    return places;
  }

  gpuopt_error error_ = GPUOPT_ERROR_INIT;
};

struct MaskCase {
  Shape mask, rest;
};
const std::vector<MaskCase> kMaskCases = {{{}, {}},       {{}, {3}},      {{0}, {}},         {{1}, {}},
                                          {{257}, {}},    {{40000}, {}},  {{5}, {0}},        {{130, 200}, {}},
                                          {{7, 9}, {4}},  {{7, 9}, {1}},  {{3}, {5, 2, 3}},  {{4, 1, 5}, {2, 2}},
                                          {{20000}, {2}}, {{6}, {70000}}, {{2, 3, 4, 5}, {}}};

Shape joined(const Shape &a, const Shape &b) {
  Shape shape = a;
  shape.insert(shape.end(), b.begin(), b.end());
  return shape;
}

TEST_F(GatherTest, MaskCount) {
  for (const MaskCase &shapes : kMaskCases) {
    for (Layout layout : kLayouts) {
      Array mask = make_mask(shapes.mask, layout, 40, 5);
      Call call(GPUOPT_CALL_MASK_COUNT, {mask.tensor()}, {-1});
      ASSERT_EQ(run_gather(*call, &error_), GPUOPT_OK);
      EXPECT_EQ(call.integer(0), static_cast<int64_t>(true_places(mask).size()));
    }
  }
}

TEST_F(GatherTest, MaskSelectAgainstLoops) {
  unsigned seed = 0;
  for (const MaskCase &shapes : kMaskCases) {
    for (int32_t dtype : kDtypes) {
      for (Layout layout : kLayouts) {
        seed++;
        Array mask = make_mask(shapes.mask, kLayouts[seed % 6], static_cast<int>(seed * 37 % 101), seed);
        Array x(dtype, joined(shapes.mask, shapes.rest), layout, seed);
        const std::vector<int64_t> places = true_places(mask);
        const int64_t row = count_of(shapes.rest);
        Array out(dtype, joined({static_cast<int64_t>(places.size())}, shapes.rest), kWritableLayouts[seed % 5], seed);
        Array expected = out;
        for (size_t j = 0; j < places.size(); j++) {
          for (int64_t r = 0; r < row; r++) {
            expected.copy_from(static_cast<int64_t>(j) * row + r, x, places[j] * row + r);
          }
        }
        const Call call(GPUOPT_CALL_MASK_SELECT, {x.tensor(), mask.tensor(), out.tensor()});
        ASSERT_EQ(run_gather(*call, &error_), GPUOPT_OK) << error_.message;
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

TEST_F(GatherTest, MaskSelectRefusesAWrongCountAndWritesNothing) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), x(GPUOPT_FLOAT32, {100}), out(GPUOPT_FLOAT32, {99});
  const Array before = out;
  const Call call(GPUOPT_CALL_MASK_SELECT, {x.tensor(), mask.tensor(), out.tensor()});
  EXPECT_EQ(run_gather(*call, &error_), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(out == before);
}

TEST_F(GatherTest, MaskAssignAgainstLoops) {
  unsigned seed = 0;
  for (const MaskCase &shapes : kMaskCases) {
    for (int32_t dtype : kDtypes) {
      for (Layout layout : kWritableLayouts) {
        seed++;
        Array mask = make_mask(shapes.mask, kLayouts[seed % 6], static_cast<int>(seed * 37 % 101), seed);
        Array out(dtype, joined(shapes.mask, shapes.rest), layout, seed);
        const std::vector<int64_t> places = true_places(mask);
        const int64_t row = count_of(shapes.rest), rows = seed % 3 == 0 ? 1 : static_cast<int64_t>(places.size());
        Array values(dtype, joined({rows}, shapes.rest), kLayouts[seed % 6], seed);
        Array expected = out;
        for (size_t j = 0; j < places.size(); j++) {
          for (int64_t r = 0; r < row; r++) {
            expected.copy_from(places[j] * row + r, values, (rows == 1 ? 0 : static_cast<int64_t>(j)) * row + r);
          }
        }
        const Call call(GPUOPT_CALL_MASK_ASSIGN, {mask.tensor(), values.tensor(), out.tensor()});
        ASSERT_EQ(run_scatter(*call, &error_), GPUOPT_OK) << error_.message;
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

TEST_F(GatherTest, MaskAssignRefusesAWrongCountAndWritesNothing) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), values(GPUOPT_FLOAT32, {3}), out(GPUOPT_FLOAT32, {100});
  const Array before = out;
  const Call call(GPUOPT_CALL_MASK_ASSIGN, {mask.tensor(), values.tensor(), out.tensor()});
  EXPECT_EQ(run_scatter(*call, &error_), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(out == before);
}

TEST_F(GatherTest, NonzeroAgainstLoops) {
  unsigned seed = 0;
  for (const MaskCase &shapes : kMaskCases) {
    for (Layout layout : kLayouts) {
      seed++;
      Array x = make_mask(shapes.mask, layout, static_cast<int>(seed * 37 % 101), seed);
      const std::vector<int64_t> places = true_places(x);
      const auto ndim = static_cast<int64_t>(shapes.mask.size());
      Array out(GPUOPT_INT64, {static_cast<int64_t>(places.size()), ndim}, kWritableLayouts[seed % 5], seed);
      Array expected = out;
      for (size_t j = 0; j < places.size(); j++) {
        int64_t position = places[j];
        for (int64_t axis = ndim - 1; axis >= 0; position /= shapes.mask[axis--]) {
          expected.set<int64_t>(static_cast<int64_t>(j) * ndim + axis, position % shapes.mask[axis]);
        }
      }
      const Call call(GPUOPT_CALL_NONZERO, {x.tensor(), out.tensor()});
      ASSERT_EQ(run_gather(*call, &error_), GPUOPT_OK) << error_.message;
      ASSERT_TRUE(out == expected) << seed;
    }
  }
}

struct IndexCase {
  Shape prefix;
  int64_t size;
  Shape rest, indices;
};
const std::vector<IndexCase> kIndexCases = {{{}, 10, {}, {}},        {{}, 10, {}, {7}},     {{}, 1000, {}, {50000}},
                                            {{}, 3, {}, {40000}},    {{4}, 5, {}, {3}},     {{4, 3}, 5, {2}, {3, 2}},
                                            {{}, 6, {8, 3}, {2, 5}}, {{300}, 7, {}, {90}},  {{2}, 4, {0}, {3}},
                                            {{0}, 4, {2}, {3}},      {{2}, 4, {3}, {0}},    {{}, 5, {70000}, {4}},
                                            {{30}, 1, {2}, {1}},     {{2}, 9, {2}, {20000}}};

TEST_F(GatherTest, TakeAgainstLoops) {
  unsigned seed = 0;
  for (const IndexCase &shapes : kIndexCases) {
    for (int32_t dtype : kDtypes) {
      for (Layout layout : kLayouts) {
        seed++;
        Array x(dtype, joined(joined(shapes.prefix, {shapes.size}), shapes.rest), layout, seed);
        Array indices = make_indices(shapes.indices, kLayouts[seed % 6], shapes.size, seed);
        Array out(dtype, joined(joined(shapes.prefix, shapes.indices), shapes.rest), kWritableLayouts[seed % 5], seed);
        Array expected = out;
        const int64_t n = indices.size(), row = count_of(shapes.rest);
        for (int64_t place = 0; place < count_of(shapes.prefix) * n; place++) {
          const int64_t index = indices.get<int64_t>(place % n);
          const int64_t from = place / n * shapes.size + (index < 0 ? index + shapes.size : index);
          for (int64_t r = 0; r < row; r++) expected.copy_from(place * row + r, x, from * row + r);
        }
        const Call call(GPUOPT_CALL_TAKE, {x.tensor(), indices.tensor(), out.tensor()},
                        {static_cast<int64_t>(shapes.prefix.size())});
        ASSERT_EQ(run_gather(*call, &error_), GPUOPT_OK) << error_.message;
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

TEST_F(GatherTest, PutAgainstLoopsLastDuplicateWins) {
  unsigned seed = 0;
  for (const IndexCase &shapes : kIndexCases) {
    for (int32_t dtype : kDtypes) {
      for (Layout layout : kWritableLayouts) {
        seed++;
        Array out(dtype, joined(joined(shapes.prefix, {shapes.size}), shapes.rest), layout, seed);
        Array indices = make_indices(shapes.indices, kLayouts[seed % 6], shapes.size, seed);
        Array values(dtype, joined(joined(shapes.prefix, shapes.indices), shapes.rest), kLayouts[seed % 6], seed);
        Array expected = out;
        const int64_t n = indices.size(), row = count_of(shapes.rest);
        for (int64_t place = 0; place < count_of(shapes.prefix) * n; place++) {
          const int64_t index = indices.get<int64_t>(place % n);
          const int64_t to = place / n * shapes.size + (index < 0 ? index + shapes.size : index);
          for (int64_t r = 0; r < row; r++) expected.copy_from(to * row + r, values, place * row + r);
        }
        const Call call(GPUOPT_CALL_PUT, {indices.tensor(), values.tensor(), out.tensor()},
                        {static_cast<int64_t>(shapes.prefix.size())});
        ASSERT_EQ(run_scatter(*call, &error_), GPUOPT_OK) << error_.message;
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

TEST_F(GatherTest, BadIndicesAreNamedAndNothingIsWritten) {
  for (int64_t bad : {int64_t{10}, int64_t{-11}, INT64_MAX, INT64_MIN}) {
    Array x(GPUOPT_FLOAT64, {3, 10}), out(GPUOPT_FLOAT64, {3, 40000});
    Array indices = make_indices({40000}, Layout::kC, 10, 1);
    indices.set<int64_t>(39999, bad);
    Array before = out;
    const Call take(GPUOPT_CALL_TAKE, {x.tensor(), indices.tensor(), out.tensor()}, {1});
    EXPECT_EQ(run_gather(*take, &error_), GPUOPT_ERR_INDEX);
    EXPECT_EQ(std::string(error_.message), "index " + std::to_string(bad) + " is outside axis 1 of size 10");
    EXPECT_TRUE(out == before);
    before = x;
    const Call put(GPUOPT_CALL_PUT, {indices.tensor(), out.tensor(), x.tensor()}, {1});
    EXPECT_EQ(run_scatter(*put, &error_), GPUOPT_ERR_INDEX);
    EXPECT_TRUE(x == before);
  }
}

TEST_F(GatherTest, AnEmptyAxisHasNoIndices) {
  Array x(GPUOPT_FLOAT64, {0}), out(GPUOPT_FLOAT64, {1}), indices = make_indices({1}, Layout::kC, 1, 1);
  const Call call(GPUOPT_CALL_TAKE, {x.tensor(), indices.tensor(), out.tensor()}, {0});
  EXPECT_EQ(run_gather(*call, &error_), GPUOPT_ERR_INDEX);
}

TEST_F(GatherTest, UnknownKindsAreUnsupported) {
  const Call call(GPUOPT_CALL_MATMUL, {});
  EXPECT_EQ(run_gather(*call, &error_), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(run_scatter(*call, &error_), GPUOPT_ERR_UNSUPPORTED);
}

TEST_F(GatherTest, NoMemoryIsReportedAndNothingIsWritten) {
  Array mask = make_mask({100}, Layout::kC, 50, 1), x(GPUOPT_FLOAT32, {100});
  Array out(GPUOPT_FLOAT32, {static_cast<int64_t>(true_places(mask).size())});
  const Array before = out;
  Allocator::get().trim();
  Allocator::get().set_limit(1);
  const Call call(GPUOPT_CALL_MASK_SELECT, {x.tensor(), mask.tensor(), out.tensor()});
  EXPECT_EQ(run_gather(*call, &error_), GPUOPT_ERR_OUT_OF_MEMORY);
  Allocator::get().set_limit(0);
  EXPECT_TRUE(out == before);
  EXPECT_EQ(run_gather(*call, &error_), GPUOPT_OK);
}

}  // namespace
}  // namespace gpuopt::cpu
