// plugins/shared/program/program_check.h -- whether a program is well formed, by every rule of gpuopt_plugin.h, and has
// loops here.
//
// Malformed programs are ERR_INTERNAL, well-formed ones without loops ERR_UNSUPPORTED. The steps alone decide the first
// part, so a backend need check them only once for every program it keeps a plan of.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::plugin {

// What a backend has: the dtype of a row's result, by loop dtype; 0 where it has no loop.
struct LoopResults {
  uint8_t elementwise[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];
  uint8_t reduction[GPUOPT_REDUCTION_COUNT][GPUOPT_DTYPE_COUNT];
  uint8_t scan[GPUOPT_SCAN_COUNT][GPUOPT_DTYPE_COUNT];
};

// What is wrong with a program; `code` is GPUOPT_OK if nothing is.
struct ProgramError {
  gpuopt_status code = GPUOPT_OK;
  const char *what = "";
  int step = 0;
};

// How the steps use the operands.
struct OperandUse {
  uint8_t input_dtype[GPUOPT_PROGRAM_MAX_OPERANDS] = {};  // 0 where no step reads it
  uint8_t output_dtype[GPUOPT_PROGRAM_MAX_OUTPUTS] = {};
  bool input_full[GPUOPT_PROGRAM_MAX_OPERANDS] = {}, output_full[GPUOPT_PROGRAM_MAX_OUTPUTS] = {};
};

// The number of elements, and of those without the reduced axes.
struct ProgramSize {
  int64_t elements = 0, kept = 0;
};

// What is wrong apart from the steps; NULL if nothing is. To be asked first.
const char *find_bad_header(const gpuopt_program &program) noexcept;
// Needs a good header. Fills `use`.
ProgramError check_steps(const gpuopt_program &program, const LoopResults &loops, OperandUse &use) noexcept;
// Need a good header and good steps. Operands that no index touches are not looked at by anyone: a caller that has
// nothing to do need not ask for them.
const char *find_bad_shape(const gpuopt_program &program, ProgramSize &size) noexcept;
const char *find_bad_operands(const gpuopt_program &program, const OperandUse &use) noexcept;

// Inputs an elementwise operation takes; bytes of an element.
int op_arity(int op) noexcept;
int dtype_size(int dtype) noexcept;

}  // namespace gpuopt::plugin
