// tests/conformance/cooperation/machine.h -- what random kernels whose threads work together (generator.h) are computed
// by on the host: the threads of a grid, one statement after the other, without any compiler of kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpuopt::test::cooperation {

// Random numbers that are the same on every system.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t word() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(word() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

constexpr unsigned kWords = 5, kInputs = 1024, kCells = 12;

struct Thread {
  uint32_t u[kWords] = {};
  uint64_t w = 0;
  float f = 0;
  std::vector<uint32_t> counters;  // of the loops that it is in
};

// Block sizes are at most 1024; the threads of the grid are numbered block by block.
struct Machine {
  unsigned blocks = 1, block_size = 32;
  std::vector<uint32_t> in;     // kInputs
  std::vector<Thread> threads;  // of all blocks
  std::vector<uint32_t> cells;  // kCells

  unsigned rank(uint32_t thread) const { return thread % block_size; }
  unsigned block(uint32_t thread) const { return thread / block_size; }
  unsigned lane(uint32_t thread) const { return rank(thread) % 32; }
  // Which group of `width` threads a thread is in: of its block, the block, or the grid.
  uint32_t group(uint32_t thread, unsigned width) const {
    if (width == kGrid) return 0;
    return width == kBlock ? block(thread) : block(thread) * 1024 + rank(thread) / width;
  }
  static constexpr unsigned kBlock = 1u << 11, kGrid = 1u << 12;  // wider than any tile
};

using Threads = std::vector<uint32_t>;  // numbers in the grid, in rising order

// A statement of the kernel, and what it does to the threads that run it.
struct Part {
  std::string text;
  std::function<void(Machine &, const Threads &)> run;
};
// An expression of type unsigned.
struct Word {
  std::string text;
  std::function<uint32_t(const Machine &, uint32_t)> value;
};

inline std::map<uint32_t, Threads> by_group(const Machine &machine, const Threads &threads, unsigned width) {
  std::map<uint32_t, Threads> out;
  for (const uint32_t thread : threads) out[machine.group(thread, width)].push_back(thread);
  return out;
}

// Calls one(group, values) for the threads of each group, with the values that they bring.
template <class One>
void for_each_group(Machine &machine, const Threads &threads, unsigned width, const Word &brought, One one) {
  for (const auto &[number, group] : by_group(machine, threads, width)) {
    std::vector<uint32_t> values;
    for (const uint32_t thread : group) values.push_back(brought.value(machine, thread));
    one(group, values);
  }
}

}  // namespace gpuopt::test::cooperation
