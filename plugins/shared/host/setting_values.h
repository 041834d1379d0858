// plugins/shared/host/setting_values.h -- the settings as a plugin follows them: as the host hands them out, with a
// warning, once, where a value means nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugins/shared/host/settings.h"

namespace gpuopt::plugin {

// Returns the setting's text; "" if it is unset.
std::string setting_text(Setting setting);
bool is_set(Setting setting) noexcept;  // and not empty

// Returns the position of the setting's value among the words of its row. If it is unset, empty or none of them: that
// of the row's fallback; nothing if the fallback is none of the words either.
std::optional<size_t> setting_word(Setting setting) noexcept;
// Returns whether that position is the word's.
bool setting_is(Setting setting, const char *word) noexcept;

// Returns the setting as a number of its row's kind; nothing if it is unset, empty or no such number.
std::optional<uint64_t> setting_number(Setting setting) noexcept;
// As above, but the fallback of the row, which must be a number, instead of nothing.
uint64_t setting_number_or_fallback(Setting setting) noexcept;

// Warns, once for each setting, that its value has no effect, and why. `problem` follows "NAME=VALUE ".
void warn_of_setting(Setting setting, const std::string &value, const std::string &problem) noexcept;

}  // namespace gpuopt::plugin
