// tests/unit/shared_cache_support.h -- a cache in a directory of its own, and what its tests on every system share.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "plugins/shared/cache/cache.h"
#include "tests/unit/cpu_test_host.h"

namespace fs = std::filesystem;
using gpuopt::plugin::DiskCache;
using gpuopt::plugin::Sha256;
using gpuopt::test::TestHost;
constexpr uint64_t kMuch = uint64_t{1} << 30;

inline DiskCache::Key key_of(const std::string &text) { return Sha256::of(text); }

// What belongs to a key in these tests: everybody can tell a right payload from a wrong one.
inline std::string payload_of(int number, size_t bytes = 3000) {
  std::string text;
  while (text.size() < bytes) text += "payload " + std::to_string(number) + "; ";
  return text.substr(0, bytes);
}
inline DiskCache::Key key_of(int number) { return key_of("key " + std::to_string(number)); }

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    static int count = 0;
    base = fs::canonical(fs::temp_directory_path()) /
           ("gpuopt_cache_" + std::to_string(std::random_device{}()) + "_" + std::to_string(count++));
    root = base / "a/b";
    TestHost::install();
    TestHost::get().lines.clear();
    TestHost::get().settings.clear();
  }
  void TearDown() override {
    if (fs::exists(base)) fs::permissions(base, fs::perms::owner_all);
    fs::remove_all(base);
  }

  std::unique_ptr<DiskCache> open(uint64_t bytes = kMuch, DiskCache::Use use = DiskCache::Use::own) const {
    return std::make_unique<DiskCache>(root.string(), use, bytes);
  }
  fs::path file_of(const DiskCache::Key &key) const {
    const std::string hex = Sha256::hex(key);
    return root / hex.substr(0, 2) / hex.substr(2);
  }
  // All files of the cache but its lock.
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (!fs::exists(root)) return out;
    for (const auto &entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_directory() && entry.path().filename() != "lock") out.push_back(entry.path());
    }
    return out;
  }
  static std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void replace(const fs::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Two entries, the second one damaged: whoever has them for a seed changes nothing about them.
  void store_seed() const {
    open()->store(key_of(1), "payload");
    open()->store(key_of(2), "payload");
    replace(file_of(key_of(2)), contents(file_of(key_of(2))) + "x");
  }
  void expect_seed_is_only_read() const {
    const auto seed = open(kMuch, DiskCache::Use::seed);
    EXPECT_EQ(seed->load(key_of(1)), "payload");
    EXPECT_EQ(seed->load(key_of(2)), std::nullopt);
    seed->store(key_of(3), "payload");
    seed->remove(key_of(1));
    seed->evict();
    EXPECT_EQ(files().size(), 2u);
  }
  static int warnings() {
    int count = 0;
    for (const auto &line : TestHost::get().lines) count += line.level == GPUOPT_LOG_WARN;
    return count;
  }

  fs::path base, root;
};

// As if it was last used so long ago.
inline void set_age(const fs::path &path, int64_t seconds) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

// Opens, stores and loads in a directory that is not to be trusted.
inline void expect_refused(DiskCache &cache, const std::string &why) {
  TestHost::get().lines.clear();
  cache.store(key_of(1), "payload");
  EXPECT_EQ(cache.load(key_of(1)), std::nullopt);
  cache.store(key_of(2), "payload");
  ASSERT_EQ(TestHost::get().lines.size(), 1u) << "one warning";
  EXPECT_EQ(TestHost::get().lines[0].level, GPUOPT_LOG_WARN);
  EXPECT_NE(TestHost::get().lines[0].detail.find(why), std::string::npos) << TestHost::get().lines[0].detail;
}
