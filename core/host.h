// core/host.h -- arrays to and from host memory, whole or in pieces.
#pragma once
#include <functional>

#include "array.h"

namespace gpuopt {

// Waits until what was submitted to the stream of x is done.
void wait_for(const gpuopt_array_s &x);

// Fills x, fresh and C-contiguous: `produce` writes consecutive pieces of its elements in order. Where the host can write device
// memory the pieces are x's own memory, so a large file is read without a second buffer.
void produce_elements(gpuopt_array x, const std::function<void(char *piece, size_t bytes)> &produce);

// Hands the elements of x in C order to `consume`, in pieces. A strided x is made contiguous a slab at a time.
void consume_elements(gpuopt_array x, const std::function<void(const char *piece, size_t bytes)> &consume);

// Whether the elements of x lie in C order of the reversed axes (Fortran order) and not in C order.
bool is_fortran_contiguous(const gpuopt_array_s &x);

// x with its axes reversed: a view. Only after evaluate.
ArrayRef reversed_axes(const gpuopt_array_s &x);

}  // namespace gpuopt
