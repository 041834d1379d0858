// tests/fake_cuda/memory.cpp -- allocation: device memory, pools in stream order, pinned memory.
#include <cstdlib>
#include <cstring>

#include "tests/fake_cuda/arena.h"
#include "tests/fake_cuda/call.h"
#include "tests/fake_cuda/pools.h"
#include "tests/fake_cuda/queue.h"

namespace fake_cuda {
namespace {

constexpr uint64_t kGranularity = uint64_t(2) << 20;  // what pools ask the device for

uint64_t up(uint64_t bytes) { return (bytes + kGranularity - 1) / kGranularity * kGranularity; }

void shrink(Pool &pool, uint64_t keep) { pool.reserved = std::max(up(pool.used), std::min(pool.reserved, up(keep))); }

bool fits(const Pool &pool, uint64_t bytes) {
  const uint64_t wanted = up(pool.used + bytes);
  return wanted <= pool.reserved || wanted - pool.reserved <= pool.device->memory - bytes_taken(*pool.device);
}

// Memory freed earlier in the same stream can be had again; what other streams freed and were not waited for cannot.
void take(Pool &pool, Stream &stream, uint64_t bytes) {
  if (bytes > pool.device->memory) refuse(CUDA_ERROR_OUT_OF_MEMORY);
  if (!fits(pool, bytes)) run(stream);
  if (!fits(pool, bytes)) refuse(CUDA_ERROR_OUT_OF_MEMORY);
  pool.used += bytes;
  pool.reserved = std::max(pool.reserved, up(pool.used));
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

// The block that begins here, in use; else the free is refused.
Block &block_to_free(CUdeviceptr address) {
  Block *block = find_block(address, 0);
  if (!block || block->base != address || block->leaving) {
    violation("0x%llx is no memory that can be freed%s", address, block && block->leaving ? ": it was already" : "");
    refuse(CUDA_ERROR_INVALID_VALUE);
  }
  return *block;
}

void end_block(Block &block) {
  if (block.pool)
    block.pool->used -= block.bytes;
  else
    block.device->plain_bytes -= block.bytes;
  remove_block(block);
}

uint64_t *pool_number(Pool &pool, int attribute) {
  switch (attribute) {
    case 4:
      return &pool.threshold;
    case 5:
      return &pool.reserved;
    case 6:
      return &pool.reserved_high;
    case 7:
      return &pool.used;
    case 8:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

void allocate(CUdeviceptr *address, size_t bytes, bool managed) {
  need(address);
  Context &context = current();
  if (bytes == 0) refuse(CUDA_ERROR_INVALID_VALUE);
  if (bytes > context.device->memory - bytes_taken(*context.device)) refuse(CUDA_ERROR_OUT_OF_MEMORY);
  Block &block = add_block(context, bytes);
  block.managed = managed;
  context.device->plain_bytes += bytes;
  make_live(block);
  *address = block.base;
}

int one_int = 1;  // attributes 1 to 3: how blocks may be used again, which the fake never does

}  // namespace

uint64_t bytes_taken(const Device &device) {
  uint64_t sum = device.plain_bytes;
  for (auto &[handle, pool] : State::get().pools)
    if (pool->device == &device) sum += pool->reserved;
  return sum;
}

void release_excess(const Device &device) {
  for (auto &[handle, pool] : State::get().pools)
    if (pool->device == &device && pool->reserved > pool->threshold) shrink(*pool, pool->threshold);
}

}  // namespace fake_cuda

using namespace fake_cuda;

CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
  return call("cuMemGetInfo", [&](State &) {
    Device &device = *current().device;
    *total = device.memory;
    *unused = device.memory - bytes_taken(device);
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return call("cuMemAlloc", [&](State &) { allocate(address, bytes, false); });
}

// The fake has no more of it than of other memory, so that tests see what happens when there is none.
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  return call("cuMemAllocManaged", [&](State &) {
    if (flags != CU_MEM_ATTACH_GLOBAL) refuse(CUDA_ERROR_INVALID_VALUE);
    allocate(address, bytes, true);
  });
}

// Waits for everything the context's streams hold, as the real one does.
CUresult cuMemFree_v2(CUdeviceptr address) {
  return call("cuMemFree", Kind::kReleases, [&](State &) {
    if (address == 0) return;
    Context &context = current();
    Block &block = block_to_free(address);
    synchronize(context);
    end_block(block);
  });
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", [&](State &s) {
    need(memory);
    current();
    if (bytes == 0 || flags > 7) refuse(CUDA_ERROR_INVALID_VALUE);
    void *allocated = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!allocated) refuse(CUDA_ERROR_OUT_OF_MEMORY);
    s.pinned[reinterpret_cast<uintptr_t>(allocated)] = bytes;
    *memory = allocated;
  });
}

CUresult cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", Kind::kReleases, [&](State &s) {
    Context &context = current();
    auto found = s.pinned.find(reinterpret_cast<uintptr_t>(memory));
    if (found == s.pinned.end()) {
      violation("%p is no pinned memory", memory);
      refuse(CUDA_ERROR_INVALID_VALUE);
    }
    if (in_use(found->first, found->second)) {
      violation("the pinned memory is freed while a copy that uses it waits");
      synchronize(context);
    }
    s.pinned.erase(found);
    std::free(memory);
  });
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return call("cuMemPoolCreate", [&](State &s) {
    need(pool);
    need(properties);
    if (!s.pools_supported) refuse(CUDA_ERROR_NOT_SUPPORTED);
    if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->location.id < 0 ||
        size_t(properties->location.id) >= s.devices.size())
      refuse(CUDA_ERROR_INVALID_VALUE);
    for (unsigned char byte : properties->reserved)
      if (byte != 0) refuse(CUDA_ERROR_INVALID_VALUE);
    auto made = s.pools.add(std::make_shared<Pool>(), s.last_handle);
    made->device = s.devices[size_t(properties->location.id)].get();
    *pool = made->handle;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return call("cuMemPoolDestroy", Kind::kReleases, [&](State &s) {
    s.pools.get(pool, "pool");
    s.pools.remove(pool);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return call("cuMemPoolSetAttribute", [&](State &s) {
    need(value);
    auto found = s.pools.get(pool, "pool");
    if (attribute >= 1 && attribute <= 3) return;
    uint64_t *number = pool_number(*found, attribute);
    const bool high = number == &found->reserved_high || number == &found->used_high;
    if (number != &found->threshold && !(high && *static_cast<uint64_t *>(value) == 0))
      refuse(CUDA_ERROR_INVALID_VALUE);
    *number = *static_cast<uint64_t *>(value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return call("cuMemPoolGetAttribute", [&](State &s) {
    need(value);
    auto found = s.pools.get(pool, "pool");
    if (attribute >= 1 && attribute <= 3) {
      std::memcpy(value, &one_int, sizeof one_int);
      return;
    }
    const uint64_t *number = pool_number(*found, attribute);
    if (!number) refuse(CUDA_ERROR_INVALID_VALUE);
    *static_cast<uint64_t *>(value) = *number;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep) {
  return call("cuMemPoolTrimTo", [&](State &s) { shrink(*s.pools.get(pool, "pool"), bytes_to_keep); });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  return call("cuMemPoolSetAccess", [&](State &s) {
    auto found = s.pools.get(pool, "pool");
    for (size_t i = 0; i < count; ++i) {
      const int device = access[i].location.id;
      if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || device < 0 || size_t(device) >= s.devices.size())
        refuse(CUDA_ERROR_INVALID_VALUE);
      if (device != found->device->number && !s.devices[size_t(device)]->peers.count(found->device->number))
        refuse(CUDA_ERROR_INVALID_DEVICE);
      if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        found->access.insert(device);
      else
        found->access.erase(device);
    }
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return call("cuMemAllocFromPoolAsync", [&](State &s) {
    need(address);
    auto from = s.pools.get(pool, "pool");
    auto on = stream_of(stream);
    if (bytes == 0) refuse(CUDA_ERROR_INVALID_VALUE);
    take(*from, *on, bytes);
    Block &block = add_block(*on->context, bytes);
    block.pool = from;
    block.device = from->device;
    *address = block.base;
    enqueue(on, {"allocation", [&block] { make_live(block); }, 0, 0});
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return call("cuMemFreeAsync", Kind::kReleases, [&](State &) {
    if (address == 0) return;
    auto on = stream_of(stream);
    Block &block = block_to_free(address);
    block.leaving = true;
    enqueue(on, {"free",
                 [&block] {
                   if (!block.live) {
                     violation("the block is freed before the allocation was reached: an event is missing");
                     refuse(CUDA_ERROR_INVALID_VALUE);
                   }
                   end_block(block);
                 },
                 0, 0});
  });
}
