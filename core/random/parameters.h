// core/random/parameters.h -- the parameters of a distribution: read, checked, and broadcast to the result's shape.
#pragma once
#include <array>

#include "core/random/random.h"

namespace gpuopt::random {

// The range of a parameter; NumPy calls these constraints. Those below 1, and comparisons, refuse NaN.
enum class Range : uint8_t {
  ANY,
  NON_NEGATIVE,   // not below 0, nor -0.0; NaN is let through
  POSITIVE,       // not 0 or below; NaN is let through
  POSITIVE_ONLY,  // the same without NaN
  UNIT,           // [0, 1]
  UNIT_ABOVE_0,   // (0, 1]
  UNIT_BELOW_1,   // [0, 1)
  ABOVE_1,
  FROM_1,
  POISSON  // [0, the largest mean whose numbers an int64 holds]
};

// The largest mean of Poisson numbers: 10 standard deviations more are still an int64.
inline constexpr double kLargestMean = 9.223372006484771e18;

struct Parameter {
  const char *name = nullptr;
  char kind = 'f';  // 'f' float64, 'i' int64
  Range range = Range::ANY;
};

// A parameter that was given, cast to float64 or int64. Its elements are in `reals` or `integers`, one if it is a
// number.
struct Given {
  ArrayRef array;  // empty for a weak scalar
  std::vector<double> reals;
  std::vector<int64_t> integers;
  bool is_number() const { return !array || !array->ndim; }
  size_t count() const { return reals.size() + integers.size(); }
};

// Reads a parameter of a generator on `device`. Throws ERR_TYPE if it has no dtype for that, ERR_DEVICE_MISMATCH.
Given read_parameter(gpuopt_device device, const char *what, const Parameter &parameter, gpuopt_array x);
// Throws ERR_INVALID_ARGUMENT, in NumPy's words, if an element is out of range.
void check_range(const char *what, const Parameter &parameter, const Given &given);

// Returns the shape of a result: the one that is given (ndim >= 0), to which the parameters' shapes have to broadcast,
// or theirs. Throws ERR_SHAPE.
using Shapes = std::vector<std::span<const int64_t>>;
Dims broadcast_result(const char *what, Shapes parameters, int ndim, const int64_t *shape);
// Returns the elements of x, broadcast to `shape`, as a new C-contiguous array.
ArrayRef broadcast_copy(gpuopt_array x, const Dims &shape, const char *what);

}  // namespace gpuopt::random
