// plugins/jit/compile/compiler.h -- Clang and LLVM behind one function.
#pragma once

#include <string>

namespace gpuopt::jit {

struct Source {
  std::string code;
  std::string processor;  // as of gpuopt_jit_source
  int vector_bits = 0;
  bool raw = false;                     // as of GPUOPT_JIT_RAW
  bool may_loop = true, check = false;  // as of lower_threads()
  bool located = false;                 // compile with line tables, for messages that do not come from Clang
};

struct Result {
  std::string object;    // a relocatable ELF object, or PTX; empty if it does not compile
  std::string log;       // the messages of the compiler
  bool stopped = false;  // the compilation was cancelled; the other members are empty
  std::string symbols;   // of PTX, as those of gpuopt_jit_result
};

// Compiles a kernel. Safe from any threads. Throws std::bad_alloc, and std::runtime_error for failures of LLVM.
Result compile(const Source &source);
std::string compiler_name();

}  // namespace gpuopt::jit
