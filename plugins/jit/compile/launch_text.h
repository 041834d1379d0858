// plugins/jit/compile/launch_text.h -- launches by kernels, kernel<<<grid, block>>>(arguments), which Clang parses only
// where it compiles CUDA.
#pragma once

#include <string>

namespace gpuopt::jit {

// Returns the text with (::gpo::configure(grid, block), kernel(arguments)) in place of each launch, on the same lines
// (plugins/jit/text/launches.h). Comments, literals, and what is no launch of a kernel that is named stay as they are.
// Returns the text itself if it has no launch.
std::string parsable_launches(const std::string &code);

}  // namespace gpuopt::jit
