// tests/unit/core_async_device.h -- the fake device as a GPU is: work is queued on streams and runs only when something
// has to wait for it, so that a missing wait gives wrong values every time.
#pragma once

#include <deque>
#include <functional>

#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {

// A program with all it points to.
class OwnedProgram {
 public:
  explicit OwnedProgram(const gpuopt_program &p)
      : program_(p),
        shape_(p.shape, p.shape + p.ndim),
        steps_(p.steps, p.steps + p.nsteps),
        constants_(p.constants, p.constants + p.nconstants) {
    for (int i = 0; i < p.ninputs; ++i) add(p.inputs[i]);
    for (int i = 0; i < p.noutputs; ++i) add(p.outputs[i]);
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i].strides = strides_[i].data();
    program_.shape = shape_.data();
    program_.steps = steps_.data();
    program_.constants = constants_.data();
    program_.inputs = operands_.data();
    program_.outputs = operands_.data() + p.ninputs;
  }
  OwnedProgram(const OwnedProgram &) = delete;
  const gpuopt_program &get() const { return program_; }

 private:
  void add(const gpuopt_operand &operand) {
    operands_.push_back(operand);
    strides_.emplace_back(operand.strides, operand.strides + program_.ndim);
  }
  gpuopt_program program_;
  std::vector<int64_t> shape_;
  std::vector<gpuopt_step> steps_;
  std::vector<gpuopt_constant> constants_;
  std::vector<gpuopt_operand> operands_;
  std::vector<std::vector<int64_t>> strides_;
};

class AsyncDevice : public FakeDevice {
 public:
  AsyncDevice() {
    get()->info.flags = 0;
    gpuopt_plugin_api &api = backend().api;
    before_ = api;
    api.memory_allocate = allocate;
    api.memory_free = deallocate;
    api.stream_create = create_stream;
    api.stream_destroy = destroy_stream;
    api.stream_synchronize = synchronize;
    api.event_record = record_event;
    api.event_wait = wait_event;
    api.copy_to_host = copy_to_host;
    api.copy_from_host = copy_from_host;
    api.copy_on_device = copy_on_device;
    api.program_run = run;
    api.device_synchronize = synchronize_device;
  }
  ~AsyncDevice() override {
    for (auto &queue : queues_) drain(queue.first);
    for (void *block : graveyard_) std::free(block);
    backend().api = before_;  // the default stream goes after this
  }

  int64_t fail_work = 0;  // the n-th piece of work from now faults while it runs: the device is lost
  bool lost = false;      // it has

  // Work that another library puts on a stream of its own, which the host does not know.
  void submit_foreign(std::function<void()> work) { submit(foreign_stream(), nullptr, std::move(work)); }

 private:
  using Stream = gpuopt_plugin_stream *;
  struct Queue {
    std::deque<std::function<void()>> work;
    uint64_t submitted = 0, done = 0;
    std::string launched;  // since the last synchronisation
  };

  Stream foreign_stream() { return reinterpret_cast<Stream>(this); }

  static AsyncDevice &self(gpuopt_plugin_device *device) {
    return static_cast<AsyncDevice &>(FakeDevice::self(device));
  }

  // OK, or the answer of every slot once the fault was noticed.
  gpuopt_status usable(Stream stream, gpuopt_error *error) {
    if (!lost) return GPUOPT_OK;
    if (told_) note("a slot of a lost device was called");
    told_ = true;
    const std::string text = "a kernel faulted; launched before:" + queues_[stream].launched;
    return refuse(error, GPUOPT_ERR_DEVICE_LOST, text.c_str());
  }

  gpuopt_status submit(Stream stream, gpuopt_error *error, std::function<void()> work) {
    const gpuopt_status status = usable(stream, error);
    if (status != GPUOPT_OK) return status;
    Queue &queue = queues_[stream];
    queue.work.push_back(std::move(work));
    ++queue.submitted;
    return GPUOPT_OK;
  }

  void run_until(Stream stream, uint64_t number) {
    Queue &queue = queues_[stream];
    while (queue.done < number) {
      const std::function<void()> work = std::move(queue.work.front());
      queue.work.pop_front();
      ++queue.done;
      if (fail_work && --fail_work == 0) lost = true;
      if (!lost) work();
    }
  }
  void drain(Stream stream) { run_until(stream, queues_[stream].submitted); }

  gpuopt_status drained(Stream stream, gpuopt_error *error) {
    if (!lost) drain(stream);
    const gpuopt_status status = usable(stream, error);
    if (status == GPUOPT_OK) queues_[stream].launched.clear();
    return status;
  }

  static gpuopt_status allocate(gpuopt_plugin_device *device, Stream stream, uint64_t bytes, void **memory,
                                gpuopt_error *error) {
    const gpuopt_status status = self(device).usable(stream, error);
    return status == GPUOPT_OK ? FakeDevice::allocate(device, stream, bytes, memory, error) : status;
  }

  // Freed in stream order; whoever reads it afterwards reads rubbish, not memory of somebody else's.
  static void deallocate(gpuopt_plugin_device *device, Stream stream, void *memory, uint64_t bytes) {
    AsyncDevice &fake = self(device);
    const auto block = fake.blocks.find(memory);
    if (block == fake.blocks.end() || block->second != bytes) return fake.note("freed what was not allocated");
    fake.blocks.erase(block);
    fake.graveyard_.push_back(memory);
    if (!fake.lost) fake.submit(stream, nullptr, [=] { std::memset(memory, 0xdd, bytes); });
  }

  static gpuopt_status create_stream(gpuopt_plugin_device *device, uint32_t flags, Stream *stream,
                                     gpuopt_error *error) {
    const gpuopt_status status = self(device).usable(nullptr, error);
    return status == GPUOPT_OK ? self(device).before_.stream_create(device, flags, stream, error) : status;
  }
  static void destroy_stream(gpuopt_plugin_device *device, Stream stream) {
    AsyncDevice &fake = self(device);
    if (!fake.lost) fake.drain(stream);
    fake.queues_.erase(stream);
    fake.before_.stream_destroy(device, stream);
  }
  static gpuopt_status synchronize(gpuopt_plugin_device *device, Stream stream, gpuopt_error *error) {
    ++self(device).synchronizations;
    return self(device).drained(stream, error);
  }

  static gpuopt_status synchronize_device(gpuopt_plugin_device *device, gpuopt_error *error) {
    AsyncDevice &fake = self(device);
    for (auto &queue : fake.queues_)
      if (!fake.lost) fake.drain(queue.first);
    return fake.usable(fake.foreign_stream(), error);
  }

  static gpuopt_status record_event(gpuopt_plugin_device *device, gpuopt_plugin_event *event, Stream stream,
                                    gpuopt_error *error) {
    AsyncDevice &fake = self(device);
    fake.events_[event] = {stream, fake.queues_[stream].submitted};
    fake.launched_[event] = fake.queues_[stream].launched;
    return fake.usable(stream, error);
  }
  static gpuopt_status wait_event(gpuopt_plugin_device *device, gpuopt_plugin_event *event, Stream stream,
                                  gpuopt_error *error) {
    AsyncDevice &fake = self(device);
    ++fake.waits;
    const auto [before, number] = fake.events_[event];
    fake.queues_[stream].launched += fake.launched_[event];
    return fake.submit(stream, error, [&fake, before = before, number = number] {
      if (fake.queues_.count(before)) fake.run_until(before, number);
    });
  }

  static gpuopt_status copy_to_host(gpuopt_plugin_device *device, Stream stream, void *host, const void *memory,
                                    uint64_t bytes, gpuopt_error *error) {
    const gpuopt_status status = self(device).drained(stream, error);
    if (status == GPUOPT_OK) std::memcpy(host, memory, bytes);
    return status;
  }
  static gpuopt_status copy_from_host(gpuopt_plugin_device *device, Stream stream, void *memory, const void *host,
                                      uint64_t bytes, gpuopt_error *error) {
    const std::string kept(static_cast<const char *>(host), bytes);
    return self(device).submit(stream, error, [=] { std::memcpy(memory, kept.data(), kept.size()); });
  }
  static gpuopt_status copy_on_device(gpuopt_plugin_device *device, Stream stream, void *to, const void *from,
                                      uint64_t bytes, gpuopt_error *error) {
    return self(device).submit(stream, error, [=] { std::memcpy(to, from, bytes); });
  }

  static gpuopt_status run(gpuopt_plugin_device *device, Stream stream, const gpuopt_program *program,
                           gpuopt_error *error) {
    AsyncDevice &fake = self(device);
    if (fake.usable(stream, error) != GPUOPT_OK) return GPUOPT_ERR_DEVICE_LOST;
    const gpuopt_status status = fake.accept(*program, error);
    if (status != GPUOPT_OK) return status;
    fake.queues_[stream].launched += " program of " + std::to_string(program->nsteps) + " steps";
    const auto owned = std::make_shared<OwnedProgram>(*program);
    return fake.submit(stream, error, [owned] { ReferenceExecutor(owned->get()).run(); });
  }

  gpuopt_plugin_api before_{};
  std::map<Stream, Queue> queues_;
  std::map<gpuopt_plugin_event *, std::pair<Stream, uint64_t>> events_;
  std::map<gpuopt_plugin_event *, std::string> launched_;  // before the event was recorded
  std::vector<void *> graveyard_;
  bool told_ = false;
};

}  // namespace gpuopt::test
