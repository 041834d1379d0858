// tests/fake_cuda/arena.h -- device memory: one large range of addresses that faults unless an operation of a stream
// runs.
//
// Blocks lie against the end of their last page with a page that is never accessible behind them, and an address is not
// used again until all others were: what runs past a block or uses one that was freed faults.
#pragma once

#include "tests/fake_cuda/state.h"

namespace fake_cuda {

constexpr size_t kAlignment = 256;  // what cuMemAlloc promises

// The block that holds all of [address, address + bytes), whatever its state; NULL if none does.
Block *find_block(uintptr_t address, size_t bytes);

Block &add_block(Context &context, size_t bytes);
void make_live(Block &block);     // its pages appear, full of rubbish
void remove_block(Block &block);  // its pages go

// All blocks there are, in order of address.
const std::map<CUdeviceptr, Block> &all_blocks();

uintptr_t arena_begin();
size_t arena_bytes();

// While one exists, blocks can be opened; with the last, they close.
class Opened {
 public:
  Opened() { ++depth; }
  ~Opened();
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  static int depth;
};

// Makes a live block accessible until the operations that run have ended.
void open_block(Block &block);

// Whether a kernel or copy of this device may use the block.
bool reaches(const Context &context, const Block &block);

}  // namespace fake_cuda
