// plugins/cpu/program/reduce_source.cpp -- see reduce_source.h.
#include "plugins/cpu/program/reduce_source.h"

#include <algorithm>

namespace gpuopt::cpu {
namespace {

bool is_operation(const gpuopt_step &step, int operation, int loop_dtype) {
  return step.kind == GPUOPT_STEP_ELEMENTWISE && step.index == operation && step.loop_dtype == loop_dtype;
}

// Returns whether a value is the constant +0, of any dtype.
bool is_zero(const Run &run, int value) {
  const gpuopt_step &step = run.plan->steps[static_cast<size_t>(value)];
  if (step.kind != GPUOPT_STEP_CONSTANT) return false;
  const gpuopt_constant &constant = run.program->constants[step.index];
  return constant.words[0] == 0 && constant.words[1] == 0;
}

// Return the source if the pass is what their names say, and otherwise one without a loop.
ReduceSource product_of(const Run &run, const Pass &pass, const Reduction &r, int loop_dtype) {
  if (pass.code.size() != 1) return {};
  const Instruction &c = pass.code[0];
  if (!is_operation(run.plan->steps[c.dst], GPUOPT_OP_multiply, loop_dtype)) return {};
  return {r.loops->source.products, c.src[0], c.src[1], r.src_size};
}

ReduceSource half_converted(const Run &run, const Pass &pass, const Reduction &r, int loop_dtype) {
  if (pass.code.size() != 1) return {};
  const gpuopt_step &cast = run.plan->steps[pass.code[0].dst];
  if (cast.kind != GPUOPT_STEP_CAST || cast.dtype != loop_dtype) return {};
  const SourceLoops &loops = r.loops->source;
  const SourceLoop loop = cast.loop_dtype == GPUOPT_FLOAT16    ? loops.from_float16
                          : cast.loop_dtype == GPUOPT_BFLOAT16 ? loops.from_bfloat16
                                                               : nullptr;
  return {loop, pass.code[0].src[0], pass.code[0].src[0], 2};
}

ReduceSource without_nan(const Run &run, const Pass &pass, const Reduction &r, int loop_dtype) {
  if (pass.code.size() != 2) return {};
  const Instruction &test = pass.code[0], &chosen = pass.code[1];
  const std::vector<gpuopt_step> &steps = run.plan->steps;
  if (!is_operation(steps[test.dst], GPUOPT_OP_isnan, loop_dtype)) return {};
  if (!is_operation(steps[chosen.dst], GPUOPT_OP_where, loop_dtype)) return {};
  const bool replaced = chosen.src[0] == test.dst && chosen.src[2] == test.src[0] && is_zero(run, chosen.src[1]);
  return replaced ? ReduceSource{r.loops->source.without_nan, test.src[0], test.src[0], r.src_size} : ReduceSource{};
}

}  // namespace

ReduceSource find_reduce_source(const Run &run, const Pass &pass) noexcept {
  if (pass.code.empty() || !pass.stores.empty() || pass.reductions.size() != 1) return {};
  const Reduction &r = pass.reductions[0];
  if (r.src != pass.code.back().dst) return {};
  const int loop_dtype = run.plan->steps[r.step].loop_dtype;
  for (const auto find : {product_of, half_converted, without_nan}) {
    const ReduceSource source = find(run, pass, r, loop_dtype);
    if (!source.loop) continue;
    const bool in_place = std::all_of(pass.leaves.begin(), pass.leaves.end(), [&](const Leaf &leaf) {
      if (leaf.step != source.x && leaf.step != source.y) return leaf.kind == PlaceKind::kConstant;
      return leaf.kind == PlaceKind::kInput && leaf.size == source.size &&
             has_contiguous_rows(run.space.input(leaf.index));
    });
    return in_place ? source : ReduceSource{};
  }
  return {};
}

}  // namespace gpuopt::cpu
