// core/device/report.cpp -- the discovery report, as text for people and as JSON.
#include "core/device/report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/json.h"
#include "core/device/policy.h"
#include "core/device/request.h"

namespace gpuopt {
namespace {

std::string version_text() {
  const uint32_t v = gpuopt_version();
  return std::to_string(v / 1000000) + "." + std::to_string(v / 1000 % 1000) + "." + std::to_string(v % 1000);
}

void add_name(std::vector<std::string> &names, const std::string &name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Returns the backends to try, and sets the report's members about the request.
std::vector<std::string> names_to_try(DiscoveryReport &report) {
  std::vector<std::string> names;
  for (const KnownBackend &known : known_backends()) add_name(names, known.name);
  try {
    const Request request = parse_request(nullptr);
    report.request = request.text;
    report.request_source = request.source ? request.source : "default";
    for (const Choice &choice : request.choices) add_name(names, choice.name);
  } catch (const Failure &failure) {
    report.request_error = failure.message;
  }
  return names;
}

const char *place_verdict(const SearchPlace &place) {
  if (place.reason == GPUOPT_REASON_NONE) return "searched";
  return place.reason == GPUOPT_REASON_NOT_FOUND ? "absent" : "refused";
}

// ---- Text

std::string place_line(const SearchPlace &place) {
  std::string line = std::string("  ") + place_verdict(place) + "  " + place.path + "  (" + place.origin + ")";
  if (place.reason != GPUOPT_REASON_NONE) line += std::string(": ") + place.detail;
  return line + "\n";
}

std::string device_line(gpuopt_device device) {
  const gpuopt_plugin_device_info &info = device->info;
  std::string line = "    device " + device->name + ": " + info.name;
  if (info.detail[0]) line += std::string(" (") + info.detail + ")";
  if (info.memory_bytes) line += ", " + std::to_string(info.memory_bytes >> 20) + " MiB";
  return line + ", " + std::to_string(info.processors) + " processors\n";
}

std::string backend_text(const Attempt &attempt) {
  std::string text = "  " + attempt.name + ": " +
                     (attempt.device ? "usable" : std::string("not usable: ") + gpuopt_reason_name(attempt.reason)) +
                     "\n";
  if (!attempt.device) {
    text += std::string("    reason: ") + gpuopt_reason_message(attempt.reason) + "\n    detail: " + attempt.detail +
            "\n    hint: " + hint_text(attempt) + "\n";
    text += "    hardware: " + hardware_text(attempt) + "\n";
  }
  if (attempt.backend) text += "    plugin: " + attempt.backend->path + ", version " + attempt.backend->version + "\n";
  if (attempt.backend && !attempt.backend->toolkit.empty())
    text += "    built with: " + attempt.backend->toolkit + "\n";
  if (!attempt.driver.empty()) text += "    driver: " + attempt.driver + "\n";
  for (const Candidate &candidate : attempt.tried) {
    if (candidate.reason == GPUOPT_REASON_NONE) continue;
    text +=
        "    tried " + candidate.path + ": " + gpuopt_reason_name(candidate.reason) + ": " + candidate.detail + "\n";
  }
  for (gpuopt_device device : opened_devices(attempt.name)) text += device_line(device);
  if (attempt.device_count > 1) text += "    " + std::to_string(attempt.device_count) + " devices in all\n";
  return text;
}

// ---- JSON

std::string place_json(const SearchPlace &place) {
  return json::object({{"path", json::string(place.path)},
                       {"origin", json::string(place.origin)},
                       {"verdict", json::string(place_verdict(place))},
                       {"reason", json::string(gpuopt_reason_name(place.reason))},
                       {"detail", json::string(place.detail)}});
}

std::string candidate_json(const Candidate &candidate) {
  return json::object({{"path", json::string(candidate.path)},
                       {"reason", json::string(gpuopt_reason_name(candidate.reason))},
                       {"detail", json::string(candidate.detail)}});
}

std::string device_json(gpuopt_device device) {
  return json::object({{"name", json::string(device->name)},
                       {"processor", json::string(device->info.name)},
                       {"detail", json::string(device->info.detail)},
                       {"memory_bytes", json::number(static_cast<int64_t>(device->info.memory_bytes))},
                       {"processors", json::number(device->info.processors)},
                       {"host_memory", json::boolean(device->host_memory())}});
}

template <class T, class Writer>
std::string list_json(const std::vector<T> &values, Writer writer) {
  std::vector<std::string> parts;
  for (const T &value : values) parts.push_back(writer(value));
  return json::array(parts);
}

std::string plugin_json(const Backend *backend) {
  if (!backend) return "null";
  return json::object({{"path", json::string(backend->path)},
                       {"version", json::string(backend->version)},
                       {"build_id", json::string(backend->build_id)},
                       {"toolkit", json::string(backend->toolkit)},
                       {"abi_minor", json::number(backend->minor)}});
}

std::string backend_json(const Attempt &attempt) {
  return json::object({{"name", json::string(attempt.name)},
                       {"state", json::string(attempt.device ? "usable" : "unusable")},
                       {"reason", json::string(gpuopt_reason_name(attempt.reason))},
                       {"detail", json::string(attempt.detail)},
                       {"hint", json::string(hint_text(attempt))},
                       {"backend_code", json::number(attempt.backend_code)},
                       {"hardware", json::string(hardware_text(attempt))},
                       {"driver", json::string(attempt.driver)},
                       {"plugin", plugin_json(attempt.backend)},
                       {"candidates", list_json(attempt.tried, candidate_json)},
                       {"device_count", json::number(attempt.device_count)},
                       {"devices", list_json(opened_devices(attempt.name), device_json)}});
}

}  // namespace

char *new_string(const std::string &text) {
  char *string = static_cast<char *>(std::malloc(text.size() + 1));
  if (!string) throw std::bad_alloc();
  std::memcpy(string, text.c_str(), text.size() + 1);
  return string;
}

DiscoveryReport discover(const gpuopt_device_options &options) {
  DiscoveryReport report;
  Search search(options);
  const std::vector<std::string> names = names_to_try(report);
  for (const std::string &name : names) report.backends.push_back(attempt_device(name, 0, search));
  report.places = search.places();
  for (const std::string &name : names_on_list(report.places)) {
    // Plugins for communication lie there, too, and are no backends (core/comm/).
    if (name == "ring" || name == "mpi" || name == "nccl") continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) report.also_present.push_back(name);
  }
  return report;
}

std::string report_text(const DiscoveryReport &report) {
  std::string text = "gpuopt " + version_text() + "\n";
  if (report.request_error.empty()) {
    text += "default request: " + report.request + " (" + report.request_source + ")\n";
  } else {
    text += "default request: cannot be read: " + report.request_error + "\n";
  }
  text += "search list:\n";
  for (const SearchPlace &place : report.places) text += place_line(place);
  text += "backends:\n";
  for (const Attempt &attempt : report.backends) text += backend_text(attempt);
  if (!report.also_present.empty()) text += "plugin files also on the list, opened only when asked for by name:";
  for (const std::string &name : report.also_present) text += " " + name;
  return report.also_present.empty() ? text : text + "\n";
}

std::string report_json(const DiscoveryReport &report) {
  const std::string request = json::object({{"text", json::string(report.request)},
                                            {"source", json::string(report.request_source)},
                                            {"error", json::string(report.request_error)}});
  return json::object({{"version", json::string(version_text())},
                       {"plugin_abi", json::string(std::to_string(GPUOPT_PLUGIN_ABI_MAJOR) + "." +
                                                   std::to_string(GPUOPT_PLUGIN_ABI_MINOR))},
                       {"request", request},
                       {"search", list_json(report.places, place_json)},
                       {"backends", list_json(report.backends, backend_json)},
                       {"also_present", list_json(report.also_present, json::string)}}) +
         "\n";
}

}  // namespace gpuopt

extern "C" gpuopt_status gpuopt_discovery_report(const gpuopt_device_options *options, int32_t format, char **report,
                                                 gpuopt_error *error) {
  using namespace gpuopt;
  if (report) *report = nullptr;
  return guarded(error, [&] {
    if (!report) fail(GPUOPT_ERR_INVALID_ARGUMENT, "discovery_report: the result pointer is NULL");
    if (format != 0 && format != 1)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "discovery_report: format %d is neither 0 (text) nor 1 (JSON)", format);
    const DiscoveryReport found = discover(read_device_options(options, "discovery_report"));
    *report = new_string(format == 1 ? report_json(found) : report_text(found));
  });
}
