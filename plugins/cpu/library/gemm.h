// plugins/cpu/library/gemm.h -- matrix products by our own kernels: for integers and bool always, for floats if there
// is no BLAS.
#pragma once

#include <cstdint>

#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// Why not a template library instead: compiled for one level it would leave the wider vectors of this processor unused,
// and compiled for each level, its inline functions would be merged by the linker into code that older processors
// cannot run (tests/abi/check_levels.sh). Integers need kernels in any case, and floats use the same ones.
//
// Floats use fused multiply-add where the level has it, so their last bits differ between levels, as they do between
// BLAS libraries. Integers have the same bits everywhere.
//
// Computes c = a b. All have `dtype` (any but float16 and bfloat16) and any strides; c overlaps neither a nor b.
// Integers wrap; a product of bools is an OR of ANDs. The work is cut by size alone, so the result does not depend on
// the number of threads. Returns false if there is no memory for packing; c may have changed then.
bool multiply(int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

// Does the same with the kernels of instruction set level `level`, which this processor must support.
bool multiply(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

}  // namespace gpuopt::cpu
