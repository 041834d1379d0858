// plugins/cpu/runtime/os.h -- the few things asked of the operating system; os_posix.cpp and os_windows.cpp implement
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// For thread_local variables, small ones and without destructors: their place in each thread is there when the plugin
// has been opened. Other variables get theirs at the first use, and the C library ends the process if there is no
// memory.
#if defined(__ELF__)
#define GPUOPT_IN_EVERY_THREAD __attribute__((tls_model("initial-exec")))
#else
#define GPUOPT_IN_EVERY_THREAD
#endif

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

// Has `body(argument)` called when the calling thread ends, after the destructors of its thread_local objects; not when
// the process ends with it. The same `body` in every call. False if the system refuses.
bool at_thread_exit(void (*body)(void *), void *argument) noexcept;

// Starts a thread that is never joined and receives no signals but those of its own faults; false if the system
// refuses.
bool start_thread(void (*body)(void *), void *argument) noexcept;
// Whether the system would give so many more threads, with stacks of the usual size, at a time; and so many bytes of
// addresses. Both are tried and given back.
bool can_start_threads(int count) noexcept;
bool has_addresses(uint64_t bytes) noexcept;
// The calling thread yields to others, as far as the system has that.
void lower_priority() noexcept;

// A library opened privately and for good, and a symbol of it; NULL if absent.
void *open_library(const char *name) noexcept;
void *find_symbol(void *library, const char *name) noexcept;
// The absolute path of the directory in which this plugin lies; "" if unknown.
std::string own_directory();

}  // namespace gpuopt::cpu
