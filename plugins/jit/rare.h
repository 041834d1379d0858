// plugins/jit/rare.h -- functions that have a rare path beside an easy one, in loops that LLVM vectorizes.
//
// A branch to code that is no good for vectors would keep a loop from being vectorized. So while LLVM optimizes it is a
// call of a function that has variants for vectors (the LLVM Language Reference, "vector-function-abi-variant"), and
// comes back afterwards: a test of the whole vector, and the rare path for those elements that need it. The bits are
// those of a loop over elements.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace gpuopt::jit {

class RarePaths {
 public:
  // Takes T NAME_or_rare(T easy, bool hard, arguments...) of plugins/shared/user/functions.h for such functions, all
  // that the module has; none if `branches`: they stay functions like others.
  RarePaths(llvm::Module &module, bool branches);
  // After loops have been vectorized.
  void expand();

 private:
  struct Function {
    llvm::Function *body, *scalar;
    std::vector<llvm::Function *> vectors;
  };
  void set_apart(llvm::Function &body);

  llvm::Module &module_;
  std::vector<Function> functions_;
};

struct ExpandRarePaths : llvm::PassInfoMixin<ExpandRarePaths> {
  RarePaths &paths;
  explicit ExpandRarePaths(RarePaths &of) : paths(of) {}
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
    paths.expand();
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace gpuopt::jit
