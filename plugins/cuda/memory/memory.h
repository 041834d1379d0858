// plugins/cuda/memory.h -- the memory of one device: what is handed out, bounded, counted, kept and given back.
//
// Blocks come from a stream-ordered pool of the driver (cuMemAllocFromPoolAsync), which keeps what is freed and hands
// it out again in stream order; where the device has none, from a plain caching pool of our own over cuMemAlloc. Sizes
// count in units of 512 bytes, CUDA's alignment.
#pragma once

#include <gpuopt/types.h>

#include <atomic>
#include <memory>

#include "plugins/cuda/device.h"

namespace gpuopt::cuda {

// Where blocks come from. All but held() are called with the context current; safe from any thread.
class Blocks {
 public:
  virtual ~Blocks() = default;
  // The size of the block that serves a request; the other functions are given this.
  virtual uint64_t block_bytes(uint64_t bytes) const = 0;
  // A block for use in the order of `stream`. OUT_OF_MEMORY also where more than `limit` (0: none) would be held.
  virtual CUresult take(uint64_t block, CUstream stream, uint64_t limit, CUdeviceptr *address) = 0;
  // Takes it back; work on `stream` may still use it. Its failures are a lost device's.
  virtual CUresult put(CUdeviceptr address, uint64_t block, CUstream stream) = 0;
  // Returns unused memory to the driver until at most `keep` bytes are held. All work must be done.
  virtual CUresult release(uint64_t keep) = 0;
  // Bytes held of the driver's, in use or not.
  virtual uint64_t held() = 0;
  // What is kept for this stream may be used by any other: it is idle and goes away.
  virtual void forget(CUstream) {}
  // The driver's pool, NULL if this is none.
  virtual CUmemoryPool handle() const { return nullptr; }
};

// Both throw as check() does, in the context of the device.
std::unique_ptr<Blocks> make_stream_ordered_blocks(Device &device);
std::unique_ptr<Blocks> make_plain_blocks(Device &device);

// Safe from any thread.
class MemoryPool {
 public:
  // The context of the device is current.
  explicit MemoryPool(Device &device);

  // At least `bytes`, aligned to 512, for use in the order of `stream`; 0 bytes give a distinct address too. Where the
  // device or the limit has no room, waits for the device, gives back what is cached, and tries once more; then throws
  // ERR_OUT_OF_MEMORY, which names the sizes. The context is current.
  CUdeviceptr allocate(uint64_t bytes, CUstream stream);
  // Takes back what allocate gave for the same `bytes`; 0 is allowed. Never fails, also on a lost device or after a
  // fork. Needs no context.
  void free(CUdeviceptr address, uint64_t bytes, CUstream stream) noexcept;
  // To be called when an idle stream is destroyed.
  void forget(CUstream stream) { blocks_->forget(stream); }

  // Bounds in_use + cached, 0 for no bound. What is in use never exceeds it; the driver's pool grows by units of its
  // own (up to 32 MiB), so that what is cached may stand above it by less than one of them.
  void set_limit(uint64_t bytes);
  // Waits for the device and gives everything cached back.
  void trim();
  // cache_hits counts the requests that found room in what was held already.
  void stats(gpuopt_memory_stats *stats);

  CUmemoryPool handle() const { return blocks_->handle(); }

 private:
  bool reserve(uint64_t block);
  CUdeviceptr take(uint64_t block, CUstream stream);
  void count();
  void make_room(uint64_t coming);
  void shrink(uint64_t keep);
  [[noreturn]] void fail_full(uint64_t bytes, const char *why);

  Device &device_;
  std::unique_ptr<Blocks> blocks_;
  std::atomic<uint64_t> in_use_{0}, peak_{0}, limit_{0}, allocations_{0}, cache_hits_{0};
  std::atomic<uint64_t> known_held_{0};  // held() when it was last asked for
};

}  // namespace gpuopt::cuda
