// plugins/cpu/program/tile_move.cpp -- see tile_move.h.
#include "plugins/cpu/program/tile_move.h"

#include <cstring>

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

template <int kSize>
void move_row(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) {
  if (to_stride == kSize) {
    for (int64_t i = 0; i < n; i++) copy_one<kSize>(to + i * kSize, from + i * from_stride);
  } else if (from_stride == kSize) {
    for (int64_t i = 0; i < n; i++) copy_one<kSize>(to + i * to_stride, from + i * kSize);
  } else {
    for (int64_t i = 0; i < n; i++) copy_one<kSize>(to + i * to_stride, from + i * from_stride);
  }
}

template <int kSize>
void fill(char *to, const char *value, int64_t n) {
  char element[size_t{kSize}];
  std::memcpy(element, value, sizeof(element));
  for (int64_t i = 0; i < n; i++) copy_one<kSize>(to + i * kSize, element);
}

constexpr int64_t kShortRow = 64;  // bytes up to which a loop is faster than a call of memcpy

template <int kSize>
void move(Strided to, Strided from, int64_t rows, int64_t columns) {
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
#else
void stream_bytes(void *to, const void *from, int64_t bytes) noexcept {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}
#endif

}  // namespace gpuopt::cpu
