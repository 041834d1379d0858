// core/device/policy.cpp -- see policy.h.
#include "core/device/policy.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/device/request.h"

namespace gpuopt {

std::string hint_text(const Attempt &attempt) {
  std::string hint = gpuopt_reason_hint(attempt.reason);
  constexpr std::string_view placeholder = "<name>";
  if (const size_t at = hint.find(placeholder); at != std::string::npos)
    hint.replace(at, placeholder.size(), attempt.name);
  return hint;
}

namespace {

// Returns the names that a request may contain now, for messages.
std::string valid_names(Search &search) {
  std::vector<std::string> names = names_on_list(search.places());
  for (const KnownBackend &known : known_backends()) names.push_back(known.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (const std::string &name : names) text += name + ", ";
  return text + "numpy, cupy, auto";
}

// Throws ERR_INVALID_ARGUMENT for an unknown name: one that is not on the default list and has no plugin file on the
// search list. All names are checked before the first is tried, so that a misspelt one is an error even if an earlier
// choice works.
void check_names(const Request &request, Search &search) {
  for (const Choice &choice : request.choices) {
    const auto &known = known_backends();
    const bool listed =
        std::any_of(known.begin(), known.end(), [&](const KnownBackend &k) { return choice.name == k.name; });
    if (!listed && find_candidates(search.places(), choice.name).empty())
      refuse_item(request, choice.name, "is not a known backend");
  }
}

Request checked_request(const char *text, Search &search) {
  try {
    Request request = parse_request(text);
    check_names(request, search);
    return request;
  } catch (Failure &failure) {
    if (failure.code == GPUOPT_ERR_INVALID_ARGUMENT) failure.message += "; valid names: " + valid_names(search);
    throw;
  }
}

std::string short_name(const std::string &name, int32_t index) {
  return index == 0 ? name : name + ":" + std::to_string(index);
}

// Returns whether the backend is disabled, or its hardware seems to be absent. Under "auto" such a backend was not
// asked for, so that its failure is no warning.
bool simply_absent(const Attempt &attempt) {
  if (attempt.reason == GPUOPT_REASON_DISABLED || attempt.hardware == 0) return true;
  const bool nothing_seen = attempt.reason == GPUOPT_REASON_NOT_FOUND ||
                            attempt.reason == GPUOPT_REASON_DRIVER_MISSING || attempt.reason == GPUOPT_REASON_NO_DEVICE;
  return attempt.hardware < 0 && nothing_seen;
}

void log_fallback(const Request &request, const Attempt &passed_over, gpuopt_device used) {
  const bool quiet = request.automatic && simply_absent(passed_over);
  LogRecord record{quiet ? GPUOPT_LOG_INFO : GPUOPT_LOG_WARN, "backend.fallback", passed_over.reason};
  if (!log_enabled(record.level) || !first_time(record.event, record.reason, passed_over.name)) return;
  record.requested = short_name(passed_over.name, passed_over.index);
  record.used = short_name(used->backend->name, used->index);
  record.hardware = hardware_text(passed_over);
  record.plugin = passed_over.plugin;
  record.detail = passed_over.detail;
  record.hint = hint_text(passed_over);
  if (request.source) record.hint += std::string("; ") + request.source + "=cpu silences this";
  log(record);
}

void log_open(const Request &request, const Attempt &attempt) {
  if (!log_enabled(GPUOPT_LOG_DEBUG)) return;
  LogRecord record{GPUOPT_LOG_DEBUG, "device.open"};
  record.requested = request.text;
  record.used = attempt.device->name;
  record.plugin = attempt.backend->path;
  record.detail = attempt.device->info.name;
  log(record);
}

void log_candidates(const Attempt &attempt) {
  if (!log_enabled(GPUOPT_LOG_DEBUG)) return;
  for (const Candidate &candidate : attempt.tried) {
    if (candidate.reason == GPUOPT_REASON_NONE) continue;
    LogRecord record{GPUOPT_LOG_DEBUG, "plugin.refused", candidate.reason};
    record.requested = attempt.name;
    record.plugin = candidate.path;
    record.detail = candidate.detail;
    log(record);
  }
}

Failure unavailable(const Request &request, const std::vector<Attempt> &failed) {
  std::string message = described(request) + ": ";
  for (const Attempt &attempt : failed) {
    message += short_name(attempt.name, attempt.index) + " cannot be used: " + gpuopt_reason_name(attempt.reason) +
               ": " + attempt.detail;
    if (!attempt.plugin.empty()) message += " [" + attempt.plugin + "]";
    message += "; ";
  }
  const Attempt &last = failed.back();
  return {GPUOPT_ERR_UNAVAILABLE, last.reason, last.backend_code, message + hint_text(last)};
}

// Returns the reason of the first failed choice. Under "auto", choices whose hardware is absent do not count, but
// disabled ones do. NONE if there is no such choice.
gpuopt_reason fallback_reason(const Request &request, const std::vector<Attempt> &failed) {
  for (const Attempt &attempt : failed) {
    if (!request.automatic || attempt.reason == GPUOPT_REASON_DISABLED || !simply_absent(attempt))
      return attempt.reason;
  }
  return GPUOPT_REASON_NONE;
}

}  // namespace

gpuopt_device open_device(const char *text, const gpuopt_device_options *options, gpuopt_reason *reason) {
  const gpuopt_device_options none = GPUOPT_DEVICE_OPTIONS_INIT;
  Search search(options ? *options : none);
  const Request request = checked_request(text, search);
  std::vector<Attempt> failed;
  for (const Choice &choice : request.choices) {
    Attempt attempt = attempt_device(choice.name, choice.index, search);
    log_candidates(attempt);
    if (attempt.device) {
      if (choice.required) attempt.device->required = true;
      for (const Attempt &passed_over : failed) log_fallback(request, passed_over, attempt.device);
      if (reason) *reason = fallback_reason(request, failed);
      log_open(request, attempt);
      return attempt.device;
    }
    failed.push_back(std::move(attempt));
    if (choice.required) break;
  }
  throw unavailable(request, failed);
}

}  // namespace gpuopt
