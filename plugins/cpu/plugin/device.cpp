// plugins/cpu/plugin/device.cpp -- the slots of the only device of this backend: probing, its description, memory.
#include <cstdio>
#include <string>

#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/program/tier_choice.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"

// The device has no state of its own: the allocator and the thread pool belong to the process.
struct gpuopt_plugin_device {
  int32_t index;
};

namespace gpuopt::cpu::slots {
namespace {

constexpr int32_t kDlpackCpu = 1;
gpuopt_plugin_device the_device{0};

std::string instruction_set() {
#if defined(__x86_64__)
  return "x86-64-v" + std::to_string(isa_level());
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "portable code";
#endif
}

// Returns the text of the device's detail field. It names the BLAS only once that is in use, so that asking does not
// load one.
std::string facts() {
  const std::string blas = blas_name();
  return blas.empty() ? instruction_set() : instruction_set() + ", " + blas;
}

}  // namespace

gpuopt_status probe(gpuopt_plugin_probe *probe, gpuopt_error *) {
  if (isa_level() == 0) {
    throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_ARCH_UNSUPPORTED, 0,
                          processor_name() + " lacks SSE4.2 or POPCNT; the cpu backend needs x86-64-v2"};
  }
  gpuopt_plugin_probe found{};
  found.device_count = 1;
  found.hardware_present = 1;
  give(found, probe);
  return GPUOPT_OK;
}

gpuopt_status device_open(int32_t index, gpuopt_plugin_device **device, gpuopt_error *) {
  *device = nullptr;
  if (index != 0) {
    fail(GPUOPT_ERR_INDEX, "there is no cpu:%d; the only device is cpu:0", index);
  }
  *device = &the_device;
  return GPUOPT_OK;
}

void device_close(gpuopt_plugin_device *) {}

gpuopt_status device_info(gpuopt_plugin_device *device, gpuopt_plugin_device_info *info, gpuopt_error *) {
  gpuopt_plugin_device_info filled{};
  filled.flags = GPUOPT_DEVICE_HOST_MEMORY | GPUOPT_DEVICE_SYNCHRONOUS;
  std::snprintf(filled.name, sizeof(filled.name), "%s", processor_name().c_str());
  filled.memory_bytes = usable_memory();
  filled.processors = pool_size();
  filled.dlpack_type = kDlpackCpu;
  filled.dlpack_id = device->index;
  std::snprintf(filled.detail, sizeof(filled.detail), "%s", facts().c_str());
  give(filled, info);
  return GPUOPT_OK;
}

gpuopt_status device_attribute(gpuopt_plugin_device *, int32_t attribute, int64_t *value, gpuopt_error *) {
  switch (attribute) {
    case GPUOPT_ATTRIBUTE_MEMORY_FREE:
      *value = static_cast<int64_t>(available_memory());
      return GPUOPT_OK;
    case GPUOPT_ATTRIBUTE_COMPILED_KEPT:
      *value = tier_counts().compiled.load(std::memory_order_relaxed);
      return GPUOPT_OK;
    case GPUOPT_ATTRIBUTE_INTERPRETER_KEPT:
      *value = tier_counts().interpreted.load(std::memory_order_relaxed);
      return GPUOPT_OK;
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "cpu:0: there is no attribute %d of a CPU", attribute);
  }
}

gpuopt_status memory_allocate(gpuopt_plugin_device *, gpuopt_plugin_stream *, uint64_t bytes, void **memory,
                              gpuopt_error *) {
  *memory = Allocator::get().allocate(bytes);
  if (!*memory) fail_out_of_memory(bytes);
  return GPUOPT_OK;
}

void memory_free(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *memory, uint64_t bytes) {
  Allocator::get().free(memory, bytes);
}

gpuopt_status memory_stats(gpuopt_plugin_device *, gpuopt_memory_stats *stats, gpuopt_error *) {
  Allocator::get().stats(stats);
  return GPUOPT_OK;
}

gpuopt_status memory_set_limit(gpuopt_plugin_device *, uint64_t bytes, gpuopt_error *) {
  Allocator::get().set_limit(bytes);
  return GPUOPT_OK;
}

gpuopt_status memory_trim(gpuopt_plugin_device *, gpuopt_error *) {
  Allocator::get().trim();
  return GPUOPT_OK;
}

// Pinned memory has no advantage here, so host memory is that of the allocator.
gpuopt_status host_allocate(gpuopt_plugin_device *, uint64_t bytes, void **memory, gpuopt_error *) {
  *memory = Allocator::get().allocate(bytes);
  if (!*memory) fail_out_of_memory(bytes);
  return GPUOPT_OK;
}

void host_free(gpuopt_plugin_device *, void *memory, uint64_t bytes) { Allocator::get().free(memory, bytes); }

}  // namespace gpuopt::cpu::slots
