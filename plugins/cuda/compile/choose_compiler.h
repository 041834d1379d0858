// plugins/cuda/compile/choose_compiler.h -- which compiler makes this device's kernels: NVIDIA's NVRTC, or Clang.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "plugins/cuda/compile/clang.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/library_search.h"

namespace gpuopt::cuda {

// At most one of `nvrtc` and `clang` is not NULL. The code of either gives the same bits.
struct Compiler {
  const Nvrtc *nvrtc = nullptr;
  const Clang *clang = nullptr;
  Target target;
  std::string build;  // identifies this build of the compiler: its version, and what else tells it from others
  std::optional<Compilation> made;  // the result for the kernel on which it was tried, maybe an error
  std::string tried;                // libraries that were found but are not suitable, and why
  std::string why_not_clang;        // "" if Clang was not wanted

  bool found() const { return nvrtc || clang; }
  const std::string &path() const { return nvrtc ? nvrtc->path() : clang->path(); }
  std::string name() const;  // "NVRTC 13.0" or "Clang 19.1.7"
  Compilation compile(const std::string &text, const char *name, std::span<const std::string> functions) const;
};

// Returns the build of this NVRTC if an earlier process has found it out, else "".
using KnownBuild = std::function<std::string(const Nvrtc &nvrtc, const Target &target)>;

struct KernelText {
  const char *text, *file;  // `file` is the name of the text in messages
  std::span<const std::string> functions = {};
};
inline constexpr KernelText kEmptyKernel = {"extern \"C\" __global__ void empty() {}\n", "empty.cu"};

// Returns the first NVRTC that is neither too new for the driver nor too new or old for the device, and that works: its
// build is known, or it compiles `kernel` or, if that does not compile, an empty kernel.
Compiler choose_compiler(const SearchInput &input, int driver_version, int capability,
                         const KernelText &kernel = kEmptyKernel, const KnownBuild &known = {});

}  // namespace gpuopt::cuda
