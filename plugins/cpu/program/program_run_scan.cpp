// plugins/cpu/program/program_run_scan.cpp -- the driver of programs with a scan (cumulative sum or product).
//
// The order of combination is fixed (gpuopt_plugin.h, "Fixed scan shape"), so the bits of the results do not depend on
// the cut: element i of a sequence is combine(c, combine(b, s)), where s is the scan inside its block of 32 elements, b
// the combination of the blocks before it in its chunk of 1024, and c that of the chunks before it. For element 2100 of
// a cumulative sum, s is the sum of elements 2080 to 2100, b that of 2048 to 2079, and c that of chunks 0 and 1.
//
// A task is a block of sequences, chunk after chunk. If there are fewer blocks than threads, the totals of all chunks
// are computed first, in parallel; a serial loop makes the carries c of them, and then all chunks are scanned in
// parallel.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "plugins/cpu/program/program_run.h"
#include "plugins/cpu/program/sequence_cut.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kMaxColumns = 512;  // sequences side by side in a block; one tile has all of them

// One thread's part. block_, prefix_, carry_ and total_ have one element per sequence that advances together with
// others: s and b of the latest element, c, and the total of the latest chunk.
class Scanner {
 public:
  static int64_t state_bytes(const Plan &plan, const SequenceCut &cut) {
    return aligned(width(cut) * plan.scan->result_size);
  }
  static int64_t bytes_needed(const Plan &plan, const SequenceCut &cut) {
    return aligned(Worker::bytes_needed(plan, cut.capacity)) + 4 * state_bytes(plan, cut);
  }

  Scanner(char *memory, const Run &run, const SequenceCut &cut)
      : run_(run),
        pass_(run.plan->full_passes[0]),
        loops_(*run.plan->scan),
        cut_(cut),
        worker_(Worker::make(memory, cut.capacity)) {
    char *state = memory + aligned(Worker::bytes_needed(*run.plan, cut.capacity));
    for (char **row : {&block_, &prefix_, &carry_, &total_}) {
      *row = state;
      state += state_bytes(*run.plan, cut);
    }
    while (!pass_.code[static_cast<size_t>(scan_)].is_scan) scan_++;
  }

  // Scans some sequences from their beginning to their end, and stores all outputs.
  void run_block(Range kept) {
    bind(Worker::Stores::kAllowed);
    if (cut_.rows && cut_.chunks == 1) return run_rows(kept);
    for (const Range some : together(kept)) {
      for (int64_t chunk = 0; chunk < cut_.chunks; chunk++) {
        run_chunk(some, chunk, chunk > 0 ? carry_ : nullptr, true);
        const auto bytes = static_cast<size_t>(some.count() * loops_.result_size);
        if (chunk == 0) {
          std::memcpy(carry_, total_, bytes);
        } else {
          loops_.combine(carry_, total_, some.count());
        }
      }
    }
  }

  // Computes the totals of one chunk of some sequences, into `totals`, which has one element per sequence. Stores no
  // output.
  void find_totals(Range kept, int64_t chunk, char *totals) {
    bind(Worker::Stores::kWithheld);
    for (const Range some : together(kept)) {
      run_chunk(some, chunk, nullptr, false);
      std::memcpy(totals, total_, static_cast<size_t>(some.count() * loops_.result_size));
      totals += some.count() * loops_.result_size;
    }
  }

  // Scans one chunk of some sequences and stores all outputs. `carry` has the combination of the chunks before, one
  // element per sequence; NULL for the first chunk.
  void finish_chunk(Range kept, int64_t chunk, const char *carry) {
    bind(Worker::Stores::kAllowed);
    for (const Range some : together(kept)) {
      run_chunk(some, chunk, carry, true);
      if (carry) carry += some.count() * loops_.result_size;
    }
  }

 private:
  static int64_t width(const SequenceCut &cut) { return cut.rows ? cut.tile.rows : cut.tile.columns; }

  // Cuts the sequences of a block into parts that advance together: single rows, or all columns.
  Parts together(Range kept) const { return parts_of(kept, cut_.rows ? 1 : kept.count()); }

  void bind(Worker::Stores stores) {
    if (bound_ && stores_ == stores) return;
    worker_->bind(run_, pass_, cut_.tile, nullptr, stores);
    bound_ = true;
    stores_ = stores;
  }

  char *source() const { return worker_->value(pass_.code[static_cast<size_t>(scan_)].src[0]); }
  char *result() const { return worker_->value(pass_.code[static_cast<size_t>(scan_)].dst); }

  template <class Scan>
  void evaluate(const Tile &tile, bool stores, Scan scan) {
    worker_->load(tile);
    worker_->compute(0, scan_, tile.elements());
    scan();
    if (!stores) return;
    worker_->compute(scan_ + 1, static_cast<int>(pass_.code.size()), tile.elements());
    worker_->store(tile);
  }

  void run_rows(Range kept) {
    for (const Range rows : parts_of(kept, cut_.tile.rows)) {
      const Tile tile = run_.space.tile(rows, {0, cut_.sequence});
      evaluate(tile, true, [&] { loops_.rows(result(), total_, source(), tile.rows, tile.columns, nullptr); });
    }
  }

  // Scans one chunk; with `stores`, also runs what follows the scan and stores the outputs. Sets total_ to the chunk's
  // total, without `carry`.
  void run_chunk(Range some, int64_t chunk, const char *carry, bool stores) {
    const int64_t first = chunk * kChunk, length = std::min(kChunk, cut_.sequence - first);
    if (cut_.rows) {
      const Tile tile = run_.space.tile(some, {first, first + length});
      evaluate(tile, stores, [&] { loops_.rows(result(), total_, source(), 1, length, carry); });
      return;
    }
    for (const Range rows : parts_of({first, first + length}, cut_.tile.rows)) {
      const Tile tile = run_.space.tile(rows, some);
      evaluate(tile, stores, [&] {
        loops_.columns(result(), block_, prefix_, source(), tile.rows, tile.columns, rows.first - first, carry);
      });
    }
    const bool has_prefix = length > kLanes;
    const auto bytes = static_cast<size_t>(some.count() * loops_.result_size);
    std::memcpy(total_, has_prefix ? prefix_ : block_, bytes);
    if (has_prefix) loops_.combine(total_, block_, some.count());
  }

  const Run &run_;
  const Pass &pass_;
  const ScanLoops &loops_;
  const SequenceCut &cut_;
  Worker *const worker_;
  char *block_, *prefix_, *carry_, *total_;
  int scan_ = 0;  // number of the SCAN instruction
  bool bound_ = false;
  Worker::Stores stores_ = Worker::Stores::kAllowed;
};

class ScanRun {
 public:
  ScanRun(Run &run, const gpuopt_host_api *host) : run_(run), plan_(*run.plan), host_(host) {
    run.space.arrange_reduction(*run.program, plan_);
    cut_ = cut_sequences(run.space, {kMaxColumns, kChunk, 0});
    blocks_ = divide_up(cut_.kept, cut_.block);
  }

  bool go() {
    const double cost = plan_.full_passes[0].cost * static_cast<double>(cut_.kept) * static_cast<double>(cut_.sequence);
    const int threads = cost > kParallelCost ? pool_size() : 1;
    const bool by_chunks = threads > 1 && cut_.chunks > 1 && blocks_ < threads;
    const double chunk_cost = cost / static_cast<double>(cut_.chunks * blocks_);
    cut_.group = by_chunks ? std::max<int64_t>(1, static_cast<int64_t>(kTaskCost / chunk_cost)) : cut_.chunks;
    const int64_t scanner = aligned(sizeof(Scanner)), work = aligned(Scanner::bytes_needed(plan_, cut_));
    const int64_t totals = by_chunks ? aligned((cut_.chunks + 1) * cut_.kept * plan_.scan->result_size) : 0;
    char *const memory = ThreadScratch::reserve(host_, totals + threads * (scanner + work));
    if (!memory) return false;
    scanners_ = memory + totals;
    scanner_bytes_ = scanner + work;
    for (int t = 0; t < threads; t++)
      new (scanners_ + t * scanner_bytes_) Scanner(scanners_ + t * scanner_bytes_ + scanner, run_, cut_);
    if (by_chunks) {
      run_by_chunks(memory);
    } else {
      run_by_blocks(threads);
    }
    return true;
  }

 private:
  Scanner &scanner(int thread) const { return *reinterpret_cast<Scanner *>(scanners_ + thread * scanner_bytes_); }
  Range block(int64_t i) const { return {i * cut_.block, std::min((i + 1) * cut_.block, cut_.kept)}; }

  void run_by_blocks(int threads) {
    if (threads > 1) return parallel_for(blocks_, [&](int64_t i, int thread) { scanner(thread).run_block(block(i)); });
    for (int64_t i = 0; i < blocks_; i++) scanner(0).run_block(block(i));
  }

  // `totals` has a row per chunk, with an element per kept index: first the chunk's own total, then the combination of
  // all chunks up to it. One more row at the end is scratch memory.
  void run_by_chunks(char *totals) {
    const ScanLoops &loops = *plan_.scan;
    const int64_t row = cut_.kept * loops.result_size;
    const auto total = [&](int64_t chunk, int64_t kept) { return totals + chunk * row + kept * loops.result_size; };
    for_each_chunk(
        [&](int64_t chunk, Range kept, Scanner &own) { own.find_totals(kept, chunk, total(chunk, kept.first)); });
    char *const sum = total(cut_.chunks, 0);
    for (int64_t chunk = 1; chunk < cut_.chunks; chunk++) {
      std::memcpy(sum, total(chunk - 1, 0), static_cast<size_t>(row));
      loops.combine(sum, total(chunk, 0), cut_.kept);
      std::memcpy(total(chunk, 0), sum, static_cast<size_t>(row));
    }
    for_each_chunk([&](int64_t chunk, Range kept, Scanner &own) {
      own.finish_chunk(kept, chunk, chunk > 0 ? total(chunk - 1, kept.first) : nullptr);
    });
  }

  template <class Body>
  void for_each_chunk(Body body) const {
    const int64_t groups = divide_up(cut_.chunks, cut_.group);
    parallel_for(groups * blocks_, [&](int64_t task, int thread) {
      const int64_t group = task / blocks_;
      for (int64_t chunk = group * cut_.group; chunk < std::min((group + 1) * cut_.group, cut_.chunks); chunk++) {
        body(chunk, block(task % blocks_), scanner(thread));
      }
    });
  }

  Run &run_;
  const Plan &plan_;
  const gpuopt_host_api *const host_;
  SequenceCut cut_;
  int64_t blocks_;
  char *scanners_ = nullptr;
  int64_t scanner_bytes_ = 0;
};

}  // namespace

bool run_scan(Run &run, const gpuopt_host_api *host) noexcept {
  if (run.plan->full_passes[0].empty()) return true;
  return ScanRun(run, host).go();
}

}  // namespace gpuopt::cpu
