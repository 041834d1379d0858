// plugins/jit/compiler.h -- Clang and LLVM behind one function.
#pragma once

#include <string>

namespace gpuopt::jit {

struct Source {
  std::string code;
  std::string processor;  // as of gpuopt_jit_source
  int vector_bits = 0;
  bool raw = false;                     // as of GPUOPT_JIT_RAW
  bool may_loop = true, check = false;  // lower_threads()
};

struct Result {
  std::string object;  // a relocatable ELF object; empty if it does not compile
  std::string log;     // what the compiler said
};

// Safe from any threads. Throws only where there is no memory, and std::runtime_error for what is LLVM's fault.
Result compile(const Source &source);
std::string compiler_name();

}  // namespace gpuopt::jit
