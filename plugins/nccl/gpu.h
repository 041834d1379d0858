// plugins/nccl/gpu.h -- a device of CUDA's, as far as NCCL needs it: its primary context, and a stream of its own.
#pragma once

#include "plugins/nccl/nccl_types.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::nccl {

// The driver is the one that the CUDA backend has opened in this process; nothing is opened here.
class Gpu {
 public:
  // Takes the device of this number. Throws ERR_UNAVAILABLE if CUDA is not in use, and ERR_COMM if the driver fails.
  explicit Gpu(int ordinal);
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;
  ~Gpu();
  CUstream stream() const { return stream_; }
  // Returns whether all work of the stream is done. Throws ERR_COMM if it has failed.
  bool is_idle() const;

  // While one lives, the device's context is the thread's.
  class Current {
   public:
    explicit Current(const Gpu &gpu);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
  };

 private:
  void release() noexcept;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
};

}  // namespace gpuopt::nccl
