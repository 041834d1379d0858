// plugins/cuda/library/select.h -- what reading and writing through masks and index arrays have in common.
#pragma once

#include <optional>

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// The true elements of a mask, numbered: where each tile of gather.h starts, on the device.
class TrueElements {
 public:
  TrueElements(const Work &work, const gpuopt_tensor &mask);

  int64_t size() const noexcept { return size_; }  // of the mask
  int64_t count() const;                           // of the true ones; waits for the stream

  // A masked kernel of gather.h: its template arguments are the count's type, `unit`, the walk's rank, whether the mask
  // is packed, and `last` (either may be ""); its words 3 to 7 are `own`, and `more` follows the walk, whose first
  // operand is the mask.
  struct Kernel {
    const char *name;
    std::string unit, last;
    std::array<uint64_t, 5> own;
    std::vector<int64_t> more;
  };
  // Launches it over the tiles.
  template <size_t operands>
  void launch(const Kernel &kernel, const Walk<operands> &walk) const {
    const auto &own = kernel.own;
    KernelWords parameters{static_cast<uint64_t>(size_), address_, starts(), own[0], own[1], own[2], own[3], own[4]};
    parameters.add(walk);
    for (const int64_t word : kernel.more) parameters.add(word);
    launch(kernel, walk.ndim(), parameters);
  }

 private:
  static constexpr int64_t kTile = 4096;

  uint64_t starts() const noexcept { return starts_ ? starts_->address() : 0; }
  void launch(const Kernel &kernel, int32_t rank, const KernelWords &parameters) const;

  const Work &work_;
  const int64_t size_, tiles_;
  const uint64_t address_;
  bool packed_;
  std::optional<Scratch> starts_;
};

// Rows moved between an array and its part along indices: as `take` reads and `put` writes them. A place is one
// combination of an index with what stands before it.
struct RowMove {
  bool put;
  uint64_t part, indices, whole;  // addresses
  int64_t axis_size;              // negative indices have it added; 0: nothing is done for them
  int64_t axis_stride;            // bytes from one index to the next, in the whole
  int64_t grain;                  // what all offsets along the axis are multiples of, or'ed
  Axes<3> places;                 // of (part, indices, whole)
  int32_t row_ndim;
  const int64_t *row_shape, *part_row_strides, *whole_row_strides;
  int64_t element;

  void run(const Work &work) const;
};

// Throws ERR_INDEX naming an offender if an index is outside [-size, size). Waits for the stream.
void check_indices(const Work &work, const gpuopt_tensor &indices, int64_t size, int64_t axis);

// The places of an array indexed along `axis`, with its part.
RowMove indexed_rows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int64_t axis,
                     bool put);

// Rows that stand where a mask is true, listed in order: `offsets` of them from `low` on, -1 behind the last one.
class TrueRows {
 public:
  // `whole` has the mask's axes first.
  TrueRows(const Work &work, const gpuopt_tensor &mask, const gpuopt_tensor &whole, int64_t rows);
  // Moves row j of `part` from, or to, the j-th place.
  RowMove move(const gpuopt_tensor &part, bool put) const;

 private:
  const gpuopt_tensor &whole_;
  const int32_t ndim_;  // of the mask
  int64_t low_ = 0, grain_ = 0;
  const int64_t rows_;
  Scratch offsets_;
};

// Rows of one unit that stand where a mask is true, moved from or to consecutive rows of `part` without a list.
struct TrueUnits {
  TrueUnits(const gpuopt_tensor &mask, const gpuopt_tensor &whole, const gpuopt_tensor &part);
  bool fit() const noexcept { return row.size() == 1; }
  // `rows` of part, `step` apart.
  void move(const Work &work, int64_t rows, int64_t step, bool expand) const;

  const gpuopt_tensor &mask, &whole, &part;
  const Walk<2> walk;
  const RowUnits row;
};

}  // namespace gpuopt::cuda
