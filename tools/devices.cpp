// tools/devices.cpp -- see devices.h.
#include "tools/devices.h"

#include <cstdlib>
#include <sstream>

namespace gpuopt::tools {

Outcome open_request(const char *request) {
  Outcome outcome;
  outcome.request = request ? request : "(default)";
  gpuopt_error error = GPUOPT_ERROR_INIT;
  outcome.status = gpuopt_device_open_report(request, nullptr, &outcome.device, &outcome.reason, &error);
  if (outcome.status == GPUOPT_OK) return outcome;
  outcome.reason = error.reason;
  outcome.message = error.message;
  return outcome;
}

Outcome open_required(const std::string &backend) { return open_request((backend + "!").c_str()); }

std::vector<device> open_devices(const std::string &list, std::vector<Outcome> *missing) {
  std::vector<device> devices;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const bool numbered = name.find(':') != std::string::npos;
    for (int i = 0; i == 0 || !numbered; ++i) {
      Outcome outcome = open_required(numbered ? name : name + ":" + std::to_string(i));
      if (!outcome.device) {
        outcome.request = name;
        if (missing && i == 0) missing->push_back(std::move(outcome));
        break;
      }
      devices.emplace_back(device::handle_type(outcome.device));
    }
  }
  return devices;
}

std::string discovery_report(bool as_json) {
  char *text = nullptr;
  detail::call(gpuopt_discovery_report, nullptr, as_json ? 1 : 0, &text);
  std::string report = text;
  gpuopt_string_free(text);
  return report;
}

void set_environment(const char *name, const char *value) {
#if defined(_WIN32)
  _putenv_s(name, value);
#else
  setenv(name, value, 1);
#endif
}

void keep_log_quiet() {
  gpuopt_log_set_callback([](const gpuopt_log_record *, void *) {}, nullptr);
}

}  // namespace gpuopt::tools
