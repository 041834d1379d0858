// plugins/cuda/program/loop_results.cpp -- see loop_results.h.
#include "plugins/cuda/program/loop_results.h"

#include <string_view>

namespace gpuopt::cuda {
namespace {

constexpr char kind_of(int dtype) {
  constexpr char kinds[] = {
      0,
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) kind,
#include <gpuopt/dtypes.def>
  };
  return kinds[dtype];
}

constexpr bool is_half(int dtype) { return dtype == GPUOPT_FLOAT16 || dtype == GPUOPT_BFLOAT16; }

// Returns the dtype of the result for a loop of `dtype`, 0 if there is no such loop, from the columns `kinds` and
// `result` of ops.def. `of_halves` says that 16-bit floats have a loop.
constexpr uint8_t result_of(std::string_view kinds, std::string_view result, int dtype, bool of_halves) {
  const char kind = kind_of(dtype);
  if (kinds.find(kind) == kinds.npos || (is_half(dtype) && !of_halves)) return 0;
  const auto is = [&](std::string_view column) { return result == column; };
  if (is("BOOL") || is("LOGICAL")) return GPUOPT_BOOL;
  if (is("INDEX")) return GPUOPT_INT64;
  if (is("REAL") && kind == 'c') return dtype == GPUOPT_COMPLEX64 ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
  if (is("SUM") && (kind == '?' || kind == 'i')) return GPUOPT_INT64;
  if (is("SUM") && kind == 'u') return GPUOPT_UINT64;
  return static_cast<uint8_t>(dtype);
}

constexpr plugin::LoopResults make_results() {
  plugin::LoopResults results = {};
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
#define GPUOPT_OP(name, nin, kinds, result, doc) \
  results.elementwise[GPUOPT_OP_##name][dtype] = \
      result_of(kinds, #result, dtype, GPUOPT_OP_##name == GPUOPT_OP_nextafter);
#define GPUOPT_REDUCTION(name, kinds, result, doc) \
  results.reduction[GPUOPT_REDUCTION_##name][dtype] = result_of(kinds, #result, dtype, false);
#define GPUOPT_SCAN(name, kinds, result, doc) \
  results.scan[GPUOPT_SCAN_##name][dtype] = result_of(kinds, #result, dtype, false);
#include <gpuopt/ops.def>
  }
  return results;
}

}  // namespace

const plugin::LoopResults &loop_results() noexcept {
  static constexpr plugin::LoopResults results = make_results();
  return results;
}

}  // namespace gpuopt::cuda
