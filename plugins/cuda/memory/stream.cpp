// plugins/cuda/memory/stream.cpp -- streams and events.
#include "plugins/cuda/memory/stream.h"

#include <algorithm>
#include <span>

#include "plugins/cuda/memory/memory.h"
#include "plugins/cuda/memory/staging.h"
#include "plugins/cuda/plugin/slots.h"

struct gpuopt_plugin_event {
  CUevent handle = nullptr;
  bool recorded = false;
  gpuopt_plugin_stream::Launches launches;  // of the stream, when it was recorded
};

gpuopt_plugin_stream::gpuopt_plugin_stream() = default;
gpuopt_plugin_stream::~gpuopt_plugin_stream() = default;

namespace gpuopt::cuda {
namespace {

// Returns "; launched since the last synchronisation: add, exp", for the message of an error: one of them has caused
// it. "" if there are none.
std::string provenance(const Stream::Launches &launches) {
  if (launches.count == 0) return {};
  constexpr uint64_t kKept = Stream::Launches::kKept;
  const uint64_t first = launches.count > kKept ? launches.count - kKept : 0;
  std::string text = "; launched since the last synchronisation: ";
  for (uint64_t i = first; i < launches.count; i++) {
    text += (i == first ? "" : ", ") + std::string(launches.names[i % kKept]);
  }
  if (first) text += " and " + std::to_string(first) + " before them";
  return text;
}

// Adds the operations of another stream's event, for which a stream waits: it may report errors that they cause. Names
// that are there already are not repeated.
void add_launches(Stream::Launches &to, const Stream::Launches &from) {
  constexpr uint64_t kKept = Stream::Launches::kKept;
  for (uint64_t i = from.count > kKept ? from.count - kKept : 0; i < from.count; i++) {
    const char *const name = from.names[i % kKept];
    const std::span kept(to.names, std::min(to.count, kKept));
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) to.note(name);
  }
}

}  // namespace

void check_stream(Device &device, Stream &stream, CUresult code, const char *what) {
  if (code != CUDA_SUCCESS) check(device, code, what, provenance(stream.launches));
}

Scratch::Scratch(Device &device, Stream &stream, uint64_t bytes)
    : device_(device),
      stream_(stream),
      address_(bytes ? device.pool->allocate(bytes, stream.handle) : 0),
      bytes_(bytes) {}

Scratch::~Scratch() { device_.pool->free(address_, bytes_, stream_.handle); }

}  // namespace gpuopt::cuda

namespace gpuopt::cuda::slots {

gpuopt_status stream_create(gpuopt_plugin_device *device, uint32_t, gpuopt_plugin_stream **stream, gpuopt_error *) {
  *stream = nullptr;
  const ContextScope scope(*device);
  auto created = std::make_unique<Stream>();
  check(*device, driver().cuStreamCreate(&created->handle, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  *stream = created.release();
  return GPUOPT_OK;
}

// Waits for the stream's work, so that its cached blocks may be reused on any stream afterwards.
void stream_destroy(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream) {
  const std::unique_ptr<Stream> ended(stream);
  if (!stream) return;
  finish(*device, "stream_destroy", [&] {
    const CUresult code = driver().cuStreamSynchronize(stream->handle);
    stream->staging.reset();
    device->pool->forget(stream->handle);
    const CUresult destroyed = driver().cuStreamDestroy(stream->handle);
    return code == CUDA_SUCCESS ? destroyed : code;
  });
}

gpuopt_status stream_synchronize(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, gpuopt_error *) {
  const ContextScope scope(*device);
  check_stream(*device, *stream, driver().cuStreamSynchronize(stream->handle), "stream_synchronize");
  stream->launches.count = 0;
  return GPUOPT_OK;
}

// Waits for all streams of the primary context, which other CUDA libraries in this process use, too.
gpuopt_status device_synchronize(gpuopt_plugin_device *device, gpuopt_error *) {
  const ContextScope scope(*device);
  check(*device, driver().cuCtxSynchronize(), "device_synchronize");
  return GPUOPT_OK;
}

gpuopt_status event_create(gpuopt_plugin_device *device, uint32_t, gpuopt_plugin_event **event, gpuopt_error *) {
  *event = nullptr;
  const ContextScope scope(*device);
  auto created = std::make_unique<gpuopt_plugin_event>();
  check(*device, driver().cuEventCreate(&created->handle, CU_EVENT_DEFAULT), "cuEventCreate");
  *event = created.release();
  return GPUOPT_OK;
}

void event_destroy(gpuopt_plugin_device *device, gpuopt_plugin_event *event) {
  const std::unique_ptr<gpuopt_plugin_event> ended(event);
  if (event) finish(*device, "event_destroy", [&] { return driver().cuEventDestroy(event->handle); });
}

gpuopt_status event_record(gpuopt_plugin_device *device, gpuopt_plugin_event *event, gpuopt_plugin_stream *stream,
                           gpuopt_error *) {
  const ContextScope scope(*device);
  check_stream(*device, *stream, driver().cuEventRecord(event->handle, stream->handle), "event_record");
  event->recorded = true;
  event->launches = stream->launches;
  return GPUOPT_OK;
}

gpuopt_status event_wait(gpuopt_plugin_device *device, gpuopt_plugin_event *event, gpuopt_plugin_stream *stream,
                         gpuopt_error *) {
  const ContextScope scope(*device);
  check_stream(*device, *stream, driver().cuStreamWaitEvent(stream->handle, event->handle, 0), "event_wait");
  add_launches(stream->launches, event->launches);
  return GPUOPT_OK;
}

gpuopt_status event_synchronize(gpuopt_plugin_device *device, gpuopt_plugin_event *event, gpuopt_error *) {
  const ContextScope scope(*device);
  check(*device, driver().cuEventSynchronize(event->handle), "event_synchronize");
  return GPUOPT_OK;
}

gpuopt_status event_elapsed(gpuopt_plugin_device *device, gpuopt_plugin_event *start, gpuopt_plugin_event *end,
                            double *milliseconds, gpuopt_error *) {
  const ContextScope scope(*device);
  if (!start->recorded || !end->recorded) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "the time between two events needs both to be recorded; the %s is not",
         start->recorded ? "second" : "first");
  }
  float measured = 0;
  const CUresult code = driver().cuEventElapsedTime(&measured, start->handle, end->handle);
  if (code == CUDA_ERROR_NOT_READY) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "the time between two events needs both to be complete; synchronize them first");
  }
  check(*device, code, "event_elapsed");
  *milliseconds = measured;
  return GPUOPT_OK;
}

gpuopt_status stream_query(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, int32_t *done, gpuopt_error *) {
  const ContextScope scope(*device);
  const CUresult code = driver().cuStreamQuery(stream->handle);
  if (code != CUDA_ERROR_NOT_READY) check_stream(*device, *stream, code, "stream_query");
  *done = code == CUDA_SUCCESS;
  return GPUOPT_OK;
}

gpuopt_status event_query(gpuopt_plugin_device *device, gpuopt_plugin_event *event, int32_t *done, gpuopt_error *) {
  const ContextScope scope(*device);
  const CUresult code = driver().cuEventQuery(event->handle);
  if (code != CUDA_ERROR_NOT_READY) check(*device, code, "event_query");
  *done = code == CUDA_SUCCESS;
  return GPUOPT_OK;
}

gpuopt_status stream_native(gpuopt_plugin_device *, gpuopt_plugin_stream *stream, void **handle, gpuopt_error *) {
  *handle = stream->handle;
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda::slots
