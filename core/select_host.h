// core/select_host.h -- selection on the host, for backends that lack the slots gather and scatter. Slow and plain.
#pragma once
#include "array.h"

namespace gpuopt::select_host {

int64_t mask_count(gpuopt_array mask);
void mask_select(gpuopt_array x, gpuopt_array mask, gpuopt_array out);
void mask_assign(gpuopt_array mask, gpuopt_array values, gpuopt_array out);
void take(gpuopt_array x, gpuopt_array indices, int axis, gpuopt_array out);
void put(gpuopt_array indices, gpuopt_array values, int axis, gpuopt_array out);
void nonzero(gpuopt_array mask, gpuopt_array out);

}  // namespace gpuopt::select_host
