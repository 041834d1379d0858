// core/engine/program.h -- a group of nodes written down as a program of the plugin ABI, and run.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <vector>

#include "core/engine/node.h"

namespace gpuopt {

struct Planner;

// gpuopt_program::key of these steps.
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
int step_kind(NodeKind kind);

// The form of one group. Reused from program to program, so that nothing is allocated on the way.
class ProgramBuilder {
 public:
  // Writes the steps. False: the group exceeds a bound of the plugin ABI.
  bool write(Group &group);
  // Allocates the outputs, decides where they go, and runs. Afterwards the output nodes are leaves; those whose target
  // may only be written when all groups ran still have it. Throws with everything as it was.
  void run(Planner &planner, Group &group);

 private:
  struct Input {
    Node *node;
    uint64_t mask;
    uint8_t level;
    uint16_t step;
  };
  struct Output {
    Node *node;
    uint16_t step;
    bool in_target;          // written straight to its target
    bool allocated = false;  // memory was allocated for it now
    Ref<Storage> storage;    // where it is written
    Storage *target;
    NodeRef later;  // written elsewhere: the copy to its target that is to run when nothing reads that any more
  };

  uint16_t add_step(const gpuopt_step &step);
  bool add_node(Group &group, Node &node);
  int source_step(Group &group, Node &consumer, Node &source);
  int input_step(Group &group, Node &node, uint64_t mask, bool full);
  int constant_step(const Node &node);
  void add_output(Group &group, Node &node);
  void note_passes();
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
  uint8_t stage_[GPUOPT_PROGRAM_MAX_STEPS], last_pass_[GPUOPT_PROGRAM_MAX_STEPS];
  bool read_full_[GPUOPT_PROGRAM_MAX_STEPS];
};

}  // namespace gpuopt
