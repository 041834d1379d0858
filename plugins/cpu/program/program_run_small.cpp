// plugins/cpu/program/program_run_small.cpp -- programs over so few elements that one tile holds them all: elementwise
// ones, those that only fill outputs, and reductions of all elements; also single loops that are not worth a second
// thread. With contiguous operands they need neither a Space nor a Worker.
#include <algorithm>
#include <cstring>

#include "plugins/cpu/program/program_run.h"
#include "plugins/cpu/program/tile_move.h"
#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {
namespace {

// The most elements of a pass that computes something, and of one that fills its outputs with a single element.
constexpr int64_t kMostElements = 256, kMostFilled = 4096;

enum class Layout { kContiguous, kOneElement, kOther };

Layout layout_of(const gpuopt_program &p, const gpuopt_operand &operand, int64_t size) {
  bool contiguous = true, one = true;
  for (int d = p.ndim - 1; d >= 0; d--) {
    if (p.shape[d] == 1) continue;
    contiguous &= operand.strides[d] == size;
    one &= operand.strides[d] == 0;
    size *= p.shape[d];
  }
  return contiguous ? Layout::kContiguous : one ? Layout::kOneElement : Layout::kOther;
}

// A pass over elements that are one tile. In a program that reduces all elements kept[i] is the address of kept value
// i, of which there is one element; in others `kept` is NULL.
class SmallPass {
 public:
  SmallPass(const gpuopt_program &program, const Plan &plan, const Pass &pass, const TierCode *compiled, int64_t n)
      : program_(program),
        plan_(plan),
        pass_(pass),
        compiled_(pass.entry[0] >= 0 ? compiled : nullptr),
        n_(n),
        capacity_((n + 63) & -64) {}

  // Finds the addresses of the leaves. Returns false if the operands' layouts do not allow this driver. `full` is
  // whether the pass runs over the whole iteration space, and not over the kept indices, of which there is one.
  bool bind(bool full, char *const *kept) {
    kept_ = kept;
    value_[0] = nullptr;  // loops are passed source 0 for operands that they do not have
    for (const Leaf &leaf : pass_.leaves) {
      if (!bind_leaf(leaf, full)) return false;
    }
    for (const Store &store : pass_.stores) {
      // An input that is stored unchanged would have to be read before another store overwrites it.
      if (pass_.stores.size() > 1 && is_input(store.src)) return false;
      if (!full || store.kind == PlaceKind::kKept) continue;
      if (layout_of(program_, program_.outputs[store.index], store.size) != Layout::kContiguous) return false;
    }
    return true;
  }

  // What go() needs. A pass that neither computes nor reduces needs no memory.
  int64_t bytes() const {
    const bool only_stores = pass_.code.empty() && pass_.reductions.empty();
    return only_stores ? 0 : (pass_.register_bytes + pass_.leaf_bytes) * capacity_;
  }

  // `accumulator` is where reductions compute whose accumulators are not their results.
  void go(char *memory, char *accumulator) {
    room_ = memory + pass_.register_bytes * capacity_;
    for (const Register &r : pass_.registers) {
      value_[r.step] = memory + r.offset * capacity_;
      is_scalar_[r.step] = false;
    }
    const int last = static_cast<int>(pass_.code.size()) - 1;
    const bool direct =
        pass_.reductions.empty() && pass_.stores.size() == 1 && pass_.stores[0].producer == last && last >= 0;
    if (direct && compiled_) value_[pass_.stores[0].src] = place_of(pass_.stores[0]);
    if (compiled_) run_compiled();
    for (int i = 0; i <= last && !compiled_; i++) {
      const Instruction &c = pass_.code[static_cast<size_t>(i)];
      if (i == last && direct) value_[c.dst] = place_of(pass_.stores[0]);
      const Loop loop = choose_loop(c);
      loop(value_[c.dst], value_[c.src[0]], value_[c.src[1]], value_[c.src[2]], n_);
    }
    for (const Reduction &reduction : pass_.reductions) reduce(reduction, accumulator);
    if (direct) return;
    for (const Store &store : pass_.stores) put(store);
  }

 private:
  bool bind_leaf(const Leaf &leaf, bool full) {
    void *&value = value_[leaf.step];
    is_scalar_[leaf.step] = true;
    if (leaf.kind == PlaceKind::kConstant) {
      value = const_cast<unsigned char *>(program_.constants[leaf.index].bytes);
    } else if (leaf.kind == PlaceKind::kKept) {
      value = kept_[leaf.index];
    } else {
      value = program_.inputs[leaf.index].data;
      const bool reduced = kept_ && !plan_.use.input_full[leaf.index];
      if (!full || reduced) return true;  // one element
      const Layout layout = layout_of(program_, program_.inputs[leaf.index], leaf.size);
      is_scalar_[leaf.step] = layout == Layout::kOneElement;
      return layout != Layout::kOther;
    }
    return true;
  }

  bool is_input(int step) const {
    return std::any_of(pass_.leaves.begin(), pass_.leaves.end(),
                       [&](const Leaf &leaf) { return leaf.step == step && leaf.kind == PlaceKind::kInput; });
  }

  void *place_of(const Store &store) const {
    return store.kind == PlaceKind::kKept ? kept_[store.index] : program_.outputs[store.index].data;
  }

  void run_compiled() {
    for (const Leaf &leaf : pass_.leaves) {
      if (leaf.kind != PlaceKind::kConstant) spread(leaf.step, leaf.size);
    }
    compiled_->run(pass_.entry[0], reinterpret_cast<char *const *>(value_), nullptr, 1, n_);
  }

  Loop choose_loop(const Instruction &c) {
    const bool a = c.nsrc == 2 && is_scalar_[c.src[0]], b = c.nsrc == 2 && is_scalar_[c.src[1]];
    if (b && !a && c.loops.scalar_b) return c.loops.scalar_b;
    if (a && !b && c.loops.scalar_a) return c.loops.scalar_a;
    for (int k = 0; k < c.nsrc; k++) {
      if (is_scalar_[c.src[k]]) spread(c.src[k], dtype_size(program_.steps[c.src[k]].dtype));
    }
    return c.loops.vector;
  }

  // Reduces all elements, which are one row of a single chunk (reduce_fold.h).
  void reduce(const Reduction &reduction, char *accumulator) {
    const ReductionLoops &loops = *reduction.loops;
    spread(reduction.src, reduction.src_size);
    char *const result = kept_[reduction.kept], *const acc = loops.finish ? accumulator : result;
    loops.rows(acc, value_[reduction.src], 1, n_, n_, 0, 0);
    loops.join(acc, 1, 1);
    if (loops.finish) loops.finish(result, acc, 1);
  }

  void put(const Store &store) const {
    const void *const from = value_[store.src];
    void *const to = place_of(store);
    if (is_scalar_[store.src]) {
      fill_elements(to, from, n_, store.size);
    } else if (to != from) {
      std::memcpy(to, from, static_cast<size_t>(n_ * store.size));
    }
  }

  // Replaces a single element by a tile that repeats it.
  void spread(int step, int size) {
    if (!is_scalar_[step]) return;
    fill_elements(room_, value_[step], n_, size);
    value_[step] = room_;
    is_scalar_[step] = false;
    room_ += size * capacity_;
  }

  const gpuopt_program &program_;
  const Plan &plan_;
  const Pass &pass_;
  const TierCode *const compiled_;
  const int64_t n_, capacity_;
  char *const *kept_ = nullptr;
  char *room_ = nullptr;
  void *value_[GPUOPT_PROGRAM_MAX_STEPS];
  bool is_scalar_[GPUOPT_PROGRAM_MAX_STEPS];
};

// Whether the pass computes nothing and stores constants only.
bool only_fills(const Pass &pass) {
  return pass.code.empty() && std::all_of(pass.leaves.begin(), pass.leaves.end(),
                                          [](const Leaf &leaf) { return leaf.kind == PlaceKind::kConstant; });
}

// Whether the pass is one loop, compiled or interpreted, that reads and writes operands where they are, and over n
// elements runs best as one tile on one thread.
bool is_short_loop(const Pass &pass, const TierCode *compiled, int64_t n) {
  const int last = static_cast<int>(pass.code.size()) - 1;
  const bool one_loop = last == 0 || (last > 0 && compiled && pass.entry[0] >= 0);
  return one_loop && pass.stores.size() == 1 && pass.stores[0].producer == last &&
         n * widest_operand(pass) <= kLongTileBytes && static_cast<double>(n) * pass.cost <= kParallelCost;
}

// A program that reduces all of its elements, at least one, to single values. Its passes run one after the other, over
// all elements or the one kept index.
class SmallReduction {
 public:
  SmallReduction(const gpuopt_program &program, const Plan &plan, const TierCode *compiled, int64_t n)
      : program_(program), plan_(plan), compiled_(compiled), n_(n) {}

  bool fits() {
    std::fill_n(kept_, plan_.kept.size(), nullptr);
    return each_pass([&](SmallPass &pass, bool full) {
      most_ = std::max(most_, pass.bytes());
      return pass.bind(full, kept_);
    });
  }

  // Returns false if there is no scratch memory; nothing has been written then.
  bool go(const gpuopt_host_api *host) {
    const auto kept = static_cast<int64_t>(plan_.kept.size());
    char *const memory = ThreadScratch::reserve(host, kept * kAlign + accumulator_bytes() + most_ + kAlign);
    if (!memory) return false;
    for (int64_t i = 0; i < kept; i++) kept_[i] = memory + i * kAlign;
    char *const accumulator = memory + kept * kAlign;
    return each_pass([&](SmallPass &pass, bool full) {
      if (pass.bind(full, kept_)) pass.go(accumulator + accumulator_bytes(), accumulator);
      return true;
    });
  }

 private:
  // Calls run(pass, whether it runs over all elements) for each pass, in order, until one returns false.
  template <class Run>
  bool each_pass(const Run &run) const {
    for (size_t stage = 0; stage < std::max(plan_.full_passes.size(), plan_.kept_passes.size()); stage++) {
      for (const bool full : {false, true}) {
        const std::vector<Pass> &passes = full ? plan_.full_passes : plan_.kept_passes;
        if (stage >= passes.size() || passes[stage].empty()) continue;
        SmallPass pass(program_, plan_, passes[stage], compiled_, full ? n_ : 1);
        if (!run(pass, full)) return false;
      }
    }
    return true;
  }

  int64_t accumulator_bytes() const {
    int64_t most = 0;
    for (const Pass &pass : plan_.full_passes) {
      for (const Reduction &r : pass.reductions) most = std::max<int64_t>(most, r.loops->accumulator_size);
    }
    return aligned(most);
  }

  const gpuopt_program &program_;
  const Plan &plan_;
  const TierCode *const compiled_;
  const int64_t n_;
  int64_t most_ = 0;  // bytes that any pass needs
  char *kept_[GPUOPT_PROGRAM_MAX_STEPS];
};

// Whether the program is an input, its reduction, and an output.
bool is_one_reduction(const Plan &plan) {
  if (plan.steps.size() != 3 || plan.steps[1].kind != GPUOPT_STEP_REDUCE) return false;
  const Pass &pass = plan.full_passes[0];
  return pass.code.empty() && pass.leaves.size() == 1 && pass.leaves[0].kind == PlaceKind::kInput &&
         pass.reductions[0].loops->accumulator_size <= kAlign;
}

// Does what SmallReduction does for such a program, which is what most calls of a reduction are, in less time.
// Returns false if the input's layout does not allow it.
bool run_one_reduction(const gpuopt_program &program, const Plan &plan, int64_t n) {
  const Reduction &reduction = plan.full_passes[0].reductions[0];
  if (layout_of(program, program.inputs[0], reduction.src_size) != Layout::kContiguous) return false;
  const ReductionLoops &loops = *reduction.loops;
  alignas(kAlign) char result[kAlign], accumulator[kAlign];
  char *const acc = loops.finish ? accumulator : result;
  loops.rows(acc, program.inputs[0].data, 1, n, n, 0, 0);
  loops.join(acc, 1, 1);
  if (loops.finish) loops.finish(result, acc, 1);
  std::memcpy(program.outputs[0].data, result, static_cast<size_t>(plan.kept[reduction.kept].size));
  return true;
}

bool run_small_elementwise(const gpuopt_program &program, const Plan &plan, const TierCode *compiled, int64_t n,
                           const gpuopt_host_api *host, bool &done) {
  const Pass &pass = plan.full_passes[0];
  const bool is_short =
      n <= kMostElements || (n <= kMostFilled && only_fills(pass)) || is_short_loop(pass, compiled, n);
  if (!is_short) return false;
  SmallPass run(program, plan, pass, compiled, n);
  if (!run.bind(true, nullptr)) return false;
  char *const memory = ThreadScratch::reserve(host, run.bytes() + kAlign);
  done = memory != nullptr;
  if (done) run.go(memory, nullptr);
  return true;
}

}  // namespace

bool run_small(const gpuopt_program &program, const Plan &plan, const TierCode *compiled,
               const plugin::ProgramSize &size, const gpuopt_host_api *host, bool &done) noexcept {
  if (plan.kind == PlanKind::kElementwise) {
    return run_small_elementwise(program, plan, compiled, size.elements, host, done);
  }
  if (plan.kind != PlanKind::kReduction || size.kept != 1 || size.elements > kMostElements || size.elements < 1)
    return false;
  if (is_one_reduction(plan) && run_one_reduction(program, plan, size.elements)) return done = true;
  SmallReduction run(program, plan, compiled, size.elements);
  if (!run.fits()) return false;
  done = run.go(host);
  return true;
}

}  // namespace gpuopt::cpu
