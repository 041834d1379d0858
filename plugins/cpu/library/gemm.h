// plugins/cpu/library/gemm.h -- matrix products by our own kernels: integers and bool always, floats where there is no
// BLAS.
#pragma once

#include <cstdint>

#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// A template library is no substitute where there is no BLAS: compiled for one level it leaves the wider vectors of
// this processor unused, compiled for each, its inline functions are merged by the linker into code that older
// processors cannot run (tests/abi/check_levels.sh). Integers need kernels in any case, and floats take the same ones.
//
// Floats are multiplied and added in one rounding where the level can, so their last bits differ between levels, as
// they do between BLAS libraries; integers have the same bits everywhere.
//
// c = a b, all of `dtype` (any but float16 and bfloat16), any strides. Integers wrap; bool is or of ands. The work is
// cut by size alone, so the result does not depend on the number of threads. False if there is no memory for the packed
// blocks.
bool multiply(int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

// The same with the kernels of a given instruction set level.
bool multiply(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

}  // namespace gpuopt::cpu
