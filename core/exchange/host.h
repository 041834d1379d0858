// core/exchange/host.h -- arrays over host memory, and copies between arrays and host memory, whole or in pieces.
#pragma once
#include <functional>

#include "core/array/view.h"

namespace gpuopt {

// A strided array in memory that the library does not own.
struct ForeignMemory {
  char *data;  // address of element [0,...,0]
  gpuopt_dtype dtype;
  int ndim;
  const int64_t *shape, *strides;  // `ndim` each, which must outlive this struct; strides in bytes
  int64_t size;                    // number of elements, as checked_size() returns it
  bool is_aligned() const;         // each element to the size of its dtype, or of a complex number's component
};

// Returns an array over `memory` itself, which must be accessible to `device`. `release` may be NULL; else
// `release(context)` is called when the last reference is gone, from any thread. It is not called if this throws.
ArrayRef wrap_memory(gpuopt_device device, const ForeignMemory &memory, bool read_only, void (*release)(void *),
                     void *context);
// Returns a new array on `device` with the elements of `memory`, which is host memory of any alignment. The memory is
// no longer needed afterwards. Throws ERR_INVALID_ARGUMENT if its extent overflows 64 bits.
ArrayRef copy_host_memory(gpuopt_device device, const ForeignMemory &memory);

// Fills x, a new C-contiguous array with memory. Calls `produce` for consecutive pieces of its elements, in order, to
// write `bytes` bytes at `piece`. If the host can write the device's memory, the pieces are x's own memory, so that a
// large file is read without a second buffer.
void produce_elements(gpuopt_array x, const std::function<void(char *piece, size_t bytes)> &produce);

// Evaluates x and passes its elements in C order to `consume`, in pieces. A large strided array is not copied as a
// whole, but one slab at a time.
void consume_elements(gpuopt_array x, const std::function<void(const char *piece, size_t bytes)> &consume);

// Returns whether x is contiguous in Fortran order but not in C order.
bool is_fortran_contiguous(const gpuopt_array_s &x);

// Returns a view of x with its axes reversed. x must have been evaluated.
ArrayRef reversed_axes(const gpuopt_array_s &x);

}  // namespace gpuopt
