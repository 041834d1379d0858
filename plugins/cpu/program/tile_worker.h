// plugins/cpu/program/tile_worker.h -- one thread's evaluation of a pass, tile by tile.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/tier_up.h"
#include "plugins/cpu/program/tile_space.h"

namespace gpuopt::cpu {

// What one execution of a program is made of; the workers share it.
struct Run {
  const gpuopt_program *program;
  const Plan *plan;
  const TierCode *compiled = nullptr;  // what runs in place of instructions, if they are compiled
  bool stream_stores = false;          // results go past the caches
  bool prefetch = false;               // operands are too large for the caches
  Space space;
};

// The tiles a pass is evaluated in: at most this large. `same_width`: all are of exactly this many columns.
struct TileShape {
  int64_t rows, columns;
  bool same_width;
};

class Worker {
 public:
  // Bytes a worker needs, itself included, for any pass of `plan` in tiles of up to `elements`.
  static int64_t bytes_needed(const Plan &plan, int64_t elements) noexcept;
  // Makes a worker of fresh memory of that size, aligned to 64 bytes.
  static Worker *make(char *memory, int64_t elements) noexcept;

  // Whether results may be computed where they are stored. Where not, store() must not be called.
  enum class Stores : bool { kWithheld, kAllowed };
  // Readies the worker for a pass. kept[i] is where kept value i of kept index 0 would lie.
  void bind(const Run &run, const Pass &pass, TileShape shape, char *const *kept,
            Stores stores = Stores::kAllowed) noexcept;
  bool is_bound_to(const Pass &pass) const noexcept { return pass_ == &pass; }

  // The three steps of evaluating a tile; evaluate() is all of them. What is computed at once is a code_range() of the
  // pass.
  void load(const Tile &tile) noexcept;
  void compute(int first, int last, int64_t elements) noexcept;
  void store(const Tile &tile) noexcept;
  void evaluate(const Tile &tile) noexcept {
    load(tile);
    if (nstreams_ > 0) {
      compute_and_prefetch(tile.elements());
    } else {
      compute(0, static_cast<int>(pass_->code.size()), tile.elements());
    }
    store(tile);
  }

  // Asks for the inputs of a tile that is to be loaded soon, where its rows are too short for the processor to foresee.
  void prefetch(const Tile &tile) const noexcept;

  // The elements of a value in the tile at hand: contiguous, but for the source of a reduction that is read where it
  // lies, whose rows begin pitch() elements apart.
  char *value(int step) const noexcept { return value_[step]; }
  int64_t pitch(const Reduction &reduction, const Tile &tile) const noexcept;

  // Whether a pass only reduces inputs whose rows are contiguous. Its tiles may then be of any size.
  static bool reduces_in_place(const Run &run, const Pass &pass) noexcept;

 private:
  enum class Access : uint8_t {
    kFixed,    // one element for all tiles
    kPerRow,   // one element for all columns of a row; tiles have one row
    kDirect,   // contiguous where it lies
    kCopied,   // copied tile by tile
    kSameRows  // as long as the columns stay, one copy for all rows
  };

  struct BoundLeaf {
    Place place;
    Access access;
    bool spread;     // a kFixed or kPerRow element is needed as a tile
    int64_t row;     // of row_data
    int64_t column;  // of a copy in buffer for all rows
    char *row_data;
    char *buffer;
  };

  struct BoundStore {
    Place place;
    bool direct;  // the value is computed where it is stored
    bool contiguous;
  };

  // A value that is read or stored where it lies: the next tile of it is prefetched in equal shares, one per loop.
  struct Stream {
    int step;
    int64_t size, share;  // bytes per element, and of a share
  };

  Worker() = default;
  char *take(int64_t bytes) noexcept;
  bool contiguous(const Place &place) const noexcept;
  bool overwrites(const Store &store, const Leaf &leaf) const noexcept;
  bool can_store_directly(const Store &store) const noexcept;
  void bind_stores(char *const *kept, Stores stores) noexcept;
  void bind_leaves(char *const *kept) noexcept;
  void bind_leaf(const Leaf &leaf, BoundLeaf &bound, char *const *kept) noexcept;
  bool must_copy(const Leaf &leaf) const noexcept;
  char *store_target(const Leaf &leaf) const noexcept;
  // The entry of the compiled code that begins at this instruction; -1 where it is interpreted.
  int compiled_entry(int first) const noexcept { return run_->compiled ? pass_->entry[first > 0] : -1; }
  void choose_loops() noexcept;
  void choose_loop(size_t i) noexcept;
  void find_streams() noexcept;
  void add_stream(int step, int64_t size) noexcept;
  void compute_and_prefetch(int64_t elements) noexcept;
  void prefetch_share(int number, int64_t elements) const noexcept;
  void spread(int step) noexcept;
  Tile all_rows(const Tile &tile) const noexcept;
  void load_leaf(const Leaf &leaf, BoundLeaf &bound, const Tile &tile) noexcept;
  void move_to_row(BoundLeaf &bound, int64_t row) noexcept;

  const Run *run_ = nullptr;
  const Pass *pass_ = nullptr;
  TileShape shape_ = {};
  int64_t capacity_ = 0;
  char *memory_ = nullptr, *next_ = nullptr;
  char *value_[GPUOPT_PROGRAM_MAX_STEPS];
  Loop loop_[GPUOPT_PROGRAM_MAX_STEPS];
  int16_t scalar_leaf_[GPUOPT_PROGRAM_MAX_STEPS];  // the leaf if the value may be taken as a single element, else -1
  BoundLeaf leaf_[GPUOPT_PROGRAM_MAX_STEPS];
  BoundStore store_[GPUOPT_PROGRAM_MAX_STEPS];
  int nstreams_ = 0;
  Stream streams_[kMaxPlaces];
};

}  // namespace gpuopt::cpu
