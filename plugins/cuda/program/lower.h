// plugins/cuda/program/lower.h -- turns the steps of a program into passes, each of which one kind of kernel runs.
//
// As on the CPU, passes over the whole space alternate with REDUCED values: pass p feeds the REDUCE steps of stage p,
// and what is REDUCED of stage p + 1 is computed where their results are final, by the same kernel. REDUCED values that
// other passes need are kept in scratch memory. A value is named by the number of its step throughout.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <vector>

namespace gpuopt::cuda {

// What a pass reads from or stores to.
enum class OperandKind : uint8_t { kInput, kOutput, kKept };

struct PassOperand {
  OperandKind kind;
  uint8_t dtype;
  uint16_t index;
  bool full;    // it varies along the reduced axes
  bool stored;  // else it is read
};

// A value that is read from, or stored to, an operand of the pass.
struct Access {
  uint16_t step, operand;
};

// Straight-line code: loads and constants, then computed steps, then stores.
struct Fragment {
  std::vector<Access> loads;
  std::vector<uint16_t> constants, code;
  std::vector<Access> stores;
};

enum class PassKind { kMap, kReduce, kScan };

// Of a Map, `element` is all there is. Of a Reduce, it is what runs for every element, and `result` what follows from
// the results of one sequence; of a Scan, they are what comes before the scan and after it.
struct Pass {
  PassKind kind = PassKind::kMap;
  bool full = true;  // of a Map: over the whole space, else over the kept axes
  std::vector<PassOperand> operands;
  Fragment element, result;
  std::vector<uint16_t> reductions;
  uint16_t scan = 0;
  int long_steps = 0;  // elementwise functions of more than a few instructions, over both fragments

  // Elements a thread may have in hand without its code growing out of proportion.
  int most_at_once() const { return long_steps == 0 ? 16 : long_steps <= 4 ? 4 : 1; }
};

struct LoweredProgram {
  bool reduces = false;             // there is something to do for sequences of no elements
  bool scans = false;               // needs exactly one reduced axis
  std::vector<uint8_t> kept_dtype;  // of the kept values
  std::vector<Pass> passes;
};

// The program must have passed plugin::check_steps. `overwrites`: some REDUCED output is also an input, so that it may
// only be stored when nothing is left to read. Throws ERR_UNSUPPORTED.
LoweredProgram lower(const gpuopt_program &program, bool overwrites);

}  // namespace gpuopt::cuda
