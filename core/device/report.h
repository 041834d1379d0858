// core/device/report.h -- the discovery report: what was tried for each backend, where, and what came of it.
#pragma once
#include <string>
#include <vector>

#include "core/device/registry.h"

namespace gpuopt {

struct DiscoveryReport {
  std::string request, request_source, request_error;  // what NULL asks for now; error "" if it can be read
  std::vector<SearchPlace> places;
  std::vector<Attempt> backends;          // device 0 of each
  std::vector<std::string> also_present;  // names of plugin files on the list that were not asked for
};

// Tries every backend of the default list and those the environment's request names.
DiscoveryReport discover(const gpuopt_device_options &options);

std::string report_text(const DiscoveryReport &report);

// One object: {version, plugin_abi, request, search, backends, also_present}; keys are only ever added.
std::string report_json(const DiscoveryReport &report);

// A copy that a C caller frees with gpuopt_string_free. Throws std::bad_alloc.
char *new_string(const std::string &text);

}  // namespace gpuopt
