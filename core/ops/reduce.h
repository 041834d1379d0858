// core/ops/reduce.h -- what all functions with gpuopt_reduce_options do with those that only some of them have.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// Throws ERR_INVALID_ARGUMENT if there is a `where` or an `initial`, which the function `what` does not have.
void refuse_where_and_initial(const gpuopt_reduce_options &options, const char *what);
// Returns the result or, if the options have an `out`, records the assignment of the result to it and returns that.
// Throws ERR_SHAPE if the shapes differ, and what record_assign() throws.
ArrayRef stored_in_out(const gpuopt_reduce_options &options, ArrayRef result, const char *what);

}  // namespace gpuopt
