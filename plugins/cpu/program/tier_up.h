// plugins/cpu/program/tier_up.h -- programs that run often are compiled: in the background, by libgpuopt_jit, or taken
// from the disk cache; until then, and where that is not to be had, they are interpreted. The bits are the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "plugins/cpu/code/object_code.h"

namespace gpuopt::cpu {

struct Plan;

// The compiled code of a program (tier_text.h), in memory.
class TierCode {
 public:
  // Throws std::runtime_error naming what the object lacks.
  explicit TierCode(std::unique_ptr<ObjectCode> code);

  void run(int entry, char *const *values, int64_t n) const noexcept {
    const long long count = n;
    const void *const arguments[] = {&entry, &values, &count};
    run_(arguments);
  }

 private:
  const std::unique_ptr<ObjectCode> code_;
  void (*run_)(const void *const *arguments);
};

// What all threads know of a program: how much work it has been, and its code once there is one.
class Tier {
 public:
  // `at_once`: without waiting for work. `compiles`: what no cache has, too.
  Tier(bool at_once, bool compiles) : at_once_(at_once), compiles_(compiles) {}
  ~Tier() { delete code_.load(); }

  // The code for a run of `plan`, whose tier this is, over so many elements; NULL: it is interpreted. Asks for the code
  // when the work makes it worth it: the disk cache now, the compiler in the background. From any threads.
  const TierCode *code_for(const Plan &plan, int64_t elements) noexcept;

  // Compiles it on the calling thread. A failure is logged, and the program interpreted for good.
  void compile(const std::string &text, int level) noexcept;
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
  std::atomic<double> work_{0};  // nanoseconds, roughly (Pass::cost)
};

// The tier of a plan's program, one for all threads; NULL where none of it is worth compiling or GPUOPT_CPU_TIER_UP or
// GPUOPT_JIT_POLICY is off. May throw std::bad_alloc.
std::shared_ptr<Tier> tier_of(const Plan &plan);

}  // namespace gpuopt::cpu
