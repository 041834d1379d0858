// plugins/cpu/kernel/host_calls.h -- what a task of a launch and the functions that its kernel calls on the host know
// of each other: where to go when the kernel is ended, and what it has printed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {

// Writes what the tasks of a launch print to the standard output, in the order of their blocks. Safe from any threads.
class LaunchOutput {
 public:
  LaunchOutput() = default;
  ~LaunchOutput();  // writes what is left, and flushes the standard output if anything was written
  LaunchOutput(const LaunchOutput &) = delete;
  LaunchOutput &operator=(const LaunchOutput &) = delete;

  // Takes all that the blocks [first, last) have printed since the last write_early().
  void add(uint64_t first, uint64_t last, std::string text) noexcept;
  // Writes the text and empties it if all blocks before `first` are done.
  void write_early(uint64_t first, std::string &text);

 private:
  struct Part {
    uint64_t last;
    std::string text;
  };
  void write(const std::string &text);

  std::mutex mutex_;
  uint64_t next_ = 0;  // the first block that is not done
  std::map<uint64_t, Part> waiting_;
  bool written_ = false;
};

// The blocks [first, last) of a launch, which one thread of the host runs, and where they print: without an output, to
// the standard output when the task ends.
struct LaunchTask {
  LaunchOutput *output = nullptr;
  uint64_t first = 0, last = 0;
};

// What kernels' calls of the host do for the blocks of a task. Make it outside of run_watched()
// (plugins/cpu/code/fault_guard.h), so that a fault leaves it as it is.
class HostCalls {
 public:
  // While the object lives, the calling thread runs the task. Around run_watched(), as a fault leaves run() by a jump.
  class Scope {
   public:
    explicit Scope(HostCalls &calls) noexcept;
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    HostCalls *const outer_;
  };

  explicit HostCalls(const LaunchTask &task);
  ~HostCalls();  // hands over what was printed
  HostCalls(const HostCalls &) = delete;
  HostCalls &operator=(const HostCalls &) = delete;
  static HostCalls *current() noexcept;  // of the calling thread; NULL outside of a launch
  // The task ends before block `last`: another one runs the rest.
  void end_at(uint64_t last) { task_.last = last; }

  // Calls body(). False if end() left it, by a jump that runs no destructors between the two.
  bool run(FunctionRef<void()> body);
  // Ends the kernel, in a function that it calls. The reason has a verb or a noun ("assertion failed"), and what it is
  // about.
  [[noreturn]] void end();
  void note(const char *what, uint32_t thread, const std::string &about) noexcept;
  // What note() was told: "assertion failed: thread (0, 0, 0) of block (1, 0, 0): x > 0", with this name of a thread.
  std::string reason(const std::string &who) const { return what_ + ": " + who + about_; }
  int64_t thread() const { return thread_; }  // the thread's number in its block, -1 if it has none

  // What printf() of a kernel does (print_format.h).
  void print(const char *format, int count, const uint64_t *values);

 private:
  static constexpr size_t kMuch = 65536;

  void *back_[5] = {};  // of __builtin_setjmp(), which no sanitizer knows and which saves no mask of signals
  bool ended_ = false;
  std::string what_, about_;
  int64_t thread_ = -1;
  LaunchTask task_;
  std::string printed_;
};

}  // namespace gpuopt::cpu
