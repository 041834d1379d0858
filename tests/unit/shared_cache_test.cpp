// tests/unit/shared_cache_test.cpp -- the cache on disk: what is kept and for how long, and damage to files.
#include "tests/unit/shared_cache_support.h"

namespace {

TEST_F(Cache, WhatIsStoredIsLoadedByAnyProcess) {
  for (const size_t bytes : {0, 1, 4096, 5000000}) {
    const std::string payload = payload_of(1, bytes);
    open()->store(key_of("k"), payload);
    EXPECT_EQ(open()->load(key_of("k")), payload);
  }
  EXPECT_EQ(files().size(), 1u) << "nothing but the entry is left";
  EXPECT_EQ(open()->load(key_of("other")), std::nullopt);
  open()->remove(key_of("k"));
  EXPECT_EQ(open()->load(key_of("k")), std::nullopt);
  EXPECT_EQ(warnings(), 0);
}

TEST_F(Cache, EveryFieldOfAKeyCounts) {
  const auto key = [](std::vector<std::string> fields) {
    Sha256 hash;
    for (const auto &field : fields) hash.field(field);
    return hash.finish();
  };
  const std::vector<std::string> fields = {"1", "1.0.0", "headers", "source", "-arch=sm_90", "sm_90", "build"};
  open()->store(key(fields), "payload");
  EXPECT_EQ(open()->load(key(fields)), "payload");
  for (size_t k = 0; k < fields.size(); ++k) {
    auto changed = fields;
    changed[k] += "x";
    EXPECT_EQ(open()->load(key(changed)), std::nullopt) << fields[k];
  }
}

TEST_F(Cache, NothingIsTouchedBeforeItIsNeeded) {
  EXPECT_EQ(open()->load(key_of("k")), std::nullopt);
  open()->remove(key_of("k"));
  open()->evict();
  open(0)->store(key_of("k"), "payload");
  EXPECT_FALSE(fs::exists(base));
}

TEST_F(Cache, DamageIsAMissAndRemoved) {
  open()->store(key_of("k"), payload_of(1));
  const std::string good = contents(file_of(key_of("k")));
  std::vector<std::string> damaged = {"", good + "x", good.substr(0, 87), good.substr(0, 88)};
  for (size_t at = 0; at < good.size(); at += at < 90 ? 1 : 97) {
    std::string flipped = good;
    flipped[at] ^= 1 << at % 8;
    damaged.push_back(flipped);
    damaged.push_back(good.substr(0, at));
  }
  for (const std::string &bytes : damaged) {
    replace(file_of(key_of("k")), bytes);
    EXPECT_EQ(open()->load(key_of("k")), std::nullopt);
    EXPECT_FALSE(fs::exists(file_of(key_of("k"))));
  }
  replace(file_of(key_of("k")), good);
  EXPECT_EQ(open()->load(key_of("k")), payload_of(1));
}

TEST_F(Cache, AnotherKeysEntryIsAMiss) {
  open()->store(key_of("a"), "A");
  open()->store(key_of("b"), "B");
  fs::rename(file_of(key_of("a")), file_of(key_of("b")));
  EXPECT_EQ(open()->load(key_of("b")), std::nullopt);
}

TEST_F(Cache, AFileInItsPlaceIsRefused) {
  fs::create_directories(root.parent_path());
  replace(root, "a file");
  const auto cache = open();
  expect_refused(*cache, "is not used as a cache");
}

TEST_F(Cache, WhatWasNotUsedForLongestGoesFirst) {
  const auto cache = open(100000);
  for (int number = 0; number < 20; ++number) {
    cache->store(key_of(number), payload_of(number, 9000));
    set_age(file_of(key_of(number)), 100000 * (20 - number));
  }
  EXPECT_EQ(cache->load(key_of(0)), payload_of(0, 9000));  // the oldest, but now used
  cache->evict();
  EXPECT_EQ(files().size(), 8u) << "three quarters of the bound";
  EXPECT_TRUE(fs::exists(file_of(key_of(0))));
  EXPECT_FALSE(fs::exists(file_of(key_of(1))));
  EXPECT_TRUE(fs::exists(file_of(key_of(19))));
  EXPECT_EQ(warnings(), 0);
}

TEST_F(Cache, WithinTheBoundNothingGoes) {
  const auto cache = open(100000);
  for (int number = 0; number < 10; ++number) cache->store(key_of(number), payload_of(number, 9000));
  cache->evict();
  EXPECT_EQ(files().size(), 10u);
}

TEST_F(Cache, StoringKeepsTheBoundByItself) {
  const auto cache = open(400000);
  for (int number = 0; number < 1000; ++number) cache->store(key_of(number), payload_of(number, 2000));
  EXPECT_LT(files().size(), 600u);
  cache->store(key_of(-1), payload_of(-1, 400000));
  EXPECT_EQ(cache->load(key_of(-1)), std::nullopt) << "one entry does not push out all others";
}

TEST_F(Cache, AbandonedFilesGo) {
  const auto cache = open();
  cache->store(key_of(1), "payload");
  const fs::path folder = file_of(key_of(1)).parent_path();
  replace(folder / ".new-1-1-1", "half");
  replace(folder / ".new-2-2-2", "half");
  set_age(folder / ".new-1-1-1", 4000);
  cache->evict();
  EXPECT_FALSE(fs::exists(folder / ".new-1-1-1"));
  EXPECT_TRUE(fs::exists(folder / ".new-2-2-2")) << "somebody may be writing it";
  EXPECT_EQ(cache->load(key_of(1)), "payload");
}

TEST_F(Cache, ClocksThatDisagreeDoNoHarm) {
  const auto cache = open(20000);
  for (int number = 0; number < 6; ++number) cache->store(key_of(number), payload_of(number, 4000));
  set_age(file_of(key_of(0)), -1000000);
  cache->evict();
  EXPECT_EQ(cache->load(key_of(0)), payload_of(0, 4000)) << "from the future, so the newest";
}

}  // namespace
