// plugins/shared/host/entry.h -- what every plugin's exported query function does: it compares versions, fills the
// description, and stores the host's table.
#pragma once

#include <gpuopt/gpuopt.h>
#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "plugins/shared/host/host.h"

namespace gpuopt::plugin {

#define GPUOPT_TEXT_OF(token) #token
#define GPUOPT_TEXT(macro) GPUOPT_TEXT_OF(macro)
inline constexpr char kVersion[] =
    GPUOPT_TEXT(GPUOPT_VERSION_MAJOR) "." GPUOPT_TEXT(GPUOPT_VERSION_MINOR) "." GPUOPT_TEXT(GPUOPT_VERSION_PATCH);
#undef GPUOPT_TEXT
#undef GPUOPT_TEXT_OF
#if defined(__VERSION__)
inline constexpr char kBuild[] = __VERSION__;  // the compiler's version: builds of one release differ in nothing else
#else
inline constexpr char kBuild[] = "";
#endif

constexpr gpuopt_table_header header_of(size_t bytes) {
  return {static_cast<uint32_t>(bytes), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
}

inline constexpr size_t kSlots = 0
#define GPUOPT_SLOT(need, result, name, args) +1
#include <gpuopt/plugin_slots.def>
    ;
static_assert(sizeof(gpuopt_table_header) == 24);
static_assert(offsetof(gpuopt_plugin_api, probe) == 24, "slots follow the header");
static_assert(offsetof(gpuopt_plugin_api, kernel_launch) == 24 + 34 * sizeof(void *), "minor 0 ends here; append only");
static_assert(offsetof(gpuopt_plugin_api, device_synchronize) == 24 + 35 * sizeof(void *), "minor 1 ends here");
static_assert(offsetof(gpuopt_plugin_api, kernel_variable) == 24 + 37 * sizeof(void *), "minor 2 ends here");
static_assert(sizeof(gpuopt_plugin_api) == 24 + kSlots * sizeof(void *), "a table has slots only");

// Returns whether the plugin and the host can work together. The plugins need nothing above minor version 0 of the
// host, so any host that accepts this minor version, or an older one, will do.
inline bool meets(const gpuopt_host_api &api, const gpuopt_plugin_desc &desc) noexcept {
  return api.header.abi_major == GPUOPT_PLUGIN_ABI_MAJOR && desc.host_minor_min <= GPUOPT_PLUGIN_ABI_MINOR;
}

// The body of gpuopt_plugin_query_v1. `name`, `toolkit` and `table` are static. Returns ERR_UNSUPPORTED if the versions
// do not fit.
inline gpuopt_status answer_query(const gpuopt_host_api *api, gpuopt_plugin_desc *desc, const char *name,
                                  const char *toolkit, const gpuopt_plugin_api *table) noexcept {
  const size_t known = std::min<size_t>(desc->header.struct_size, sizeof(*desc));
  gpuopt_plugin_desc filled{};
  std::memcpy(&filled, desc, known);
  filled.minor_min = 0;
  filled.minor_max = GPUOPT_PLUGIN_ABI_MINOR;
  filled.op_count = GPUOPT_OP_COUNT;
  filled.reduction_count = GPUOPT_REDUCTION_COUNT;
  filled.scan_count = GPUOPT_SCAN_COUNT;
  filled.name = name;
  filled.version = kVersion;
  filled.build_id = kBuild;
  filled.toolkit = toolkit;
  filled.api = table;
  std::memcpy(desc, &filled, known);
  if (!meets(*api, filled)) return GPUOPT_ERR_UNSUPPORTED;
  set_host(api);
  return GPUOPT_OK;
}

}  // namespace gpuopt::plugin
