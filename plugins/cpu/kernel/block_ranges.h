// plugins/cpu/kernel/block_ranges.h -- how the blocks of a launch are divided among the threads of the pool.
#pragma once

#include <cstdint>

#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {

// The blocks [first, last) of a launch.
struct BlockRange {
  uint64_t first, last;
};

// Calls `body` for ranges that hold each of the blocks once; all have ended when it returns. A launch of many threads
// is shared among the pool at once. For one of few, it is unknown whether that is worth it, as a thread may be one
// addition or a long loop: the first blocks run on one thread and are timed, and the others are shared if they are
// likely to take long. If `body` returns false for one of these first ranges, the blocks after it are left out. `body`
// must not throw.
void for_block_ranges(uint64_t blocks, uint64_t threads_per_block, FunctionRef<bool(BlockRange)> body) noexcept;

}  // namespace gpuopt::cpu
