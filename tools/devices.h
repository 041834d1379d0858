// tools/devices.h -- opens devices for commands, and keeps what was found on the way.
#pragma once
#include <gpuopt/gpuopt.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gpuopt::tools {

// The result of opening a device by request. The library owns `device`; it is NULL if `status` is not GPUOPT_OK.
struct Outcome {
  std::string request;
  gpuopt_device device = nullptr;
  gpuopt_status status = GPUOPT_OK;
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // why it failed, or why another device was chosen
  std::string message;
};
Outcome open_request(const char *request);  // NULL: the default request
// Opens "BACKEND!", without a fallback that would hide the failure.
Outcome open_required(const std::string &backend);

// Returns the devices of a list, in its order: all that work of a backend ("cpu,cuda"), or the one with a number
// ("cuda:1"). Adds the outcome of each item without a device to `missing`, which may be NULL.
std::vector<device> open_devices(const std::string &list, std::vector<Outcome> *missing = nullptr);
// The default list for open_devices().
inline constexpr char kUsualDevices[] = "cpu,cuda";

// Returns the discovery report of the library. Throws gpuopt::error.
std::string discovery_report(bool as_json);

// Sets an environment variable of this process. To be called while there are no other threads.
void set_environment(const char *name, const char *value);

// Discards the library's log records. Commands print their own findings, which warnings would only repeat.
void keep_log_quiet();

}  // namespace gpuopt::tools
