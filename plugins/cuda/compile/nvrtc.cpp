// plugins/cuda/compile/nvrtc.cpp -- opening NVRTC libraries, choosing among them, compiling.
#include "plugins/cuda/compile/nvrtc.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "plugins/cuda/compile/embedded.h"
#include "plugins/cuda/driver/os.h"
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

constexpr int kKnowsMinimal = 13000;

struct HeaderLists {
  std::vector<const char *> names, texts;
  HeaderLists() {
    for (const EmbeddedHeader &header : embedded_headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    const auto add_known = [this](const char *name) {
      names.push_back(name), texts.push_back(known_header_text(name));
    };
#define GPO_KNOWN_HEADER(name) add_known(name);
#include "plugins/shared/words/known_headers.h"
#undef GPO_KNOWN_HEADER
  }
};

const HeaderLists &header_lists() {
  static const HeaderLists *const lists = new HeaderLists;
  return *lists;
}

std::string builtins_name(int version) {
  const std::string major = std::to_string(version / 1000), minor = std::to_string(version % 1000 / 10);
#if defined(_WIN32)
  return "nvrtc-builtins64_" + major + minor + ".dll";
#else
  return "libnvrtc-builtins.so." + major + "." + minor;
#endif
}

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

template <typename Function>
std::string find_into(void *handle, Function *&function, const char *name) {
  function = reinterpret_cast<Function *>(find_symbol(handle, name));
  return function ? "" : std::string("it has no ") + name;
}

}  // namespace

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
  for (const std::string &function : functions)
    if (out.status == NVRTC_SUCCESS) out.status = table_.nvrtcAddNameExpression(program.handle, function.c_str());
  if (out.status == NVRTC_SUCCESS) {
    std::vector<std::string> options = compile_options(target);
    // Leaves out declarations that our kernels do not use (textures, printf), which saves 7 ms and changes no code;
    // hence it is not one of compile_options(), which are part of a kernel's key. Not every older NVRTC knows it.
    if (version_ >= kKnowsMinimal) options.push_back("--minimal");
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
  return out;
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
  const OpenedLibrary opened = search_library(Library::nvrtc, input, accept);
  if (!opened.handle) chosen.nvrtc = nullptr;
  chosen.tried = opened.tried;
  return chosen;
}

}  // namespace gpuopt::cuda
