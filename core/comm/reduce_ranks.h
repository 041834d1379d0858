// core/comm/reduce_ranks.h -- the operation by which partial results of ranks are combined
#pragma once
#include <gpuopt/gpuopt.h>

namespace gpuopt {

// Returns the operation that combines two partial results of a reduction: of sums and counts, addition.
gpuopt_op combining_op(gpuopt_reduction reduction, gpuopt_dtype dtype);

}  // namespace gpuopt
