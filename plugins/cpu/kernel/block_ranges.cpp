// plugins/cpu/kernel/block_ranges.cpp -- see block_ranges.h.
#include "plugins/cpu/kernel/block_ranges.h"

#include <algorithm>
#include <chrono>

namespace gpuopt::cpu {
namespace {

constexpr int64_t kThreadsPerTask = 16384;     // threads of a kernel that are worth a task, whatever they do
constexpr double kNanosecondsPerTask = 10000;  // a few times what it takes to wake a thread of the pool
constexpr int kTasksPerWorker = 8;             // several, as blocks may take different times
constexpr uint64_t kGrowth = 4;                // at most so many times the blocks that were timed before are timed next

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(time).count();
}

// Divides the blocks into `worth` ranges, or as many as there are use for.
void share(BlockRange blocks, int64_t worth, FunctionRef<bool(BlockRange)> body) {
  const auto count = static_cast<int64_t>(blocks.last - blocks.first);
  const int64_t tasks = std::clamp<int64_t>(worth, 1, std::min<int64_t>(count, pool_size() * kTasksPerWorker));
  const auto first_of = [&](int64_t task) {
    return blocks.first + static_cast<uint64_t>(count / tasks * task + std::min(task, count % tasks));
  };
  parallel_for(tasks, [&](int64_t task, int) { body({first_of(task), first_of(task + 1)}); });
}

// Runs and times blocks until it is known how long the others are likely to take, and then these.
void run_timed(uint64_t blocks, FunctionRef<bool(BlockRange)> body) {
  const double begin = now();
  for (uint64_t done = 0, next = 1; done < blocks; next = std::min(done * kGrowth, blocks - done)) {
    if (!body({done, done + next})) return;
    done += next;
    const double spent = now() - begin, per_block = spent / static_cast<double>(done);
    const double rest = per_block * static_cast<double>(blocks - done);
    const bool is_known = spent > kNanosecondsPerTask || rest < 2 * kNanosecondsPerTask;
    if (is_known) return share({done, blocks}, static_cast<int64_t>(rest / kNanosecondsPerTask), body);
  }
}

}  // namespace

void for_block_ranges(uint64_t blocks, uint64_t threads_per_block, FunctionRef<bool(BlockRange)> body) noexcept {
  const int64_t worth = static_cast<int64_t>(blocks * threads_per_block) / kThreadsPerTask;
  if (blocks > 1 && pool_size() > 1 && worth < pool_size()) return run_timed(blocks, body);
  share({0, blocks}, worth, body);
}

}  // namespace gpuopt::cpu
