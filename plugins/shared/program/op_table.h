// plugins/shared/program/op_table.h -- the columns of ops.def by which backends choose how they run an operation.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstdint>

namespace gpuopt::plugin {

enum class OpFamily : uint8_t {
#define GPUOPT_OP_FAMILY(name, doc) name,
#include <gpuopt/ops.def>
};

// The cost of each operation for one element, in additions that take about as long.
inline constexpr uint16_t kOpCost[] = {
#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) cost,
#include <gpuopt/ops.def>
};

// From this cost on, the definition of an operation is so long that few copies of it should be made: loops over blocks
// on the CPU, few elements for each thread on a GPU.
inline constexpr int kLongOpCost = 8;
inline bool is_long_op(int op) noexcept { return kOpCost[op] >= kLongOpCost; }

}  // namespace gpuopt::plugin
