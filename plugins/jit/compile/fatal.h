// plugins/jit/compile/fatal.h -- turns LLVM's fatal errors, which would end the process, into errors of one
// compilation.
#pragma once

#include <functional>

#include "plugins/jit/compile/compiler.h"

namespace gpuopt::jit {

// Returns or throws what `compile` does. If LLVM calls report_fatal_error(), returns its message and sets `*broken`.
// What LLVM held at that moment is leaked, perhaps a lock, so that another compilation in this process may hang.
Result without_fatal_errors(const std::function<Result()> &compile, bool *broken);

}  // namespace gpuopt::jit
