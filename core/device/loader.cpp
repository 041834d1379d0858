// core/device/loader.cpp -- makes a Backend of a plugin file: loads it, calls its query function, negotiates the
// version, copies the table.
#include "core/device/loader.h"

#include <algorithm>
#include <cstring>

namespace gpuopt {
namespace {

constexpr uint16_t kMinorMin = 0, kMinorMax = GPUOPT_PLUGIN_ABI_MINOR;

// Returns a string of the plugin's, at most 256 bytes of it in case it is not terminated; `otherwise` if it is NULL.
std::string text_or(const char *text, const char *otherwise) {
  constexpr size_t longest = 256;
  return text ? std::string(text, strnlen(text, longest)) : otherwise;
}

std::string range_text(int minimum, int maximum) {
  const std::string major = std::to_string(GPUOPT_PLUGIN_ABI_MAJOR) + ".";
  return minimum == maximum ? major + std::to_string(minimum)
                            : major + std::to_string(minimum) + " to " + major + std::to_string(maximum);
}

// Calls the plugin's entry point. An exception, which it must not throw, is caught, and *threw set.
gpuopt_status query_plugin(gpuopt_plugin_query_fn query, gpuopt_plugin_desc *desc, bool *threw) {
  *desc = gpuopt_plugin_desc{};
  desc->header = {sizeof *desc, GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
  desc->host_minor_min = kMinorMin;
  desc->host_minor_max = kMinorMax;
  try {
    return query(&host_services(), desc);
  } catch (...) {
    *threw = true;
    return GPUOPT_ERR_INTERNAL;
  }
}

std::string refuse(gpuopt_reason why, gpuopt_reason *reason, std::string detail) {
  *reason = why;
  return detail;
}

}  // namespace

std::string accept_description(gpuopt_status status, const gpuopt_plugin_desc &desc, Backend *backend,
                               gpuopt_reason *reason) {
  if (status != GPUOPT_OK && status != GPUOPT_ERR_UNSUPPORTED) {
    return refuse(GPUOPT_REASON_PROBE_FAILED, reason, std::string("its query returned ") + gpuopt_status_name(status));
  }
  const int minor = std::min<int>(desc.minor_max, kMinorMax);
  if (status != GPUOPT_OK || desc.minor_min > desc.minor_max || minor < std::max<int>(desc.minor_min, kMinorMin)) {
    return refuse(GPUOPT_REASON_ABI_MISMATCH, reason,
                  "the plugin speaks interface " + range_text(desc.minor_min, desc.minor_max) + " (plugin version " +
                      text_or(desc.version, "unknown") + "), this library " + range_text(kMinorMin, kMinorMax));
  }
  if (!desc.name || backend->name != text_or(desc.name, "")) {
    return refuse(
        GPUOPT_REASON_LOAD_FAILED, reason,
        "the file is named for backend " + backend->name + " but says it is " + text_or(desc.name, "nameless"));
  }
  if (desc.op_count < 0 || desc.reduction_count < 0 || desc.scan_count < 0) {
    return refuse(GPUOPT_REASON_ABI_MISMATCH, reason, "it claims a negative number of operations");
  }
  if (!desc.api) return refuse(GPUOPT_REASON_ABI_MISMATCH, reason, "it gives no function table");
  if (std::string defect = copy_table(*desc.api, &backend->api); !defect.empty())
    return refuse(GPUOPT_REASON_ABI_MISMATCH, reason, defect);
  backend->version = text_or(desc.version, "");
  backend->build_id = text_or(desc.build_id, "");
  backend->toolkit = text_or(desc.toolkit, "");
  backend->minor = minor;
  backend->op_count = std::min<int>(desc.op_count, GPUOPT_OP_COUNT);
  backend->reduction_count = std::min<int>(desc.reduction_count, GPUOPT_REDUCTION_COUNT);
  backend->scan_count = std::min<int>(desc.scan_count, GPUOPT_SCAN_COUNT);
  return {};
}

std::unique_ptr<Backend> load_plugin(const std::string &name, Candidate *candidate) {
  const Library library = open_library(candidate->path, candidate->check);
  candidate->reason = library.reason;
  candidate->detail = library.detail;
  if (!library.handle) return nullptr;
  const auto query = reinterpret_cast<gpuopt_plugin_query_fn>(library_symbol(library, GPUOPT_PLUGIN_ENTRY));
  if (!query) {
    candidate->reason = GPUOPT_REASON_NO_ENTRY;
    candidate->detail = "the library does not export " GPUOPT_PLUGIN_ENTRY;
    return nullptr;
  }
  auto backend = std::make_unique<Backend>();
  backend->name = name;
  backend->path = candidate->path;
  gpuopt_plugin_desc desc;
  bool threw = false;
  const gpuopt_status status = query_plugin(query, &desc, &threw);
  candidate->detail = accept_description(status, desc, backend.get(), &candidate->reason);
  if (threw) candidate->detail = "its query threw a C++ exception";
  return candidate->reason == GPUOPT_REASON_NONE ? std::move(backend) : nullptr;
}

}  // namespace gpuopt
