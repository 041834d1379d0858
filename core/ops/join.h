// core/ops/join.h -- arrays one behind the other, and new arrays that are written part by part.
#pragma once
#include <span>
#include <vector>

#include "core/array/view.h"

namespace gpuopt {

// Returns a new array without memory, all of whose parts record_part() is about to write.
ArrayRef unwritten(gpuopt_stream stream, gpuopt_dtype dtype, const Dims &shape);
// Returns the arrays one behind the other along an axis in range, in this dtype. They agree in the other sizes, and
// `what` opens the message if they do not (ERR_SHAPE).
ArrayRef joined(std::span<const gpuopt_array> arrays, int axis, gpuopt_dtype dtype, const char *what);
// Returns x itself if `axis` is not NULL, else x as one dimension; `number` becomes the axis, in range.
ArrayRef along(gpuopt_array x, const int64_t *axis, int &number, const char *what);

// The same for repeat and repeat_each: as NumPy's, these take an array without dimensions as one of one element, if the
// axis is 0 or -1.
inline ArrayRef along_at_least_one(gpuopt_array x, const int64_t *axis, int &number, const char *what) {
  return along((x->ndim ? ArrayRef::share(x) : raveled(x)).get(), axis, number, what);
}

}  // namespace gpuopt
