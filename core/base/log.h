// core/base/log.h -- the log: one line per event on standard error, or the user's callback.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <string>

namespace gpuopt {

// One event; members that do not apply are empty and left out of the line.
struct LogRecord {
  int32_t level;      // GPUOPT_LOG_*
  std::string event;  // stable dotted id
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  std::string requested = {}, used = {}, hardware = {}, plugin = {}, detail = {}, hint = {};
};

// Whether GPUOPT_LOG, read now, lets this level through.
bool log_enabled(int32_t level);

// Whether (event, reason, key) is seen for the first time in this process; remembers it.
bool first_time(const std::string &event, gpuopt_reason reason, const std::string &key) noexcept;

void log(const LogRecord &record) noexcept;

// For a fork, while a thread of a backend's own may be logging: takes both locks, or none of them if another thread has
// one or is in a callback.
bool try_lock_log() noexcept;
void unlock_log() noexcept;
// In the child of a fork that went ahead without the locks: new locks, in place of what another thread held.
void renew_log_locks() noexcept;

// The line, newline excluded: gpuopt[W] event reason=R requested=.. using=.. hw=.. plugin=.. detail=".." hint="..".
// detail and hint are always quoted, other values where they hold a blank, quote or control character.
std::string log_line(const LogRecord &record);

}  // namespace gpuopt
