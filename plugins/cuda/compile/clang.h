// plugins/cuda/compile/clang.h -- the Clang in libgpuopt_jit, which compiles kernels to PTX where NVRTC is missing.
#pragma once

#include <span>
#include <string>

#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/library_search.h"

struct gpuopt_jit_api;

namespace gpuopt::cuda {

// Returns the path of libgpuopt_jit: the one that GPUOPT_JIT names, else the one that belongs to this plugin.
std::string clang_file(const SearchInput &input);

// One libgpuopt_jit. Lives as long as the process; safe from any thread.
class Clang {
 public:
  // There is one object for each path. If the library cannot be used, problem() says why.
  static const Clang &of(const SearchInput &input);

  const std::string &problem() const { return problem_; }
  const std::string &path() const { return path_; }
  const std::string &name() const { return name_; }    // "Clang 19.1.7"
  const std::string &build() const { return build_; }  // the name, a comma, and the hash of the library's sources
  // As Nvrtc::compile(): the same headers, no contraction, no flushing of denormals. The result is PTX. A compilation
  // that takes longer than GPUOPT_JIT_TIMEOUT is an error.
  Compilation compile(const std::string &text, const char *name, const Target &target,
                      std::span<const std::string> functions = {}) const;

 private:
  explicit Clang(const std::string &path, bool named_by_user);

  std::string problem_, path_, name_, build_;
  const gpuopt_jit_api *api_ = nullptr;
};

// Chooses for which architecture to write PTX, in the oldest version of PTX that has it: the newest one that is not
// newer than the device, and of which the driver takes the PTX (PTX ISA, "Release History"). The target's `problem`
// says why there is none.
Target choose_ptx_target(int driver_version, int capability);

}  // namespace gpuopt::cuda
