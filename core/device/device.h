// core/device/device.h -- what the core knows of a backend, a device and a stream.
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

struct Engine;  // engine.h: what is recorded on a device

// A loaded plugin; never unloaded. `api` is the host's own copy of the table, absent slots being stubs that return
// ERR_UNSUPPORTED, so a call needs no NULL test.
struct Backend {
  std::string name, path, version, build_id, toolkit;
  gpuopt_plugin_api api{};
  int op_count = 0, reduction_count = 0, scan_count = 0;
  int minor = 0;  // the negotiated minor version of the plugin ABI
  bool knows_all() const {
    return op_count == GPUOPT_OP_COUNT && reduction_count == GPUOPT_REDUCTION_COUNT && scan_count == GPUOPT_SCAN_COUNT;
  }
};

}  // namespace gpuopt

// One per (backend, index) and process; kept in the registry until the process ends.
struct gpuopt_device_s {
  const gpuopt::Backend *backend = nullptr;
  gpuopt_plugin_device *handle = nullptr;
  int32_t index = 0;
  std::string name;  // "cpu:0"
  gpuopt_plugin_device_info info{};
  gpuopt_stream default_stream = nullptr;
  std::shared_ptr<gpuopt::Engine>
      engine;          // from make_engine; shared_ptr because it carries the deleter of a type unknown here
  int generation = 0;  // fork_generation() when it was opened
  // Somebody opened it with "!": from then on nothing is done on the CPU instead, for anybody.
  std::atomic<bool> required{false};
  // A slot answered ERR_DEVICE_LOST: from then on only what frees is called. `lost_because` is set before, and then
  // final.
  std::atomic<bool> lost{false};
  std::string lost_because;
  std::mutex streams_mutex;
  std::vector<gpuopt_stream> streams;  // all that exist, the default one included; not owned
  std::mutex transfers_mutex;
  std::vector<gpuopt::Ref<gpuopt_stream_s>> transfers;  // transfer.h: idle streams of copies
  size_t transfer_count = 0;                            // of those made
  const gpuopt_plugin_api &api() const { return backend->api; }
  bool host_memory() const { return info.flags & GPUOPT_DEVICE_HOST_MEMORY; }
  bool synchronous() const { return info.flags & GPUOPT_DEVICE_SYNCHRONOUS; }
  bool forked() const { return (info.flags & GPUOPT_DEVICE_LOST_IN_FORK) && generation != gpuopt::fork_generation(); }
  ~gpuopt_device_s();
};

struct gpuopt_stream_s : gpuopt::RefCounted<gpuopt_stream_s> {
  gpuopt_device device = nullptr;  // devices outlive streams
  gpuopt_plugin_stream *handle = nullptr;
  std::mutex mutex;  // see StreamLock
  static void destroy(gpuopt_stream_s *stream);
};

struct gpuopt_event_s : gpuopt::RefCounted<gpuopt_event_s> {
  gpuopt_device device = nullptr;
  gpuopt_plugin_event *handle = nullptr;
  static void destroy(gpuopt_event_s *event);
};

namespace gpuopt {

[[noreturn]] void fail_unusable(const gpuopt_device_s &device, const char *operation);
// Throws ERR_FORKED if the device was opened before a fork that its backend does not survive, ERR_DEVICE_LOST if it
// failed. Called before every slot but those that free.
inline void check_usable(const gpuopt_device_s &device, const char *operation) {
  if (device.forked() || device.lost.load(std::memory_order_acquire)) [[unlikely]]
    fail_unusable(device, operation);
}
// Throws what a slot reported; ERR_DEVICE_LOST is remembered.
[[noreturn]] void fail_device(gpuopt_device_s &device, gpuopt_status status, const gpuopt_error &error,
                              const char *operation);

// Throws ERR_INVALID_ARGUMENT naming `what` if the handle is NULL.
gpuopt_device_s &deref(gpuopt_device device, const char *what);
gpuopt_stream_s &deref(gpuopt_stream stream, const char *what);
gpuopt_event_s &deref(gpuopt_event event, const char *what);

// A new stream; it belongs to `device` until the last reference goes.
Ref<gpuopt_stream_s> make_stream(gpuopt_device device);
// All streams there are, kept: to be waited for without keeping others from making and releasing streams.
std::vector<Ref<gpuopt_stream_s>> living_streams(gpuopt_device_s &device);

// Held during every slot call on a stream: the plugin is promised that they never overlap, unless it does not care.
class StreamLock {
 public:
  explicit StreamLock(gpuopt_stream_s &stream) : mutex_(stream.device->synchronous() ? nullptr : &stream.mutex) {
    if (mutex_) mutex_->lock();
  }
  ~StreamLock() {
    if (mutex_) mutex_->unlock();
  }
  StreamLock(const StreamLock &) = delete;
  StreamLock &operator=(const StreamLock &) = delete;

 private:
  std::mutex *mutex_;
};

// Inside a handler of whatever a plugin's function threw, although none may: throws Failure ERR_INTERNAL, but
// std::bad_alloc as it is.
[[noreturn]] void fail_thrown(const char *operation);
// The same where nothing can fail: an ERROR of the log, once for each backend and function.
void log_thrown(const Backend &backend, const char *slot) noexcept;
// Throws ERR_INTERNAL, "<operation>: the plugin said that <what>, and gave none".
[[noreturn]] void fail_without_output(const char *operation, const char *what);

// Calls a plugin's function. What it throws does not get further than this.
template <class Slot, class... Args>
gpuopt_status call_plugin(const char *operation, Slot slot, Args... args) {
  try {
    return slot(args...);
  } catch (...) {
    fail_thrown(operation);
  }
}

// Calls a slot that returns nothing and frees something: call_void(device, "event_destroy", api.event_destroy, event).
template <class Slot, class... Args>
void call_void(gpuopt_device device, const char *name, Slot slot, Args... args) noexcept {
  try {
    slot(device->handle, args...);
  } catch (...) {
    log_thrown(*device->backend, name);
  }
}

// Calls a slot and throws its failure as "<operation>: ...": call_slot(device, "trim", device->api().memory_trim).
// A slot that takes a stream is called under a StreamLock; call_stream does that.
template <class Slot, class... Args>
void call_slot(gpuopt_device device, const char *operation, Slot slot, Args... args) {
  check_usable(*device, operation);
  SlotError error;
  const gpuopt_status status = call_plugin(operation, slot, device->handle, args..., &error);
  if (status != GPUOPT_OK) [[unlikely]]
    fail_device(*device, status, error, operation);
}

// The same for a slot whose last output is a handle of the plugin's, which it returns. `what` was made, for the error
// where it is NULL: "it has made a stream".
template <class Handle, class Slot, class... Args>
Handle *call_maker(gpuopt_device device, const char *operation, const char *what, Slot slot, Args... args) {
  Handle *made = nullptr;
  call_slot(device, operation, slot, args..., &made);
  if (!made) fail_without_output(operation, what);
  return made;
}

// The same for slots (device, stream, ...): call_stream(stream, "matmul", device->api().matmul, &call).
template <class Slot, class... Args>
void call_stream(gpuopt_stream stream, const char *operation, Slot slot, Args... args) {
  StreamLock lock(*stream);
  call_slot(stream->device, operation, slot, stream->handle, args...);
}

// Memory of the stream's device, ordered on it. Throws also where the plugin gives NULL or an address that is not
// aligned for every dtype (16 bytes).
void *allocate_memory(gpuopt_stream stream, const char *operation, uint64_t bytes);
// The same bytes back. Cannot fail, also on a lost device.
void free_memory(gpuopt_stream stream, void *memory, uint64_t bytes) noexcept;

// Until all work submitted to the stream is done.
inline void wait_for(gpuopt_stream stream, const char *operation = "synchronize") {
  gpuopt_device device = stream->device;
  check_usable(*device, operation);
  if (!device->synchronous()) call_stream(stream, operation, device->api().stream_synchronize);
}

// Until all work submitted to the device is done, on every stream of ours and, where the backend can (1.1), on those of
// other libraries in this process. What is recorded is not run.
void wait_for_device(gpuopt_device_s &device, const char *operation);

}  // namespace gpuopt
