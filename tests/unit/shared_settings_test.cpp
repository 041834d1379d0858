// tests/unit/shared_settings_test.cpp -- the settings table, and what values of its kinds mean.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plugins/shared/host/settings.h"

namespace gpuopt {
namespace {

TEST(Settings, AreCompleteAndTheirFallbacksHaveAMeaning) {
  std::set<std::string> names;
  for (const SettingRow &row : kSettings) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second) << "named twice";
    for (const char *text : {row.accepted, row.fallback, row.read, row.meaning})
      EXPECT_GE(std::string(text).size(), 1u);
    EXPECT_NE(std::string(row.meaning).back(), '.');
    const bool is_text = row.kind == SettingKind::kWord ? row.name == std::string("GPUOPT_CPU_LEVEL")
                                                        : row.name == std::string("GPUOPT_NUM_THREADS") ||
                                                              row.name == std::string("GPUOPT_PINNED_BYTES");
    EXPECT_NE(has_meaning(row, row.fallback), is_text);
  }
  EXPECT_EQ(names.size(), 52u);
}

TEST(Settings, WordsHavePositions) {
  const SettingRow &level = row_of(Setting::GPUOPT_LOG);
  const char *const words[] = {"off", "error", "warn", "info", "debug"};
  for (size_t k = 0; k < 5; ++k) EXPECT_EQ(word_index(level, words[k]), k);
  for (const char *other : {"", "of", "offs", "off,", "off, error", " off", "OFF", ", ", ","})
    EXPECT_EQ(word_index(level, other), std::nullopt) << other;
}

TEST(Settings, NumbersAreWholeAndInTheirRange) {
  const struct {
    Setting setting;
    const char *text;
    std::optional<uint64_t> number;
  } kCases[] = {{Setting::GPUOPT_NUM_THREADS, "1", 1},
                {Setting::GPUOPT_NUM_THREADS, "1024", 1024},
                {Setting::GPUOPT_NUM_THREADS, "0", {}},
                {Setting::GPUOPT_NUM_THREADS, "1025", {}},
                {Setting::GPUOPT_JIT_TIMEOUT, "0", 0},
                {Setting::GPUOPT_JIT_TIMEOUT, "1073741823", 1073741823},
                {Setting::GPUOPT_JIT_TIMEOUT, "1073741824", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "18446744073709551615", UINT64_MAX},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "18446744073709551616", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, " 1", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "1 ", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "+1", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "-1", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "1e3", {}},
                {Setting::GPUOPT_CACHE_MAX_BYTES, "0x10", {}}};
  for (const auto &[setting, text, number] : kCases) {
    EXPECT_EQ(number_of(row_of(setting), text), number) << name_of(setting) << "=" << text;
    EXPECT_EQ(has_meaning(row_of(setting), text), number.has_value()) << name_of(setting) << "=" << text;
  }
}

TEST(Settings, WhatIsSaidOfAValueWithoutMeaning) {
  const SettingRow &policy = row_of(Setting::GPUOPT_JIT_POLICY);
  EXPECT_EQ(ignored_setting(policy, "maybe", value_problem(policy)),
            "GPUOPT_JIT_POLICY=maybe is none of on, cache_only, off; it is ignored (default: on)");
}

}  // namespace
}  // namespace gpuopt
