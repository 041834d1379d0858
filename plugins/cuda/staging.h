// plugins/cuda/staging.h -- pinned memory: of arrays of the host, and the buffers through which pageable memory passes.
#pragma once

#include "plugins/cuda/stream.h"

namespace gpuopt::cuda {

// Whether the range lies in memory that host_allocate gave. Any thread.
bool is_pinned(const void *memory, uint64_t bytes) noexcept;

// A ring of pinned buffers of one stream: while one is on its way, the host fills or empties another. Used by one
// thread at a time, with the context current; all of it throws as check() does, and is of no use any more once it did.
class Staging {
 public:
  static constexpr int kSlots = 4;
  static constexpr uint64_t kSlotBytes = uint64_t{1} << 20;

  // ERR_OUT_OF_MEMORY where the system gives no pinned memory.
  Staging(Device &device, Stream &stream);
  // Waits for what is on its way.
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  // Returns when the last byte has left `from`; the copy itself is in stream order.
  void upload(CUdeviceptr to, const void *from, uint64_t bytes);
  // Returns when the last byte has come to `to`.
  void download(void *to, CUdeviceptr from, uint64_t bytes);

 private:
  struct Slot {
    char *memory = nullptr;
    CUevent done = nullptr;  // the copy out of or into it
  };

  void release() noexcept;
  void await(Slot &slot);

  Device &device_;
  Stream &stream_;
  char *memory_ = nullptr;
  Slot slots_[kSlots];
};

}  // namespace gpuopt::cuda
