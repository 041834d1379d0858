// core/device/policy.h -- opens the device that a request asks for: in which order devices are tried, and what is
// logged about each.
#pragma once
#include "core/device/registry.h"

namespace gpuopt {

// Opens the first device of the request (request.h; NULL: that of the environment) that works; it lives as long as the
// process. `options` may be NULL. Each choice passed over is logged, once per process for a backend and reason: as a
// warning, or as information under "auto" if its hardware is absent. `reason` (may be NULL) is set to why the first
// choice was passed over, or to NONE; under "auto", absent hardware is no reason. Throws ERR_INVALID_ARGUMENT if the
// request is malformed or has an unknown name, ERR_UNAVAILABLE if no choice works.
gpuopt_device open_device(const char *request, const gpuopt_device_options *options, gpuopt_reason *reason);

// Returns what the user can do about an attempt's reason: the cure in status.def with the backend's name inserted.
std::string hint_text(const Attempt &attempt);

}  // namespace gpuopt
