// tests/fake_cuda/ptx/warp.h -- 32 lanes, each with a program counter of its own, and the block they are of.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <string>

#include "plugins/cuda/driver/driver_types.h"
#include "tests/fake_cuda/ptx/program.h"

namespace fake_cuda::ptx {

// What ends a kernel: thrown with a code of the driver.
struct Fault {
  CUresult code;
  std::string message;
};

// A call of a function by some lanes of a warp.
struct Frame {
  const Function *function = nullptr;
  Frame *parent = nullptr;
  uint32_t depth = 0, return_to = 0;
  const CallSite *site = nullptr;
  Mask lanes = 0;              // that are in it, or in what it called
  std::vector<uint64_t> rows;  // 32 of each register
  std::vector<Mask> predicates;
  std::vector<uint8_t> parameters;  // of each lane, one behind the other
  uint32_t local_begin = 0;         // in each lane's local memory
  Mask carry = 0;                   // the flag of add.cc
};

enum class LaneState : uint8_t { kReady, kAtMeeting, kAtBarrier, kEnded };

struct Lane {
  LaneState state = LaneState::kEnded;
  Frame *frame = nullptr;
  uint32_t pc = 0;
  // At a meeting: what was brought. At a barrier: its number and how many are awaited.
  const Op *op = nullptr;
  Mask mask = 0;
  uint64_t brought[3] = {};
  uint32_t barrier = 0, awaited = 0;
};

struct Launch {
  const Module *module = nullptr;
  const Function *entry = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  std::vector<uint8_t> parameters;
  bool cooperative = false;  // all blocks run at a time, so that they may wait for each other
  uint64_t workspace = 0;    // of such a launch: what %envreg1 and %envreg2 say; ptx::run() sets it
  // Opens the memory at an address, at least `bytes` of it; gives {0, 0} where there is none.
  struct Range {
    uint64_t base, bytes;
  };
  std::function<Range(uint64_t address, uint64_t bytes)> find;
};

struct Counts {
  uint64_t loads = 0, stores = 0, bytes_loaded = 0, bytes_stored = 0, operations = 0;
  void add(const Counts &more) {
    loads += more.loads;
    stores += more.stores;
    bytes_loaded += more.bytes_loaded;
    bytes_stored += more.bytes_stored;
    operations += more.operations;
  }
};

struct Block {
  const Launch *launch = nullptr;
  uint32_t index[3] = {};
  uint32_t threads = 0;
  std::vector<uint8_t> shared;
  std::vector<SharedArray> arrays;  // in it
  size_t last_array = 0;            // that was used
  Launch::Range windows[4] = {};
  int next_window = 0;
  Counts counts;
  uint64_t clock = 0;
  uint64_t tries = 0;  // atomic operations that compare
};

class Warp {
 public:
  Block *block = nullptr;
  uint32_t number = 0;
  Lane lanes[kLanes];
  Mask there = 0;  // lanes that exist

  // Of the lanes that run now, all of which are in this frame at this operation.
  Frame *frame = nullptr;

  uint64_t *row(Row operand) const { return base_[operand >> 30] + size_t(operand & ~kRowKinds) * kLanes; }
  Mask &predicate(uint32_t number_of) const { return frame->predicates[number_of]; }

  void enter(Frame *now) {
    frame = now;
    base_[0] = now->rows.data();
    base_[1] = const_cast<uint64_t *>(now->function->constants.data());
  }
  void set_special(uint64_t *rows) { base_[2] = rows; }

  // Memory of the lane; it grows with calls.
  std::vector<uint8_t> local[kLanes];

  uint32_t thread_of(int lane) const { return number * kLanes + uint32_t(lane); }

 private:
  uint64_t *base_[3] = {};
};

// f(lane) for each lane of the mask. Where all 32 do the same the loop is one that compilers turn into vectors.
template <typename F>
inline void for_lanes(Mask mask, F f) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
    return;
  }
  for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

template <typename T>
inline T value_of(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
inline uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

[[noreturn]] void fault(const Warp &warp, const Op &op, int lane, CUresult code, const std::string &what);

// Runs the blocks of a launch one after the other, and the warps of each in an order that changes. Throws Fault.
Counts run(const Launch &launch);

}  // namespace fake_cuda::ptx
