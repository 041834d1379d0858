// core/device/device.h -- backends and devices, and how the core calls a plugin's slots (the functions of its table).
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/refcount.h"

namespace gpuopt {

class Engines;  // access.h: what is recorded on a device

// A loaded plugin; never unloaded. `api` is the host's own copy of the plugin's table, in which absent slots are stubs
// that return ERR_UNSUPPORTED (those that return nothing do nothing), so that calls need no NULL test.
struct Backend {
  std::string name, path, version, build_id, toolkit;
  gpuopt_plugin_api api{};
  int op_count = 0, reduction_count = 0, scan_count = 0;  // the rows of ops.def that the plugin implements
  int minor = 0;                                          // the negotiated minor version of the plugin ABI
  bool knows_all() const {
    return op_count == GPUOPT_OP_COUNT && reduction_count == GPUOPT_REDUCTION_COUNT && scan_count == GPUOPT_SCAN_COUNT;
  }
};

}  // namespace gpuopt

// A device. There is one for each (backend, index) in a process; the registry owns it until the process ends.
struct gpuopt_device_s {
  const gpuopt::Backend *backend = nullptr;
  gpuopt_plugin_device *handle = nullptr;
  int32_t index = 0;
  std::string name;  // "cpu:0"
  gpuopt_plugin_device_info info{};
  gpuopt_stream default_stream = nullptr;
  // The recorders, from make_engines(); a shared_ptr, since that can delete a type that is incomplete here.
  std::shared_ptr<gpuopt::Engines> engines;
  int generation = 0;  // fork_generation() when the device was opened
  // The device was opened with "!" at least once: no operation falls back to the CPU any more, for any user of it.
  std::atomic<bool> required{false};
  // A slot has returned ERR_DEVICE_LOST: only slots that free something are called from now on. `lost_because` is the
  // message; it is set before `lost` and does not change afterwards.
  std::atomic<bool> lost{false};
  std::string lost_because;
  std::mutex streams_mutex;                             // guards `streams`
  std::vector<gpuopt_stream> streams;                   // all that exist, including the default one; not owned
  std::mutex transfers_mutex;                           // guards the two members below
  std::vector<gpuopt::Ref<gpuopt_stream_s>> transfers;  // transfer.h: streams for copies that are not in use
  size_t transfer_count = 0;                            // streams ever made for copies; `transfers` has room for them
  const gpuopt_plugin_api &api() const { return backend->api; }
  bool host_memory() const { return info.flags & GPUOPT_DEVICE_HOST_MEMORY; }
  // Whether the host may use the memory in place at all, be it memory of its own or not.
  bool host_access() const { return info.flags & (GPUOPT_DEVICE_HOST_MEMORY | GPUOPT_DEVICE_MANAGED_MEMORY); }
  bool synchronous() const { return info.flags & GPUOPT_DEVICE_SYNCHRONOUS; }
  // Returns whether this is the child of a fork that the device's backend does not survive.
  bool forked() const { return (info.flags & GPUOPT_DEVICE_LOST_IN_FORK) && generation != gpuopt::fork_generation(); }
  ~gpuopt_device_s();
};

namespace gpuopt {

// In the functions below, `operation` (of deref(): `what`) is the name with which error messages begin.

[[noreturn]] void fail_unusable(const gpuopt_device_s &device, const char *operation);
// Throws ERR_FORKED if the device was opened before a fork that its backend does not survive, ERR_DEVICE_LOST if it is
// lost. Called before every slot except those that free something.
inline void check_usable(const gpuopt_device_s &device, const char *operation) {
  if (device.forked() || device.lost.load(std::memory_order_acquire)) [[unlikely]]
    fail_unusable(device, operation);
}
// Throws the failure that a slot reported by `status` and `error`. ERR_DEVICE_LOST also marks the device as lost.
[[noreturn]] void fail_device(gpuopt_device_s &device, gpuopt_status status, const gpuopt_error &error,
                              const char *operation);

// Returns the handle as a reference. Throws ERR_INVALID_ARGUMENT if it is NULL.
gpuopt_device_s &deref(gpuopt_device device, const char *what);

// To be called in a catch block when a plugin's function has thrown a C++ exception, which none may. Rethrows
// std::bad_alloc, and throws Failure ERR_INTERNAL for everything else.
[[noreturn]] void fail_thrown(const char *operation);
// Logs such an exception as an error instead, once for each backend and slot, where the caller must not throw.
void log_thrown(const Backend &backend, const char *slot) noexcept;
// Throws ERR_INTERNAL, "<operation>: the plugin said that <what>, and gave none".
[[noreturn]] void fail_without_output(const char *operation, const char *what);

// Calls a plugin's function and returns its status. A C++ exception becomes what fail_thrown() throws.
template <class Slot, class... Args>
gpuopt_status call_plugin(const char *operation, Slot slot, Args... args) {
  try {
    return slot(args...);
  } catch (...) {
    fail_thrown(operation);
  }
}

// Calls a slot that frees something and returns nothing: call_void(device, "event_destroy", api.event_destroy, event).
// Also works on a lost device.
template <class Slot, class... Args>
void call_void(gpuopt_device device, const char *name, Slot slot, Args... args) noexcept {
  try {
    slot(device->handle, args...);
  } catch (...) {
    log_thrown(*device->backend, name);
  }
}

// Calls a slot, and throws its failure as "<operation>: ...": call_slot(device, "trim", device->api().memory_trim). For
// a slot that takes a stream the caller holds a StreamLock, or uses call_stream() (stream.h).
template <class Slot, class... Args>
void call_slot(gpuopt_device device, const char *operation, Slot slot, Args... args) {
  check_usable(*device, operation);
  SlotError error;
  const gpuopt_status status = call_plugin(operation, slot, device->handle, args..., &error);
  if (status != GPUOPT_OK) [[unlikely]]
    fail_device(*device, status, error, operation);
}

// Does the same for a slot whose last argument is the output of a handle, and returns that handle, never NULL. If the
// slot succeeds without setting it, this throws fail_without_output(operation, what): "it has made a stream".
template <class Handle, class Slot, class... Args>
Handle *call_maker(gpuopt_device device, const char *operation, const char *what, Slot slot, Args... args) {
  Handle *made = nullptr;
  call_slot(device, operation, slot, args..., &made);
  if (!made) fail_without_output(operation, what);
  return made;
}

// Allocates device memory, which may be used by work that is submitted to the stream from now on. Throws ERR_INTERNAL
// if the plugin returns NULL, or an address that is not aligned for every dtype (16 bytes).
void *allocate_memory(gpuopt_stream stream, const char *operation, uint64_t bytes);
// Frees memory when the stream has done the work submitted so far; `bytes` is the size it was allocated with. The
// caller holds a StreamLock, unless no other thread knows the stream. Also works on a lost device.
void free_memory(gpuopt_stream stream, void *memory, uint64_t bytes) noexcept;

// Blocks until all work submitted to the device is done: on all streams of this library, and, if the backend has the
// slot device_synchronize (since 1.1), on those of other libraries in this process. Does not run recorded operations.
void wait_for_device(gpuopt_device_s &device, const char *operation);

}  // namespace gpuopt
