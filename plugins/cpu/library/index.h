// plugins/cpu/library/index.h -- index arrays: checking them, and what taking and putting along an axis have in common.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstdint>
#include <cstring>

#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::Walk;

// An array `whole` indexed along one axis, and `part`, whose shape is whole's with that axis replaced by the shape of
// the indices. A row is what follows the axis; a place is one combination of the axes before it (the prefix) and of the
// indices.
struct IndexedRows {
  IndexedRows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int32_t axis);

  enum { kPart, kIndices, kWhole };  // operands of places; whole stays put along the indices
  Walk<3> places;
  int64_t prefixes, indices_per_prefix;
  int64_t axis_size, axis_stride;
  int32_t row_ndim;
  const int64_t *row_shape, *part_row_strides, *whole_row_strides;
};

inline int64_t load_index(const char *place) noexcept {
  int64_t index;
  std::memcpy(&index, place, sizeof(index));
  return index;
}

// Negative indices count from the end.
inline int64_t wrapped(int64_t index, int64_t size) noexcept { return index < 0 ? index + size : index; }

// ERR_INDEX naming an offender if an index is outside [-size, size).
void check_indices(const gpuopt_tensor &indices, int64_t size, int32_t axis);

}  // namespace gpuopt::cpu
