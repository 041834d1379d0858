// plugins/cuda/plugin/device.cpp -- opening a device, its context, what its errors mean.
#include "plugins/cuda/plugin/device.h"

#include <cstdio>

#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/driver/os.h"
#include "plugins/cuda/memory/memory.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/cuda/program/program_cache.h"
#include "plugins/cuda/vendor/cublas.h"
#include "plugins/cuda/vendor/cufft.h"
#include "plugins/cuda/vendor/cusolver.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cuda {
namespace {

// Returns whether an error is sticky: the context is corrupt, and every further call returns the same error. CUDA's
// manual says so of each of these, except CUDA_ERROR_UNKNOWN, which the driver returns for a GPU that has fallen off
// the bus.
bool is_sticky(CUresult code) {
  switch (code) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

gpuopt_status status_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return GPUOPT_ERR_OUT_OF_MEMORY;
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return GPUOPT_ERR_UNSUPPORTED;
    default:
      return GPUOPT_ERR_INTERNAL;
  }
}

[[noreturn]] void fail_lost(const Device &device, const std::string &what) {
  fail(GPUOPT_ERR_DEVICE_LOST, GPUOPT_REASON_NONE, device.lost_by.load(),
       "cuda:%d is lost: %s; its arrays are gone, and this process cannot use it again", device.index, what.c_str());
}

// An assertion of a kernel is the kernel's fault, and yet the driver gives up the context.
[[noreturn]] void fail_asserted(const Device &device, const char *what) {
  fail(GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, CUDA_ERROR_ASSERT,
       "cuda:%d: %s: assertion failed in a kernel, which the driver has written to the standard error; the device is "
       "lost: its arrays are gone, and this process cannot use it again",
       device.index, what);
}

// Throws ERR_UNAVAILABLE for a call that fails while a device is being opened, since that is a reason not to use the
// backend.
void check_opening(int32_t index, CUresult code, const char *what) {
  if (code != CUDA_SUCCESS) fail_unusable(code, "cuda:" + std::to_string(index) + ": " + what);
}

int attribute(const Device &device, CUdevice_attribute which) {
  int value = 0;
  check_opening(device.index, driver().cuDeviceGetAttribute(&value, which, device.handle), "cuDeviceGetAttribute");
  return value;
}

// Asks the driver for the device's name, memory, capability and number of processors.
void learn(Device &device) {
  const Driver &cuda = driver();
  char name[128] = {};
  size_t bytes = 0;
  check_opening(device.index, cuda.cuDeviceGetName(name, sizeof name - 1, device.handle), "cuDeviceGetName");
  check_opening(device.index, cuda.cuDeviceTotalMem(&bytes, device.handle), "cuDeviceTotalMem");
  device.name = name;
  device.memory_bytes = bytes;
  device.capability = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                      attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device.processors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.managed = plugin::setting_is(Setting::GPUOPT_CUDA_MEMORY, "managed");
  // Without this the host may not touch managed memory while any kernel runs, whichever memory that uses.
  device.host_access = device.managed && attribute(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0;
  device.memory_pools = !device.managed && attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
}

}  // namespace

bool usable(const Device &device) noexcept {
  return !device.lost.load(std::memory_order_relaxed) && device.generation == fork_generation();
}

ContextScope::ContextScope(Device &device) {
  if (device.generation != fork_generation()) {
    fail(GPUOPT_ERR_FORKED, GPUOPT_REASON_FORKED, 0, "cuda:%d was opened before this process forked", device.index);
  }
  if (device.lost) fail_lost(device, error_name(device.lost_by));
  check(device, driver().cuCtxPushCurrent(device.context), "cuCtxPushCurrent");
}

ContextScope::~ContextScope() {
  CUcontext popped;
  driver().cuCtxPopCurrent(&popped);
}

void check(Device &device, CUresult code, const char *what, const std::string &rest) {
  if (code == CUDA_SUCCESS) return;
  if (is_sticky(code)) {
    device.lost_by = code;
    device.lost = true;
    if (code == CUDA_ERROR_ASSERT) fail_asserted(device, what);
    fail_lost(device, std::string(what) + ": " + error_text(code) + rest);
  }
  fail(status_of(code), GPUOPT_REASON_NONE, code, "cuda:%d: %s: %s%s", device.index, what, error_text(code).c_str(),
       rest.c_str());
}

}  // namespace gpuopt::cuda

namespace {
std::atomic<uint64_t> openings{0};
}

gpuopt_plugin_device::gpuopt_plugin_device()
    : serial(openings.fetch_add(1)),
      generation(gpuopt::cuda::fork_generation()),
      programs(std::make_unique<gpuopt::cuda::ProgramCache>()) {}

gpuopt_plugin_device::~gpuopt_plugin_device() {
  using namespace gpuopt::cuda;
  if (!context || !usable(*this)) return;  // nothing is left to release
  finish(*this, "device_close", [&] {
    transforms.reset();
    solver.reset();
    blas.reset();
    kernels.reset();
    pool.reset();
    return CUDA_SUCCESS;
  });
  driver().cuDevicePrimaryCtxRelease(handle);
}

namespace gpuopt::cuda::slots {
namespace {

constexpr int32_t kDlpackCuda = 2;

// What is special about the memory, in words.
const char *kind_of_memory(const Device &device) {
  if (device.managed) return device.host_access ? ", managed memory" : ", managed memory, not for the host";
  return device.memory_pools ? "" : ", no stream-ordered memory";
}

int64_t free_memory(Device &device) {
  size_t unused = 0, total = 0;
  check(device, driver().cuMemGetInfo(&unused, &total), "device_attribute");
  return static_cast<int64_t>(unused);
}

// What a GPUOPT_ATTRIBUTE_* is called by the driver.
struct AttributeName {
  int32_t ours;
  CUdevice_attribute theirs;
};
constexpr AttributeName kAttributes[] = {
    {GPUOPT_ATTRIBUTE_WARP_SIZE, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    {GPUOPT_ATTRIBUTE_L2_CACHE_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    {GPUOPT_ATTRIBUTE_CLOCK, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {GPUOPT_ATTRIBUTE_MEMORY_CLOCK, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
    {GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    {GPUOPT_ATTRIBUTE_PCI_BUS, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
    {GPUOPT_ATTRIBUTE_PCI_DEVICE, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
};

int64_t driver_attribute(Device &device, int32_t attribute) {
  for (const AttributeName &name : kAttributes) {
    if (name.ours != attribute) continue;
    int value = 0;
    check(device, driver().cuDeviceGetAttribute(&value, name.theirs, device.handle), "device_attribute");
    return value;
  }
  fail(GPUOPT_ERR_UNSUPPORTED, "cuda:%d: there is no attribute %d", device.index, attribute);
}

}  // namespace

gpuopt_status device_open(int32_t index, gpuopt_plugin_device **device, gpuopt_error *) {
  *device = nullptr;
  const Driver &cuda = driver();
  auto opened = std::make_unique<Device>();
  opened->index = index;
  check_opening(index, cuda.cuDeviceGet(&opened->handle, index), "cuDeviceGet");
  learn(*opened);
  check_opening(index, cuda.cuDevicePrimaryCtxRetain(&opened->context, opened->handle), "cuDevicePrimaryCtxRetain");
  {
    const ContextScope scope(*opened);
    opened->pool = std::make_unique<MemoryPool>(*opened);
    opened->kernels = std::make_unique<KernelStore>(*opened);
    opened->blas = std::make_unique<Cublas>(*opened);
    opened->solver = std::make_unique<Cusolver>(*opened);
    opened->transforms = std::make_unique<Cufft>(*opened);
  }
  *device = opened.release();
  return GPUOPT_OK;
}

void device_close(gpuopt_plugin_device *device) { delete device; }

gpuopt_status device_info(gpuopt_plugin_device *device, gpuopt_plugin_device_info *info, gpuopt_error *) {
  gpuopt_plugin_device_info filled{};
  filled.flags = GPUOPT_DEVICE_LOST_IN_FORK;
  if (device->host_access) filled.flags |= GPUOPT_DEVICE_MANAGED_MEMORY;
  std::snprintf(filled.name, sizeof filled.name, "%s", device->name.c_str());
  filled.memory_bytes = device->memory_bytes;
  filled.processors = device->processors;
  filled.dlpack_type = kDlpackCuda;
  filled.dlpack_id = device->index;
  const int version = driver().version;
  std::snprintf(filled.detail, sizeof filled.detail, "compute capability %d.%d, CUDA %d.%d%s", device->capability / 10,
                device->capability % 10, version / 1000, version % 1000 / 10, kind_of_memory(*device));
  give(filled, info);
  return GPUOPT_OK;
}

gpuopt_status device_attribute(gpuopt_plugin_device *device, int32_t attribute, int64_t *value, gpuopt_error *) {
  const ContextScope scope(*device);
  if (attribute == GPUOPT_ATTRIBUTE_MEMORY_FREE) {
    *value = free_memory(*device);
  } else if (attribute == GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY) {
    *value = device->capability;
  } else if (attribute == GPUOPT_ATTRIBUTE_DRIVER_VERSION) {
    *value = driver().version;
  } else {
    *value = driver_attribute(*device, attribute);
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda::slots
