// core/exchange/print_format.h -- the common format of an array's elements: width, precision and notation.
#pragma once
#include <gpuopt/gpuopt.h>

#include <functional>
#include <span>
#include <string>

namespace gpuopt {

using ElementFormat = std::function<std::string(const gpuopt_scalar &)>;

// Returns the format that fits all of `elements`, which are those that will be shown, by the rules of
// numpy.array2string. `precision` is the greatest number of digits after the point; `zero_dim` is true for a 0-d array.
ElementFormat element_format(gpuopt_dtype dtype, std::span<const gpuopt_scalar> elements, int precision, bool zero_dim);

// Returns what str() of a NumPy scalar returns.
std::string scalar_text(gpuopt_dtype dtype, const gpuopt_scalar &value);

}  // namespace gpuopt
