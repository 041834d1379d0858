// core/base/log.h -- the log: one line per event on standard error, or the user's callback.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <string>

namespace gpuopt {

// One event. Members that do not apply are empty, and are left out of the line.
struct LogRecord {
  int32_t level;      // GPUOPT_LOG_*
  std::string event;  // stable dotted id
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  std::string requested = {}, used = {}, hardware = {}, plugin = {}, detail = {}, hint = {};
};

// Returns whether records of this level are logged, by the value that GPUOPT_LOG has now.
bool log_enabled(int32_t level);

// Returns whether this is the first call with these arguments in the process. If there is no memory to store them, it
// returns true each time.
bool first_time(const std::string &event, gpuopt_reason reason, const std::string &key) noexcept;

// Passes the record to the user's callback, or writes its line to standard error, if its level is logged. May be called
// from any thread; a record that a callback's own thread makes goes to standard error.
void log(const LogRecord &record) noexcept;

// The next three are for the handlers of fork: a thread that a backend has started may log without being inside the
// library. try_lock_log() acquires both locks of the log and returns true, or acquires none and returns false if
// another thread holds one of them or is in a callback.
bool try_lock_log() noexcept;
void unlock_log() noexcept;
// Replaces both locks by new ones, in the child of a fork that could not acquire them.
void renew_log_locks() noexcept;

// Returns the record's line without a newline:
//   gpuopt[W] event reason=R requested=.. using=.. hw=.. plugin=.. detail=".." hint=".."
// detail and hint are always quoted; other values are if they contain a blank, a quote, a backslash, "=" or a control
// character.
std::string log_line(const LogRecord &record);

}  // namespace gpuopt
