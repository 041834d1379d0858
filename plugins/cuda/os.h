// plugins/cuda/os.h -- the few things asked of the operating system; os_posix.cpp and os_windows.cpp implement them.
#pragma once

#include <string>
#include <vector>

namespace gpuopt::cuda {

// Opens a library privately and for good; NULL if it cannot be, with the system's words in `problem`. A name without a
// directory is looked for as the system does (on Windows in System32 only). Rounding and flushing modes stay as they
// are.
void *open_library(const std::string &name, std::string *problem);
// A symbol of it, NULL if absent.
void *find_symbol(void *library, const char *name);

// A library the process has loaded already, by its name without a directory; NULL if it has not.
void *loaded_library(const std::string &name);
// The absolute path of the file in which this function or object lies; "" if unknown.
std::string file_of(const void *address);

// Where the NVIDIA driver's library is looked for, in this order.
std::vector<std::string> driver_names();

// How many forks this process is away from the one that asked first: 0 there, more in its children. Cheap.
int fork_generation();

// Whether the file exists, and why this user may not open it for reading and writing ("" if nothing is wrong).
bool file_exists(const std::string &path);
std::string opening_problem(const std::string &path);

// Names in a directory, in any order; none if it cannot be read.
std::vector<std::string> names_in(const std::string &directory);
// The first characters of a small file; "" if it cannot be read.
std::string head_of(const std::string &path);

}  // namespace gpuopt::cuda
