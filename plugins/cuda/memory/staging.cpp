// plugins/cuda/memory/staging.cpp -- the ring of pinned buffers; pinned memory for the host.
#include "plugins/cuda/memory/staging.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

// The blocks that host_allocate() returned: address of the first byte, and size. Never destroyed, since arrays may
// outlive main().
struct PinnedRanges {
  std::mutex lock;
  std::map<uintptr_t, uint64_t> ranges;
};

PinnedRanges &pinned() {
  static PinnedRanges *const all = new PinnedRanges;
  return *all;
}

}  // namespace

bool is_pinned(const void *memory, uint64_t bytes) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  PinnedRanges &all = pinned();
  const std::lock_guard lock(all.lock);
  auto range = all.ranges.upper_bound(address);
  if (range == all.ranges.begin()) return false;
  --range;
  const uint64_t offset = address - range->first;
  return offset <= range->second && bytes <= range->second - offset;
}

Staging::Staging(Device &device, Stream &stream) : device_(device), stream_(stream) {
  void *memory = nullptr;
  check(device, driver().cuMemHostAlloc(&memory, kSlots * kSlotBytes, GPUOPT_CU_MEMHOSTALLOC_PORTABLE),
        "cuMemHostAlloc");
  memory_ = static_cast<char *>(memory);
  try {
    for (int i = 0; i < kSlots; i++) {
      slots_[i].memory = memory_ + static_cast<uint64_t>(i) * kSlotBytes;
      check(device, driver().cuEventCreate(&slots_[i].done, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    }
  } catch (...) {
    release();
    throw;
  }
}

Staging::~Staging() { release(); }

void Staging::release() noexcept {
  if (!usable(device_)) return;
  if (driver().cuStreamSynchronize(stream_.handle) != CUDA_SUCCESS) driver().cuCtxSynchronize();
  for (Slot &slot : slots_) {
    if (slot.done) driver().cuEventDestroy(slot.done);
  }
  driver().cuMemFreeHost(memory_);
}

void Staging::await(Slot &slot) { check_stream(device_, stream_, driver().cuEventSynchronize(slot.done), "copy"); }

void Staging::upload(CUdeviceptr to, const void *from, uint64_t bytes) {
  const char *source = static_cast<const char *>(from);
  for (uint64_t begin = 0, piece = 0; begin < bytes; begin += kSlotBytes, piece++) {
    Slot &slot = slots_[piece % kSlots];
    const uint64_t length = std::min(kSlotBytes, bytes - begin);
    await(slot);
    std::memcpy(slot.memory, source + begin, length);
    check(device_, driver().cuMemcpyHtoDAsync(to + begin, slot.memory, length, stream_.handle), "copy_from_host");
    check(device_, driver().cuEventRecord(slot.done, stream_.handle), "cuEventRecord");
  }
}

void Staging::download(void *to, CUdeviceptr from, uint64_t bytes) {
  char *const target = static_cast<char *>(to);
  const uint64_t pieces = (bytes + kSlotBytes - 1) / kSlotBytes;
  for (uint64_t piece = 0; piece < pieces + kSlots; piece++) {
    Slot &slot = slots_[piece % kSlots];
    if (piece >= kSlots) {  // waits for the piece that was requested kSlots pieces ago, and copies it out
      const uint64_t begin = (piece - kSlots) * kSlotBytes;
      await(slot);
      if (begin < bytes) std::memcpy(target + begin, slot.memory, std::min(kSlotBytes, bytes - begin));
    }
    if (piece >= pieces) continue;
    const uint64_t begin = piece * kSlotBytes;
    if (piece < kSlots) await(slot);
    check(device_,
          driver().cuMemcpyDtoHAsync(slot.memory, from + begin, std::min(kSlotBytes, bytes - begin), stream_.handle),
          "copy_to_host");
    check(device_, driver().cuEventRecord(slot.done, stream_.handle), "cuEventRecord");
  }
}

}  // namespace gpuopt::cuda

namespace gpuopt::cuda::slots {

gpuopt_status host_allocate(gpuopt_plugin_device *device, uint64_t bytes, void **memory, gpuopt_error *) {
  *memory = nullptr;
  const ContextScope scope(*device);
  const uint64_t size = std::max<uint64_t>(bytes, 1);
  void *allocated = nullptr;
  check(*device, driver().cuMemHostAlloc(&allocated, size, GPUOPT_CU_MEMHOSTALLOC_PORTABLE), "host_allocate",
        " (" + std::to_string(bytes) + " bytes of pinned memory)");
  try {
    PinnedRanges &all = pinned();
    const std::lock_guard lock(all.lock);
    all.ranges.emplace(reinterpret_cast<uintptr_t>(allocated), size);
  } catch (...) {
    driver().cuMemFreeHost(allocated);
    throw;
  }
  *memory = allocated;
  return GPUOPT_OK;
}

// On a lost device, or in a forked child, the memory stays allocated until the process ends: only the driver could free
// it.
void host_free(gpuopt_plugin_device *device, void *memory, uint64_t) {
  if (!memory) return;
  {
    PinnedRanges &all = pinned();
    const std::lock_guard lock(all.lock);
    all.ranges.erase(reinterpret_cast<uintptr_t>(memory));
  }
  finish(*device, "host_free", [&] { return driver().cuMemFreeHost(memory); });
}

}  // namespace gpuopt::cuda::slots
