// plugins/jit/fatal.h -- LLVM's fatal errors, which would end the process, as what came of one compilation.
#pragma once

#include <functional>

#include "plugins/jit/compiler.h"

namespace gpuopt::jit {

// What `compile` returns or throws; or, where LLVM calls report_fatal_error(), what it says, and `*broken`. What LLVM
// held then is leaked, a lock perhaps: another compilation in this process may work or not.
Result without_fatal_errors(const std::function<Result()> &compile, bool *broken);

}  // namespace gpuopt::jit
