// core/engine/run_alone.cpp -- runs a single operation on values in memory without planning; see run.h.
#include <algorithm>
#include <cstring>

#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/plan.h"
#include "core/engine/run.h"
#include "core/engine/submit.h"

namespace gpuopt {
namespace {

bool same_place(Node &a, Node &b) {
  return a.dtype == b.dtype && a.ndim == b.ndim && a.offset == b.offset &&
         std::equal(a.shape(), a.shape() + a.ndim, b.shape()) &&
         std::equal(a.strides(), a.strides() + a.ndim, b.strides());
}

bool same_memory(Node &a, Node &b) { return a.storage.get() == b.storage.get() && same_place(a, b); }

// Whether a program may read the leaf while it writes the node to its target: the leaf is the same view as the target,
// or in other memory. The leaf must also have been written on the node's stream, so that no streams have to be ordered.
bool may_read(Node &leaf, Node &node) {
  const Storage &from = *leaf.storage, &to = *node.target;
  if (from.stream.get() != node.stream.get()) return false;
  if (&from == &to) return node.kind != NodeKind::Reduce && same_place(leaf, node);
  return !(from.is_volatile() && to.is_volatile());
}

// The program of one Elementwise, Cast, Reduce or Constant node: its sources, the operation, and the output.
class SingleProgram {
 public:
  explicit SingleProgram(Node &node)
      : node_(node),
        reduces_(node.kind == NodeKind::Reduce),
        level_(reduces_ ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL),
        space_(reduces_ ? *node.src[0] : node) {
    const uint16_t value = node.kind == NodeKind::Constant ? constant(node) : operation();
    gpuopt_step output = make_step(GPUOPT_STEP_OUTPUT, level_, node.dtype, node.dtype, 0);
    output.nsrc = 1;
    output.src[0] = value;
    add_step(output);
  }
  int steps() const { return nsteps_; }

  // Allocates the target's memory if it has none, and submits the program. Throws Failure.
  void run() {
    allocate(*node_.target);
    set_operand(ninputs_, node_, *node_.target);
    if (reduces_) set_result_strides();
    run_program(node_.stream.get(), operation_name(node_), header());
  }

 private:
  static constexpr int kMaxSources = 3;

  uint16_t add_step(const gpuopt_step &step) {
    steps_[nsteps_] = step;
    return static_cast<uint16_t>(nsteps_++);
  }

  uint16_t operation() {
    gpuopt_step own = make_step(step_kind(node_.kind), level_, node_.dtype, node_.loop_dtype, node_.index);
    own.nsrc = node_.nsrc;
    for (int i = 0; i < node_.nsrc; ++i) own.src[i] = source_step(*node_.src[i]);
    return add_step(own);
  }

  uint16_t source_step(Node &source) { return source.kind == NodeKind::Constant ? constant(source) : input(source); }

  uint16_t constant(const Node &source) {
    std::memcpy(constants_[nconstants_].bytes, source.constant, sizeof source.constant);
    return add_step(make_step(GPUOPT_STEP_CONSTANT, GPUOPT_LEVEL_FULL, source.dtype, source.dtype, nconstants_++));
  }

  uint16_t input(Node &leaf) {
    for (int i = 0; i < ninputs_; ++i) {
      if (inputs_[i] == &leaf || same_memory(*inputs_[i], leaf)) return input_steps_[i];
    }
    set_operand(ninputs_, leaf, *leaf.storage);
    inputs_[ninputs_] = &leaf;
    input_steps_[ninputs_] =
        add_step(make_step(GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, leaf.dtype, leaf.dtype, ninputs_));
    return input_steps_[ninputs_++];
  }

  // Fills an operand. Broadcasting aligns the last axes.
  void set_operand(int index, Node &value, const Storage &storage) {
    int64_t *strides = strides_[index];
    const int lead = std::max(space_.ndim - value.ndim, 0);
    std::fill_n(strides, lead, 0);
    for (int i = 0; i < value.ndim; ++i) strides[lead + i] = value.shape()[i] == 1 ? 0 : value.strides()[i];
    operands_[index] = {static_cast<char *>(storage.memory) + value.offset, strides, value.dtype, 0};
  }

  // Sets the strides of a reduction's result along the axes of its source: 0 along those that are reduced. With or
  // without them, the other axes of the result are in the same order.
  void set_result_strides() {
    int64_t *strides = strides_[ninputs_];
    for (int i = 0, axis = 0; i < space_.ndim; ++i) {
      strides[i] = 0;
      if ((node_.axes >> i & 1) || space_.shape()[i] == 1) continue;
      while (node_.shape()[axis] == 1) ++axis;
      strides[i] = node_.strides()[axis++];
    }
  }

  gpuopt_program header() {
    gpuopt_program program{};
    program.struct_size = sizeof program;
    program.key = program_key(steps_, nsteps_);
    program.reduced_axes = node_.axes;
    program.ndim = space_.ndim;
    program.nsteps = nsteps_;
    program.ninputs = ninputs_;
    program.noutputs = 1;
    program.nconstants = nconstants_;
    program.shape = space_.shape();
    program.steps = steps_;
    program.inputs = operands_;
    program.outputs = operands_ + ninputs_;
    program.constants = constants_;
    return program;
  }

  Node &node_;
  const bool reduces_;
  const int level_;  // GPUOPT_LEVEL_* of the value
  Node &space_;      // the node of the iteration space
  int nsteps_ = 0, ninputs_ = 0, nconstants_ = 0;
  gpuopt_step steps_[kMaxSources + 2];
  gpuopt_constant constants_[kMaxSources];
  Node *inputs_[kMaxSources];
  uint16_t input_steps_[kMaxSources];
  gpuopt_operand operands_[kMaxSources + 1];
  int64_t strides_[kMaxSources + 1][GPUOPT_MAX_NDIM];
};

}  // namespace

bool stands_alone(const Engine &engine, Node &node) {
  switch (node.kind) {
    case NodeKind::Elementwise:
    case NodeKind::Cast:
    case NodeKind::Reduce:
    case NodeKind::Constant:
      break;
    default:
      return false;
  }
  const Storage &target = *node.target;
  if (target.stream.get() != node.stream.get() || !target.readers.empty() || target.downloads) return false;
  // Another pending node might have yet to read the memory that this one overwrites.
  const bool only_one = engine.pending_first == &node && !node.next;
  if (target.memory && !only_one) return false;
  for (int i = 0; i < node.nsrc; ++i) {
    Node &source = *node.src[i];
    if (source.kind == NodeKind::Constant) continue;
    if (source.kind != NodeKind::Leaf || !may_read(source, node)) return false;
  }
  return true;
}

void run_alone(Engine &engine, Node &node) {
  Storage &target = *node.target;
  const bool had_memory = target.memory;
  SingleProgram program(node);
  try {
    program.run();
  } catch (Failure &failure) {
    if (!had_memory) release_memory(target);
    failure = name_operation(node, 1, std::move(failure));
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) become_failed(node, std::make_shared<const Failure>(failure));
    throw;
  }
  ++engine.programs;
  engine.steps += program.steps();
  if (node.refs > 1) become_leaf(node, Ref<Storage>::share(&target));
  const NodeRef done = take_pending(node);
  settle(engine, target);
}

}  // namespace gpuopt
