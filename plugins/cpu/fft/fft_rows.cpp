// plugins/cpu/fft/fft_rows.cpp -- carries out the stages of a plan.
#include "plugins/cpu/fft/fft_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/fft/factors.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kRow = 2 * kFftRow;  // bytes of an element of a block

int64_t in_blocks(int64_t count, int64_t lanes) noexcept { return (count + lanes - 1) / lanes; }

// Two blocks, from one to the other of which a stage goes.
struct TwoBlocks {
  char *in, *out;
  void swap() noexcept { std::swap(in, out); }
};

bool has_fused_loops(const FftStage &stage, const FftPlaces &places, int64_t real) noexcept {
  return (stage.radix == 4 || stage.radix == 8) && places.next == 2 * real && places.lanes * real == kFftRow;
}

// Carries out the stages but the last on elements that are in memory: the result is in blocks.in.
void load_and_run(const FftPlan &plan, const FftPlaces &from, bool exchanged, TwoBlocks &blocks, size_t count) {
  const FftLoops &loops = *plan.loops;
  size_t i = 0;
  if (count > 0 && has_fused_loops(plan.first[0], from, fft_real(plan.dtype))) {
    loops.load_stage(plan.first[i++], from, exchanged, blocks.in);
  } else {
    loops.load(blocks.in, from, plan.rows, exchanged);
  }
  for (; i < count; i++, blocks.swap()) loops.stage(plan.first[i], blocks.in, blocks.out);
}

// Carries out the last stage, and stores what comes out of it.
void store_last(const FftPlan &plan, const FftStage &last, int64_t size, TwoBlocks &blocks, const FftCall &call,
                const FftPlaces &to) {
  const FftLoops &loops = *plan.loops;
  if (has_fused_loops(last, to, fft_real(plan.dtype))) {
    return loops.store_stage(last, blocks.in, to, call.scale, call.inverse);
  }
  loops.stage(last, blocks.in, blocks.out);
  loops.store(to, blocks.out, size, call.scale, call.inverse);
}

// ---- What comes from memory

// Reads what a call reads, and prefetches what it writes, each line from its beginning to its end. Processors foresee
// that order. They do not foresee the order of the stages, which would wait for memory again and again.
void fetch(const FftPlan &plan, const FftCall &call) noexcept {
  constexpr int64_t kLine = 64;       // bytes of a cache line
  constexpr int64_t kMost = 1 << 18;  // bytes that fit into a second-level cache
  const int64_t complex = 2 * fft_real(plan.dtype), bytes = plan.n * complex;
  if (call.from.step != complex || call.to.step != complex || bytes * call.from.lanes > kMost) return;
  for (int64_t lane = 0; lane < call.from.lanes; lane++) {
    const volatile char *const from = call.from.data + lane * call.from.next;
    const char *const to = call.to.data + lane * call.to.next;
    for (int64_t i = 0; i < bytes; i += kLine) static_cast<void>(from[i]);
    for (int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(to + i, 1);
  }
}

// ---- Transforms side by side

void run_lanes(const FftPlan &plan, const FftCall &call, char *scratch) noexcept {
  TwoBlocks blocks{scratch, scratch + plan.n * kRow};
  if (plan.first.empty()) {
    plan.loops->load(blocks.in, call.from, 1, call.inverse);
    return plan.loops->store(call.to, blocks.in, 1, call.scale, call.inverse);
  }
  load_and_run(plan, call.from, call.inverse, blocks, plan.first.size() - 1);
  store_last(plan, plan.first.back(), plan.n, blocks, call, call.to);
}

// ---- One transform that is cut

struct CutScratch {
  int64_t lanes, row_blocks, block;  // `block` has room for either half, in bytes
  explicit CutScratch(const FftPlan &plan) noexcept
      : lanes(fft_lanes(plan.dtype)),
        row_blocks(in_blocks(plan.rows, lanes)),
        block(std::max(row_blocks * lanes, plan.columns) * kRow) {}
  int64_t transposed(const FftPlan &plan) const noexcept { return row_blocks * plan.columns * kRow; }
};

// The transforms of the columns from `column` on, at most a block's lanes, whose results go to the row blocks.
void run_columns(const FftPlan &plan, const FftCall &call, const CutScratch &layout, int64_t column, char *transposed,
                 TwoBlocks blocks) noexcept {
  FftPlaces from = call.from;
  from.data += column * from.step;
  from.next = from.step;
  from.step *= plan.columns;
  from.lanes = std::min(layout.lanes, plan.columns - column);
  load_and_run(plan, from, call.inverse, blocks, plan.first.size());
  std::memset(blocks.in + plan.rows * kRow, 0,
              static_cast<size_t>((layout.row_blocks * layout.lanes - plan.rows) * kRow));
  plan.loops->transpose(transposed + column * kRow, plan.columns * kRow, blocks.in, layout.row_blocks, from.lanes);
}

FftStage of_block(FftStage stage, int64_t block) noexcept {
  stage.factors = static_cast<const char *>(stage.factors) + block * fft_block_factors(stage);
  return stage;
}

// The second stages of one block of indices.
void run_row_block(const FftPlan &plan, const FftCall &call, const CutScratch &layout, int64_t block, char *transposed,
                   const TwoBlocks &spare) noexcept {
  TwoBlocks blocks{transposed + block * plan.columns * kRow, spare.in};
  const size_t last = plan.second.size() - 1;
  for (size_t i = 0; i < last; i++) {
    plan.loops->stage(of_block(plan.second[i], block), blocks.in, blocks.out);
    blocks = {blocks.out, i == 0 ? spare.out : blocks.in};
  }
  FftPlaces to = call.to;
  to.data += block * layout.lanes * to.step;
  to.next = to.step;
  to.step *= plan.rows;
  to.lanes = std::min(layout.lanes, plan.rows - block * layout.lanes);
  store_last(plan, of_block(plan.second[last], block), plan.columns, blocks, call, to);
}

void run_cut(const FftPlan &plan, const FftCall &call, char *scratch, int64_t workers) noexcept {
  const CutScratch layout(plan);
  char *const own = scratch + layout.transposed(plan);
  const auto blocks_of = [&](int worker) {
    return TwoBlocks{own + 2 * worker * layout.block, own + (2 * worker + 1) * layout.block};
  };
  const auto columns = [&](int64_t i, int worker) {
    run_columns(plan, call, layout, i * layout.lanes, scratch, blocks_of(worker));
  };
  const auto rows = [&](int64_t i, int worker) { run_row_block(plan, call, layout, i, scratch, blocks_of(worker)); };
  const int64_t column_blocks = in_blocks(plan.columns, layout.lanes);
  if (workers > 1) {
    parallel_for(column_blocks, columns);
    parallel_for(layout.row_blocks, rows);
    return;
  }
  for (int64_t i = 0; i < column_blocks; i++) columns(i, 0);
  for (int64_t i = 0; i < layout.row_blocks; i++) rows(i, 0);
}

// ---- Transforms by a convolution

void run_convolution(const FftPlan &plan, const FftCall &call, char *scratch, int64_t workers) noexcept {
  const FftLoops &loops = *plan.loops;
  const FftPlan &inner = *plan.convolution;
  const int64_t complex = 2 * fft_real(plan.dtype), n = plan.n;
  char *const numbers = scratch, *const rest = scratch + in_blocks(inner.n * complex, kFftRow) * kFftRow;
  const FftPlaces side_by_side{numbers, complex, 0, 1};
  loops.chirp(side_by_side, call.from, plan.chirp.at(0), n, 1, call.inverse, false);
  std::memset(numbers + n * complex, 0, static_cast<size_t>((inner.n - n) * complex));
  transform_fft(inner, {side_by_side, side_by_side, 1, false}, rest, workers);
  loops.multiply(numbers, plan.spectrum.at(0), inner.n);
  transform_fft(inner, {side_by_side, side_by_side, 1, true}, rest, workers);
  loops.chirp(call.to, side_by_side, plan.chirp.at(0), n, call.scale, false, call.inverse);
}

// Calls body with a call for each of the lanes.
template <typename Body>
void for_each_lane(const FftCall &call, Body &&body) {
  FftCall one = call;
  one.from.lanes = one.to.lanes = 1;
  for (int64_t i = 0; i < call.from.lanes; i++) {
    one.from.data = call.from.data + i * call.from.next;
    one.to.data = call.to.data + i * call.to.next;
    body(one);
  }
}

}  // namespace

bool is_better_cut(int32_t dtype, int64_t n, int64_t lanes, bool side_by_side) noexcept {
  constexpr int64_t kSmall = 128, kStrided = 1024;  // elements of which a block fits into the first and second cache
  const int64_t half = fft_lanes(dtype) / 2;
  if (lanes < half) return n > kSmall / 4;
  return n > (side_by_side ? kStrided : kSmall);
}

int64_t fft_scratch(const FftPlan &plan, int64_t workers) noexcept {
  if (plan.convolution) {
    const int64_t numbers = plan.convolution->n * 2 * fft_real(plan.dtype);
    return in_blocks(numbers, kFftRow) * kFftRow + fft_scratch(*plan.convolution, workers);
  }
  if (plan.columns == 1) return 2 * plan.n * kRow;
  const CutScratch layout(plan);
  return layout.transposed(plan) + 2 * workers * layout.block;
}

void transform_fft(const FftPlan &plan, const FftCall &call, char *scratch, int64_t workers) noexcept {
  if (call.far) fetch(plan, call);
  if (plan.convolution) {
    return for_each_lane(call, [&](const FftCall &one) { run_convolution(plan, one, scratch, workers); });
  }
  if (plan.columns == 1) return run_lanes(plan, call, scratch);
  for_each_lane(call, [&](const FftCall &one) { run_cut(plan, one, scratch, workers); });
}

void transform_fft_row(const FftPlan &plan, char *from, char *to, double scale) {
  const int64_t complex = 2 * fft_real(plan.dtype), workers = pool_size();
  const auto bytes = static_cast<uint64_t>(fft_scratch(plan, workers));
  const Scratch scratch(bytes);
  if (!scratch) fail_out_of_memory(bytes);
  const FftCall call = {{from, complex, 0, 1}, {to, complex, 0, 1}, scale, false};
  transform_fft(plan, call, scratch.as<char>(), workers);
}

}  // namespace gpuopt::cpu
