// core/kernels/kernel_explain.h -- why the text of a kernel does not compile, where a compiler would name a line that
// is not its author's.
#pragma once
#include <string>

#include "core/kernels/kernel_text.h"

namespace gpuopt {

// Looks for a function that the kernel names and its text does not have, and for brackets that do not match. A compiler
// finds either in the text around the author's, of which the author knows nothing. Returns one message, with file and
// line as a compiler's, "add:3: error: ...", and a line feed; empty if neither is there. To be asked once compiling has
// failed: what macros and templates make of a text is not looked at.
std::string explain_failure(const UserKernel &kernel);

}  // namespace gpuopt
