// core/engine/program.h -- writes the program (gpuopt_plugin.h) of a group of nodes, and runs it.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <vector>

#include "core/engine/node.h"
#include "plugins/shared/program/stages.h"

namespace gpuopt {

struct Planner;
class ExpressionKey;  // known_plans.h
struct KnownPlan;

// Returns a hash of the steps for gpuopt_program::key.
uint64_t program_key(const gpuopt_step *steps, int count);
inline gpuopt_step make_step(int kind, int level, int dtype, int loop_dtype, int index) {
  gpuopt_step step{};
  step.kind = static_cast<uint8_t>(kind);
  step.level = static_cast<uint8_t>(level);
  step.dtype = static_cast<uint8_t>(dtype);
  step.loop_dtype = static_cast<uint8_t>(loop_dtype);
  step.index = static_cast<uint16_t>(index);
  return step;
}
// Returns the GPUOPT_STEP_* that computes a node of this kind: Elementwise, Cast, Reduce or Scan.
int step_kind(NodeKind kind);

// Builds and runs the program of one group after the other. The object is reused so that its vectors keep their memory.
class ProgramBuilder {
 public:
  // Writes the steps of a group. Returns false if the group exceeds a limit of the plugin ABI (GPUOPT_PROGRAM_MAX_*).
  bool write(Group &group);
  // Allocates the outputs of the program that write() has written for the group, and submits it. Afterwards the output
  // nodes are leaves. A target whose old contents are still needed is not written: the output goes to temporary memory,
  // and a copy to the target is pending and added to planner.deferred. Throws Failure; the nodes are then as before.
  void run(Planner &planner, Group &group);
  // Copies the program that write() has written for the group, the only one of the expression of `key`, into a plan for
  // it. Throws std::bad_alloc.
  void describe(const Group &group, const ExpressionKey &key, KnownPlan &plan) const;

 private:
  struct Input {
    Node *node;
    uint64_t mask;  // the axes of the group's shape along which it varies
    uint8_t level;  // GPUOPT_LEVEL_*
    uint16_t step;
  };
  struct Output {
    Node *node;
    uint16_t step;
    bool in_target;          // the program writes it to its target
    bool allocated = false;  // `storage` got its memory for this program
    Ref<Storage> storage;    // where the program writes it
    Storage *target;         // NULL if the node has none
    NodeRef later;           // if it has a target but is written elsewhere: the copy to the target
  };

  // add_step() and the functions named *_step return the number of a step. If there is no room they clear fits_ and
  // return 0.
  uint16_t add_step(const gpuopt_step &step);
  bool add_node(Group &group, Node &node);  // returns fits_
  int source_step(Group &group, Node &consumer, Node &source);
  int input_step(Group &group, Node &node, uint64_t mask, bool full);
  int constant_step(const Node &node);
  void add_output(Group &group, Node &node);
  void place_output(Output &output);
  void move_to_temporary(Output &output);
  void set_operand(Group &group, gpuopt_operand &operand, int64_t *strides, Node &node, uint64_t mask,
                   const int64_t *node_strides, const Storage &storage, int64_t offset);
  void fill_output(Group &group, size_t index);
  void fill_operands(Planner &planner, Group &group);
  bool may_write_target(Planner &planner, Group &group, const Output &output, size_t index);
  bool may_write_in_place(const Output &output, size_t output_index, size_t input_index) const;
  void order_streams(Group &group);
  void submit(Group &group);
  void finish(Planner &planner);
  void undo() noexcept;

  int nsteps_ = 0, nconstants_ = 0, ndim_ = 0;
  bool fits_ = true;
  gpuopt_step steps_[GPUOPT_PROGRAM_MAX_STEPS];
  gpuopt_constant constants_[GPUOPT_PROGRAM_MAX_CONSTANTS];
  uint16_t constant_steps_[GPUOPT_PROGRAM_MAX_CONSTANTS];
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<gpuopt_operand> operands_;
  std::vector<int64_t> strides_;
  plugin::Lifetimes lifetimes_;  // of the steps, once fill_operands() needs them
};

}  // namespace gpuopt
