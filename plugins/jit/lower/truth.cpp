// plugins/jit/lower/truth.cpp -- see truth.h.
#include "plugins/jit/lower/truth.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace gpuopt::jit {
namespace {

// A load of a byte of which Clang says that it is 0 or 1, as it says of every bool.
bool is_of_bool(const llvm::LoadInst &load) {
  return load.getType()->isIntegerTy(8) && load.hasMetadata(llvm::LLVMContext::MD_range);
}

}  // namespace

void define_truth(llvm::Module &module) {
  std::vector<llvm::LoadInst *> found;
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && is_of_bool(*load)) found.push_back(load);
    }
  }
  for (llvm::LoadInst *load : found) {
    load->setMetadata(llvm::LLVMContext::MD_range, nullptr);
    for (llvm::User *user : llvm::make_early_inc_range(load->users())) {
      auto *const bit = llvm::dyn_cast<llvm::TruncInst>(user);
      if (!bit || !bit->getType()->isIntegerTy(1)) continue;
      llvm::IRBuilder<> build(bit);
      bit->replaceAllUsesWith(build.CreateIsNotNull(load));
      bit->eraseFromParent();
    }
  }
}

}  // namespace gpuopt::jit
