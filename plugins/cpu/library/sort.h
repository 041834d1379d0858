// plugins/cpu/library/sort.h -- orders of elements and what follows from them: the slot `sort`, as specified at
// GPUOPT_CALL_SORT and following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Takes any strides and dtypes. Throws plugin::Failure (ERR_UNSUPPORTED, ERR_OUT_OF_MEMORY); nothing has been written
// then.
void run_sort(const gpuopt_call &call);

}  // namespace gpuopt::cpu
