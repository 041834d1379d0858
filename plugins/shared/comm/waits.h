// plugins/shared/comm/waits.h -- for which rank each other one waits, as far as they have said so, and when it is time
// to say so: who waits in vain names the ranks that have not come, and not those that wait for them, too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/shared/comm/late_text.h"

namespace gpuopt::plugin {

// What a rank knows of the others' waiting. It tells the others itself when it has waited for half of its time, or
// earlier if it has heard that others wait, for one of them may wait for this rank.
class Waits {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Due { kNothing, kTelling, kFailing };

  explicit Waits(int32_t ranks) : said_(static_cast<size_t>(ranks)) {}

  // A peer has said that it waits for that rank. -1: it does not wait, or has sent something since.
  void hear(int32_t peer, int32_t awaited) {
    Said &said = said_[static_cast<size_t>(peer)];
    if (awaited < 0 && said.awaited < 0) return;
    said = {awaited < static_cast<int32_t>(said_.size()) ? awaited : -1, Clock::now()};
  }

  // Something has moved, or an exchange begins: the time counts from now on. 0 seconds: without end.
  void restart(double timeout) {
    timeout_ = timeout;
    begin_ = Clock::now();
    told_ = false;
  }
  bool has_told() const { return told_; }
  void set_told() { told_ = true; }

  // Returns what has to be done now: to tell the others, or to fail.
  Due due() const {
    if (!(timeout_ > 0)) return Due::kNothing;
    const Clock::time_point now = Clock::now();  // it is asked often: the peers are not looked at before they can count
    if (now - begin_ < std::chrono::duration<double>(timeout_ / kEarly) || now < next()) return Due::kNothing;
    return told_ ? Due::kFailing : Due::kTelling;
  }
  // Returns when something has to be done next.
  Clock::time_point next() const {
    const double seconds = told_ ? timeout_ : timeout_ / (hears_anybody() ? kEarly : kUsual);
    constexpr double longest = 1e8;
    return begin_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(timeout_ > 0 ? std::min(seconds, longest) : longest));
  }

  // late_ranks() by what the others have said. `own` is this rank, which waits for the `awaited` ones.
  std::vector<int32_t> late(int32_t own, std::vector<int32_t> awaited) const {
    using Ranks = std::vector<int32_t>;
    return late_ranks(own, said_.size(), std::move(awaited), [this](int32_t rank) {
      const Said &said = said_[static_cast<size_t>(rank)];
      return waits(said) ? std::optional(Ranks{said.awaited}) : std::nullopt;
    });
  }

  // Returns the peers that have not said that they wait.
  std::vector<int32_t> silent(int32_t own) const {
    std::vector<int32_t> found;
    for (int32_t r = 0; r < static_cast<int32_t>(said_.size()); ++r)
      if (r != own && !waits(said_[static_cast<size_t>(r)])) found.push_back(r);
    return found;
  }

 private:
  static constexpr double kUsual = 2, kEarly = 8;  // the parts of the time after which others are told
  struct Said {
    int32_t awaited = -1;
    Clock::time_point when{};
  };

  // What was said long ago holds no longer.
  bool waits(const Said &said) const {
    return said.awaited >= 0 && (!(timeout_ > 0) || Clock::now() - said.when < std::chrono::duration<double>(timeout_));
  }
  bool hears_anybody() const {
    return std::any_of(said_.begin(), said_.end(), [&](const Said &one) { return waits(one); });
  }

  std::vector<Said> said_;  // by peer
  double timeout_ = 0;
  Clock::time_point begin_ = Clock::now();
  bool told_ = false;
};

}  // namespace gpuopt::plugin
