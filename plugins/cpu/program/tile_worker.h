// plugins/cpu/program/tile_worker.h -- evaluates a pass tile by tile, on one thread.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/tier_up.h"
#include "plugins/cpu/program/tile_space.h"

namespace gpuopt::cpu {

// Workers, and the parts of their memory, begin at cache lines: threads that work side by side share none.
constexpr int64_t kAlign = 64;
inline int64_t aligned(int64_t bytes) { return (bytes + kAlign - 1) & -kAlign; }

// One run of a program. All workers share it, and read it only.
struct Run {
  const gpuopt_program *program;
  const Plan *plan;
  const TierCode *compiled = nullptr;  // runs in place of the instructions it covers; NULL: all are interpreted
  bool prefetch = false;               // prefetch tiles, since the operands are too large for the caches
  bool stream = false;                 // the outputs are too large for the caches: store them past these
  Space space;
};

// The largest tile in which a pass is evaluated. `same_width`: every tile has exactly this many columns.
struct TileShape {
  int64_t rows, columns;
  bool same_width;
};

class Worker {
 public:
  // Returns the bytes of memory that a worker needs, itself included, for any pass of `plan` in tiles of up to
  // `elements` elements.
  static int64_t bytes_needed(const Plan &plan, int64_t elements) noexcept;
  // Makes a worker in `memory`, which has bytes_needed() bytes, aligned to 64, and belongs to the caller. A worker
  // needs no destruction.
  static Worker *make(char *memory, int64_t elements) noexcept;

  // kAllowed: results may be computed directly in the memory of the outputs. kWithheld: outputs must not change, and
  // store() is not called.
  enum class Stores : bool { kWithheld, kAllowed };
  // Prepares for a pass, in tiles of at most `shape`. kept[i] is the address of kept value i for kept index 0.
  void bind(const Run &run, const Pass &pass, TileShape shape, char *const *kept,
            Stores stores = Stores::kAllowed) noexcept;
  bool is_bound_to(const Pass &pass) const noexcept { return pass_ == &pass; }

  // The three steps of evaluating a tile; evaluate() does them all. `first` and `last` are those of a code_range() of
  // the pass if that is compiled.
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

  // Prefetches the inputs of a tile that is to be loaded soon. For rows so short that the hardware does not recognize
  // the access pattern.
  void prefetch(const Tile &tile) const noexcept;

  // Returns the elements of a value in the current tile. They are contiguous, unless the value is the source of a
  // reduction and lies in an operand; its rows then begin pitch() elements apart.
  char *value(int step) const noexcept { return value_[step]; }
  int64_t pitch(const Reduction &reduction, const Tile &tile) const noexcept;

  // Returns whether the pass does nothing but reduce inputs whose rows are contiguous. It needs no registers or copies,
  // so its tiles may be of any size.
  static bool reduces_in_place(const Run &run, const Pass &pass) noexcept;

  // Returns whether the pass is a single loop, compiled or interpreted, that reads contiguous inputs and writes outputs
  // where they are, or copies such inputs: it needs no registers, so that tiles of one row may have any number of
  // columns.
  static bool is_one_loop_in_place(const Run &run, const Pass &pass) noexcept;

 private:
  enum class Access : uint8_t {
    kFixed,    // one element for all tiles
    kPerRow,   // one element for all columns of a row; tiles have one row
    kDirect,   // read in place: contiguous, or rows that are contiguous, if all that reads it takes a pitch
    kCopied,   // copied tile by tile
    kSameRows  // the same in all rows: copied once for successive tiles of the same columns
  };

  struct BoundLeaf {
    Place place;
    Access access;
    bool spread;     // a kFixed or kPerRow element is needed as a tile that repeats it
    int64_t row;     // the row at which row_data points; -1: none yet
    int64_t column;  // the first column of the tile that `buffer` holds (kSameRows); -1: none yet
    char *row_data;
    char *buffer;
  };

  struct BoundStore {
    Place place;
    bool direct;  // the value is computed in the output's memory, which need not be contiguous if rows_in_place_
    bool contiguous;
    bool streamed;  // store() makes streaming stores
  };

  // A value that is read or stored in place. Its next tiles are prefetched in equal shares, one before each loop.
  struct Stream {
    int step;
    int64_t size, share;  // bytes per element, and bytes of a share
  };

  Worker() = default;
  char *take(int64_t bytes) noexcept;
  bool contiguous(const Place &place) const noexcept;
  void bind_stores(char *const *kept, Stores stores) noexcept;
  void bind_leaves(char *const *kept) noexcept;
  void bind_leaf(const Leaf &leaf, BoundLeaf &bound, char *const *kept) noexcept;
  // Returns the entry of the compiled code that begins at this instruction; -1 if it is interpreted.
  int compiled_entry(int first) const noexcept { return run_->compiled ? pass_->entry[first > 0] : -1; }
  bool takes_pitches() const noexcept;
  bool may_be_direct(size_t store) const noexcept;
  void set_pitches(int64_t columns) noexcept;
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
  int16_t scalar_leaf_[GPUOPT_PROGRAM_MAX_STEPS];  // the leaf if the value is a single element, else -1
  BoundLeaf leaf_[GPUOPT_PROGRAM_MAX_STEPS];
  BoundStore store_[GPUOPT_PROGRAM_MAX_STEPS];
  // Whether tiles have several rows, and compiled code computes them where they are in the operands. Then tile_rows_
  // and tile_columns_ are those of the current tile, and rows of step s begin pitch_[s] bytes apart.
  bool rows_in_place_ = false;
  int64_t tile_rows_ = 0, tile_columns_ = 0;
  long long pitch_[GPUOPT_PROGRAM_MAX_STEPS];
  int nstreams_ = 0;
  Stream streams_[kMaxPlaces];
};

}  // namespace gpuopt::cpu
