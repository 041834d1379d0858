// tests/fake_cuda/report.cpp -- what tests are told, and what is said when the process ends.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tests/fake_cuda/arena.h"
#include "tests/fake_cuda/state.h"

namespace fake_cuda {
namespace {

// Contexts that a fault ended cannot give anything back.
bool usable(const Context *context) { return context->sticky == CUDA_SUCCESS; }

fake_cuda_counters count(State &s) {
  fake_cuda_counters c = s.counters;
  for (auto &[base, block] : all_blocks()) {
    if (block.leaving || !usable(block.context)) continue;
    ++c.blocks;
    c.block_bytes += block.bytes;
  }
  for (auto &[handle, context] : s.contexts)
    for (auto &stream : context->streams) c.pending += stream->queue.size();
  c.pinned = s.pinned.size();
  c.streams = s.streams.size();
  c.events = s.events.size();
  c.pools = s.pools.size();
  c.modules = s.modules.size();
  c.contexts = s.contexts.size();
  return c;
}

// A process that broke a rule does not end well, whatever it thinks of itself.
struct AtExit {
  ~AtExit() {
    State &s = State::get();
    if (s.process != getpid() || s.counters.violations == 0 || setting("FAKE_CUDA_STRICT", 0) == 0) return;
    std::fflush(nullptr);
    std::fprintf(stderr, "fake_cuda: %lu rules of the API were broken\n", s.counters.violations);
    _exit(97);
  }
} at_exit;

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

void fake_cuda_count(fake_cuda_counters *counters) {
  std::lock_guard lock(State::get().mutex);
  *counters = count(State::get());
}

uint64_t fake_cuda_take_launches(fake_cuda_launch *launches, uint64_t room) {
  std::lock_guard lock(State::get().mutex);
  auto &noted = State::get().launches;
  const uint64_t count = noted.size();
  if (launches) std::copy_n(noted.begin(), std::min(room, count), launches);
  noted.clear();
  return count;
}

void fake_cuda_fail_at(uint64_t n, int32_t code) {
  std::lock_guard lock(State::get().mutex);
  State::get().fail_at = n;
  State::get().fail_code = CUresult(code);
}
