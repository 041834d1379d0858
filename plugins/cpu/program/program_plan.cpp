// plugins/cpu/program/program_plan.cpp -- turns steps into passes: assigns instructions and registers to each.
#include "plugins/cpu/program/program_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "plugins/shared/program/op_table.h"
#include "plugins/shared/program/passes.h"
#include "plugins/shared/program/step_text.h"

namespace gpuopt::cpu {
namespace {

constexpr int kMaxSteps = GPUOPT_PROGRAM_MAX_STEPS;

// Returns how many additions take about as long as the step does for one element.
int additions(const gpuopt_step &s) { return s.kind == GPUOPT_STEP_ELEMENTWISE ? plugin::kOpCost[s.index] : 1; }

// Estimates the time for one element in nanoseconds. The estimate only decides what is worth several threads or the
// compiler.
double step_cost(const gpuopt_step &s) { return dtype_size(s.loop_dtype) * 0.02 * additions(s); }

// Returns whether LLVM's loop for the step is slower than the precompiled one. Measured with op(x) + y on AVX-512:
// float32 operations that compute in float64, and complex pow, which calls a function.
bool slower_compiled(const gpuopt_step &s) {
  static constexpr struct {
    int op;
    bool float32, complex;
  } kSlower[] = {{GPUOPT_OP_pow, true, true},    {GPUOPT_OP_logaddexp, true, false}, {GPUOPT_OP_asinh, true, false},
                 {GPUOPT_OP_acosh, true, false}, {GPUOPT_OP_atanh, true, false},     {GPUOPT_OP_erf, true, false}};
  if (s.kind != GPUOPT_STEP_ELEMENTWISE) return false;
  const bool complex = plugin::is_complex(s.loop_dtype);
  return std::any_of(std::begin(kSlower), std::end(kSlower), [&](const auto &row) {
    return row.op == s.index && ((row.float32 && s.loop_dtype == GPUOPT_FLOAT32) || (row.complex && complex));
  });
}

// Returns the boolean result of a reduction that no further element changes; -1 if there is none.
int absorbing_result(int reduction, int loop_dtype) {
  if (loop_dtype != GPUOPT_BOOL) return -1;
  switch (reduction) {
    case GPUOPT_REDUCTION_any:
    case GPUOPT_REDUCTION_max:
    case GPUOPT_REDUCTION_nanmax:
      return 1;
    case GPUOPT_REDUCTION_all:
    case GPUOPT_REDUCTION_min:
    case GPUOPT_REDUCTION_nanmin:
      return 0;
    default:
      return -1;
  }
}

class Planner {
 public:
  Planner(const gpuopt_program &program, const LoopTable &table, Plan &plan)
      : steps_(program.steps), table_(table), plan_(plan) {}

  void run(const plugin::PassList &list) {
    plan_.kind = list.reduces ? PlanKind::kReduction : PlanKind::kElementwise;
    number_kept(list);
    plan_.full_passes.resize(1);
    for (const plugin::Pass &listed : list.passes) add(listed);
    for (auto *passes : {&plan_.kept_passes, &plan_.full_passes}) {
      for (Pass &pass : *passes) number_entries(pass);
    }
  }

 private:
  const gpuopt_step &step(int v) const { return steps_[v]; }

  // Numbers the kept values: those of the list, and the results of all reductions.
  void number_kept(const plugin::PassList &list) {
    std::fill(std::begin(kept_), std::end(kept_), -1);
    for (const plugin::KeptValue &value : list.kept) keep(value.step);
    for (const plugin::Pass &listed : list.passes) {
      for (const uint16_t v : listed.reductions) keep(v);
    }
  }
  void keep(int v) {
    if (kept_[v] >= 0) return;
    kept_[v] = static_cast<int>(plan_.kept.size());
    plan_.kept.push_back({static_cast<uint16_t>(v), static_cast<uint8_t>(dtype_size(step(v).dtype))});
  }

  // ---- one pass

  // Adds a listed pass: as a full pass and, for what follows from its reductions, the kept pass after it; or as a kept
  // pass after all passes so far.
  void add(const plugin::Pass &listed) {
    if (!listed.full) {
      const bool first = plan_.kept_passes.empty() && plan_.full_passes[0].empty();
      build_kept(listed, listed.element, first ? 0 : std::max(plan_.kept_passes.size(), plan_.full_passes.size()));
      return;
    }
    const auto stage = static_cast<size_t>(listed.stage);
    if (plan_.full_passes.size() <= stage) plan_.full_passes.resize(stage + 1);
    begin(plan_.full_passes[stage]);
    if (listed.kind == plugin::PassKind::kScan) {
      add_scan(listed);
    } else {
      add_fragment(listed, listed.element);
    }
    for (const uint16_t v : listed.reductions) add_reduction(v);
    finish_pass();
    if (!listed.result.empty() && listed.kind == plugin::PassKind::kReduce)
      build_kept(listed, listed.result, stage + 1);
  }

  void build_kept(const plugin::Pass &listed, const plugin::Fragment &fragment, size_t stage) {
    if (plan_.kept_passes.size() <= stage) plan_.kept_passes.resize(stage + 1);
    begin(plan_.kept_passes[stage]);
    add_fragment(listed, fragment);
    finish_pass();
  }

  void begin(Pass &pass) {
    pass_ = &pass;
    std::fill(std::begin(leaf_), std::end(leaf_), -1);
    std::fill(std::begin(instruction_), std::end(instruction_), Pass::kFromLeaf);
  }

  void add_fragment(const plugin::Pass &listed, const plugin::Fragment &fragment) {
    add_leaves(listed, fragment);
    for (const uint16_t v : fragment.code) add_instruction(v);
    add_stores(listed, fragment);
  }

  // A scan is an instruction between those that compute its source and those that its result takes part in.
  void add_scan(const plugin::Pass &listed) {
    plan_.kind = PlanKind::kScan;
    plan_.scan_step = listed.scan;
    plan_.scan = &table_.scan[step(listed.scan).index][step(listed.scan).loop_dtype];
    add_leaves(listed, listed.element);
    add_leaves(listed, listed.result);
    std::vector<uint16_t> code = listed.element.code;
    code.push_back(listed.scan);
    code.insert(code.end(), listed.result.code.begin(), listed.result.code.end());
    std::sort(code.begin(), code.end());
    code.erase(std::unique(code.begin(), code.end()), code.end());
    for (const uint16_t v : code) add_instruction(v);
    add_stores(listed, listed.result);
  }

  // Adds what a fragment loads: operands, constants, and results of reductions, which full passes store.
  void add_leaves(const plugin::Pass &listed, const plugin::Fragment &fragment) {
    for (const plugin::PassAccess &load : fragment.loads) {
      const plugin::PassOperand &operand = listed.operands[load.operand];
      const bool kept = operand.kind == plugin::OperandKind::kKept;
      add_leaf(load.step, kept ? PlaceKind::kKept : PlaceKind::kInput, operand.index);
    }
    for (const uint16_t v : fragment.constants) add_leaf(v, PlaceKind::kConstant, step(v).index);
    for (const uint16_t v : listed.reductions) {
      if (&fragment != &listed.element && reads(fragment, v)) add_leaf(v, PlaceKind::kKept, kept_[v]);
    }
  }
  bool reads(const plugin::Fragment &fragment, int v) const {
    const auto has_source = [&](uint16_t u) {
      return std::find(step(u).src, step(u).src + step(u).nsrc, v) != step(u).src + step(u).nsrc;
    };
    return std::any_of(fragment.code.begin(), fragment.code.end(), has_source) ||
           std::any_of(fragment.stores.begin(), fragment.stores.end(),
                       [&](const auto &store) { return store.step == v; });
  }

  void add_stores(const plugin::Pass &listed, const plugin::Fragment &fragment) {
    for (const plugin::PassAccess &store : fragment.stores) {
      const plugin::PassOperand &operand = listed.operands[store.operand];
      const bool kept = operand.kind == plugin::OperandKind::kKept;
      if (kept && step(store.step).kind == GPUOPT_STEP_REDUCE) continue;  // the full pass has stored it
      add_store(store.step, kept ? PlaceKind::kKept : PlaceKind::kOutput, operand.index);
    }
  }

  // Completes the pass once everything has been added.
  void finish_pass() {
    for (Store &store : pass_->stores) note_store(store);
    for (Reduction &reduction : pass_->reductions) {
      note_use(reduction.src, Pass::kAtEnd);
      reduction.leaf = static_cast<int16_t>(leaf_[reduction.src]);
    }
    allocate_registers();
  }

  // Does nothing if the value is a leaf already.
  void add_leaf(int v, PlaceKind kind, int index) {
    if (leaf_[v] >= 0) return;
    const int size = dtype_size(step(v).dtype);
    leaf_[v] = static_cast<int>(pass_->leaves.size());
    pass_->leaves.push_back({static_cast<uint16_t>(v), static_cast<uint16_t>(index), kind, static_cast<uint8_t>(size),
                             false, true, Pass::kFromLeaf});
    pass_->leaf_bytes += static_cast<uint32_t>(size);
    pass_->cost += size * 0.02;
  }

  void add_instruction(int v) {
    const gpuopt_step &s = step(v);
    Instruction instruction = {};
    instruction.dst = static_cast<uint16_t>(v);
    instruction.nsrc = static_cast<uint8_t>(s.nsrc);
    instruction.is_scan = s.kind == GPUOPT_STEP_SCAN;
    if (s.kind == GPUOPT_STEP_ELEMENTWISE) instruction.loops = table_.elementwise[s.index][s.loop_dtype];
    if (s.kind == GPUOPT_STEP_CAST) instruction.loops.vector = table_.cast[s.loop_dtype][s.dtype];
    const int number = static_cast<int>(pass_->code.size());
    for (int i = 0; i < s.nsrc; i++) {
      instruction.src[i] = s.src[i];
      note_use(s.src[i], number);
      if (leaf_[s.src[i]] >= 0) leaf_of(s.src[i]).only_reduced = false;
    }
    instruction_[v] = number;
    pass_->code.push_back(instruction);
    pass_->cost += step_cost(s);
  }

  Leaf &leaf_of(int v) { return pass_->leaves[static_cast<size_t>(leaf_[v])]; }

  void note_use(int v, int instruction) {
    if (leaf_[v] >= 0) leaf_of(v).last_use = instruction;
    last_use_[v] = instruction;
  }

  void add_store(int v, PlaceKind kind, int index) {
    pass_->stores.push_back({static_cast<uint16_t>(v), static_cast<uint16_t>(index), kind,
                             static_cast<uint8_t>(dtype_size(step(v).dtype)), Pass::kFromLeaf});
  }

  void add_reduction(int v) {
    const gpuopt_step &s = step(v);
    const int absorbing = absorbing_result(s.index, s.loop_dtype);
    pass_->reductions.push_back({static_cast<uint16_t>(v), s.src[0], static_cast<uint16_t>(kept_[v]), -1,
                                 static_cast<uint8_t>(dtype_size(s.loop_dtype)), static_cast<int8_t>(absorbing),
                                 &table_.reduction[s.index][s.loop_dtype]});
  }

  void note_store(Store &store) {
    store.producer = instruction_[store.src];
    note_use(store.src, Pass::kAtEnd);
    if (leaf_[store.src] >= 0) {
      leaf_of(store.src).stored = true;
      leaf_of(store.src).only_reduced = false;
    }
    pass_->cost += store.size * 0.03;
  }

  // Numbers the parts of the pass that are worth compiling: those of at least two instructions, since a single one is
  // one loop already, and without an instruction whose compiled loop would be slower.
  void number_entries(Pass &pass) {
    for (size_t i = 0; i < pass.code.size(); i++) {
      if (pass.code[i].is_scan) pass.scan = static_cast<int>(i);
    }
    for (int part = 0; part < 2; part++) {
      const CodeRange range = pass.code_range(part);
      bool pays = range.last - range.first >= 2;
      for (int i = range.first; i < range.last; i++)
        pays &= !slower_compiled(step(pass.code[static_cast<size_t>(i)].dst));
      if (pays) pass.entry[part] = static_cast<int16_t>(plan_.nentries++);
    }
  }

  // Linear-scan register allocation. A result may take the register of a source that dies at this instruction if both
  // have the same element size, since loops may write over such a source (loops.h).
  void allocate_registers() {
    std::array<uint32_t, kMaxSteps> offset;
    std::array<std::vector<uint32_t>, 17> vacant;  // free registers, by element size in bytes
    for (size_t i = 0; i < pass_->code.size(); i++) {
      const Instruction &instruction = pass_->code[i];
      const int size = dtype_size(step(instruction.dst).dtype);
      const auto release = [&](bool same_size) {
        for (int k = 0; k < instruction.nsrc; k++) {
          const int u = instruction.src[k];
          const int u_size = dtype_size(step(u).dtype);
          const bool dies = instruction_[u] != Pass::kFromLeaf && last_use_[u] == static_cast<int>(i);
          if (!dies || (u_size == size) != same_size) continue;
          vacant[static_cast<size_t>(u_size)].push_back(offset[static_cast<size_t>(u)]);
          last_use_[u] = Pass::kAtEnd;  // released once, also where it is read twice
        }
      };
      release(true);
      auto &same = vacant[static_cast<size_t>(size)];
      if (same.empty()) {
        offset[instruction.dst] = pass_->register_bytes;
        pass_->register_bytes += static_cast<uint32_t>(size);
      } else {
        offset[instruction.dst] = same.back();
        same.pop_back();
      }
      pass_->registers.push_back({instruction.dst, offset[instruction.dst]});
      release(false);
    }
  }

  const gpuopt_step *const steps_;
  const LoopTable &table_;
  Plan &plan_;
  Pass *pass_ = nullptr;
  int kept_[kMaxSteps];
  // State of the pass being built, indexed by step.
  int leaf_[kMaxSteps], instruction_[kMaxSteps], last_use_[kMaxSteps];
};

}  // namespace

bool Plan::fits(const gpuopt_program &program, int isa) const {
  return key == program.key && level == isa && ninputs == program.ninputs && noutputs == program.noutputs &&
         nconstants == program.nconstants && static_cast<int32_t>(steps.size()) == program.nsteps &&
         std::memcmp(steps.data(), program.steps, steps.size() * sizeof(gpuopt_step)) == 0;
}

plugin::ProgramError make_plan(const gpuopt_program &program, int isa, Plan &plan) {
  const LoopTable &table = loop_table(isa);
  const plugin::ProgramError error = plugin::check_steps(program, loop_results(), plan.use);
  if (error.code != GPUOPT_OK) return error;
  plan.level = isa;
  plan.key = program.key;
  plan.ninputs = program.ninputs;
  plan.noutputs = program.noutputs;
  plan.nconstants = program.nconstants;
  plan.steps.assign(program.steps, program.steps + program.nsteps);
  plugin::PassList list;
  const plugin::ProgramError listed = plugin::list_passes(program, {}, list);
  if (listed.code == GPUOPT_OK) Planner(program, table, plan).run(list);
  return listed;
}

}  // namespace gpuopt::cpu
