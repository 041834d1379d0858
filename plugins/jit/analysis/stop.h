// plugins/jit/analysis/stop.h -- cancelling a compilation, by the watch of the thread that compiles.
#pragma once

#include <llvm/IR/OptBisect.h>

#include "plugins/jit/api/jit.h"

namespace gpuopt::jit {

// Makes `watch`, which may be NULL, the watch of this thread for as long as the object lives.
class WatchScope {
 public:
  explicit WatchScope(const gpuopt_jit_watch *watch);
  ~WatchScope();
  WatchScope(const WatchScope &) = delete;
  WatchScope &operator=(const WatchScope &) = delete;

 private:
  const gpuopt_jit_watch *const before_;
};

// Whether the watch has cancelled what this thread compiles. Nobody uses the result then, so that the compiler skips
// what work it can.
bool is_stopped();

// Makes LLVM skip optional passes of code generation once the compilation is cancelled.
class StopGate : public llvm::OptPassGate {
 public:
  bool shouldRunPass(const llvm::StringRef, llvm::StringRef) override { return !is_stopped(); }
  bool isEnabled() const override { return true; }
};

}  // namespace gpuopt::jit
