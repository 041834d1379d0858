// core/base/log.cpp -- levels, line format, once-only warnings, and the callback that replaces standard error.
#include "core/base/log.h"

#include <gpuopt/gpuopt.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <tuple>

#include "core/base/os.h"

namespace gpuopt {
namespace {

struct LogSink {
  std::mutex mutex;  // guards `callback` and `user`; not held while a callback runs
  gpuopt_log_callback callback = nullptr;
  void *user = nullptr;
  std::atomic<int> running{0};  // calls of callbacks in progress; incremented under `mutex`
  std::mutex seen_mutex;        // guards `seen`
  std::set<std::tuple<std::string, gpuopt_reason, std::string>> seen;  // arguments of first_time()
};

// Returns the process's only sink. Like all process-wide state of the core it is never destroyed, since destructors of
// other libraries may still log.
LogSink &log_sink() noexcept {
  alignas(LogSink) static unsigned char place[sizeof(LogSink)];  // static, so that constructing it needs no memory
  static auto *const kept = new (place) LogSink;
  return *kept;
}

// Whether this thread is in a callback. Records that it makes meanwhile go to standard error, not to the callback
// again.
thread_local bool inside_callback = false;

// The callback that is set at construction. Until the destructor has run, gpuopt_log_set_callback does not return to
// other threads (unless they are in a callback themselves), so that `user` stays valid.
struct CallbackInUse {
  explicit CallbackInUse(LogSink &sink) : out(sink) {
    const std::lock_guard lock(out.mutex);
    callback = out.callback;
    user = out.user;
    out.running++;
    inside_callback = true;
  }
  ~CallbackInUse() {
    inside_callback = false;
    if (out.running.fetch_sub(1) == 1) out.running.notify_all();
  }
  CallbackInUse(const CallbackInUse &) = delete;
  CallbackInUse &operator=(const CallbackInUse &) = delete;

  LogSink &out;
  gpuopt_log_callback callback;
  void *user;
};

// Returns how many of the running callbacks are on the calling thread: 0 or 1.
int own_calls() noexcept { return inside_callback ? 1 : 0; }

int level_limit() {
  const SettingRow &row = row_of(Setting::GPUOPT_LOG);  // word k of the row is level k
  const char *const level = environment(Setting::GPUOPT_LOG);
  const auto named = word_index(row, level ? level : row.fallback);
  return named ? static_cast<int>(*named) : GPUOPT_LOG_WARN;
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

// Returns false if the record has to go to standard error instead.
bool give_to_callback(const LogRecord &record, const std::string &line) {
  if (inside_callback) return false;
  const CallbackInUse use(log_sink());
  if (!use.callback) return false;
  const gpuopt_log_record plain{sizeof plain,          record.level,
                                record.reason,         0,
                                record.event.c_str(),  record.requested.c_str(),
                                record.used.c_str(),   record.plugin.c_str(),
                                record.detail.c_str(), record.hint.c_str(),
                                line.c_str()};
  use.callback(&plain, use.user);
  return true;
}

}  // namespace

bool log_enabled(int32_t level) { return level <= level_limit(); }

bool first_time(const std::string &event, gpuopt_reason reason, const std::string &key) noexcept {
  try {
    std::lock_guard lock(log_sink().seen_mutex);
    return log_sink().seen.emplace(event, reason, key).second;
  } catch (...) {
    return true;  // out of memory: logging twice is better than not at all
  }
}

bool try_lock_log() noexcept {
  LogSink &out = log_sink();
  if (!out.mutex.try_lock()) return false;
  if (out.running.load() == own_calls() && out.seen_mutex.try_lock()) return true;
  out.mutex.unlock();
  return false;
}

void unlock_log() noexcept {
  log_sink().seen_mutex.unlock();
  log_sink().mutex.unlock();
}

void renew_log_locks() noexcept {
  new (&log_sink().mutex) std::mutex;
  new (&log_sink().seen_mutex) std::mutex;
  log_sink().running.store(own_calls());
}

std::string log_line(const LogRecord &record) {
  static constexpr char kLetters[] = "?EWID";
  const int level = record.level >= GPUOPT_LOG_ERROR && record.level <= GPUOPT_LOG_DEBUG ? record.level : 0;
  std::string line = std::string("gpuopt[") + kLetters[level] + "] ";
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
  try {
    if (!log_enabled(record.level)) return;
    std::string line = log_line(record);
    if (!give_to_callback(record, line)) write_standard_error(line += '\n');
  } catch (...) {
    write_standard_error("gpuopt[E] log.failed detail=\"a log record was lost: no memory, or the callback threw\"\n");
  }
}

}  // namespace gpuopt

extern "C" void gpuopt_log_set_callback(gpuopt_log_callback callback, void *user) {
  gpuopt::LogSink &out = gpuopt::log_sink();
  {
    const std::lock_guard lock(out.mutex);
    out.callback = callback;
    out.user = user;
  }
  // A thread in a callback does not wait: if another did so in its callback, too, each would wait for the other.
  if (gpuopt::inside_callback) return;
  for (int running = out.running.load(); running > 0; running = out.running.load()) out.running.wait(running);
}
