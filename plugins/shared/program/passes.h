// plugins/shared/program/passes.h -- turns the steps of a program into passes, which a backend runs one after the
// other.
//
// A reduction splits the program, because what depends on its result can be computed only after a whole sequence is
// reduced (gpuopt_plugin.h, "Passes"). Pass p runs over the whole iteration space and computes what the REDUCE steps of
// stage p take. The REDUCED values that follow from the results are computed by the same pass, as soon as a sequence is
// reduced. REDUCED values that another pass needs are kept: stored to scratch memory, and loaded from there. A value is
// named by the number of its step throughout.
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
//
// The list is all that backends need to know of the order in which a program computes. The CUDA backend prints a kernel
// for each pass, and the CPU backend makes of each what its interpreter runs, and what its compiler gets.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <vector>

#include "plugins/shared/program/program_check.h"

namespace gpuopt::plugin {

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
struct PassAccess {
  uint16_t step, operand;
};

// Straight-line code: loads and constants, then computed steps, then stores. Each list is in the order of the steps.
struct Fragment {
  std::vector<PassAccess> loads;
  std::vector<uint16_t> constants, code;
  std::vector<PassAccess> stores;

  bool empty() const { return stores.empty(); }
};

enum class PassKind { kMap, kReduce, kScan };

// `element` runs for every element. A Map has nothing else. In a Reduce, `result` runs once for each sequence, after
// its reductions, whose values it does not load. In a Scan, `element` computes the source of the scan, and `result`
// runs for every element after it.
struct Pass {
  PassKind kind = PassKind::kMap;
  bool full = true;  // of a Map: over the whole iteration space, else without the reduced axes
  int stage = 0;     // of a pass over the whole iteration space
  std::vector<PassOperand> operands;
  Fragment element, result;
  std::vector<uint16_t> reductions;
  uint16_t scan = 0;
};

// A REDUCED value that is stored between passes, with one element for each index without the reduced axes.
struct KeptValue {
  uint16_t step;
  uint8_t dtype;
};

struct PassList {
  bool reduces = false;  // has REDUCE steps or REDUCED outputs, which have values even for empty sequences
  bool scans = false;    // has a SCAN, which needs exactly one reduced axis
  std::vector<KeptValue> kept;
  std::vector<Pass> passes;
};

struct PassWishes {
  size_t most_reductions = SIZE_MAX;  // of a pass
  // Some REDUCED output may also be an input, so that such outputs may be stored only when nothing is left to read.
  bool overwrites = true;
};

// Lists the passes of a program whose steps have passed check_steps(). Returns an error for a SCAN beside a REDUCED
// output. May throw std::bad_alloc.
ProgramError list_passes(const gpuopt_program &program, const PassWishes &wishes, PassList &list);

}  // namespace gpuopt::plugin
