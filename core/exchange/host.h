// core/exchange/host.h -- arrays to and from host memory, whole or in pieces.
#pragma once
#include <functional>

#include "core/array/view.h"

namespace gpuopt {

// Memory that somebody else owns, as a strided array.
struct ForeignMemory {
  char *data;  // element [0,...,0]
  gpuopt_dtype dtype;
  int ndim;
  const int64_t *shape, *strides;
  int64_t size;             // elements, from checked_size
  bool is_aligned() const;  // every element to its dtype (complex: to its components)
};

// An array over `memory` itself, which `device` can use. `release(context)` (may be NULL) is called with the last
// reference, and not at all if this throws.
ArrayRef wrap_memory(gpuopt_device device, const ForeignMemory &memory, bool read_only, void (*release)(void *),
                     void *context);
// A fresh array with the elements of `memory`, which is host memory of any alignment.
ArrayRef copy_host_memory(gpuopt_device device, const ForeignMemory &memory);

// Fills x, fresh and C-contiguous: `produce` writes consecutive pieces of its elements in order. Where the host can
// write device memory the pieces are x's own memory, so a large file is read without a second buffer.
void produce_elements(gpuopt_array x, const std::function<void(char *piece, size_t bytes)> &produce);

// Hands the elements of x in C order to `consume`, in pieces. A strided x is made contiguous a slab at a time.
void consume_elements(gpuopt_array x, const std::function<void(const char *piece, size_t bytes)> &consume);

// Whether the elements of x lie in C order of the reversed axes (Fortran order) and not in C order.
bool is_fortran_contiguous(const gpuopt_array_s &x);

// x with its axes reversed: a view. Only after evaluate.
ArrayRef reversed_axes(const gpuopt_array_s &x);

}  // namespace gpuopt
