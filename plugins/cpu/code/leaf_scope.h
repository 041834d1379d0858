// plugins/cpu/code/leaf_scope.h -- marks functions that kernels call, in which a fault counts as a fault of the kernel.
#pragma once

namespace gpuopt::cpu {

// Sets the flag that run_watched() reads for this thread (fault_guard.h); NULL outside of run_watched().
void set_leaf_flag(bool *flag) noexcept;

// Raises the flag while it lives. It is for functions that access the kernel's memory, take no locks and allocate
// nothing.
class LeafScope {
 public:
  LeafScope() noexcept;
  ~LeafScope();
  LeafScope(const LeafScope &) = delete;
  LeafScope &operator=(const LeafScope &) = delete;

 private:
  bool *const flag_;
};

}  // namespace gpuopt::cpu
