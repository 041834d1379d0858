// plugins/shared/host/kernel_messages.h -- messages that the compilers of kernels for all backends have in common.
#pragma once

namespace gpuopt {

// Follows the compiler's own message about a line "#include" that names no header of the library's.
constexpr const char *kNoHeaders =
    "kernels cannot include headers. CUDA C++, the types of stdint.h and the functions of math.h are available "
    "without. "
    "Remove this line";

}  // namespace gpuopt
