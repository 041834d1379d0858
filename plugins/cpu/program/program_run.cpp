// plugins/cpu/program/program_run.cpp -- scratch memory, and the driver of elementwise programs.
#include "plugins/cpu/program/program_run.h"

#include <algorithm>
#include <bit>

#include "plugins/cpu/program/thread_kept.h"
#include "plugins/cpu/program/tile_move.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

// Bytes that the widest operand has in a tile. Tiles are shorter if operands come from memory, since more loops then
// have to overlap.
constexpr int64_t kTileBytes = 3 << 10, kTileBytesFromMemory = 2 << 10;
// Rows of a tile in a crossed space: at least a cache line of elements of 2 bytes, and four lines of 8 bytes.
constexpr int64_t kSquareRows = 32;
// Total bytes of all sources (constants counted like arrays): above kCachedBytes tiles are prefetched, and above
// kUncachedBytes no cache is assumed to hold them.
constexpr int64_t kCachedBytes = 512 << 10, kUncachedBytes = 256 << 20;
// Outputs below this many bytes are never streamed, whatever the sizes of caches are said to be.
constexpr int64_t kLeastStreamed = 32 << 20;
constexpr double kMostTaskCost = 8 * kTaskCost, kTasksPerWorker = 8;
constexpr int64_t kScratchKept = int64_t{16} << 20;

// The space of an elementwise program cut into tiles, which are numbered row by row.
struct TileGrid {
  int64_t rows, columns;  // of the space
  int64_t tile_rows, tile_columns;
  int64_t across, count;  // tiles in a row of tiles, and in all

  // Returns tile `c` of row `r` of tiles.
  Tile tile(const Space &space, int64_t r, int64_t c) const {
    const int64_t row = r * tile_rows, column = c * tile_columns;
    return space.tile({row, std::min(row + tile_rows, rows)}, {column, std::min(column + tile_columns, columns)});
  }
};

// Cuts the space into tiles of at most `elements` elements, a multiple of 64: several whole rows if at least two fit,
// else equal parts of one row, in multiples of 64 columns. In a crossed space tiles have kSquareRows rows, so that
// operands that run along the rows and those that run down the columns are both read in whole cache lines.
TileGrid cut(const Space &space, int64_t elements) {
  TileGrid grid;
  grid.rows = space.rows();
  grid.columns = space.columns();
  if (space.is_crossed() && grid.columns > elements / kSquareRows) {
    grid.tile_rows = std::min(kSquareRows, grid.rows);
    const int64_t fit = elements / grid.tile_rows;
    grid.tile_columns = std::min(fit < 16 ? fit : fit & -16, grid.columns);
  } else if (grid.columns <= elements / 2) {
    grid.tile_columns = grid.columns;
    grid.tile_rows = std::min(elements / grid.columns, grid.rows);
  } else {
    const int64_t parts = (grid.columns + elements - 1) / elements;
    grid.tile_columns = std::min(((grid.columns + parts - 1) / parts + 63) & -64, grid.columns);
    grid.tile_rows = 1;
  }
  grid.across = (grid.columns + grid.tile_columns - 1) / grid.tile_columns;
  grid.count = grid.across * ((grid.rows + grid.tile_rows - 1) / grid.tile_rows);
  return grid;
}

// Returns the number of elements in a tile. Tiles are so short that the loops over one tile fit into the processor's
// out-of-order window together, and wait for memory at the same time instead of one after the other.
int64_t elementwise_tile(const Pass &pass, int64_t source_bytes) {
  const int64_t bytes = source_bytes > kUncachedBytes ? kTileBytesFromMemory : kTileBytes;
  return std::min(bytes / widest_operand(pass), tile_elements(pass));
}

// Returns the number of elements in a tile of one row if one loop reads and writes all operands where they are: as many
// as a task has time for, but no more than a row has, since a tile of several rows would be copied. The result is a
// multiple of 64, and not above `shortest` if long tiles do not apply.
int64_t long_tile(const Run &run, const Pass &pass, int64_t shortest) {
  if (run.space.is_crossed() || !Worker::is_one_loop_in_place(run, pass)) return shortest;
  const int64_t row = (run.space.columns() + 63) & -64;
  const auto in_time = static_cast<int64_t>(kTaskCost / pass.cost) & -64;
  return std::max(shortest, std::min({row, in_time, kLongTileBytes / widest_operand(pass)}));
}

// Returns the number of tiles in a task: tasks last from kTaskCost to kMostTaskCost, and within that there are enough
// of them to keep `workers` threads equally busy.
int64_t tiles_per_task(const Pass &pass, const TileGrid &grid, int64_t total, int workers) {
  const double share = pass.cost * static_cast<double>(total) / (kTasksPerWorker * workers);
  const double tile = pass.cost * static_cast<double>(grid.tile_rows * grid.tile_columns);
  return std::max<int64_t>(1, static_cast<int64_t>(std::clamp(share, kTaskCost, kMostTaskCost) / tile));
}

void run_tiles(const Run &run, const TileGrid &grid, Worker &worker, int64_t first, int64_t last) {
  const Pass &pass = run.plan->full_passes[0];
  if (!worker.is_bound_to(pass)) worker.bind(run, pass, {grid.tile_rows, grid.tile_columns, grid.across == 1}, nullptr);
  int64_t r = first / grid.across, c = first - r * grid.across;
  for (int64_t i = first; i < last; i++) {
    worker.evaluate(grid.tile(run.space, r, c));
    if (++c == grid.across) c = 0, r++;
  }
  if (run.stream) fence_streams();
}

// Returns whether the outputs take as much as the last-level cache: whoever reads them next would not find them there.
// Streaming stores do not read the memory that they overwrite.
bool outputs_exceed_caches(const Pass &pass, int64_t total) {
  int64_t bytes = 0;
  for (const Store &store : pass.stores) bytes += store.size;
  return kHasStreams && total * bytes >= std::max(cache_sizes().l3, kLeastStreamed);
}

}  // namespace

char *ThreadScratch::reserve(const gpuopt_host_api *host, int64_t bytes) noexcept {
  ThreadKept *const kept = ThreadKept::mine();
  if (!kept) return nullptr;
  ScratchMemory &scratch = kept->scratch;
  if (scratch.bytes >= bytes) return scratch.memory;
  scratch.release();
  scratch.memory = static_cast<char *>(host->allocate(static_cast<uint64_t>(bytes)));
  if (!scratch.memory) return nullptr;
  scratch.host = host;
  scratch.bytes = bytes;
  return scratch.memory;
}

void ThreadScratch::trim() noexcept {
  ThreadKept *const kept = ThreadKept::mine();
  if (kept && kept->scratch.bytes > kScratchKept) kept->scratch.release();
}

int64_t tile_elements(const Pass &pass) noexcept {
  uint32_t bytes = pass.register_bytes + pass.leaf_bytes;
  for (const Store &store : pass.stores) bytes += store.size;
  const uint32_t fit = (32u << 10) / std::max(bytes, 1u);
  return std::clamp<int64_t>(std::bit_floor(fit), 256, 2048);
}

int64_t widest_operand(const Pass &pass) noexcept {
  int64_t widest = 1;
  for (const Leaf &leaf : pass.leaves) widest = std::max<int64_t>(widest, leaf.size);
  for (const Store &store : pass.stores) widest = std::max<int64_t>(widest, store.size);
  return widest;
}

bool run_elementwise(Run &run, const gpuopt_host_api *host) noexcept {
  run.space.arrange_elementwise(*run.program, *run.plan);
  const Pass &pass = run.plan->full_passes[0];
  if (pass.empty()) return true;
  const int64_t total = run.space.rows() * run.space.columns();
  const int64_t source_bytes = total * pass.leaf_bytes;
  run.prefetch = source_bytes > kCachedBytes;
  run.stream = outputs_exceed_caches(pass, total);
  const int64_t shortest = run.space.is_crossed() ? tile_elements(pass) : elementwise_tile(pass, source_bytes);
  const int64_t most = long_tile(run, pass, shortest);
  if (most > shortest) run.prefetch = false;
  const int64_t capacity = std::min(most, (total + 63) & -64);
  const TileGrid grid = cut(run.space, capacity);
  const double cost = pass.cost * static_cast<double>(total);
  const int64_t per_task = tiles_per_task(pass, grid, total, pool_size());
  const bool parallel = cost > kParallelCost && grid.count > per_task;
  const int workers = parallel ? pool_size() : 1;
  const int64_t bytes = Worker::bytes_needed(*run.plan, capacity);
  char *const memory = ThreadScratch::reserve(host, bytes * workers);
  if (!memory) return false;
  if (workers == 1) {
    run_tiles(run, grid, *Worker::make(memory, capacity), 0, grid.count);
    return true;
  }
  for (int w = 0; w < workers; w++) Worker::make(memory + w * bytes, capacity);
  parallel_for((grid.count + per_task - 1) / per_task, [&](int64_t task, int w) {
    Worker &worker = *reinterpret_cast<Worker *>(memory + w * bytes);
    run_tiles(run, grid, worker, task * per_task, std::min((task + 1) * per_task, grid.count));
  });
  return true;
}

}  // namespace gpuopt::cpu
