// plugins/cpu/library/index.h -- checks of index arrays, and what reading and writing along an axis have in common.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstdint>
#include <cstring>

#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::Walk;

// Describes `whole`, an array indexed along one axis, and `part`, the values read or written, whose shape is that of
// `whole` with the axis replaced by the shape of the indices.
//
// A row is what remains of `whole` after that axis, and is copied as one. A place is one combination of a prefix (an
// index into the axes before it) and an element of the indices.
struct IndexedRows {
  IndexedRows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int32_t axis);

  enum { kPart, kIndices, kWhole };  // the operands of `places`; `whole` has stride 0 along the indices
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

// Returns the index counted from the start: negative ones count from the end of an axis of size `size`.
inline int64_t wrapped(int64_t index, int64_t size) noexcept { return index < 0 ? index + size : index; }

// Returns whether all of n indices side by side are within [-size, size).
bool are_inside(const char *indices, int64_t n, int64_t size) noexcept;

// Throws ERR_INDEX, naming an offender, if an index is outside [-size, size). `axis` is for the message.
void check_indices(const gpuopt_tensor &indices, int64_t size, int32_t axis);

}  // namespace gpuopt::cpu
