// plugins/cpu/code/fault_guard.h -- turns a fault in a compiled kernel into an error of its launch, so that it does not
// end the process.
//
// A kernel that reads or writes where there is no memory, executes a trap or overflows the stack raises a signal in the
// thread that runs it. On Linux (x86-64 and AArch64) a handler of SIGSEGV, SIGBUS, SIGILL, SIGTRAP and SIGFPE leaves
// the kernel with siglongjmp() if the instruction is in the code for which this thread is watched, or if it cannot be
// fetched and returns there: the kernel has called an address without code. Kernels hold no locks and have nothing to
// be destroyed. All other faults go to the handlers that were installed before, as if ours
// did not exist. Our handler is installed by the first launch of a process and stays. A program that replaces it later
// gets the faults of kernels, too. It is not installed if GPUOPT_CPU_FAULTS is off, nor in builds with sanitizers,
// which have handlers of their own. There, on other systems, and in threads that block these signals, such a fault ends
// the process.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/cpu/code/leaf_scope.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {

struct Fault {
  enum Kind : uint8_t { kNone, kAddress, kAnyAddress, kCall, kStack, kTrap, kArithmetic } kind = kNone;
  enum Access : uint8_t { kUnknown, kRead, kWrite } access = kUnknown;  // of kAddress
  uintptr_t address = 0;                                                // of kAddress and kCall
};

// Whether faults are caught in this process.
bool catches_faults();

// Calls body() and returns the fault that ended it early, or kNone. It catches faults of instructions in `code`,
// those of calls from there and those inside a LeafScope. A fault leaves body() by a jump that runs no destructors.
// Calls may be nested in one thread.
Fault run_watched(std::span<const char> code, FunctionRef<void()> body);

// Describes the fault by a verb and its object, to follow the name of the kernel: "writes 0x8, an address without
// memory".
std::string describe(const Fault &fault);

}  // namespace gpuopt::cpu
