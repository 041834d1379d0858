// plugins/cpu/code/jit_compiler.cpp -- see jit_compiler.h.
#include "plugins/cpu/code/jit_compiler.h"

#include <gpuopt/dlopen_note.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>

#include "plugins/cpu/code/jit_helper.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::cpu {
namespace {

#if defined(_WIN32)
constexpr const char *kFile = "gpuopt_jit.dll";
#else
constexpr const char *kFile = "libgpuopt_jit.so";
#endif
constexpr const char *kHelper = "gpuopt-jit-helper";
GPUOPT_DLOPEN_NOTE(jit, "jit", "Compiles hot programs, and kernels given as text", "recommended",
                   "\"libgpuopt_jit.so\"");

uint32_t seconds_allowed() {
  return static_cast<uint32_t>(plugin::setting_number_or_fallback(Setting::GPUOPT_JIT_TIMEOUT));
}

constexpr const char *kOtherBuild = " is of another build than this CPU backend; install both from the same release";

// The helpers or the library's table; if there is neither, `problem` says why.
struct Compiler {
  std::unique_ptr<const JitHelpers> helpers;
  const gpuopt_jit_api *api = nullptr;
  std::string problem, description, helper_problem;
  const Compiler *parents = nullptr;  // what abandon_compiler() replaced, which is kept reachable for leak checkers
};

// A file that the user names is checked as plugins are. One beside this backend belongs to its own package.
trusted::Check check_of(bool wished) { return wished ? trusted::Check::kAll : trusted::Check::kKind; }

// The path of the helper, which is beside the compiler's library.
std::string helper_beside(const std::string &library) {
  const std::string helper = std::filesystem::path(library).replace_filename(kHelper).string();
  const trusted::File found(helper, check_of(plugin::is_set(Setting::GPUOPT_JIT)));
  if (!found.opened()) throw NoHelper(helper + ": " + found.problem);
  return helper;
}

// Starts helpers. False if the library is to be used in this process instead; true if helpers were started, or if the
// library cannot be used at all.
bool start_helpers(const std::string &file, Compiler *made) {
  if (plugin::setting_is(Setting::GPUOPT_JIT_ISOLATION, "off")) return false;
  try {
    made->helpers = std::make_unique<JitHelpers>(helper_beside(file), file);
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

// Says why the compiler's library cannot be opened, and the cure; empty if it can.
std::string file_problem(const std::string &file, bool wished) {
  if (!std::filesystem::path(file).is_absolute()) return "GPUOPT_JIT is not the absolute path of a file: " + file;
  const trusted::File found(file, check_of(wished));
  if (found.opened()) return {};
  if (wished) return "GPUOPT_JIT names " + file + ": " + found.problem;
  if (found.outcome != trusted::Outcome::kMissing) return file + ": " + found.problem;
  return "install the package gpuopt-plugin-jit (" + file + " is not installed), or name the file in GPUOPT_JIT";
}

Compiler open_compiler() {
  Compiler made;
  const std::string wished = plugin::setting_text(Setting::GPUOPT_JIT),
                    file = wished.empty() ? own_directory() + "/jit/" + kFile : wished;
  made.problem = file_problem(file, !wished.empty());
  if (!made.problem.empty() || start_helpers(file, &made)) return made;
  void *const library = open_library(file.c_str());
  const auto query =
      library ? reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(find_symbol(library, "gpuopt_jit_query"))
              : nullptr;
  made.api = query ? query(jit_build()) : nullptr;
  if (made.api) made.description = std::string(made.api->compiler) + " (" + file + ")";
  if (!made.api) made.problem = file + (library ? kOtherBuild : " cannot be loaded");
  return made;
}

void tell(const Compiler &opened) {
  if (!opened.description.empty()) log(GPUOPT_LOG_INFO, "cpu.jit", opened.description.c_str());
  if (opened.helper_problem.empty()) return;
  if (plugin::setting_text(Setting::GPUOPT_JIT_ISOLATION) == "process") {
    warn_once("cpu.jit_isolation", name_of(Setting::GPUOPT_JIT_ISOLATION), opened.helper_problem.c_str());
  } else {
    log(GPUOPT_LOG_INFO, "cpu.jit_isolation", opened.helper_problem.c_str());
  }
}

std::atomic<const Compiler *> opened{nullptr};

// Several threads may open the compiler at the same time, and one result is kept. It is never destroyed.
const Compiler &compiler() {
  if (const Compiler *const known = opened.load(std::memory_order_acquire)) return *known;
  auto mine = std::make_unique<const Compiler>(open_compiler());
  const Compiler *other = nullptr;
  if (!opened.compare_exchange_strong(other, mine.get(), std::memory_order_acq_rel)) return *other;
  tell(*mine);
  return *mine.release();
}

std::string compile_here(const gpuopt_jit_api &api, const gpuopt_jit_source &source, JitWatch &watch) {
  const gpuopt_jit_watch asked{[](void *of) -> int32_t { return static_cast<JitWatch *>(of)->is_over(); }, &watch};
  const std::unique_ptr<gpuopt_jit_result, void (*)(gpuopt_jit_result *)> result(api.compile(&source, &asked),
                                                                                 api.release);
  if (!result) throw std::bad_alloc();
  if (result->stopped) watch.refuse();
  if (!result->object_bytes) throw plugin::Failure{GPUOPT_ERR_COMPILE, GPUOPT_REASON_NONE, 0, result->log};
  return {result->object, result->object_bytes};
}

}  // namespace

void abandon_compiler() noexcept try {
  const Compiler *const parents = opened.load();
  if (parents && parents->helpers) return;  // they compile in other processes, and the child starts its own
  auto *const none = new Compiler;
  none->parents = parents;
  none->problem = "this process was forked while its compiler was at work";
  opened.store(none);
} catch (const std::bad_alloc &) {  // without memory the child cannot compile, either
}

std::string compile_source(const gpuopt_jit_source &source, const Stopped &stopped, Urgency urgency) {
  const Compiler &with = compiler();
  const uint32_t seconds = seconds_allowed();
  JitWatch watch(source.name, seconds, stopped);
  if (watch.is_over()) watch.refuse();  // cancelled while the thread waited for another one
  if (with.helpers) return with.helpers->compile(source, seconds, watch, urgency);
  if (urgency != Urgency::kAwaited) lower_priority();
  if (with.api) return compile_here(*with.api, source, watch);
  throw plugin::Failure{GPUOPT_ERR_JIT_UNAVAILABLE, GPUOPT_REASON_NONE, 0,
                        "no compiler of kernels for the CPU: " + with.problem};
}

}  // namespace gpuopt::cpu
