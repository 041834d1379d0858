// core/base/setting_values.cpp -- see setting_values.h.
#include "core/base/setting_values.h"

#include "core/base/log.h"
#include "core/base/os.h"

namespace gpuopt {
namespace {

void warn_of(const SettingRow &row, const char *value) {
  if (!log_enabled(GPUOPT_LOG_WARN) || !first_time("setting.ignored", GPUOPT_REASON_NONE, row.name)) return;
  LogRecord record{GPUOPT_LOG_WARN, "setting.ignored"};
  record.detail = ignored_setting(row, value, value_problem(row));
  log(record);
}

}  // namespace

const char *setting_value(Setting setting) {
  const SettingRow &row = row_of(setting);
  const char *const value = environment(setting);
  if (!value || !*value) return row.fallback;
  if (has_meaning(row, value)) return value;
  warn_of(row, value);
  return row.fallback;
}

bool setting_is(Setting setting, const char *word) {
  const SettingRow &row = row_of(setting);
  return word_index(row, setting_value(setting)) == word_index(row, word);
}

std::optional<uint64_t> setting_number(Setting setting) { return number_of(row_of(setting), setting_value(setting)); }

}  // namespace gpuopt
