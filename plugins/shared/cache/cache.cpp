// plugins/shared/cache/cache.cpp -- entries, their verification, and their eviction.
#include "plugins/shared/cache/cache.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "plugins/shared/host/host.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::plugin {
namespace {

constexpr char kMagic[16] = "gpuopt cache 1\n";
constexpr size_t kKeyAt = sizeof kMagic, kLengthAt = kKeyAt + 32, kSumAt = kLengthAt + 8, kPayloadAt = kSumAt + 32;
constexpr int64_t kAbandoned = 3600;  // seconds after which an unfinished file counts as abandoned
constexpr int kStoresPerEviction = 64;

std::string length_bytes(uint64_t length) {
  std::string bytes;
  for (int k = 0; k < 8; ++k) bytes += static_cast<char>(length >> 8 * k);
  return bytes;
}

std::string entry_of(const DiskCache::Key &key, std::string_view payload) {
  std::string entry(kMagic, sizeof kMagic);
  entry += bytes_of(key);
  entry += length_bytes(payload.size());
  entry += bytes_of(Sha256::of(payload));
  return entry.append(payload);
}

bool verifies(std::string_view entry, const DiskCache::Key &key) {
  if (entry.size() < kPayloadAt) return false;
  const std::string_view payload = entry.substr(kPayloadAt);
  return entry.substr(0, kKeyAt) == std::string_view(kMagic, sizeof kMagic) &&
         entry.substr(kKeyAt, 32) == bytes_of(key) && entry.substr(kLengthAt, 8) == length_bytes(payload.size()) &&
         entry.substr(kSumAt, 32) == bytes_of(Sha256::of(payload));
}

// Returns whether the contents of a file are an entry that verifies, and whose key is the file's name. load() checks
// the same before it returns an entry.
bool is_intact(const CacheFiles::Entry &file, std::string_view contents) {
  if (contents.size() < kPayloadAt) return false;
  DiskCache::Key key;
  std::memcpy(key.data(), contents.data() + kKeyAt, key.size());
  return file.folder + file.name == Sha256::hex(key) && verifies(contents, key);
}

// The file of an entry. Entries are spread over 256 folders by the first byte of their keys.
struct Place {
  explicit Place(const DiskCache::Key &key)
      : folder(Sha256::hex(key).substr(0, CacheFiles::kFolderDigits)),
        name(Sha256::hex(key).substr(CacheFiles::kFolderDigits)) {}
  std::string folder, name;
};

bool is_absolute(const std::string &path) { return std::filesystem::path(path).is_absolute(); }

std::string setting_text(const char *name) {
  const char *const value = setting(name);
  return value ? value : "";
}

}  // namespace

DiskCache::DiskCache(std::string directory, Use use, uint64_t max_bytes)
    : directory_(std::move(directory)), use_(use), max_bytes_(max_bytes), unusable_(directory_.empty() || !max_bytes) {}

DiskCache::~DiskCache() = default;

// A directory that is not trusted is never tried again, and there is one warning.
CacheFiles *DiskCache::files(bool create) {
  if (unusable_) return nullptr;
  const std::lock_guard lock(mutex_);
  if (files_) return files_.get();
  auto opened = std::make_unique<CacheFiles>();
  std::string problem;
  const auto outcome = opened->open(directory_, use_ == Use::own, create && use_ == Use::own, problem);
  if (outcome == CacheFiles::Opening::done) files_ = std::move(opened);
  if (outcome == CacheFiles::Opening::refused) {
    unusable_ = true;
    warn_once("cache.unusable", directory_.c_str(), (directory_ + " is not used as a cache: " + problem).c_str());
  }
  return files_.get();
}

std::optional<std::string> DiskCache::load(const Key &key) noexcept try {
  CacheFiles *const in = files(false);
  if (!in) return std::nullopt;
  const Place place(key);
  std::optional<std::string> entry = in->read(place.folder, place.name);
  if (!entry) return std::nullopt;
  if (verifies(*entry, key)) return entry->erase(0, kPayloadAt), entry;
  log(GPUOPT_LOG_INFO, "cache.damaged", (directory_ + "/" + place.folder + "/" + place.name).c_str());
  if (use_ == Use::own) in->remove(place.folder, place.name);
  return std::nullopt;
} catch (...) {
  return std::nullopt;  // out of memory: the caller compiles again, or fails by itself
}

void DiskCache::store(const Key &key, std::string_view payload) noexcept try {
  CacheFiles *const in = use_ == Use::own && payload.size() <= max_bytes_ / 4 ? files(true) : nullptr;
  if (!in) return;
  const Place place(key);
  std::string problem;
  if (!in->write(place.folder, place.name, entry_of(key, payload), problem)) {
    warn_once("cache.write", directory_.c_str(), ("cannot write to the cache " + directory_ + ": " + problem).c_str());
  }
  if (key.back() % kStoresPerEviction == 0) evict();
} catch (...) {
  log(GPUOPT_LOG_INFO, "cache.write", "no memory to write an entry with");
}

void DiskCache::remove(const Key &key) noexcept try {
  CacheFiles *const in = use_ == Use::own ? files(false) : nullptr;
  if (!in) return;
  const Place place(key);
  in->remove(place.folder, place.name);
} catch (...) {
  log(GPUOPT_LOG_INFO, "cache.remove", "no memory to remove an entry with");
}

void DiskCache::evict() noexcept { look_through(max_bytes_, max_bytes_ / 4 * 3); }

bool DiskCache::shrink(uint64_t bytes) noexcept { return look_through(bytes, bytes); }

bool DiskCache::look_through(uint64_t most, uint64_t left) noexcept try {
  CacheFiles *const in = use_ == Use::own ? files(false) : nullptr;
  const std::shared_ptr<void> lock = in ? in->try_lock() : nullptr;
  if (!lock) return false;
  std::vector<CacheFiles::Entry> entries = in->list();
  uint64_t total = 0;
  for (const auto &entry : entries) total += entry.bytes;
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.age > b.age; });
  const uint64_t wanted = total > most ? left : total;
  for (const auto &entry : entries) {
    if (entry.unfinished ? entry.age < kAbandoned : total <= wanted) continue;
    in->remove(entry.folder, entry.name);
    total -= entry.bytes;
  }
  return true;
} catch (...) {
  log(GPUOPT_LOG_INFO, "cache.evict", "no memory to look through the cache");
  return false;
}

std::vector<CacheFiles::Entry> damaged_entries(CacheFiles &files, const std::vector<CacheFiles::Entry> &listed,
                                               const std::function<void(const CacheFiles::Entry &)> &step) {
  std::vector<CacheFiles::Entry> damaged, unread;
  for (const CacheFiles::Entry &entry : listed) {
    step(entry);
    if (entry.unfinished) continue;
    const auto contents = files.read(entry.folder, entry.name);
    if (!contents) unread.push_back(entry);
    if (contents && !is_intact(entry, *contents)) damaged.push_back(entry);
  }
  if (unread.empty()) return damaged;
  const auto there = files.list();
  for (const CacheFiles::Entry &entry : unread) {
    const auto same_place = [&](const auto &other) { return other.folder == entry.folder && other.name == entry.name; };
    if (std::none_of(there.begin(), there.end(), same_place)) continue;
    const auto contents = files.read(entry.folder, entry.name);  // it may have been written again
    if (!contents || !is_intact(entry, *contents)) damaged.push_back(entry);
  }
  return damaged;
}

std::string cache_directory() {
  std::string own = setting_text(Setting::GPUOPT_CACHE_DIR);
  if (is_absolute(own)) return own;
  if (!own.empty()) {
    warn_once("cache.unusable", own.c_str(), ("GPUOPT_CACHE_DIR=" + own + " is not an absolute path").c_str());
    return "";
  }
#if defined(_WIN32)
  const std::string local = setting_text("LOCALAPPDATA");
  return is_absolute(local) ? local + "\\gpuopt\\cache" : "";
#else
  if (const std::string xdg = setting_text("XDG_CACHE_HOME"); is_absolute(xdg)) return xdg + "/gpuopt";
  const std::string home = setting_text("HOME");
  return is_absolute(home) ? home + "/.cache/gpuopt" : "";
#endif
}

uint64_t cache_max_bytes() { return setting_number_or_fallback(Setting::GPUOPT_CACHE_MAX_BYTES); }

std::vector<std::string> cache_seed_directories() {
#if defined(_WIN32)
  constexpr char kSeparator = ';';
#else
  constexpr char kSeparator = ':';
#endif
  std::vector<std::string> directories;
  const std::string text = setting_text(Setting::GPUOPT_CACHE_SEED);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(kSeparator, at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::string problem = is_absolute(one) ? trusted::distrust_directory(one) : "it is not an absolute path";
    if (!one.empty() && problem.empty()) directories.push_back(one);
    if (!one.empty() && !problem.empty())
      warn_once("cache.unusable", one.c_str(), ("GPUOPT_CACHE_SEED: " + one + " is not used: " + problem).c_str());
    at = end + 1;
  }
  return directories;
}

}  // namespace gpuopt::plugin
