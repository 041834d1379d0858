// core/device/policy.h -- from a request to a device: the order of tries, and what is said about each.
#pragma once
#include "core/device/registry.h"

namespace gpuopt {

// Opens the first device of the request (request.h; NULL: the environment's) that works, with one warning for each
// choice passed over. Throws ERR_INVALID_ARGUMENT for what is no request, ERR_UNAVAILABLE where no choice works.
// `reason` (may be NULL) says why an earlier choice was passed over.
gpuopt_device open_device(const char *request, const gpuopt_device_options *options, gpuopt_reason *reason);

// What a person does about an attempt's reason: status.def's cure with the backend's name put in.
std::string hint_text(const Attempt &attempt);

}  // namespace gpuopt
