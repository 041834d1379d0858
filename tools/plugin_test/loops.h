// tools/plugin_test/loops.h -- rules of the functions that slot elementwise_loop gives out, apart from their values.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <string>

namespace gpuopt::plugin_test {

// Returns the name of a row of ops.def.
const char *operation_name(int32_t op);

// Calls a loop for several numbers of elements. Returns a description if it does not write exactly its results, changes
// a source, or uses the x87 unit, whose state the host does not look after; or if the slot's answer cannot be. Returns
// "" otherwise.
std::string loop_problem(int32_t op, gpuopt_elementwise_loop loop, int32_t result_dtype);

}  // namespace gpuopt::plugin_test
