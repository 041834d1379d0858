// plugins/cpu/program/program_plan.cpp -- turns steps into passes: assigns instructions and registers to each.
#include "plugins/cpu/program/program_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "plugins/shared/program/op_table.h"
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

class Planner {
 public:
  Planner(const gpuopt_program &program, const LoopTable &table, Plan &plan)
      : steps_(program.steps), nsteps_(program.nsteps), table_(table), plan_(plan) {}

  plugin::ProgramError run() {
    find_kind();
    if (plan_.kind == PlanKind::kScan && has_reduced_output_) {
      return {GPUOPT_ERR_UNSUPPORTED, "a REDUCED output beside a SCAN", plan_.scan_step};
    }
    find_stages();
    find_kept();
    plan_.full_passes.resize(static_cast<size_t>(plan_.nstages) + 1);
    for (int stage = 0; stage <= plan_.nstages; stage++) build_full(stage);
    const auto &code = plan_.full_passes[0].code;
    const bool scans = std::any_of(code.begin(), code.end(), [](const Instruction &i) { return i.is_scan; });
    if (plan_.kind == PlanKind::kScan && !scans) plan_.kind = PlanKind::kElementwise;  // no output depends on the scan
    // REDUCED outputs may overwrite inputs, and are stored when no input is read any more: by the last kept pass, which
    // runs after the last full pass that is not empty.
    const bool last_full_is_empty = plan_.full_passes[static_cast<size_t>(plan_.nstages)].empty();
    last_kept_ = plan_.nstages + (last_full_is_empty ? 0 : 1);
    plan_.kept_passes.resize(static_cast<size_t>(last_kept_) + 1);
    for (int stage = 0; stage <= last_kept_; stage++) build_kept(stage);
    for (auto *passes : {&plan_.kept_passes, &plan_.full_passes}) {
      for (Pass &pass : *passes) number_entries(pass);
    }
    return {};
  }

 private:
  const gpuopt_step &step(int v) const { return steps_[v]; }

  void find_kind() {
    bool reduces = false, scans = false;
    for (int v = 0; v < nsteps_; v++) {
      reduces |= step(v).kind == GPUOPT_STEP_REDUCE;
      has_reduced_output_ |= step(v).kind == GPUOPT_STEP_OUTPUT && step(v).level == GPUOPT_LEVEL_REDUCED;
      if (step(v).kind != GPUOPT_STEP_SCAN) continue;
      scans = true;
      plan_.scan_step = static_cast<uint16_t>(v);
      plan_.scan = &table_.scan[step(v).index][step(v).loop_dtype];
    }
    plan_.kind = scans                            ? PlanKind::kScan
                 : reduces || has_reduced_output_ ? PlanKind::kReduction
                                                  : PlanKind::kElementwise;
  }

  // Returns whether the value is computed once per kept index. In a program without reduction or REDUCED output there
  // are no kept passes, and REDUCED values are computed at every index like FULL ones.
  bool is_reduced(int v) const {
    return plan_.kind == PlanKind::kReduction && step(v).level == GPUOPT_LEVEL_REDUCED &&
           step(v).kind != GPUOPT_STEP_CONSTANT && step(v).kind != GPUOPT_STEP_INPUT;
  }

  void find_stages() {
    for (int v = 0; v < nsteps_; v++) {
      stage_[v] = 0;
      for (int i = 0; i < step(v).nsrc; i++) {
        const int u = step(v).src[i];
        stage_[v] = std::max(stage_[v], stage_[u] + (step(u).kind == GPUOPT_STEP_REDUCE));
      }
      if (step(v).kind == GPUOPT_STEP_REDUCE) plan_.nstages = std::max(plan_.nstages, stage_[v] + 1);
    }
  }

  void keep(int v) {
    if (kept_[v] >= 0) return;
    kept_[v] = static_cast<int>(plan_.kept.size());
    plan_.kept.push_back({static_cast<uint16_t>(v), static_cast<uint8_t>(dtype_size(step(v).dtype))});
  }

  // Finds the REDUCED values that have to be stored between passes: results of REDUCE steps, and values that a full
  // pass, a later kept pass or an OUTPUT reads.
  void find_kept() {
    std::fill(std::begin(kept_), std::end(kept_), -1);
    for (int v = 0; v < nsteps_; v++) {
      if (step(v).kind == GPUOPT_STEP_REDUCE) keep(v);
      for (int i = 0; i < step(v).nsrc; i++) {
        const int u = step(v).src[i];
        if (is_reduced(u) && (!is_reduced(v) || stage_[v] > stage_[u] || step(v).kind == GPUOPT_STEP_OUTPUT)) keep(u);
      }
    }
  }

  // ---- one pass

  void begin(Pass &pass) {
    pass_ = &pass;
    std::fill(std::begin(wanted_), std::end(wanted_), false);
    std::fill(std::begin(leaf_), std::end(leaf_), -1);
    std::fill(std::begin(instruction_), std::end(instruction_), Pass::kFromLeaf);
  }

  void build_full(int stage) {
    begin(plan_.full_passes[static_cast<size_t>(stage)]);
    for (int v = 0; v < nsteps_; v++) {
      const gpuopt_step &s = step(v);
      const bool stores = s.kind == GPUOPT_STEP_OUTPUT && !is_reduced(v);
      if (stage_[v] != stage || (s.kind != GPUOPT_STEP_REDUCE && !stores)) continue;
      wanted_[s.src[0]] = true;
      if (stores) {
        add_store(s.src[0], PlaceKind::kOutput, s.index);
      } else {
        add_reduction(v);
      }
    }
    finish_pass([&](int v) { return !is_reduced(v); });
  }

  void build_kept(int stage) {
    begin(plan_.kept_passes[static_cast<size_t>(stage)]);
    for (int v = 0; v < nsteps_; v++) {
      if (!is_reduced(v)) continue;
      const gpuopt_step &s = step(v);
      if (s.kind == GPUOPT_STEP_OUTPUT) {
        if (stage != last_kept_) continue;
        wanted_[s.src[0]] = true;
        add_store(s.src[0], PlaceKind::kOutput, s.index);
      } else if (s.kind != GPUOPT_STEP_REDUCE && stage_[v] == stage && kept_[v] >= 0 && stage != last_kept_) {
        wanted_[v] = true;
        add_store(v, PlaceKind::kKept, kept_[v]);
      }
    }
    finish_pass([&](int v) { return is_reduced(v) && stage_[v] == stage; });
  }

  // Completes the pass from the values wanted so far; computed(v) tells which steps this pass may compute, all others
  // are loaded. A step comes after its sources, so one backward sweep finds all that is needed.
  template <class Computed>
  void finish_pass(Computed computed) {
    for (int v = nsteps_ - 1; v >= 0; v--) {
      if (!wanted_[v] || !is_computed(v, computed)) continue;
      for (int i = 0; i < step(v).nsrc; i++) wanted_[step(v).src[i]] = true;
    }
    for (int v = 0; v < nsteps_; v++) {
      if (!wanted_[v]) continue;
      if (is_computed(v, computed)) {
        add_instruction(v);
      } else {
        add_leaf(v);
      }
    }
    for (Store &store : pass_->stores) note_store(store);
    for (Reduction &reduction : pass_->reductions) {
      note_use(reduction.src, Pass::kAtEnd);
      reduction.leaf = static_cast<int16_t>(leaf_[reduction.src]);
    }
    allocate_registers();
  }

  template <class Computed>
  bool is_computed(int v, Computed computed) const {
    const int kind = step(v).kind;
    return (kind == GPUOPT_STEP_ELEMENTWISE || kind == GPUOPT_STEP_CAST || kind == GPUOPT_STEP_SCAN) && computed(v);
  }

  void add_leaf(int v) {
    const gpuopt_step &s = step(v);
    const PlaceKind kind = s.kind == GPUOPT_STEP_INPUT      ? PlaceKind::kInput
                           : s.kind == GPUOPT_STEP_CONSTANT ? PlaceKind::kConstant
                                                            : PlaceKind::kKept;
    const int index = kind == PlaceKind::kKept ? kept_[v] : s.index;
    const int size = dtype_size(s.dtype);
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
    const int absorbing = s.index == GPUOPT_REDUCTION_any ? 1 : s.index == GPUOPT_REDUCTION_all ? 0 : -1;
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
  const int nsteps_;
  const LoopTable &table_;
  Plan &plan_;
  Pass *pass_ = nullptr;
  bool has_reduced_output_ = false;
  int last_kept_ = 0;
  int stage_[kMaxSteps], kept_[kMaxSteps];
  // State of the pass being built, indexed by step.
  bool wanted_[kMaxSteps];
  int leaf_[kMaxSteps], instruction_[kMaxSteps], last_use_[kMaxSteps];
};

}  // namespace

bool is_long_step(const gpuopt_step &s) noexcept {
  return s.kind == GPUOPT_STEP_ELEMENTWISE && plugin::kOpCost[s.index] >= plugin::kLongOpCost;
}

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
  return Planner(program, table, plan).run();
}

}  // namespace gpuopt::cpu
