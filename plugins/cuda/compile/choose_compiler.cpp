// plugins/cuda/compile/choose_compiler.cpp -- see choose_compiler.h.
#include "plugins/cuda/compile/choose_compiler.h"

#include <algorithm>

#include "plugins/shared/host/settings.h"

namespace gpuopt::cuda {
namespace {

constexpr const char *kOnlyNvrtc = "nvrtc", *kOnlyClang = "clang";  // words of the setting

// Returns the comments at the beginning of PTX, which identify the compiler: "Compiler Build ID: CL-36424714, ...".
std::string build_comments(const std::string &ptx) {
  std::string out;
  for (size_t at = 0; ptx.compare(at, 2, "//") == 0;) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    const size_t first = ptx.find_first_not_of("/ ", at), last = ptx.find_last_not_of(" \r", end - 1);
    if (first < end) out += (out.empty() ? "" : ", ") + ptx.substr(first, last + 1 - first);
    at = std::min(end + 1, ptx.size());
  }
  return out;
}

// Returns why a compiler that gave this result for a kernel is not usable; "" if it is.
std::string problem_of(const Compilation &made, const Nvrtc &nvrtc, const Target &target) {
  if (made.status == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    return "its " + builtins_name(nvrtc.version()) + " is missing or of another version";
  if (made.status != NVRTC_SUCCESS) return "it does not compile an empty kernel: " + made.log;
  return (target.ptx ? made.ptx : made.cubin).empty() ? "it gives no code for " + target.name() : "";
}

// Makes Clang the compiler if it is installed, and writes PTX that this driver takes.
void choose_clang(const SearchInput &input, int driver_version, int capability, Compiler &chosen) {
  const Clang &clang = Clang::of(input);
  chosen.why_not_clang = clang.problem();
  if (!chosen.why_not_clang.empty()) return;
  const Target target = choose_ptx_target(driver_version, capability);
  chosen.why_not_clang = target.problem;
  if (!target.problem.empty()) return;
  chosen.clang = &clang;
  chosen.target = target;
  chosen.build = clang.build();
  chosen.made.reset();
}

}  // namespace

std::string Compiler::name() const { return nvrtc ? "NVRTC " + version_text(nvrtc->version()) : clang->name(); }

Compilation Compiler::compile(const std::string &text, const char *file, std::span<const std::string> functions) const {
  return nvrtc ? nvrtc->compile(text, file, target, functions) : clang->compile(text, file, target, functions);
}

Compiler choose_compiler(const SearchInput &input, int driver_version, int capability, const KernelText &kernel,
                         const KnownBuild &known) {
  Compiler chosen;
  const auto accept = [&](void *handle) {
    std::string problem;
    chosen.nvrtc = Nvrtc::of(handle, problem);
    if (!chosen.nvrtc) return problem;
    chosen.target = choose_target(driver_version, chosen.nvrtc->version(), chosen.nvrtc->archs(), capability);
    if (!chosen.target.problem.empty()) return chosen.target.problem;
    if (known) chosen.build = known(*chosen.nvrtc, chosen.target);
    if (!chosen.build.empty()) return problem;
    const auto works = [&](const Compilation &made) {
      problem = problem_of(made, *chosen.nvrtc, chosen.target);
      if (problem.empty()) chosen.build = version_text(chosen.nvrtc->version()) + ", " + build_comments(made.ptx);
      return problem.empty();
    };
    Compilation made = chosen.nvrtc->compile(kernel.text, kernel.file, chosen.target, kernel.functions);
    // An empty kernel tells whether the text or the compiler is at fault.
    if (works(made) || works(chosen.nvrtc->compile(kEmptyKernel.text, kEmptyKernel.file, chosen.target)))
      chosen.made = std::move(made);
    return problem;
  };
  const std::string wished = input.setting(name_of(Setting::GPUOPT_CUDA_COMPILER));
  if (wished == kOnlyClang) {
    chosen.tried = std::string(name_of(Setting::GPUOPT_CUDA_COMPILER)) + " is " + kOnlyClang;
  } else {
    const OpenedLibrary opened = search_library(Library::nvrtc, input, accept);
    chosen.tried = opened.tried;
    if (opened.handle) return chosen;
    chosen.nvrtc = nullptr;
  }
  if (wished != kOnlyNvrtc) choose_clang(input, driver_version, capability, chosen);
  return chosen;
}

}  // namespace gpuopt::cuda
