// plugins/cuda/compile/clang.cpp -- see clang.h.
#include "plugins/cuda/compile/clang.h"

#include <gpuopt/dlopen_note.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "plugins/cuda/compile/header_lists.h"
#include "plugins/cuda/driver/host.h"
#include "plugins/cuda/driver/os.h"
#include "plugins/jit/api/jit.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/shared/host/code_tokens.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::cuda {
namespace {

#if defined(_WIN32)
constexpr const char *kFile = "gpuopt_jit.dll";
#else
constexpr const char *kFile = "libgpuopt_jit.so";
#endif
GPUOPT_DLOPEN_NOTE(jit, "jit", "Compiles kernels where NVRTC is missing", "suggested", "\"libgpuopt_jit.so\"");

// Architectures, the first version of PTX that has them, and the first CUDA whose drivers take it. Those of Tegra are
// left out: their devices run what is for the architecture before.
struct Architecture {
  int arch, ptx, cuda;
};
constexpr Architecture kArchitectures[] = {{90, 78, 11080}, {89, 78, 11080}, {86, 71, 11010},
                                           {80, 70, 11000}, {75, 63, 10000}, {70, 62, 9020}};

int ptx_version_of(int arch) {
  for (const Architecture &known : kArchitectures)
    if (known.arch == arch) return known.ptx;
  return kArchitectures[0].ptx;
}

// When a compilation is given up. Without a limit it never is.
struct Limit {
  std::chrono::steady_clock::time_point end;
  bool has_end;
};

Limit limit_of(double seconds) {
  const auto from_now =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  return {std::chrono::steady_clock::now() + from_now, seconds > 0};
}

int32_t is_over(void *limit) {
  const Limit &of = *static_cast<const Limit *>(limit);
  return of.has_end && std::chrono::steady_clock::now() >= of.end;
}

// Says why the file cannot be opened; "" if it can. A file that the user names is checked as plugins are.
std::string file_problem(const std::string &file, bool named_by_user) {
  if (!std::filesystem::path(file).is_absolute()) return "GPUOPT_JIT is not the absolute path of a file: " + file;
  const trusted::File found(file, named_by_user ? trusted::Check::kAll : trusted::Check::kKind);
  if (found.opened()) return "";
  if (named_by_user || found.outcome != trusted::Outcome::kMissing) return file + ": " + found.problem;
  return "install the package gpuopt-plugin-jit (" + file + " is not installed), or name the file in GPUOPT_JIT";
}

}  // namespace

std::string clang_file(const SearchInput &input) {
  const std::string named = input.setting(name_of(Setting::GPUOPT_JIT));
  return named.empty() ? input.plugin_directory + "/jit/" + kFile : named;
}

Clang::Clang(const std::string &path, bool named_by_user) : path_(path) {
  problem_ = file_problem(path, named_by_user);
  if (!problem_.empty()) return;
  std::string why;
  void *const library = open_library(path, &why);
  const auto query =
      library ? reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(find_symbol(library, "gpuopt_jit_query"))
              : nullptr;
  api_ = query ? query(jit_build()) : nullptr;
  if (!library) problem_ = path + " cannot be loaded: " + why;
  if (library && !api_)
    problem_ = path + " is of another build than this CUDA backend; install both from the same release";
  if (!api_) return;
  name_ = api_->compiler;
  build_ = name_ + ", " + jit_build();
}

const Clang &Clang::of(const SearchInput &input) {
  static auto *const mutex = new std::mutex;
  static auto *const known = new std::map<std::string, std::unique_ptr<const Clang>>;
  const std::string path = clang_file(input);
  const std::lock_guard lock(*mutex);
  std::unique_ptr<const Clang> &kept = (*known)[path];
  if (!kept) kept.reset(new Clang(path, !input.setting(name_of(Setting::GPUOPT_JIT)).empty()));
  return *kept;
}

Compilation Clang::compile(const std::string &text, const char *name, const Target &target,
                           std::span<const std::string> functions) const {
  const HeaderLists &headers = header_lists();
  std::vector<const char *> wanted;
  for (const std::string &function : functions) wanted.push_back(function.c_str());
  const gpuopt_jit_ptx_source source{name,
                                     text.c_str(),
                                     target.arch,
                                     ptx_version_of(target.arch),
                                     static_cast<int32_t>(headers.names.size()),
                                     headers.names.data(),
                                     headers.texts.data(),
                                     static_cast<int32_t>(wanted.size()),
                                     wanted.data()};
  const double seconds = plugin::setting_number_or_fallback(Setting::GPUOPT_JIT_TIMEOUT);
  Limit limit = limit_of(seconds);
  const gpuopt_jit_watch watch{is_over, &limit};
  const std::unique_ptr<gpuopt_jit_result, void (*)(gpuopt_jit_result *)> result(api_->compile_ptx(&source, &watch),
                                                                                 api_->release);
  Compilation out;
  out.options = name_ + " " + target.name();
  out.status = NVRTC_ERROR_OUT_OF_MEMORY;
  out.log = "out of memory";
  if (!result) return out;
  out.log = result->log;
  while (!out.log.empty() && out.log.back() == '\n') out.log.pop_back();
  if (!result->object_bytes && plugin::has_launch(text))
    out.log = std::string(name) +
              ": error: the kernel launches kernels (<<<>>>), which takes NVIDIA's NVRTC; it was "
              "compiled by " +
              name_ + "\n" + out.log;
  if (result->stopped) out.log = "given up after GPUOPT_JIT_TIMEOUT";
  out.status = result->object_bytes ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
  out.ptx.assign(result->object, result->object_bytes);
  std::istringstream symbols(result->symbols);
  for (std::string symbol; std::getline(symbols, symbol);) out.symbols.push_back(symbol);
  return out;
}

Target choose_ptx_target(int driver_version, int capability) {
  for (const Architecture &known : kArchitectures)
    if (known.arch <= capability && known.cuda <= driver_version) return {known.arch, true, ""};
  return {0, true,
          "it writes no PTX for a device of compute capability " + capability_text(capability) +
              " that a driver for CUDA " + version_text(driver_version) + " takes"};
}

}  // namespace gpuopt::cuda
