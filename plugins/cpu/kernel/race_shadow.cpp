// plugins/cpu/kernel/race_shadow.cpp -- see race_shadow.h.
//
// An access to a word is dropped if every later access that races with it races with another recorded one, too.
#include "plugins/cpu/kernel/race_shadow.h"

#include <algorithm>

namespace gpuopt::cpu {
namespace {

constexpr uintptr_t kWord = 4;

// Whether two volatile accesses of lanes of one warp rely on lockstep execution.
bool in_lockstep(const Access &a, const Access &b) {
  return a.is_volatile() && b.is_volatile() && a.block == b.block && a.thread / 32 == b.thread / 32;
}

bool conflict(const Access &a, const Access &b, bool shared) {
  if (!(a.writes() || b.writes()) || !(a.bytes & b.bytes)) return false;
  return !(a.is_strong() && b.is_strong()) || (shared && in_lockstep(a, b));
}

// Whether every access that conflicts with `then` conflicts with `now`, too.
bool covers(const Access &now, const Access &then) {
  if (then.bytes & ~now.bytes) return false;
  if (now.is_strong()) return then.is_strong() && (now.writes() || !then.writes());
  return now.writes() || !then.writes();
}

}  // namespace

void Order::begin_block(uint32_t block, size_t threads) {
  block_ = block;
  epoch_++;
  block_fence_ = 0;
  block_acquired_ = false;
  threads_.assign(threads, {});
  clocks_.assign(threads * kWarp, 0);
  for (size_t k = 0; k < threads; k++) clocks_[k * kWarp + k % kWarp] = 1;
}

void Order::meet_warp(size_t begin, uint32_t lanes) {
  std::vector<uint32_t> known(kWarp);
  const auto each = [&](auto visit) {
    for (size_t lane = 0; lane < kWarp; lane++) {
      if (lanes >> lane & 1) visit(lane, &clocks_[(begin + lane) * kWarp]);
    }
  };
  each([&](size_t, const uint32_t *clocks) {
    for (size_t k = 0; k < kWarp; k++) known[k] = std::max(known[k], clocks[k]);
  });
  each([&](size_t lane, uint32_t *clocks) {
    std::copy(known.begin(), known.end(), clocks);
    clocks[lane]++;
  });
}

void Order::fence(uint32_t thread) { block_fence_ = threads_[thread].fence = ++stamp_; }

void Order::strong_access(uint32_t thread, uintptr_t address, bool reads, bool writes) {
  Thread &self = threads_[thread];
  if (reads && places_.count(address)) self.acquired = block_acquired_ = true;
  if (!writes || !self.fence) return;
  self.published = self.fence;
  published_[block_] = block_fence_;
  places_.insert(address);
}

void Order::forget(uintptr_t begin, uintptr_t end) {
  std::erase_if(places_, [&](uintptr_t place) { return place >= begin && place < end; });
}

Access Order::now(uint32_t thread, const gpuopt_check_site *site) const {
  return {site, block_, thread, epoch_, clocks_[thread * kWarp + thread % kWarp], stamp_, 0};
}

bool Order::is_before(const Access &then, uint32_t thread) const {
  if (then.block != block_) {
    const auto published = published_.find(then.block);
    return block_acquired_ && published != published_.end() && then.stamp < published->second;
  }
  if (then.thread == thread || then.epoch != epoch_) return true;
  const bool same_warp = then.thread / kWarp == thread / kWarp;
  if (same_warp && clocks_[thread * kWarp + then.thread % kWarp] >= then.clock) return true;
  return threads_[thread].acquired && then.stamp < threads_[then.thread].published;
}

RaceShadow::Race RaceShadow::access(uint32_t thread, uintptr_t address, uint64_t bytes, const gpuopt_check_site *site,
                                    bool changes, bool shared) {
  Access now = order_.now(thread, site);
  const uintptr_t end = address + bytes;
  for (uintptr_t at = address / kWord * kWord; at < end; at += kWord) {
    Word *const word = word_at(at);
    if (!word) continue;
    now.bytes = 0;
    for (uintptr_t k = 0; k < kWord; k++) now.bytes |= static_cast<uint8_t>((at + k >= address && at + k < end) << k);
    for (const Access &then : *word) {
      if (!conflict(then, now, shared) || order_.is_before(then, thread)) continue;
      const bool same_written = then.writes() && !then.is_strong() && now.writes() && !changes;
      if (!same_written) return {true, then, std::max(at, address)};
    }
    add(*word, now);
  }
  return {};
}

RaceShadow::Word *RaceShadow::word_at(uintptr_t address) {
  const auto found = words_.find(address);
  if (found != words_.end()) return &found->second;
  if (words_.size() >= most_words_) {
    incomplete_ = true;
    return nullptr;
  }
  return &words_[address];
}

// If a word has too many accesses, those of at least two warps are kept.
void RaceShadow::add(Word &word, const Access &now) const {
  std::erase_if(word, [&](const Access &then) { return covers(now, then) && order_.is_before(then, now.thread); });
  if (word.size() < kMostPerWord) {
    word.push_back(now);
    return;
  }
  const auto same_warp = [&](const Access &then) {
    return then.block == now.block && then.thread / 32 == now.thread / 32;
  };
  if (now.writes() || std::none_of(word.begin(), word.end(), same_warp)) word.back() = now;
}

void RaceShadow::forget(uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = begin / kWord * kWord; at < end; at += kWord) words_.erase(at);
}

}  // namespace gpuopt::cpu
