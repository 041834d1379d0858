// core/device/loader.h -- loading one plugin file.
//
// What the system loads is implemented once per system: loader_posix.cpp, loader_windows.cpp. Paths are UTF-8.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <string>

#include "core/base/os.h"
#include "core/device/device.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt {

// "libgpuopt_cuda.so", and "cuda" back from it ("" if `file` is not a plugin's file name).
std::string plugin_file_name(const std::string &name);
std::string plugin_name(const std::string &file);

// Whether NVIDIA hardware seems to be there: 1, 0, or -1 unknown. Looks at files below `root` only; no driver is
// touched.
int nvidia_hardware(const std::string &root = "");

// An opened library, or the reason why not. Never blocks on a FIFO, never faults on a truncated file. What is loaded is
// the file that was checked, and no other that has its name by then; the dynamic linker, and so dladdr and debuggers,
// know it by the file's real path.
struct Library {
  void *handle = nullptr;
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  std::string detail;
};
Library open_library(const std::string &path, trusted::Check check);
void *library_symbol(const Library &library, const char *name);

// ---- Plugins (loader.cpp, loader_table.cpp, loader_host.cpp)

// The table of services every plugin gets.
const gpuopt_host_api &host_services();

// Copies a plugin's table as far as both sides know it, stubs in place of absent slots. "" or what is wrong with it.
std::string copy_table(const gpuopt_plugin_api &theirs, gpuopt_plugin_api *ours);

// Checks what a query filled in: versions, name, table. Fills `backend`. "" or what is wrong, `reason` saying of which
// kind.
std::string accept_description(gpuopt_status status, const gpuopt_plugin_desc &desc, Backend *backend,
                               gpuopt_reason *reason);

// A plugin file that was tried.
struct Candidate {
  std::string path;
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // NONE: it loaded
  std::string detail = {};
  trusted::Check check = trusted::Check::kAll;  // when it is loaded
};

// Loads candidate.path as the backend `name`; on failure NULL, and the candidate says why. What was loaded stays
// loaded.
std::unique_ptr<Backend> load_plugin(const std::string &name, Candidate *candidate);

// Adds four numbers on a device that was just opened and compares bits; throws Failure.
void self_test(gpuopt_device device);

}  // namespace gpuopt
