// core/engine/run_alone.cpp -- runs operations of one shape, which no other value stands between, without planning; see
// run.h.
//
// For a few elements the planner takes longer than all else together. What it would make of a value that is computed by
// elementwise operations of the value's own shape, perhaps with a reduction as the last of them, is known beforehand:
// one program, whose steps are these operations in the order of recording, each value once, and whose outputs are the
// values that have targets. It is written here in one walk through the nodes.
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

bool same_step(const gpuopt_step &a, const gpuopt_step &b) { return !std::memcmp(&a, &b, sizeof a); }

// The program of a node with a target, and of all that has to be computed for it.
class DirectProgram {
 public:
  DirectProgram(Engine &engine, Node &root)
      : engine_(engine),
        root_(root),
        reduces_(root.kind == NodeKind::Reduce),
        space_(reduces_ ? *root.src[0] : root),
        epoch_(++engine.sequence) {}

  // Returns false if planning is needed: the nodes or their memory are not as described above, they are too many, or
  // something else has to run before.
  bool write() {
    if (!collect()) return false;
    for (int i = 0; i < nnodes_; ++i) {
      if (!add_node(*nodes_[i])) return false;
    }
    if (ninputs_ + noutputs_ > GPUOPT_PROGRAM_MAX_OPERANDS) return false;
    for (int i = 0; i < noutputs_; ++i) {
      if (!may_write(*outputs_[i])) return false;
    }
    return true;
  }

  // Allocates memory for the targets that have none, submits the program, and turns the outputs into leaves. Returns
  // false if the backend refuses several operations in one program; nothing has changed then. Throws Failure.
  bool run() {
    for (int i = 0; i < noutputs_; ++i) add_output(i);
    uint32_t allocated = 0;
    try {
      for (int i = 0; i < noutputs_; ++i) {
        allocated |= static_cast<uint32_t>(!outputs_[i]->target->memory) << i;
        allocate(*outputs_[i]->target);
        set_operand(ninputs_ + i, *outputs_[i], *outputs_[i]->target);
        if (reduces_ && outputs_[i] == &root_) set_result_strides(ninputs_ + i);
      }
      run_program(root_.stream.get(), operations_ == 1 ? operation_name(*last_) : nullptr, header());
    } catch (Failure &failure) {
      release(allocated);
      if (failure.code == GPUOPT_ERR_UNSUPPORTED && operations_ > 1) return false;
      fail_with(name_operation(*last_, operations_, std::move(failure)));
    } catch (...) {
      release(allocated);
      throw;
    }
    finish();
    return true;
  }

 private:
  static constexpr int kMostNodes = 128;
  static constexpr int kMostOperands = GPUOPT_PROGRAM_MAX_OPERANDS + GPUOPT_PROGRAM_MAX_OUTPUTS;
  static constexpr size_t kTable = 2 * kMostNodes;

  // ---- What has to be computed

  // Whether the node may be a part of the program.
  bool fits(Node &node) const {
    if (node.stream.get() != root_.stream.get()) return false;
    const bool elementwise = node.kind == NodeKind::Elementwise || node.kind == NodeKind::Cast;
    if (&node == &root_) return elementwise || reduces_ || node.kind == NodeKind::Constant;
    return elementwise && node.ndim == space_.ndim &&
           std::equal(node.shape(), node.shape() + node.ndim, space_.shape());
  }

  // Finds the nodes that have to be computed, in the order of recording.
  bool collect() {
    nodes_[nnodes_++] = &root_;
    root_.plan.epoch = epoch_;
    for (int next = 0; next < nnodes_; ++next) {
      Node &node = *nodes_[next];
      if (!fits(node)) return false;
      for (int i = 0; i < node.nsrc; ++i) {
        Node &source = *node.src[i];
        if (!source.computed() || source.plan.epoch == epoch_) continue;
        if (nnodes_ == kMostNodes) return false;
        source.plan.epoch = epoch_;
        nodes_[nnodes_++] = &source;
      }
    }
    if (nnodes_ == 1) return true;
    std::fill_n(table_, kTable, uint16_t{0});
    const auto earlier = [](const Node *a, const Node *b) { return a->sequence < b->sequence; };
    std::reverse(nodes_, nodes_ + nnodes_);
    if (!std::is_sorted(nodes_, nodes_ + nnodes_, earlier)) std::sort(nodes_, nodes_ + nnodes_, earlier);
    return true;
  }

  // ---- Steps. What returns the number of a step returns -1 if the value cannot be a part of the program.

  int add_step(const gpuopt_step &step) {
    steps_[nsteps_] = step;
    return nsteps_++;
  }

  bool add_node(Node &node) {
    const int before = nsteps_, step = node.kind == NodeKind::Constant ? constant(node) : operation(node);
    if (step < 0) return false;
    node.plan.step = static_cast<uint16_t>(step);
    // The value of an equal node is not computed again, but if it has a target it is an operation all the same.
    if (step >= before || node.target) {
      ++operations_;
      last_ = &node;
    }
    if (!node.target) return true;
    if (noutputs_ == GPUOPT_PROGRAM_MAX_OUTPUTS) return false;
    outputs_[noutputs_++] = &node;
    return true;
  }

  int operation(Node &node) {
    gpuopt_step own = make_step(step_kind(node.kind), level_of(node), node.dtype, node.loop_dtype, node.index);
    own.nsrc = node.nsrc;
    for (int i = 0; i < node.nsrc; ++i) {
      const int source = source_step(*node.src[i]);
      if (source < 0) return -1;
      own.src[i] = static_cast<uint16_t>(source);
    }
    return nnodes_ == 1 ? add_step(own) : find_or_add(own);
  }

  int level_of(const Node &node) const {
    return reduces_ && &node == &root_ ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL;
  }

  // Equal steps have the same value: common subexpression elimination. `table_` has the steps of operations, plus 1, by
  // a hash of their contents, with open addressing; 0 where there is none.
  int find_or_add(const gpuopt_step &step) {
    size_t place = program_key(&step, 1) % kTable;
    for (; table_[place]; place = (place + 1) % kTable) {
      if (same_step(steps_[table_[place] - 1], step)) return table_[place] - 1;
    }
    const int added = add_step(step);
    table_[place] = static_cast<uint16_t>(added + 1);
    return added;
  }

  int source_step(Node &source) {
    switch (source.kind) {
      case NodeKind::Constant:
        return constant(source);
      case NodeKind::Leaf:
        return input(source);
      case NodeKind::Failed:
        return -1;
      default:
        return source.plan.step;
    }
  }

  int constant(const Node &source) {
    for (int i = 0; i < nconstants_; ++i) {
      const bool same = !std::memcmp(constants_[i].bytes, source.constant, sizeof source.constant);
      if (same && steps_[constant_steps_[i]].dtype == source.dtype) return constant_steps_[i];
    }
    if (nconstants_ == GPUOPT_PROGRAM_MAX_CONSTANTS) return -1;
    std::memcpy(constants_[nconstants_].bytes, source.constant, sizeof source.constant);
    const int step =
        add_step(make_step(GPUOPT_STEP_CONSTANT, GPUOPT_LEVEL_FULL, source.dtype, source.dtype, nconstants_));
    constant_steps_[nconstants_++] = static_cast<uint16_t>(step);
    return step;
  }

  int input(Node &leaf) {
    if (leaf.plan.epoch == epoch_) return leaf.plan.step;
    // The leaf must have been written on the stream, so that no streams have to be ordered. One that is broadcast may
    // not vary along a reduced axis, and would then be of level REDUCED.
    if (leaf.storage->stream.get() != root_.stream.get() || (reduces_ && leaf.nwide != space_.nwide)) return -1;
    const int step = input_step(leaf);
    if (step < 0) return -1;
    leaf.plan.epoch = epoch_;
    leaf.plan.step = static_cast<uint16_t>(step);
    return step;
  }

  int input_step(Node &leaf) {
    for (int i = 0; i < ninputs_; ++i) {
      if (same_memory(*inputs_[i], leaf)) return inputs_[i]->plan.step;
    }
    if (ninputs_ == GPUOPT_PROGRAM_MAX_OPERANDS) return -1;
    set_operand(ninputs_, leaf, *leaf.storage);
    inputs_[ninputs_] = &leaf;
    return add_step(make_step(GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, leaf.dtype, leaf.dtype, ninputs_++));
  }

  void add_output(int index) {
    const Node &node = *outputs_[index];
    gpuopt_step output = make_step(GPUOPT_STEP_OUTPUT, level_of(node), node.dtype, node.dtype, index);
    output.nsrc = 1;
    output.src[0] = node.plan.step;
    add_step(output);
  }

  // ---- Operands

  // Whether the program may write the node to its target while it reads its inputs, and no other program has yet to
  // read what is overwritten.
  bool may_write(Node &node) const {
    const Storage &target = *node.target;
    if (target.stream.get() != root_.stream.get() || !target.readers.empty() || target.downloads) return false;
    if (!target.memory) return true;
    if (reduces_ || !nothing_else_is_pending()) return false;
    bool is_input = false;
    for (int i = 0; i < ninputs_; ++i) {
      const Storage &from = *inputs_[i]->storage;
      if (&from != &target) {
        if (from.is_volatile() && target.is_volatile()) return false;
        continue;
      }
      if (is_input || !same_place(*inputs_[i], node)) return false;
      is_input = true;
    }
    return true;
  }

  bool nothing_else_is_pending() const {
    for (const Node *node = engine_.pending_first; node; node = node->next) {
      if (node->plan.epoch != epoch_) return false;
    }
    return true;
  }

  // Fills an operand of the shape of the space, or one that is broadcast to it. Broadcasting aligns the last axes.
  void set_operand(int index, Node &value, const Storage &storage) {
    int64_t *strides = strides_[index];
    const int lead = std::max(space_.ndim - value.ndim, 0);
    std::fill_n(strides, lead, 0);
    for (int i = 0; i < value.ndim; ++i) strides[lead + i] = value.shape()[i] == 1 ? 0 : value.strides()[i];
    operands_[index] = {static_cast<char *>(storage.memory) + value.offset, strides, value.dtype, 0};
  }

  // Sets the strides of the reduction's result along the axes of the space: 0 along those that are reduced. The other
  // axes of the result are in the same order, whether it has the reduced ones or not.
  void set_result_strides(int index) {
    int64_t *strides = strides_[index];
    for (int i = 0, axis = 0; i < space_.ndim; ++i) {
      strides[i] = 0;
      if ((root_.axes >> i & 1) || space_.shape()[i] == 1) continue;
      while (root_.shape()[axis] == 1) ++axis;
      strides[i] = root_.strides()[axis++];
    }
  }

  gpuopt_program header() {
    gpuopt_program program{};
    program.struct_size = sizeof program;
    program.key = program_key(steps_, nsteps_);
    program.reduced_axes = reduces_ ? root_.axes : 0;
    program.ndim = space_.ndim;
    program.nsteps = nsteps_;
    program.ninputs = ninputs_;
    program.noutputs = noutputs_;
    program.nconstants = nconstants_;
    program.shape = space_.shape();
    program.steps = steps_;
    program.inputs = operands_;
    program.outputs = operands_ + ninputs_;
    program.constants = constants_;
    return program;
  }

  // ---- The end

  // Frees the memory of the targets whose bits are set.
  void release(uint32_t allocated) noexcept {
    for (int i = 0; i < noutputs_; ++i) {
      if (allocated >> i & 1) release_memory(*outputs_[i]->target);
    }
  }

  // Throws the failure, with which all outputs fail, unless memory has run out: they can then be tried again.
  [[noreturn]] void fail_with(Failure failure) {
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) {
      const auto shared = std::make_shared<const Failure>(failure);
      for (int i = 0; i < noutputs_; ++i) become_failed(*outputs_[i], shared);
    }
    throw failure;
  }

  void finish() {
    ++engine_.programs;
    engine_.steps += static_cast<uint64_t>(nsteps_);
    for (int i = 0; i < noutputs_; ++i) {
      Node &node = *outputs_[i];
      Storage &target = *node.target;
      if (node.refs > 1) become_leaf(node, Ref<Storage>::share(&target));
      const NodeRef done = take_pending(node);
      settle(engine_, target);
    }
  }

  Engine &engine_;
  Node &root_;
  const bool reduces_;
  Node &space_;  // the node of the iteration space
  const uint64_t epoch_;
  int nnodes_ = 0, nsteps_ = 0, ninputs_ = 0, noutputs_ = 0, nconstants_ = 0;
  int operations_ = 0;    // how many operations the program has, for messages
  Node *last_ = nullptr;  // the last of them
  Node *nodes_[kMostNodes];
  uint16_t table_[kTable];
  gpuopt_step steps_[GPUOPT_PROGRAM_MAX_STEPS];
  gpuopt_constant constants_[GPUOPT_PROGRAM_MAX_CONSTANTS];
  uint16_t constant_steps_[GPUOPT_PROGRAM_MAX_CONSTANTS];
  Node *inputs_[GPUOPT_PROGRAM_MAX_OPERANDS];
  Node *outputs_[GPUOPT_PROGRAM_MAX_OUTPUTS];
  gpuopt_operand operands_[kMostOperands];
  int64_t strides_[kMostOperands][GPUOPT_MAX_NDIM];
};

}  // namespace

bool run_alone(Engine &engine, Node &node) {
  if (node.kind == NodeKind::Alias || node.kind == NodeKind::Scan || node.kind == NodeKind::Failed) return false;
  DirectProgram program(engine, node);
  return program.write() && program.run();
}

}  // namespace gpuopt
