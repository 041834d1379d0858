// core/base/setting_values.h -- the settings as the core follows them: with a warning, once, where a value means
// nothing. Plugins have plugins/shared/host/setting_values.h, which asks the host.
#pragma once
#include <cstdint>
#include <optional>

#include "plugins/shared/host/settings.h"

namespace gpuopt {

// Returns the setting's value, or the row's fallback if it is unset, empty or without meaning.
const char *setting_value(Setting setting);

// Returns whether that is this word of its row.
bool setting_is(Setting setting, const char *word);

// Returns it as a number of the row's kind; nothing if the fallback, which then counts, is not a number.
std::optional<uint64_t> setting_number(Setting setting);

}  // namespace gpuopt
