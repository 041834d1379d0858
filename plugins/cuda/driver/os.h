// plugins/cuda/driver/os.h -- functions of the operating system, which os_posix.cpp and os_windows.cpp implement.
#pragma once

#include <string>
#include <vector>

namespace gpuopt::cuda {

// Opens a library with symbols of its own (RTLD_LOCAL), and never closes it. On failure returns NULL, with the system's
// message in `problem`. A name without a directory is searched for by the system's rules (on Windows in System32 only).
// The rounding and flushing modes of the thread are restored.
void *open_library(const std::string &name, std::string *problem);
// Returns the address of a symbol of a library; NULL if it is absent.
void *find_symbol(void *library, const char *name);

// Returns a library that the process has already loaded, by its name without a directory; NULL if it has not.
void *loaded_library(const std::string &name);
// Returns the absolute path of the file that contains this function or object; "" if unknown.
std::string file_of(const void *address);

// Returns the names and paths at which the NVIDIA driver's library is looked for, in this order.
std::vector<std::string> driver_names();

// Returns the number of forks between the process that first called this function and the calling one, so that it
// differs in a child. Always 0 on Windows. Cheap.
int fork_generation();

// Return whether a file exists, and why this user cannot open it for reading and writing ("" if they can).
bool file_exists(const std::string &path);
std::string opening_problem(const std::string &path);

// Returns the names in a directory, in any order; none if it cannot be read.
std::vector<std::string> names_in(const std::string &directory);
// Returns the first 256 characters of a file; "" if it cannot be read.
std::string head_of(const std::string &path);

}  // namespace gpuopt::cuda
