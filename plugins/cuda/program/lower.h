// plugins/cuda/program/lower.h -- the passes of a program (plugins/shared/program/passes.h), each of which one kind of
// kernel runs.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <vector>

#include "plugins/shared/program/passes.h"

namespace gpuopt::cuda {

using plugin::Fragment;
using plugin::KeptValue;
using plugin::OperandKind;
using plugin::PassAccess;
using plugin::PassKind;
using plugin::PassOperand;

struct Pass : plugin::Pass {
  int long_steps = 0;  // elementwise functions of more than a few instructions, over both fragments

  // Returns how many elements a thread may compute at once, each by a copy of the code, before the code becomes too
  // long.
  int most_at_once() const { return long_steps == 0 ? 16 : long_steps <= 4 ? 4 : 1; }
};

struct LoweredProgram {
  bool reduces = false, scans = false;  // as in plugin::PassList
  std::vector<KeptValue> kept;
  std::vector<Pass> passes;
};

// Lowers a program that has passed plugin::check_steps(). `overwrites` says that some REDUCED output is also an input,
// so that such outputs may be stored only when nothing is left to read. Throws ERR_UNSUPPORTED for a SCAN beside a
// REDUCED output.
LoweredProgram lower(const gpuopt_program &program, bool overwrites);

}  // namespace gpuopt::cuda
