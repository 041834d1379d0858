// plugins/cpu/runtime/os.h -- what the backend needs of the operating system, implemented by os_posix.cpp and
// os_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "plugins/shared/host/every_thread.h"

namespace gpuopt::cpu {

// Returns how many processors this process may use, at least 1: those of the affinity mask, but no more than the
// control group's CPU quota, rounded up.
int usable_processors() noexcept;

// Returns the bytes of physical memory, or the control group's limit if that is less; 0 if unknown.
uint64_t usable_memory() noexcept;
// Returns how many of these bytes are free now, or could be made free without swapping; 0 if unknown.
uint64_t available_memory() noexcept;

constexpr size_t kHugePage = size_t{2} << 20, kLargestPage = 65536;  // the latter of any supported processor

// map_pages() returns fresh zeroed pages, aligned to `alignment` (a power of two, at least a page), or NULL. With an
// alignment of kHugePage or more it asks for huge pages. unmap_pages() takes the same `bytes`, and leaves errno as it
// is.
void *map_pages(size_t bytes, size_t alignment) noexcept;
void unmap_pages(void *memory, size_t bytes) noexcept;

// Makes pages of map_pages() read-only, and with `executable` also executable. Returns false if the system refuses.
bool protect_pages(void *memory, size_t bytes, bool executable) noexcept;

// Registers handlers for every later fork(): `before` runs before it, `parent` and `child` after it in the two
// processes. Each may be NULL.
void on_fork(void (*before)(), void (*parent)(), void (*child)()) noexcept;

// Starts a detached thread, in which all signals are blocked but those of its own faults. Returns false if the system
// refuses.
bool start_thread(void (*body)(void *), void *argument) noexcept;
// Return whether the system would now provide `count` more threads with stacks of the default size, and `bytes` more
// bytes of address space. They try it, and release everything again.
bool can_start_threads(int count) noexcept;
bool has_addresses(uint64_t bytes) noexcept;
// Returns the system's number of the calling thread; 0 where separate_thread() has no use for it.
int64_t thread_number() noexcept;
// Moves a thread of this process, if it waits for the processor on which the caller runs, to another one that it may
// use. Which processors it may use does not change. Where the system cannot do that or refuses, nothing happens.
void separate_thread(int64_t thread) noexcept;
// Lowers the scheduling priority of the calling thread, where the system has priorities of threads.
void lower_priority() noexcept;

// Return the handle of a library, which is loaded with local visibility and never unloaded, and the address of a symbol
// in it; NULL if there is none.
void *open_library(const char *name) noexcept;
void *find_symbol(void *library, const char *name) noexcept;
// Returns the absolute path of the directory of this plugin; "" if unknown.
std::string own_directory();

}  // namespace gpuopt::cpu
