// plugins/cpu/program/tile_move.cpp -- see tile_move.h.
#include "plugins/cpu/program/tile_move.h"

#include <algorithm>
#include <cstring>
#include <utility>

#if defined(__x86_64__) || defined(_M_X64)
#include <emmintrin.h>
#endif

namespace gpuopt::cpu {
namespace {

// Copies one element. The compiler makes a load and a store of a memcpy of constant size, for any alignment and type.
template <int kSize>
void copy_one(char *to, const char *from) {
  std::memcpy(to, from, kSize);
}

// Fills the first elements one by one. The others become copies of what is filled, of which no more is read than stays
// in a first-level cache.
template <int kSize>
void fill(char *to, const char *value, int64_t n) {
  constexpr int64_t kOneByOne = 16, kMostCopied = 4096 / kSize;
  char element[size_t{kSize}];
  std::memcpy(element, value, sizeof(element));
  int64_t filled = std::min(n, kOneByOne);
  for (int64_t i = 0; i < filled; i++) copy_one<kSize>(to + i * kSize, element);
  while (filled < n) {
    const int64_t more = std::min({filled, n - filled, kMostCopied});
    std::memcpy(to + filled * kSize, to, static_cast<size_t>(more * kSize));
    filled += more;
  }
}

// Elements of kSize bytes in a vector of 16 bytes, which is what every processor has.
template <int kSize>
struct Lanes;
template <>
struct Lanes<1> {
  using Vector = uint8_t __attribute__((vector_size(16)));
};
template <>
struct Lanes<2> {
  using Vector = uint16_t __attribute__((vector_size(16)));
};
template <>
struct Lanes<4> {
  using Vector = uint32_t __attribute__((vector_size(16)));
};
template <>
struct Lanes<8> {
  using Vector = uint64_t __attribute__((vector_size(16)));
};

// Returns every second element of a and b, one after the other.
template <class Vector, int... kElement>
Vector even_elements(Vector a, Vector b, std::integer_sequence<int, kElement...>) {
  return __builtin_shufflevector(a, b, (2 * kElement)...);
}

// Copies every second element, of n, to adjacent ones: as many as whole vectors have without reading past the last
// element. Returns their number.
template <int kSize>
int64_t gather_pairs(char *to, const char *from, int64_t n) {
  constexpr int64_t count = 16 / kSize;
  int64_t i = 0;
  if constexpr (count > 1) {
    for (; i + count < n; i += count) {
      typename Lanes<kSize>::Vector a, b;
      std::memcpy(&a, from + 2 * i * kSize, 16);
      std::memcpy(&b, from + 2 * i * kSize + 16, 16);
      const auto even = even_elements(a, b, std::make_integer_sequence<int, count>());
      std::memcpy(to + i * kSize, &even, 16);
    }
  }
  return i;
}

template <int kSize>
void move_row(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) {
  int64_t i = 0;
  if (to_stride == kSize) {
    if (from_stride == 2 * kSize) i = gather_pairs<kSize>(to, from, n);
#pragma GCC unroll 4
    for (; i < n; i++) copy_one<kSize>(to + i * kSize, from + i * from_stride);
  } else if (from_stride == kSize) {
#pragma GCC unroll 4
    for (; i < n; i++) copy_one<kSize>(to + i * to_stride, from + i * kSize);
  } else {
    for (; i < n; i++) copy_one<kSize>(to + i * to_stride, from + i * from_stride);
  }
}

// Copies rows of kColumns elements: too few for a loop to pay.
template <int kSize, int kColumns>
void move_short_rows(Strided to, Strided from, int64_t rows) {
  for (int64_t r = 0; r < rows; r++, to.data += to.row, from.data += from.row) {
    for (int i = 0; i < kColumns; i++) copy_one<kSize>(to.data + i * to.column, from.data + i * from.column);
  }
}
template <int kSize>
void move_short_rows(Strided to, Strided from, int64_t rows, int64_t columns) {
  static constexpr void (*kMoves[])(Strided, Strided, int64_t) = {
      move_short_rows<kSize, 1>, move_short_rows<kSize, 2>, move_short_rows<kSize, 3>, move_short_rows<kSize, 4>,
      move_short_rows<kSize, 5>, move_short_rows<kSize, 6>, move_short_rows<kSize, 7>, move_short_rows<kSize, 8>};
  kMoves[columns - 1](to, from, rows);
}
constexpr int64_t kFewColumns = 8;

// Returns a[k], b[k], a[k + 1], b[k + 1], ..., where k is 0 (kHalf 0) or half the number of elements (kHalf 1).
template <int kHalf, class Vector, int... kElement>
Vector interleaved(Vector a, Vector b, std::integer_sequence<int, kElement...>) {
  constexpr int n = sizeof...(kElement);
  return __builtin_shufflevector(a, b, (kHalf * (n / 2) + kElement / 2 + kElement % 2 * n)...);
}

// Transposes n vectors of n elements. A round interleaves the first half of the vectors with the second one, which
// moves the top bit of the vector's number to the bottom of the element's; after log2(n) rounds they are exchanged.
template <int kSize, class Vector>
void transpose_vectors(Vector *v) {
  constexpr int n = 16 / kSize;
  constexpr std::make_integer_sequence<int, n> elements;
  for (int round = 1; round < n; round *= 2) {
    Vector next[size_t{n}];
    for (int i = 0; i < n / 2; i++) {
      next[2 * i] = interleaved<0>(v[i], v[i + n / 2], elements);
      next[2 * i + 1] = interleaved<1>(v[i], v[i + n / 2], elements);
    }
    for (int i = 0; i < n; i++) v[i] = next[i];
  }
}

// Copies a square of as many rows and columns as a vector has elements, where elements of a column are adjacent in the
// source, and those of a row in the destination.
template <int kSize>
void transpose_square(char *to, int64_t to_row, const char *from, int64_t from_column) {
  if constexpr (kSize == 16) {
    copy_one<16>(to, from);
  } else {
    typename Lanes<kSize>::Vector v[size_t{16 / kSize}];
    for (int i = 0; i < 16 / kSize; i++) std::memcpy(&v[i], from + i * from_column, 16);
    transpose_vectors<kSize>(v);
    for (int i = 0; i < 16 / kSize; i++) std::memcpy(to + i * to_row, &v[i], 16);
  }
}

// Columns that are read together, a multiple of what a vector holds, and how many columns ahead they are prefetched.
// The columns of a large matrix lie pages apart, where no hardware prefetcher follows; and if their distance is a power
// of two, a first-level cache has room for few of them at a time.
constexpr int64_t kColumnsAhead = 16, kLine = 64;

// Copies rows x columns elements in squares, column by column. Elements of a column are adjacent in the source, and
// those of a row in the destination.
template <int kSize>
void move_transposed(Strided to, Strided from, int64_t rows, int64_t columns) {
  constexpr int64_t n = 16 / kSize;
  const int64_t whole_rows = rows - rows % n, whole_columns = columns - columns % n;
  for (int64_t c = 0; c < whole_columns; c += n) {
    const char *const x = from.data + c * from.column;
    char *const y = to.data + c * kSize;
    for (int64_t i = 0; i < n; i++) {
      const char *const ahead = x + (i + kColumnsAhead) * from.column;
      for (int64_t b = 0; b < rows * kSize; b += kLine) __builtin_prefetch(ahead + b);
    }
    for (int64_t r = 0; r < whole_rows; r += n) {
      transpose_square<kSize>(y + r * to.row, to.row, x + r * kSize, from.column);
    }
  }
  for (int64_t r = whole_rows; r < rows; r++) {
    move_row<kSize>(to.data + r * to.row, kSize, from.data + r * kSize, from.column, whole_columns);
  }
  for (int64_t c = whole_columns; c < columns; c++) {
    move_row<kSize>(to.data + c * kSize, to.row, from.data + c * from.column, kSize, rows);
  }
}

constexpr int64_t kShortRow = 64;  // bytes up to which a loop is faster than a call of memcpy

// Returns whether elements at this distance lie in different cache lines. Of nearer ones, a line that is read for one
// row still is in the cache for the next.
bool is_far(int64_t stride) { return stride >= kLine || stride <= -kLine; }

template <int kSize>
void move(Strided to, Strided from, int64_t rows, int64_t columns) {
  if (rows * kSize >= 16 && from.row == kSize && to.column == kSize && is_far(from.column)) {
    return move_transposed<kSize>(to, from, rows, columns);
  }
  if (columns * kSize >= 16 && to.row == kSize && from.column == kSize && is_far(to.column)) {
    return move_transposed<kSize>({to.data, to.column, to.row}, {from.data, from.column, from.row}, columns, rows);
  }
  if (columns <= kFewColumns && rows > 1) return move_short_rows<kSize>(to, from, rows, columns);
  const bool contiguous = to.column == kSize && from.column == kSize && columns * kSize > kShortRow;
  const bool repeated = to.column == kSize && from.column == 0;
  for (int64_t r = 0; r < rows; r++, to.data += to.row, from.data += from.row) {
    if (contiguous) {
      std::memcpy(to.data, from.data, static_cast<size_t>(columns * kSize));
    } else if (repeated) {
      fill<kSize>(to.data, from.data, columns);
    } else {
      move_row<kSize>(to.data, to.column, from.data, from.column, columns);
    }
  }
}

}  // namespace

void move_elements(const Strided &to, const Strided &from, int64_t rows, int64_t columns, int size) noexcept {
  switch (size) {
    case 1:
      return move<1>(to, from, rows, columns);
    case 2:
      return move<2>(to, from, rows, columns);
    case 4:
      return move<4>(to, from, rows, columns);
    case 8:
      return move<8>(to, from, rows, columns);
    default:
      return move<16>(to, from, rows, columns);
  }
}

void fill_elements(void *to, const void *value, int64_t n, int size) noexcept {
  move_elements({static_cast<char *>(to), 0, size}, {const_cast<char *>(static_cast<const char *>(value)), 0, 0}, 1, n,
                size);
}

#if defined(__x86_64__) || defined(_M_X64)
void stream_bytes(void *to, const void *from, int64_t bytes) noexcept {
  char *out = static_cast<char *>(to);
  const char *in = static_cast<const char *>(from);
  const int64_t head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(out) & 63);
  if (bytes < head + 64) {
    std::memcpy(out, in, static_cast<size_t>(bytes));
    return;
  }
  std::memcpy(out, in, static_cast<size_t>(head));
  out += head, in += head, bytes -= head;
  for (; bytes >= 64; bytes -= 64, out += 64, in += 64) {
    for (int i = 0; i < 64; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i *>(out + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(in + i)));
    }
  }
  std::memcpy(out, in, static_cast<size_t>(bytes));
}
void fence_streams() noexcept { _mm_sfence(); }
#else
void stream_bytes(void *to, const void *from, int64_t bytes) noexcept {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}
void fence_streams() noexcept {}
#endif

}  // namespace gpuopt::cpu
