// core/log.cpp -- levels, line format, once-only warnings, and the callback that replaces standard error.
#include "log.h"

#include <gpuopt/gpuopt.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <tuple>

#include "loader.h"

namespace gpuopt {
namespace {

struct Sink {
  std::shared_mutex mutex;  // shared while a callback runs, so that set_callback returns only when none does any more
  gpuopt_log_callback callback = nullptr;
  void *user = nullptr;
};

// Leaked, as all process-wide state here: log lines may come from other libraries' destructors.
Sink &sink() {
  static auto *const kept = new Sink;
  return *kept;
}

// A record made while a callback runs on this thread goes to standard error instead of back into the callback.
thread_local bool inside_callback = false;

int level_limit() {
  const char *level = environment("GPUOPT_LOG");
  if (!level) return GPUOPT_LOG_WARN;
  static constexpr const char *names[] = {"off", "error", "warn", "info", "debug"};
  for (int i = 0; i < 5; ++i) {
    if (std::strcmp(level, names[i]) == 0) return i;
  }
  return GPUOPT_LOG_WARN;
}

void append_escaped(std::string &line, const std::string &text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += {'\\', c};
    } else if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      char code[5];
      std::snprintf(code, sizeof code, "\\x%02x", byte);
      line += code;
    } else {
      line += c;
    }
  }
}

bool needs_quotes(const std::string &text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F || c == '"' || c == '\\' || c == '=') return true;
  }
  return false;
}

void append_value(std::string &line, const char *key, const std::string &value, bool always_quoted) {
  if (value.empty()) return;
  const bool quotes = always_quoted || needs_quotes(value);
  line += std::string(" ") + key + (quotes ? "=\"" : "=");
  append_escaped(line, value);
  if (quotes) line += '"';
}

bool give_to_callback(const LogRecord &record, const std::string &line) {
  if (inside_callback) return false;
  Sink &out = sink();
  std::shared_lock lock(out.mutex);
  if (!out.callback) return false;
  const gpuopt_log_record plain{sizeof plain,          record.level,
                                record.reason,         0,
                                record.event.c_str(),  record.requested.c_str(),
                                record.used.c_str(),   record.plugin.c_str(),
                                record.detail.c_str(), record.hint.c_str(),
                                line.c_str()};
  inside_callback = true;
  out.callback(&plain, out.user);
  inside_callback = false;
  return true;
}

}  // namespace

bool log_enabled(int32_t level) { return level <= level_limit(); }

bool first_time(const std::string &event, gpuopt_reason reason, const std::string &key) noexcept {
  static auto *const mutex = new std::mutex;
  static auto *const seen = new std::set<std::tuple<std::string, gpuopt_reason, std::string>>;
  try {
    std::lock_guard lock(*mutex);
    return seen->emplace(event, reason, key).second;
  } catch (...) {
    return true;  // out of memory: rather twice than never
  }
}

std::string log_line(const LogRecord &record) {
  static constexpr char letters[] = "?EWID";
  const int level = record.level >= GPUOPT_LOG_ERROR && record.level <= GPUOPT_LOG_DEBUG ? record.level : 0;
  std::string line = std::string("gpuopt[") + letters[level] + "] ";
  append_escaped(line, record.event);
  if (record.reason != GPUOPT_REASON_NONE) append_value(line, "reason", gpuopt_reason_name(record.reason), false);
  append_value(line, "requested", record.requested, false);
  append_value(line, "using", record.used, false);
  append_value(line, "hw", record.hardware, false);
  append_value(line, "plugin", record.plugin, false);
  append_value(line, "detail", record.detail, true);
  append_value(line, "hint", record.hint, true);
  return line;
}

void log(const LogRecord &record) noexcept {
  if (!log_enabled(record.level)) return;
  try {
    std::string line = log_line(record);
    if (!give_to_callback(record, line)) write_standard_error(line += '\n');
  } catch (...) {
    inside_callback = false;
    write_standard_error("gpuopt[E] log.failed detail=\"a log record was lost: no memory, or the callback threw\"\n");
  }
}

}  // namespace gpuopt

extern "C" void gpuopt_log_set_callback(gpuopt_log_callback callback, void *user) {
  gpuopt::Sink &out = gpuopt::sink();
  std::unique_lock lock(out.mutex);
  out.callback = callback;
  out.user = user;
}
