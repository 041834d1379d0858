// core/sorting/sort.h -- sorted arrays, their order, and places in them, for the operations that are made of these.
#pragma once
#include <vector>

#include "core/array/view.h"
#include "core/engine/expression.h"

namespace gpuopt {

// Each of these runs at once. `what` opens messages.

// Returns x sorted along an axis in range, as gpuopt_sort says; and the positions that sort it.
ArrayRef sorted(gpuopt_array x, int axis, bool descending, const char *what);
ArrayRef sort_order(gpuopt_array x, int axis, bool descending, const char *what);
// Returns, for each value, how many elements of `sorted` (one dimension) are less, or (`right`) not greater.
ArrayRef places_in(gpuopt_array sorted, gpuopt_array values, bool right, const char *what);
// Returns x[i0, .., indices[i0, .., k, ..], ..]: x and the int64 indices have one shape but for the axis, and no index
// is out of range or negative.
ArrayRef taken_along(gpuopt_array x, gpuopt_array indices, int axis);

// Returns x[begin:end] of an array of one dimension.
inline Value part(const Value &x, int64_t begin, int64_t end) { return part_view(x.get(), 0, begin, end - begin); }
// Returns whether any element is true. Waits for the device.
bool any_of(const Value &mask);
// Throws ERR_SHAPE unless x has one dimension.
void check_one_dimension(const gpuopt_array_s &x, const char *which, const char *what);
// Returns x, or the number that a weak x is, in this dtype on this stream.
ArrayRef in_dtype_on(gpuopt_stream stream, gpuopt_array x, gpuopt_dtype dtype);

// Implements a C function that writes several new arrays, one to each pointer, by a `body` that returns them. Where it
// fails, NULL goes to all.
template <class Body>
gpuopt_status giving_each(std::initializer_list<gpuopt_array *> results, gpuopt_error *error, Body &&body) noexcept {
  for (gpuopt_array *result : results) {
    if (result) *result = nullptr;
  }
  return guarded(error, [&] {
    for (gpuopt_array *result : results) {
      if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "a result pointer is NULL");
    }
    std::vector<ArrayRef> made = body();
    size_t k = 0;
    for (gpuopt_array *result : results) *result = made[k++].leave();
  });
}

}  // namespace gpuopt
