// plugins/cuda/program/lower.cpp -- see lower.h.
#include "plugins/cuda/program/lower.h"

#include <utility>

#include "plugins/cuda/driver/host.h"
#include "plugins/shared/program/op_table.h"
#include "plugins/shared/program/step_text.h"

namespace gpuopt::cuda {
namespace {

constexpr size_t kMaxReductions = 8;  // of one kernel, whose partial results must fit into 48 KiB

// Returns whether a step takes more than a few instructions. A division does: a GPU has no instruction for it, unlike
// the CPU, for which the table estimates costs.
bool is_long(const gpuopt_step &s) {
  if (s.kind != GPUOPT_STEP_ELEMENTWISE) return false;
  return plugin::is_long_op(s.index) || s.index == GPUOPT_OP_divide || plugin::is_complex(s.loop_dtype);
}

int count_long_steps(const gpuopt_step *steps, const Fragment &fragment) {
  int count = 0;
  for (const uint16_t v : fragment.code) count += is_long(steps[v]);
  return count;
}

}  // namespace

LoweredProgram lower(const gpuopt_program &program, bool overwrites) {
  plugin::PassList list;
  const plugin::ProgramError error = plugin::list_passes(program, {kMaxReductions, overwrites}, list);
  if (error.code != GPUOPT_OK) fail(error.code, "cannot run a program: %s", error.what);
  LoweredProgram lowered{list.reduces, list.scans, std::move(list.kept), {}};
  for (plugin::Pass &listed : list.passes) {
    Pass &pass = lowered.passes.emplace_back(Pass{std::move(listed)});
    pass.long_steps = count_long_steps(program.steps, pass.element) + count_long_steps(program.steps, pass.result);
  }
  return lowered;
}

}  // namespace gpuopt::cuda
