// plugins/cpu/loops.cpp -- assembles the loop table of each instruction set level.
#include "plugins/cpu/loops.h"

namespace gpuopt::cpu {

// One install function per file of levels/ and level; the build says if there is but one level.
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

}  // namespace

const LoopTable &loop_table(int level) noexcept {
  return level >= 4 ? table_of_level<4>() : level == 3 ? table_of_level<3>() : table_of_level<2>();
}

int op_arity(int op) noexcept {
  static constexpr uint8_t arity[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) nin,
#include <gpuopt/ops.def>
  };
  return arity[op];
}

}  // namespace gpuopt::cpu
