// plugins/cpu/program/tier_choice.h -- whether the code of a compiled program is faster than the interpreter, as
// measured in the program's own runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

namespace gpuopt::cpu {

// Decides for one program, and for each size of it by itself: small runs spend their time on other things than large
// ones. The first runs of a size are trials, some compiled and some interpreted, and are timed; then the way that was
// faster is kept. The bits are the same either way. Now and then the question is asked again. Safe from any threads.
//
// Nothing here reads a clock: callers say how long a run took.
class TierChoice {
 public:
  // How a run is to be made, and whether took() wants to know how long it took.
  struct Trial {
    bool compiled, timed;
  };

  // What is known about runs of a size.
  enum class Kept : uint8_t { kUndecided, kCompiled, kInterpreted };

  // The runs of a size that are trials, half of them compiled. The faster of two ways is that of the fastest run.
  static constexpr int kTrials = 12;
  // A thread asks again at every so many runs of compiled programs. It is a prime number, so that a thread that runs
  // several programs in a fixed order asks about each of them in time.
  static constexpr uint32_t kRunsBetween = 8191;
  // The interpreter is kept if it takes less than this share of the code's time.
  static constexpr double kClearlyFaster = 0.97;

  // Returns how a run over `elements` elements is to be made.
  Trial next(int64_t elements) noexcept;
  // Returns true if this run has ended the trials of its size.
  bool took(Trial trial, int64_t elements, int64_t nanoseconds) noexcept;
  // Makes the next runs of this size trials again.
  void ask_again(int64_t elements) noexcept;

  Kept kept(int64_t elements) const noexcept { return size_of(elements).kept.load(std::memory_order_relaxed); }
  // Returns the nanoseconds for each element in the fastest run of each way among the last trials; infinity if there
  // was none.
  double best(bool compiled, int64_t elements) noexcept;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr int kSizes = 16;  // each up to four times the one before; the last has no end

  struct Size {
    std::atomic<Kept> kept{Kept::kUndecided};
    uint8_t begun = 0, ended[2] = {0, 0};  // trials; `ended` of both ways, the compiled one is 1
    double best[2] = {kNever, kNever};
  };

  static int number_of(int64_t elements) noexcept;
  Size &size_of(int64_t elements) noexcept { return sizes_[number_of(elements)]; }
  const Size &size_of(int64_t elements) const noexcept { return sizes_[number_of(elements)]; }

  std::mutex mutex_;  // protects all members of sizes but `kept`
  Size sizes_[kSizes];
};

// How often it was decided since the start of the process that a program's code is kept, and that it is interpreted
// although it has code.
struct TierCounts {
  std::atomic<int64_t> compiled{0}, interpreted{0};
};
TierCounts &tier_counts() noexcept;

}  // namespace gpuopt::cpu
