// plugins/cpu/os.h -- the few things asked of the operating system; os_posix.cpp and os_windows.cpp implement them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// Processors this process may use: the affinity mask, and no more than the control group's CPU quota, rounded up. At
// least 1.
int usable_processors() noexcept;

// Physical memory in bytes, or the control group's limit if that is less; 0 if unknown.
uint64_t usable_memory() noexcept;

// Bytes of fresh zeroed pages aligned to `alignment` (a power of two, at least a page), or NULL. Huge pages are asked
// for from `alignment` 2 MiB on. unmap_pages takes the same size and keeps errno.
void *map_pages(size_t bytes, size_t alignment) noexcept;
void unmap_pages(void *memory, size_t bytes) noexcept;

// What was made with map_pages becomes read-only, and executable if asked; whole pages. False if the system will not
// have it.
bool protect_pages(void *memory, size_t bytes, bool executable) noexcept;

// Runs `before` before every later fork, `parent` and `child` after it in the two processes; each may be NULL.
void on_fork(void (*before)(), void (*parent)(), void (*child)()) noexcept;

// Starts a thread that is never joined and receives no signals; false if the system refuses.
bool start_thread(void (*body)(void *), void *argument) noexcept;
// The calling thread yields to others, as far as the system has that.
void lower_priority() noexcept;

// A library opened privately and for good, and a symbol of it; NULL if absent.
void *open_library(const char *name) noexcept;
void *find_symbol(void *library, const char *name) noexcept;
// The absolute path of the directory in which this plugin lies; "" if unknown.
std::string own_directory();

}  // namespace gpuopt::cpu
