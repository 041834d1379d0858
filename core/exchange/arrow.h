// core/exchange/arrow.h -- the conversion between dtypes and the formats of Arrow's C data interface, and its layout.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cstddef>

namespace gpuopt::arrow {

// A primitive type: the text of ArrowSchema::format, and the dtype.
struct Format {
  char letter;
  gpuopt_dtype dtype;
};

inline constexpr Format kFormats[] = {
    {'b', GPUOPT_BOOL},   {'c', GPUOPT_INT8},    {'C', GPUOPT_UINT8},   {'s', GPUOPT_INT16},
    {'S', GPUOPT_UINT16}, {'i', GPUOPT_INT32},   {'I', GPUOPT_UINT32},  {'l', GPUOPT_INT64},
    {'L', GPUOPT_UINT64}, {'e', GPUOPT_FLOAT16}, {'f', GPUOPT_FLOAT32}, {'g', GPUOPT_FLOAT64},
};

// A compiler that laid these structs out differently would corrupt memory silently.
static_assert(sizeof(void *) != 8 || (sizeof(ArrowSchema) == 72 && offsetof(ArrowSchema, release) == 56));
static_assert(sizeof(void *) != 8 ||
              (sizeof(ArrowArray) == 80 && offsetof(ArrowArray, buffers) == 40 && offsetof(ArrowArray, release) == 64));

}  // namespace gpuopt::arrow
