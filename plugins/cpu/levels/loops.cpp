// plugins/cpu/levels/loops.cpp -- assembles the loop table of each instruction set level.
#include "plugins/cpu/levels/loops.h"

namespace gpuopt::cpu {

// Declares an install function per part and level. The build defines GPUOPT_GENERIC_LEVEL if there is one level only.
#ifndef GPUOPT_GENERIC_LEVEL
#define GPUOPT_LOOP_PART(part)                \
  void install_##part##_v2(LoopTable &table); \
  void install_##part##_v3(LoopTable &table); \
  void install_##part##_v4(LoopTable &table);
#include "plugins/cpu/levels/parts.def"
#else
#define GPUOPT_LOOP_PART(part) void install_##part##_generic(LoopTable &table);
#include "plugins/cpu/levels/parts.def"
#endif

namespace {

#ifndef GPUOPT_GENERIC_LEVEL
void install(int level, LoopTable &table) {
#define GPUOPT_LOOP_PART(part) \
  level >= 4 ? install_##part##_v4(table) : level == 3 ? install_##part##_v3(table) : install_##part##_v2(table);
#include "plugins/cpu/levels/parts.def"
}
#else
void install(int, LoopTable &table) {
#define GPUOPT_LOOP_PART(part) install_##part##_generic(table);
#include "plugins/cpu/levels/parts.def"
}
#endif

template <int kLevel>
const LoopTable &table_of_level() noexcept {
  static LoopTable table;
  static const bool built = (install(kLevel, table), true);
  (void)built;
  return table;
}

plugin::LoopResults results_of(const LoopTable &table) noexcept {
  plugin::LoopResults results = {};
  for (int dtype = 0; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int i = 0; i < GPUOPT_OP_COUNT; i++) results.elementwise[i][dtype] = table.elementwise_result[i][dtype];
    for (int i = 0; i < GPUOPT_REDUCTION_COUNT; i++)
      results.reduction[i][dtype] = static_cast<uint8_t>(table.reduction[i][dtype].result_dtype);
    for (int i = 0; i < GPUOPT_SCAN_COUNT; i++)
      results.scan[i][dtype] = static_cast<uint8_t>(table.scan[i][dtype].result_dtype);
  }
  return results;
}

}  // namespace

const LoopTable &loop_table(int level) noexcept {
  return level >= 4 ? table_of_level<4>() : level == 3 ? table_of_level<3>() : table_of_level<2>();
}

const plugin::LoopResults &loop_results() noexcept {
  static const plugin::LoopResults results = results_of(loop_table(2));
  return results;
}

}  // namespace gpuopt::cpu
