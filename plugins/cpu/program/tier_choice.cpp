// plugins/cpu/program/tier_choice.cpp -- see tier_choice.h.
#include "plugins/cpu/program/tier_choice.h"

#include <algorithm>
#include <bit>

namespace gpuopt::cpu {
namespace {

// Returns whether trial i is a compiled one. The ways alternate, and change their places half way, so that a caller who
// alternates, too, between two, three, four or six sizes or operands gives both ways their share of each.
constexpr bool is_compiled_turn(int i) {
  constexpr int half = TierChoice::kTrials / 2;
  return (i % 2 == 0) == (i % TierChoice::kTrials < half);
}

}  // namespace

int TierChoice::number_of(int64_t elements) noexcept {
  const auto width = static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(elements, 1))));
  return std::min((width - 1) / 2, kSizes - 1);
}

TierChoice::Trial TierChoice::next(int64_t elements) noexcept {
  Size &size = size_of(elements);
  const Kept kept = size.kept.load(std::memory_order_relaxed);
  if (kept != Kept::kUndecided) return {kept == Kept::kCompiled, false};
  const std::lock_guard lock(mutex_);
  if (size.begun == 0) {
    std::fill_n(size.ended, 2, uint8_t{0});
    std::fill_n(size.best, 2, kNever);
  }
  // Turns that were begun and never ended, because their runs have failed, are made up for. Past 255 the sequence
  // begins anew, without what was measured.
  const bool compiled = is_compiled_turn(size.begun++);
  return {compiled, true};
}

bool TierChoice::took(Trial trial, int64_t elements, int64_t nanoseconds) noexcept {
  if (!trial.timed) return false;
  Size &size = size_of(elements);
  const std::lock_guard lock(mutex_);
  if (size.begun == 0) return false;  // they were decided without this one
  double &best = size.best[trial.compiled];
  best = std::min(best, static_cast<double>(nanoseconds) / static_cast<double>(std::max<int64_t>(elements, 1)));
  if (size.ended[trial.compiled] < kTrials / 2) size.ended[trial.compiled]++;
  if (size.ended[0] + size.ended[1] < kTrials) return false;
  const bool interpreted = size.best[0] < size.best[1] * kClearlyFaster;
  size.begun = 0;
  size.kept.store(interpreted ? Kept::kInterpreted : Kept::kCompiled, std::memory_order_relaxed);
  (interpreted ? tier_counts().interpreted : tier_counts().compiled).fetch_add(1, std::memory_order_relaxed);
  return true;
}

void TierChoice::ask_again(int64_t elements) noexcept {
  size_of(elements).kept.store(Kept::kUndecided, std::memory_order_relaxed);
}

double TierChoice::best(bool compiled, int64_t elements) noexcept {
  const std::lock_guard lock(mutex_);
  return size_of(elements).best[compiled];
}

TierCounts &tier_counts() noexcept {
  static constinit TierCounts counts;
  return counts;
}

}  // namespace gpuopt::cpu
