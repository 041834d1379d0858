// plugins/cuda/memory/memory.cpp -- counting, bounding and retrying; the memory slots.
#include "plugins/cuda/memory/memory.h"

#include <algorithm>
#include <cstdio>

#include "plugins/cuda/memory/stream.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 60;
constexpr uint64_t kDriverUnit = uint64_t{32} << 20;  // the most by which the driver's pool grows for a small block

std::string in_words(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024; unit++) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", unit == 0 ? 0 : 2, value, kUnits[unit]);
  return text;
}

std::unique_ptr<Blocks> make_blocks(Device &device) {
  return device.memory_pools ? make_stream_ordered_blocks(device) : make_plain_blocks(device);
}

}  // namespace

MemoryPool::MemoryPool(Device &device) : device_(device), blocks_(make_blocks(device)) {}

CUdeviceptr MemoryPool::allocate(uint64_t bytes, CUstream stream) {
  if (bytes > kMaxBytes) fail_full(bytes, "no device has so much");
  const uint64_t block = blocks_->block_bytes(bytes);
  if (!reserve(block)) fail_full(bytes, "the limit");
  CUdeviceptr address = 0;
  try {
    make_room(block);
    address = take(block, stream);
  } catch (...) {
    in_use_ -= block;
    throw;
  }
  if (!address) {
    in_use_ -= block;
    fail_full(bytes, "the device is full");
  }
  count();
  return address;
}

// Counts the block as in use. Returns false if the limit does not allow it.
bool MemoryPool::reserve(uint64_t block) {
  uint64_t in_use = in_use_.load();
  do {
    const uint64_t limit = limit_.load();
    if (limit && (block > limit || in_use > limit - block)) return false;
  } while (!in_use_.compare_exchange_weak(in_use, in_use + block));
  return true;
}

// Takes a block from the source. If the device is full, returns all cached memory to the driver and tries again;
// returns 0 if it is still full.
CUdeviceptr MemoryPool::take(uint64_t block, CUstream stream) {
  CUdeviceptr address = 0;
  CUresult code = blocks_->take(block, stream, limit_, &address);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    trim();
    code = blocks_->take(block, stream, limit_, &address);
  }
  if (code == CUDA_ERROR_OUT_OF_MEMORY) return 0;
  check(device_, code, "memory_allocate");
  return address;
}

// Updates the statistics after an allocation. The driver is asked for the memory held only if more is in use than was
// held when it was last asked; otherwise the request counts as a cache hit.
void MemoryPool::count() {
  const uint64_t in_use = in_use_.load();
  uint64_t peak = peak_.load();
  while (peak < in_use && !peak_.compare_exchange_weak(peak, in_use)) {
  }
  allocations_.fetch_add(1, std::memory_order_relaxed);
  const uint64_t held = known_held_.load();
  if (in_use > held) known_held_ = blocks_->held();
  if (known_held_ == held) cache_hits_.fetch_add(1, std::memory_order_relaxed);
}

void MemoryPool::free(CUdeviceptr address, uint64_t bytes, CUstream stream) noexcept {
  if (!address) return;
  const uint64_t block = blocks_->block_bytes(bytes);
  in_use_ -= block;
  finish(device_, "memory_free", [&] {
    const CUresult code = blocks_->put(address, block, stream);
    make_room(0);
    return code;
  });
}

// Returns cached memory to the driver if with `coming` more bytes the memory held would exceed the limit. Does nothing
// if less than one of the driver's units is cached: the driver might not release it, and each attempt waits for the
// device.
void MemoryPool::make_room(uint64_t coming) {
  const uint64_t limit = limit_.load(std::memory_order_relaxed);
  if (!limit) return;
  const uint64_t held = blocks_->held(), in_use = in_use_;  // in_use includes `coming` already
  if (held + coming > limit && held + coming > in_use + kDriverUnit) shrink(limit - std::min(limit, coming));
}

// Waits for the device, and returns unused memory to the driver until at most `keep` bytes are held.
void MemoryPool::shrink(uint64_t keep) {
  check(device_, driver().cuCtxSynchronize(), "memory_trim");
  check(device_, blocks_->release(keep), "memory_trim");
  known_held_ = blocks_->held();
}

void MemoryPool::trim() { shrink(0); }

void MemoryPool::set_limit(uint64_t bytes) {
  limit_ = bytes;
  if (bytes && blocks_->held() > bytes) shrink(bytes);  // once, even if less than one of the driver's units is cached
}

void MemoryPool::stats(gpuopt_memory_stats *stats) {
  gpuopt_memory_stats now{};
  now.in_use = in_use_;
  const uint64_t held = blocks_->held();
  now.cached = held - std::min(held, now.in_use);
  now.peak_in_use = peak_;
  now.limit = limit_;
  now.allocations = allocations_;
  now.cache_hits = cache_hits_;
  give(now, stats);
}

// Throws ERR_OUT_OF_MEMORY with the sizes. `why` says what is full.
void MemoryPool::fail_full(uint64_t bytes, const char *why) {
  size_t unused = 0, total = 0;
  driver().cuMemGetInfo(&unused, &total);
  const uint64_t in_use = in_use_, held = blocks_->held(), limit = limit_;
  fail(GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, CUDA_ERROR_OUT_OF_MEMORY,
       "cuda:%d cannot provide %s (%s): %s in use, %s cached, limit %s, %s of %s free", device_.index,
       in_words(bytes).c_str(), why, in_words(in_use).c_str(), in_words(held - std::min(held, in_use)).c_str(),
       limit ? in_words(limit).c_str() : "none", in_words(unused).c_str(), in_words(total).c_str());
}

}  // namespace gpuopt::cuda

namespace gpuopt::cuda::slots {

gpuopt_status memory_allocate(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, uint64_t bytes, void **memory,
                              gpuopt_error *) {
  *memory = nullptr;
  const ContextScope scope(*device);
  *memory = reinterpret_cast<void *>(device->pool->allocate(bytes, stream->handle));
  return GPUOPT_OK;
}

void memory_free(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *memory, uint64_t bytes) {
  device->pool->free(reinterpret_cast<CUdeviceptr>(memory), bytes, stream->handle);
}

gpuopt_status memory_stats(gpuopt_plugin_device *device, gpuopt_memory_stats *stats, gpuopt_error *) {
  const ContextScope scope(*device);
  device->pool->stats(stats);
  return GPUOPT_OK;
}

gpuopt_status memory_set_limit(gpuopt_plugin_device *device, uint64_t bytes, gpuopt_error *) {
  const ContextScope scope(*device);
  device->pool->set_limit(bytes);
  return GPUOPT_OK;
}

gpuopt_status memory_trim(gpuopt_plugin_device *device, gpuopt_error *) {
  const ContextScope scope(*device);
  device->pool->trim();
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda::slots
