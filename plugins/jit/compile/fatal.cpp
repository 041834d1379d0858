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

thread_local Place *place = nullptr;

// LLVM is compiled without exceptions, and calls exit() or abort() if this handler returns. Hence the jump.
void leave(void *, const char *reason, bool) {
  if (!place) return;
  place->reason = reason;
  std::longjmp(place->back, 1);
}

}  // namespace

Result without_fatal_errors(const std::function<Result()> &compile, bool *broken) {
  static const bool installed = (llvm::install_fatal_error_handler(leave), true);
  (void)installed;
  Place own;
  struct Scope {
    Place *const before = place;
    ~Scope() { place = before; }
  } scope;
  *broken = false;
  if (setjmp(own.back) == 0) {
    place = &own;
    return compile();
  }
  *broken = true;
  return {"", "the compiler failed: " + own.reason, false};
}

}  // namespace gpuopt::jit
