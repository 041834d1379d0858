// core/exchange/print_format.h -- the common format of the elements of an array: width, precision and notation.
#pragma once
#include <gpuopt/gpuopt.h>

#include <functional>
#include <span>
#include <string>

namespace gpuopt {

using ElementFormat = std::function<std::string(const gpuopt_scalar &)>;

// The format that fits all of `elements` (those that will be shown), by the rules of numpy.array2string. `zero_dim`: a
// 0-d array.
ElementFormat element_format(gpuopt_dtype dtype, std::span<const gpuopt_scalar> elements, int precision, bool zero_dim);

// What str() of a NumPy scalar gives.
std::string scalar_text(gpuopt_dtype dtype, const gpuopt_scalar &value);

}  // namespace gpuopt
