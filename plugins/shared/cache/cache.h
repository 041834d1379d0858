// plugins/shared/cache/cache.h -- a cache of compiled code on disk, shared by processes: private, verified, bounded.
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

#include "plugins/shared/cache/cache_files.h"
#include "plugins/shared/cache/sha256.h"

namespace gpuopt::plugin {

class DiskCache {
 public:
  // The hash, by Sha256::field, of everything that decides what the payload of an entry is.
  using Key = Sha256::Digest;

  enum class Use {
    own,  // of this user: created where it is missing; nobody else may own it or write to it
    seed  // made in advance and only read: nobody but its owner may write to it
  };

  // Accesses nothing before the first load or store. With an empty directory, or a bound of 0, the cache stays empty.
  DiskCache(std::string directory, Use use, uint64_t max_bytes);
  ~DiskCache();

  // Returns the payload; nothing on a miss. An entry that does not verify is removed.
  std::optional<std::string> load(const Key &key) noexcept;
  void store(const Key &key, std::string_view payload) noexcept;
  void remove(const Key &key) noexcept;

  // If there are more than max_bytes, evicts the least recently used entries until three quarters of max_bytes are
  // left. Does nothing if another process is at it. store() calls this once in 64 times.
  void evict() noexcept;
  // Evicts the least recently used entries until at most `bytes` are left, and removes abandoned unfinished files.
  // Returns false if another process is at it, or the directory does not exist or must not be used.
  bool shrink(uint64_t bytes) noexcept;

 private:
  // Returns the open directory; NULL if it does not exist or must not be used.
  CacheFiles *files(bool create);
  // If there are more than `most` bytes, evicts until at most `left` are there. Otherwise as shrink().
  bool look_through(uint64_t most, uint64_t left) noexcept;

  const std::string directory_;
  const Use use_;
  const uint64_t max_bytes_;
  std::mutex mutex_;
  std::unique_ptr<CacheFiles> files_;
  std::atomic<bool> unusable_;
};

// Returns the entries among `listed` that load() would reject, except those that other processes have evicted
// meanwhile. Calls `step` before it reads an entry.
std::vector<CacheFiles::Entry> damaged_entries(CacheFiles &files, const std::vector<CacheFiles::Entry> &listed,
                                               const std::function<void(const CacheFiles::Entry &)> &step);

// Returns the directory of this user's cache, from the settings: GPUOPT_CACHE_DIR, or gpuopt in XDG_CACHE_HOME,
// ~/.cache, or on Windows LOCALAPPDATA. It is empty, for no cache, if there is none of them, or the process runs with
// raised privileges.
std::string cache_directory();
// Returns GPUOPT_CACHE_MAX_BYTES, or 1 GiB.
uint64_t cache_max_bytes();
// Returns the directories that GPUOPT_CACHE_SEED lists, separated as in PATH. Those that are not absolute, or that
// other users could change, are left out, with a warning.
std::vector<std::string> cache_seed_directories();

}  // namespace gpuopt::plugin
