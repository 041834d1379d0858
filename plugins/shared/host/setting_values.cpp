// plugins/shared/host/setting_values.cpp -- the settings as a plugin follows them.
#include "plugins/shared/host/setting_values.h"

#include "plugins/shared/host/host.h"

namespace gpuopt::plugin {
namespace {

std::string_view value_of(Setting setting) noexcept {
  const char *const value = plugin::setting(name_of(setting));
  return value ? value : "";
}

// Returns the value if it means something; else "", with a warning unless it is empty.
std::string_view meaningful_value(Setting setting) noexcept {
  const std::string_view value = value_of(setting);
  if (value.empty() || has_meaning(row_of(setting), value)) return value;
  try {
    warn_of_setting(setting, std::string(value), value_problem(row_of(setting)));
  } catch (...) {
    warn_once("setting.ignored", name_of(setting), "its value has no meaning and is ignored");
  }
  return {};
}

}  // namespace

std::string setting_text(Setting setting) { return std::string(value_of(setting)); }
bool is_set(Setting setting) noexcept { return !value_of(setting).empty(); }

std::optional<size_t> setting_word(Setting setting) noexcept {
  const std::string_view value = meaningful_value(setting);
  return word_index(row_of(setting), value.empty() ? row_of(setting).fallback : value);
}

bool setting_is(Setting setting, const char *word) noexcept {
  return setting_word(setting) == word_index(row_of(setting), word);
}

std::optional<uint64_t> setting_number(Setting setting) noexcept {
  const std::string_view value = meaningful_value(setting);
  return value.empty() ? std::nullopt : number_of(row_of(setting), value);
}

uint64_t setting_number_or_fallback(Setting setting) noexcept {
  return setting_number(setting).value_or(number_of(row_of(setting), row_of(setting).fallback).value_or(0));
}

void warn_of_setting(Setting setting, const std::string &value, const std::string &problem) noexcept try {
  warn_once("setting.ignored", name_of(setting), ignored_setting(row_of(setting), value, problem).c_str());
} catch (...) {
  warn_once("setting.ignored", name_of(setting), "its value cannot be used");
}

}  // namespace gpuopt::plugin
