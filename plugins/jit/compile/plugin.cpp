// plugins/jit/compile/plugin.cpp -- the exported function and its table.
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "plugins/jit/analysis/stop.h"
#include "plugins/jit/api/jit.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/jit/compile/compiler.h"
#include "plugins/jit/compile/fatal.h"
#include "plugins/jit/compile/launch_text.h"
#include "plugins/jit/compile/ptx.h"
#include "plugins/jit/lower/launches.h"

namespace gpuopt::jit {
namespace {

struct Owner : gpuopt_jit_result {
  Result result;
};

// What a text has to include, and to define, for the kernels that it launches.
std::string before_launches(const gpuopt_jit_source &source, bool launches) {
  if (!(source.flags & GPUOPT_JIT_RAW) || !(launches || std::strstr(source.code, "cuda"))) return "";
  std::string text = "#include \"plugins/jit/text/launches.h\"\n";
  if (launches)
    text += "#undef GPO_GLOBAL\n#define GPO_GLOBAL __attribute__((__annotate__(\"" + std::string(kGlobal) + "\")))\n";
  return text;
}

std::string text_of(const gpuopt_jit_source &source) {
  const std::string code = source.flags & GPUOPT_JIT_RAW ? parsable_launches(source.code) : source.code;
  std::string text = "#include \"plugins/jit/text/launch.h\"\n";
  if (source.flags & GPUOPT_JIT_RAW) text += "#include \"plugins/jit/text/thread.h\"\n";
  text += "#include \"plugins/jit/text/host_calls.h\"\n" + before_launches(source, code != source.code);
  // 16-bit floats have atomics of their own, by atomicCAS, and what async.h has counts by atomics.
  for (const char *user : {"atomic", "half", "bfloat16", "barrier", "latch", "semaphore", "pipeline", "memcpy_async",
                           "aligned_size_t", "block_tile_memory"}) {
    if (std::strstr(source.code, user)) text += "#include \"plugins/jit/text/atomics.h\"\n";
  }
  if (!(source.flags & GPUOPT_JIT_FUNCTION)) text += "#include \"plugins/jit/text/entry.h\"\n";
  text += "#line 1 \"gpuopt\"\n" + code;
  if (source.flags & GPUOPT_JIT_FUNCTION) return text;
  return text + "\n#line 1 \"entry\"\nGPUOPT_ENTRY(" + source.name + ")\n";
}

// Returns what `compile` does. Its failures are messages.
template <class Compile>
Result guarded(bool *broken, Compile compile) {
  try {
    return without_fatal_errors(compile, broken);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &failure) {
    return {"", failure.what(), false, ""};
  }
}

Result compiled(const gpuopt_jit_source &source) {
  return compile({text_of(source), source.processor, source.vector_bits, (source.flags & GPUOPT_JIT_RAW) != 0,
                  !(source.flags & GPUOPT_JIT_COROUTINES), (source.flags & GPUOPT_JIT_CHECK) != 0});
}

Result compiled(const gpuopt_jit_ptx_source &source) { return compile_ptx(source); }

template <class AnySource>
gpuopt_jit_result *compile_source(const AnySource *source, const gpuopt_jit_watch *watch) {
  try {
    const WatchScope scope(watch);
    auto owner = std::make_unique<Owner>();
    bool broken = false;
    owner->result = guarded(&broken, [source] { return compiled(*source); });
    owner->broken = broken;
    owner->stopped = owner->result.stopped;
    owner->object = owner->result.object.data();
    owner->object_bytes = owner->result.object.size();
    owner->log = owner->result.log.c_str();
    owner->symbols = owner->result.symbols.c_str();
    return owner.release();
  } catch (...) {
    return nullptr;
  }
}

void release_result(gpuopt_jit_result *result) { delete static_cast<Owner *>(result); }

}  // namespace
}  // namespace gpuopt::jit

// Replaces the C library's function within this plugin, so that static objects, LLVM's and Clang's among them, are
// never destroyed. A backend may still be compiling in the background when main() returns and exit() destroys static
// objects. NOLINTNEXTLINE(bugprone-reserved-identifier): the function is replaced by its name
extern "C" int __cxa_atexit(void (*)(void *), void *, void *) noexcept { return 0; }

extern "C" __attribute__((visibility("default"))) const gpuopt_jit_api *gpuopt_jit_query(const char *build) {
  if (std::strcmp(build, gpuopt::jit_build()) != 0) return nullptr;
  static const std::string compiler = gpuopt::jit::compiler_name();
  static const gpuopt_jit_api api = {compiler.c_str(), gpuopt::jit::compile_source<gpuopt_jit_source>,
                                     gpuopt::jit::release_result, gpuopt::jit::compile_source<gpuopt_jit_ptx_source>};
  return &api;
}
