// plugins/jit/lower/problems.h -- error messages for what Clang compiles but kernels cannot do on the host, each with
// the line and a cure.
//
// Lines are known only if the module has line tables (Source::located). These take time, so that a text is first
// compiled without them, and again with them if it has a problem.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

namespace gpuopt::jit {

// The local variables of a thread may take as much as on GPUs (CUDA C++ Programming Guide, "Compute Capabilities").
constexpr uint64_t kMaxLocalBytes = 512 << 10;

// An attribute of functions and variables without a definition in modules with line tables: where they are declared,
// "k:3".
constexpr const char *kDeclared = "gpuopt-declared";

constexpr const char *kNoAssembly =
    "of inline PTX, the CPU runs common instructions on numbers and memory (docs/cuda-words.md). Write others in CUDA "
    "C++, or put them between #ifdef __CUDACC_RTC__ and #else, and after #else what the CPU is to run";

// The name of a function or variable as its author wrote it, without the parameters of a function.
std::string name_of(const llvm::GlobalValue &value);

// A message about an asm statement that cannot be translated.
std::string assembly_problem(const llvm::Instruction &statement, const std::string &code, const std::string &problem);

// A message about the configuration of a launch that is followed by no call of a kernel.
std::string wrong_launch(const llvm::Instruction &at);

// Each returns "", or messages in the form of a compiler's, "k:3: error: ...", each of which ends in a line feed.
std::string undefined_in(const llvm::Module &module);         // functions and variables that are not defined
std::string local_memory_of(const llvm::Function &function);  // local variables that take more than kMaxLocalBytes
// A call that LLVM cannot inline for another reason.
std::string not_inlined(const llvm::Instruction &call, const std::string &why);

}  // namespace gpuopt::jit
