// plugins/cpu/code/jit.cpp -- see jit.h. Code from a bundle or the cache does not load the compiler.
#include "plugins/cpu/code/jit.h"

#include <cstring>
#include <optional>

#include "plugins/cpu/code/jit_compiler.h"
#include "plugins/cpu/kernel/kernel_launch.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/jit/api/jit.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/shared/cache/cache.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/entry.h"
#include "plugins/shared/host/kernel_next.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cpu {
namespace {

using plugin::DiskCache;

constexpr const char *kFormat = "host kernel 2";

enum class Policy { on, cache_only, off };  // the words of the setting, in their order

Policy policy() { return static_cast<Policy>(plugin::setting_word(Setting::GPUOPT_JIT_POLICY).value_or(0)); }

[[noreturn]] void unavailable(const std::string &why) {
  throw plugin::Failure{GPUOPT_ERR_JIT_UNAVAILABLE, GPUOPT_REASON_NONE, 0, why};
}

#if defined(__x86_64__)
constexpr int kLevels[] = {2, 3, 4};
#else
constexpr int kLevels[] = {0};
#endif
const char *processor_of([[maybe_unused]] int level) {
#if defined(__x86_64__)
  return level >= 4 ? "x86-64-v4" : level == 3 ? "x86-64-v3" : "x86-64-v2";
#else
  return "generic";
#endif
}

// The flags GPUOPT_JIT_* for a kind of kernel. There is a setting for coroutines so that tests can compare them with
// loops.
uint32_t flags_of(uint32_t kind) {
  if (kind & GPUOPT_KERNEL_FUNCTION) return GPUOPT_JIT_FUNCTION;
  if (!(kind & GPUOPT_KERNEL_RAW)) return 0;
  if (plugin::setting_is(Setting::GPUOPT_CPU_CHECK, "1"))
    return GPUOPT_JIT_RAW | GPUOPT_JIT_COROUTINES | GPUOPT_JIT_CHECK;
  return GPUOPT_JIT_RAW | (plugin::setting_is(Setting::GPUOPT_CPU_FISSION, "0") ? GPUOPT_JIT_COROUTINES : 0);
}

DiskCache &cache() {
  static auto *const kept = new DiskCache(plugin::cache_directory(), DiskCache::Use::own, plugin::cache_max_bytes());
  return *kept;
}

// The key contains the release and the build, as another one may compile the same text to other code.
plugin::Bundles &bundles() {
  static auto *const kept = new plugin::Bundles("cpu", std::string(plugin::kVersion) + " " + jit_build());
  return *kept;
}

DiskCache::Key key_of(const std::string &name, const std::string &code, uint32_t flags, int level) {
  plugin::Sha256 hash;
  for (const std::string &field : {std::string(kFormat), std::string(jit_build()), std::string(processor_of(level)),
                                   std::to_string(flags), name, code})
    hash.field(field);
  return hash.finish();
}

std::string compiled(const std::string &name, const std::string &code, uint32_t flags, int level,
                     const Stopped &stopped, Urgency urgency = Urgency::kAwaited) {
  if (policy() == Policy::cache_only)
    unavailable("it is in no bundle and no cache, and GPUOPT_JIT_POLICY is cache_only");
  return compile_source({flags, name.c_str(), code.c_str(), processor_of(level), level >= 4 ? 512 : 0}, stopped,
                        urgency);
}

std::unique_ptr<ObjectCode> find_or_compile(const std::string &name, const std::string &code, uint32_t kind, int level,
                                            Variables *variables, const Stopped &stopped, Urgency urgency) try {
  if (policy() == Policy::off) unavailable("GPUOPT_JIT_POLICY is off");
  const uint32_t flags = flags_of(kind);
  const DiskCache::Key key = key_of(name, code, flags, level);
  if (const auto kept = bundles().find(key)) return std::make_unique<ObjectCode>(*kept, kernel_symbol, variables);
  if (const std::optional<std::string> kept = cache().load(key))
    return std::make_unique<ObjectCode>(*kept, kernel_symbol, variables);
  const std::string object = compiled(name, code, flags, level, stopped, urgency);
  auto made = std::make_unique<ObjectCode>(object, kernel_symbol, variables);
  cache().store(key, object);
  return made;
} catch (const NoNewCode &refusal) {
  unavailable(refusal.what());
}

}  // namespace

std::unique_ptr<ObjectCode> compile_kernel(const std::string &name, const std::string &code, uint32_t kind, int level,
                                           Variables *variables, const Stopped &stopped) {
  return find_or_compile(name, code, kind, level, variables, stopped, Urgency::kAwaited);
}

std::unique_ptr<ObjectCode> compile_program(const std::string &name, const std::string &code, int level,
                                            const Stopped &stopped, Urgency urgency) {
  return find_or_compile(name, code, 0, level, nullptr, stopped, urgency);
}

void build_bundle(const gpuopt_kernel_source &source, const plugin::BundleSink &sink) {
  if (policy() == Policy::off) unavailable("GPUOPT_JIT_POLICY is off");
  const uint32_t flags = flags_of(source.flags);
  sink(plugin::source_piece(source.name, source.code));
  for (const int level : kLevels) {
    const DiskCache::Key key = key_of(source.name, source.code, flags, level);
    const std::string object =
        compiled(source.name, source.code, flags, level, [&source] { return plugin::is_stopped(source); });
    sink(bundles().piece(processor_of(level), source.name, key, object));
  }
}

void load_bundle(std::string_view pieces) { bundles().add(pieces); }

std::unique_ptr<ObjectCode> cached_kernel(const std::string &name, const std::string &code, int level) try {
  if (policy() == Policy::off) return nullptr;
  const std::optional<std::string> kept = cache().load(key_of(name, code, flags_of(0), level));
  return kept ? std::make_unique<ObjectCode>(*kept, kernel_symbol) : nullptr;
} catch (const NoNewCode &) {
  return nullptr;
}

}  // namespace gpuopt::cpu
