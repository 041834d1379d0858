// plugins/cuda/driver/os.h -- functions of the operating system, which os_posix.cpp and os_windows.cpp implement.
#pragma once

#include <string>
#include <vector>

namespace gpuopt::cuda {

// Opens a library privately and for good. On failure returns NULL, with the system's message in `problem`. A name
// without a directory is searched for by the system's rules (on Windows in System32 only). The rounding and flushing
// modes of the thread are restored.
void *open_library(const std::string &name, std::string *problem);
// A symbol of a library; NULL if it is absent.
void *find_symbol(void *library, const char *name);

// A library that the process has loaded, by its name without a directory; NULL if it has not.
void *loaded_library(const std::string &name);
// The absolute path of the file that contains this function or object; "" if unknown.
std::string file_of(const void *address);

// Where the NVIDIA driver's library is looked for, in this order.
std::vector<std::string> driver_names();

// The number of forks between the process that called this first and the present one. Cheap.
int fork_generation();

// Whether a file exists; and why this user cannot open it for reading and writing ("" if they can).
bool file_exists(const std::string &path);
std::string opening_problem(const std::string &path);

// Names in a directory, in any order; none if it cannot be read.
std::vector<std::string> names_in(const std::string &directory);
// The first characters of a small file; "" if it cannot be read.
std::string head_of(const std::string &path);

}  // namespace gpuopt::cuda
