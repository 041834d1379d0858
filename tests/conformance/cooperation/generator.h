// tests/conformance/cooperation/generator.h -- random raw kernels whose threads work together, by barriers, shuffles,
// votes, atomic functions and cooperative groups, also in divergent code, and whose results are defined all the same:
// who meets is known where they meet, what is written is read behind a barrier of all concerned, and atomic functions
// on one word commute. A kernel is made together with what computes it on the host (machine.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/cooperation/machine.h"

namespace gpuopt::test::cooperation {

// Where a statement stands.
struct Context {
  unsigned width = Machine::kGrid;  // the threads of each group of so many come here together
  std::string mask = "whole";       // the variable with the lanes of the warp that do
  unsigned loops = 0, depth = 0;
  unsigned first = 0, end = 0;  // the ranks of the block's threads that have not returned
  bool all_left = true;         // none has
};

struct Kernel {
  std::string text;  // of `cooperate`
  Machine begin;     // before the launch
  Part body;
  std::vector<uint64_t> statements;  // their seeds
  unsigned y = 1;                    // the second of the sizes of a block
};

class Generator {
 public:
  // Statements whose seeds are in `dropped` are left out; all others are the same. With `coalesced`, some ask which
  // lanes are there (cg::coalesced_threads(), __activemask()), which GPUs need not tell as the CPU does.
  Generator(uint64_t seed, std::set<uint64_t> dropped, bool coalesced = false)
      : random_(seed), dropped_(std::move(dropped)), coalesced_(coalesced) {}
  Kernel kernel();

 private:
  using Compute = std::function<uint32_t(const Machine &, const Threads &, size_t)>;

  Word leaf(Random &random, const Context &at);
  Word word(Random &random, const Context &at, unsigned depth = 2);
  Word uniform(Random &random, unsigned width);
  std::vector<unsigned> tiles(unsigned most) const;

  Part statements(Random &random, const Context &at, unsigned count);
  Part statement(uint64_t seed, const Context &at);
  Part branch(Random &random, const Context &at);
  Part loop(Random &random, const Context &at);
  Part leave(Random &random, Context &at);
  Part assign(Random &random, const Context &at);

  Part given(unsigned k, const std::string &text, unsigned width, Compute compute) const;
  Part lanes_here(Random &random, const Context &at);
  Part warp_vote(Random &random, const Context &at);
  Part warp_shuffle(Random &random, const Context &at);
  Part segment_shuffle(Random &random, const Context &at);
  Part warp_exchange(Random &random, const Context &at);
  Part tile_call(Random &random, const Context &at, unsigned count);
  Part small_tile_call(Random &random, const Context &at, unsigned count);
  Part partition(Random &random, const Context &at, unsigned count);
  Part tile_exchange(Random &random, const Context &at, unsigned count);
  Part tile_atomics(Random &random, const Context &at, unsigned count);
  Part block_vote(Random &random, const Context &at);
  Part block_exchange(Random &random, const Context &at);
  Part block_atomics(Random &random, const Context &at);
  Part grid_exchange(Random &random, const Context &at);
  Part global_atomic(Random &random, const Context &at);
  Part lock(Random &random, const Context &at);
  Part tickets(Random &random, const Context &at);

  std::string name(const char *stem) { return stem + std::to_string(next_name_++); }
  static std::string of(unsigned k) { return "u" + std::to_string(k); }

  Random random_;
  std::set<uint64_t> dropped_;
  const bool coalesced_;
  Kernel out_;
  unsigned blocks_ = 1, block_size_ = 32, next_name_ = 0;
};

}  // namespace gpuopt::test::cooperation
