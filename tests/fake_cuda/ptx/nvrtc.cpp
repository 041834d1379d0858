// tests/fake_cuda/ptx/nvrtc.cpp -- NVIDIA's own NVRTC, as if it served one architecture: the oldest or the newest it
// knows.
//
// The backend asks for PTX where NVRTC knows no machine code for a device. So it asks this library for PTX of that one
// architecture, and the fake driver, whose device is of another one, runs it. Nothing else is changed: options and
// texts go to NVRTC, and PTX comes from it, as they are. Environment:
//   FAKE_CUDA_NVRTC     the real library or its folder; else those that the loader finds
//   FAKE_CUDA_PTX_ARCH  oldest (the default), newest, or a number as 90
//   FAKE_CUDA_PTX_FMAD  1: multiplications and additions are contracted, which tests must notice
//   FAKE_CUDA_PTX_REPLACE  "from=to|from=to": what is replaced in PTX, one after the other; tests must notice
//                       that, too
//   FAKE_CUDA_PTX_DUMP  a folder, which there must be, for all PTX that is made
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/cuda/compile/nvrtc_types.h"

#define EXPORTED __attribute__((visibility("default")))
extern "C" {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) EXPORTED result name args;
#include "plugins/cuda/compile/nvrtc_symbols.def"
}

namespace {

namespace fs = std::filesystem;

constexpr nvrtcResult kInternalError = nvrtcResult(11);

struct Real {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/compile/nvrtc_symbols.def"
  bool complete = true;
  std::vector<int> archs;
};

std::string setting(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

// The builtins library lies beside NVRTC, which opens it by its bare name.
void open_builtins(const fs::path &folder) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().rfind("libnvrtc-builtins.so", 0) == 0)
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

void *open_real() {
  const std::string given = setting("FAKE_CUDA_NVRTC");
  std::vector<std::string> names;
  for (const char *const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
    names.push_back(fs::is_directory(given) ? given + "/" + name : name);
  if (!given.empty() && !fs::is_directory(given)) names = {given};
  for (const std::string &name : names) {
    open_builtins(fs::path(name).parent_path());
    if (void *const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  std::fprintf(stderr, "fake_cuda: there is no NVRTC: %s\n", dlerror());
  return nullptr;
}

int chosen_arch(const std::vector<int> &archs) {
  const std::string wanted = setting("FAKE_CUDA_PTX_ARCH");
  if (wanted == "newest") return *std::max_element(archs.begin(), archs.end());
  if (wanted.empty() || wanted == "oldest") return *std::min_element(archs.begin(), archs.end());
  return std::atoi(wanted.c_str());
}

Real load_real() {
  Real real;
  void *const library = open_real();
#define GPUOPT_NVRTC_SYMBOL(result, name, args)                                                 \
  real.name = library ? reinterpret_cast<decltype(real.name)>(dlsym(library, #name)) : nullptr; \
  real.complete = real.complete && real.name;
#include "plugins/cuda/compile/nvrtc_symbols.def"
  int count = 0;
  if (!real.complete || real.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) {
    real.complete = false;
    return real;
  }
  real.archs.resize(size_t(count));
  real.complete = real.nvrtcGetSupportedArchs(real.archs.data()) == NVRTC_SUCCESS;
  return real;
}

const Real &real() {
  static const Real kept = load_real();
  return kept;
}

void replace_all(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); !from.empty() && at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void replace_as_told(std::string &ptx) {
  std::istringstream pairs(setting("FAKE_CUDA_PTX_REPLACE"));
  for (std::string pair; std::getline(pairs, pair, '|');) {
    const size_t sign = pair.find('=');
    if (sign != pair.npos) replace_all(ptx, pair.substr(0, sign), pair.substr(sign + 1));
  }
}

nvrtcResult ptx_of(nvrtcProgram program, std::string &ptx) {
  size_t bytes = 0;
  nvrtcResult code = real().nvrtcGetPTXSize(program, &bytes);
  if (code != NVRTC_SUCCESS || bytes == 0) return code;
  ptx.resize(bytes);
  code = real().nvrtcGetPTX(program, ptx.data());
  ptx.resize(std::strlen(ptx.c_str()));
  replace_as_told(ptx);
  return code;
}

// Written under a name of its own first: processes may compile the same text at once.
void dump(nvrtcProgram program) {
  const std::string folder = setting("FAKE_CUDA_PTX_DUMP");
  std::string ptx;
  if (folder.empty() || ptx_of(program, ptx) != NVRTC_SUCCESS || ptx.empty()) return;
  const fs::path file = fs::path(folder) / (std::to_string(std::hash<std::string>()(ptx)) + ".ptx");
  const fs::path unique = file.string() + "." + std::to_string(getpid());
  std::ofstream(unique, std::ios::binary) << ptx;
  std::error_code error;
  fs::rename(unique, file, error);
}

}  // namespace

const char *nvrtcGetErrorString(nvrtcResult code) {
  return real().complete ? real().nvrtcGetErrorString(code) : "there is no NVRTC";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  return real().complete ? real().nvrtcVersion(major, minor) : kInternalError;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  *count = 1;
  return real().complete ? NVRTC_SUCCESS : kInternalError;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  if (!real().complete) return kInternalError;
  *archs = chosen_arch(real().archs);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int headers,
                               const char *const *header_texts, const char *const *header_names) {
  if (!real().complete) return kInternalError;
  return real().nvrtcCreateProgram(program, text, name, headers, header_texts, header_names);
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) { return real().nvrtcDestroyProgram(program); }

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
  std::vector<const char *> passed(options, options + count);
  if (setting("FAKE_CUDA_PTX_FMAD") == "1")
    for (const char *&option : passed)
      if (std::strstr(option, "-fmad=false")) option = "-fmad=true";
  const nvrtcResult code = real().nvrtcCompileProgram(program, count, passed.data());
  if (code == NVRTC_SUCCESS) dump(program);
  return code;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) {
  std::string ptx;
  const nvrtcResult code = ptx_of(program, ptx);
  *bytes = ptx.empty() ? 0 : ptx.size() + 1;
  return code;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *out) {
  std::string ptx;
  const nvrtcResult code = ptx_of(program, ptx);
  std::memcpy(out, ptx.c_str(), ptx.size() + 1);
  return code;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) { return real().nvrtcGetCUBINSize(program, bytes); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) { return real().nvrtcGetCUBIN(program, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
  return real().nvrtcGetProgramLogSize(program, bytes);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) { return real().nvrtcGetProgramLog(program, log); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
  return real().nvrtcAddNameExpression(program, expression);
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name) {
  return real().nvrtcGetLoweredName(program, expression, name);
}
