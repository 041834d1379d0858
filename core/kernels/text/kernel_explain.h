// core/kernels/text/kernel_explain.h -- explains compile errors for which a compiler would name a line that the
// kernel's author did not write.
#pragma once
#include <string>

#include "core/kernels/text/kernel_text.h"

namespace gpuopt {

// Searches the author's text for unmatched brackets, for the absence of a function that the kernel names, and, if the
// first error of the compiler's `log` is about the name of a raw kernel, for what that name means. A compiler reports
// these in the generated text around it, which the author does not know. Returns one message in the form of a
// compiler's, "add:3: error: ...", with a line feed at its end, or "" if nothing was found. This does not expand macros
// or templates, so it must only be called for a kernel whose compilation has failed.
std::string explain_failure(const UserKernel &kernel, const std::string &log);

}  // namespace gpuopt
