// plugins/shared/program/program_check.cpp -- every rule of gpuopt_plugin.h that a program can break.
#include "plugins/shared/program/program_check.h"

#include "plugins/shared/host/tensor.h"

namespace gpuopt::plugin {
namespace {

class StepChecker {
 public:
  StepChecker(const gpuopt_program &program, const LoopResults &loops, OperandUse &use)
      : program_(program), loops_(loops), use_(use) {}

  ProgramError run() {
    for (number_ = 0; number_ < program_.nsteps && error_.code == GPUOPT_OK; number_++) check_step();
    return error_;
  }

 private:
  const gpuopt_step &step() const { return program_.steps[number_]; }
  const gpuopt_step &source(int i) const { return program_.steps[step().src[i]]; }

  // Records the first violation.
  void require(bool holds, const char *what, gpuopt_status code = GPUOPT_ERR_INTERNAL) {
    if (!holds && error_.code == GPUOPT_OK) error_ = {code, what, number_};
  }
  // `dtype` is that of the loop's result, 0 if there is no loop.
  void require_result(int dtype) {
    require(dtype != 0, "no loop for this operation and dtype", GPUOPT_ERR_UNSUPPORTED);
    require(step().dtype == dtype, "wrong dtype of the result");
  }

  void check_step() {
    const gpuopt_step &s = step();
    require(s.dtype > 0 && s.dtype < GPUOPT_DTYPE_COUNT && s.loop_dtype > 0 && s.loop_dtype < GPUOPT_DTYPE_COUNT,
            "unknown dtype", GPUOPT_ERR_UNSUPPORTED);
    require(s.level == GPUOPT_LEVEL_FULL || s.level == GPUOPT_LEVEL_REDUCED, "unknown level");
    require(s.nsrc <= 4, "too many sources");
    for (int i = 0; i < s.nsrc && error_.code == GPUOPT_OK; i++) {
      require(s.src[i] < number_, "a source is not an earlier step");
      if (error_.code == GPUOPT_OK) require(source(i).kind != GPUOPT_STEP_OUTPUT, "a source is an OUTPUT");
    }
    require(!seen_output_ || s.kind == GPUOPT_STEP_OUTPUT, "an OUTPUT is not among the last steps");
    if (error_.code == GPUOPT_OK) check_kind();
  }

  void check_kind() {
    switch (step().kind) {
      case GPUOPT_STEP_INPUT:
        check_leaf(program_.ninputs);
        return check_input();
      case GPUOPT_STEP_CONSTANT:
        return check_leaf(program_.nconstants);
      case GPUOPT_STEP_ELEMENTWISE:
        return check_elementwise();
      case GPUOPT_STEP_CAST:
        return check_cast();
      case GPUOPT_STEP_REDUCE:
        return check_reduce();
      case GPUOPT_STEP_SCAN:
        return check_scan();
      case GPUOPT_STEP_OUTPUT:
        return check_output();
      default:
        return require(false, "unknown kind of step", GPUOPT_ERR_UNSUPPORTED);
    }
  }

  void check_leaf(int count) {
    require(step().nsrc == 0, "an INPUT or CONSTANT has sources");
    require(step().index < count, "index out of range");
  }

  // Notes the dtype of an input, which must be the same in all steps that read it.
  void check_input() {
    if (error_.code != GPUOPT_OK) return;
    uint8_t &dtype = use_.input_dtype[step().index];
    require(dtype == 0 || dtype == step().dtype, "an input has two dtypes");
    dtype = step().dtype;
    use_.input_full[step().index] |= step().level == GPUOPT_LEVEL_FULL;
  }

  void check_elementwise() {
    const gpuopt_step &s = step();
    require(s.index < GPUOPT_OP_COUNT, "unknown operation", GPUOPT_ERR_UNSUPPORTED);
    if (error_.code != GPUOPT_OK) return;
    require(s.nsrc == op_arity(s.index), "wrong number of sources");
    const bool selects = s.index == GPUOPT_OP_where;
    for (int i = 0; i < s.nsrc; i++) {
      const int expected = selects && i == 0 ? static_cast<int>(GPUOPT_BOOL) : s.loop_dtype;
      require(source(i).dtype == expected, "a source has another dtype");
    }
    require_result(loops_.elementwise[s.index][s.loop_dtype]);
    check_level();
  }

  void check_cast() {
    require(step().nsrc == 1 && source(0).dtype == step().loop_dtype, "a cast has one source of its loop dtype");
    check_level();
  }

  // Return whether the value of source i varies along the reduced axes, and whether it does not. Neither is true of a
  // constant.
  bool is_full(int i) const { return source(i).kind != GPUOPT_STEP_CONSTANT && source(i).level == GPUOPT_LEVEL_FULL; }
  bool is_reduced(int i) const {
    return source(i).kind != GPUOPT_STEP_CONSTANT && source(i).level == GPUOPT_LEVEL_REDUCED;
  }

  void check_level() {
    for (int i = 0; i < step().nsrc && error_.code == GPUOPT_OK; i++) {
      require(step().level == GPUOPT_LEVEL_FULL || !is_full(i), "a REDUCED step has a FULL source");
    }
  }

  void check_reduce() {
    const gpuopt_step &s = step();
    require(s.index < GPUOPT_REDUCTION_COUNT, "unknown reduction", GPUOPT_ERR_UNSUPPORTED);
    require(s.nsrc == 1 && s.level == GPUOPT_LEVEL_REDUCED, "a REDUCE has one source and is REDUCED");
    if (error_.code != GPUOPT_OK) return;
    require(source(0).dtype == s.loop_dtype && !is_reduced(0), "a REDUCE has a FULL source of its loop dtype");
    require(!seen_scan_, "a SCAN beside a REDUCE");
    require_result(loops_.reduction[s.index][s.loop_dtype]);
    seen_reduce_ = true;
  }

  void check_scan() {
    const gpuopt_step &s = step();
    require(s.index < GPUOPT_SCAN_COUNT, "unknown scan", GPUOPT_ERR_UNSUPPORTED);
    require(s.nsrc == 1 && s.level == GPUOPT_LEVEL_FULL, "a SCAN has one source and is FULL");
    if (error_.code != GPUOPT_OK) return;
    require(source(0).dtype == s.loop_dtype && !is_reduced(0), "a SCAN has a FULL source of its loop dtype");
    require(!seen_scan_ && !seen_reduce_, "a SCAN beside another SCAN or a REDUCE");
    require_result(loops_.scan[s.index][s.loop_dtype]);
    seen_scan_ = true;
  }

  void check_output() {
    const gpuopt_step &s = step();
    require(s.index < program_.noutputs, "index out of range");
    require(s.nsrc == 1 && source(0).dtype == s.dtype, "an OUTPUT has one source of its dtype");
    if (error_.code != GPUOPT_OK) return;
    check_level();
    require(use_.output_dtype[s.index] == 0, "two OUTPUT steps store to the same output");
    use_.output_dtype[s.index] = s.dtype;
    use_.output_full[s.index] = s.level == GPUOPT_LEVEL_FULL;
    seen_output_ = true;
  }

  const gpuopt_program &program_;
  const LoopResults &loops_;
  OperandUse &use_;
  ProgramError error_;
  int number_ = 0;
  bool seen_output_ = false, seen_reduce_ = false, seen_scan_ = false;
};

const char *find_bad_operand(const gpuopt_program &p, const gpuopt_operand &operand, int dtype) {
  if (dtype == 0) return nullptr;
  if (operand.dtype != dtype) return "an operand has another dtype than its step";
  if (!operand.data || (p.ndim > 0 && !operand.strides)) return "an operand is missing";
  return nullptr;
}

// Returns whether several indices of the iteration space store to the same element, which would keep whichever value
// came last.
bool repeats_elements(const gpuopt_program &p, const gpuopt_operand &operand, bool full) {
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] > 1 && operand.strides[d] == 0 && (full || !(p.reduced_axes >> d & 1))) return true;
  }
  return false;
}

}  // namespace

const char *find_bad_header(const gpuopt_program &p) noexcept {
  if (p.struct_size < sizeof(gpuopt_program)) return "the struct is too short";
  if (p.flags != 0) return "unknown flags";
  if (p.ndim < 0 || p.ndim > GPUOPT_MAX_NDIM) return "ndim out of range";
  if (p.nsteps < 0 || p.nsteps > GPUOPT_PROGRAM_MAX_STEPS) return "too many steps";
  if (p.ninputs < 0 || p.ninputs > GPUOPT_PROGRAM_MAX_OPERANDS) return "too many inputs";
  if (p.noutputs < 0 || p.noutputs > GPUOPT_PROGRAM_MAX_OUTPUTS) return "too many outputs";
  if (p.nconstants < 0 || p.nconstants > GPUOPT_PROGRAM_MAX_CONSTANTS) return "too many constants";
  if (p.ndim < 64 && p.reduced_axes >> p.ndim != 0) return "a reduced axis is not a dimension";
  if ((p.ndim > 0 && !p.shape) || (p.nsteps > 0 && !p.steps) || (p.ninputs > 0 && !p.inputs) ||
      (p.noutputs > 0 && !p.outputs) || (p.nconstants > 0 && !p.constants)) {
    return "a table is missing";
  }
  return nullptr;
}

ProgramError check_steps(const gpuopt_program &program, const LoopResults &loops, OperandUse &use) noexcept {
  return StepChecker(program, loops, use).run();
}

const char *find_bad_shape(const gpuopt_program &p, ProgramSize &size) noexcept {
  bool empty = false, empty_kept = false;
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] < 0) return "a dimension is negative";
    empty |= p.shape[d] == 0;
    empty_kept |= p.shape[d] == 0 && !(p.reduced_axes >> d & 1);
  }
  size = {empty ? 0 : 1, empty_kept ? 0 : 1};
  for (int d = 0; d < p.ndim; d++) {
    const bool is_kept = !(p.reduced_axes >> d & 1);
    if ((!empty && __builtin_mul_overflow(size.elements, p.shape[d], &size.elements)) ||
        (!empty_kept && is_kept && __builtin_mul_overflow(size.kept, p.shape[d], &size.kept)))
      return "the shape has too many elements";
  }
  return nullptr;
}

const char *find_bad_operands(const gpuopt_program &p, const OperandUse &use) noexcept {
  for (int i = 0; i < p.ninputs; i++) {
    if (const char *bad = find_bad_operand(p, p.inputs[i], use.input_dtype[i])) return bad;
  }
  for (int i = 0; i < p.noutputs; i++) {
    if (const char *bad = find_bad_operand(p, p.outputs[i], use.output_dtype[i])) return bad;
    if (use.output_dtype[i] && repeats_elements(p, p.outputs[i], use.output_full[i]))
      return "an output repeats elements";
  }
  return nullptr;
}

int op_arity(int op) noexcept {
  static constexpr uint8_t kArity[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) nin,
#include <gpuopt/ops.def>
  };
  return kArity[op];
}

int dtype_size(int dtype) noexcept { return static_cast<int>(element_size(dtype)); }

}  // namespace gpuopt::plugin
