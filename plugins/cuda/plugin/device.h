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
}  // namespace gpuopt::cuda

struct gpuopt_plugin_device {
  const uint64_t serial;  // of the openings in this process: no other device object has or had it
  int32_t index = 0;
  CUdevice handle = 0;
  CUcontext context = nullptr;  // the primary context, retained for the life of the process
  std::string name;
  int capability = 0;  // compute capability, 90 for 9.0
  int processors = 0;
  uint64_t memory_bytes = 0;
  int generation = 0;             // of forks, at the opening: in a child of that process nothing works but freeing
  bool memory_pools = false;      // the driver has stream-ordered memory for this device
  std::atomic<bool> lost{false};  // a sticky error came: nothing works any more but freeing
  std::atomic<CUresult> lost_by{CUDA_SUCCESS};  // that error
  std::unique_ptr<gpuopt::cuda::MemoryPool> pool;
  std::unique_ptr<gpuopt::cuda::KernelStore> kernels;
  const std::unique_ptr<gpuopt::cuda::ProgramCache> programs;  // host memory only; refers to kernels
  std::unique_ptr<gpuopt::cuda::Cublas> blas;

  gpuopt_plugin_device();
  ~gpuopt_plugin_device();  // gives the context back if it is still usable
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

// Whether the driver can still be called for this device: not if it is lost, nor in a child of the process that opened
// it. For what must not fail: freeing.
bool usable(const Device &device) noexcept;

// Throws what a driver call's failure means: OUT_OF_MEMORY (2), DEVICE_LOST for sticky errors (which also sets
// device.lost), UNSUPPORTED for what this device or driver cannot do, else INTERNAL; the message names the device and
// CUDA's own words. `what` is the call or the operation it was for, `rest` is put at the end.
void check(Device &device, CUresult code, const char *what, const std::string &rest = {});

// For what cannot fail: calls `end`, which gives something back and returns a CUresult, with the context current, if
// the driver can still be called for the device; a context that does not become current is asked for twice. An error
// marks a device as lost as in check() and is logged for debugging: whoever uses the device next is told.
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
