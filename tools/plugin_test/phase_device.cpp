// tools/plugin_test/phase_device.cpp -- checks slots by calling them: probe, devices, memory, copies, streams, events.
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tools/plugin_test/loaded.h"
#include "tools/plugin_test/loops.h"
#include "tools/plugin_test/phase.h"

namespace gpuopt::plugin_test {
namespace {

gpuopt_error new_error() { return GPUOPT_ERROR_INIT; }

// Runs the rules of the phase, one member function each, with device 0 and a stream of it.
class Device {
 public:
  Device(const gpuopt_plugin_api &api, Recorder &recorder) : api_(api), recorder_(recorder) {}

  void run() {
    if (!probe()) return;
    if (!open()) return;
    info();
    if (!create_stream()) return;
    memory();
    copies();
    float_mode();
    statistics();
    too_much_memory();
    events();
    synchronize();
    loops();
    close();
  }

 private:
  // Runs one rule and returns whether it passes. body() makes calls with call() or must() and returns what is wrong, or
  // "".
  template <class Body>
  bool rule(const char *name, Body body) {
    recorder_.begin(name);
    problem_.clear();
    detail_.clear();
    std::string found = body();
    if (problem_.empty()) problem_ = std::move(found);
    recorder_.end(problem_.empty() ? Verdict::kPass : Verdict::kFail, problem_.empty() ? detail_ : problem_);
    return problem_.empty();
  }

  // Calls a slot, with an error as its last argument, and returns its status. Sets problem_ if it throws or reports a
  // failure incorrectly. must() returns a description if the slot fails, "" otherwise.
  template <class Function, class... Args>
  gpuopt_status call(Function function, Args... args) {
    error_ = new_error();
    const gpuopt_status status = call_slot([&] { return function(args..., &error_); }, &problem_);
    if (problem_.empty()) problem_ = error_problem(status, error_);
    return status;
  }
  template <class Function, class... Args>
  std::string must(const char *what, Function function, Args... args) {
    const gpuopt_status status = call(function, args...);
    return status == GPUOPT_OK ? "" : std::string(what) + " failed: " + said(status, error_);
  }

  // Returns whether the plugin has the slot at this offset of the table.
  bool offered(size_t offset) const {
    void *function = nullptr;
    if (offset + sizeof function <= api_.header.struct_size)
      std::memcpy(&function, reinterpret_cast<const char *>(&api_) + offset, sizeof function);
    return function != nullptr;
  }
  void unsupported(const char *name) {
    recorder_.begin(name);
    recorder_.end(Verdict::kUnsupported, "left to the host");
  }

  bool probe();
  bool open();
  void info();
  bool create_stream();
  void memory();
  void copies();
  void float_mode();
  std::string run_addition(void *memory);
  void statistics();
  void too_much_memory();
  void events();
  void synchronize();
  void loops();
  void close();

  const gpuopt_plugin_api &api_;
  Recorder &recorder_;
  std::string problem_, detail_;  // of the rule that runs
  gpuopt_error error_{};
  int32_t count_ = 0;
  gpuopt_plugin_device *device_ = nullptr;
  gpuopt_plugin_stream *stream_ = nullptr;
};

// Returns what is wrong with a successful answer of probe, "" if nothing is.
std::string answer_problem(const Guarded<gpuopt_plugin_probe> &probe) {
  if (!probe.intact()) return "it wrote behind the struct";
  if (probe.value.device_count < 0) return "it counts " + std::to_string(probe.value.device_count) + " devices";
  if (probe.value.device_count == 0)
    return "it finds no device and says all is well: a backend that cannot work returns GPUOPT_ERR_UNAVAILABLE with "
           "the reason";
  if (probe.value.hardware_present < -1 || probe.value.hardware_present > 1)
    return "hardware_present is none of 1, 0, -1";
  return std::memchr(probe.value.driver, 0, sizeof probe.value.driver) ? "" : "the driver's text does not end";
}

// Returns whether there is a device for further rules. A backend that cannot work here passes this rule if it says why.
bool Device::probe() {
  gpuopt_status status = GPUOPT_OK;
  Guarded<gpuopt_plugin_probe> answer;
  answer.value.struct_size = sizeof answer.value;
  const bool fine = rule("probe works, or says why not", [&]() -> std::string {
    status = call(api_.probe, &answer.value);
    if (status == GPUOPT_OK) return answer_problem(answer);
    if (status != GPUOPT_ERR_UNAVAILABLE)
      return "it refuses with " + said(status, error_) + " instead of GPUOPT_ERR_UNAVAILABLE";
    detail_ = "it cannot work here: " + said(status, error_);
    return error_.reason > GPUOPT_REASON_NONE && error_.reason < GPUOPT_REASON_COUNT
               ? ""
               : "it refuses without a reason (" + std::to_string(error_.reason) + ")";
  });
  count_ = answer.value.device_count;
  if (fine && status != GPUOPT_OK) recorder_.not_run("devices", "it cannot work here: " + said(status, error_));
  return fine && status == GPUOPT_OK;
}

bool Device::open() {
  const bool fine = rule("device_open", [&] { return must("device_open(0)", api_.device_open, 0, &device_); });
  if (!fine) return false;
  if (!device_) return rule("device_open gives a device", [] { return "it gave NULL"; });
  rule("device_open refuses numbers there are none of", [&]() -> std::string {
    for (const int32_t index : {count_, -1}) {
      gpuopt_plugin_device *none = nullptr;
      if (call(api_.device_open, index, &none) == GPUOPT_OK)
        return "it opened number " + std::to_string(index) + " of " + std::to_string(count_);
    }
    return "";
  });
  return true;
}

void Device::info() {
  rule("device_info", [&]() -> std::string {
    Guarded<gpuopt_plugin_device_info> info;
    info.value.struct_size = sizeof info.value;
    if (std::string failed = must("device_info", api_.device_info, device_, &info.value); !failed.empty())
      return failed;
    if (!info.intact()) return "it wrote behind the struct";
    if (!std::memchr(info.value.name, 0, sizeof info.value.name)) return "the device's name does not end";
    if (!std::memchr(info.value.detail, 0, sizeof info.value.detail)) return "the detail does not end";
    if (!info.value.name[0]) return "the device has no name";
    detail_ = info.value.name;
    return info.value.processors >= 0 ? "" : "it has a negative number of processors";
  });
}

bool Device::create_stream() {
  return rule("streams", [&]() -> std::string {
    gpuopt_plugin_stream *second = nullptr;
    std::string failed = must("stream_create", api_.stream_create, device_, 0u, &stream_);
    if (failed.empty()) failed = must("a second stream_create", api_.stream_create, device_, 0u, &second);
    if (failed.empty() && (!stream_ || !second)) failed = "stream_create gave NULL";
    if (failed.empty()) failed = must("stream_synchronize", api_.stream_synchronize, device_, stream_);
    if (failed.empty()) api_.stream_destroy(device_, second);
    return failed;
  });
}

void Device::memory() {
  rule("memory", [&]() -> std::string {
    std::vector<std::pair<void *, uint64_t>> blocks;
    for (const uint64_t bytes : {1ull, 63ull, 4096ull, 1000001ull}) {
      void *block = nullptr;
      if (std::string failed = must("memory_allocate", api_.memory_allocate, device_, stream_, bytes, &block);
          !failed.empty())
        return failed;
      if (!block) return "memory_allocate gave NULL for " + std::to_string(bytes) + " bytes";
      if (reinterpret_cast<uintptr_t>(block) % 16 != 0) return "a block is not aligned for every dtype (16 bytes)";
      for (const auto &[other, size] : blocks) {
        const char *a = static_cast<char *>(block), *b = static_cast<char *>(other);
        if (a < b + size && b < a + bytes) return "two blocks overlap";
      }
      blocks.emplace_back(block, bytes);
    }
    for (const auto &[block, bytes] : blocks) api_.memory_free(device_, stream_, block, bytes);
    return "";
  });
}

void Device::copies() {
  rule("copies", [&]() -> std::string {
    constexpr uint64_t kBytes = 100003, kAt = 5;
    std::vector<unsigned char> sent(kBytes), back(kBytes);
    for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(i * 31 + i / 251);
    void *first = nullptr, *second = nullptr;
    std::string failed = must("memory_allocate", api_.memory_allocate, device_, stream_, kBytes, &first);
    if (failed.empty()) failed = must("memory_allocate", api_.memory_allocate, device_, stream_, kBytes, &second);
    const auto at = [](void *block, uint64_t offset) {
      return static_cast<void *>(static_cast<char *>(block) + offset);
    };
    if (failed.empty())
      failed = must("copy_from_host", api_.copy_from_host, device_, stream_, first,
                    static_cast<const void *>(sent.data()), kBytes);
    if (failed.empty())
      failed = must("copy_on_device", api_.copy_on_device, device_, stream_, second, static_cast<const void *>(first),
                    kBytes);
    if (failed.empty())
      failed = must("copy_to_host", api_.copy_to_host, device_, stream_, static_cast<void *>(back.data() + kAt),
                    static_cast<const void *>(at(second, kAt)), kBytes - 2 * kAt);
    if (failed.empty()) failed = must("stream_synchronize", api_.stream_synchronize, device_, stream_);
    if (!failed.empty()) return failed;
    api_.memory_free(device_, stream_, first, kBytes);
    api_.memory_free(device_, stream_, second, kBytes);
    const bool same = std::equal(back.begin() + kAt, back.end() - kAt, sent.begin() + kAt);
    const bool beyond = std::any_of(back.begin(), back.begin() + kAt, [](unsigned char c) { return c != 0; });
    return !same ? "bytes came back that were not sent" : beyond ? "it copied more than was asked for" : "";
  });
}

// Runs a program that adds four float32 numbers to four others. The three operands are 64 bytes apart in `memory`.
// Returns a description if it fails, "" otherwise.
std::string Device::run_addition(void *memory) {
  static const int64_t shape[1] = {4}, strides[1] = {sizeof(float)};
  static const gpuopt_step steps[] = {
      {GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 0, 0, {}},
      {GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 1, 0, {}},
      {GPUOPT_STEP_ELEMENTWISE, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, GPUOPT_OP_add, 2, {0, 1, 0, 0}},
      {GPUOPT_STEP_OUTPUT, GPUOPT_LEVEL_FULL, GPUOPT_FLOAT32, GPUOPT_FLOAT32, 0, 1, {2, 0, 0, 0}}};
  const auto operand = [&](int k) {
    return gpuopt_operand{static_cast<char *>(memory) + 64 * k, strides, GPUOPT_FLOAT32, 0};
  };
  const gpuopt_operand inputs[] = {operand(0), operand(1)}, output = operand(2);
  gpuopt_program program{};
  program.struct_size = sizeof program;
  program.key = 1;
  program.ndim = 1;
  program.nsteps = 4;
  program.ninputs = 2;
  program.noutputs = 1;
  program.shape = shape;
  program.steps = steps;
  program.inputs = inputs;
  program.outputs = &output;
  return must("program_run", api_.program_run, device_, stream_, static_cast<const gpuopt_program *>(&program));
}

// Checks that a slot does not change the floating-point mode. The library restores its callers' mode in any case, but
// what it computes itself after the slot, in the same call, would run in the plugin's mode.
void Device::float_mode() {
  rule("leaves the floating-point mode alone", [&]() -> std::string {
    constexpr uint64_t kBytes = 192;
    void *memory = nullptr;
    const ProcessState before = read_process();
    std::string failed = must("memory_allocate", api_.memory_allocate, device_, stream_, kBytes, &memory);
    if (!failed.empty()) return failed;
    failed = run_addition(memory);
    api_.memory_free(device_, stream_, memory, kBytes);
    ProcessState after = before;  // a plugin may start threads and open files here
    after.float_mode = read_process().float_mode;
    return failed.empty() ? differences(before, after) : failed;
  });
}

void Device::statistics() {
  if (!offered(offsetof(gpuopt_plugin_api, memory_stats))) return unsupported("memory_stats");
  rule("memory_stats", [&]() -> std::string {
    constexpr uint64_t kBytes = 1 << 20;
    const auto in_use = [&] {
      gpuopt_memory_stats stats{};
      stats.struct_size = sizeof stats;
      return call(api_.memory_stats, device_, &stats) == GPUOPT_OK ? stats.in_use : ~uint64_t{0};
    };
    const uint64_t before = in_use();
    void *block = nullptr;
    if (std::string failed = must("memory_allocate", api_.memory_allocate, device_, stream_, kBytes, &block);
        !failed.empty())
      return failed;
    const uint64_t during = in_use();
    api_.memory_free(device_, stream_, block, kBytes);
    if (during < before + kBytes) return "in_use does not count a block of 1 MiB";
    return in_use() == before ? "" : "in_use does not go back when a block is freed";
  });
}

void Device::too_much_memory() {
  rule("says when memory does not suffice", [&]() -> std::string {
    void *block = nullptr;
    const gpuopt_status status = call(api_.memory_allocate, device_, stream_, uint64_t{1} << 60, &block);
    if (status == GPUOPT_OK) return "it gave 2^60 bytes";
    if (status != GPUOPT_ERR_OUT_OF_MEMORY)
      return "2^60 bytes are refused with " + said(status, error_) + " instead of GPUOPT_ERR_OUT_OF_MEMORY";
    std::string failed =
        must("memory_allocate after that", api_.memory_allocate, device_, stream_, uint64_t{64}, &block);
    if (failed.empty()) api_.memory_free(device_, stream_, block, 64);
    return failed;
  });
}

void Device::events() {
  if (!offered(offsetof(gpuopt_plugin_api, event_create)) || !offered(offsetof(gpuopt_plugin_api, event_record)) ||
      !offered(offsetof(gpuopt_plugin_api, event_synchronize)) || !offered(offsetof(gpuopt_plugin_api, event_destroy)))
    return unsupported("events");
  rule("events", [&]() -> std::string {
    gpuopt_plugin_event *first = nullptr, *second = nullptr;
    std::string failed = must("event_create", api_.event_create, device_, 0u, &first);
    if (failed.empty()) failed = must("event_create", api_.event_create, device_, 0u, &second);
    if (failed.empty() && (!first || !second)) failed = "event_create gave NULL";
    if (failed.empty()) failed = must("event_record", api_.event_record, device_, first, stream_);
    if (failed.empty() && offered(offsetof(gpuopt_plugin_api, event_wait)))
      failed = must("event_wait", api_.event_wait, device_, first, stream_);
    if (failed.empty()) failed = must("event_record", api_.event_record, device_, second, stream_);
    if (failed.empty()) failed = must("event_synchronize", api_.event_synchronize, device_, second);
    int32_t done = -1;
    if (failed.empty() && offered(offsetof(gpuopt_plugin_api, event_query))) {
      failed = must("event_query", api_.event_query, device_, second, &done);
      if (failed.empty() && done != 1) failed = "an event that was waited for is not done";
    }
    double milliseconds = -1;
    if (failed.empty() && offered(offsetof(gpuopt_plugin_api, event_elapsed))) {
      failed = must("event_elapsed", api_.event_elapsed, device_, first, second, &milliseconds);
      if (failed.empty() && !(milliseconds >= 0)) failed = "the time between two events is negative";
    }
    if (failed.empty()) api_.event_destroy(device_, first), api_.event_destroy(device_, second);
    return failed;
  });
}

void Device::synchronize() {
  if (!offered(offsetof(gpuopt_plugin_api, device_synchronize))) return unsupported("device_synchronize");
  rule("device_synchronize", [&] { return must("device_synchronize", api_.device_synchronize, device_); });
}

void Device::loops() {
  if (!offered(offsetof(gpuopt_plugin_api, elementwise_loop))) return unsupported("elementwise_loop");
  rule("elementwise_loop", [&]() -> std::string {
    int count = 0;
    for (int32_t op = 0; op < GPUOPT_OP_COUNT; ++op) {
      for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
        gpuopt_elementwise_loop loop = nullptr;
        int32_t result = 0;
        const std::string what = std::string(operation_name(op)) + " of " + gpuopt_dtype_name(dtype);
        std::string failed = must(what.c_str(), api_.elementwise_loop, device_, op, dtype, &loop, &result);
        if (failed.empty()) failed = loop_problem(op, loop, result);
        if (!failed.empty()) return what + ": " + failed;
        count += loop != nullptr;
      }
    }
    detail_ = std::to_string(count) + " loops";
    return "";
  });
}

void Device::close() {
  rule("stream_destroy and device_close", [&]() -> std::string {
    return call_slot(
               [&] {
                 api_.stream_destroy(device_, stream_);
                 api_.device_close(device_);
                 return gpuopt_status{GPUOPT_OK};
               },
               &problem_) == GPUOPT_OK
               ? ""
               : problem_;
  });
}

}  // namespace

void device_phase(const Subject &subject, Recorder &recorder) {
  std::string problem;
  recorder.begin("can be loaded");
  const gpuopt_plugin_api *api = load_table<BackendInterface>(subject.path, &problem);
  recorder.end(problem);
  if (api) Device(*api, recorder).run();
}

}  // namespace gpuopt::plugin_test
