// tools/plugin_test/loaded.h -- the plugin as its host holds it: opened and queried, with services of ours.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <cstring>
#include <string>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

// What the services were used for.
struct HostUse {
  int logs = 0;      // records of any level
  int failures = 0;  // errors filled by `fail`
};
HostUse &host_use();
const gpuopt_host_api &host_services();

// What must not change while a library is loaded and queried; read_process reads it now.
struct ProcessState {
  unsigned long float_mode;  // rounding and flushing, where this processor has such a word
  int threads, files;        // -1 where the system does not tell
};
ProcessState read_process();
// What differs, in words; "" if nothing does.
std::string differences(const ProcessState &before, const ProcessState &after);

// A struct with bytes behind it that nobody may write to.
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

// The answer to a query for minor versions of this range. Sets *threw if it threw.
gpuopt_status query(gpuopt_plugin_query_fn function, uint16_t minor_min, uint16_t minor_max,
                    Guarded<gpuopt_plugin_desc> *desc, bool *threw);

// Opens and queries without judging; NULL and `problem` if there is no table that could be called.
gpuopt_plugin_query_fn open_plugin(const std::string &path, std::string *problem);
const gpuopt_plugin_api *load_table(const Subject &subject, std::string *problem);

// What is wrong with a status and the error that came with it; "" if nothing is. Statuses are those of status.def, and
// a failure says in its error which one it is and why.
std::string error_problem(gpuopt_status status, const gpuopt_error &error);

// "GPUOPT_ERR_IO (NO_PERMISSION): the message".
std::string said(gpuopt_status status, const gpuopt_error &error);

// Calls a slot; an exception that leaves it is a problem, the status then ERR_INTERNAL.
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
