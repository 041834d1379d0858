// tools/compiler.cpp -- see compiler.h.
#include "tools/compiler.h"

#include <cstdlib>

#include "tools/devices.h"
#include "tools/settings.h"

namespace gpuopt::tools {
namespace {

// Returns the value of a setting, `otherwise` if it is unset or invalid, as the library does.
std::string followed(const char *name, const char *otherwise) {
  const char *const value = std::getenv(name);
  if (!value || !*value) return otherwise;
  for (const BadSetting &bad : bad_settings())
    if (bad.name == name) return otherwise;
  return value;
}

// Compiles a kernel that has an error on purpose. Returns ERR_COMPILE if there is a compiler.
gpuopt_status try_to_compile(gpuopt_device cpu, gpuopt_error *error) {
  gpuopt_kernel kernel = nullptr;
  gpuopt_status status = gpuopt_raw_kernel("#error this text is for finding out whether there is a compiler\n",
                                           "is_there_a_compiler", &kernel, error);
  gpuopt_kernel_attributes attributes = GPUOPT_KERNEL_ATTRIBUTES_INIT;
  if (status == GPUOPT_OK) status = gpuopt_raw_kernel_attributes(kernel, cpu, &attributes, error);
  gpuopt_kernel_release(kernel);
  return status;
}

}  // namespace

LibraryRecords::LibraryRecords() {
  set_environment("GPUOPT_LOG", "info");
  gpuopt_log_set_callback(
      [](const gpuopt_log_record *record, void *user) {
        LibraryRecords *self = static_cast<LibraryRecords *>(user);
        const std::lock_guard lock(self->mutex_);
        self->texts_[record->event] = record->detail;
      },
      this);
}

LibraryRecords::~LibraryRecords() { keep_log_quiet(); }

std::string LibraryRecords::of(const char *event) {
  const std::lock_guard lock(mutex_);
  return texts_[event];
}

CompilerFacts look_at_compiler() {
  CompilerFacts facts;
  facts.policy = followed("GPUOPT_JIT_POLICY", "on");
  facts.tier_up = followed("GPUOPT_CPU_TIER_UP", "on");
  if (facts.policy != "on") set_environment("GPUOPT_JIT_POLICY", "on");  // lets it compile this once
  const Outcome cpu = open_required("cpu");
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = cpu.device ? try_to_compile(cpu.device, &error) : cpu.status;
  if (facts.policy != "on") set_environment("GPUOPT_JIT_POLICY", facts.policy.c_str());
  facts.works = status == GPUOPT_ERR_COMPILE || status == GPUOPT_OK;
  if (!facts.works) facts.problem = cpu.device ? error.message : cpu.message;
  constexpr std::string_view prefix = "is_there_a_compiler: ";  // the kernel's name, not part of the problem
  if (facts.problem.rfind(prefix, 0) == 0) facts.problem.erase(0, prefix.size());
  return facts;
}

}  // namespace gpuopt::tools
