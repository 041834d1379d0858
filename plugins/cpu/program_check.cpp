// plugins/cpu/program_check.cpp -- every rule of gpuopt_plugin.h that the steps of a program can break.
#include "plugins/cpu/program_check.h"

namespace gpuopt::cpu {
namespace {

class StepChecker {
 public:
  StepChecker(const gpuopt_program &program, const LoopTable &table) : program_(program), table_(table) {}

  PlanError run() {
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
  void require_loop(bool exists) { require(exists, "no loop for this operation and dtype", GPUOPT_ERR_UNSUPPORTED); }

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

  // One operand has one dtype, whatever step reads it.
  void check_input() {
    if (error_.code != GPUOPT_OK) return;
    uint8_t &dtype = input_dtype_[step().index];
    require(dtype == 0 || dtype == step().dtype, "an input has two dtypes");
    dtype = step().dtype;
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
    require_loop(table_.elementwise[s.index][s.loop_dtype].vector != nullptr);
    require(s.dtype == table_.elementwise_result[s.index][s.loop_dtype], "wrong dtype of the result");
    check_level();
  }

  void check_cast() {
    require(step().nsrc == 1 && source(0).dtype == step().loop_dtype, "a cast has one source of its loop dtype");
    check_level();
  }

  // Whether the value of source i differs along the reduced axes.
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
    const ReductionLoops &loops = table_.reduction[s.index][s.loop_dtype];
    require_loop(loops.rows != nullptr);
    require(s.dtype == loops.result_dtype, "wrong dtype of the result");
    seen_reduce_ = true;
  }

  void check_scan() {
    const gpuopt_step &s = step();
    require(s.index < GPUOPT_SCAN_COUNT, "unknown scan", GPUOPT_ERR_UNSUPPORTED);
    require(s.nsrc == 1 && s.level == GPUOPT_LEVEL_FULL, "a SCAN has one source and is FULL");
    if (error_.code != GPUOPT_OK) return;
    require(source(0).dtype == s.loop_dtype && !is_reduced(0), "a SCAN has a FULL source of its loop dtype");
    require(!seen_scan_ && !seen_reduce_, "a SCAN beside another SCAN or a REDUCE");
    const ScanLoops &loops = table_.scan[s.index][s.loop_dtype];
    require_loop(loops.rows != nullptr);
    require(s.dtype == loops.result_dtype, "wrong dtype of the result");
    seen_scan_ = true;
  }

  void check_output() {
    const gpuopt_step &s = step();
    require(s.index < program_.noutputs, "index out of range");
    require(s.nsrc == 1 && source(0).dtype == s.dtype, "an OUTPUT has one source of its dtype");
    if (error_.code != GPUOPT_OK) return;
    check_level();
    require(!(stored_ >> s.index & 1), "two OUTPUT steps store to the same output");
    stored_ |= 1u << s.index;
    seen_output_ = true;
  }

  const gpuopt_program &program_;
  const LoopTable &table_;
  PlanError error_;
  int number_ = 0;
  bool seen_output_ = false, seen_reduce_ = false, seen_scan_ = false;
  uint32_t stored_ = 0;
  uint8_t input_dtype_[GPUOPT_PROGRAM_MAX_OPERANDS] = {};
};

}  // namespace

PlanError check_steps(const gpuopt_program &program, const LoopTable &table) {
  return StepChecker(program, table).run();
}

}  // namespace gpuopt::cpu
