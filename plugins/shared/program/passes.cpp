// plugins/shared/program/passes.cpp -- see passes.h.
#include "plugins/shared/program/passes.h"

#include <algorithm>
#include <array>

#include "plugins/shared/program/stages.h"

namespace gpuopt::plugin {
namespace {

constexpr int kMaxSteps = GPUOPT_PROGRAM_MAX_STEPS;

// Fills one pass. The caller says which values a fragment computes; the others are loaded, as inputs or kept values.
class PassWriter {
 public:
  PassWriter(const gpuopt_program &program, const std::array<int, kMaxSteps> &kept, Pass &pass)
      : steps_(program.steps), kept_(kept), pass_(pass) {}

  // Writes a fragment that stores `stores`, whose operands are in the pass already, and computes the values `wanted`
  // besides. `computed(v)` says whether the fragment computes value v; otherwise v is loaded.
  template <class Computed>
  void write(Fragment &fragment, std::vector<PassAccess> stores, const std::vector<uint16_t> &wanted,
             Computed computed) {
    std::array<bool, kMaxSteps> needed = {};
    for (const PassAccess &store : stores) needed[store.step] = true;
    for (const uint16_t v : wanted) needed[v] = true;
    for (int v = kMaxSteps - 1; v >= 0; v--) {
      if (!needed[static_cast<size_t>(v)] || !is_code(v) || !computed(v)) continue;
      for (int i = 0; i < steps_[v].nsrc; i++) needed[steps_[v].src[i]] = true;
    }
    for (int v = 0; v < kMaxSteps; v++) {
      if (needed[static_cast<size_t>(v)]) add(fragment, v, computed(v));
    }
    fragment.stores = std::move(stores);
  }

  // Both add the operand to which they store. `v` is an OUTPUT step here, and a kept value below.
  PassAccess store_to_output(int v, bool full) {
    return {steps_[v].src[0], operand({OperandKind::kOutput, steps_[v].dtype, steps_[v].index, full, true})};
  }
  PassAccess store_to_kept(int v) {
    const auto index = static_cast<uint16_t>(kept_[static_cast<size_t>(v)]);
    return {static_cast<uint16_t>(v), operand({OperandKind::kKept, steps_[v].dtype, index, false, true})};
  }

 private:
  // Returns whether a step is a line of code in a fragment.
  bool is_code(int v) const {
    const int kind = steps_[v].kind;
    return kind == GPUOPT_STEP_ELEMENTWISE || kind == GPUOPT_STEP_CAST;
  }

  // Adds a value to a fragment: as a constant, a load, or code. Results of the pass's own reductions and scan need
  // nothing.
  void add(Fragment &fragment, int v, bool computed) {
    const gpuopt_step &s = steps_[v];
    const auto step = static_cast<uint16_t>(v);
    if (s.kind == GPUOPT_STEP_CONSTANT) {
      fragment.constants.push_back(step);
    } else if (s.kind == GPUOPT_STEP_INPUT) {
      const bool full = s.level == GPUOPT_LEVEL_FULL;
      fragment.loads.push_back({step, operand({OperandKind::kInput, s.dtype, s.index, full, false})});
    } else if (!computed) {
      const auto index = static_cast<uint16_t>(kept_[static_cast<size_t>(v)]);
      fragment.loads.push_back({step, operand({OperandKind::kKept, s.dtype, index, false, false})});
    } else if (is_code(v)) {
      fragment.code.push_back(step);
    }
  }

  // Returns the index of an operand in the pass. It is added if it is not there yet, so that all steps that read it
  // share it.
  uint16_t operand(const PassOperand &wanted) {
    const auto same = [&](const PassOperand &o) {
      return o.kind == wanted.kind && o.index == wanted.index && o.full == wanted.full && o.stored == wanted.stored;
    };
    auto &operands = pass_.operands;
    const auto found = std::find_if(operands.begin(), operands.end(), same);
    if (found != operands.end()) return static_cast<uint16_t>(found - operands.begin());
    operands.push_back(wanted);
    return static_cast<uint16_t>(operands.size() - 1);
  }

  const gpuopt_step *const steps_;
  const std::array<int, kMaxSteps> &kept_;
  Pass &pass_;
};

class Lister {
 public:
  Lister(const gpuopt_program &program, const PassWishes &wishes, PassList &out)
      : p_(program), wishes_(wishes), out_(out) {}

  ProgramError run() {
    find_live();
    find_kind();
    if (out_.scans && out_.reduces) return {GPUOPT_ERR_UNSUPPORTED, "a REDUCED output beside a SCAN", any_scan_};
    find_stages();
    kept_.fill(-1);
    if (scan_ >= 0) {
      add_scan();
    } else {
      find_kept();
      add_passes();
    }
    return {};
  }

 private:
  const gpuopt_step &step(int v) const { return p_.steps[v]; }
  static size_t at(int v) { return static_cast<size_t>(v); }

  // Marks the steps on which some output depends. No others are computed.
  void find_live() {
    for (int v = p_.nsteps - 1; v >= 0; v--) {
      live_[at(v)] |= step(v).kind == GPUOPT_STEP_OUTPUT;
      for (int i = 0; live_[at(v)] && i < step(v).nsrc; i++) live_[step(v).src[i]] = true;
    }
  }

  // Finds out whether the program reduces or scans.
  void find_kind() {
    for (int v = 0; v < p_.nsteps; v++) {
      const bool is_scan = step(v).kind == GPUOPT_STEP_SCAN;
      const bool reduced_output = step(v).kind == GPUOPT_STEP_OUTPUT && step(v).level == GPUOPT_LEVEL_REDUCED;
      out_.scans |= is_scan;
      if (is_scan) any_scan_ = v;
      if (is_scan && live_[at(v)]) scan_ = v;
      out_.reduces |= step(v).kind == GPUOPT_STEP_REDUCE || reduced_output;
    }
  }

  // Returns whether a value is computed once for each index of the axes that are not reduced. If the program reduces
  // nothing, REDUCED values are computed at every index of the iteration space instead, like FULL ones.
  bool is_reduced(int v) const {
    return out_.reduces && step(v).level == GPUOPT_LEVEL_REDUCED && step(v).kind != GPUOPT_STEP_CONSTANT &&
           step(v).kind != GPUOPT_STEP_INPUT;
  }

  // Finds the stage of each step, the number of stages with reductions, and the last stage that has a pass over the
  // whole space.
  void find_stages() {
    find_step_stages(p_.steps, p_.nsteps, stage_.data());
    for (int v = 0; v < p_.nsteps; v++) {
      if (!live_[at(v)]) continue;
      const int stage = stage_[at(v)];
      if (step(v).kind == GPUOPT_STEP_REDUCE) nstages_ = std::max(nstages_, stage + 1);
      if (step(v).kind == GPUOPT_STEP_OUTPUT && !is_reduced(v)) last_full_ = std::max(last_full_, stage);
    }
    last_full_ = std::max(last_full_, nstages_ - 1);
  }

  // Returns where a REDUCED value is computed. Values of home h > 0 follow from the results of pass h - 1, which
  // computes them, too; those of home 0 follow from inputs alone, and have a pass of their own.
  int home(int v) const { return stage_[at(v)] + (step(v).kind == GPUOPT_STEP_REDUCE); }

  // Returns whether a REDUCED output is stored by a pass at the end, because it may overwrite an input and its value is
  // known before the last pass that may read this input.
  bool is_late(int output) const { return wishes_.overwrites && last_full_ >= stage_[at(output)]; }

  // Gives a value its number among the kept values.
  void keep(int v) {
    if (kept_[at(v)] >= 0) return;
    kept_[at(v)] = static_cast<int>(out_.kept.size());
    out_.kept.push_back({static_cast<uint16_t>(v), step(v).dtype});
  }

  // Finds the REDUCED values that are kept: those used by a FULL step, by a REDUCED step of another home, or by an
  // output that is stored at the end.
  void find_kept() {
    for (int v = 0; v < p_.nsteps; v++) {
      if (!live_[at(v)]) continue;
      const bool late = step(v).kind == GPUOPT_STEP_OUTPUT && is_late(v);
      for (int i = 0; i < step(v).nsrc; i++) {
        const int u = step(v).src[i];
        if (is_reduced(u) && (!is_reduced(v) || home(u) != stage_[at(v)] || late)) keep(u);
      }
    }
  }

  // Appends a pass, which pass() then returns.
  PassWriter begin(PassKind kind, bool full, int stage = 0) {
    Pass &pass = out_.passes.emplace_back();
    pass.kind = kind;
    pass.full = full;
    pass.stage = stage;
    return PassWriter(p_, kept_, pass);
  }
  Pass &pass() { return out_.passes.back(); }

  // Adds all passes, in the order in which they run, of a program without a SCAN.
  void add_passes() {
    add_reduced(0);
    for (int stage = 0; stage <= last_full_; stage++) add_full(stage);
    add_late();
  }

  bool is_output(int v, int stage, bool reduced) const {
    return step(v).kind == GPUOPT_STEP_OUTPUT && stage_[at(v)] == stage && is_reduced(v) == reduced;
  }

  // Returns the stores of the REDUCED values of a home: outputs that are not late, and kept values that no earlier pass
  // of the stage has stored.
  std::vector<PassAccess> reduced_stores(PassWriter &writer, int number) {
    std::vector<PassAccess> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (!live_[at(v)] || !is_reduced(v)) continue;
      if (is_output(v, number, true) && !is_late(v)) stores.push_back(writer.store_to_output(v, false));
      const bool earlier = std::find(stored_.begin(), stored_.end(), v) != stored_.end();
      if (step(v).kind != GPUOPT_STEP_OUTPUT && home(v) == number && kept_[at(v)] >= 0 && !earlier)
        stores.push_back(writer.store_to_kept(v));
    }
    return stores;
  }

  // Adds a pass without the reduced axes for the REDUCED values of home `number`, if it stores anything.
  void add_reduced(int number) {
    PassWriter writer = begin(PassKind::kMap, false);
    writer.write(pass().element, reduced_stores(writer, number), {},
                 [&](int v) { return is_reduced(v) && home(v) == number; });
    if (pass().element.stores.empty()) out_.passes.pop_back();
  }

  // Adds the passes of a stage: one, or more if it has more reductions than a pass may have.
  void add_full(int stage) {
    std::vector<uint16_t> reductions;
    for (int v = 0; v < p_.nsteps; v++) {
      if (live_[at(v)] && step(v).kind == GPUOPT_STEP_REDUCE && stage_[at(v)] == stage)
        reductions.push_back(static_cast<uint16_t>(v));
    }
    stored_.clear();
    while (reductions.size() > wishes_.most_reductions) {
      const auto most = reductions.begin() + static_cast<std::ptrdiff_t>(wishes_.most_reductions);
      add_early_reductions(stage, {reductions.begin(), most});
      reductions.erase(reductions.begin(), most);
    }
    add_last_of(stage, reductions);
  }

  // Adds a pass for some of a stage's reductions that only keeps their results.
  void add_early_reductions(int stage, const std::vector<uint16_t> &reductions) {
    PassWriter writer = begin(PassKind::kReduce, true, stage);
    pass().reductions = reductions;
    write_sources(writer, {});
    std::vector<PassAccess> stores;
    for (const uint16_t v : reductions) {
      keep(v);
      stored_.push_back(v);
      stores.push_back(writer.store_to_kept(v));
    }
    writer.write(pass().result, stores, {}, [](int) { return true; });
  }

  // Writes what runs for every element: what the pass's reductions take, and `stores`.
  void write_sources(PassWriter &writer, std::vector<PassAccess> stores) {
    std::vector<uint16_t> sources;
    for (const uint16_t v : pass().reductions) sources.push_back(step(v).src[0]);
    writer.write(pass().element, std::move(stores), sources, [&](int v) { return !is_reduced(v); });
  }

  // Adds the last pass of a stage, with its FULL outputs, the remaining reductions, and all REDUCED values that follow
  // from the stage's reductions.
  void add_last_of(int stage, const std::vector<uint16_t> &reductions) {
    PassWriter writer = begin(reductions.empty() ? PassKind::kMap : PassKind::kReduce, true, stage);
    pass().reductions = reductions;
    std::vector<PassAccess> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (is_output(v, stage, false)) stores.push_back(writer.store_to_output(v, true));
    }
    write_sources(writer, std::move(stores));
    if (!reductions.empty()) {
      const auto here = [&](int v) {
        const bool earlier = std::find(stored_.begin(), stored_.end(), v) != stored_.end();
        return is_reduced(v) && home(v) == stage + 1 && !earlier;
      };
      writer.write(pass().result, reduced_stores(writer, stage + 1), {}, here);
    } else if (pass().element.stores.empty()) {
      out_.passes.pop_back();
    }
  }

  // Adds the pass that stores late outputs, from kept values.
  void add_late() {
    PassWriter writer = begin(PassKind::kMap, false);
    std::vector<PassAccess> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (step(v).kind == GPUOPT_STEP_OUTPUT && is_reduced(v) && is_late(v))
        stores.push_back(writer.store_to_output(v, false));
    }
    writer.write(pass().element, std::move(stores), {}, [](int) { return false; });
    if (pass().element.stores.empty()) out_.passes.pop_back();
  }

  // Adds the only pass of a program with a SCAN.
  void add_scan() {
    PassWriter writer = begin(PassKind::kScan, true);
    pass().scan = static_cast<uint16_t>(scan_);
    writer.write(pass().element, {}, {step(scan_).src[0]}, [](int) { return true; });
    std::vector<PassAccess> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (step(v).kind == GPUOPT_STEP_OUTPUT) stores.push_back(writer.store_to_output(v, true));
    }
    writer.write(pass().result, std::move(stores), {}, [](int) { return true; });
  }

  const gpuopt_program &p_;
  const PassWishes &wishes_;
  PassList &out_;
  std::array<bool, kMaxSteps> live_ = {};
  std::array<int, kMaxSteps> stage_ = {}, kept_ = {};
  std::vector<int> stored_;  // reductions of the current stage whose results earlier passes have stored
  int nstages_ = 0, last_full_ = -1;
  int scan_ = -1, any_scan_ = -1;  // the SCAN on which an output depends, and one on which perhaps none does
};

}  // namespace

ProgramError list_passes(const gpuopt_program &program, const PassWishes &wishes, PassList &list) {
  return Lister(program, wishes, list).run();
}

}  // namespace gpuopt::plugin
