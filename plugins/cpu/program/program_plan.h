// plugins/cpu/program/program_plan.h -- what the steps of a program alone determine: passes, their code, and registers.
//
// The passes are those of plugins/shared/program/passes.h. A kept index is an index into the axes of the iteration
// space that are not reduced. A program alternates between two kinds of pass, kept(0), full(0), kept(1), full(1), ...:
// full(p) runs over the whole iteration space and computes the sources of the REDUCE steps of stage p, and kept(p) runs
// over the kept indices and computes what follows from the reductions of full(p-1); kept(0) what follows from inputs
// alone. For sum(x - mean(x)), with x an input, full(0) sums x, kept(1) divides the sum by the length, and full(1)
// subtracts and sums again. REDUCED outputs that may overwrite an input are stored by the last kept pass. A value is
// named by the number of its step throughout.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <vector>

#include "plugins/cpu/levels/loops.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cpu {

class Tier;

// Where a pass loads a value from or stores it to: an operand, a constant, or a kept value (KeptValue).
enum class PlaceKind : uint8_t { kInput, kOutput, kConstant, kKept };

// A value that a pass loads rather than computes. `step` is its step; `index` is that of the operand or constant, or in
// Plan::kept.
struct Leaf {
  uint16_t step, index;
  PlaceKind kind;
  uint8_t size;
  bool stored;        // it is the source of a store
  bool only_reduced;  // only reductions read it
  int last_use;       // number of the last instruction that reads it; kAtEnd if a reduction or store does
};

// A call of a precompiled loop over a tile; `dst` and `src` are steps.
struct Instruction {
  uint16_t dst, src[3];
  uint8_t nsrc;
  bool is_scan;
  ElementwiseLoops loops;
};

// The memory in which a pass keeps the tile of a computed value.
struct Register {
  uint16_t step;
  uint32_t offset;  // bytes per element of a tile: a tile of n elements has its register at n * offset
};

// A value of a pass that is stored; `index` is that of the output, or in Plan::kept.
struct Store {
  uint16_t src, index;
  PlaceKind kind;
  uint8_t size;
  int producer;  // number of the instruction that computes src; kFromLeaf if none does
};

// A REDUCE step of a full pass; `kept` is the index of its result in Plan::kept.
struct Reduction {
  uint16_t step, src, kept;
  int16_t leaf;  // number of the leaf that is src; -1 if src is computed
  uint8_t src_size;
  int8_t absorbing;  // the boolean result that no further element changes (1 of any and max, 0 of all and min of
                     // bools); -1 if there is none
  const ReductionLoops *loops;
};

// The instructions [first, last) of a pass.
struct CodeRange {
  int first, last;
};

struct Pass {
  static constexpr int kFromLeaf = -1, kAtEnd = GPUOPT_PROGRAM_MAX_STEPS;

  std::vector<Leaf> leaves;
  std::vector<Instruction> code;
  std::vector<Register> registers;
  std::vector<Store> stores;
  std::vector<Reduction> reductions;
  uint32_t register_bytes = 0;  // of all registers, per element of a tile
  uint32_t leaf_bytes = 0;      // of copies of all leaves, per element of a tile
  double cost = 0;              // estimated nanoseconds per element, on one thread
  int scan = -1;                // number of the SCAN instruction; -1 if there is none
  int16_t entry[2] = {-1, -1};  // of the compiled code (tier_up.h), for the parts of code_range(); -1: interpreted

  bool empty() const { return stores.empty() && reductions.empty(); }
  // Returns the instructions that run without interruption. Part 0 is those before the scan, or all if there is no
  // scan; part 1 is those after it.
  CodeRange code_range(int part) const {
    const int end = static_cast<int>(code.size());
    if (scan < 0) return part == 0 ? CodeRange{0, end} : CodeRange{end, end};
    return part == 0 ? CodeRange{0, scan} : CodeRange{scan + 1, end};
  }
};

// A REDUCED value that is stored between passes, in scratch memory, with one element per kept index.
struct KeptValue {
  uint16_t step;
  uint8_t size;
};

enum class PlanKind { kElementwise, kReduction, kScan };

struct Plan {
  PlanKind kind;
  int level;  // instruction set level of the loops
  uint64_t key;
  int32_t ninputs, noutputs, nconstants;
  std::vector<gpuopt_step> steps;
  std::vector<Pass> kept_passes, full_passes;  // both indexed by stage
  std::vector<KeptValue> kept;
  const ScanLoops *scan = nullptr;
  uint16_t scan_step = 0;
  int nentries = 0;  // number of entries of the compiled code
  plugin::OperandUse use;
  std::shared_ptr<Tier> tier;  // shared with all plans of these steps; NULL if the program is never compiled

  // Returns whether this is the plan of `program` at level `isa`. Compares all steps, since different ones may have the
  // same key.
  bool fits(const gpuopt_program &program, int isa) const;
};

// Fills `plan` from the steps of `program`, for the loops of instruction set level `isa`. Returns an error if the steps
// are malformed or have no loops. May throw std::bad_alloc.
plugin::ProgramError make_plan(const gpuopt_program &program, int isa, Plan &plan);

using plugin::dtype_size;

}  // namespace gpuopt::cpu
