// plugins/cpu/code/jit_helper_windows.cpp -- there are none: libgpuopt_jit is not built for Windows.
#if defined(_WIN32)
#include <utility>

#include "plugins/cpu/code/jit_helper.h"

namespace gpuopt::cpu {

JitHelpers::JitHelpers(std::string program, std::string library)
    : program_(std::move(program)), library_(std::move(library)) {
  throw NoHelper("not on Windows");
}
std::string JitHelpers::compile(const gpuopt_jit_source &, uint32_t, JitWatch &, Urgency) const { return {}; }

}  // namespace gpuopt::cpu
#endif
