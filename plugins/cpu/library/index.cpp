// plugins/cpu/library/index.cpp -- see index.h.
#include "plugins/cpu/library/index.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {
namespace {

Walk<3> pair_places(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int32_t axis) {
  int64_t index_strides[GPUOPT_MAX_NDIM] = {}, whole_strides[GPUOPT_MAX_NDIM] = {};
  std::copy_n(whole.strides, axis, whole_strides);
  std::copy_n(indices.strides, indices.ndim, index_strides + axis);
  return Walk<3>(axis + indices.ndim, part.shape, {part.strides, index_strides, whole_strides});
}

constexpr int64_t kIndexBytes = sizeof(int64_t);

struct IndexRange {
  int64_t least = 0, greatest = -1;
};

IndexRange range_of(const gpuopt_tensor &indices) noexcept {
  constexpr int64_t kPiece = 1 << 16;
  const Walk<1> walk(indices.ndim, indices.shape, {indices.strides});
  const int64_t n = walk.size(), step = walk.inner_stride(0);
  IndexRange range{INT64_MAX, INT64_MIN};
  std::mutex mutex;
  parallel_for((n + kPiece - 1) / kPiece, [&](int64_t piece, int) {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    walk.runs(piece * kPiece, std::min(n, (piece + 1) * kPiece), [&](int64_t, const auto &offsets, int64_t count) {
      const char *const run = bytes_of(indices) + offsets[0];
      for (int64_t i = 0; i < count; i++) {
        const int64_t index = load_index(run + i * step);
        least = std::min(least, index);
        greatest = std::max(greatest, index);
      }
    });
    const std::lock_guard lock(mutex);
    range = {std::min(range.least, least), std::max(range.greatest, greatest)};
  });
  return range;
}

// Returns numbers of which one is negative if an index is outside [-size, size): of index + size and size - 1 - index
// one is negative for a wrong index. Unlike comparisons of 64-bit integers every processor does this in vectors. Sums
// wrap around, but not those of right indices.
template <typename Numbers>
Numbers signs_of(const Numbers &index, uint64_t size) noexcept {
  return (index + size) | (size - 1 - index);
}

// Returns whether n indices, `step` bytes apart, are within [-size, size).
bool are_strided_inside(const char *run, int64_t step, int64_t n, int64_t size) noexcept {
  uint64_t all = 0;
  for (int64_t i = 0; i < n; i++)
    all |= signs_of(static_cast<uint64_t>(load_index(run + i * step)), static_cast<uint64_t>(size));
  return static_cast<int64_t>(all) >= 0;
}

bool all_inside(const gpuopt_tensor &indices, int64_t size) noexcept {
  constexpr int64_t kPiece = 1 << 16;
  const Walk<1> walk(indices.ndim, indices.shape, {indices.strides});
  const int64_t n = walk.size(), step = walk.inner_stride(0);
  std::atomic<bool> inside{true};
  parallel_for((n + kPiece - 1) / kPiece, [&](int64_t piece, int) {
    walk.runs(piece * kPiece, std::min(n, (piece + 1) * kPiece), [&](int64_t, const auto &offsets, int64_t count) {
      const char *const run = bytes_of(indices) + offsets[0];
      const bool right =
          step == kIndexBytes ? are_inside(run, count, size) : are_strided_inside(run, step, count, size);
      if (!right) inside.store(false, std::memory_order_relaxed);
    });
  });
  return inside;
}

}  // namespace

IndexedRows::IndexedRows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part,
                         int32_t axis)
    : places(pair_places(whole, indices, part, axis)),
      prefixes(product(axis, whole.shape)),
      indices_per_prefix(size_of(indices)),
      axis_size(whole.shape[axis]),
      axis_stride(whole.strides[axis]),
      row_ndim(whole.ndim - axis - 1),
      row_shape(whole.shape + axis + 1),
      part_row_strides(part.strides + axis + indices.ndim),
      whole_row_strides(whole.strides + axis + 1) {}

bool are_inside(const char *indices, int64_t n, int64_t size) noexcept {
  typedef uint64_t Two __attribute__((vector_size(16)));
  constexpr int64_t kVectors = 4, kBytes = sizeof(Two), kWidth = kVectors * 2;
  Two all[kVectors] = {};
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; v++) {
      Two index;
      std::memcpy(&index, indices + i * kIndexBytes + v * kBytes, sizeof index);
      all[v] |= signs_of(index, static_cast<uint64_t>(size));
    }
  }
  const Two signs = all[0] | all[1] | all[2] | all[3];
  return static_cast<int64_t>(signs[0] | signs[1]) >= 0 &&
         are_strided_inside(indices + i * kIndexBytes, kIndexBytes, n - i, size);
}

void check_indices(const gpuopt_tensor &indices, int64_t size, int32_t axis) {
  if (size_of(indices) == 0 || all_inside(indices, size)) return;
  const IndexRange range = range_of(indices);
  fail(GPUOPT_ERR_INDEX, "index %lld is outside axis %d of size %lld",
       static_cast<long long>(range.greatest >= size ? range.greatest : range.least), static_cast<int>(axis),
       static_cast<long long>(size));
}

}  // namespace gpuopt::cpu
