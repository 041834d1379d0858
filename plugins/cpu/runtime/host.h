// plugins/cpu/runtime/host.h -- what this backend uses of plugins/shared/host, under short names.
#pragma once

#include "plugins/shared/host/host.h"

namespace gpuopt::cpu {
using plugin::give;
using plugin::host;
using plugin::log;
using plugin::set_host;
using plugin::setting;
using plugin::warn_once;
}  // namespace gpuopt::cpu
