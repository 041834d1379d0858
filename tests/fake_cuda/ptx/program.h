// tests/fake_cuda/ptx/program.h -- a module ready to run: operations with their operands found, and its variables in
// memory.
//
// PTX is interpreted rather than translated to C++ and compiled. A compiler takes 0.3 to 1 s for each kernel, and the
// suites have thousands, nearly all of which run on a few thousand elements; here an operation is decoded once and then
// done for the 32 lanes of a warp together, which takes some 20 ns, and nothing has to be installed or kept on a disk.
// It also leaves each lane's registers, program counter and place in the order of events in the hands of the
// interpreter, which therefore sees whatever lanes do to one another.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/fake_cuda/ptx/syntax.h"

namespace fake_cuda::ptx {

constexpr int kLanes = 32;
using Mask = uint32_t;  // of lanes
constexpr Mask kAllLanes = ~Mask{0};

class Warp;
struct Op;
struct Function;

// Does the operation for these lanes of a warp.
using Execute = void (*)(Warp &warp, const Op &op, Mask lanes);

// Where an operand's row of 32 values of 64 bits lies: in the frame, among the function's constants, or among what the
// launch, the block and the warp give. A value is in the low bits, with zeros above.
using Row = uint32_t;
enum : uint32_t { kFrameRow = 0, kConstantRow = 1u << 30, kSpecialRow = 2u << 30, kRowKinds = 3u << 30 };

// The rows that are no registers. The last ones are read anew each time.
enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicShared,
  kTotalShared,
  kWorkspaceHigh,
  kWorkspaceLow,
  kClock,
  kSink,  // what `_` takes
  kCount
};

enum class Flow : uint8_t { kNext, kBranch, kTable, kCall, kReturn, kExit, kBlockBarrier, kMeeting };

// What lanes bring together: those of one mask do the same kind.
enum class Meeting : uint8_t {
  kSync,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kShuffleIndex,
  kVoteAll,
  kVoteAny,
  kVoteUniform,
  kBallot,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kElect
};

enum class BlockBarrier : uint8_t { kSync, kArrive, kPopc, kAnd, kOr };

// A call's arguments and results: pieces of the caller's and the callee's parameter space.
struct CallSite {
  const Function *callee = nullptr;
  struct Piece {
    uint32_t caller, callee, bytes;
  };
  std::vector<Piece> arguments, results;
};

struct Op {
  Execute execute = nullptr;
  Flow flow = Flow::kNext;
  bool guarded = false, guard_negated = false;
  bool to_predicate = false, from_negated = false;  // what the family says
  bool narrow = false;                              // an address of 32 bits, which wraps around
  uint8_t kind = 0;                                 // Meeting, BlockBarrier, or what the family says
  uint8_t width = 0;                                // of a register that a load fills
  uint32_t guard = 0;                               // predicate
  uint32_t target = 0;
  Row to[8] = {}, from[9] = {};
  uint32_t count = 1;          // of a vector's elements
  uint32_t predicate[3] = {};  // read or written, as the family says
  int64_t immediate = 0;       // added to an address, or what the family says
  const CallSite *call = nullptr;
  const std::vector<uint32_t> *table = nullptr;
  const Statement *statement = nullptr;
};

struct Function {
  const FunctionText *text = nullptr;
  std::vector<Op> ops;
  std::vector<Type> registers;
  std::vector<uint32_t> place;        // of a register: its row, or its number among predicates
  uint32_t rows = 0, predicates = 2;  // predicate 0 is false, 1 is true
  std::vector<uint64_t> constants;    // 32 times each, so that they are rows
  std::map<uint64_t, Row> constant_rows;
  uint32_t parameter_bytes = 0, local_bytes = 0;
  std::map<const Variable *, uint32_t> places;  // of parameters and local variables
  std::deque<CallSite> calls;
  std::set<const Variable *> shared;  // arrays it uses, and later those of what it calls
  std::deque<std::vector<uint32_t>> tables;
};

// An array in shared memory, or what a launch adds: the only bytes there that lanes may use.
struct SharedArray {
  std::string name;
  uint64_t begin = 0, bytes = 0;
};

// All arrays in shared memory have places of their own, whichever kernel they are of; what a launch adds lies behind.
// Between them, before and behind, are bytes that are nobody's.
struct Module {
  ModuleText text;
  std::deque<Function> functions;
  std::map<std::string, Function *> by_name;
  std::map<const Variable *, uint64_t> addresses;  // of global and constant variables, and places in shared memory
  struct Released {
    void operator()(uint8_t *memory) const { ::operator delete[](memory, std::align_val_t(256)); }
  };
  std::unique_ptr<uint8_t[], Released> memory;  // of global and constant variables
  uint64_t memory_bytes = 0, constant_begin = 0, constant_end = 0;
  std::vector<SharedArray> shared;  // in the order of their places, without what a launch adds,
  uint64_t dynamic_begin = 0;       // which begins here
};

// Of the static arrays that a kernel and what it calls use.
uint32_t shared_bytes_of(const Module &module, const char *kernel);

// Throws BadPtx naming the first statement that is not known.
std::shared_ptr<Module> load_module(const std::string &text);

// Addresses that say which space they are in. Global and constant memory have the host's addresses, which are below.
constexpr uint64_t kSharedWindow = uint64_t{1} << 56, kLocalWindow = uint64_t{2} << 56,
                   kParameterWindow = uint64_t{3} << 56, kWindowBytes = uint64_t{1} << 32;

}  // namespace fake_cuda::ptx
