// plugins/cpu/program/tier_up.h -- compiles programs that run often: libgpuopt_jit does so in the background, unless
// the disk cache has the code. Until then, if there is no compiler, and where the interpreter is faster, programs are
// interpreted. The bits are the same.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "plugins/cpu/code/jit_watch.h"
#include "plugins/cpu/code/object_code.h"
#include "plugins/cpu/program/tier_choice.h"

namespace gpuopt::cpu {

struct Plan;

// The compiled code of a program (tier_text.h), loaded into memory.
class TierCode {
 public:
  // Throws std::runtime_error if the object has no entry point.
  explicit TierCode(std::unique_ptr<ObjectCode> code);
  // Runs the instructions of `entry` (Pass::entry) over tiles of some rows of n elements; values[s] is the tile of step
  // s, whose rows begin pitches[s] bytes apart. `pitches` may be NULL for one row.
  void run(int entry, char *const *values, const long long *pitches, int64_t rows, int64_t n) const noexcept {
    const long long row_count = rows, count = n;
    const void *const arguments[] = {&entry, &values, &pitches, &row_count, &count};
    run_(arguments);
  }

 private:
  const std::unique_ptr<ObjectCode> code_;
  void (*run_)(const void *const *arguments);
};

// What all threads share about a program: how much work its runs have been, and its code once there is some.
class Tier {
 public:
  // `at_once`: the first run compiles on its own thread, however little work it is. `compiles`: the compiler may be
  // used, and not only the disk cache.
  Tier(bool at_once, bool compiles) : at_once_(at_once), compiles_(compiles) {}
  ~Tier() { delete code_.load(); }

  // Returns the code for a run of `plan`, to which this tier belongs, over `elements` elements; NULL if there is none.
  // Once the runs have been enough work, this looks in the disk cache, and later queues the program for the compiler in
  // the background. Safe from any threads.
  const TierCode *code_for(const Plan &plan, int64_t elements) noexcept;

  // How a run over `elements` elements is to be made, once there is code; and how long it took, if that is asked for.
  TierChoice::Trial trial(int64_t elements) noexcept;
  void took(TierChoice::Trial trial, int64_t elements, int64_t nanoseconds) noexcept;

  // Compiles the text. A failure is logged, and the program is interpreted from then on. Returns false if `stopped` has
  // cancelled the compilation.
  bool compile(const std::string &text, int level, const Stopped &stopped, Urgency urgency) noexcept;
  // Lets a later run queue the program again.
  void ask_again_later() noexcept { state_.store(kLookedUp); }

 private:
  enum State { kCold, kLookedUp, kAsked };
  bool advance(State from, State to) noexcept { return state_.compare_exchange_strong(from, to); }
  void set(std::unique_ptr<ObjectCode> code);
  void look_up(const Plan &plan);
  void ask_compiler(const Plan &plan);

  const bool at_once_, compiles_;
  std::atomic<const TierCode *> code_{nullptr};
  std::atomic<State> state_{kCold};
  std::atomic<double> work_{0};  // of all runs so far, in estimated nanoseconds (Pass::cost)
  TierChoice choice_;
};

// One run of a program over `elements` elements: whether it uses compiled code, and how long it takes.
class TierRun {
 public:
  TierRun(const Plan &plan, int64_t elements) noexcept;
  const TierCode *code() const { return code_; }  // NULL: the run is interpreted
  void ends() noexcept;                           // to be called if the run has not failed

 private:
  Tier *const tier_;
  const int64_t elements_;
  const TierCode *code_ = nullptr;
  TierChoice::Trial trial_{false, false};
  std::chrono::steady_clock::time_point begin_;
};

// Returns the tier of a plan's program, one for all threads; NULL if no part of it is worth compiling, or
// GPUOPT_CPU_TIER_UP or GPUOPT_JIT_POLICY is off. May throw std::bad_alloc.
std::shared_ptr<Tier> tier_of(const Plan &plan);

}  // namespace gpuopt::cpu
