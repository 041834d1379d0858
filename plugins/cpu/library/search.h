// plugins/cpu/library/search.h -- places in sorted elements, and counts of small integers.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Carry out GPUOPT_CALL_SEARCHSORTED and GPUOPT_CALL_BINCOUNT. They throw as run_sort() does.
void search_sorted(const gpuopt_call &call);
void count_bins(const gpuopt_call &call);

}  // namespace gpuopt::cpu
