// plugins/cpu/code/fault_guard.cpp -- describes faults; see fault_guard.h.
#include "plugins/cpu/code/fault_guard.h"

#include <cstdio>

namespace gpuopt::cpu {
namespace {

constexpr uintptr_t kNearNull = 65536;  // no system maps anything below

const char *verb(Fault::Access access) {
  return access == Fault::kRead ? "reads" : access == Fault::kWrite ? "writes" : "uses";
}

}  // namespace

std::string describe(const Fault &fault) {
  char text[128];
  switch (fault.kind) {
    case Fault::kNone:
      return "";
    case Fault::kAddress:
      std::snprintf(text, sizeof text, "%s address 0x%llx, %s", verb(fault.access),
                    static_cast<unsigned long long>(fault.address),
                    fault.address < kNearNull ? "through a null pointer" : "where it has no memory");
      return text;
    case Fault::kAnyAddress:
      return "uses an address that no memory can have";
    case Fault::kCall:
      std::snprintf(text, sizeof text, "calls address 0x%llx, %s", static_cast<unsigned long long>(fault.address),
                    fault.address < kNearNull ? "through a null function pointer" : "where it has no code");
      return text;
    case Fault::kStack:
      return "needs more stack than this thread of the host has: its local arrays are too large, or it calls itself "
             "too often";
    case Fault::kTrap:
      return "executes a trap: __trap() or __builtin_trap(), or code that the compiler knows to be wrong";
    case Fault::kArithmetic:
      return "executes an arithmetic operation that traps";
  }
  return "";
}

}  // namespace gpuopt::cpu
