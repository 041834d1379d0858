// core/engine/program.cpp -- writes the program of a group, decides where its outputs go, and runs it; see program.h.
#include "core/engine/program.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/known_plans.h"
#include "core/engine/plan.h"
#include "core/engine/run.h"
#include "core/engine/submit.h"

namespace gpuopt {
namespace {

// The range of addresses in which the elements of a view lie.
struct ByteRange {
  const char *begin, *end;
};

ByteRange range_of(Node &node, const Storage &storage) {
  const char *begin = static_cast<const char *>(storage.memory) + node.offset, *end = begin + dtype_size(node.dtype);
  for (int i = 0; i < node.ndim; ++i) {
    const int64_t reach = node.strides()[i] * (node.shape()[i] - 1);
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

// Whether the elements of two views may overlap. Memory can belong to two storages only if both are external or
// exported.
bool overlap(Node &a, const Storage &in_a, Node &b, const Storage &in_b) {
  if (&in_a == &in_b) return may_overlap(view_of(a), view_of(b));
  if (!(in_a.is_volatile() && in_b.is_volatile())) return false;
  const ByteRange ra = range_of(a, in_a), rb = range_of(b, in_b);
  return ra.begin < rb.end && rb.begin < ra.end;
}

// Returns the GPUOPT_LEVEL_* of the node's value.
int level_of(const Group &group, const Node &node) {
  if (node.kind == NodeKind::Reduce) return GPUOPT_LEVEL_REDUCED;
  return group.is_reduced(node.plan.mask) ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL;
}

}  // namespace

int step_kind(NodeKind kind) {
  switch (kind) {
    case NodeKind::Elementwise:
      return GPUOPT_STEP_ELEMENTWISE;
    case NodeKind::Cast:
      return GPUOPT_STEP_CAST;
    case NodeKind::Reduce:
      return GPUOPT_STEP_REDUCE;
    default:
      return GPUOPT_STEP_SCAN;
  }
}

uint64_t program_key(const gpuopt_step *steps, int count) {
  constexpr uint64_t odd[2] = {0xff51afd7ed558ccdu, 0x9e3779b97f4a7c15u};
  uint64_t hash[2] = {static_cast<uint64_t>(count), 0};
  for (int i = 0; i < count; ++i) {
    uint64_t words[2];
    static_assert(sizeof words == sizeof(gpuopt_step));
    std::memcpy(words, &steps[i], sizeof words);
    for (int k = 0; k < 2; ++k) hash[k] = std::rotl(hash[k] ^ words[k], 29) * odd[k];
  }
  const uint64_t both = (hash[0] ^ std::rotl(hash[1], 32)) * odd[0];
  return both ^ both >> 32;
}

uint16_t ProgramBuilder::add_step(const gpuopt_step &step) {
  if (nsteps_ == GPUOPT_PROGRAM_MAX_STEPS) {
    fits_ = false;
    return 0;
  }
  steps_[nsteps_] = step;
  return static_cast<uint16_t>(nsteps_++);
}

int ProgramBuilder::constant_step(const Node &node) {
  for (int i = 0; i < nconstants_; ++i) {
    const bool same = !std::memcmp(constants_[i].bytes, node.constant, sizeof node.constant);
    if (same && steps_[constant_steps_[i]].dtype == node.dtype) return constant_steps_[i];
  }
  if (nconstants_ == GPUOPT_PROGRAM_MAX_CONSTANTS) {
    fits_ = false;
    return 0;
  }
  std::memcpy(constants_[nconstants_].bytes, node.constant, sizeof node.constant);
  const auto step = make_step(GPUOPT_STEP_CONSTANT, GPUOPT_LEVEL_FULL, node.dtype, node.dtype, nconstants_);
  constant_steps_[nconstants_] = add_step(step);
  return constant_steps_[nconstants_++];
}

int ProgramBuilder::input_step(Group &group, Node &node, uint64_t mask, bool full) {
  const auto level = static_cast<uint8_t>(!full && group.is_reduced(mask) ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL);
  for (const Input &input : inputs_) {
    if (input.node == &node && input.mask == mask && input.level == level) return input.step;
  }
  const auto step = make_step(GPUOPT_STEP_INPUT, level, node.dtype, node.dtype, static_cast<int>(inputs_.size()));
  inputs_.push_back({&node, mask, level, add_step(step)});
  return inputs_.back().step;
}

int ProgramBuilder::source_step(Group &group, Node &consumer, Node &source) {
  if (source.kind == NodeKind::Constant) return constant_step(source);
  if (source.kind != NodeKind::Leaf && current(source.plan.group) == &group) return source.plan.step;
  const bool full = consumer.kind == NodeKind::Reduce || consumer.kind == NodeKind::Scan;
  return input_step(group, source, source_mask(consumer, source, consumer.plan.mask, group.wide), full);
}

bool ProgramBuilder::add_node(Group &group, Node &node) {
  uint16_t src[4] = {};
  for (int i = 0; i < node.nsrc; ++i) {
    src[i] = static_cast<uint16_t>(source_step(group, node, *node.src[i]));
  }
  if (node.kind == NodeKind::Alias) {
    node.plan.step = src[0];
  } else if (node.kind == NodeKind::Constant) {
    node.plan.step = static_cast<uint16_t>(constant_step(node));
  } else {
    gpuopt_step step = make_step(step_kind(node.kind), level_of(group, node), node.dtype, node.loop_dtype, node.index);
    step.nsrc = node.nsrc;
    std::memcpy(step.src, src, sizeof src);
    node.plan.step = add_step(step);
  }
  return fits_;
}

void ProgramBuilder::add_output(Group &group, Node &node) {
  const auto index = static_cast<int>(outputs_.size());
  gpuopt_step step = make_step(GPUOPT_STEP_OUTPUT, level_of(group, node), node.dtype, node.dtype, index);
  step.nsrc = 1;
  step.src[0] = node.plan.step;
  const uint16_t at = add_step(step);
  Storage *target = node.plan.targeted ? node.target : nullptr;
  outputs_.push_back({&node, at, node.plan.targeted, false, {}, target, {}});
}

bool ProgramBuilder::write(Group &group) {
  nsteps_ = nconstants_ = 0;
  fits_ = true;
  inputs_.clear();
  outputs_.clear();
  for (Node *node = group.first; node; node = node->plan.next) {
    if (!add_node(group, *node)) return false;
  }
  for (Node *node = group.first; node; node = node->plan.next) {
    if (node->plan.output) add_output(group, *node);
  }
  return fits_ && inputs_.size() + outputs_.size() <= GPUOPT_PROGRAM_MAX_OPERANDS &&
         outputs_.size() <= GPUOPT_PROGRAM_MAX_OUTPUTS;
}

void ProgramBuilder::describe(const Group &group, const ExpressionKey &key, KnownPlan &plan) const {
  KnownProgram &program = plan.program;
  program.key = program_key(steps_, nsteps_);
  program.reduced = group.reduced;
  program.nodes = group.nodes;
  program.last = group.last->plan.number;
  program.shape.assign(group.shape, group.shape + group.ndim);
  program.steps.assign(steps_, steps_ + nsteps_);
  for (const Input &input : inputs_) program.inputs.push_back({input.node->plan.number, input.mask});
  for (const Output &output : outputs_) {
    program.outputs.push_back({output.node->plan.number, output.node->plan.mask});
  }
  for (int i = 0; i < nconstants_; ++i) {
    const int dtype = steps_[constant_steps_[i]].dtype;
    program.constants.push_back(static_cast<int16_t>(key.find_constant(constants_[i].bytes, dtype)));
  }
}

// Whether the program may read this input from, and write this output to, the same memory. That takes the same view,
// and no pass after the output's that reads the input.
bool ProgramBuilder::may_write_in_place(const Output &output, size_t output_index, size_t input_index) const {
  const gpuopt_operand &in = operands_[input_index], &out = operands_[inputs_.size() + output_index];
  const Input &input = inputs_[input_index];
  const gpuopt_step &last = steps_[output.step];
  const bool same = in.data == out.data && in.dtype == out.dtype && input.level == last.level &&
                    std::equal(in.strides, in.strides + ndim_, out.strides);
  if (!same || lifetimes_.last_pass[input.step] > lifetimes_.stage[output.step]) return false;
  // A REDUCED input that FULL steps need is read many times, also after the output has been stored.
  return input.level == GPUOPT_LEVEL_FULL || !lifetimes_.read_full[input.step];
}

// Whether the output can be written to its target directly, since this overwrites no memory that the program or a later
// group of the plan still reads.
bool ProgramBuilder::may_write_target(Planner &planner, Group &group, const Output &output, size_t index) {
  Node &node = *output.node;
  const Storage &target = *node.target;
  bool is_input = false;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Node &in = *inputs_[i].node;
    if (!overlap(node, target, in, *in.storage)) continue;
    if (is_input || group.scan || !may_write_in_place(output, index, i)) return false;
    is_input = true;
  }
  const auto is_overwritten = [&](Node &later) {
    return later.kind == NodeKind::Leaf && overlap(node, target, later, *later.storage);
  };
  for (size_t i = group.position + 1; i < planner.order.size(); ++i) {
    if (planner.order[i] && find_input(*planner.order[i], is_overwritten)) return false;
  }
  return true;
}

// Fills an operand for the node's value, which lies in `storage` at `offset` and the node's axes at `node_strides`.
// Axes of the group along which the value does not vary get the stride 0.
void ProgramBuilder::set_operand(Group &group, gpuopt_operand &operand, int64_t *strides, Node &node, uint64_t mask,
                                 const int64_t *node_strides, const Storage &storage, int64_t offset) {
  int axis = 0;
  for (int i = 0; i < group.ndim; ++i) {
    strides[i] = 0;
    if (!(mask >> i & 1)) continue;
    while (node.shape()[axis] == 1) ++axis;
    strides[i] = node_strides[axis++];
  }
  operand = {static_cast<char *>(storage.memory) + offset, strides, node.dtype, 0};
}

// Sets output.storage to the target or, unless output.in_target, to a new temporary storage, and allocates its memory
// if it has none.
void ProgramBuilder::place_output(Output &output) {
  Node &node = *output.node;
  const bool fresh = output.in_target && !node.target->memory;
  output.storage = output.in_target
                       ? Ref<Storage>::share(node.target)
                       : make_storage(node.stream.get(), static_cast<uint64_t>(node.size) * dtype_size(node.dtype));
  output.allocated = fresh || !output.in_target;
  allocate(*output.storage);
}

// Lets the program write an output to a temporary storage, and creates the copy to the target, output.later.
void ProgramBuilder::move_to_temporary(Output &output) {
  Node &node = *output.node;
  output.in_target = false;
  output.later = new_node(*node.engine, node.stream.get(), NodeKind::Alias, node.dtype, node.ndim, node.shape());
  std::copy_n(node.strides(), node.ndim, output.later->strides());
  output.later->offset = node.offset;
  place_output(output);
}

void ProgramBuilder::fill_output(Group &group, size_t index) {
  const Output &output = outputs_[index];
  Node &node = *output.node;
  int64_t own[GPUOPT_MAX_NDIM];
  contiguous_strides(node.ndim, node.shape(), dtype_size(node.dtype), own);
  const size_t at = inputs_.size() + index;
  set_operand(group, operands_[at], strides_.data() + at * ndim_, node, node.plan.mask,
              output.in_target ? node.strides() : own, *output.storage, output.in_target ? node.offset : 0);
}

void ProgramBuilder::fill_operands(Planner &planner, Group &group) {
  ndim_ = group.ndim;
  operands_.resize(inputs_.size() + outputs_.size());
  strides_.resize(operands_.size() * ndim_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Node &node = *inputs_[i].node;
    set_operand(group, operands_[i], strides_.data() + i * ndim_, node, inputs_[i].mask, node.strides(), *node.storage,
                node.offset);
  }
  bool noted = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output &output = outputs_[i];
    place_output(output);
    fill_output(group, i);
    if (!output.in_target || output.allocated) continue;
    if (!noted) plugin::find_lifetimes(steps_, nsteps_, lifetimes_);
    noted = true;
    if (may_write_target(planner, group, output, i)) continue;
    move_to_temporary(output);
    fill_output(group, i);
  }
}

void ProgramBuilder::order_streams(Group &group) {
  for (const Input &input : inputs_) order_read(*input.node->storage, *group.stream);
  for (const Output &output : outputs_) order_write(*output.storage, *group.stream);
}

void ProgramBuilder::submit(Group &group) {
  gpuopt_program program{};
  program.struct_size = sizeof program;
  program.key = program_key(steps_, nsteps_);
  program.reduced_axes = group.reduced;
  program.ndim = group.ndim;
  program.nsteps = nsteps_;
  program.ninputs = static_cast<int32_t>(inputs_.size());
  program.noutputs = static_cast<int32_t>(outputs_.size());
  program.nconstants = nconstants_;
  program.shape = group.shape;
  program.steps = steps_;
  program.inputs = operands_.data();
  program.outputs = operands_.data() + inputs_.size();
  program.constants = constants_;
  run_program(group.stream, group.nodes == 1 ? operation_name(*group.last) : nullptr, program);
}

// After the program has been submitted: turns the output nodes into leaves, and makes the copies to targets pending.
void ProgramBuilder::finish(Planner &planner) {
  for (Output &output : outputs_) {
    Node &node = *output.node;
    NodeRef kept = output.in_target || output.later.get() ? take_pending(node) : NodeRef();
    if (!output.in_target) {
      contiguous_strides(node.ndim, node.shape(), dtype_size(node.dtype), node.strides());
      node.offset = 0;
    }
    if (output.later.get()) {
      Storage &target = *output.target;
      planner.deferred.push_back(NodeRef::share(output.later.get()));
      add_source(*output.later.get(), std::move(kept));
      set_pending(target, std::move(output.later));
    }
    become_leaf(node, output.storage);
    if (output.in_target) settle(planner.engine, *output.storage);
  }
}

// After a failure: frees the memory that targets were given. Temporary storages free their own.
void ProgramBuilder::undo() noexcept {
  for (Output &output : outputs_) {
    if (output.allocated && output.in_target) release_memory(*output.storage);
  }
  outputs_.clear();
}

void ProgramBuilder::run(Planner &planner, Group &group) {
  try {
    planner.deferred.reserve(planner.deferred.size() + outputs_.size());
    fill_operands(planner, group);
    order_streams(group);
    submit(group);
  } catch (...) {
    undo();
    throw;
  }
  Engine &engine = planner.engine;
  ++engine.programs;
  engine.steps += nsteps_;
  finish(planner);
  outputs_.clear();
}

}  // namespace gpuopt
