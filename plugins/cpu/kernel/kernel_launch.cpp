// plugins/cpu/kernel/kernel_launch.cpp -- see kernel_launch.h.
#include "plugins/cpu/kernel/kernel_launch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "plugins/cpu/code/leaf_scope.h"
#include "plugins/cpu/kernel/block_check.h"
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

struct Symbol {
  const char *name;
  void *address;
};

template <class Function>
void *address_of(Function *function) {
  return reinterpret_cast<void *>(function);
}

// Besides the first two, these are the functions to which LLVM itself inserts calls.
const Symbol kSymbols[] = {
    {"gpuopt_position", address_of(position)},
    {"gpuopt_check", address_of(check_thread)},
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
