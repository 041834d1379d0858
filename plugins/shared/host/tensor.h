// plugins/shared/host/tensor.h -- small questions about the tensors of a library call.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::plugin {

struct DtypeRow {
  const char *name;
  char kind;     // '?' bool, i signed, u unsigned, f real floating, c complex
  int64_t size;  // bytes of an element
};

// Returns the row of a dtype; kind and size are 0 for a number that is no dtype.
constexpr DtypeRow dtype_row(int32_t dtype) noexcept {
  switch (dtype) {
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) \
  case GPUOPT_##NAME:                                                       \
    return {#name, kind, size};
#include <gpuopt/dtypes.def>
    default:
      return {"unknown dtype", 0, 0};
  }
}

constexpr const char *dtype_name(int32_t dtype) noexcept { return dtype_row(dtype).name; }
constexpr char dtype_kind(int32_t dtype) noexcept { return dtype_row(dtype).kind; }
constexpr int64_t element_size(int32_t dtype) noexcept { return dtype_row(dtype).size; }

// Returns the product of `ndim` dimensions.
inline int64_t product(int32_t ndim, const int64_t *shape) noexcept {
  int64_t size = 1;
  for (int32_t axis = 0; axis < ndim; axis++) size *= shape[axis];
  return size;
}

inline int64_t size_of(const gpuopt_tensor &tensor) noexcept { return product(tensor.ndim, tensor.shape); }

inline char *bytes_of(const gpuopt_tensor &tensor) noexcept { return static_cast<char *>(tensor.data); }

}  // namespace gpuopt::plugin
