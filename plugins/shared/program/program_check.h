// plugins/shared/program/program_check.h -- whether a program is well formed, by every rule of gpuopt_plugin.h, and has
// loops here.
//
// Malformed programs are ERR_INTERNAL, well-formed ones without loops ERR_UNSUPPORTED. Most rules concern the steps
// alone, so a backend need check these only once for every program of which it caches a plan.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::plugin {

// The loops of a backend: the dtype of the result of each row of ops.def, by loop dtype; 0 if there is no loop.
struct LoopResults {
  uint8_t elementwise[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];
  uint8_t reduction[GPUOPT_REDUCTION_COUNT][GPUOPT_DTYPE_COUNT];
  uint8_t scan[GPUOPT_SCAN_COUNT][GPUOPT_DTYPE_COUNT];
};

// What is wrong with a program, and at which step; `code` is GPUOPT_OK if nothing is.
struct ProgramError {
  gpuopt_status code = GPUOPT_OK;
  const char *what = "";
  int step = 0;
};

// How the steps use the operands: the dtype of each, and whether it is FULL.
struct OperandUse {
  uint8_t input_dtype[GPUOPT_PROGRAM_MAX_OPERANDS] = {};  // 0 where no step reads it
  uint8_t output_dtype[GPUOPT_PROGRAM_MAX_OUTPUTS] = {};
  bool input_full[GPUOPT_PROGRAM_MAX_OPERANDS] = {}, output_full[GPUOPT_PROGRAM_MAX_OUTPUTS] = {};
};

// The number of elements of the iteration space, and that without the reduced axes (`kept`).
struct ProgramSize {
  int64_t elements = 0, kept = 0;
};

// Returns what is wrong with the fields of `program` itself; NULL if nothing is. To be called first.
const char *find_bad_header(const gpuopt_program &program) noexcept;
// Checks the steps of a program whose header is good. Fills `use`.
ProgramError check_steps(const gpuopt_program &program, const LoopResults &loops, OperandUse &use) noexcept;
// Return what is wrong with the shape and the operands of a program whose header and steps are good; NULL if nothing
// is. The former fills `size`. If the iteration space is empty, no operand is accessed, and operands need not be
// checked.
const char *find_bad_shape(const gpuopt_program &program, ProgramSize &size) noexcept;
const char *find_bad_operands(const gpuopt_program &program, const OperandUse &use) noexcept;

// Return the number of inputs of an elementwise operation, and the size of an element in bytes.
int op_arity(int op) noexcept;
int dtype_size(int dtype) noexcept;

}  // namespace gpuopt::plugin
