// tests/unit/core_fake_device.h -- a device whose plugin executes programs literally, counts what it is asked for,
// checks the host's side of the plugin contract, and fails where a test wants it to.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "tests/set_variable.h"
#include "tests/unit/cpu_program_reference.h"

namespace gpuopt::test {

// One device of the fake backend, with an engine of its own. Everything is released with it, and it checks that nothing
// is left.
class FakeDevice {
 public:
  explicit FakeDevice(bool eager = false, uint64_t memory_bytes = uint64_t{1} << 40, bool events = true) {
    backend_.name = "fake";
    backend_.api = table(events);
    backend_.op_count = GPUOPT_OP_COUNT;
    backend_.reduction_count = GPUOPT_REDUCTION_COUNT;
    backend_.scan_count = GPUOPT_SCAN_COUNT;
    device_.backend = &backend_;
    device_.handle = reinterpret_cast<gpuopt_plugin_device *>(this);
    device_.name = "fake:0";
    device_.info.flags = GPUOPT_DEVICE_HOST_MEMORY;
    device_.info.memory_bytes = memory_bytes;
    setenv("GPUOPT_EAGER", eager ? "1" : "0", 1);
    device_.engines = make_engines(&device_);
    device_.default_stream = make_stream(&device_).leave();
    device_.default_stream->make_permanent();
  }
  virtual ~FakeDevice() {
    EXPECT_EQ(blocks.size(), 0u) << "memory is left";
    EXPECT_EQ(open_events, 0) << "events are left";
  }
  FakeDevice(const FakeDevice &) = delete;

  gpuopt_device get() { return &device_; }
  Backend &backend() { return backend_; }

  // Counters, and faults: the n-th next call (1: the very next) fails, 0: none.
  std::map<void *, uint64_t> blocks;
  int64_t programs = 0, allocations = 0, steps = 0, in_place = 0;
  int64_t fail_allocation = 0, fail_run = 0;
  uint64_t capacity = UINT64_MAX;  // of its memory
  gpuopt_status run_status = GPUOPT_ERR_INTERNAL;
  int refuse_more_steps_than = GPUOPT_PROGRAM_MAX_STEPS;  // larger programs are ERR_UNSUPPORTED
  int lacking_op = -1;                                    // programs with it are, too
  int open_events = 0, waits = 0;
  std::atomic<int> synchronizations{0};  // copies to the host wait outside of the engine's lock
  std::string violation;                 // the first broken rule of the plugin contract
  std::vector<gpuopt_step> last_steps;

 protected:
  static FakeDevice &self(gpuopt_plugin_device *device) { return *reinterpret_cast<FakeDevice *>(device); }

  static gpuopt_status refuse(gpuopt_error *error, gpuopt_status code, const char *message) {
    if (error) std::snprintf(error->message, sizeof error->message, "%s", message);
    return code;
  }

  static gpuopt_status allocate(gpuopt_plugin_device *device, gpuopt_plugin_stream *, uint64_t bytes, void **memory,
                                gpuopt_error *error) {
    FakeDevice &fake = self(device);
    ++fake.allocations;
    uint64_t used = 0;
    for (const auto &block : fake.blocks) used += block.second;
    if ((fake.fail_allocation && --fake.fail_allocation == 0) || used + bytes > fake.capacity) {
      return refuse(error, GPUOPT_ERR_OUT_OF_MEMORY, "no memory, says the fake");
    }
    *memory = std::malloc(bytes);
    std::memset(*memory, 0xcd, bytes);
    fake.blocks[*memory] = bytes;
    return GPUOPT_OK;
  }

  static void deallocate(gpuopt_plugin_device *device, gpuopt_plugin_stream *, void *memory, uint64_t bytes) {
    FakeDevice &fake = self(device);
    const auto block = fake.blocks.find(memory);
    if (block == fake.blocks.end() || block->second != bytes) return fake.note("freed what was not allocated");
    fake.blocks.erase(block);
    std::free(memory);
  }

  void note(const char *what) {
    if (violation.empty()) violation = what;
  }

  // Whether the program may run: OK, or a refusal.
  gpuopt_status accept(const gpuopt_program &program, gpuopt_error *error) {
    if (fail_run && --fail_run == 0) return refuse(error, run_status, "no run, says the fake");
    if (program.nsteps > refuse_more_steps_than) return refuse(error, GPUOPT_ERR_UNSUPPORTED, "too long");
    if (lacks(program)) return refuse(error, GPUOPT_ERR_UNSUPPORTED, "no such loop, says the fake");
    ++programs;
    steps += program.nsteps;
    last_steps.assign(program.steps, program.steps + program.nsteps);
    check(program);
    return GPUOPT_OK;
  }

  static gpuopt_status run(gpuopt_plugin_device *device, gpuopt_plugin_stream *, const gpuopt_program *program,
                           gpuopt_error *error) {
    const gpuopt_status status = self(device).accept(*program, error);
    if (status == GPUOPT_OK) ReferenceExecutor(*program).run();
    return status;
  }

  bool lacks(const gpuopt_program &p) const {
    return std::any_of(p.steps, p.steps + p.nsteps, [&](const gpuopt_step &step) {
      return step.kind == GPUOPT_STEP_ELEMENTWISE && step.index == lacking_op;
    });
  }

  struct Bytes {
    const char *begin, *end;
  };
  static Bytes extent(const gpuopt_program &p, const gpuopt_operand &operand) {
    const char *begin = static_cast<const char *>(operand.data), *end = begin + size_of(operand.dtype);
    for (int d = 0; d < p.ndim; ++d) {
      const int64_t reach = operand.strides[d] * (p.shape[d] - 1);
      (reach < 0 ? begin : end) += reach;
    }
    return {begin, end};
  }

  void check(const gpuopt_program &p) {
    if (p.ninputs + p.noutputs > GPUOPT_PROGRAM_MAX_OPERANDS) note("too many operands");
    if (p.noutputs > GPUOPT_PROGRAM_MAX_OUTPUTS) note("too many outputs");
    if (p.nsteps > GPUOPT_PROGRAM_MAX_STEPS) note("too many steps");
    for (int i = 0; i < p.nsteps; ++i) check_step(p, i);
    for (int i = 0; i < p.noutputs; ++i) check_output(p, i);
  }

  void check_step(const gpuopt_program &p, int i) {
    const gpuopt_step &s = p.steps[i];
    for (int k = 0; k < s.nsrc; ++k) {
      const gpuopt_step &source = p.steps[s.src[k]];
      if (s.src[k] >= i) note("a source is not an earlier step");
      const bool select = s.kind == GPUOPT_STEP_ELEMENTWISE && s.index == GPUOPT_OP_where && k == 0;
      if (source.dtype != (select ? int{GPUOPT_BOOL} : s.loop_dtype)) note("a source has another dtype");
      const bool reduced = source.kind != GPUOPT_STEP_CONSTANT && source.level == GPUOPT_LEVEL_REDUCED;
      const bool full = source.kind != GPUOPT_STEP_CONSTANT && source.level == GPUOPT_LEVEL_FULL;
      const bool collects = s.kind == GPUOPT_STEP_REDUCE || s.kind == GPUOPT_STEP_SCAN;
      if (collects && reduced) note("a REDUCE or SCAN has a REDUCED source");
      if (!collects && full && s.level == GPUOPT_LEVEL_REDUCED) note("a REDUCED step has a FULL source");
    }
    if (s.kind == GPUOPT_STEP_REDUCE && s.dtype != reduction_op(s.index, s.loop_dtype).result_dtype) {
      note("a REDUCE has the wrong result dtype");
    }
    if (s.kind == GPUOPT_STEP_ELEMENTWISE && s.dtype != scalar_op(s.index, s.loop_dtype).result_dtype) {
      note("an operation has the wrong result dtype, or no loop");
    }
  }

  // Every pass that reads the value of step `at`, written as in gpuopt_plugin.h.
  static int stage(const gpuopt_program &p, int at) {
    int largest = 0;
    for (int k = 0; k < p.steps[at].nsrc; ++k) {
      const int source = p.steps[at].src[k];
      largest = std::max(largest, stage(p, source) + (p.steps[source].kind == GPUOPT_STEP_REDUCE));
    }
    return largest;
  }
  static bool evaluates(const gpuopt_program &p, int root, int step) {
    if (root == step) return true;
    if (p.steps[root].kind == GPUOPT_STEP_REDUCE) return false;
    for (int k = 0; k < p.steps[root].nsrc; ++k) {
      if (evaluates(p, p.steps[root].src[k], step)) return true;
    }
    return false;
  }

  void check_output(const gpuopt_program &p, int index) {
    const gpuopt_operand &out = p.outputs[index];
    const Bytes bytes = extent(p, out);
    int exact = 0, output_step = 0;
    for (int i = 0; i < p.nsteps; ++i) {
      if (p.steps[i].kind == GPUOPT_STEP_OUTPUT && p.steps[i].index == index) output_step = i;
    }
    for (int d = 0; d < p.ndim; ++d) {
      const bool kept = p.steps[output_step].level == GPUOPT_LEVEL_FULL || !(p.reduced_axes >> d & 1);
      if (kept && p.shape[d] > 1 && out.strides[d] == 0) note("an output stores one element many times");
    }
    for (int i = 0; i < p.noutputs; ++i) {
      const Bytes other = extent(p, p.outputs[i]);
      if (i != index && other.begin < bytes.end && bytes.begin < other.end) note("two outputs overlap");
    }
    for (int i = 0; i < p.ninputs; ++i) {
      const gpuopt_operand &in = p.inputs[i];
      const Bytes other = extent(p, in);
      if (other.begin >= bytes.end || bytes.begin >= other.end) continue;
      if (in.data != out.data || in.dtype != out.dtype || !std::equal(in.strides, in.strides + p.ndim, out.strides)) {
        note("an output overlaps an input without being it");
      }
      ++exact;
      check_in_place(p, output_step, i);
    }
    if (exact > 1) note("an output is two inputs");
    in_place += exact;
  }

  void check_in_place(const gpuopt_program &p, int output_step, int input) {
    int input_step = 0;
    for (int i = 0; i < p.nsteps; ++i) {
      if (p.steps[i].kind == GPUOPT_STEP_INPUT && p.steps[i].index == input) input_step = i;
    }
    for (int i = 0; i < p.nsteps; ++i) {
      const int kind = p.steps[i].kind;
      if (kind != GPUOPT_STEP_REDUCE && kind != GPUOPT_STEP_OUTPUT) continue;
      const int source = p.steps[i].src[0];
      const bool later = stage(p, i) > stage(p, output_step);
      const bool beside = p.steps[output_step].level == GPUOPT_LEVEL_REDUCED && stage(p, i) == stage(p, output_step) &&
                          (kind == GPUOPT_STEP_REDUCE || p.steps[i].level == GPUOPT_LEVEL_FULL);
      if ((later || beside) && evaluates(p, source, input_step)) note("a pass reads an input after it was overwritten");
    }
  }

  static gpuopt_status copy(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, const void *from, uint64_t bytes,
                            gpuopt_error *) {
    std::memcpy(to, from, bytes);
    return GPUOPT_OK;
  }

  static gpuopt_plugin_api table(bool events) {
    gpuopt_plugin_api api{};
    api.device_close = [](gpuopt_plugin_device *) {};
    api.memory_allocate = allocate;
    api.memory_free = deallocate;
    api.stream_create = [](gpuopt_plugin_device *, uint32_t, gpuopt_plugin_stream **stream, gpuopt_error *) {
      *stream = reinterpret_cast<gpuopt_plugin_stream *>(new int);
      return gpuopt_status{GPUOPT_OK};
    };
    api.stream_destroy = [](gpuopt_plugin_device *, gpuopt_plugin_stream *stream) {
      delete reinterpret_cast<int *>(stream);
    };
    api.stream_synchronize = [](gpuopt_plugin_device *device, gpuopt_plugin_stream *, gpuopt_error *) {
      ++self(device).synchronizations;
      return gpuopt_status{GPUOPT_OK};
    };
    api.event_create = [](gpuopt_plugin_device *device, uint32_t, gpuopt_plugin_event **event, gpuopt_error *) {
      ++self(device).open_events;
      *event = reinterpret_cast<gpuopt_plugin_event *>(new int);
      return gpuopt_status{GPUOPT_OK};
    };
    if (!events) {
      api.event_create = [](gpuopt_plugin_device *, uint32_t, gpuopt_plugin_event **, gpuopt_error *) {
        return gpuopt_status{GPUOPT_ERR_UNSUPPORTED};
      };
    }
    api.event_destroy = [](gpuopt_plugin_device *device, gpuopt_plugin_event *event) {
      --self(device).open_events;
      delete reinterpret_cast<int *>(event);
    };
    api.event_record = [](gpuopt_plugin_device *, gpuopt_plugin_event *, gpuopt_plugin_stream *, gpuopt_error *) {
      return gpuopt_status{GPUOPT_OK};
    };
    api.event_wait = [](gpuopt_plugin_device *device, gpuopt_plugin_event *, gpuopt_plugin_stream *, gpuopt_error *) {
      ++self(device).waits;
      return gpuopt_status{GPUOPT_OK};
    };
    api.copy_to_host = copy;
    api.copy_from_host = copy;
    api.copy_on_device = copy;
    api.copy_peer = [](gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, gpuopt_plugin_device *,
                       const void *from, uint64_t bytes, gpuopt_error *) {
      std::memcpy(to, from, bytes);
      return gpuopt_status{GPUOPT_OK};
    };
    api.program_run = run;
    api.device_synchronize = [](gpuopt_plugin_device *, gpuopt_error *) {  // as the host's stub
      return gpuopt_status{GPUOPT_ERR_UNSUPPORTED};
    };
    return api;
  }

 private:
  Backend backend_;
  gpuopt_device_s device_;
};

}  // namespace gpuopt::test
