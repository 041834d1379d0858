// plugins/cpu/library/accumulate.h -- operations accumulated in elements that indices name.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Makes the call GPUOPT_CALL_ACCUMULATE of slot scatter. Throws ERR_INDEX, before anything is written, for an index out
// of range, and ERR_UNSUPPORTED for an operation or a dtype that has no loop.
void accumulate(const gpuopt_call &call);

}  // namespace gpuopt::cpu
