// tests/unit/sort_cases.h -- the slot sort against std::stable_sort with comparisons of numbers, for any plugin.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/call_array.h"

namespace gpuopt::test {

// ---- Elements as numbers. A long double holds each of them.

using Number = std::complex<long double>;

inline long double of_half(uint16_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7FFF) >> fraction_bits, greatest = (1 << (15 - fraction_bits)) - 1;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  long double value = std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  if (exponent)
    value = std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
  if (exponent == greatest) value = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

inline Number number_at(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_BOOL:
    case GPUOPT_UINT8:
      return x.get<uint8_t>(i);
    case GPUOPT_UINT16:
      return x.get<uint16_t>(i);
    case GPUOPT_UINT32:
      return x.get<uint32_t>(i);
    case GPUOPT_UINT64:
      return static_cast<long double>(x.get<uint64_t>(i));
    case GPUOPT_INT8:
      return x.get<int8_t>(i);
    case GPUOPT_INT16:
      return x.get<int16_t>(i);
    case GPUOPT_INT32:
      return x.get<int32_t>(i);
    case GPUOPT_INT64:
      return static_cast<long double>(x.get<int64_t>(i));
    case GPUOPT_FLOAT16:
      return of_half(x.get<uint16_t>(i), 10, 15);
    case GPUOPT_BFLOAT16:
      return of_half(x.get<uint16_t>(i), 7, 127);
    case GPUOPT_FLOAT32:
      return x.get<float>(i);
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return Number(x.get<std::complex<float>>(i));
    default:
      return Number(x.get<std::complex<double>>(i));
  }
}

inline int nan_class(const Number &x) { return 2 * std::isnan(x.real()) + std::isnan(x.imag()); }

inline bool is_before(const Number &a, const Number &b, bool descending) {
  if (nan_class(a) != nan_class(b)) return nan_class(a) < nan_class(b);
  const Number &less = descending ? b : a, &more = descending ? a : b;
  if (!std::isnan(a.real()) && less.real() != more.real()) return less.real() < more.real();
  return !std::isnan(a.imag()) && less.imag() < more.imag();
}

// ---- Contents

enum class Contents { kBits, kFew, kSorted, kReversed, kSame, kSkewed, kNearZero };
inline constexpr Contents kContents[] = {Contents::kBits, Contents::kFew,    Contents::kSorted,  Contents::kReversed,
                                         Contents::kSame, Contents::kSkewed, Contents::kNearZero};

// An element of the dtype that is near this integer, or the integer itself.
inline void set_integer(Array &x, int32_t dtype, int64_t i, int64_t value) {
  const auto d = static_cast<double>(value);
  const auto f = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  switch (dtype) {
    case GPUOPT_FLOAT64:
      return x.set(i, d);
    case GPUOPT_FLOAT32:
      return x.set(i, f);
    case GPUOPT_BFLOAT16:
      return x.set(i, static_cast<uint16_t>(bits >> 16));
    case GPUOPT_COMPLEX64:
      return x.set(i, std::complex<float>(f / 16, static_cast<float>(value % 7)));
    case GPUOPT_COMPLEX128:
      return x.set(i, std::complex<double>(std::floor(d / 16), static_cast<double>(value % 7)));
    case GPUOPT_BOOL:
      return x.set(i, static_cast<uint8_t>(value & 1));
    default:
      std::memcpy(x.at(i), &value, static_cast<size_t>(plugin::element_size(dtype)));
  }
}

// Adds zeros of both signs, infinities and NaNs of several payloads to an array of floats.
inline void add_specials(Array &x, int32_t dtype, std::mt19937_64 &random) {
  const int64_t size = plugin::element_size(dtype), n = x.size();
  const char kind = plugin::dtype_kind(dtype);
  if (kind != 'f' && kind != 'c') return;
  const int64_t part = kind == 'c' ? size / 2 : size;
  for (int64_t k = 0; k < n / 4 + 1 && n; k++) {
    unsigned char *const place =
        x.at(static_cast<int64_t>(random() % static_cast<uint64_t>(n))) + (part < size && random() % 2 ? part : 0);
    const uint64_t infinity = dtype == GPUOPT_FLOAT16    ? 0x7C00
                              : dtype == GPUOPT_BFLOAT16 ? 0x7F80
                              : part == 4                ? 0x7F800000
                                                         : 0x7FF0000000000000;
    const uint64_t sign = uint64_t{1} << (8 * part - 1),
                   values[] = {0, infinity, infinity + 1 + random() % 100, infinity | sign >> 5};
    const uint64_t bits = values[random() % 4] | (random() % 2 ? sign : 0);
    std::memcpy(place, &bits, static_cast<size_t>(part));
  }
}

inline void fill(Array &x, int32_t dtype, Contents contents, unsigned seed) {
  std::mt19937_64 random(seed);
  const int64_t n = x.size();
  for (int64_t i = 0; i < n; i++) {
    const auto word = static_cast<int64_t>(random() >> 2);
    switch (contents) {
      case Contents::kBits:
        for (int64_t b = 0; b < plugin::element_size(dtype); b++) x.at(i)[b] = static_cast<unsigned char>(random());
        if (dtype == GPUOPT_BOOL) x.at(i)[0] &= 1;
        break;
      case Contents::kFew:
        set_integer(x, dtype, i, word % 5);
        break;
      case Contents::kSorted:
        set_integer(x, dtype, i, i / 3);
        break;
      case Contents::kReversed:
        set_integer(x, dtype, i, n - i);
        break;
      case Contents::kSame:
        set_integer(x, dtype, i, 3);
        break;
      case Contents::kSkewed:  // nearly all in a range that is a tiny part of the whole
        set_integer(x, dtype, i, word % 10 ? word % 100000 : word >> 10);
        break;
      case Contents::kNearZero:
        set_integer(x, dtype, i, word % 201 - 100);
        break;
    }
  }
  if (contents != Contents::kSorted && contents != Contents::kSame) add_specials(x, dtype, random);
}

// ---- Checks

// The positions along the axis of the elements of the line through x[prefix, :, suffix].
inline std::vector<int64_t> line_positions(const Shape &shape, size_t axis, int64_t line) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); i++) inner *= shape[i];
  std::vector<int64_t> positions(static_cast<size_t>(shape[axis]));
  for (size_t k = 0; k < positions.size(); k++)
    positions[k] = line / inner * inner * shape[axis] + static_cast<int64_t>(k) * inner + line % inner;
  return positions;
}

inline void check_sorts(const RunCall &run, int32_t dtype, const Shape &shape, size_t axis, bool descending, Array &x,
                        Layout out_layout) {
  Array values(dtype, shape, out_layout, 3), order(GPUOPT_INT64, shape, out_layout, 4);
  Array wanted_values = values, wanted_order = order;
  const int64_t lines = shape[axis] ? x.size() / shape[axis] : 0;
  for (int64_t line = 0; line < lines; line++) {
    const std::vector<int64_t> positions = line_positions(shape, axis, line);
    std::vector<Number> numbers;
    for (int64_t at : positions) numbers.push_back(number_at(x, dtype, at));
    std::vector<int64_t> sorted(positions.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
      return is_before(numbers[static_cast<size_t>(a)], numbers[static_cast<size_t>(b)], descending);
    });
    for (size_t k = 0; k < sorted.size(); k++) {
      wanted_order.set<int64_t>(positions[k], sorted[k]);
      wanted_values.copy_from(positions[k], x, positions[static_cast<size_t>(sorted[k])]);
    }
  }
  run_well(run, GPUOPT_CALL_SORT, {&x, &values}, {static_cast<int64_t>(axis), descending});
  run_well(run, GPUOPT_CALL_ARGSORT, {&x, &order}, {static_cast<int64_t>(axis), descending});
  EXPECT_TRUE(values == wanted_values) << "sort";
  EXPECT_TRUE(order == wanted_order) << "argsort";
}

// Searches among the elements of `mixed`, sorted, for those of `values`, and counts them.
inline void check_search(const RunCall &run, int32_t dtype, Array &mixed, Array &values, bool right, unsigned seed) {
  const int64_t n = mixed.size();
  Array sorted(dtype, {n}, kWritableLayouts[seed % 5], seed),
      out(GPUOPT_INT64, {9, 4}, kWritableLayouts[seed % 5], seed);
  run_well(run, GPUOPT_CALL_SORT, {&mixed, &sorted}, {0, 0});
  Array wanted = out;
  for (int64_t v = 0; v < values.size(); v++) {
    const Number value = number_at(values, dtype, v);
    int64_t before = 0;
    for (int64_t i = 0; i < n; i++) {
      const Number element = number_at(mixed, dtype, i);
      before += right ? !is_before(value, element, false) : is_before(element, value, false);
    }
    wanted.set(v, before);
  }
  run_well(run, GPUOPT_CALL_SEARCHSORTED, {&sorted, &values, &out}, {right});
  EXPECT_TRUE(out == wanted) << plugin::dtype_name(dtype) << " " << n << " " << right;
}

// Counts integers, two of which are no bins, and adds weights of many magnitudes to the bins.
inline void check_bins(const RunCall &run, int64_t n, int64_t bins, Layout layout, std::mt19937_64 &random) {
  Array x(GPUOPT_INT64, {n}, layout, 1), weights(GPUOPT_FLOAT64, {n}, layout, 2);
  Array counts(GPUOPT_INT64, {bins}, layout, 3), sums(GPUOPT_FLOAT64, {bins}, layout, 4);
  std::vector<int64_t> count(static_cast<size_t>(bins));
  std::vector<double> sum(static_cast<size_t>(bins));
  for (int64_t i = 0; i < n; i++) {
    const auto bin = static_cast<int64_t>(random() % static_cast<uint64_t>(bins + 2)) - 1;
    const double weight = std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 60));
    x.set(i, bin);
    weights.set(i, weight);
    if (bin < 0 || bin >= bins) continue;
    count[static_cast<size_t>(bin)]++;
    sum[static_cast<size_t>(bin)] += weight;
  }
  run_well(run, GPUOPT_CALL_BINCOUNT, {&x, &counts}, {});
  run_well(run, GPUOPT_CALL_BINCOUNT, {&x, &weights, &sums}, {});
  for (int64_t bin = 0; bin < bins; bin++) {
    ASSERT_EQ(counts.get<int64_t>(bin), count[static_cast<size_t>(bin)]);
    ASSERT_EQ(sums.get<double>(bin), sum[static_cast<size_t>(bin)]);
  }
}

}  // namespace gpuopt::test
