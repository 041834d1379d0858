// plugins/cpu/jit_compiler.cpp -- see jit_compiler.h.
#include "plugins/cpu/jit_compiler.h"

#include <gpuopt/dlopen_note.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>

#include "plugins/cpu/host.h"
#include "plugins/cpu/jit_helper.h"
#include "plugins/cpu/os.h"
#include "plugins/jit/jit_build.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

#if defined(_WIN32)
constexpr const char *kFile = "gpuopt_jit.dll";
#else
constexpr const char *kFile = "libgpuopt_jit.so";
#endif
constexpr const char *kHelper = "gpuopt-jit-helper";
constexpr uint32_t kSeconds = 300;
GPUOPT_DLOPEN_NOTE(jit, "jit", "Compiles hot programs, and kernels given as text", "recommended",
                   "\"libgpuopt_jit.so\"");

std::string wish(const char *name) {
  const char *const text = setting(name);
  return text ? text : "";
}

uint32_t seconds_allowed() {
  const std::string text = wish("GPUOPT_JIT_TIMEOUT");
  uint32_t seconds = kSeconds;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || (error == std::errc() && end == text.data() + text.size() && seconds < 1u << 30)) return seconds;
  warn_once("cpu.bad_setting", "GPUOPT_JIT_TIMEOUT",
            ("GPUOPT_JIT_TIMEOUT is not a number of seconds: " + text).c_str());
  return kSeconds;
}

// One of the two, or neither and why.
struct Compiler {
  std::unique_ptr<const JitHelpers> helpers;
  const gpuopt_jit_api *api = nullptr;
  std::string problem, description, helper_problem;
};

// Whether the question of helpers is settled: they are there, or the library would be of no use in this process either.
bool start_helpers(const std::string &file, Compiler *made) {
  const std::string isolation = wish("GPUOPT_JIT_ISOLATION");
  if (isolation == "off") return false;
  if (!isolation.empty() && isolation != "process")
    warn_once("cpu.bad_setting", "GPUOPT_JIT_ISOLATION",
              ("GPUOPT_JIT_ISOLATION is not process or off: " + isolation).c_str());
  try {
    made->helpers = std::make_unique<JitHelpers>(std::filesystem::path(file).replace_filename(kHelper).string(), file);
    made->description = made->helpers->compiler() + " (" + file + ", in a process of its own)";
    return true;
  } catch (const NoHelper &why) {
    made->helper_problem = std::string("kernels are compiled in this process, there is no other: ") + why.what();
    return false;
  } catch (const plugin::Failure &failure) {
    made->problem = failure.message;
    return true;
  }
}

Compiler open_compiler() {
  Compiler made;
  std::string file = wish("GPUOPT_JIT");
  if (file.empty()) file = own_directory() + "/jit/" + kFile;
  std::error_code error;
  if (!std::filesystem::path(file).is_absolute()) {
    made.problem = "GPUOPT_JIT is not the absolute path of a file: " + file;
  } else if (!std::filesystem::exists(file, error)) {
    made.problem = file + " is not installed";
  }
  if (!made.problem.empty() || start_helpers(file, &made)) return made;
  void *const library = open_library(file.c_str());
  const auto query =
      library ? reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(find_symbol(library, "gpuopt_jit_query"))
              : nullptr;
  made.api = query ? query(jit_build()) : nullptr;
  if (made.api) made.description = std::string(made.api->compiler) + " (" + file + ")";
  if (!made.api) made.problem = file + (library ? " is of another build than this CPU backend" : " cannot be loaded");
  return made;
}

void tell(const Compiler &opened) {
  if (!opened.description.empty()) log(GPUOPT_LOG_INFO, "cpu.jit", opened.description.c_str());
  if (opened.helper_problem.empty()) return;
  if (wish("GPUOPT_JIT_ISOLATION") == "process") {
    warn_once("cpu.jit_isolation", "GPUOPT_JIT_ISOLATION", opened.helper_problem.c_str());
  } else {
    log(GPUOPT_LOG_INFO, "cpu.jit_isolation", opened.helper_problem.c_str());
  }
}

// Threads that need it first at the same time all open it, and one is taken: a lock would be held for ever in a child
// of fork() that another thread opens it meanwhile. Never destroyed.
const Compiler &compiler() {
  static std::atomic<const Compiler *> opened{nullptr};
  if (const Compiler *const known = opened.load(std::memory_order_acquire)) return *known;
  auto mine = std::make_unique<const Compiler>(open_compiler());
  const Compiler *other = nullptr;
  if (!opened.compare_exchange_strong(other, mine.get(), std::memory_order_acq_rel)) return *other;
  tell(*mine);
  return *mine.release();
}

std::string compile_here(const gpuopt_jit_api &api, const gpuopt_jit_source &source) {
  const std::unique_ptr<gpuopt_jit_result, void (*)(gpuopt_jit_result *)> result(api.compile(&source), api.release);
  if (!result) throw std::bad_alloc();
  if (!result->object_bytes) throw plugin::Failure{GPUOPT_ERR_COMPILE, GPUOPT_REASON_NONE, 0, result->log};
  return {result->object, result->object_bytes};
}

}  // namespace

std::string compile_source(const gpuopt_jit_source &source) {
  const Compiler &with = compiler();
  if (with.helpers) return with.helpers->compile(source, seconds_allowed());
  if (with.api) return compile_here(*with.api, source);
  throw plugin::Failure{GPUOPT_ERR_JIT_UNAVAILABLE, GPUOPT_REASON_NONE, 0,
                        "no compiler of kernels for the CPU: " + with.problem};
}

}  // namespace gpuopt::cpu
