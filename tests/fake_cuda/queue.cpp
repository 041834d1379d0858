// tests/fake_cuda/queue.cpp -- running streams' operations; streams and events.
#include "tests/fake_cuda/queue.h"

#include "tests/fake_cuda/arena.h"
#include "tests/fake_cuda/call.h"
#include "tests/fake_cuda/pools.h"

namespace fake_cuda {
namespace {

void drop_work(Context &context) {
  for (auto &stream : context.streams) {
    stream->done = stream->issued;
    stream->queue.clear();
  }
}

void forget_finished(Context &context) {
  std::erase_if(context.streams, [](const auto &s) { return s->destroyed && s->queue.empty(); });
}

Operation waiting_for(std::shared_ptr<Stream> stream, uint64_t place) {
  return {"wait", [stream = std::move(stream), place] { run_to(*stream, place); }, 0, 0};
}

void append(const std::shared_ptr<Stream> &stream, Operation operation) {
  ++stream->issued;
  stream->queue.push_back(std::move(operation));
}

// Stream 0 runs after what blocking streams hold, and they after what it holds.
void order_with_legacy(const std::shared_ptr<Stream> &stream) {
  Context &context = *stream->context;
  if (stream == context.legacy) {
    for (auto &other : context.streams)
      if (other->blocking && !other->queue.empty()) append(stream, waiting_for(other, other->issued));
  } else if (stream->blocking && !context.legacy->queue.empty()) {
    append(stream, waiting_for(context.legacy, context.legacy->issued));
  }
}

}  // namespace

std::shared_ptr<Stream> stream_of(CUstream handle) {
  Context &context = current();
  if (!handle) return context.legacy;
  auto stream = State::get().streams.get(handle, "stream");
  if (stream->context != &context) {
    violation("the stream belongs to another context than the current one");
    refuse(CUDA_ERROR_INVALID_HANDLE);
  }
  return stream;
}

void enqueue(const std::shared_ptr<Stream> &stream, Operation operation) {
  order_with_legacy(stream);
  append(stream, std::move(operation));
  while (stream->queue.size() > State::get().queue_limit) run_to(*stream, stream->done + 1);
}

void run_to(Stream &stream, uint64_t place) {
  if (stream.done >= place) return;
  Context &context = *stream.context;
  State &s = State::get();
  try {
    Opened opened;  // host and device see device memory until the last operation is done
    while (stream.done < place && !stream.queue.empty()) {
      Operation operation = std::move(stream.queue.front());
      stream.queue.pop_front();
      s.call = operation.name;
      s.clock += 2000;
      operation.run();
      ++stream.done;
    }
  } catch (const Refused &refused) {
    context.sticky = refused.code;
    drop_work(context);
    throw;
  }
}

void run(Stream &stream) { run_to(stream, stream.issued); }

void run_all(Context &context) {
  if (context.sticky != CUDA_SUCCESS) return drop_work(context);
  for (size_t i = 0; i < context.streams.size(); ++i) run(*context.streams[i]);
  forget_finished(context);
}

void synchronize(Stream &stream) {
  run(stream);
  release_excess(*stream.context->device);
}

void synchronize(Context &context) {
  run_all(context);
  release_excess(*context.device);
}

bool in_use(uintptr_t memory, size_t bytes) {
  for (auto &[handle, context] : State::get().contexts)
    for (auto &stream : context->streams)
      for (auto &operation : stream->queue)
        if (operation.pinned < memory + bytes && memory < operation.pinned + operation.pinned_bytes) return true;
  return false;
}

}  // namespace fake_cuda

using namespace fake_cuda;

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return call("cuStreamCreate", [&](State &s) {
    need(stream);
    if (flags > CU_STREAM_NON_BLOCKING) refuse(CUDA_ERROR_INVALID_VALUE);
    Context &context = current();
    auto made = s.streams.add(std::make_shared<Stream>(), s.last_handle);
    made->context = &context;
    made->blocking = !(flags & CU_STREAM_NON_BLOCKING);
    context.streams.push_back(made);
    *stream = made->handle;
  });
}

// Returns at once; what the stream still holds runs later.
CUresult cuStreamDestroy_v2(CUstream stream) {
  return call("cuStreamDestroy", Kind::kReleases, [&](State &s) {
    auto found = s.streams.get(stream, "stream");
    found->destroyed = true;
    s.streams.remove(stream);
    forget_finished(*found->context);
    current();
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return call("cuStreamSynchronize", [&](State &) { synchronize(*stream_of(stream)); });
}

CUresult cuStreamQuery(CUstream stream) {
  return call("cuStreamQuery", [&](State &) {
    const auto asked = stream_of(stream);
    if (asked->done < asked->issued) refuse(CUDA_ERROR_NOT_READY);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return call("cuStreamWaitEvent", [&](State &s) {
    auto record = s.events.get(event, "event")->record;
    auto waits = stream_of(stream);
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE);
    if (record) enqueue(waits, waiting_for(record->stream, record->place));
  });
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return call("cuEventCreate", [&](State &s) {
    need(event);
    Context &context = current();
    auto made = s.events.add(std::make_shared<Event>(), s.last_handle);
    made->context = &context;
    made->timed = !(flags & CU_EVENT_DISABLE_TIMING);
    *event = made->handle;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return call("cuEventDestroy", Kind::kReleases, [&](State &s) {
    s.events.get(event, "event");
    s.events.remove(event);
    current();
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return call("cuEventRecord", [&](State &s) {
    auto found = s.events.get(event, "event");
    auto recorded = stream_of(stream);
    if (found->context != recorded->context) {
      violation("event and stream belong to different contexts");
      refuse(CUDA_ERROR_INVALID_HANDLE);
    }
    auto record = found->record = std::make_shared<Record>();
    enqueue(recorded, {"event record", [record] { record->time = State::get().clock; }, 0, 0});
    record->stream = recorded;
    record->place = recorded->issued;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return call("cuEventSynchronize", [&](State &s) {
    auto found = s.events.get(event, "event");
    current();
    if (found->record) run_to(*found->record->stream, found->record->place);
    release_excess(*found->context->device);
  });
}

CUresult cuEventQuery(CUevent event) {
  return call("cuEventQuery", [&](State &s) {
    auto found = s.events.get(event, "event");
    current();
    if (found->record && found->record->stream->done < found->record->place) refuse(CUDA_ERROR_NOT_READY);
  });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return call("cuEventElapsedTime", [&](State &s) {
    need(milliseconds);
    auto from = s.events.get(start, "event"), to = s.events.get(end, "event");
    current();
    if (!from->timed || !to->timed || !from->record || !to->record) refuse(CUDA_ERROR_INVALID_HANDLE);
    for (const Record *record : {from->record.get(), to->record.get()})
      if (record->stream->done < record->place) refuse(CUDA_ERROR_NOT_READY);
    *milliseconds = float((double(to->record->time) - double(from->record->time)) * 1e-6);
  });
}
