// tools/plugin_test/compare_numbers.cpp -- generates the numbers of operands and their layouts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tools/plugin_test/compare.h"

namespace gpuopt::plugin_test {
namespace {

using Bytes = std::vector<char>;

template <class T>
void put(char *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

double special(uint64_t draw) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kSpecial[] = {0.0,  -0.0, 1.0,   -1.0,   0.5,    -0.5,    1.5,    2.5,   3.0,    -7.0, inf,
                                 -inf, nan,  1e-40, -1e-40, 1e-310, 65504.0, 3.4e38, 1e300, 100.25, 0.1,  -20.0};
  return kSpecial[draw % std::size(kSpecial)];
}

// Returns a random real number. With Range::kAll a third of them are special values.
double real(std::mt19937_64 &draw, Range range) {
  const double unit = static_cast<double>(draw() >> 11) * 0x1p-53;
  if (range == Range::kAll && draw() % 3 == 0) return special(draw());
  const double spread = range == Range::kAll ? std::exp2(static_cast<double>(draw() % 24) - 12) : 1.0;
  return range == Range::kPositive ? 0.5 + unit : (2 * unit - 1) * 2 * spread;
}

uint64_t integer(std::mt19937_64 &draw, Range range, bool is_signed) {
  if (range == Range::kPositive) return 1 + draw() % 5;
  if (range == Range::kTame) return draw() % 7 - (is_signed ? 3 : 0);
  const uint64_t magnitude = draw() >> draw() % 64;
  return is_signed && draw() % 2 ? 0 - magnitude : magnitude;
}

// Writes one random element to `to`. 16-bit floats have random bits with Range::kAll, otherwise magnitudes in [1, 2),
// with a random sign if Range::kTame.
void write_element(gpuopt_dtype dtype, char *to, std::mt19937_64 &draw, Range range) {
  const char kind = gpuopt_dtype_kind(dtype);
  const size_t size = gpuopt_dtype_size(dtype);
  const auto write_real = [&](char *at, size_t bytes) {
    bytes == 4 ? put(at, static_cast<float>(real(draw, range))) : put(at, real(draw, range));
  };
  if (kind == '?') return put(to, static_cast<uint8_t>(draw() % 2));
  if (kind == 'c') return write_real(to, size / 2), write_real(to + size / 2, size / 2);
  if (kind != 'f') {
    const uint64_t value = integer(draw, range, kind == 'i');
    std::memcpy(to, &value, size);  // little-endian: the low bytes
    return;
  }
  if (size > 2) return write_real(to, size);
  if (range == Range::kAll) return put(to, static_cast<uint16_t>(draw()));
  const uint16_t fraction = static_cast<uint16_t>(draw() % 128), sign = range == Range::kTame ? draw() % 2 << 15 : 0;
  const int one = dtype == GPUOPT_FLOAT16 ? 0x3C00 : 0x3F80;  // the bits of 1.0; a fraction is or'ed in
  put(to, static_cast<uint16_t>(sign | one | (dtype == GPUOPT_FLOAT16 ? fraction << 3 : fraction)));
}

// Returns rows * columns random elements in C order.
Bytes draw_numbers(const Numbers &n) {
  const size_t size = gpuopt_dtype_size(n.dtype);
  std::mt19937_64 draw(static_cast<uint64_t>(n.dtype) * 1000 + static_cast<uint64_t>(n.number));
  Bytes bytes(static_cast<size_t>(n.rows * n.columns) * size);
  for (size_t at = 0; at < bytes.size(); at += size) write_element(n.dtype, bytes.data() + at, draw, n.range);
  return bytes;
}

// The base array of a view: its shape, and the flat index in it of the view's element at row r and column c.
struct Base {
  int64_t rows, columns;
  std::function<int64_t(int64_t r, int64_t c)> at;
};

Base base_of(const Numbers &n, int layout) {
  const int64_t rows = n.rows, columns = n.columns;
  switch (layout) {
    case kTransposed:
      return {columns, rows, [=](int64_t r, int64_t c) { return c * rows + r; }};
    case kStrided:
      return {2 * rows, 3 * columns, [=](int64_t r, int64_t c) { return 2 * r * 3 * columns + 3 * c; }};
    case kReversed:
      return {rows, columns, [=](int64_t r, int64_t c) { return (rows - 1 - r) * columns + columns - 1 - c; }};
    case kOffset:
      return {rows + 1, columns + 3, [=](int64_t r, int64_t c) { return (r + 1) * (columns + 3) + c + 1; }};
    case kBroadcast:
      return {1, columns, [=](int64_t, int64_t c) { return c; }};
    default:
      return {rows, columns, [=](int64_t r, int64_t c) { return r * columns + c; }};
  }
}

// Returns the view of the base array that has the layout.
array view_of(const array &base, const Numbers &n, int layout) {
  switch (layout) {
    case kTransposed:
      return base.transpose();
    case kStrided:
      return base(slice(none, none, 2), slice(none, none, 3));
    case kReversed:
      return flip(base);
    case kOffset:
      return base(slice(1, none), slice(1, -2));
    case kBroadcast:
      return broadcast_to(base, {n.rows, n.columns});
    default:
      return base;
  }
}

array upload(const device &where, const Bytes &bytes, gpuopt_dtype dtype, int64_t rows, int64_t columns) {
  const int64_t shape[2] = {rows, columns};
  return detail::make<array>(gpuopt_array_from, where.get(), static_cast<const void *>(bytes.data()), dtype, 2, shape);
}

}  // namespace

const char *layout_name(int layout) {
  static constexpr const char *kNames[] = {"contiguous", "transposed", "strided", "reversed", "offset", "broadcast"};
  return kNames[layout];
}

array Side::operand(const Numbers &n, int layout) const {
  const size_t size = gpuopt_dtype_size(n.dtype);
  const Bytes numbers = draw_numbers(n);
  const Base base = base_of(n, plain_ ? kContiguous : layout);
  Bytes bytes(static_cast<size_t>(base.rows * base.columns) * size);
  for (int64_t r = 0; r < n.rows; ++r) {
    for (int64_t c = 0; c < n.columns; ++c) {
      const int64_t from = (layout == kBroadcast ? 0 : r) * n.columns + c;
      std::memcpy(bytes.data() + static_cast<size_t>(base.at(r, c)) * size,
                  numbers.data() + static_cast<size_t>(from) * size, size);
    }
  }
  return view_of(upload(where_, bytes, n.dtype, base.rows, base.columns), n, plain_ ? kContiguous : layout);
}

}  // namespace gpuopt::plugin_test
