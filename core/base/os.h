// core/base/os.h -- what the core needs of the operating system: paths, directories, the environment, standard error.
//
// Implemented once per system: os_posix.cpp, os_windows.cpp. Paths are UTF-8 everywhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/host/settings.h"

namespace gpuopt {

extern const char kPathListSeparator;  // between the paths of GPUOPT_PLUGIN_PATH
extern const char kDirectorySeparator;

bool is_absolute(const std::string &path);

enum class FileKind { kMissing, kFile, kDirectory, kOther };
// Returns what `path` names. Links are followed on POSIX, where a dangling one is kOther; on Windows a link is a file
// or a directory according to its own attributes. If the result is kOther, `problem` (may be NULL) is set to the
// reason.
FileKind file_kind(const std::string &path, std::string *problem = nullptr);

// Returns the absolute path without links of an existing file; `path` itself if it cannot be determined.
std::string real_path(const std::string &path);
// Returns the directory part of `path`; "" if it has no separator.
std::string parent_directory(const std::string &path);
// Returns the names of all entries of a directory ("." and ".." included), sorted; none if it cannot be read.
std::vector<std::string> list_directory(const std::string &path);

// Returns the real path of the directory of the library that contains this code (of the program, if linked statically);
// "" if unknown. On Windows the library cannot be unloaded after the first call.
std::string library_directory();

// Returns the value of an environment variable. NULL if it is unset, and on POSIX also if the process has more
// privileges than its user (setuid, file capabilities) and so must not trust its environment.
const char *environment(const char *name);
inline const char *environment(Setting setting) { return environment(name_of(setting)); }
// Returns whether `name` is set but must not be used to find files to load, since the process has more privileges than
// its user (on Windows: is elevated).
bool environment_ignored(const char *name);

// Writes to standard error by one system call, which is repeated if a signal interrupts it. Ignores errors.
void write_standard_error(std::string_view line) noexcept;

#if defined(_WIN32)
// Converts UTF-8 to UTF-16, which Windows functions take.
std::wstring wide(const std::string &text);
// Returns the system's message for an error code of GetLastError().
std::string system_message(unsigned long code);
#endif

}  // namespace gpuopt
