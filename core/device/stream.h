// core/device/stream.h -- streams and events, and calls of the slots that take a stream.
#pragma once
#include <mutex>
#include <vector>

#include "core/device/device.h"

struct gpuopt_stream_s : gpuopt::RefCounted<gpuopt_stream_s> {
  gpuopt_device device = nullptr;  // devices outlive streams
  gpuopt_plugin_stream *handle = nullptr;
  std::mutex mutex;  // locked by StreamLock
  static void destroy(gpuopt_stream_s *stream);
};

struct gpuopt_event_s : gpuopt::RefCounted<gpuopt_event_s> {
  gpuopt_device device = nullptr;
  gpuopt_plugin_event *handle = nullptr;
  static void destroy(gpuopt_event_s *event);
};

namespace gpuopt {

// Each returns the handle as a reference. Throws ERR_INVALID_ARGUMENT, beginning with `what`, if it is NULL.
gpuopt_stream_s &deref(gpuopt_stream stream, const char *what);
gpuopt_event_s &deref(gpuopt_event event, const char *what);

// Returns a new stream, which is listed in device->streams until its last reference is released. Throws what the slot
// reports.
Ref<gpuopt_stream_s> make_stream(gpuopt_device device);
// Returns references to all streams of the device, so that the caller can wait for them without holding the lock that
// other threads need to make and destroy streams.
std::vector<Ref<gpuopt_stream_s>> living_streams(gpuopt_device_s &device);

// Held during every slot call on a stream, since the plugin ABI promises that such calls never overlap. Does nothing
// for synchronous devices, which allow them to (GPUOPT_DEVICE_SYNCHRONOUS).
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

// Calls a slot whose first arguments are (device, stream), under a StreamLock, and throws its failure:
// call_stream(stream, "matmul", device->api().matmul, &call).
template <class Slot, class... Args>
void call_stream(gpuopt_stream stream, const char *operation, Slot slot, Args... args) {
  StreamLock lock(*stream);
  call_slot(stream->device, operation, slot, stream->handle, args...);
}

// Blocks until all work submitted to the stream is done. Throws if the device is not usable or fails.
inline void wait_for(gpuopt_stream stream, const char *operation = "synchronize") {
  gpuopt_device device = stream->device;
  check_usable(*device, operation);
  if (!device->synchronous()) call_stream(stream, operation, device->api().stream_synchronize);
}

}  // namespace gpuopt
