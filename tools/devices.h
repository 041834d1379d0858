// tools/devices.h -- opening devices for commands, and what was found on the way.
#pragma once
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

namespace gpuopt::tools {

// What opening a request came to.
struct Outcome {
  std::string request;
  gpuopt_device device = nullptr;
  gpuopt_status status = GPUOPT_OK;
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // why not, or why something else was taken
  std::string message;
};
Outcome open_request(const char *request);
// Without a fallback that hides the failure.
Outcome open_required(const std::string &backend);

// All devices of each backend of a list ("cpu,cuda") that work, or the one it numbers ("cuda:1"), in its order.
// `missing` gets what opening the others came to.
std::vector<device> open_devices(const std::string &list, std::vector<Outcome> *missing = nullptr);
// What open_devices is given where nobody says otherwise.
inline constexpr char kUsualDevices[] = "cpu,cuda";

// The discovery report; throws gpuopt::error.
std::string discovery_report(bool as_json);

// Sets a variable of this process's environment. For the time before there are other threads.
void set_environment(const char *name, const char *value);

// Commands print their own findings: warnings about the same things would only repeat them.
void keep_log_quiet();

}  // namespace gpuopt::tools
