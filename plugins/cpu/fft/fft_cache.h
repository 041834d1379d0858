// plugins/cpu/fft/fft_cache.h -- keeps the plans of Fourier transforms that were used last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>

namespace gpuopt::cpu {

// Values of type T, which have bytes(), by a key. The newest is kept whatever its size, and of the others those that
// were wanted last, up to kMostBytes in all. Safe from any threads; no slot runs while the process forks.
template <typename Key, typename T>
class FftCache {
 public:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;

  // The cache of the process; never destroyed.
  static FftCache &get() {
    static FftCache *const cache = new FftCache;
    return *cache;
  }

  // Returns the value of a key, made by make() if there is none. Two threads may make the same value at once.
  template <typename Make>
  std::shared_ptr<const T> find(const Key &key, Make &&make) {
    if (std::shared_ptr<const T> found = look(key)) return found;
    std::shared_ptr<const T> made = make();
    keep(key, made);
    return made;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const T> value;
  };

  std::shared_ptr<const T> look(const Key &key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto place = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.key == key; });
    if (place == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, place);
    return place->value;
  }

  void keep(const Key &key, const std::shared_ptr<const T> &value) {
    std::list<Entry> fresh, gone;  // what is evicted is freed after the lock is
    fresh.push_back({key, value});
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.key == key; });
    if (same != entries_.end()) return;
    entries_.splice(entries_.begin(), fresh);
    bytes_ += value->bytes();
    while (bytes_ > kMostBytes && entries_.size() > 1) {
      bytes_ -= entries_.back().value->bytes();
      gone.splice(gone.begin(), entries_, std::prev(entries_.end()));
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
  int64_t bytes_ = 0;
};

}  // namespace gpuopt::cpu
