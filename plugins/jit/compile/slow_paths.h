// plugins/jit/compile/slow_paths.h -- functions with a fast path and a slow path, in loops that LLVM vectorizes.
//
// LLVM does not vectorize a loop with a branch to code that it cannot vectorize, as slow paths are. While LLVM
// optimizes, the branch is therefore a call of a function that has variants for vectors (the LLVM Language Reference,
// "vector-function-abi-variant"). Afterwards each call is expanded: a scalar call to the branch, a vector call to a
// test of the whole vector and a loop over the elements that need the slow path. The results have the bits of a scalar
// loop.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace gpuopt::jit {

constexpr unsigned kVectorLanes[] = {2, 4, 8,
                                     16};  // of the vectors of float or double that functions have variants for

// Whether a function is a NAME_or_slow() of plugins/shared/user/functions.h, which SlowPaths has not taken yet.
bool has_slow_path(const llvm::Function &function);

class SlowPaths {
 public:
  // Replaces all functions T NAME_or_slow(T fast, bool slow, arguments...) of the module by declarations. With
  // `branches` they stay functions like any other.
  SlowPaths(llvm::Module &module, bool branches);
  // Expands the calls, after loops have been vectorized.
  void expand();

 private:
  struct Function {
    llvm::Function *body, *scalar;          // the definition, and the declaration that is called in its place
    std::vector<llvm::Function *> vectors;  // the declarations of its variants
  };
  void replace_by_declaration(llvm::Function &body);

  llvm::Module &module_;
  std::vector<Function> functions_;
};

struct ExpandSlowPaths : llvm::PassInfoMixin<ExpandSlowPaths> {
  SlowPaths &paths;
  explicit ExpandSlowPaths(SlowPaths &of) : paths(of) {}
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
    paths.expand();
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace gpuopt::jit
