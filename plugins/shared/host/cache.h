// plugins/shared/host/cache.h -- compiled code kept on disk between processes: private, verified, bounded.
//
// An entry is one file that holds its own key and the checksum of what follows, and appears by being renamed: readers
// see all of it or nothing, and need no lock. What does not verify is a miss. No failure of the cache fails an
// operation: it is a miss, and the first of its kind a warning.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/host/cache_files.h"
#include "plugins/shared/host/sha256.h"

namespace gpuopt::plugin {

class DiskCache {
 public:
  // Whatever decides what an entry's payload is goes into its key, by Sha256::field.
  using Key = Sha256::Digest;

  enum class Use {
    own,  // of this user: created where it is missing; nobody else may own it or write to it
    seed  // made in advance and only read: nobody but its owner may write to it
  };

  // Nothing is touched before the first load or store. An empty directory or a bound of 0 keeps nothing.
  DiskCache(std::string directory, Use use, uint64_t max_bytes);
  ~DiskCache();

  // The payload; empty on a miss. An entry that does not verify is removed.
  std::optional<std::string> load(const Key &key) noexcept;
  void store(const Key &key, std::string_view payload) noexcept;
  void remove(const Key &key) noexcept;

  // Removes what was not used for longest until three quarters of the bound are left, unless another process is at it.
  // store() does this now and then.
  void evict() noexcept;
  // Removes what was not used for longest until at most `bytes` are left, and what was never finished. False if another
  // process is at it, or the directory is not there or not to be used.
  bool shrink(uint64_t bytes) noexcept;

 private:
  CacheFiles *files(bool create);
  // Where more than `most` bytes are, leaves at most `left`.
  bool look_through(uint64_t most, uint64_t left) noexcept;

  const std::string directory_;
  const Use use_;
  const uint64_t max_bytes_;
  std::mutex mutex_;
  std::unique_ptr<CacheFiles> files_;
  std::atomic<bool> unusable_;
};

// Those of `listed` that load() would not believe. Not those that are gone: other processes evict meanwhile. Calls
// `step` before it looks at an entry.
std::vector<CacheFiles::Entry> damaged_entries(CacheFiles &files, const std::vector<CacheFiles::Entry> &listed,
                                               const std::function<void(const CacheFiles::Entry &)> &step);

// Where this user's cache is, from the settings: GPUOPT_CACHE_DIR, or gpuopt in XDG_CACHE_HOME, ~/.cache, or on Windows
// LOCALAPPDATA. Empty, so that nothing is kept, where there is none of them or the process runs with raised privileges.
std::string cache_directory();
// GPUOPT_CACHE_MAX_BYTES, or 1 GiB.
uint64_t cache_max_bytes();
// The directories GPUOPT_CACHE_SEED lists, separated as PATH is.
std::vector<std::string> cache_seed_directories();

}  // namespace gpuopt::plugin
