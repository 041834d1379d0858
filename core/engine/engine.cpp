// core/engine/engine.cpp -- evaluation, write hazards, and the order of streams; see engine.h.
#include "core/engine/engine.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/base/os.h"
#include "core/base/setting_values.h"
#include "core/engine/access.h"
#include "core/engine/plan.h"
#include "core/engine/record.h"
#include "core/engine/run.h"
#include "core/engine/small.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

// Recorded operations alone may keep at most this part of the device's memory, a quarter, alive.
constexpr int kPinnedShare = 4;

bool asked_for_eager() {
  const char *const value = environment(Setting::GPUOPT_EAGER);
  return value && *value && std::strcmp(value, "0") != 0;
}

uint64_t asked_pinned_limit(const gpuopt_device_s &device) {
  const uint64_t share = device.info.memory_bytes / kPinnedShare;
  const auto bytes = setting_number(Setting::GPUOPT_PINNED_BYTES);
  return bytes ? std::min(share ? share : UINT64_MAX, *bytes) : share;
}

}  // namespace

std::shared_ptr<Engines> make_engines(gpuopt_device device) {
  return std::make_shared<Engines>(device, asked_for_eager(), asked_pinned_limit(*device));
}

namespace {

// Returns the recorder in which a value is pending for the storage, or was a moment ago; NULL if there is none.
Engine *writer_of(const Storage &storage) {
  const int number = users::writer_of(storage.users.load(std::memory_order_acquire));
  return number < 0 ? nullptr : &storage.device->engines->at(number);
}

// Runs what is pending in the recorder for those of the arrays whose writer it is.
void evaluate_in(Engine &engine, std::span<const gpuopt_array> arrays) {
  const EngineLock lock(engine);
  if (arrays.size() == 1) {
    if (writer_of(*arrays[0]->storage) != &engine) return;
    if (Node *root = arrays[0]->storage->pending) run_nodes(engine, {&root, 1});
    return;
  }
  std::vector<Node *> roots;
  for (gpuopt_array x : arrays) {
    if (!x->weak && writer_of(*x->storage) == &engine && x->storage->pending) roots.push_back(x->storage->pending);
  }
  if (!roots.empty()) run_nodes(engine, roots);
}

}  // namespace

void evaluate(std::span<const gpuopt_array> arrays) {
  gpuopt_device device = nullptr;
  uint64_t writers = 0;
  for (gpuopt_array x : arrays) {
    if (deref(x, "eval").weak) continue;
    if (!device) device = x->device();
    if (device != x->device()) fail(GPUOPT_ERR_DEVICE_MISMATCH, "eval: the arrays are on more than one device");
    if (const Engine *const engine = writer_of(*x->storage)) writers |= users::reader(engine->number);
  }
  if (!device) return;
  check_usable(*device, "eval");
  std::exception_ptr first;
  for (; writers; writers &= writers - 1) {
    try {
      evaluate_in(device->engines->at(std::countr_zero(writers)), arrays);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void prepare_write(gpuopt_array x) {
  deref_strong(x, "write");
  check_usable(*x->device(), "write");
  Access(x->device(), {}, x).prepare_write();
}

void flush(gpuopt_device device) {
  if (!device->engines) return;
  check_usable(*device, "flush");
  std::exception_ptr first;
  device->engines->each([&](Engine &engine) {
    const EngineLock lock(engine);
    try {
      run_pending(engine);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  });
  if (first) std::rethrow_exception(first);
}

bool run_what_pins(gpuopt_device device) noexcept {
  bool any = false;
  // A thread that holds the lock of its own recorder does not wait for others, which may wait for it.
  const bool waits = !EngineLock::is_held();
  device->engines->each([&](Engine &engine) {
    try {
      std::unique_lock tried(engine.mutex, std::defer_lock);
      if (!waits && !tried.try_lock()) return;
      const EngineLock lock(engine);
      if (tried) tried.unlock();
      // The planner is NULL if this thread is inside an evaluation.
      if (!engine.planner || engine.planner->pinned_bytes() == 0) return;
      run_pending(engine);
      any = true;
    } catch (...) {
    }
  });
  return any;
}

void forget_pending(Storage &storage) {
  Engine *const engine = writer_of(storage);
  if (!engine) return;
  const EngineLock lock(*engine, EngineLock::kWaits);
  if (Node *pending = storage.pending) {  // NULL: another thread has run it since
    const NodeRef node = take_pending(*pending);
    settle(*engine, storage);
  }
}

void forget_leaf(gpuopt_array_s &x) {
  Node *const leaf = x.leaf.exchange(nullptr);
  const EngineLock lock(*leaf->engine, EngineLock::kWaits);
  NodeRef::release(leaf);
}

namespace {

// A plugin's event, destroyed at the end of the scope. The constructor throws Failure if there is none.
class ScopedEvent {
 public:
  explicit ScopedEvent(gpuopt_device device) : device_(device) {
    handle_ = call_maker<gpuopt_plugin_event>(device, "event_create", "it has made an event",
                                              device->api().event_create, uint32_t{0});
  }
  ~ScopedEvent() { call_void(device_, "event_destroy", device_->api().event_destroy, handle_); }
  gpuopt_plugin_event *get() const { return handle_; }

 private:
  gpuopt_device device_;
  gpuopt_plugin_event *handle_ = nullptr;
};

void join_by_event(gpuopt_stream_s &stream, gpuopt_stream_s &before) {
  gpuopt_device device = stream.device;
  ScopedEvent event(device);
  {
    StreamLock lock(before);
    call_slot(device, "event_record", device->api().event_record, event.get(), before.handle);
  }
  StreamLock lock(stream);
  call_slot(device, "event_wait", device->api().event_wait, event.get(), stream.handle);
}

}  // namespace

void join_streams(gpuopt_stream_s &stream, gpuopt_stream_s &before) {
  if (&stream == &before) return;
  try {
    join_by_event(stream, before);
  } catch (const Failure &failure) {
    if (failure.code == GPUOPT_ERR_DEVICE_LOST || failure.code == GPUOPT_ERR_FORKED) throw;
    // No event could be made: wait on the host.
    call_stream(&before, "synchronize", before.device->api().stream_synchronize);
  }
}

void order_read(Storage &storage, gpuopt_stream_s &stream) {
  if (stream.device->synchronous() || storage.stream.get() == &stream) return;
  for (auto &reader : storage.readers) {
    if (reader.get() == &stream) return;  // it waits for the last write already
  }
  join_streams(stream, *storage.stream);
  storage.readers.push_back(Ref<gpuopt_stream_s>::share(&stream));
}

void order_write(Storage &storage, gpuopt_stream_s &stream) {
  await_downloads(storage);
  if (stream.device->synchronous()) return;
  join_streams(stream, *storage.stream);
  for (auto &reader : storage.readers) join_streams(stream, *reader);
  storage.readers.clear();
  if (storage.stream.get() != &stream) storage.stream = Ref<gpuopt_stream_s>::share(&stream);
}

void await_readers(Storage &storage) noexcept {
  try {
    for (auto &reader : storage.readers) join_streams(*storage.stream, *reader);
  } catch (...) {
  }
}

bool release_later(Storage &storage) noexcept { return EngineLock::release_later(storage); }

ArrayRef contiguous(gpuopt_array x) {
  if (!deref_strong(x, "contiguous").contiguous) {
    ArrayRef copy = record_copy(x);
    evaluate(copy.get());
    return copy;
  }
  evaluate(x);
  return ArrayRef::share(x);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_eval(int32_t count, const gpuopt_array *arrays, gpuopt_error *error) {
  if (count > 0 && arrays && evaluated_at_once({arrays, static_cast<size_t>(count)})) return GPUOPT_OK;
  return guarded(error, [&] {
    if (count < 0 || (count && !arrays)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "eval: the arrays are missing");
    evaluate(std::span(arrays, static_cast<size_t>(count)));
  });
}

gpuopt_status gpuopt_engine_get_stats(gpuopt_device device, gpuopt_engine_stats *stats, gpuopt_error *error) {
  return guarded(error, [&] {
    gpuopt_engine_stats filled{};
    deref(device, "engine_get_stats").engines->each([&](Engine &engine) {
      const EngineLock lock(engine);
      filled.operations += engine.operations;
      filled.programs += engine.programs;
      filled.steps += engine.steps;
      filled.pending += engine.live;
    });
    give(filled, stats, "engine_get_stats");
  });
}

}  // extern "C"
