// tools/plugin_test/loaded.h -- opens and queries the plugin as a host does, with host services of this program.
#pragma once
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

// Queries the plugin as a host that supports this range of minor versions. Sets *threw if the function threw, and then
// returns GPUOPT_ERR_INTERNAL.
gpuopt_status query(gpuopt_plugin_query_fn function, uint16_t minor_min, uint16_t minor_max,
                    Guarded<gpuopt_plugin_desc> *desc, bool *threw);

// open_plugin() opens the file and returns its query function; load_table() also queries it and returns its table. They
// do not check any rules. They return NULL and set `problem` if there is no function or table. The plugin stays loaded.
gpuopt_plugin_query_fn open_plugin(const std::string &path, std::string *problem);
const gpuopt_plugin_api *load_table(const Subject &subject, std::string *problem);

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
