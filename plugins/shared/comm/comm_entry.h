// plugins/shared/comm/comm_entry.h -- what the exported query function of every communication plugin does.
#pragma once

#include <gpuopt/gpuopt_comm_plugin.h>

#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/entry.h"

namespace gpuopt::plugin {

constexpr gpuopt_table_header comm_header() {
  return {sizeof(gpuopt_comm_api), GPUOPT_COMM_ABI_MAJOR, GPUOPT_COMM_ABI_MINOR, 0, 0, nullptr};
}

// The body of gpuopt_comm_query_v1. `name` and `table` are static.
inline gpuopt_status answer_comm_query(const gpuopt_host_api *api, gpuopt_comm_desc *desc, const char *name,
                                       const gpuopt_comm_api *table) noexcept {
  const size_t known = std::min<size_t>(desc->header.struct_size, sizeof(*desc));
  gpuopt_comm_desc filled{};
  std::memcpy(&filled, desc, known);
  filled.minor_min = 0;
  filled.minor_max = GPUOPT_COMM_ABI_MINOR;
  filled.name = name;
  filled.version = kVersion;
  filled.api = table;
  std::memcpy(desc, &filled, known);
  if (filled.header.abi_major != GPUOPT_COMM_ABI_MAJOR || filled.host_minor_min > GPUOPT_COMM_ABI_MINOR)
    return GPUOPT_ERR_UNSUPPORTED;
  set_host(api);
  return GPUOPT_OK;
}

}  // namespace gpuopt::plugin
