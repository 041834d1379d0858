// core/base/os.h -- what the core asks of the operating system: paths, directories, the environment, standard error.
//
// Implemented once per system: os_posix.cpp, os_windows.cpp. Paths are UTF-8 everywhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/host/settings.h"

namespace gpuopt {

extern const char kPathListSeparator;  // of GPUOPT_PLUGIN_PATH
extern const char kDirectorySeparator;

bool is_absolute(const std::string &path);

enum class FileKind { kMissing, kFile, kDirectory, kOther };
// What lies at `path`, links followed; a link that leads nowhere is kOther. `problem` says why something is kOther.
FileKind file_kind(const std::string &path, std::string *problem = nullptr);

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
inline const char *environment(Setting setting) { return environment(name_of(setting)); }
// Whether `name` is set but must not name files to load: the process has raised rights (on Windows: is elevated).
bool environment_ignored(const char *name);

// One write to standard error.
void write_standard_error(std::string_view line) noexcept;

#if defined(_WIN32)
// UTF-8 as UTF-16, which the system's functions take.
std::wstring wide(const std::string &text);
// The system's own sentence for an error number.
std::string system_message(unsigned long code);
#endif

}  // namespace gpuopt
