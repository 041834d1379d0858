// plugins/cuda/memory/memory.h -- allocates the memory of one device, with a limit, statistics and a cache.
//
// Blocks come from a stream-ordered pool of the driver (cuMemAllocFromPoolAsync), which caches what is freed and hands
// it out again in stream order. If the device has no such pool, or managed memory is asked for, of which drivers before
// 13.0 have no pools, they come from a plain caching pool of our own over cuMemAlloc or cuMemAllocManaged. Sizes are
// rounded up to multiples of 512 bytes, CUDA's alignment.
#pragma once

#include <gpuopt/types.h>

#include <atomic>
#include <memory>

#include "plugins/cuda/plugin/device.h"

namespace gpuopt::cuda {

// A source of blocks. All functions but held() are called with the context current. Safe from any thread.
class Blocks {
 public:
  virtual ~Blocks() = default;
  // The size of the block that serves a request; the other functions are given this.
  virtual uint64_t block_bytes(uint64_t bytes) const = 0;
  // Takes a block for use in the order of `stream`. The plain pool also returns OUT_OF_MEMORY if it would hold more
  // than `limit` bytes (0: no limit); the driver's pool ignores `limit`, which MemoryPool enforces.
  virtual CUresult take(uint64_t block, CUstream stream, uint64_t limit, CUdeviceptr *address) = 0;
  // Gives a block back, which work on `stream` may still use. Fails only if the device is lost.
  virtual CUresult put(CUdeviceptr address, uint64_t block, CUstream stream) = 0;
  // Returns unused memory to the driver until at most `keep` bytes are held. All work must have finished.
  virtual CUresult release(uint64_t keep) = 0;
  // The bytes of device memory that are held, in use or not.
  virtual uint64_t held() = 0;
  // Lets all streams use the blocks cached for this one, which is idle and about to be destroyed.
  virtual void forget(CUstream) {}
  // The driver's pool; NULL for the plain pool.
  virtual CUmemoryPool handle() const { return nullptr; }
};

// Make the two sources. Both throw as check() does, and want the context to be current.
std::unique_ptr<Blocks> make_stream_ordered_blocks(Device &device);
std::unique_ptr<Blocks> make_plain_blocks(Device &device);

// Safe from any thread.
class MemoryPool {
 public:
  // The context is current.
  explicit MemoryPool(Device &device);

  // Allocates at least `bytes`, aligned to 512, for use in the order of `stream`; 0 bytes give a distinct address, too.
  // If there is no room, waits for the device, returns cached memory to the driver and tries once more. Throws
  // ERR_OUT_OF_MEMORY, which names the sizes, if what is in use would exceed the limit, or the device is still full.
  // The context is current.
  CUdeviceptr allocate(uint64_t bytes, CUstream stream);
  // Frees what allocate() returned for the same `bytes`; 0 is allowed. Never fails, not even on a lost device or after
  // a fork. Needs no context.
  void free(CUdeviceptr address, uint64_t bytes, CUstream stream) noexcept;
  // Call this before an idle stream is destroyed.
  void forget(CUstream stream) { blocks_->forget(stream); }

  // Limits in_use + cached; 0 for no limit. No allocation makes in_use exceed it. The driver's pool grows by units of
  // its own (up to 32 MiB), so that in_use + cached may exceed it by less than one unit. The context is current.
  void set_limit(uint64_t bytes);
  // Waits for the device and returns all cached memory to the driver. The context is current.
  void trim();
  // cache_hits counts the requests for which the memory held was not seen to grow.
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
  std::atomic<uint64_t> known_held_{0};  // the last known result of held()
};

}  // namespace gpuopt::cuda
