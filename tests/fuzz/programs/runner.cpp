// tests/fuzz/programs/runner.cpp -- runs programs of the fuzzer through the C ABI and writes what each statement gave.
//
//   fuzz_runner PROGRAMS RESULTS [--dump] [--from N] [--slow FACTOR] [--device NAME] [--trace]
//
// PROGRAMS is a text (session.h); RESULTS is a sequence of records, each a header and its bytes. A program that needs
// more time than its size allows ends the process with status 3, after a record of what it was doing: who started it
// goes on with the next. --dump adds the value of each result, and of each array written in place, after the statement
// (which makes a program that is recorded run at once); --trace names each statement on stderr before it runs.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "tests/fuzz/programs/session.h"

namespace {

using namespace fuzz;

// Read by program.py as "<IIiiiiqq": kind, program, statement, status, dtype, ndim, bytes of the text after it, bytes
// of the payload.
struct Header {
  uint32_t kind;  // 'B' a program begins, 'S' a statement, 'E' the program has ended, 'T' it has taken too long
  uint32_t program;
  int32_t statement, status, dtype, ndim;
  int64_t shape_bytes,
      payload_bytes;  // the shape as int64, then the payload: the elements in C order, or what `item` and `print` give
};

constexpr int32_t kStatusSkipped = -1;

struct Settings {
  const char *programs = nullptr, *results = nullptr, *device = "cpu!";
  bool dump = false, trace = false;
  size_t from = 0;
  double slow = 1;
};

class Results {
 public:
  explicit Results(const char *path) : file_(std::fopen(path, "ab")) {
    if (!file_) std::perror(path), std::exit(2);
  }
  void write(Header header, const std::vector<int64_t> &shape, const std::vector<unsigned char> &payload) {
    const std::lock_guard<std::mutex> lock(mutex_);
    header.shape_bytes = static_cast<int64_t>(shape.size() * sizeof(int64_t));
    header.payload_bytes = static_cast<int64_t>(payload.size());
    put(&header, sizeof header);
    put(shape.data(), shape.size() * sizeof(int64_t));
    put(payload.data(), payload.size());
    if (header.kind != 'S') std::fflush(file_);
  }

 private:
  void put(const void *bytes, size_t size) {
    if (size && std::fwrite(bytes, 1, size, file_) != size) std::perror("fuzz_runner"), std::_Exit(2);
  }
  std::FILE *file_;
  std::mutex mutex_;
};

// Seconds of processor time that this process has used, over all of its threads.
double processor_seconds() {
#if defined(_WIN32)
  FILETIME created, ended, kernel, user;
  GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user);
  const auto ticks = [](FILETIME t) { return double(t.dwHighDateTime) * 4294967296.0 + t.dwLowDateTime; };
  return (ticks(kernel) + ticks(user)) * 1e-7;
#else
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
#endif
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Ends the process when the program under way has used more processor time than its size allows, or when it has made no
// progress for much longer by the clock, as where threads wait for each other.
class Watchdog {
 public:
  Watchdog(Results &results, double slow) : results_(results), slow_(slow), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  void begin(uint32_t program) {
    program_ = program, statement_ = 0;
    allow(0);
    processor_start_ = processor_seconds(), wall_start_ = wall_seconds();
    running_ = true;
  }
  void statement(int32_t number) { statement_ = number; }
  // One second of a processor, and a microsecond for each element that a statement has read or written.
  void allow(uint64_t elements) { allowed_ = slow_ * (1 + 1e-6 * double(elements)); }
  void end() { running_ = false; }

 private:
  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [this] { return over_; })) {
      if (!running_) continue;
      const double processor = processor_seconds() - processor_start_, wall = wall_seconds() - wall_start_;
      if (running_ && (processor > allowed_ || wall > 60 * allowed_)) give_up();
    }
  }
  [[noreturn]] void give_up() {
    results_.write({'T', program_, statement_, 0, 0, 0, 0, 0}, {}, {});
    std::_Exit(3);
  }

  Results &results_;
  const double slow_;
  std::atomic<bool> running_{false};
  std::atomic<uint32_t> program_{0};
  std::atomic<int32_t> statement_{0};
  std::atomic<double> allowed_{1}, processor_start_{0}, wall_start_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;  // the last, for it uses the others
};

// A NaN's sign and payload are free: every NaN becomes the same one before bits are compared.
template <class Bits>
void settle_nans(std::vector<unsigned char> &bytes, Bits infinity, Bits magnitude, Bits nan) {
  for (size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, &bytes[i], sizeof bits);
    if (Bits(bits & magnitude) > infinity) std::memcpy(&bytes[i], &nan, sizeof nan);
  }
}
void settle_nans(gpuopt_dtype dtype, std::vector<unsigned char> &bytes) {
  if (dtype == GPUOPT_FLOAT16) settle_nans<uint16_t>(bytes, 0x7c00, 0x7fff, 0x7e00);
  if (dtype == GPUOPT_BFLOAT16) settle_nans<uint16_t>(bytes, 0x7f80, 0x7fff, 0x7fc0);
  if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64)
    settle_nans<uint32_t>(bytes, 0x7f800000, 0x7fffffff, 0x7fc00000);
  if (dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128)
    settle_nans<uint64_t>(bytes, 0x7ff0000000000000, 0x7fffffffffffffff, 0x7ff8000000000000);
}

class Runner {
 public:
  Runner(const Settings &settings, const std::vector<Program> &programs)
      : settings_(settings), programs_(programs), results_(settings.results), watchdog_(results_, settings.slow) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    if (gpuopt_device_open(settings.device, nullptr, &device_, &error) != GPUOPT_OK)
      throw std::runtime_error(error.message);
  }
  ~Runner() { gpuopt_device_release(device_); }

  void run() {
    for (size_t i = settings_.from; i < programs_.size(); ++i) run(static_cast<uint32_t>(i));
  }

 private:
  void run(uint32_t number) {
    const Program &program = programs_[number];
    results_.write({'B', number, 0, 0, 0, 0, 0, 0}, {}, {});
    watchdog_.begin(number);
    {
      Session session;
      session.device = device_;
      session.scratch = settings_.results;
      for (size_t i = 0; i < program.statements.size(); ++i) {
        watchdog_.statement(static_cast<int32_t>(i));
        step(session, number, static_cast<int32_t>(i), program.statements[i]);
        watchdog_.allow(session.elements);
      }
    }
    watchdog_.end();
    results_.write({'E', number, 0, 0, 0, 0, 0, 0}, {}, {});
  }

  void step(Session &session, uint32_t number, int32_t place, const Statement &statement) {
    if (settings_.trace) std::fprintf(stderr, "%d: %s\n", place, statement.verb.c_str());
    Outcome outcome;
    gpuopt_array shown = nullptr;
    try {
      outcome = execute(session, statement);
      if (settings_.trace && outcome.status != GPUOPT_OK) std::fprintf(stderr, "  status %d\n", outcome.status);
      if (outcome.status == GPUOPT_OK && settings_.dump) shown = outcome.result ? outcome.result : outcome.written;
      if (outcome.status == GPUOPT_OK && statement.verb == "read") shown = session.array(statement.words[0]);
    } catch (const MissingArray &) {
      outcome.status = kStatusSkipped;
    }
    record(number, place, statement, outcome, shown);
  }

  // `shown` is the array whose elements go with the record: what was read, or with --dump what the statement has made
  // or written.
  void record(uint32_t number, int32_t place, const Statement &statement, Outcome &outcome, gpuopt_array shown) {
    Header header = {'S', number, place, outcome.status, 0, 0, 0, 0};
    std::vector<int64_t> shape;
    if (shown && !gpuopt_array_is_weak(shown)) {
      header.dtype = gpuopt_array_dtype(shown);
      header.ndim = gpuopt_array_ndim(shown);
      shape.assign(gpuopt_array_shape(shown), gpuopt_array_shape(shown) + header.ndim);
      if (statement.verb != "read") dump(shown, header, outcome.payload);
      settle_nans(header.dtype, outcome.payload);
    }
    results_.write(header, shape, outcome.payload);
  }
  void dump(gpuopt_array x, Header &header, std::vector<unsigned char> &payload) {
    payload.resize(static_cast<size_t>(gpuopt_array_nbytes(x)));
    const gpuopt_status status = gpuopt_to_host(x, payload.data(), payload.size(), nullptr);
    if (status != GPUOPT_OK) header.status = 1000 + status;  // the statement was accepted, and its value cannot be had
  }

  const Settings settings_;
  const std::vector<Program> &programs_;
  Results results_;
  Watchdog watchdog_;
  gpuopt_device device_ = nullptr;
};

Settings settings_of(int count, char **arguments) {
  Settings settings;
  if (count < 3)
    throw std::runtime_error(
        "usage: fuzz_runner PROGRAMS RESULTS [--dump] [--from N] [--slow FACTOR] [--device NAME] [--trace]");
  settings.programs = arguments[1], settings.results = arguments[2];
  for (int i = 3; i < count; ++i) {
    const std::string option = arguments[i];
    const bool has_value = i + 1 < count;
    if (option == "--dump")
      settings.dump = true;
    else if (option == "--trace")
      settings.trace = true;
    else if (option == "--from" && has_value)
      settings.from = std::stoul(arguments[++i]);
    else if (option == "--slow" && has_value)
      settings.slow = std::stod(arguments[++i]);
    else if (option == "--device" && has_value)
      settings.device = arguments[++i];
    else
      throw std::runtime_error("not an option: " + option);
  }
  return settings;
}

}  // namespace

int main(int count, char **arguments) {
  try {
    const Settings settings = settings_of(count, arguments);
    std::ifstream text(settings.programs);
    if (!text) throw std::runtime_error(std::string("cannot read ") + settings.programs);
    const std::vector<Program> programs = parse(text);
    Runner(settings, programs).run();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fuzz_runner: %s\n", e.what());
    return 2;
  }
  return 0;
}
