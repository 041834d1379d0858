// plugins/cuda/program/lower.cpp -- see lower.h.
#include "plugins/cuda/program/lower.h"

#include <algorithm>
#include <array>

#include "plugins/cuda/driver/host.h"
#include "plugins/shared/program/op_table.h"
#include "plugins/shared/program/step_text.h"

namespace gpuopt::cuda {
namespace {

constexpr int kMaxSteps = GPUOPT_PROGRAM_MAX_STEPS;
constexpr size_t kMaxReductions = 8;  // of one kernel, whose partial results share 48 KiB

// A GPU has no instruction for a division: it takes more of them than on the CPU, for which the table estimates.
bool is_long(const gpuopt_step &s) {
  if (s.kind != GPUOPT_STEP_ELEMENTWISE) return false;
  const bool is_function = plugin::kOpCost[s.index] >= plugin::kLongOpCost;
  return is_function || s.index == GPUOPT_OP_divide || plugin::is_complex(s.loop_dtype);
}

// Fills one pass. Which values a fragment computes is up to the caller; the others are leaves.
class PassWriter {
 public:
  PassWriter(const gpuopt_program &program, const std::array<int, kMaxSteps> &kept, Pass &pass)
      : steps_(program.steps), kept_(kept), pass_(pass) {}

  // A fragment with `stores` (whose operands are already there) that also needs the values `wanted`.
  template <class Computed>
  void write(Fragment &fragment, std::vector<Access> stores, const std::vector<uint16_t> &wanted, Computed computed) {
    std::array<bool, kMaxSteps> needed = {};
    for (const Access &store : stores) needed[store.step] = true;
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

  Access store_to_output(int v, bool full) {
    return {steps_[v].src[0], operand({OperandKind::kOutput, steps_[v].dtype, steps_[v].index, full, true})};
  }
  Access store_to_kept(int v) {
    const auto index = static_cast<uint16_t>(kept_[static_cast<size_t>(v)]);
    return {static_cast<uint16_t>(v), operand({OperandKind::kKept, steps_[v].dtype, index, false, true})};
  }

 private:
  bool is_code(int v) const {
    const int kind = steps_[v].kind;
    return kind == GPUOPT_STEP_ELEMENTWISE || kind == GPUOPT_STEP_CAST;
  }

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
      pass_.long_steps += is_long(s);
    }
  }

  // Each operand is there once, however many steps read it.
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

class Lowering {
 public:
  Lowering(const gpuopt_program &program, bool overwrites) : p_(program), overwrites_(overwrites) {}

  LoweredProgram run() {
    find_live();
    find_kind();
    find_stages();
    if (scan_ >= 0) {
      add_scan();
    } else {
      find_kept();
      add_passes();
    }
    return std::move(out_);
  }

 private:
  const gpuopt_step &step(int v) const { return p_.steps[v]; }
  static size_t at(int v) { return static_cast<size_t>(v); }

  // Steps that some output depends on.
  void find_live() {
    for (int v = p_.nsteps - 1; v >= 0; v--) {
      live_[at(v)] |= step(v).kind == GPUOPT_STEP_OUTPUT;
      for (int i = 0; live_[at(v)] && i < step(v).nsrc; i++) live_[step(v).src[i]] = true;
    }
  }

  void find_kind() {
    for (int v = 0; v < p_.nsteps; v++) {
      const bool is_scan = step(v).kind == GPUOPT_STEP_SCAN;
      const bool reduced_output = step(v).kind == GPUOPT_STEP_OUTPUT && step(v).level == GPUOPT_LEVEL_REDUCED;
      out_.scans |= is_scan;
      if (is_scan && live_[at(v)]) scan_ = v;
      out_.reduces |= step(v).kind == GPUOPT_STEP_REDUCE || reduced_output;
    }
    if (out_.scans && out_.reduces)
      fail(GPUOPT_ERR_UNSUPPORTED, "cannot run a program: a REDUCED output beside a SCAN");
  }

  // Without a reduction, values that do not vary along the reduced axes are evaluated along them all the same.
  bool is_reduced(int v) const {
    return out_.reduces && step(v).level == GPUOPT_LEVEL_REDUCED && step(v).kind != GPUOPT_STEP_CONSTANT &&
           step(v).kind != GPUOPT_STEP_INPUT;
  }

  void find_stages() {
    for (int v = 0; v < p_.nsteps; v++) {
      int &stage = stage_[at(v)];
      for (int i = 0; i < step(v).nsrc; i++) {
        const int u = step(v).src[i];
        stage = std::max(stage, stage_[at(u)] + (step(u).kind == GPUOPT_STEP_REDUCE));
      }
      if (!live_[at(v)]) continue;
      if (step(v).kind == GPUOPT_STEP_REDUCE) nstages_ = std::max(nstages_, stage + 1);
      if (step(v).kind == GPUOPT_STEP_OUTPUT && !is_reduced(v)) last_full_ = std::max(last_full_, stage);
    }
    last_full_ = std::max(last_full_, nstages_ - 1);
  }

  // REDUCED values of home h > 0 follow from the results of pass h - 1, those of home 0 from inputs alone.
  int home(int v) const { return stage_[at(v)] + (step(v).kind == GPUOPT_STEP_REDUCE); }

  // Whether a REDUCED output waits until nothing is left to read.
  bool is_late(int output) const { return overwrites_ && last_full_ >= stage_[at(output)]; }

  void keep(int v) {
    if (kept_[at(v)] >= 0) return;
    kept_[at(v)] = static_cast<int>(out_.kept_dtype.size());
    out_.kept_dtype.push_back(step(v).dtype);
  }

  // A REDUCED value is kept if it is used elsewhere than where it is computed.
  void find_kept() {
    kept_.fill(-1);
    for (int v = 0; v < p_.nsteps; v++) {
      if (!live_[at(v)]) continue;
      const bool late = step(v).kind == GPUOPT_STEP_OUTPUT && is_late(v);
      for (int i = 0; i < step(v).nsrc; i++) {
        const int u = step(v).src[i];
        if (is_reduced(u) && (!is_reduced(v) || home(u) != stage_[at(v)] || late)) keep(u);
      }
    }
  }

  PassWriter begin(PassKind kind, bool full) {
    Pass &pass = out_.passes.emplace_back();
    pass.kind = kind;
    pass.full = full;
    return PassWriter(p_, kept_, pass);
  }
  Pass &pass() { return out_.passes.back(); }

  void add_passes() {
    add_reduced(0);
    for (int stage = 0; stage <= last_full_; stage++) add_full(stage);
    add_late();
  }

  bool is_output(int v, int stage, bool reduced) const {
    return step(v).kind == GPUOPT_STEP_OUTPUT && stage_[at(v)] == stage && is_reduced(v) == reduced;
  }

  // What the REDUCED values of a home store: the kept ones, and outputs.
  std::vector<Access> reduced_stores(PassWriter &writer, int number) {
    std::vector<Access> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (!live_[at(v)] || !is_reduced(v)) continue;
      if (is_output(v, number, true) && !is_late(v)) stores.push_back(writer.store_to_output(v, false));
      const bool earlier = std::find(stored_.begin(), stored_.end(), v) != stored_.end();
      if (step(v).kind != GPUOPT_STEP_OUTPUT && home(v) == number && kept_[at(v)] >= 0 && !earlier)
        stores.push_back(writer.store_to_kept(v));
    }
    return stores;
  }

  void add_reduced(int number) {
    PassWriter writer = begin(PassKind::kMap, false);
    writer.write(pass().element, reduced_stores(writer, number), {},
                 [&](int v) { return is_reduced(v) && home(v) == number; });
    if (pass().element.stores.empty()) out_.passes.pop_back();
  }

  void add_full(int stage) {
    std::vector<uint16_t> reductions;
    for (int v = 0; v < p_.nsteps; v++) {
      if (live_[at(v)] && step(v).kind == GPUOPT_STEP_REDUCE && stage_[at(v)] == stage)
        reductions.push_back(static_cast<uint16_t>(v));
    }
    stored_.clear();
    for (; reductions.size() > kMaxReductions;
         reductions.erase(reductions.begin(), reductions.begin() + kMaxReductions))
      add_early_reductions({reductions.begin(), reductions.begin() + kMaxReductions});
    add_last_of(stage, reductions);
  }

  // Where a stage has more reductions than a kernel takes, the first ones are only kept.
  void add_early_reductions(const std::vector<uint16_t> &reductions) {
    PassWriter writer = begin(PassKind::kReduce, true);
    pass().reductions = reductions;
    write_sources(writer, {});
    std::vector<Access> stores;
    for (const uint16_t v : reductions) {
      keep(v);
      stored_.push_back(v);
      stores.push_back(writer.store_to_kept(v));
    }
    writer.write(pass().result, stores, {}, [](int) { return true; });
  }

  void write_sources(PassWriter &writer, std::vector<Access> stores) {
    std::vector<uint16_t> sources;
    for (const uint16_t v : pass().reductions) sources.push_back(step(v).src[0]);
    writer.write(pass().element, std::move(stores), sources, [&](int v) { return !is_reduced(v); });
  }

  void add_last_of(int stage, const std::vector<uint16_t> &reductions) {
    PassWriter writer = begin(reductions.empty() ? PassKind::kMap : PassKind::kReduce, true);
    pass().reductions = reductions;
    std::vector<Access> stores;
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

  void add_late() {
    PassWriter writer = begin(PassKind::kMap, false);
    std::vector<Access> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (step(v).kind == GPUOPT_STEP_OUTPUT && is_reduced(v) && is_late(v))
        stores.push_back(writer.store_to_output(v, false));
    }
    writer.write(pass().element, std::move(stores), {}, [](int) { return false; });
    if (pass().element.stores.empty()) out_.passes.pop_back();
  }

  void add_scan() {
    PassWriter writer = begin(PassKind::kScan, true);
    pass().scan = static_cast<uint16_t>(scan_);
    writer.write(pass().element, {}, {step(scan_).src[0]}, [](int) { return true; });
    std::vector<Access> stores;
    for (int v = 0; v < p_.nsteps; v++) {
      if (step(v).kind == GPUOPT_STEP_OUTPUT) stores.push_back(writer.store_to_output(v, true));
    }
    writer.write(pass().result, std::move(stores), {}, [](int) { return true; });
  }

  const gpuopt_program &p_;
  const bool overwrites_;
  LoweredProgram out_;
  std::array<bool, kMaxSteps> live_ = {};
  std::array<int, kMaxSteps> stage_ = {}, kept_ = {};
  std::vector<int> stored_;  // reductions of the stage at hand that earlier passes kept
  int nstages_ = 0, last_full_ = -1, scan_ = -1;
};

}  // namespace

LoweredProgram lower(const gpuopt_program &program, bool overwrites) { return Lowering(program, overwrites).run(); }

}  // namespace gpuopt::cuda
