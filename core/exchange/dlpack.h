// core/exchange/dlpack.h -- what exporting and importing share: the dtype codes and the view of a tensor without its
// manager.
#pragma once
#include <gpuopt/gpuopt.h>

#include "core/exchange/dlpack_abi.h"

namespace gpuopt::dlpack {

DLDataType to_dlpack_dtype(gpuopt_dtype dtype);
gpuopt_dtype from_dlpack_dtype(DLDataType type);  // 0: none of ours

}  // namespace gpuopt::dlpack
