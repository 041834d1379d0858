// core/ops/ops.h -- elementwise operations as the C functions of ops.def record them.
#pragma once
#include <span>

#include "core/array/array.h"

namespace gpuopt {

// Records an operation as record_op(), but comparisons of integers are exact, as in NumPy, whatever their dtypes are.
ArrayRef record_operation(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr);

}  // namespace gpuopt
