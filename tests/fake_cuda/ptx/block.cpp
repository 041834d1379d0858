// tests/fake_cuda/ptx/block.cpp -- who runs when.
//
// Each lane has a program counter of its own. Of a warp's lanes that can go on those run together that are deepest in
// calls and have the smallest program counter, which brings lanes together again that went different ways. A group that
// runs for long lets others go on, so that a lane may wait in a loop for another one. Warps take turns likewise, in an
// order that differs from block to block: what relies on an order that nobody promised gives other values.
#include <algorithm>
#include <cfenv>
#include <memory>

#include "tests/fake_cuda/ptx/meeting.h"

namespace fake_cuda::ptx {
namespace {

constexpr uint64_t kGroupTurn = 3000, kWarpTurn = 200000;  // operations
constexpr uint64_t kSharedWarpTurn = 3000;                 // where all blocks of the grid take turns
constexpr uint64_t kMost = uint64_t{1} << 32;              // operations of a launch, beyond which it is said to hang
constexpr uint64_t kMostLooks = uint64_t{1} << 19;         // of lone lanes, while no barrier opens and no lane ends
constexpr uint8_t kPoison = 0xa5;                          // what memory holds that nobody wrote
constexpr uint32_t kMostLocal = 512 << 10, kMostDepth = 1000;
constexpr uint32_t kEnd = ~uint32_t{0};

// Frames of calls that have returned, for the next ones.
class FramePool {
 public:
  Frame *take(const Function &function) {
    auto &unused = unused_[&function];
    if (unused.empty()) {
      Frame &made = frames_.emplace_back();
      made.function = &function;
      made.rows.assign(size_t(function.rows) * kLanes, 0xbadbadbadbadbad);
      made.predicates.resize(function.predicates);
      made.predicates[1] = kAllLanes;
      made.parameters.resize(size_t(function.parameter_bytes) * kLanes);
      return &made;
    }
    Frame *const frame = unused.back();
    unused.pop_back();
    return frame;
  }
  void give_back(Frame *frame) { unused_[frame->function].push_back(frame); }

 private:
  std::deque<Frame> frames_;
  std::map<const Function *, std::vector<Frame *>> unused_;
};

uint64_t &special(std::vector<uint64_t> &rows, Special of, int lane) {
  return rows[size_t(of) * kLanes + size_t(lane)];
}

class LaunchRun {
 public:
  explicit LaunchRun(const Launch &launch) : launch_(launch) {
    const uint32_t *const b = launch.block;
    block_.launch = &launch;
    block_.threads = b[0] * b[1] * b[2];
    block_.arrays = launch.module->shared;
    block_.arrays.push_back({"what the launch adds", launch.module->dynamic_begin, launch.dynamic_shared});
    block_.shared.resize(launch.module->dynamic_begin + launch.dynamic_shared);
    warps_.resize((block_.threads + kLanes - 1) / kLanes);
    specials_.resize(warps_.size());
    for (uint32_t w = 0; w < warps_.size(); ++w) begin_warp(w);
  }

  Counts run() {
    if (launch_.cooperative) return run_together();
    const uint32_t *const g = launch_.grid;
    for (uint32_t z = 0; z < g[2]; ++z)
      for (uint32_t y = 0; y < g[1]; ++y)
        for (uint32_t x = 0; x < g[0]; ++x) run_block(x, y, z);
    return block_.counts;
  }

 private:
  // Lets the blocks of a cooperative launch take turns.
  Counts run_together() {
    const uint32_t *const g = launch_.grid;
    std::vector<std::unique_ptr<LaunchRun>> blocks;
    for (uint32_t z = 0; z < g[2]; ++z)
      for (uint32_t y = 0; y < g[1]; ++y)
        for (uint32_t x = 0; x < g[0]; ++x) {
          blocks.push_back(std::make_unique<LaunchRun>(launch_));
          blocks.back()->warp_turn_ = kSharedWarpTurn;
          blocks.back()->begin_block(x, y, z);
        }
    Counts counts;
    for (uint32_t turn = 0; !blocks.empty(); ++turn) {
      for (std::unique_ptr<LaunchRun> &block : blocks) {
        if (block->run_turn(turn)) continue;
        counts.add(block->block_.counts);
        block.reset();
      }
      std::erase(blocks, nullptr);
    }
    return counts;
  }

  // What is the same in all blocks.
  void begin_warp(uint32_t number) {
    Warp &warp = warps_[number];
    warp.block = &block_;
    warp.number = number;
    std::vector<uint64_t> &rows = specials_[number];
    rows.resize(size_t(Special::kCount) * kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t thread = warp.thread_of(lane);
      if (thread < block_.threads) warp.there |= Mask{1} << lane;
      fill_specials(rows, number, thread, lane);
    }
    warp.set_special(rows.data());
  }

  void fill_specials(std::vector<uint64_t> &rows, uint32_t number, uint32_t thread, int lane) {
    const uint32_t *const b = launch_.block, *const g = launch_.grid;
    const Mask own = Mask{1} << lane;
    const std::pair<Special, uint64_t> all[] = {{Special::kTidX, thread % b[0]},
                                                {Special::kTidY, thread / b[0] % b[1]},
                                                {Special::kTidZ, thread / (b[0] * b[1])},
                                                {Special::kNtidX, b[0]},
                                                {Special::kNtidY, b[1]},
                                                {Special::kNtidZ, b[2]},
                                                {Special::kNctaidX, g[0]},
                                                {Special::kNctaidY, g[1]},
                                                {Special::kNctaidZ, g[2]},
                                                {Special::kLaneid, uint64_t(lane)},
                                                {Special::kWarpid, number},
                                                {Special::kNwarpid, warps_.size()},
                                                {Special::kNsmid, 1},
                                                {Special::kLanemaskEq, own},
                                                {Special::kLanemaskLt, own - 1},
                                                {Special::kLanemaskLe, own | (own - 1)},
                                                {Special::kLanemaskGe, ~(own - 1)},
                                                {Special::kLanemaskGt, ~(own | (own - 1))},
                                                {Special::kDynamicShared, launch_.dynamic_shared},
                                                {Special::kWorkspaceHigh, launch_.workspace >> 32},
                                                {Special::kWorkspaceLow, launch_.workspace & 0xffffffffu},
                                                {Special::kTotalShared, total_shared()}};
    for (const auto &[of, value] : all) special(rows, of, lane) = value;
  }

  uint64_t total_shared() const {
    return shared_bytes_of(*launch_.module, launch_.entry->text->name.c_str()) + launch_.dynamic_shared;
  }

  void begin_block(uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t index[3] = {x, y, z};
    std::copy_n(index, 3, block_.index);
    std::fill(block_.shared.begin(), block_.shared.end(), kPoison);
    std::fill(std::begin(arrived_), std::end(arrived_), 0);
    for (uint32_t w = 0; w < warps_.size(); ++w) {
      Warp &warp = warps_[w];
      for (int d = 0; d < 3; ++d)
        std::fill_n(&special(specials_[w], Special(int(Special::kCtaidX) + d), 0), kLanes, index[d]);
      Frame *const frame = pool_.take(*launch_.entry);
      frame->parent = nullptr;
      frame->depth = 0;
      frame->lanes = warp.there;
      frame->local_begin = 0;
      for_lanes(warp.there, [&](int l) {
        warp.lanes[l] = Lane{};
        warp.lanes[l].state = LaneState::kReady;
        warp.lanes[l].frame = frame;
        need_local(warp, l, *frame);
      });
    }
  }

  void need_local(Warp &warp, int lane, const Frame &frame) {
    const uint32_t bytes = frame.local_begin + frame.function->local_bytes;
    if (bytes > warp.local[lane].size()) warp.local[lane].resize(bytes, kPoison);
  }

  void run_block(uint32_t x, uint32_t y, uint32_t z) {
    begin_block(x, y, z);
    for (uint32_t turn = x + y; run_turn(turn); ++turn) {
    }
  }

  // Lets each warp of the block run for a turn. False if all threads have ended.
  bool run_turn(uint32_t turn) {
    bool went_on = false, left = false;
    for (uint32_t k = 0; k < warps_.size(); ++k) {
      Warp &warp = warps_[turn & 1 ? warps_.size() - 1 - k : k];
      went_on = run_warp(warp) || went_on;
      left = left || alive(warp) != 0;
    }
    if (!left) return false;
    went_on = release_barriers() || went_on;
    if (!went_on) report_waiting();
    if (block_.counts.operations > kMost)
      throw Fault{CUDA_ERROR_LAUNCH_TIMEOUT, "more than 2^32 operations of warps: it seems to hang"};
    return true;
  }

  static Mask alive(const Warp &warp) {
    Mask mask = 0;
    for_lanes(warp.there, [&](int l) { mask |= Mask(warp.lanes[l].state != LaneState::kEnded) << l; });
    return mask;
  }

  // ---------------------------------------------------------------------------------------------- groups

  // The lanes that can run at the place of `of`.
  static Mask group_of(const Warp &warp, int of) {
    Mask mask = 0;
    const Lane &first = warp.lanes[of];
    for_lanes(warp.there, [&](int l) {
      const Lane &lane = warp.lanes[l];
      mask |= Mask(lane.state == LaneState::kReady && lane.frame == first.frame && lane.pc == first.pc) << l;
    });
    return mask;
  }

  // -1 if none can run.
  static int first_lane(const Warp &warp) {
    int best = -1;
    for_lanes(warp.there, [&](int l) {
      const Lane &lane = warp.lanes[l];
      if (lane.state != LaneState::kReady) return;
      const Lane &other = warp.lanes[best < 0 ? l : best];
      const bool before =
          lane.frame->depth != other.frame->depth ? lane.frame->depth > other.frame->depth : lane.pc < other.pc;
      if (best < 0 || before) best = l;
    });
    return best;
  }

  // A lane that can run and is not of this group; -1 if there is none.
  static int other_lane(const Warp &warp, Mask group) {
    for (int k = 1; k <= kLanes; ++k) {
      const int l = (std::countr_zero(group) + k) % kLanes;
      if ((warp.there & ~group) >> l & 1 && warp.lanes[l].state == LaneState::kReady) return l;
    }
    return -1;
  }

  // Where the group has to stop, because other lanes stand there.
  static uint32_t limit_of(const Warp &warp, Mask group, const Frame *frame, uint32_t pc) {
    uint32_t limit = kEnd;
    for_lanes(warp.there & ~group, [&](int l) {
      const Lane &lane = warp.lanes[l];
      if (lane.state == LaneState::kReady && lane.frame == frame && lane.pc > pc) limit = std::min(limit, lane.pc);
    });
    return limit;
  }

  bool run_warp(Warp &warp) {
    bool went_on = false;
    uint64_t end = block_.counts.operations + warp_turn_;
    int next = -1;
    uint64_t turn = block_.counts.operations + kGroupTurn;
    const uint64_t looks_end = all_looks_ + kLanes;  // then others may be what it waits for
    while (block_.counts.operations < end && all_looks_ < looks_end) {
      int lane = next >= 0 && warp.lanes[next].state == LaneState::kReady ? next : first_lane(warp);
      if (lane < 0 && resolve_meetings(warp)) lane = first_lane(warp);
      if (lane < 0) return went_on;
      went_on = true;
      const Mask group = group_of(warp, lane);
      looks_again_ = false;
      const uint64_t tries = block_.tries;
      run_group(warp, group, turn);
      next = -1;
      const bool tries_again = block_.tries != tries;  // to get a lock, perhaps, which one of the others has
      if (tries_again) end = std::min(end, block_.counts.operations + kSharedWarpTurn);
      if (!looks_again_ && !tries_again && block_.counts.operations < turn) continue;
      if (looks_again_) resolve_meetings(warp);  // among those that wait may be what it waits for
      next = other_lane(warp, group);
      turn = block_.counts.operations + kGroupTurn;
    }
    return went_on;
  }

  static void stand(Warp &warp, Mask lanes, uint32_t pc) {
    for_lanes(lanes, [&](int l) { warp.lanes[l].pc = pc; });
  }

  // Runs lanes that stand at one place until they part, wait, end or reach others, or their turn is over.
  void run_group(Warp &warp, Mask group, uint64_t turn) {
    Lane &first = warp.lanes[std::countr_zero(group)];
    Frame *const frame = first.frame;
    uint32_t pc = first.pc;
    warp.enter(frame);
    const uint32_t limit = limit_of(warp, group, frame, pc);
    const Op *const ops = frame->function->ops.data();
    uint64_t &done = block_.counts.operations;
    for (;;) {
      const Op &op = ops[pc];
      Mask lanes = group;
      if (op.guarded) lanes &= op.guard_negated ? ~frame->predicates[op.guard] : frame->predicates[op.guard];
      ++done;
      if (op.flow == Flow::kNext) {
        if (lanes) op.execute(warp, op, lanes);
        ++pc;
      } else if (lanes == 0) {
        ++pc;
      } else if (op.flow == Flow::kBranch && lanes == group) {
        const bool back = op.target <= pc;
        pc = op.target;
        if (back && (limit != kEnd || done >= turn)) return stand(warp, group, pc);
      } else if (op.flow == Flow::kMeeting && lanes == group && meets_at_once(warp, op, lanes)) {
        ++pc;
        if (looks_again_) return stand(warp, group, pc);
      } else {
        stand(warp, group, pc + 1);
        return part(warp, op, lanes, pc);
      }
      if (pc >= limit) return stand(warp, group, pc);
    }
  }

  // What splits the group, makes it wait or takes it elsewhere; the lanes stand behind the operation.
  void part(Warp &warp, const Op &op, Mask lanes, uint32_t pc) {
    switch (op.flow) {
      case Flow::kBranch:
        return stand(warp, lanes, op.target);
      case Flow::kTable:
        return branch_by_table(warp, op, lanes);
      case Flow::kCall:
        return call(warp, op, lanes, pc);
      case Flow::kReturn:
        return for_lanes(lanes, [&](int l) { leave(warp, l); });
      case Flow::kExit:
        return for_lanes(lanes, [&](int l) {
          while (warp.lanes[l].state != LaneState::kEnded) leave(warp, l);
        });
      case Flow::kBlockBarrier:
        return arrive(warp, op, lanes);
      default:
        bring(warp, op, lanes);
        for_lanes(lanes, [&](int l) { warp.lanes[l].state = LaneState::kAtMeeting; });
    }
  }

  void branch_by_table(Warp &warp, const Op &op, Mask lanes) {
    for_lanes(lanes, [&](int l) {
      const uint64_t index = warp.row(op.from[0])[l];
      if (index >= op.table->size()) fault(warp, op, l, CUDA_ERROR_INVALID_PC, "a branch beyond its table");
      warp.lanes[l].pc = (*op.table)[index];
    });
  }

  // ---------------------------------------------------------------------------------------------- calls

  void call(Warp &warp, const Op &op, Mask lanes, uint32_t pc) {
    const CallSite &site = *op.call;
    Frame *const frame = pool_.take(*site.callee);
    frame->parent = warp.frame;
    frame->depth = warp.frame->depth + 1;
    frame->return_to = pc + 1;
    frame->site = &site;
    frame->lanes = lanes;
    frame->local_begin = warp.frame->local_begin + warp.frame->function->local_bytes;
    const bool deep = frame->depth > kMostDepth || frame->local_begin + site.callee->local_bytes > kMostLocal;
    if (deep) fault(warp, op, std::countr_zero(lanes), CUDA_ERROR_HARDWARE_STACK_ERROR, "the stack is full");
    for_lanes(lanes, [&](int l) {
      copy(site.arguments, warp.frame, frame, l, true);
      need_local(warp, l, *frame);
      warp.lanes[l].frame = frame;
      warp.lanes[l].pc = 0;
    });
  }

  static void copy(const std::vector<CallSite::Piece> &pieces, Frame *caller, Frame *callee, int lane, bool in) {
    uint8_t *const outer = caller->parameters.data() + size_t(lane) * caller->function->parameter_bytes;
    uint8_t *const inner = callee->parameters.data() + size_t(lane) * callee->function->parameter_bytes;
    for (const CallSite::Piece &piece : pieces)
      std::memcpy(in ? inner + piece.callee : outer + piece.caller, in ? outer + piece.caller : inner + piece.callee,
                  piece.bytes);
  }

  // Of the function the lane is in; the kernel's end is the lane's.
  void leave(Warp &warp, int l) {
    Lane &lane = warp.lanes[l];
    Frame *const frame = lane.frame;
    if (frame->parent) {
      copy(frame->site->results, frame->parent, frame, l, false);
      lane.pc = frame->return_to;
    } else {
      lane.state = LaneState::kEnded;
      looks_ = 0;
    }
    lane.frame = frame->parent;
    frame->lanes &= ~(Mask{1} << l);
    if (frame->lanes == 0) pool_.give_back(frame);
  }

  // ---------------------------------------------------------------------------------------------- meetings

  // The usual case: those that are awaited are those that come.
  bool meets_at_once(Warp &warp, const Op &op, Mask lanes) {
    bring(warp, op, lanes);
    const Mask mask = warp.lanes[std::countr_zero(lanes)].mask;
    bool same = true;
    for_lanes(lanes, [&](int l) { same = same && warp.lanes[l].mask == mask; });
    if (!same || (mask & alive(warp)) != lanes) return false;
    looks_again_ = note_look(warp, std::countr_zero(lanes));
    meet(warp, lanes);
    return true;
  }

  // Whether the lane waits for itself alone, as cuda::barrier does between two looks whether others have come.
  bool note_look(const Warp &warp, int l) {
    const Lane &lane = warp.lanes[l];
    if (Meeting(lane.op->kind) != Meeting::kSync || !std::has_single_bit(lane.mask)) return false;
    ++all_looks_;
    if (++looks_ > kMostLooks)
      fault(warp, *lane.op, l, CUDA_ERROR_LAUNCH_FAILED, "deadlock: it looks without end whether others have come");
    return true;
  }

  bool resolve_meetings(Warp &warp) {
    bool found = false;
    const Mask living = alive(warp);
    for_lanes(living, [&](int l) {
      const Lane &lane = warp.lanes[l];
      if (lane.state != LaneState::kAtMeeting) return;
      if (!(lane.mask >> l & 1)) fault(warp, *lane.op, l, CUDA_ERROR_LAUNCH_FAILED, "a lane is not of its own mask");
      const Mask awaited = lane.mask & living;
      Mask here = 0;
      for_lanes(awaited, [&](int k) {
        const Lane &other = warp.lanes[k];
        const bool same =
            other.state == LaneState::kAtMeeting && other.mask == lane.mask && other.op->kind == lane.op->kind;
        here |= Mask(same) << k;
      });
      if (here != awaited) return;
      note_look(warp, l);
      meet(warp, here);
      for_lanes(here, [&](int k) { warp.lanes[k].state = LaneState::kReady; });
      found = true;
    });
    return found;
  }

  // ---------------------------------------------------------------------------------------------- barriers

  void arrive(Warp &warp, const Op &op, Mask lanes) {
    const Mask brought = warp.predicate(op.predicate[0]) ^ (op.from_negated ? kAllLanes : 0);
    for_lanes(lanes, [&](int l) {
      const uint64_t barrier = warp.row(op.from[0])[l], awaited = warp.row(op.from[1])[l];
      if (barrier > 15) fault(warp, op, l, CUDA_ERROR_LAUNCH_FAILED, "there are 16 barriers");
      if (awaited % kLanes || awaited > 1024)
        fault(warp, op, l, CUDA_ERROR_LAUNCH_FAILED, "a barrier for a number of threads that is no multiple of 32");
      Lane &lane = warp.lanes[l];
      lane.op = &op;
      lane.barrier = uint32_t(barrier);
      lane.awaited = uint32_t(awaited);
      lane.brought[0] = brought >> l & 1;
      if (BlockBarrier(op.kind) == BlockBarrier::kArrive)
        ++arrived_[barrier];
      else
        lane.state = LaneState::kAtBarrier;
    });
  }

  template <typename F>
  void for_waiting(uint32_t barrier, F f) {
    for (Warp &warp : warps_)
      for_lanes(warp.there, [&](int l) {
        if (warp.lanes[l].state == LaneState::kAtBarrier && warp.lanes[l].barrier == barrier) f(warp, l);
      });
  }

  bool release_barriers() {
    bool found = false;
    for (uint32_t barrier = 0; barrier < 16; ++barrier) found = release(barrier) || found;
    return found;
  }

  // True if all have come.
  bool release(uint32_t barrier) {
    uint32_t waiting = 0, yes = 0, awaited = 0, living = 0;
    for_waiting(barrier, [&](Warp &warp, int l) {
      const Lane &lane = warp.lanes[l];
      if (waiting++ && lane.awaited != awaited)
        fault(warp, *lane.op, l, CUDA_ERROR_LAUNCH_FAILED, "threads await another number of threads at one barrier");
      awaited = lane.awaited;
      yes += uint32_t(lane.brought[0]);
    });
    if (waiting == 0) return false;
    for (const Warp &warp : warps_) living += uint32_t(std::popcount(alive(warp)));
    const uint32_t wanted = awaited ? awaited : living, come = waiting + arrived_[barrier];
    if (come < wanted) return false;
    if (come > wanted) throw Fault{CUDA_ERROR_LAUNCH_FAILED, "more threads come to a barrier than it is for"};
    for_waiting(barrier, [&](Warp &warp, int l) {
      check_together(warp, l);
      give_result(warp, l, yes, waiting);
    });
    for_waiting(barrier, [](Warp &warp, int l) { warp.lanes[l].state = LaneState::kReady; });
    arrived_[barrier] = 0;
    looks_ = 0;
    return true;
  }

  // bar.sync is for whole warps, at one place.
  static void check_together(const Warp &warp, int l) {
    const Lane &lane = warp.lanes[l];
    if (!lane.op->width) return;
    for_lanes(alive(warp), [&](int k) {
      const Lane &other = warp.lanes[k];
      if (other.state != LaneState::kAtBarrier || other.op != lane.op)
        fault(warp, *lane.op, l, CUDA_ERROR_LAUNCH_FAILED,
              "divergence: lane " + std::to_string(k) + " of its warp is elsewhere");
    });
  }

  static void give_result(Warp &warp, int l, uint32_t yes, uint32_t waiting) {
    const Op &op = *warp.lanes[l].op;
    const BlockBarrier kind = BlockBarrier(op.kind);
    if (kind == BlockBarrier::kPopc) give(warp, l, op.to[0], yes);
    if (kind == BlockBarrier::kAnd) give_predicate(warp, l, op.predicate[1], yes == waiting);
    if (kind == BlockBarrier::kOr) give_predicate(warp, l, op.predicate[1], yes != 0);
  }

  // Nobody can go on: tells of one that waits, and of one that is not there.
  [[noreturn]] void report_waiting() {
    uint32_t living = 0, waiting = 0;
    const Warp *of = nullptr;
    int at = 0;
    for (const Warp &warp : warps_)
      for_lanes(alive(warp), [&](int l) {
        ++living;
        waiting += warp.lanes[l].state == LaneState::kAtBarrier;
        if (!of) of = &warp, at = l;
      });
    fault(*of, *of->lanes[at].op, at, CUDA_ERROR_LAUNCH_FAILED,
          "divergence: a thread waits for others that do not come; of " + std::to_string(living) + " threads " +
              std::to_string(waiting) + " are at a barrier");
  }

  const Launch &launch_;
  Block block_;
  std::vector<Warp> warps_;
  std::vector<std::vector<uint64_t>> specials_;
  FramePool pool_;
  uint32_t arrived_[16] = {};
  uint64_t warp_turn_ = kWarpTurn;
  bool looks_again_ = false;  // whether the group that ran last did that, so that others go on
  uint64_t looks_ = 0;        // of all lanes, since a barrier opened or a lane ended
  uint64_t all_looks_ = 0;
};

// Gives a cooperative launch the two words that the driver gives it.
Counts run_cooperatively(const Launch &launch) {
  alignas(8) uint32_t words[2] = {sizeof words, 0};
  const auto begin = reinterpret_cast<uint64_t>(words);
  Launch with_words = launch;
  with_words.workspace = begin;
  with_words.find = [&](uint64_t address, uint64_t bytes) {
    if (address < begin || address + bytes > begin + sizeof words) return launch.find(address, bytes);
    return Launch::Range{begin, sizeof words};
  };
  return LaunchRun(with_words).run();
}

}  // namespace

void fault(const Warp &warp, const Op &op, int lane, CUresult code, const std::string &what) {
  const uint32_t *const index = warp.block->index;
  throw Fault{code, what + ", thread " + std::to_string(warp.thread_of(lane)) + " of block " +
                        std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]) +
                        ", line " + std::to_string(op.statement->line) + ": " + op.statement->text};
}

Counts run(const Launch &launch) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetenv(FE_DFL_ENV);
  struct Restored {
    ~Restored() { std::fesetenv(environment); }
    const std::fenv_t *environment;
  } restored{&before};
  return launch.cooperative ? run_cooperatively(launch) : LaunchRun(launch).run();
}

}  // namespace fake_cuda::ptx
