// plugins/cpu/program/program_run_small.cpp -- elementwise programs over so few elements that one tile holds them all,
// and those that only fill an output. With contiguous operands they need neither a Space nor a Worker.
#include <algorithm>
#include <cstring>

#include "plugins/cpu/program/program_run.h"
#include "plugins/cpu/program/tile_move.h"

namespace gpuopt::cpu {
namespace {

// Of a pass that computes something, and of one that fills its outputs with a single element.
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

class SmallRun {
 public:
  SmallRun(const gpuopt_program &program, const Pass &pass, const TierCode *compiled, int64_t n)
      : program_(program),
        pass_(pass),
        compiled_(pass.entry[0] >= 0 ? compiled : nullptr),
        n_(n),
        capacity_((n + 63) & -64) {}

  // Finds the addresses of the leaves. Returns false if the operands' layouts do not allow this driver.
  bool fits() {
    value_[0] = nullptr;  // loops are passed source 0 for operands that they do not have
    for (const Leaf &leaf : pass_.leaves) {
      is_scalar_[leaf.step] = leaf.kind == PlaceKind::kConstant;
      if (leaf.kind == PlaceKind::kConstant) {
        value_[leaf.step] = const_cast<unsigned char *>(program_.constants[leaf.index].bytes);
        continue;
      }
      const Layout layout = layout_of(program_, program_.inputs[leaf.index], leaf.size);
      if (layout == Layout::kOther) return false;
      is_scalar_[leaf.step] = layout == Layout::kOneElement;
      value_[leaf.step] = program_.inputs[leaf.index].data;
    }
    for (const Store &store : pass_.stores) {
      // An input that is stored unchanged would have to be read before another store overwrites it.
      if (store.producer == Pass::kFromLeaf && pass_.stores.size() > 1) return false;
      if (layout_of(program_, program_.outputs[store.index], store.size) != Layout::kContiguous) return false;
    }
    return true;
  }

  // What go() needs. A pass that computes nothing needs no memory.
  int64_t bytes() const { return pass_.code.empty() ? 0 : (pass_.register_bytes + pass_.leaf_bytes) * capacity_; }

  void go(char *memory) {
    room_ = memory + pass_.register_bytes * capacity_;
    for (const Register &r : pass_.registers) {
      value_[r.step] = memory + r.offset * capacity_;
      is_scalar_[r.step] = false;
    }
    const int last = static_cast<int>(pass_.code.size()) - 1;
    const bool direct = pass_.stores.size() == 1 && pass_.stores[0].producer == last && last >= 0;
    if (direct && compiled_) value_[pass_.stores[0].src] = program_.outputs[pass_.stores[0].index].data;
    if (compiled_) run_compiled();
    for (int i = 0; i <= last && !compiled_; i++) {
      const Instruction &c = pass_.code[static_cast<size_t>(i)];
      if (i == last && direct) value_[c.dst] = program_.outputs[pass_.stores[0].index].data;
      const Loop loop = choose_loop(c);
      loop(value_[c.dst], value_[c.src[0]], value_[c.src[1]], value_[c.src[2]], n_);
    }
    if (direct) return;
    for (const Store &store : pass_.stores) put(store);
  }

 private:
  void run_compiled() {
    for (const Leaf &leaf : pass_.leaves) {
      if (leaf.kind != PlaceKind::kConstant) spread(leaf.step, leaf.size);
    }
    compiled_->run(pass_.entry[0], reinterpret_cast<char *const *>(value_), n_);
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

  void put(const Store &store) const {
    const void *const from = value_[store.src];
    void *const to = program_.outputs[store.index].data;
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
  const Pass &pass_;
  const TierCode *const compiled_;
  const int64_t n_, capacity_;
  char *room_ = nullptr;
  void *value_[GPUOPT_PROGRAM_MAX_STEPS];
  bool is_scalar_[GPUOPT_PROGRAM_MAX_STEPS];
};

// Whether the pass computes nothing and stores constants only.
bool only_fills(const Pass &pass) {
  return pass.code.empty() && std::all_of(pass.leaves.begin(), pass.leaves.end(),
                                          [](const Leaf &leaf) { return leaf.kind == PlaceKind::kConstant; });
}

}  // namespace

bool run_small(const gpuopt_program &program, const Pass &pass, const TierCode *compiled, int64_t n,
               const gpuopt_host_api *host, bool &done) noexcept {
  if (n > kMostElements && (n > kMostFilled || !only_fills(pass))) return false;
  SmallRun run(program, pass, compiled, n);
  if (!run.fits()) return false;
  char *const memory = ThreadScratch::reserve(host, run.bytes() + 64);
  done = memory != nullptr;
  if (done) run.go(memory);
  return true;
}

}  // namespace gpuopt::cpu
