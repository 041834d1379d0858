// plugins/cuda/program/lower.h -- turns the steps of a program into passes, each of which one kind of kernel runs.
//
// As in the CPU backend, a reduction splits the program, because what depends on its result can be computed only after
// a whole sequence is reduced (gpuopt_plugin.h, "Passes"). Pass p runs over the whole iteration space and computes what
// the REDUCE steps of stage p take. The REDUCED values that follow from the results are computed by the same kernel, as
// soon as a sequence is reduced. REDUCED values that another pass needs are kept: stored to scratch memory, and loaded
// from there. A value is named by the number of its step throughout.
//
// For example, y = x / sqrt(sum(x * x, axis 1)) has the steps
//
//    0 INPUT x   1 multiply 0, 0   2 REDUCE sum of 1   3 sqrt 2   4 divide 0, 3   5 OUTPUT 4
//
// and becomes two passes, and one kept value:
//
//    pass 0, a Reduce   element:    v0 = x; v1 = v0 * v0
//                       reduction:  v2 = sum of v1
//                       result:     v3 = sqrt(v2); kept 0 = v3
//    pass 1, a Map      element:    v0 = x; v3 = kept 0; v4 = v0 / v3; output 0 = v4
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <vector>

namespace gpuopt::cuda {

// What a pass reads from or stores to.
enum class OperandKind : uint8_t { kInput, kOutput, kKept };

// `index` is the number of the input, the output or the kept value.
struct PassOperand {
  OperandKind kind;
  uint8_t dtype;
  uint16_t index;
  bool full;    // varies along the reduced axes
  bool stored;  // is stored to; else it is read
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

// `element` runs for every element. A Map has nothing else. In a Reduce, `result` runs once for each sequence, after
// its reductions. In a Scan, `element` computes the source of the scan, and `result` runs for every element after it.
struct Pass {
  PassKind kind = PassKind::kMap;
  bool full = true;  // of a Map: over the whole iteration space, else without the reduced axes
  std::vector<PassOperand> operands;
  Fragment element, result;
  std::vector<uint16_t> reductions;
  uint16_t scan = 0;
  int long_steps = 0;  // elementwise functions of more than a few instructions, over both fragments

  // Returns how many elements a thread may compute at once, each by a copy of the code, before the code becomes too
  // long.
  int most_at_once() const { return long_steps == 0 ? 16 : long_steps <= 4 ? 4 : 1; }
};

struct LoweredProgram {
  bool reduces = false;             // has REDUCE steps or REDUCED outputs, which have values even for empty sequences
  bool scans = false;               // has a SCAN, which needs exactly one reduced axis
  std::vector<uint8_t> kept_dtype;  // of each kept value
  std::vector<Pass> passes;
};

// Lowers a program that has passed plugin::check_steps(). `overwrites` says that some REDUCED output is also an input,
// so that such outputs may be stored only when nothing is left to read. Throws ERR_UNSUPPORTED for a SCAN beside a
// REDUCED output.
LoweredProgram lower(const gpuopt_program &program, bool overwrites);

}  // namespace gpuopt::cuda
