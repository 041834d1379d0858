// plugins/cpu/kernel/block_run.cpp -- see block_run.h.
#include "plugins/cpu/kernel/block_run.h"

#include <algorithm>

#include "plugins/cpu/kernel/block_check.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

constexpr size_t kAlignment = 64;

// How often threads of a block look whether others have come, while all wait, before that is called a deadlock: about
// half a second. Where there are other blocks, which may be what they wait for, it is several.
constexpr uint64_t kMostLooks = uint64_t{1} << 23, kMostLooksAtBlocks = uint64_t{1} << 27;

// Rounds in which threads only look whether others have come, before lanes that ask who is at their place do not wait
// for these any more. One that has found the others may go on to look for others again.
constexpr uint32_t kQuietRounds = 4;

constexpr size_t kEndBytes = 64;  // behind the shared memory, which no kernel may write
constexpr char kEndByte = '\x5a';

char *aligned(std::vector<char> &memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.data() + (-address & (kAlignment - 1));
}

using Resume = void (*)(void *frame);

// A frame begins with the function that resumes it, which is NULL once the thread has returned ("Coroutines in LLVM").
Resume resumption(const BlockThread &thread) { return *static_cast<Resume *>(thread.frame); }

}  // namespace

BlockRun::BlockRun(const RawCode &code, const gpuopt_kernel_launch &launch, const void *const *arguments,
                   BlockCheck *check, const LaunchTask &task)
    : code_(code),
      in_loops_(code.run_block && (!code.run_thread || launch.block[1] * launch.block[2] == 1)),
      launch_(launch),
      arguments_(arguments),
      check_(check),
      calls_(task) {
  const size_t all = size_t{launch.block[0]} * launch.block[1] * launch.block[2], count = in_loops_ ? 1 : all;
  threads_.resize(count);
  released_.resize(count);
  frame_bytes_ = ((in_loops_ ? code.block_frame_bytes : code.frame_bytes) + kAlignment - 1) / kAlignment * kAlignment;
  frames_.resize(frame_bytes_ * all + kAlignment);
  shared_.resize(code.shared_bytes + launch.shared_bytes + kAlignment + kEndBytes);
  mark_end();
  prepare_threads();
}

void BlockRun::mark_end() {
  std::fill_n(aligned(shared_) + code_.shared_bytes + launch_.shared_bytes, kEndBytes, kEndByte);
}

void BlockRun::check_end() const {
  const uint64_t bytes = code_.shared_bytes + launch_.shared_bytes;
  const char *const end = threads_.front().shared + bytes;
  if (std::all_of(end, end + kEndBytes, [](char byte) { return byte == kEndByte; })) return;
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0,
                        "block " + indices_text(launch_.grid, block_) + " has written behind its " +
                            std::to_string(bytes) + " bytes of shared memory"};
}

// What is the same for all blocks.
void BlockRun::prepare_threads() {
  const uint32_t *const size = launch_.block;
  for (size_t k = 0; k < threads_.size(); k++) {
    BlockThread &t = threads_[k];
    std::copy_n(size, 3, t.block_size);
    std::copy_n(launch_.grid, 3, t.grid_size);
    t.index[0] = static_cast<uint32_t>(k % size[0]);
    t.index[1] = static_cast<uint32_t>(k / size[0] % size[1]);
    t.index[2] = static_cast<uint32_t>(k / size[0] / size[1]);
    t.number = static_cast<uint32_t>(k);
    t.shared = aligned(shared_);
    t.frame = aligned(frames_) + frame_bytes_ * k;
  }
}

// This is done between blocks, each of which may take less than a microsecond. Members are set one by one, since GCC
// clears a whole thread by an instruction before which processors wait until earlier stores are in the cache.
void BlockRun::place(uint64_t number) {
  const uint32_t *const grid = launch_.grid;
  const uint64_t row = number / grid[0];
  const auto x = static_cast<uint32_t>(number % grid[0]), y = static_cast<uint32_t>(row % grid[1]),
             z = static_cast<uint32_t>(row / grid[1]);
  for (BlockThread &t : threads_) {
    t.block[0] = x;
    t.block[1] = y;
    t.block[2] = z;
    t.exchange = 0;
    t.mask = 0;
    t.waits_for = t.polls = 0;
  }
}

bool BlockRun::run(uint64_t number) {
  block_ = number;
  place(number);
  return run_watching(true);
}

bool BlockRun::go_on() { return run_watching(false); }

// Runs the block from its beginning, or on from where it waits for the grid.
bool BlockRun::run_watching(bool begin) {
  thread_ = -1;
  if (calls_.run([=, this] { run_threads(begin); })) {
    if (alive_ == 0) check_end();
    return alive_ == 0;
  }
  const int64_t thread = calls_.thread() < 0 ? thread_ : calls_.thread();
  const std::string of =
      thread < 0 ? "" : "thread " + indices_text(launch_.block, static_cast<uint64_t>(thread)) + " of ";
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0,
                        calls_.reason(of + "block " + indices_text(launch_.grid, block_))};
}

void BlockRun::run_threads(bool begin) {
  if (in_loops_) return code_.run_block(arguments_, threads_.data());
  if (check_ && begin)
    check_->begin_block({block_,
                         threads_,
                         aligned(shared_),
                         code_.shared_bytes + launch_.shared_bytes,
                         {frames_.data(), frames_.size()},
                         static_cast<const char *>(__builtin_frame_address(0))});
  idle_looks_ = 0;
  goes_on_ = true;
  begin ? start() : leave_grid_wait();
  while (alive_) {
    if (waits_for_grid()) return;
    if (check_) check_->stop_if_found();
    quiet_rounds_ = goes_on_ ? 0 : quiet_rounds_ + 1;
    goes_on_ = false;
    if (!release()) report_deadlock();
    resume();
    if (goes_on_) {
      idle_looks_ = 0;
    } else {
      note_polls();
    }
  }
  if (check_) check_->end_block();
}

// Whether all threads that have not returned wait for those of all blocks.
bool BlockRun::waits_for_grid() const {
  const bool all = std::all_of(threads_.begin(), threads_.end(), [](const BlockThread &thread) {
    return thread.waits_for == kWaitsForGrid || !resumption(thread);
  });
  if (all && check_)
    throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0,
                          "GPUOPT_CPU_CHECK does not follow blocks that wait for each other (this_grid().sync())"};
  return all;
}

void BlockRun::leave_grid_wait() {
  for (size_t k = 0; k < threads_.size(); k++) released_[k] = resumption(threads_[k]) != nullptr;
  resume();
}

// Called when all threads of a round looked whether others have come, and the others wait for their block.
void BlockRun::note_polls() {
  const uint64_t blocks = uint64_t{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
  if (idle_looks_ < (blocks > 1 ? kMostLooksAtBlocks : kMostLooks)) return;
  for (size_t k = 0; k < threads_.size(); k++) released_[k] = resumption(threads_[k]) != nullptr;
  if (check_) check_->report_deadlock(released_);
  report_deadlock();
}

// "; thread (0, 0, 0) waits for its block", of the first thread that waits so; "" if none does.
std::string BlockRun::first_waiting(int32_t waits_for) const {
  for (size_t k = 0; k < threads_.size(); k++) {
    if (!resumption(threads_[k]) || threads_[k].waits_for != waits_for) continue;
    return "; thread " + indices_text(launch_.block, k) + " waits for " +
           (waits_for == kWaitsForBlock  ? "its block"
            : waits_for == kWaitsForGrid ? "the grid"
            : threads_[k].polls          ? "a barrier, latch, semaphore or pipeline"
                                         : "lanes of its warp");
  }
  return "";
}

void BlockRun::report_deadlock() {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0,
                        "threads of a block wait for others that wait elsewhere: a barrier that not all reach, in "
                        "block " +
                            indices_text(launch_.grid, block_) + first_waiting(kWaitsForBlock) +
                            first_waiting(kWaitsForWarp) + first_waiting(kWaitsForGrid) +
                            " (GPUOPT_CPU_CHECK=1 names the lines)"};
}

void BlockRun::start() {
  alive_ = threads_.size();
  for (BlockThread &thread : threads_) {
    thread_ = thread.number;
    code_.run_thread(arguments_, &thread);
    count_out(thread);
  }
}

// Counts a thread that has returned. Votes and reductions of its warp are those of the threads that are left.
void BlockRun::count_out(BlockThread &thread) {
  if (resumption(thread)) return;
  alive_--;
  goes_on_ = true;
  thread.exchange = 0;
}

// Marks the threads that may go on: the lanes of warp operations that all of their lanes have reached or, if there are
// none, all threads of the block if all wait at a barrier. False if no thread may go on.
bool BlockRun::release() {
  std::fill(released_.begin(), released_.end(), 0);
  bool any = false, all_at_block = true;
  for (size_t k = 0; k < threads_.size(); k += kWarp) {
    const size_t end = std::min(k + kWarp, threads_.size());
    any |= release_warp(k, end);
    any |= release_converged(k, end);
  }
  if (any) return true;
  for (size_t k = 0; k < threads_.size(); k++) {
    released_[k] = resumption(threads_[k]) != nullptr;
    if (released_[k]) all_at_block &= threads_[k].waits_for == kWaitsForBlock;
  }
  goes_on_ = true;
  if (check_) all_at_block ? check_->meet_block(released_) : check_->report_deadlock(released_);
  return all_at_block;
}

bool BlockRun::release_warp(size_t begin, size_t end) {
  bool any = false;
  for (size_t k = begin; k < end; k++) {
    const BlockThread &thread = threads_[k];
    if (released_[k] || !resumption(thread) || thread.waits_for != kWaitsForWarp) continue;
    const auto is_met = [&](size_t lane) {
      const BlockThread &other = threads_[begin + lane];
      return !resumption(other) || (other.waits_for == kWaitsForWarp && other.mask == thread.mask);
    };
    bool met = true;
    for (size_t lane = 0; lane < end - begin; lane++) met &= !(thread.mask >> lane & 1) || is_met(lane);
    if (!met) continue;
    any = true;
    idle_looks_ += thread.polls != 0;
    goes_on_ |= thread.polls == 0;
    for (size_t lane = 0; lane < end - begin; lane++) {
      if (thread.mask >> lane & 1 && resumption(threads_[begin + lane])) released_[begin + lane] = 1;
    }
    released_[k] = 1;
    if (check_) check_->meet_warp(k, released_);
  }
  return any;
}

// Lets the lanes of a warp go on that ask who else is at their place (plugins/jit/lower/converge.h), if all its lanes
// wait and none of the others goes on, except to look again, which has not helped anybody for some rounds. Of several
// places it is the first in the kernel, as the lanes there may still come to the others: so lanes meet behind
// the branches in which they were apart. Each is told of those that are there. Returns whether there are any.
bool BlockRun::release_converged(size_t begin, size_t end) {
  uint32_t place = UINT32_MAX, lanes = 0;
  const auto asks = [&](size_t k) { return resumption(threads_[k]) && threads_[k].waits_for == kWaitsConverged; };
  for (size_t k = begin; k < end; k++) {
    if (released_[k] && (!threads_[k].polls || quiet_rounds_ < kQuietRounds)) return false;
    if (asks(k)) place = std::min(place, threads_[k].mask);
  }
  for (size_t k = begin; k < end; k++)
    if (asks(k) && threads_[k].mask == place) lanes |= 1u << (k - begin);
  for (size_t k = begin; k < end; k++)
    if (lanes >> (k - begin) & 1) released_[k] = 1, threads_[k].mask = lanes;
  goes_on_ |= lanes != 0;
  return lanes != 0;
}

void BlockRun::resume() {
  for (size_t k = 0; k < threads_.size(); k++) {
    if (!released_[k]) continue;
    thread_ = static_cast<int64_t>(k);
    threads_[k].polls = 0;
    resumption(threads_[k])(threads_[k].frame);
    goes_on_ |= threads_[k].polls == 0;
    count_out(threads_[k]);
  }
}

}  // namespace gpuopt::cpu
