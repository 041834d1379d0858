// plugins/jit/compile/outline.h -- outlines functions: where a kernel would become too long with everything inlined,
// some functions are called instead.
//
// Kernels are short as a rule, and everything they call is inlined. But LLVM's time grows faster than the length of a
// function, and the body of pow() is hundreds of times as long as its call. Where the kernel would exceed a budget once
// everything is inlined, functions that are called more than once therefore stay functions. They are optimized in a
// module of their own. A function without effects gets variants for vectors (the LLVM Language Reference,
// "vector-function-abi-variant"), so that loops that call it are still vectorized. The results have the same bits.
#pragma once

#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpuopt::jit {

class OutlinedFunctions {
 public:
  // Decides which functions of the module stay functions, and replaces them by declarations. If the kernel is short,
  // none do. With `pure_only`, functions that access memory are inlined all the same, since the check has to see the
  // accesses.
  OutlinedFunctions(llvm::Module &module, bool pure_only);

  // Says that the kernel is too long to be compiled, because functions had to be inlined; empty if it is not.
  const std::string &problem() const { return problem_; }

  // Defines the functions and variants that the module still calls after it has been optimized. `optimize` does to
  // another module what was done to this one.
  void finish(const std::function<void(llvm::Module &)> &optimize);

 private:
  struct Outlined {
    std::string name;  // the optimizer deletes declarations that nothing calls any more
    bool has_variants;
  };

  std::vector<llvm::Function *> candidates() const;
  void move_out(const std::vector<llvm::Function *> &functions, bool pure_only);
  void copy_bodies(const std::vector<llvm::Function *> &functions);
  void declare(llvm::Function &function, llvm::Function &body);
  void declare_variants(llvm::Function &declared);
  void remove_unused();
  void check_length();
  void define_variant(llvm::Function &scalar, unsigned lanes);

  llvm::Module &module_;
  std::unique_ptr<llvm::Module> bodies_;
  std::vector<Outlined> outlined_;
  std::string problem_;
};

}  // namespace gpuopt::jit
