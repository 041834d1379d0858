// plugins/cpu/library/rows.h -- copies rows: the parts of arrays that masks and indices select as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "plugins/cpu/runtime/copy.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::Walk;

// Calls body(T{}) with a type of exactly `bytes` bytes, or body(nullptr) if no dtype has that size.
struct Bytes16 {
  uint64_t low, high;
};
template <typename Body>
void with_unit(int64_t bytes, Body &&body) {
  switch (bytes) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    case 16:
      return body(Bytes16{});
    default:
      return body(nullptr);
  }
}

// Copies rows of one shape from one layout to another.
class RowCopy {
 public:
  // Rows of at least this many bytes are copied in parallel, each by itself; smaller ones in parallel with each other.
  static constexpr int64_t kLargeRow = int64_t{1} << 20;

  RowCopy(int32_t ndim, const int64_t *shape, const int64_t *to_strides, const int64_t *from_strides, int64_t element)
      : walk_(ndim, shape, {to_strides, from_strides}), size_(walk_.size()), element_(element) {
    const bool one_block =
        walk_.is_one_run() && (size_ == 1 || (walk_.inner_stride(0) == element && walk_.inner_stride(1) == element));
    block_ = one_block ? size_ * element : 0;
  }

  int64_t bytes() const noexcept { return size_ * element_; }

  // Returns the bytes of a row if it is contiguous in both layouts, else 0.
  int64_t block() const noexcept { return block_; }

  void operator()(char *to, const char *from) const {
    if (block_) return copy_bytes(to, from, static_cast<uint64_t>(block_));
    with_unit(element_, [&](auto unit) { copy_elements<decltype(unit)>(to, from); });
  }

 private:
  static constexpr int64_t kPiece = int64_t{1} << 16;  // elements per task

  template <typename T>
  void copy_elements(char *to, const char *from) const {
    const int64_t to_step = walk_.inner_stride(0), from_step = walk_.inner_stride(1);
    parallel_for((size_ + kPiece - 1) / kPiece, [&](int64_t piece, int) {
      const int64_t begin = piece * kPiece, end = std::min(size_, begin + kPiece);
      walk_.runs(begin, end, [&](int64_t, const auto &offsets, int64_t count) {
        for (int64_t i = 0; i < count; i++) {
          std::memcpy(to + offsets[0] + i * to_step, from + offsets[1] + i * from_step, sizeof(T));
        }
      });
    });
  }

  Walk<2> walk_;
  int64_t size_, element_, block_;
};

// Copies n elements of type T, the k-th from from(k) to to(k). The callables are passed by value so that the compiler
// keeps their members in registers: no store can change them.
template <typename T, typename To, typename From>
void copy_units(int64_t n, To to, From from) {
  for (int64_t k = 0; k < n; k++) std::memcpy(to(k), from(k), sizeof(T));
}

// Copies n rows, the k-th from from(k) to to(k), in the order of k.
template <typename To, typename From>
void copy_rows(const RowCopy &row, int64_t n, To to, From from) {
  with_unit(row.block(), [&](auto unit) {
    if constexpr (std::is_same_v<decltype(unit), std::nullptr_t>) {
      for (int64_t k = 0; k < n; k++) row(to(k), from(k));
    } else {
      copy_units<decltype(unit)>(n, to, from);
    }
  });
}

// Returns how many rows a task copies: 256 KiB of them, and at most 16384.
inline int64_t rows_per_task(int64_t row_bytes) noexcept {
  constexpr int64_t kTaskBytes = 256 << 10, kMostRows = 16384;
  return std::clamp<int64_t>(kTaskBytes / std::max<int64_t>(row_bytes, 1), 1, kMostRows);
}

// Calls body(block, begin, end) for [0, n) cut into blocks of `block` rows. The calls run in parallel, unless rows are
// so large that each copy is parallel by itself.
template <typename Body>
void for_blocks(int64_t n, int64_t block, int64_t row_bytes, Body &&body) {
  const int64_t blocks = (n + block - 1) / block;
  const auto run = [&](int64_t index, int) { body(index, index * block, std::min(n, (index + 1) * block)); };
  if (row_bytes < RowCopy::kLargeRow) return parallel_for(blocks, run);
  for (int64_t index = 0; index < blocks; index++) run(index, 0);
}

}  // namespace gpuopt::cpu
