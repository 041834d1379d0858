// plugins/jit/compile/fatal.cpp -- see fatal.h.
#include "plugins/jit/compile/fatal.h"

#include <llvm/Support/ErrorHandling.h>

#include <csetjmp>

namespace gpuopt::jit {
namespace {

struct Place {
  std::jmp_buf back;
  std::string reason;
};

thread_local Place *current_place = nullptr;

// LLVM is compiled without exceptions, and calls exit() or abort() if this handler returns. Hence the jump.
void leave(void *, const char *reason, bool) {
  if (!current_place) return;
  current_place->reason = reason;
  std::longjmp(current_place->back, 1);
}

}  // namespace

Result without_fatal_errors(const std::function<Result()> &compile, bool *broken) {
  static const bool installed = (llvm::install_fatal_error_handler(leave), true);
  (void)installed;
  Place own;
  struct Scope {
    Place *const before = current_place;
    ~Scope() { current_place = before; }
  } scope;
  *broken = false;
  if (setjmp(own.back) == 0) {
    current_place = &own;
    return compile();
  }
  *broken = true;
  return {"", "the compiler failed: " + own.reason, false, ""};
}

}  // namespace gpuopt::jit
