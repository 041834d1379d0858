// tests/unit/select_cases.h -- the slots gather and scatter against plain loops, for any plugin.
#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <vector>

#include "tests/unit/call_array.h"

namespace gpuopt::test {

inline constexpr int32_t kSelectDtypes[] = {GPUOPT_BOOL, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_INT64,
                                            GPUOPT_COMPLEX128};

inline std::vector<uint8_t> random_mask(int64_t n, int percent, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> mask(n);
  for (auto &byte : mask) byte = static_cast<int>(random() % 100) < percent ? 1 + random() % 255 : 0;
  return mask;
}

inline Array make_mask(const Shape &shape, Layout layout, int percent, unsigned seed) {
  Array mask(GPUOPT_BOOL, shape, layout, seed);
  const std::vector<uint8_t> values = random_mask(mask.size(), percent, seed);
  for (int64_t i = 0; i < mask.size(); i++) mask.set<uint8_t>(i, values[i] != 0);
  return mask;
}

inline Array make_indices(const Shape &shape, Layout layout, int64_t size, unsigned seed) {
  Array indices(GPUOPT_INT64, shape, layout, seed);
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < indices.size(); i++) {
    indices.set<int64_t>(i, static_cast<int64_t>(random() % (2 * size)) - size);
  }
  return indices;
}

// Flat C-order positions of the true elements.
inline std::vector<int64_t> true_places(Array &mask) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < mask.size(); i++) {
    if (mask.get<uint8_t>(i)) places.push_back(i);
  }
  return places;
}

struct MaskCase {
  Shape mask, rest;
};
inline const std::vector<MaskCase> kMaskCases = {{{}, {}},       {{}, {3}},      {{0}, {}},         {{1}, {}},
                                                 {{257}, {}},    {{40000}, {}},  {{5}, {0}},        {{130, 200}, {}},
                                                 {{7, 9}, {4}},  {{7, 9}, {1}},  {{3}, {5, 2, 3}},  {{4, 1, 5}, {2, 2}},
                                                 {{20000}, {2}}, {{6}, {70000}}, {{2, 3, 4, 5}, {}}};

inline Shape joined(const Shape &a, const Shape &b) {
  Shape shape = a;
  shape.insert(shape.end(), b.begin(), b.end());
  return shape;
}

inline void check_mask_count(const RunCall &run) {
  for (const MaskCase &shapes : kMaskCases) {
    for (Layout layout : kLayouts) {
      Array mask = make_mask(shapes.mask, layout, 40, 5);
      std::vector<int64_t> ints = {-1};
      gpuopt_error error = GPUOPT_ERROR_INIT;
      ASSERT_EQ(run(GPUOPT_CALL_MASK_COUNT, {&mask}, ints, &error), GPUOPT_OK) << error.message;
      EXPECT_EQ(ints[0], static_cast<int64_t>(true_places(mask).size()));
    }
  }
}

inline void check_mask_select(const RunCall &run) {
  unsigned seed = 0;
  for (const MaskCase &shapes : kMaskCases) {
    for (int32_t dtype : kSelectDtypes) {
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
        run_well(run, GPUOPT_CALL_MASK_SELECT, {&x, &mask, &out}, {});
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

inline void check_mask_assign(const RunCall &run) {
  unsigned seed = 0;
  for (const MaskCase &shapes : kMaskCases) {
    for (int32_t dtype : kSelectDtypes) {
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
        run_well(run, GPUOPT_CALL_MASK_ASSIGN, {&mask, &values, &out}, {});
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

inline void check_nonzero(const RunCall &run) {
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
      run_well(run, GPUOPT_CALL_NONZERO, {&x, &out}, {});
      ASSERT_TRUE(out == expected) << seed;
    }
  }
}

struct IndexCase {
  Shape prefix;
  int64_t size;
  Shape rest, indices;
};
inline const std::vector<IndexCase> kIndexCases = {
    {{}, 10, {}, {}},    {{}, 10, {}, {7}},        {{}, 1000, {}, {50000}}, {{}, 3, {}, {40000}},
    {{4}, 5, {}, {3}},   {{4, 3}, 5, {2}, {3, 2}}, {{}, 6, {8, 3}, {2, 5}}, {{300}, 7, {}, {90}},
    {{2}, 4, {0}, {3}},  {{0}, 4, {2}, {3}},       {{2}, 4, {3}, {0}},      {{}, 5, {70000}, {4}},
    {{30}, 1, {2}, {1}}, {{2}, 9, {2}, {20000}},   {{}, 1000, {}, {90}},    {{3}, 400, {2}, {9, 7}}};

// TAKE copies what the indices number out of `whole`, PUT from `part` back into it; of duplicates the last one wins.
inline void check_indexed(const RunCall &run, int32_t kind) {
  const bool puts = kind == GPUOPT_CALL_PUT;
  const std::vector<Layout> layouts =
      puts ? std::vector<Layout>(std::begin(kWritableLayouts), std::end(kWritableLayouts))
           : std::vector<Layout>(std::begin(kLayouts), std::end(kLayouts));
  unsigned seed = 0;
  for (const IndexCase &shapes : kIndexCases) {
    for (int32_t dtype : kSelectDtypes) {
      for (Layout layout : layouts) {
        seed++;
        Array whole(dtype, joined(joined(shapes.prefix, {shapes.size}), shapes.rest), layout, seed);
        Array indices = make_indices(shapes.indices, kLayouts[seed % 6], shapes.size, seed);
        Array part(dtype, joined(joined(shapes.prefix, shapes.indices), shapes.rest),
                   puts ? kLayouts[seed % 6] : kWritableLayouts[seed % 5], seed);
        Array &out = puts ? whole : part, expected = out;
        Array &from = puts ? part : whole;
        const int64_t n = indices.size(), row = count_of(shapes.rest);
        for (int64_t place = 0; place < count_of(shapes.prefix) * n; place++) {
          const int64_t index = indices.get<int64_t>(place % n);
          const int64_t inside = place / n * shapes.size + (index < 0 ? index + shapes.size : index);
          const int64_t target = puts ? inside : place, source = puts ? place : inside;
          for (int64_t r = 0; r < row; r++) expected.copy_from(target * row + r, from, source * row + r);
        }
        const std::vector<Array *> arrays =
            puts ? std::vector<Array *>{&indices, &part, &whole} : std::vector<Array *>{&whole, &indices, &part};
        run_well(run, kind, arrays, {static_cast<int64_t>(shapes.prefix.size())});
        ASSERT_TRUE(out == expected) << seed;
      }
    }
  }
}

// The wrong index is in the first, in the second or in the last piece of those that a backend may check by themselves.
// `out` of PUT, whose elements may be anybody's, stays as it was; that of TAKE is new.
inline void check_bad_indices(const RunCall &run) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::vector<int64_t> axis = {1};
  for (int64_t bad : {int64_t{10}, int64_t{-11}, INT64_MAX, INT64_MIN}) {
    for (int64_t place : {0, 1023, 1024, 1030, 40004}) {
      Array x(GPUOPT_FLOAT64, {3, 10}), out(GPUOPT_FLOAT64, {3, 40005});
      Array indices = make_indices({40005}, Layout::kC, 10, 1);
      indices.set<int64_t>(place, bad);
      const std::string message = "index " + std::to_string(bad) + " is outside axis 1 of size 10";
      EXPECT_EQ(run(GPUOPT_CALL_TAKE, {&x, &indices, &out}, axis, &error), GPUOPT_ERR_INDEX) << place;
      EXPECT_EQ(std::string(error.message), message);
      const Array before = x;
      EXPECT_EQ(run(GPUOPT_CALL_PUT, {&indices, &out, &x}, axis, &error), GPUOPT_ERR_INDEX) << place;
      EXPECT_EQ(std::string(error.message), message);
      EXPECT_TRUE(x == before);
    }
  }
  Array x(GPUOPT_FLOAT64, {0}), out(GPUOPT_FLOAT64, {1}), indices = make_indices({1}, Layout::kC, 1, 1);
  axis = {0};
  EXPECT_EQ(run(GPUOPT_CALL_TAKE, {&x, &indices, &out}, axis, &error), GPUOPT_ERR_INDEX);
}

}  // namespace gpuopt::test
