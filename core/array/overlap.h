// core/array/overlap.h -- whether two strided views of memory may have bytes in common.
#pragma once
#include <cstdint>

namespace gpuopt {

// A view with at least one element; offset and strides are in bytes, the offset from an address that both views share.
struct StridedView {
  int64_t offset;
  int ndim;
  const int64_t *shape, *strides;
  int itemsize;
};

// Returns false only if the views have no byte in common. Slices of one array are told apart, also those that lie
// between each other (x[:, :2] and x[:, 2:]). Where this would take long to find out, the answer is true.
bool may_overlap(const StridedView &a, const StridedView &b);

}  // namespace gpuopt
