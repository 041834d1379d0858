// plugins/cpu/kernel/kernel_launch.cpp -- see kernel_launch.h.
#include "plugins/cpu/kernel/kernel_launch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "plugins/cpu/code/leaf_scope.h"
#include "plugins/cpu/kernel/block_check.h"
#include "plugins/cpu/kernel/device_launches.h"
#include "plugins/cpu/kernel/host_calls.h"
#include "plugins/cpu/kernel/kernel_heap.h"
#include "plugins/cpu/kernel/print_format.h"
#include "plugins/cpu/runtime/os.h"

namespace gpuopt::cpu {
namespace {

GPUOPT_IN_EVERY_THREAD thread_local const KernelLaunch *current_launch = nullptr;

// gpuopt_position() of plugins/jit/text/launch.h.
int64_t position(int64_t n, int at_end) {
  const auto blocks = static_cast<int64_t>(current_launch->blocks);
  const auto block = static_cast<int64_t>(at_end ? current_launch->last : current_launch->first);
  return n / blocks * block + std::min(block, n % blocks);
}

using u128 = unsigned __int128;
using i128 = __int128;
u128 divide_unsigned(u128 a, u128 b) { return a / b; }
u128 remainder_unsigned(u128 a, u128 b) { return a % b; }
i128 divide_signed(i128 a, i128 b) { return a / b; }
i128 remainder_signed(i128 a, i128 b) { return a % b; }

// In these functions, a fault by a bad address counts as a fault of the kernel's own code.
void *copy_bytes(void *to, const void *from, size_t bytes) {
  const LeafScope scope;
  return std::memcpy(to, from, bytes);
}
void *move_bytes(void *to, const void *from, size_t bytes) {
  const LeafScope scope;
  return std::memmove(to, from, bytes);
}
void *set_bytes(void *to, int value, size_t bytes) {
  const LeafScope scope;
  return std::memset(to, value, bytes);
}

// ---- The functions of plugins/jit/text/host_calls.h ----

GPUOPT_IN_EVERY_THREAD thread_local void *current_thread = nullptr;

// Keeps why the kernel is about to be ended; without memory for that, not. Outside of a launch, where there is nothing
// else to go back to, the process ends, as by C's assert.
void note_failure(const char *what, uint32_t thread, std::initializer_list<std::string_view> about) noexcept {
  HostCalls *const calls = HostCalls::current();
  try {
    std::string text;
    for (const std::string_view part : about) text += part;
    if (calls) return calls->note(what, thread, text);
    std::fprintf(stderr, "gpuopt: %s%s\n", what, text.c_str());
  } catch (...) {  // no exception passes through compiled kernels
    if (calls) return;
  }
  std::abort();
}
[[noreturn]] void leave_kernel() { HostCalls::current()->end(); }

// The functions that end the kernel hold nothing that would have to be destroyed.
void fail_assertion(const char *expression, const char *file, int32_t line, uint32_t thread) {
  char number[16];
  std::snprintf(number, sizeof number, "%d", line);
  note_failure("assertion failed", thread, {", ", file, ":", number, ": ", expression});
  leave_kernel();
}

int32_t print(const char *format, int32_t count, const uint64_t *values) noexcept {
  if (!format) return -1;
  try {
    if (HostCalls *const calls = HostCalls::current()) {
      calls->print(format, count, values);
    } else {
      std::string text;
      append_formatted(text, format, count, values);
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
    return count;
  } catch (...) {  // no exception passes through compiled kernels
    return -2;
  }
}

void *allocate(uint64_t bytes) {
  void *const memory = allocate_in_kernel(bytes);
  forget_accesses(memory, bytes);
  return memory;
}
void release(void *memory, uint32_t thread) {
  if (!memory) return;
  const size_t bytes = free_in_kernel(memory);
  if (bytes) return forget_accesses(memory, bytes);
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(memory)));
  note_failure("wrong free", thread, {" frees ", address, ", which malloc() did not return, or which is free"});
  leave_kernel();
}

void call_pure_virtual() {
  note_failure("pure virtual function", UINT32_MAX, {" calls one"});
  leave_kernel();
}

void refuse_to_wait(const char *function) {
  note_failure(
      "barrier", UINT32_MAX,
      {" waits in ", function,
       ", which is called through a pointer or calls itself. On the CPU, threads can wait for each other in the "
       "kernel and in functions that are called by their names only"});
  leave_kernel();
}

// The functions of plugins/jit/text/launches.h and plugins/jit/lower/launches.h, which kernels call in a launch only.
void configure(const uint32_t *grid_and_block, uint64_t shared_bytes, uint64_t stream, uint64_t thread) noexcept {
  if (DeviceLaunches *const all = DeviceLaunches::current())
    all->configure(grid_and_block, shared_bytes, stream, thread);
}
void launch_child(uint32_t child, const void *arguments, uint64_t bytes) noexcept {
  if (DeviceLaunches *const all = DeviceLaunches::current()) all->launch(child, arguments, bytes);
}
int32_t last_error(uint64_t thread, int32_t reset) noexcept {
  DeviceLaunches *const all = DeviceLaunches::current();
  return all ? all->last_error(thread, reset != 0) : 0;
}
void note_error(uint64_t thread, int32_t error) noexcept {
  if (DeviceLaunches *const all = DeviceLaunches::current()) all->note_error(thread, error);
}

void *thread_of_function() { return current_thread; }
void enter_thread(void *thread) { current_thread = thread; }

struct Symbol {
  const char *name;
  void *address;
};

template <class Function>
void *address_of(Function *function) {
  return reinterpret_cast<void *>(function);
}

// Besides those that begin with gpuopt_, these are the functions to which LLVM itself inserts calls.
const Symbol kSymbols[] = {
    {"gpuopt_position", address_of(position)},
    {"gpuopt_check", address_of(check_thread)},
    {"gpuopt_print", address_of(print)},
    {"gpuopt_assertion", address_of(fail_assertion)},
    {"gpuopt_allocate", address_of(allocate)},
    {"gpuopt_free", address_of(release)},
    {"gpuopt_configure", address_of(configure)},
    {"gpuopt_launch", address_of(launch_child)},
    {"gpuopt_last_error", address_of(last_error)},
    {"gpuopt_note_error", address_of(note_error)},
    {"gpuopt_thread_of_function", address_of(thread_of_function)},
    {"gpuopt_enter_thread", address_of(enter_thread)},
    {"gpuopt_refuse_to_wait", address_of(refuse_to_wait)},
    {"__cxa_pure_virtual", address_of(call_pure_virtual)},
    {"memcpy", address_of(copy_bytes)},
    {"memmove", address_of(move_bytes)},
    {"memset", address_of(set_bytes)},
    {"fma", address_of<double(double, double, double)>(::fma)},
    {"fmaf", address_of<float(float, float, float)>(::fmaf)},
    {"__udivti3", address_of(divide_unsigned)},
    {"__umodti3", address_of(remainder_unsigned)},
    {"__divti3", address_of(divide_signed)},
    {"__modti3", address_of(remainder_signed)},
};

}  // namespace

void set_launch(const KernelLaunch *launch) noexcept { current_launch = launch; }

void *kernel_symbol(const std::string &name) {
  for (const Symbol &symbol : kSymbols) {
    if (name == symbol.name) return symbol.address;
  }
  return nullptr;
}

}  // namespace gpuopt::cpu
