// core/device/loader.h -- loads one plugin file.
//
// The first part, down to library_symbol(), is implemented once per system: loader_posix.cpp, loader_windows.cpp. Paths
// are UTF-8.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <span>
#include <string>

#include "core/base/os.h"
#include "core/device/device.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt {

// The first returns "libgpuopt_cuda.so" for "cuda" ("gpuopt_cuda.dll" on Windows); the second is its inverse, and
// returns "" if `file` is not the file name of a plugin.
std::string plugin_file_name(const std::string &name);
std::string plugin_name(const std::string &file);

// Returns whether NVIDIA hardware seems to be present: 1 yes, 0 no, -1 unknown (on Windows never 0). Looks only at
// files, without loading a driver; on POSIX at those below `root`, which tests set.
int nvidia_hardware(const std::string &root = "");

// A loaded library, or why it could not be loaded (`handle` NULL, `reason` and `detail` set). It is never unloaded.
struct Library {
  void *handle = nullptr;
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  std::string detail;
};
// Loads a library after checking it by `check` (POSIX only) and for truncation. Never blocks on a FIFO, never faults on
// a truncated file. On POSIX this loads the open file that was checked, not whatever has its name by then (but see
// load_by_path()), and the dynamic linker, and so dladdr and debuggers, know it by the path that trusted::File gives.
Library open_library(const std::string &path, trusted::Check check);
// Returns the address of a symbol, NULL if the library has none of this name.
void *library_symbol(const Library &library, const char *name);

// ---- Plugins (loader.cpp, loader_table.cpp, loader_host.cpp)

// Returns the table of services that all plugins get; it lives as long as the process.
const gpuopt_host_api &host_services();

// A row of an interface's list of slots. `required` is REQUIRED or OPTIONAL there.
struct TableSlot {
  const char *name;
  size_t offset;
  bool required;
};

// Copies the slots of `theirs` that both sides know to `ours`, and takes absent ones from `stubs`. All three are tables
// of one interface, which begin with a gpuopt_table_header; that of `stubs` says the version that is spoken here, and
// the size of `ours`. Returns "", or what is wrong with the table, such as a required slot that is missing.
std::string copy_slots(const void *theirs, const void *stubs, std::span<const TableSlot> slots, void *ours);

// Does so with the table of a backend.
std::string copy_table(const gpuopt_plugin_api &theirs, gpuopt_plugin_api *ours);

// Checks what a plugin's query function has returned: versions, name (it has to be backend->name) and table. Fills the
// other members of `backend` and returns "", or returns what is wrong and sets *reason.
std::string accept_description(gpuopt_status status, const gpuopt_plugin_desc &desc, Backend *backend,
                               gpuopt_reason *reason);

// A plugin file that exists on the search list.
struct Candidate {
  std::string path;
  gpuopt_reason reason = GPUOPT_REASON_NONE;    // why it must not, or could not, be loaded; else NONE
  std::string detail = {};                      // the same in words
  trusted::Check check = trusted::Check::kAll;  // what is checked when it is loaded
};

// Loads candidate->path as the backend `name`. On failure returns NULL and sets the candidate's reason and detail; a
// library that was loaded by then stays loaded.
std::unique_ptr<Backend> load_plugin(const std::string &name, Candidate *candidate);

// Adds four pairs of floats on a device that was just opened, and compares the bits of the sums. Throws Failure with
// SELFTEST_FAILED if they differ, or what a slot reports.
void self_test(gpuopt_device device);

}  // namespace gpuopt
