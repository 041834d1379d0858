// plugins/cuda/compile/nvrtc.cpp -- opening NVRTC libraries, choosing among them, compiling.
#include "plugins/cuda/compile/nvrtc.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "plugins/cuda/compile/device_runtime.h"
#include "plugins/cuda/compile/header_lists.h"
#include "plugins/cuda/driver/os.h"
#include "plugins/shared/host/code_tokens.h"
#include "plugins/shared/host/kernel_messages.h"

namespace gpuopt::cuda {
namespace {

// A program of NVRTC, destroyed with this object.
struct Program {
  explicit Program(const NvrtcTable &used) : table(used) {}
  ~Program() {
    if (handle) table.nvrtcDestroyProgram(&handle);
  }
  Program(const Program &) = delete;

  const NvrtcTable &table;
  nvrtcProgram handle = nullptr;
};

// Returns a text or a binary that NVRTC hands out in two calls, the size and the bytes; empty if there is none. `text`
// says that it is a text, of which the NUL and line feeds at its end are removed.
std::string text_of(nvrtcProgram program, nvrtcResult (*size_of)(nvrtcProgram, size_t *),
                    nvrtcResult (*get)(nvrtcProgram, char *), bool text) {
  size_t bytes = 0;
  if (size_of(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return {};
  std::string out(bytes, '\0');
  if (get(program, out.data()) != NVRTC_SUCCESS) return {};
  if (text) out.resize(out.find_last_not_of(std::string("\0\n", 2)) + 1);
  return out;
}

constexpr int kKnowsMinimal = 13000, kKnowsCpp20 = 12000;

// Returns whether a text has designated initializers, as in `Point{.x = 1, .y = 2}`: whether a name that follows { or ,
// and a dot is followed by =.
bool has_designators(const std::string &text) {
  const char *const space = " \t\r\n";
  for (size_t at = text.find_first_of("{,"); at != text.npos; at = text.find_first_of("{,", at + 1)) {
    const size_t dot = text.find_first_not_of(space, at + 1);
    if (dot == text.npos || text[dot] != '.') continue;
    size_t end = text.find_first_not_of(space, dot + 1);
    if (end == text.npos || std::isdigit(static_cast<unsigned char>(text[end]))) continue;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    end = text.find_first_not_of(space, end);
    if (end != text.npos && text[end] == '=' && text.compare(end, 2, "==") != 0) return true;
  }
  return false;
}

template <typename Function>
std::string find_into(void *handle, Function *&function, const char *name) {
  function = reinterpret_cast<Function *>(find_symbol(handle, name));
  return function ? "" : std::string("it has no ") + name;
}

}  // namespace

std::string builtins_name(int version) {
  const std::string major = std::to_string(version / 1000), minor = std::to_string(version % 1000 / 10);
#if defined(_WIN32)
  return "nvrtc-builtins64_" + major + minor + ".dll";
#else
  return "libnvrtc-builtins.so." + major + "." + minor;
#endif
}

std::string Nvrtc::open(void *handle) {
  std::string problem;
#define GPUOPT_NVRTC_SYMBOL(result, name, args) \
  if (problem.empty()) problem = find_into(handle, table_.name, #name);
#include "plugins/cuda/compile/nvrtc_symbols.def"
  if (!problem.empty()) return problem;
  int major = 0, minor = 0, count = 0;
  if (table_.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "it does not tell its version";
  version_ = major * 1000 + minor * 10;
  path_ = file_of(reinterpret_cast<const void *>(table_.nvrtcVersion));
  if (table_.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) return "it names no architectures";
  archs_.resize(count);
  if (table_.nvrtcGetSupportedArchs(archs_.data()) != NVRTC_SUCCESS) return "it names no architectures";
  preload_builtins();
  return "";
}

// Loads NVRTC's builtins library from the folder in which NVRTC lies. NVRTC itself opens it by its bare name, for which
// the loader finds none, or one of another version, if NVRTC was opened by its path.
void Nvrtc::preload_builtins() const {
  const size_t slash = path_.find_last_of("/\\");
  if (slash == std::string::npos) return;
  const std::string file = path_.substr(0, slash + 1) + builtins_name(version_);
  if (file_exists(file)) open_library(file, nullptr);
}

const Nvrtc *Nvrtc::of(void *handle, std::string &problem) {
  struct Known {
    std::unique_ptr<Nvrtc> nvrtc;
    std::string problem;
  };
  static std::mutex *const mutex = new std::mutex;
  static auto *const known = new std::map<void *, Known>;
  const std::lock_guard lock(*mutex);
  const auto [place, is_new] = known->try_emplace(handle);
  Known &entry = place->second;
  if (is_new) {
    entry.nvrtc.reset(new Nvrtc);
    entry.problem = entry.nvrtc->open(handle);
  }
  problem = entry.problem;
  return problem.empty() ? entry.nvrtc.get() : nullptr;
}

std::vector<std::string> compile_options(const Target &target) {
  return {target.option(), "-std=c++17", "-fmad=false", "-default-device"};  // users need not write __device__
}

Compilation Nvrtc::compile(const std::string &text, const char *name, const Target &target,
                           std::span<const std::string> functions) const {
  const HeaderLists &headers = header_lists();
  Compilation out;
  Program program(table_);
  out.status = table_.nvrtcCreateProgram(&program.handle, text.c_str(), name, static_cast<int>(headers.names.size()),
                                         headers.texts.data(), headers.names.data());
  const bool launches = plugin::has_launch(text);
  DeviceRuntime runtime;
  if (launches) {
    runtime = device_runtime(path_, version_, target);
    if (!runtime.problem.empty()) {
      out.status = NVRTC_ERROR_COMPILATION;
      out.log = std::string(name) + ": error: " + runtime.problem;
      return out;
    }
  }
  for (const std::string &function : functions)
    if (out.status == NVRTC_SUCCESS) out.status = table_.nvrtcAddNameExpression(program.handle, function.c_str());
  if (out.status == NVRTC_SUCCESS) {
    std::vector<std::string> options = compile_options(target);
    // NVRTC takes designated initializers in C++20 only; nvcc does in C++17, as GCC does. A matter of the text, which
    // is a part of the kernel's key.
    if (version_ >= kKnowsCpp20 && has_designators(text))
      std::replace(options.begin(), options.end(), std::string("-std=c++17"), std::string("-std=c++20"));
    // Leaves out declarations that our kernels do not use (textures, printf), which saves 7 ms and changes no code;
    // hence it is not one of compile_options(), which are part of a kernel's key. Not every older NVRTC knows it.
    // What launches kernels uses such a declaration, and is linked.
    if (launches) {
      options.push_back("-rdc=true");
    } else if (version_ >= kKnowsMinimal) {
      options.push_back("--minimal");
    }
    std::vector<const char *> pointers;
    for (const std::string &option : options) {
      pointers.push_back(option.c_str());
      out.options += (out.options.empty() ? "" : " ") + option;
    }
    out.status = table_.nvrtcCompileProgram(program.handle, static_cast<int>(pointers.size()), pointers.data());
    out.log = text_of(program.handle, table_.nvrtcGetProgramLogSize, table_.nvrtcGetProgramLog, true);
  }
  for (const std::string &function : functions) {
    const char *symbol = "";
    if (out.status == NVRTC_SUCCESS) out.status = table_.nvrtcGetLoweredName(program.handle, function.c_str(), &symbol);
    out.symbols.emplace_back(symbol);
  }
  if (out.status != NVRTC_SUCCESS) {
    if (out.log.empty()) out.log = table_.nvrtcGetErrorString(out.status);
    // Behind the first line alone, for messages have room for the note or for all that NVRTC says.
    if (out.log.find("could not open source file") != out.log.npos)
      out.log = out.log.substr(0, out.log.find('\n')) + "\nnote: " + kNoHeaders;
    return out;
  }
  out.ptx = text_of(program.handle, table_.nvrtcGetPTXSize, table_.nvrtcGetPTX, true);
  if (!target.ptx) out.cubin = text_of(program.handle, table_.nvrtcGetCUBINSize, table_.nvrtcGetCUBIN, false);
  if (launches) {
    out.cubin = runtime.link(out.cubin, name, target, out.log);
    if (out.cubin.empty()) out.status = NVRTC_ERROR_COMPILATION;
  }
  return out;
}

}  // namespace gpuopt::cuda
