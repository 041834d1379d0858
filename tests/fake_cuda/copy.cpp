// tests/fake_cuda/copy.cpp -- copies and fills.
//
// With pinned memory they are asynchronous: the host's bytes are read or written when the operation runs. With pageable
// memory the source is read before the call returns, and a copy to the host is complete then.
#include "tests/fake_cuda/arena.h"
#include "tests/fake_cuda/call.h"
#include "tests/fake_cuda/device_bytes.h"
#include "tests/fake_cuda/queue.h"

namespace fake_cuda {
namespace {

// Variables of users' modules are there while the module is.
bool is_variable(CUdeviceptr address, size_t bytes) {
  for (const auto &[handle, module] : State::get().modules)
    for (const auto &[name, variable] : module->library->variables) {
      const auto base = reinterpret_cast<CUdeviceptr>(variable.address);
      if (address >= base && address + bytes <= base + variable.bytes) return true;
    }
  return false;
}

// At the call: the range is device memory nobody has freed.
void check_range(const Context &context, CUdeviceptr address, size_t bytes) {
  const Block *block = find_block(address, bytes);
  if (!block && is_variable(address, bytes)) return;
  if (block && !block->leaving && reaches(context, *block)) return;
  violation("%zu bytes at 0x%llx are no device memory%s", bytes, address,
            !block           ? ""
            : block->leaving ? ": it was freed"
                             : " this device reaches");
  refuse(CUDA_ERROR_INVALID_VALUE);
}

// When the operation runs: the memory is there now.
CUdeviceptr opened(CUdeviceptr address, size_t bytes) {
  Block *block = find_block(address, bytes);
  if (!block && is_variable(address, bytes)) return address;
  if (!block || !block->live) {
    violation("%zu bytes at 0x%llx are %s", bytes, address,
              block ? "not allocated yet: an event is missing" : "freed already: an event is missing");
    refuse(CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  open_block(*block);
  return address;
}

void copy_opened(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  copy_on_device(opened(to, bytes), opened(from, bytes), bytes);
  State::get().clock += bytes / 100;
}

bool is_pinned(const void *memory, size_t bytes) {
  auto &pinned = State::get().pinned;
  auto behind = pinned.upper_bound(reinterpret_cast<uintptr_t>(memory));
  if (behind == pinned.begin()) return false;
  const auto &[base, size] = *std::prev(behind);
  return reinterpret_cast<uintptr_t>(memory) + bytes <= base + size;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return call("cuMemcpyHtoDAsync", [&](State &) {
    auto on = stream_of(stream);
    if (bytes == 0) return;
    need(from);
    check_range(*on->context, to, bytes);
    if (is_pinned(from, bytes)) {
      enqueue(on, {"copy from pinned memory", [=] { copy_to_device(opened(to, bytes), from, bytes); },
                   reinterpret_cast<uintptr_t>(from), bytes});
      return;
    }
    const char *begin = static_cast<const char *>(from);
    auto staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
    enqueue(on, {"copy from the host", [=] { copy_to_device(opened(to, bytes), staged->data(), bytes); }, 0, 0});
  });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call("cuMemcpyDtoHAsync", [&](State &) {
    auto on = stream_of(stream);
    if (bytes == 0) return;
    need(to);
    check_range(*on->context, from, bytes);
    const bool pinned = is_pinned(to, bytes);
    enqueue(on, {"copy to the host", [=] { copy_to_host(to, opened(from, bytes), bytes); },
                 reinterpret_cast<uintptr_t>(to), pinned ? bytes : 0});
    if (!pinned) run(*on);
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call("cuMemcpyDtoDAsync", [&](State &) {
    auto on = stream_of(stream);
    if (bytes == 0) return;
    check_range(*on->context, to, bytes);
    check_range(*on->context, from, bytes);
    enqueue(on, {"copy", [=] { copy_opened(to, from, bytes); }, 0, 0});
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream) {
  return call("cuMemcpyPeerAsync", [&](State &s) {
    auto on = stream_of(stream);
    auto target = s.contexts.get(to_context, "context"), source = s.contexts.get(from_context, "context");
    if (bytes == 0) return;
    check_range(*target, to, bytes);
    check_range(*source, from, bytes);
    enqueue(on, {"copy between devices", [=] { copy_opened(to, from, bytes); }, 0, 0});
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  return call("cuMemsetD8Async", [&](State &) {
    auto on = stream_of(stream);
    if (bytes == 0) return;
    check_range(*on->context, to, bytes);
    enqueue(on, {"fill", [=] { fill_device(opened(to, bytes), value, bytes); }, 0, 0});
  });
}
