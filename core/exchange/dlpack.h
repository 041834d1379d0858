// core/exchange/dlpack.h -- the conversion between dtypes and DLPack's dtype codes, for export and import.
#pragma once
#include <gpuopt/gpuopt.h>

#include "core/exchange/dlpack_abi.h"

namespace gpuopt::dlpack {

DLDataType to_dlpack_dtype(gpuopt_dtype dtype);
gpuopt_dtype from_dlpack_dtype(DLDataType type);  // 0 if there is no such dtype; ignores `lanes`

}  // namespace gpuopt::dlpack
