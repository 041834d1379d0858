// core/loader.h -- what the core asks of the operating system, and loading one plugin file.
//
// The first half is implemented once per system: loader_posix.cpp, loader_windows.cpp. Paths are UTF-8 everywhere.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <string>
#include <vector>

#include "device.h"

namespace gpuopt {

// ---- The operating system

extern const char kPathListSeparator;  // of GPUOPT_PLUGIN_PATH
extern const char kDirectorySeparator;

// "libgpuopt_cuda.so", and "cuda" back from it ("" if `file` is not a plugin's file name).
std::string plugin_file_name(const std::string &name);
std::string plugin_name(const std::string &file);

bool is_absolute(const std::string &path);

enum class FileKind { kMissing, kFile, kDirectory, kOther };
// What lies at `path`, links followed; a link that leads nowhere is kOther. `problem` says why something is kOther.
FileKind file_kind(const std::string &path, std::string *problem = nullptr);

// Why a file or directory named by a user setting must not be trusted: others may write it, or another user than root
// and this one owns it; for a file, also its real directory. "" if it may be.
std::string distrust(const std::string &path);

// The real path of `path`; `path` itself if it has none.
std::string real_path(const std::string &path);
std::string parent_directory(const std::string &path);
// File names in a directory, sorted; none if it cannot be read.
std::vector<std::string> list_directory(const std::string &path);

// The real directory of the library this code is part of (of the program, where it is linked statically); "" if
// unknown.
std::string library_directory();

// An environment variable; NULL if unset, and on POSIX also where the process has more rights than its user (setuid,
// file capabilities) and so must not believe its environment.
const char *environment(const char *name);
// Whether `name` is set but must not name files to load: the process has raised rights (on Windows: is elevated).
bool environment_ignored(const char *name);

// One write to standard error.
void write_standard_error(const std::string &line) noexcept;

// Whether NVIDIA hardware seems to be there: 1, 0, or -1 unknown. Looks at files below `root` only; no driver is
// touched.
int nvidia_hardware(const std::string &root = "");

// Calls the three around every fork of this process, as pthread_atfork. Nothing where there is no fork.
void watch_forks(void (*prepare)(), void (*parent)(), void (*child)());

// An opened library, or the reason why not. Never blocks on a FIFO, never faults on a truncated file.
struct Library {
  void *handle = nullptr;
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  std::string detail;
};
Library open_library(const std::string &path);
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
};

// Loads candidate.path as the backend `name`; on failure NULL, and the candidate says why. What was loaded stays
// loaded.
std::unique_ptr<Backend> load_plugin(const std::string &name, Candidate *candidate);

// Adds four numbers on a device that was just opened and compares bits; throws Failure.
void self_test(gpuopt_device device);

}  // namespace gpuopt
