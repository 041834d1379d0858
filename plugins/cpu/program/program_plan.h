// plugins/cpu/program/program_plan.h -- what the steps of a program alone determine: passes, their code, and registers.
//
// A program alternates between two kinds of pass, kept(0), full(0), kept(1), full(1), ...: full(p) runs over the whole
// iteration space and feeds the REDUCE steps of stage p, kept(p) runs over the indices that remain without the reduced
// axes and evaluates the REDUCED steps of stage p. A value is named by the number of its step throughout.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <vector>

#include "plugins/cpu/levels/loops.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cpu {

class Tier;

// Where a pass reads from or stores to: an operand, a constant, or a REDUCED value kept for later passes.
enum class PlaceKind : uint8_t { kInput, kOutput, kConstant, kKept };

struct Leaf {
  uint16_t step, index;
  PlaceKind kind;
  uint8_t size;
  bool stored;        // a store takes it as it is
  bool only_reduced;  // nothing but reductions read it
  int last_use;       // the last instruction that reads it; kAtEnd where a reduction or store does
};

struct Instruction {
  uint16_t dst, src[3];
  uint8_t nsrc;
  bool is_scan;
  ElementwiseLoops loops;
};

struct Register {
  uint16_t step;
  uint32_t offset;  // in bytes for tiles of one element
};

struct Store {
  uint16_t src, index;
  PlaceKind kind;
  uint8_t size;
  int producer;  // the instruction that computes src, kFromLeaf if none
};

struct Reduction {
  uint16_t step, src, kept;
  int16_t leaf;  // that src is, -1 if it is computed
  uint8_t src_size;
  int8_t absorbing;  // a boolean result that no further element changes, else -1
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
  uint32_t register_bytes = 0;  // for tiles of one element
  uint32_t leaf_bytes = 0;      // likewise, if every leaf needs a copy
  double cost = 0;              // rough nanoseconds per element
  int scan = -1;                // the instruction that is one
  int16_t entry[2] = {-1, -1};  // of the program's compiled code (tier_up.h): before its scan, and behind it

  bool empty() const { return stores.empty() && reductions.empty(); }
  // What runs in one go: `part` 0 before the scan, or all if there is none; 1 behind it.
  CodeRange code_range(int part) const {
    const int end = static_cast<int>(code.size());
    if (scan < 0) return part == 0 ? CodeRange{0, end} : CodeRange{end, end};
    return part == 0 ? CodeRange{0, scan} : CodeRange{scan + 1, end};
  }
};

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
  int nstages = 0;                             // stages that reduce
  std::vector<Pass> kept_passes, full_passes;  // by stage
  std::vector<KeptValue> kept;
  const ScanLoops *scan = nullptr;
  uint16_t scan_step = 0;
  int nentries = 0;  // of compiled code
  plugin::OperandUse use;
  std::shared_ptr<Tier> tier;  // NULL where compiling is not worth it

  bool fits(const gpuopt_program &program, int isa) const;
};

// Fills `plan` from the steps of `program` for the loops of an instruction set level. May throw std::bad_alloc.
plugin::ProgramError make_plan(const gpuopt_program &program, int isa, Plan &plan);

// Whether a step computes for so long, per element, that memory does not matter.
bool is_long_step(const gpuopt_step &step) noexcept;

using plugin::dtype_size;

}  // namespace gpuopt::cpu
