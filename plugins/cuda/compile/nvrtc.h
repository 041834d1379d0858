// plugins/cuda/compile/nvrtc.h -- NVIDIA's run-time compiler: found, checked, called.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugins/cuda/compile/arch.h"
#include "plugins/cuda/compile/nvrtc_types.h"

namespace gpuopt::cuda {

struct NvrtcTable {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/compile/nvrtc_symbols.def"
};

struct Compilation {
  nvrtcResult status = NVRTC_SUCCESS;
  std::string cubin;                 // empty for a PTX target
  std::string ptx;                   // without the NUL at its end
  std::string log;                   // the compiler's messages, or the name of its error; empty if there are none
  std::string options;               // those it was compiled with, separated by spaces
  std::vector<std::string> symbols;  // the mangled names of the functions that were asked for
};

// One NVRTC library. Lives as long as the process; safe from any thread.
class Nvrtc {
 public:
  // Returns the library behind `handle`; NULL, with the reason in `problem`, if it cannot be used at all. There is one
  // object for each library.
  static const Nvrtc *of(void *handle, std::string &problem);

  const std::string &path() const { return path_; }
  int version() const { return version_; }  // 13000 is 13.0
  std::span<const int> archs() const { return archs_; }

  // Compiles CUDA C++ that includes embedded headers only, exactly as every kernel is: no contraction, no flushing of
  // denormals. `name` stands for the file in messages. `functions` are kernels that are wanted, as name expressions:
  // templates among them are instantiated.
  Compilation compile(const std::string &text, const char *name, const Target &target,
                      std::span<const std::string> functions = {}) const;

 private:
  Nvrtc() = default;
  std::string open(void *handle);
  void preload_builtins() const;

  NvrtcTable table_;
  std::string path_;
  int version_ = 0;
  std::vector<int> archs_;
};

// Returns the name of the builtins library that an NVRTC of this version opens.
std::string builtins_name(int version);

// Returns the options for a target, which are part of the key of a cached kernel.
std::vector<std::string> compile_options(const Target &target);

}  // namespace gpuopt::cuda
