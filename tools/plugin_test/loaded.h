// tools/plugin_test/loaded.h -- opens and queries the plugin as a host does, with host services of this program.
#pragma once
#include <gpuopt/gpuopt_comm_plugin.h>
#include <gpuopt/gpuopt_plugin.h>

#include <cstring>
#include <string>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

// How often the plugin has used the services.
struct HostUse {
  int logs = 0;      // calls of `log` and `warn_once`, of any level
  int failures = 0;  // calls of `fail`
};
HostUse &host_use();
const gpuopt_host_api &host_services();

// The state of the process that must not change while a library is loaded and queried.
struct ProcessState {
  unsigned long float_mode;  // MXCSR or FPCR: rounding, flushing to zero; elsewhere the rounding mode
  int threads, files;        // numbers of threads and open files, plus a constant; -1 if unknown
};
ProcessState read_process();
// Returns a description of what differs, "" if nothing does.
std::string differences(const ProcessState &before, const ProcessState &after);

// A struct, zeroed, followed by bytes that nobody may write to.
template <class T>
struct Guarded {
  static constexpr unsigned char kFill = 0xA5;
  T value;
  unsigned char behind[256];
  Guarded() {
    std::memset(static_cast<void *>(this), 0, sizeof value);
    std::memset(behind, kFill, sizeof behind);
  }
  bool intact() const {
    for (const unsigned char byte : behind) {
      if (byte != kFill) return false;
    }
    return true;
  }
};

// What the interfaces of backends and of communication plugins call their parts.
struct BackendInterface {
  using Query = gpuopt_plugin_query_fn;
  using Description = gpuopt_plugin_desc;
  using Table = gpuopt_plugin_api;
  static constexpr uint16_t major = GPUOPT_PLUGIN_ABI_MAJOR, minor = GPUOPT_PLUGIN_ABI_MINOR;
  static constexpr const char *entry = GPUOPT_PLUGIN_ENTRY;
};
struct CommInterface {
  using Query = gpuopt_comm_query_fn;
  using Description = gpuopt_comm_desc;
  using Table = gpuopt_comm_api;
  static constexpr uint16_t major = GPUOPT_COMM_ABI_MAJOR, minor = GPUOPT_COMM_ABI_MINOR;
  static constexpr const char *entry = GPUOPT_COMM_ENTRY;
};

// Queries the plugin as a host that supports this range of minor versions. Sets *threw if the function threw, and then
// returns GPUOPT_ERR_INTERNAL.
template <class Interface>
gpuopt_status query(typename Interface::Query function, uint16_t minor_min, uint16_t minor_max,
                    Guarded<typename Interface::Description> *desc, bool *threw) {
  desc->value.header = {sizeof desc->value, Interface::major, minor_max, 0, 0, nullptr};
  desc->value.host_minor_min = minor_min;
  desc->value.host_minor_max = minor_max;
  try {
    return function(&host_services(), &desc->value);
  } catch (...) {
    *threw = true;
    return GPUOPT_ERR_INTERNAL;
  }
}

// Opens the file and returns the address of a function that it exports. Returns NULL and sets `problem` if there is
// none. The plugin stays loaded.
void *open_entry(const std::string &path, const char *entry, std::string *problem);

// open_plugin() opens the file and returns its query function; load_table() also queries it and returns its table. They
// do not check any rules. They return NULL and set `problem` if there is no function or table.
template <class Interface>
typename Interface::Query open_plugin(const std::string &path, std::string *problem) {
  return reinterpret_cast<typename Interface::Query>(open_entry(path, Interface::entry, problem));
}
template <class Interface>
const typename Interface::Table *load_table(const std::string &path, std::string *problem) {
  const auto function = open_plugin<Interface>(path, problem);
  if (!function) return nullptr;
  Guarded<typename Interface::Description> desc;
  bool threw = false;
  if (query<Interface>(function, 0, Interface::minor, &desc, &threw) == GPUOPT_OK && desc.value.api)
    return desc.value.api;
  *problem = "its query gives no table";
  return nullptr;
}

// Returns what is wrong with the status that a slot returned and the error that it filled, "" if nothing is. The status
// must be one of status.def; if it is a failure, the error must have the same code, and a message.
std::string error_problem(gpuopt_status status, const gpuopt_error &error);

// Returns a failure for a message: "ERR_IO: the message of the error".
std::string said(gpuopt_status status, const gpuopt_error &error);

// Calls a slot and returns its status. If it throws, sets `problem` and returns GPUOPT_ERR_INTERNAL.
template <class Call>
gpuopt_status call_slot(Call call, std::string *problem) {
  try {
    return call();
  } catch (...) {
    *problem = "it threw a C++ exception; none may leave a slot";
    return GPUOPT_ERR_INTERNAL;
  }
}

}  // namespace gpuopt::plugin_test
