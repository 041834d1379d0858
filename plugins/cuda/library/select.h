// plugins/cuda/library/select.h -- what reading and writing through masks and index arrays have in common.
#pragma once

#include <optional>

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// Numbers the true elements of a mask: computes in device memory how many there are before each tile (text/gather.h).
class TrueElements {
 public:
  TrueElements(const Work &work, const gpuopt_tensor &mask);

  int64_t size() const noexcept { return size_; }  // elements of the mask
  int64_t count() const;                           // true elements; waits for the stream

  // A masked kernel of text/gather.h. Its template arguments are the type that counts elements, `unit`, the walk's
  // rank, whether the mask is packed, and `last`; `unit` and `last` are left out if they are "". Its words 3 to 7 are
  // `own`, and `more` follows the walk, whose first operand is the mask.
  struct Kernel {
    const char *name;
    std::string unit, last;
    std::array<uint64_t, 5> own;
    std::vector<int64_t> more;
  };
  // Launches a block of the kernel for each tile.
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

// Copies rows between an array, `whole`, and the array `part` of the rows that indices select: to `part`, as `take`
// does, or back, as `put` does. A place is a combination of an index and coordinates along the axes before the indexed
// one; a row is what the axes behind it span.
struct RowMove {
  bool put;
  uint64_t part, indices, whole;  // addresses
  int64_t axis_size;              // is added to negative indices; 0: they are skipped
  int64_t axis_stride;            // bytes from one index to the next, in `whole`
  int64_t grain;                  // OR of the strides along the axis
  Axes<3> places;                 // of (part, indices, whole)
  int32_t row_ndim;
  const int64_t *row_shape, *part_row_strides, *whole_row_strides;
  int64_t element;

  void run(const Work &work) const;
};

// Throws ERR_INDEX, which names one, if an index is outside [-size, size). Waits for the stream.
void check_indices(const Work &work, const gpuopt_tensor &indices, int64_t size, int64_t axis);

// Returns how rows are copied for `whole` indexed along `axis`. `part` has the axes of the indices in place of that
// axis.
RowMove indexed_rows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int64_t axis,
                     bool put);

// Lists the offsets of the rows at which a mask is true, in C order, relative to the lowest offset there can be, so
// that none is negative. If the mask has changed since it was counted, the list ends with -1.
class TrueRows {
 public:
  // The first axes of `whole` are those of the mask. `rows` is the number of true elements.
  TrueRows(const Work &work, const gpuopt_tensor &mask, const gpuopt_tensor &whole, int64_t rows);
  // Returns how row j of `part` is copied from, or to, the j-th place of the list.
  RowMove move(const gpuopt_tensor &part, bool put) const;

 private:
  const gpuopt_tensor &whole_;
  const int32_t ndim_;  // of the mask
  int64_t low_ = 0, grain_ = 0;
  const int64_t rows_;
  Scratch offsets_;
};

// Copies rows of one unit at which a mask is true to consecutive rows of `part`, or back, without a list.
struct TrueUnits {
  TrueUnits(const gpuopt_tensor &mask, const gpuopt_tensor &whole, const gpuopt_tensor &part);
  // Whether rows are of one unit.
  bool fit() const noexcept { return row.size() == 1; }
  // `part` has `rows` rows, `step` bytes apart. `expand` says that they are copied to `whole`.
  void move(const Work &work, int64_t rows, int64_t step, bool expand) const;

  const gpuopt_tensor &mask, &whole, &part;
  const Walk<2> walk;
  const RowUnits row;
};

}  // namespace gpuopt::cuda
