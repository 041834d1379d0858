// plugins/cuda/plugin/device.h -- a device that is open: its context, what is known about it, its memory and kernels.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <string>

#include "plugins/cuda/driver/driver.h"

namespace gpuopt::cuda {
class MemoryPool;    // memory.h
class KernelStore;   // kernel_store.h
class ProgramCache;  // program_cache.h
class Cublas;        // cublas.h
class Cusolver;      // cusolver.h
class Cufft;         // cufft.h
}  // namespace gpuopt::cuda

struct gpuopt_plugin_device {
  const uint64_t serial;  // the number of this opening: no other device object of this process has or had it
  int32_t index = 0;
  CUdevice handle = 0;
  CUcontext context = nullptr;  // the primary context, retained until this object is destroyed
  std::string name;
  int capability = 0;  // compute capability, 90 for 9.0
  int processors = 0;
  uint64_t memory_bytes = 0;
  int generation = 0;             // fork_generation() at the opening; a child process can only free, which does nothing
  bool managed = false;           // arrays lie in managed memory
  bool host_access = false;       // and the host may use it in place
  bool memory_pools = false;      // the driver has stream-ordered memory for this device, which arrays lie in
  std::atomic<bool> lost{false};  // after a sticky error: freeing does nothing, all else fails
  std::atomic<CUresult> lost_by{CUDA_SUCCESS};  // the sticky error
  std::unique_ptr<gpuopt::cuda::MemoryPool> pool;
  std::unique_ptr<gpuopt::cuda::KernelStore> kernels;
  const std::unique_ptr<gpuopt::cuda::ProgramCache> programs;  // in host memory only; refers to `kernels`
  std::unique_ptr<gpuopt::cuda::Cublas> blas;
  std::unique_ptr<gpuopt::cuda::Cusolver> solver;
  std::unique_ptr<gpuopt::cuda::Cufft> transforms;

  gpuopt_plugin_device();
  ~gpuopt_plugin_device();  // releases the context if usable() is true
};

namespace gpuopt::cuda {

using Device = gpuopt_plugin_device;

// Makes the device's context current for the calling thread and the life of this object, whatever the application has
// current. Throws ERR_DEVICE_LOST on a lost device and ERR_FORKED in a child of the process that opened it.
class ContextScope {
 public:
  explicit ContextScope(Device &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
};

// Returns whether the driver can still be called for this device, which it cannot if the device is lost, or in a child
// of the process that opened it. Freeing, which must not fail, asks this.
bool usable(const Device &device) noexcept;

// Throws the Failure that an error of the driver means; does nothing for CUDA_SUCCESS. Its status is OUT_OF_MEMORY for
// that error, DEVICE_LOST for sticky errors (which also sets device.lost), UNSUPPORTED for what this device or driver
// cannot do, else INTERNAL. The message names the device, `what` (the call, or the operation for which it was made) and
// CUDA's own description, and ends with `rest`.
void check(Device &device, CUresult code, const char *what, const std::string &rest = {});

// Releases something, where no error can be reported: calls `end`, which returns a CUresult, with the context current,
// if usable() is true. If the context does not become current, tries once more. An error is logged at debug level and,
// if it is sticky, marks the device as lost, so that whoever uses the device next is told.
template <typename End>
void finish(Device &device, const char *what, End &&end) noexcept {
  bool ended = false;
  for (int attempt = 0; attempt < 2 && !ended && usable(device); attempt++) {
    try {
      const ContextScope scope(device);
      ended = true;
      check(device, end(), what);
    } catch (const Failure &failure) {
      log(GPUOPT_LOG_DEBUG, "cuda.finish", failure.message.c_str());
    } catch (const std::bad_alloc &) {
      log(GPUOPT_LOG_DEBUG, "cuda.finish", "no memory");
    }
  }
}

}  // namespace gpuopt::cuda
