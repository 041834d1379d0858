// core/device/report.h -- the discovery report: what was tried for each backend, where, and with which result.
#pragma once
#include <string>
#include <vector>

#include "core/device/registry.h"

namespace gpuopt {

struct DiscoveryReport {
  std::string request, request_source, request_error;  // what a NULL request asks for now, its origin, its error or ""
  std::vector<SearchPlace> places;
  std::vector<Attempt> backends;          // the attempts to open device 0 of each backend
  std::vector<std::string> also_present;  // backends that have plugin files on the search list but were not tried
};

// Tries to open device 0 of every backend of the default list, and of those that the environment's request names.
DiscoveryReport discover(const gpuopt_device_options &options);

// Returns the report for people, in lines.
std::string report_text(const DiscoveryReport &report);

// Returns the report as one JSON object {version, plugin_abi, request, search, backends, also_present}. Later versions
// only add keys.
std::string report_json(const DiscoveryReport &report);

// Returns a copy that the caller frees with gpuopt_string_free. Throws std::bad_alloc.
char *new_string(const std::string &text);

}  // namespace gpuopt
