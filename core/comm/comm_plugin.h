// core/comm/comm_plugin.h -- communication plugins: found, checked and loaded as backends are, each at most once.
#pragma once
#include <gpuopt/gpuopt_comm_plugin.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace gpuopt {

// A loaded communication plugin; never unloaded. `api` is the host's own copy of its table, in which absent slots are
// stubs that report ERR_UNSUPPORTED, or do nothing if they return nothing.
struct CommPlugin {
  std::string name, path, version;
  gpuopt_comm_api api{};
  bool moves_device_memory() const;  // whether exchange_on_device is no stub
};

// The plugins that "auto" asks whether their launcher has started this process, in order. They are no backends.
const std::vector<std::string> &known_comm_plugins();

// Returns the plugin of this name, which is loaded if it was not. Throws ERR_UNAVAILABLE with the reason and a sentence
// for each file that was tried.
const CommPlugin &comm_plugin(const std::string &name);

// Asks a plugin's probe. Throws what it reports.
gpuopt_comm_probe probe_comm(const CommPlugin &plugin);

// Copies the slots of a plugin's table that both sides know, and fills absent ones with stubs. Returns "", or what is
// wrong with the table.
std::string copy_comm_table(const gpuopt_comm_api &theirs, gpuopt_comm_api *ours);

}  // namespace gpuopt
