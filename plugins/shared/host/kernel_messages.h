// plugins/shared/host/kernel_messages.h -- messages that the compilers of kernels for all backends have in common.
#pragma once

namespace gpuopt {

// Follows the compiler's own message about a line "#include" that names no header of the library's.
#define GPO_KNOWN_HEADER(name) " " name
constexpr const char *kNoHeaders =
    "kernels can include these headers alone, whose words are also available without:"
#include "plugins/shared/words/known_headers.h"
    ". Remove this line";
#undef GPO_KNOWN_HEADER

}  // namespace gpuopt
