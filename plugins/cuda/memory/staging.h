// plugins/cuda/memory/staging.h -- pinned memory: that of host arrays, and the buffers through which pageable memory is
// copied.
#pragma once

#include "plugins/cuda/memory/stream.h"

namespace gpuopt::cuda {

// Returns whether a range lies within one block that host_allocate() returned. Safe from any thread.
bool is_pinned(const void *memory, uint64_t bytes) noexcept;

// A ring of pinned buffers of one stream. While the device copies one, the host fills or empties another. Used by one
// thread at a time, with the context current. All functions throw as check() does, and may not be called again after
// that.
class Staging {
 public:
  static constexpr int kSlots = 4;
  static constexpr uint64_t kSlotBytes = uint64_t{1} << 20;

  // Throws ERR_OUT_OF_MEMORY if there is no pinned memory.
  Staging(Device &device, Stream &stream);
  // Waits for copies in flight.
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  // Copies host memory to the device, in stream order. Returns when the last byte of `from` has been read; the copy
  // itself may still go on.
  void upload(CUdeviceptr to, const void *from, uint64_t bytes);
  // Copies device memory to the host, in stream order. Returns when the last byte has been written to `to`.
  void download(void *to, CUdeviceptr from, uint64_t bytes);

 private:
  struct Slot {
    char *memory = nullptr;
    CUevent done = nullptr;  // recorded after the copy from or to it
  };

  void release() noexcept;
  void await(Slot &slot);

  Device &device_;
  Stream &stream_;
  char *memory_ = nullptr;
  Slot slots_[kSlots];
};

}  // namespace gpuopt::cuda
