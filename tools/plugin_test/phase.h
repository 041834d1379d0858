// tools/plugin_test/phase.h -- rules run in phases, each in a process of its own, as the plugin may crash in any.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

using Phase = std::function<void(const Subject &, Recorder &)>;

// Runs a phase in a child process and returns its findings. If the process crashes, exits early or hangs, the rule in
// which that happens fails.
std::vector<Finding> run_phase(const std::string &name, const Phase &phase, const Subject &subject);

// The phases, in their order; the last one is operations_phase() (operations.h).
void link_phase(const Subject &, Recorder &);    // how the file was linked; runs no code of it
void table_phase(const Subject &, Recorder &);   // the query function and its table
void device_phase(const Subject &, Recorder &);  // devices, memory, streams and copies, by calling the slots
// Communication plugins have other phases behind the first.
void comm_table_phase(const Subject &, Recorder &);  // the query function, its table, and the probe
void ranks_phase(const Subject &, Recorder &);       // jobs of 1 to 4 ranks: messages, and ranks that fail

}  // namespace gpuopt::plugin_test
