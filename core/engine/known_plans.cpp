// core/engine/known_plans.cpp -- the keys of expressions, and how known programs get their operands; see known_plans.h.
#include "core/engine/known_plans.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/run.h"
#include "core/engine/submit.h"

namespace gpuopt {
namespace {

// The kinds of sources in a key.
constexpr uint64_t kNode = 1, kConstant = 2;

bool same_view(Node &a, Node &b) {
  return a.storage.get() == b.storage.get() && a.dtype == b.dtype && a.ndim == b.ndim && a.offset == b.offset &&
         std::equal(a.shape(), a.shape() + 2 * a.ndim, b.shape());  // the strides are behind the shape
}

// Whether a program may write the target without looking at what else goes on.
bool is_fresh(const Storage &target, gpuopt_stream stream) {
  return !target.memory && target.stream.get() == stream && target.readers.empty() && !target.downloads;
}

}  // namespace

bool ExpressionKey::add(uint64_t word) {
  if (nwords_ == kMostWords) return false;
  words_[nwords_++] = word;
  hash_ = std::rotl(hash_ ^ word, 29) * 0xff51afd7ed558ccdu;
  return true;
}

bool ExpressionKey::add_shape(Node &node) {
  for (int i = 0; i < node.ndim; ++i) {
    if (!add(static_cast<uint64_t>(node.shape()[i]))) return false;
  }
  return true;
}

int ExpressionKey::find_constant(const unsigned char *bytes, int dtype) const {
  for (int i = 0; i < nconstants_; ++i) {
    const Constant &known = constants_[i];
    if (known.dtype == dtype && !std::memcmp(known.value.bytes, bytes, sizeof known.value.bytes)) return i;
  }
  return -1;
}

int ExpressionKey::number_of_constant(const Node &constant) {
  const int known = find_constant(constant.constant, constant.dtype);
  if (known >= 0) return known;
  if (nconstants_ == GPUOPT_PROGRAM_MAX_CONSTANTS) return -1;
  constants_[nconstants_].dtype = constant.dtype;
  std::memcpy(constants_[nconstants_].value.bytes, constant.constant, sizeof constant.constant);
  return nconstants_++;
}

// Returns the number of a leaf or of a value that has to be computed; leaves that are the same view have one number.
// Returns -1 if there is no room.
int ExpressionKey::number_of(Node &node) {
  if (node.plan.epoch == epoch_) return node.plan.number;
  node.plan.epoch = epoch_;
  if (node.kind == NodeKind::Leaf) {
    for (int i = 0; i < nleaves_; ++i) {
      if (same_view(*leaves_[i], node)) return node.plan.number = leaves_[i]->plan.number;
    }
    if (nleaves_ == GPUOPT_PROGRAM_MAX_OPERANDS) return -1;
    leaves_[nleaves_++] = &node;
  }
  if (nnodes_ == kMostNodes) return -1;
  nodes_[nnodes_] = &node;
  return node.plan.number = static_cast<int16_t>(nnodes_++);
}

// Appends what the planner asks of a node, and gives numbers to its sources.
bool ExpressionKey::describe(Node &node) {
  if (node.stream.get() != stream_ || node.kind == NodeKind::Failed) return false;
  const uint64_t targeted = node.target ? 1 : 0;
  if (targeted && !is_fresh(*node.target, stream_)) return false;
  if (node.kind == NodeKind::Leaf && node.storage->stream.get() != stream_) return false;
  if (node.kind == NodeKind::Leaf) {  // one that has been computed keeps what it was computed by
    return add(static_cast<uint64_t>(node.kind) | static_cast<uint64_t>(node.dtype) << 8 |
               static_cast<uint64_t>(node.ndim) << 40) &&
           add_shape(node);
  }
  const bool reduces = node.kind == NodeKind::Reduce || node.kind == NodeKind::Scan;
  const bool fits =
      add(static_cast<uint64_t>(node.kind) | static_cast<uint64_t>(node.dtype) << 8 |
          static_cast<uint64_t>(node.loop_dtype) << 16 | static_cast<uint64_t>(node.index) << 24 |
          static_cast<uint64_t>(node.ndim) << 40 | static_cast<uint64_t>(node.nsrc) << 48 | targeted << 56) &&
      (!reduces || add(node.axes)) && add_shape(node);
  uint64_t sources = 0;
  for (int i = 0; i < node.nsrc; ++i) {
    Node &source = *node.src[i];
    const bool constant = source.kind == NodeKind::Constant;
    const int number = constant ? number_of_constant(source) : number_of(source);
    if (number < 0) return false;
    // The extents of a constant matter to those operations that do not give them to their result.
    const bool gives = node.kind == NodeKind::Elementwise || node.kind == NodeKind::Cast;
    if (constant && !gives && !(add(static_cast<uint64_t>(source.ndim)) && add_shape(source))) return false;
    sources = sources << 20 | static_cast<uint64_t>(number) << 2 | (constant ? kConstant : kNode);
  }
  return fits && add(sources);
}

bool ExpressionKey::write(Engine &engine, std::span<Node *const> roots) {
  epoch_ = ++engine.sequence;
  stream_ = roots[0]->stream.get();
  for (Node *root : roots) {
    if (!root->computed() || !root->target || number_of(*root) < 0) return false;
  }
  if (!add(roots.size())) return false;
  for (int next = 0; next < nnodes_; ++next) {
    if (!describe(*nodes_[next])) return false;
  }
  hash_ ^= hash_ >> 32;
  return true;
}

std::unique_ptr<KnownPlan> KnownPlans::take(const ExpressionKey &key) {
  std::unique_ptr<KnownPlan> &plan = place(key.hash()).plan;
  if (!plan || plan->hash != key.hash() || !std::ranges::equal(plan->words, key.words())) return nullptr;
  return std::move(plan);
}

bool KnownPlans::is_wanted(const ExpressionKey &key) {
  return std::exchange(place(key.hash()).met, key.hash()) == key.hash();
}

void KnownPlans::keep(std::unique_ptr<KnownPlan> plan) noexcept { place(plan->hash).plan.swap(plan); }

namespace {

// A known program with the operands of this evaluation.
class KnownRun {
 public:
  KnownRun(Engine &engine, const KnownProgram &known, const ExpressionKey &key)
      : engine_(engine), known_(known), key_(key), stream_(key.node(known.last).stream.get()) {}

  bool run() {
    try {
      for (const KnownProgram::Value &input : known_.inputs) {
        Node &node = key_.node(input.number);
        add_operand(node, input.mask, *node.storage);
      }
      for (const KnownProgram::Value &output : known_.outputs) {
        Node &node = key_.node(output.number);
        allocate(*node.target);
        ++allocated_;
        add_operand(node, output.mask, *node.target);
      }
      submit();
    } catch (Failure &failure) {
      undo();
      if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) return false;
      throw name_operation(key_.node(known_.last), known_.nodes, std::move(failure));
    } catch (...) {
      undo();
      throw;
    }
    finish();
    return true;
  }

 private:
  static constexpr int kMostOperands = GPUOPT_PROGRAM_MAX_OPERANDS;

  // Adds an operand, the node's view of `storage`. Axes of the program along which it does not vary get the stride 0.
  void add_operand(Node &node, uint64_t mask, const Storage &storage) {
    int64_t *own = strides_[noperands_];
    const int ndim = static_cast<int>(known_.shape.size());
    for (int i = 0, axis = 0; i < ndim; ++i) {
      own[i] = 0;
      if (!(mask >> i & 1)) continue;
      while (node.shape()[axis] == 1) ++axis;
      own[i] = node.strides()[axis++];
    }
    operands_[noperands_++] = {static_cast<char *>(storage.memory) + node.offset, own, node.dtype, 0};
  }

  void submit() {
    gpuopt_constant constants[GPUOPT_PROGRAM_MAX_CONSTANTS];
    for (size_t i = 0; i < known_.constants.size(); ++i) {
      constants[i] = key_.constant(known_.constants[i]).value;
    }
    gpuopt_program program{};
    program.struct_size = sizeof program;
    program.key = known_.key;
    program.reduced_axes = known_.reduced;
    program.ndim = static_cast<int32_t>(known_.shape.size());
    program.nsteps = static_cast<int32_t>(known_.steps.size());
    program.ninputs = static_cast<int32_t>(known_.inputs.size());
    program.noutputs = static_cast<int32_t>(known_.outputs.size());
    program.nconstants = static_cast<int32_t>(known_.constants.size());
    program.shape = known_.shape.data();
    program.steps = known_.steps.data();
    program.inputs = operands_;
    program.outputs = operands_ + known_.inputs.size();
    program.constants = constants;
    run_program(stream_, known_.nodes == 1 ? operation_name(key_.node(known_.last)) : nullptr, program);
  }

  Node &output(int index) const { return key_.node(known_.outputs[static_cast<size_t>(index)].number); }

  // After a failure: frees the memory that targets were given.
  void undo() noexcept {
    for (int i = 0; i < allocated_; ++i) release_memory(*output(i).target);
  }

  // Turns the outputs into leaves. Each is held by its target until then.
  void finish() {
    ++engine_.programs;
    engine_.steps += known_.steps.size();
    for (int i = 0; i < allocated_; ++i) {
      Node &node = output(i);
      Storage &target = *node.target;
      become_leaf(node, Ref<Storage>::share(&target));
      const NodeRef done = take_pending(node);
      settle(engine_, target);
    }
  }

  Engine &engine_;
  const KnownProgram &known_;
  const ExpressionKey &key_;
  const gpuopt_stream stream_;
  int noperands_ = 0, allocated_ = 0;  // of the operands; of the targets
  gpuopt_operand operands_[kMostOperands];
  int64_t strides_[kMostOperands][GPUOPT_MAX_NDIM];
};

}  // namespace

bool run_known(Engine &engine, const KnownPlan &plan, const ExpressionKey &key) {
  return KnownRun(engine, plan.program, key).run();
}

}  // namespace gpuopt
