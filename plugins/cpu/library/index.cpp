// plugins/cpu/library/index.cpp -- see index.h.
#include "plugins/cpu/library/index.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>

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

// Returns a negative number if one of n indices, `step` bytes apart, is outside [-size, size), else one of at least 0:
// the bitwise or of index + size and size - 1 - index, of which one is negative for a wrong index. Unlike comparisons
// of 64-bit integers this vectorizes for every processor. Sums wrap around, but not those of right indices.
template <class Step>
int64_t signs_outside(const char *run, Step step, int64_t n, int64_t size) noexcept {
  const auto above = static_cast<uint64_t>(size);
  uint64_t all = 0;
  for (int64_t i = 0; i < n; i++) {
    const auto index = static_cast<uint64_t>(load_index(run + i * step));
    all |= (index + above) | (above - 1 - index);
  }
  return static_cast<int64_t>(all);
}

bool all_inside(const gpuopt_tensor &indices, int64_t size) noexcept {
  constexpr int64_t kPiece = 1 << 16;
  const Walk<1> walk(indices.ndim, indices.shape, {indices.strides});
  const int64_t n = walk.size(), step = walk.inner_stride(0);
  std::atomic<bool> inside{true};
  parallel_for((n + kPiece - 1) / kPiece, [&](int64_t piece, int) {
    walk.runs(piece * kPiece, std::min(n, (piece + 1) * kPiece), [&](int64_t, const auto &offsets, int64_t count) {
      const char *const run = bytes_of(indices) + offsets[0];
      constexpr std::integral_constant<int64_t, sizeof(int64_t)> adjacent;
      const int64_t signs =
          step == adjacent ? signs_outside(run, adjacent, count, size) : signs_outside(run, step, count, size);
      if (signs < 0) inside.store(false, std::memory_order_relaxed);
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

void check_indices(const gpuopt_tensor &indices, int64_t size, int32_t axis) {
  if (size_of(indices) == 0 || all_inside(indices, size)) return;
  const IndexRange range = range_of(indices);
  fail(GPUOPT_ERR_INDEX, "index %lld is outside axis %d of size %lld",
       static_cast<long long>(range.greatest >= size ? range.greatest : range.least), static_cast<int>(axis),
       static_cast<long long>(size));
}

}  // namespace gpuopt::cpu
