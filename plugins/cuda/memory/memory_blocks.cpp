// plugins/cuda/memory/memory_blocks.cpp -- the two sources of blocks: the driver's stream-ordered pool, and a plain
// one.
#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "plugins/cuda/memory/memory.h"

namespace gpuopt::cuda {
namespace {

constexpr uint64_t kUnit = 512;

// Rounds a size up to a multiple of `unit`. Every block has at least one unit, so that addresses are distinct.
uint64_t rounded(uint64_t bytes, uint64_t unit) { return (std::max<uint64_t>(bytes, 1) + unit - 1) / unit * unit; }

class StreamOrderedBlocks final : public Blocks {
 public:
  explicit StreamOrderedBlocks(Device &device) : device_(device) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device.handle};
    check(device, driver().cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate");
    uint64_t keep = UINT64_MAX;  // freed memory stays in the pool until it is trimmed
    const CUresult code = driver().cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    if (code != CUDA_SUCCESS) driver().cuMemPoolDestroy(pool_);
    check(device, code, "cuMemPoolSetAttribute");
  }
  ~StreamOrderedBlocks() override {
    if (usable(device_)) driver().cuMemPoolDestroy(pool_);
  }

  uint64_t block_bytes(uint64_t bytes) const override { return rounded(bytes, kUnit); }
  CUresult take(uint64_t block, CUstream stream, uint64_t, CUdeviceptr *address) override {
    return driver().cuMemAllocFromPoolAsync(address, block, pool_, stream);
  }
  CUresult put(CUdeviceptr address, uint64_t, CUstream stream) override {
    return driver().cuMemFreeAsync(address, stream);
  }
  CUresult release(uint64_t keep) override { return driver().cuMemPoolTrimTo(pool_, keep); }
  uint64_t held() override {
    uint64_t bytes = 0;
    driver().cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes);
    return bytes;
  }
  CUmemoryPool handle() const override { return pool_; }

 private:
  Device &device_;
  CUmemoryPool pool_ = nullptr;
};

// Free lists by size class and stream. A block is reused on the stream on which it was freed, where the order of work
// ensures that earlier uses have ended. Blocks of destroyed streams, which were idle, are listed for stream NULL and
// reused on any stream.
class PlainBlocks final : public Blocks {
 public:
  explicit PlainBlocks(Device &device) : device_(device) {}
  ~PlainBlocks() override {
    if (usable(device_)) PlainBlocks::release(0);
  }

  // There are eight size classes to a power of two, so that at most an eighth is added, or what is missing to 512
  // bytes.
  uint64_t block_bytes(uint64_t bytes) const override {
    return rounded(bytes, std::max<uint64_t>(std::bit_floor(bytes) / 8, kUnit));
  }

  CUresult take(uint64_t block, CUstream stream, uint64_t limit, CUdeviceptr *address) override {
    const std::lock_guard lock(lock_);
    if (take_kept(block, stream, address) || take_kept(block, nullptr, address)) return CUDA_SUCCESS;
    if (limit && held_ + block > limit) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult code = device_.managed ? driver().cuMemAllocManaged(address, block, CU_MEM_ATTACH_GLOBAL)
                                          : driver().cuMemAlloc(address, block);
    if (code == CUDA_SUCCESS) held_ += block;
    return code;
  }

  CUresult put(CUdeviceptr address, uint64_t block, CUstream stream) override try {
    const std::lock_guard lock(lock_);
    kept_[{block, stream}].push_back(address);
    return CUDA_SUCCESS;
  } catch (const std::bad_alloc &) {  // no host memory for the free list: free the block at once
    const std::lock_guard lock(lock_);
    held_ -= block;
    const CUresult done = driver().cuStreamSynchronize(stream);
    return done == CUDA_SUCCESS ? driver().cuMemFree(address) : done;
  }

  // Frees the largest blocks first, which takes the fewest calls.
  CUresult release(uint64_t keep) override {
    const std::lock_guard lock(lock_);
    CUresult first = CUDA_SUCCESS;
    for (auto list = kept_.rbegin(); list != kept_.rend() && held_ > keep; ++list) {
      for (; !list->second.empty() && held_ > keep; list->second.pop_back()) {
        const CUresult code = driver().cuMemFree(list->second.back());
        if (first == CUDA_SUCCESS) first = code;
        held_ -= list->first.first;
      }
    }
    return first;
  }

  uint64_t held() override {
    const std::lock_guard lock(lock_);
    return held_;
  }

  void forget(CUstream stream) override {
    const std::lock_guard lock(lock_);
    for (auto &[key, list] : kept_) {
      if (key.second != stream || list.empty()) continue;
      auto &shared = kept_[{key.first, nullptr}];
      shared.insert(shared.end(), list.begin(), list.end());
      list.clear();
    }
  }

 private:
  // Takes a block from the free list of this size and stream; returns false if that is empty. The lock is held.
  bool take_kept(uint64_t block, CUstream stream, CUdeviceptr *address) {
    const auto list = kept_.find({block, stream});
    if (list == kept_.end() || list->second.empty()) return false;
    *address = list->second.back();
    list->second.pop_back();
    return true;
  }

  Device &device_;
  std::mutex lock_;
  std::map<std::pair<uint64_t, CUstream>, std::vector<CUdeviceptr>> kept_;
  uint64_t held_ = 0;
};

}  // namespace

std::unique_ptr<Blocks> make_stream_ordered_blocks(Device &device) {
  return std::make_unique<StreamOrderedBlocks>(device);
}

std::unique_ptr<Blocks> make_plain_blocks(Device &device) { return std::make_unique<PlainBlocks>(device); }

}  // namespace gpuopt::cuda
