// tests/unit/cpu_loops_test.cpp -- the loop table of every instruction set level has what ops.def lists, no more.
#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/shared/program/op_table.h"
#include "tests/unit/cpu_program_reference.h"

namespace gpuopt::test {
namespace {

// A family that no file of levels/ selects has no loops: its rows are missed here.
TEST(CpuLoops, EveryRowHasALoopForEachOfItsKinds) {
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const cpu::LoopTable &table = cpu::loop_table(level);
    for (int op = 0; op < GPUOPT_OP_COUNT; op++) {
      for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
        const ScalarOp wanted = scalar_op(op, dtype);
        EXPECT_EQ(table.elementwise[op][dtype].vector != nullptr, wanted.call != nullptr)
            << "level " << level << ", operation " << op << ", dtype " << dtype;
        EXPECT_EQ(table.elementwise_result[op][dtype], wanted.result_dtype)
            << "level " << level << ", operation " << op << ", dtype " << dtype;
      }
    }
  }
}

TEST(CpuLoops, EveryRowHasACost) {
  EXPECT_EQ(std::size(plugin::kOpCost), size_t{GPUOPT_OP_COUNT});
  EXPECT_EQ(plugin::kOpCost[GPUOPT_OP_add], 1);
  EXPECT_EQ(std::count(std::begin(plugin::kOpCost), std::end(plugin::kOpCost), 0), 0);
}

}  // namespace
}  // namespace gpuopt::test
