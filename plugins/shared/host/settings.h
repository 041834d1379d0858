// plugins/shared/host/settings.h -- the environment variables that gpuopt reads (settings.def), and what their values
// mean: the same for the code that follows them and for `gpuopt doctor`, which says which of them have no effect.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuopt {

enum class Setting {
#define GPUOPT_SETTING(name, ...) name,
#include "plugins/shared/host/settings.def"
};

enum class SettingKind { kText, kWord, kThreads, kSeconds, kBytes, kFile, kFiles, kBlas, kForeign };

struct SettingRow {
  const char *name;
  SettingKind kind;
  const char *accepted, *fallback, *read, *meaning;
};
inline constexpr SettingRow kSettings[] = {
#define GPUOPT_SETTING(name, place, kind, accepted, fallback, read, meaning) \
  {#name, SettingKind::kind, accepted, fallback, read, meaning},
#include "plugins/shared/host/settings.def"
};

constexpr const SettingRow &row_of(Setting setting) { return kSettings[static_cast<size_t>(setting)]; }
constexpr const char *name_of(Setting setting) { return row_of(setting).name; }

// Returns the position of `value` among the words that the row accepts; nothing if it is none of them.
constexpr std::optional<size_t> word_index(const SettingRow &row, std::string_view value) {
  std::string_view rest = row.accepted;
  for (size_t index = 0;; ++index) {
    const size_t comma = rest.find(", ");
    if (rest.substr(0, comma) == value) return index;
    if (comma == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(comma + 2);
  }
}

// Returns `text` as the number that the row's kind asks for; nothing if it is none, or too small or too large.
inline std::optional<uint64_t> number_of(const SettingRow &row, std::string_view text) {
  const uint64_t least = row.kind == SettingKind::kThreads ? 1 : 0;
  const uint64_t most = row.kind == SettingKind::kThreads   ? 1024
                        : row.kind == SettingKind::kSeconds ? (uint64_t{1} << 30) - 1
                                                            : UINT64_MAX;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) return std::nullopt;
  return number;
}

// Returns whether a value means something, as far as that shows without looking at files.
inline bool has_meaning(const SettingRow &row, std::string_view value) {
  switch (row.kind) {
    case SettingKind::kWord:
      return word_index(row, value).has_value();
    case SettingKind::kThreads:
    case SettingKind::kSeconds:
    case SettingKind::kBytes:
      return number_of(row, value).has_value();
    default:
      return true;
  }
}

// Returns what is wrong with a value that has no meaning, in words that follow "NAME=VALUE ".
inline std::string value_problem(const SettingRow &row) {
  switch (row.kind) {
    case SettingKind::kWord:
      return "is none of " + std::string(row.accepted);
    case SettingKind::kThreads:
      return "is not a number of threads from 1 to 1024";
    case SettingKind::kSeconds:
      return "is not a number of seconds below 2^30";
    default:
      return "is not a number of bytes";
  }
}

// Returns "NAME=VALUE PROBLEM; it is ignored (default: FALLBACK)".
inline std::string ignored_setting(const SettingRow &row, const std::string &value, const std::string &problem) {
  return row.name + ("=" + value) + " " + problem + "; it is ignored (default: " + row.fallback + ")";
}

}  // namespace gpuopt
