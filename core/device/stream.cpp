// core/device/stream.cpp -- streams and events: their lifetimes, and their C functions.
#include "core/device/stream.h"

#include <algorithm>

#include "core/engine/engine.h"

using gpuopt::call_void;

void gpuopt_stream_s::destroy(gpuopt_stream_s *stream) {
  gpuopt_device device = stream->device;
  {
    std::lock_guard lock(device->streams_mutex);
    // living_streams() may have added a reference since this was the only one. Whoever releases the last one destroys
    // the stream; if that other reference has just been released, this is the last one again.
    if (!stream->is_permanent() && stream->references.load() > 1 && stream->references.fetch_sub(1) > 1) return;
    std::erase(device->streams, stream);
  }
  if (!device->forked()) call_void(device, "stream_destroy", device->api().stream_destroy, stream->handle);
  delete stream;
}

void gpuopt_event_s::destroy(gpuopt_event_s *event) {
  gpuopt_device device = event->device;
  if (!device->forked()) call_void(device, "event_destroy", device->api().event_destroy, event->handle);
  delete event;
}

namespace gpuopt {

gpuopt_stream_s &deref(gpuopt_stream stream, const char *what) {
  if (!stream) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the stream is NULL", what);
  return *stream;
}

gpuopt_event_s &deref(gpuopt_event event, const char *what) {
  if (!event) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the event is NULL", what);
  return *event;
}

Ref<gpuopt_stream_s> make_stream(gpuopt_device device) {
  auto stream = std::make_unique<gpuopt_stream_s>();
  stream->device = device;
  std::lock_guard lock(device->streams_mutex);
  device->streams.reserve(device->streams.size() + 1);  // so that push_back below cannot fail
  stream->handle = call_maker<gpuopt_plugin_stream>(device, "stream_create", "it has made a stream",
                                                    device->api().stream_create, uint32_t{0});
  device->streams.push_back(stream.get());
  return Ref<gpuopt_stream_s>::adopt(stream.release());
}

std::vector<Ref<gpuopt_stream_s>> living_streams(gpuopt_device_s &device) {
  std::vector<Ref<gpuopt_stream_s>> living;
  std::lock_guard lock(device.streams_mutex);
  living.reserve(device.streams.size());
  for (gpuopt_stream stream : device.streams)
    if (stream->references.load() > 0) living.push_back(Ref<gpuopt_stream_s>::share(stream));  // 0: being destroyed
  return living;
}

namespace {

Ref<gpuopt_event_s> record_event(gpuopt_stream stream) {
  gpuopt_device device = stream->device;
  flush(device);
  auto owned = std::make_unique<gpuopt_event_s>();
  owned->device = device;
  owned->handle = call_maker<gpuopt_plugin_event>(device, "event_record", "it has made an event",
                                                  device->api().event_create, uint32_t{0});
  auto event = Ref<gpuopt_event_s>::adopt(owned.release());
  StreamLock lock(*stream);
  call_slot(device, "event_record", device->api().event_record, event->handle, stream->handle);
  return event;
}

void check_same_device(gpuopt_device a, gpuopt_device b, const char *what) {
  if (a == b) return;
  fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one is on %s, the other on %s", what, a->name.c_str(), b->name.c_str());
}

void wait_event(gpuopt_stream stream, gpuopt_event event) {
  check_same_device(stream->device, event->device, "stream_wait");
  flush(stream->device);  // so that operations recorded before this call do not wait for the event
  StreamLock lock(*stream);
  call_slot(stream->device, "stream_wait", stream->device->api().event_wait, event->handle, stream->handle);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_stream_create(gpuopt_device device, gpuopt_stream *stream, gpuopt_error *error) {
  if (stream) *stream = nullptr;
  return guarded(error, [&] {
    if (!stream) fail(GPUOPT_ERR_INVALID_ARGUMENT, "stream_create: the result pointer is NULL");
    *stream = make_stream(&deref(device, "stream_create")).leave();
  });
}

gpuopt_stream gpuopt_stream_retain(gpuopt_stream stream) {
  if (stream) stream->retain();
  return stream;
}

void gpuopt_stream_release(gpuopt_stream stream) {
  if (stream) stream->release();
}

gpuopt_status gpuopt_stream_default(gpuopt_device device, gpuopt_stream *stream, gpuopt_error *error) {
  if (stream) *stream = nullptr;
  return guarded(error, [&] {
    if (!stream) fail(GPUOPT_ERR_INVALID_ARGUMENT, "stream_default: the result pointer is NULL");
    *stream = gpuopt_stream_retain(deref(device, "stream_default").default_stream);
  });
}

gpuopt_status gpuopt_stream_synchronize(gpuopt_stream stream, gpuopt_error *error) {
  return guarded(error, [&] {
    gpuopt_device device = deref(stream, "stream_synchronize").device;
    flush(device);
    call_stream(stream, "stream_synchronize", device->api().stream_synchronize);
  });
}

gpuopt_status gpuopt_stream_wait(gpuopt_stream stream, gpuopt_event event, gpuopt_error *error) {
  return guarded(error, [&] {
    deref(stream, "stream_wait");
    deref(event, "stream_wait");
    wait_event(stream, event);
  });
}

gpuopt_status gpuopt_event_record(gpuopt_stream stream, gpuopt_event *event, gpuopt_error *error) {
  if (event) *event = nullptr;
  return guarded(error, [&] {
    if (!event) fail(GPUOPT_ERR_INVALID_ARGUMENT, "event_record: the result pointer is NULL");
    *event = record_event(&deref(stream, "event_record")).leave();
  });
}

gpuopt_status gpuopt_event_synchronize(gpuopt_event event, gpuopt_error *error) {
  return guarded(error, [&] {
    gpuopt_device device = deref(event, "event_synchronize").device;
    call_slot(device, "event_synchronize", device->api().event_synchronize, event->handle);
  });
}

gpuopt_status gpuopt_event_elapsed(gpuopt_event start, gpuopt_event end, double *milliseconds, gpuopt_error *error) {
  if (milliseconds) *milliseconds = 0;
  return guarded(error, [&] {
    if (!milliseconds) fail(GPUOPT_ERR_INVALID_ARGUMENT, "event_elapsed: the result pointer is NULL");
    gpuopt_device device = deref(start, "event_elapsed").device;
    check_same_device(device, deref(end, "event_elapsed").device, "event_elapsed");
    call_slot(device, "event_elapsed", device->api().event_elapsed, start->handle, end->handle, milliseconds);
  });
}

void gpuopt_event_release(gpuopt_event event) {
  if (event) event->release();
}

}  // extern "C"
