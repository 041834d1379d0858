// core/kernels/text/kernel_names.h -- explains why the name of a raw kernel, which is in its text, is not that of a
// kernel.
#pragma once
#include <string>

#include "core/kernels/text/kernel_text.h"

namespace gpuopt {

// Returns a message, "scale:3: error: ...", with a line feed at its end, if the first error of the compiler's `log` is
// in the generated text and about one of the kernel's names. Returns "" otherwise.
std::string explain_name(const UserKernel &kernel, const std::string &log);

}  // namespace gpuopt
