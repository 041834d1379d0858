// tools/plugin_test/loops.cpp -- see loops.h.
#include "tools/plugin_test/loops.h"

#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace gpuopt::plugin_test {
namespace {

struct Row {
  const char *name;
  int inputs;
};
constexpr Row kRows[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) {#name, nin},
#include <gpuopt/ops.def>
};

constexpr int64_t kMost = 37;
constexpr size_t kElement = 16;  // bytes of the largest dtype
constexpr unsigned char kFill = 0xA5;

// Elements of any dtype: bytes 0 and 1 are a bool as well.
struct alignas(kElement) Elements {
  unsigned char bytes[(kMost + 4) * kElement];
};

// Returns the words of the x87 that a computation changes: control, status and which registers are in use.
std::vector<uint16_t> x87_state() {
#if defined(__x86_64__)
  uint16_t environment[14] = {};
  __asm__ __volatile__("fnstenv %0\n\tfldenv %0" : "+m"(environment));
  return {environment[0], environment[2], environment[4]};
#else
  return {};
#endif
}

// Returns how many of the bytes from the first on are not the filling.
size_t written(const Elements &out) {
  size_t end = sizeof out.bytes;
  while (end > 0 && out.bytes[end - 1] == kFill) --end;
  return end;
}

std::string call_problem(const Row &row, gpuopt_elementwise_loop loop, int32_t result, int64_t n) {
  static Elements sources[3], out;
  for (Elements &source : sources)
    std::fill(std::begin(source.bytes), std::end(source.bytes), static_cast<unsigned char>(1));
  std::fill(std::begin(out.bytes), std::end(out.bytes), kFill);
  const auto at = [&](int k) { return k < row.inputs ? sources[k].bytes : nullptr; };
  const std::vector<uint16_t> before = x87_state();
  loop(out.bytes, at(0), at(1), at(2), n);
  if (x87_state() != before) return "it uses the x87 unit";
  const size_t expected = static_cast<size_t>(n) * gpuopt_dtype_size(result);
  if (written(out) > expected) return "it writes behind its results, of " + std::to_string(n) + " elements";
  for (const Elements &source : sources) {
    if (std::any_of(std::begin(source.bytes), std::end(source.bytes), [](unsigned char c) { return c != 1; }))
      return "it changes a source";
  }
  return "";
}

}  // namespace

const char *operation_name(int32_t op) { return kRows[op].name; }

std::string loop_problem(int32_t op, gpuopt_elementwise_loop loop, int32_t result_dtype) {
  if (!loop) return result_dtype == 0 ? "" : "it gives a dtype of results, but no loop";
  if (!gpuopt_dtype_name(result_dtype)) return "it gives " + std::to_string(result_dtype) + " as the dtype of results";
  for (const int64_t n : {int64_t{1}, int64_t{2}, int64_t{7}, int64_t{16}, int64_t{33}, kMost}) {
    if (std::string problem = call_problem(kRows[op], loop, result_dtype, n); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace gpuopt::plugin_test
