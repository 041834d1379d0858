// core/sorting/bins.h -- extremes, edges and counts of bins, for histograms. `what` opens messages.
#pragma once
#include "core/engine/engine.h"
#include "core/engine/transfer.h"
#include "core/sorting/sort.h"

namespace gpuopt {

// The least and the greatest element of an array that has some, read by the host in this dtype.
template <class T>
struct Extremes {
  T least{}, greatest{};
  Extremes(gpuopt_array x, gpuopt_dtype dtype) {
    const auto reduced = [&](gpuopt_reduction reduction) {
      return in_dtype(record_reduction(reduction, x, ~uint64_t{0}, false, 0).get(), dtype);
    };
    const ArrayRef low = reduced(GPUOPT_REDUCTION_min), high = reduced(GPUOPT_REDUCTION_max);
    const gpuopt_array both[] = {low.get(), high.get()};
    evaluate(both);
    copy_to_host(low.get(), &least);
    copy_to_host(high.get(), &greatest);
  }
};

inline bool is_complex_dtype(gpuopt_dtype dtype) { return dtype_kind(dtype) == 'c'; }
// Returns whether a pair of neighbours is in descending or, for `op` less, in ascending order. Waits for the device.
bool any_neighbours(gpuopt_op op, const Value &x);

// Counts, or adds the weights of, the int64 elements from 0 to count - 1.
ArrayRef binned(gpuopt_array x, gpuopt_array weights, int64_t count, const char *what);
// Returns the weights in float64, as one dimension. Throws ERR_SHAPE unless they have x's shape, ERR_TYPE if they are
// complex.
ArrayRef checked_weights(gpuopt_array x, gpuopt_array weights, const char *what);

// The outermost edges of a histogram.
struct Interval {
  double first, last;
};
// Returns the two given numbers or, if there are none, the extremes of x, apart from each other. Throws
// ERR_INVALID_ARGUMENT if they are not finite, or in descending order.
Interval histogram_range(gpuopt_array x, const double *given, const char *what);
// Returns the numbers of the bins of the elements, of one dimension; for elements outside, numbers that are none.
ArrayRef bin_numbers(gpuopt_array x, gpuopt_array edges, const char *what);

}  // namespace gpuopt
