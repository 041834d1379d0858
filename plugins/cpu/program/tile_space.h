// plugins/cpu/program/tile_space.h -- the iteration space of one run, as an outer and an inner space that tiles are cut
// from.
//
// A tile is a range of rows (indices into the outer space) by a range of columns (indices into the inner space). An
// index counts the elements of its space in C order. Which of the program's dimensions belong to which space, and in
// which order, depends on the strides of the operands.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

constexpr int kMaxPlaces = GPUOPT_PROGRAM_MAX_OPERANDS + GPUOPT_PROGRAM_MAX_OUTPUTS;

class Space;

// Only Space::tile() makes tiles, so that each lies inside its space.
struct Tile {
  int64_t row, rows, column, columns;
  int64_t elements() const { return rows * columns; }

 private:
  friend class Space;
  Tile(Range r, Range c) : row(r.first), rows(r.count()), column(c.first), columns(c.count()) {}
};

// Where the elements of an operand, a constant or a kept value are. If a space is linear for it, element i of that
// space lies i * stride bytes after the first; otherwise the strides of each dimension apply (Space::Dimension).
struct Place {
  char *data;
  int64_t outer_stride, inner_stride;
  bool outer_linear, inner_linear;
  uint8_t size;
  int8_t operand;  // its index in Space::Dimension::strides
};

// Returns whether rows are contiguous and begin at equal distances, in whole elements.
inline bool has_contiguous_rows(const Place &place) {
  return place.size > 0 && place.inner_linear && place.inner_stride == place.size && place.outer_linear &&
         place.outer_stride % place.size == 0;
}

class Space {
 public:
  struct Dimension {
    int64_t extent;
    int64_t strides[kMaxPlaces];  // bytes, indexed by operand: inputs, then outputs
  };

  // Lays out an elementwise program: dimensions are sorted by stride and merged where possible; the innermost one
  // becomes the inner space and all others the outer space. If some operands have smaller strides along one of the
  // others, as the transpose of a matrix has, that one becomes the last dimension of the outer space.
  void arrange_elementwise(const gpuopt_program &program, const Plan &plan);
  // Lays out a reduction or scan: the reduced (or scanned) axes in C order are one space, and the kept axes, sorted by
  // stride, the other. The inner space is the one along which most bytes have the smaller strides.
  void arrange_reduction(const gpuopt_program &program, const Plan &plan);

  int64_t rows() const { return outer_size_; }
  int64_t columns() const { return inner_size_; }
  // Returns whether operands of an elementwise program have smaller strides from row to row than from column to column:
  // tiles should be about square then.
  bool is_crossed() const { return crossed_; }
  bool kept_is_outer() const { return kept_is_outer_; }
  int64_t kept() const { return kept_is_outer_ ? outer_size_ : inner_size_; }
  int64_t sequence() const { return sequence_; }

  // Returns the tile of some rows and columns, at least one of each. A range that leaves the space is a mistake of the
  // caller: an assertion fails, and builds without assertions clip the range.
  Tile tile(Range rows, Range columns) const { return {clipped(rows, outer_size_), clipped(columns, inner_size_)}; }

  const Place &input(int i) const { return places_[i]; }
  const Place &output(int i) const { return places_[ninputs_ + i]; }
  // Returns the place of a kept value: `stride` bytes from one kept index to the next, and 0 along the sequence.
  Place kept_place(char *data, int64_t stride) const;

  // Returns the bytes from the first element of a place to the beginning of a row.
  int64_t row_offset(const Place &place, int64_t row) const {
    return place.outer_linear ? row * place.outer_stride : offset(place.operand, 0, outer_ndim_, row);
  }
  // Copy a tile from a place to contiguous memory, and from contiguous memory to a place.
  void load(void *to, const Place &from, const Tile &tile) const;
  void store(const Place &to, const void *from, const Tile &tile) const;

 private:
  class Cursor;
  using Order = uint8_t[GPUOPT_MAX_NDIM];

  static Range clipped(Range range, int64_t size) {
    assert(0 <= range.first && range.first < range.last && range.last <= size && "a tile lies inside its space");
    return {std::clamp<int64_t>(range.first, 0, size), std::clamp<int64_t>(range.last, 0, size)};
  }

  void begin(const gpuopt_program &program, const Plan &plan);
  int collect(const gpuopt_program &program, uint64_t axes, Order order);
  void make_ascending(int dimension);
  bool runs_inside(int a, int b) const;
  void sort(Order order, int n) const;
  int merge(Order order, int n);
  int crossing(const Order order, int n) const;
  void lay_out(const Order outer, int nouter, const Order inner, int ninner);
  void describe(Place &place, int operand) const;
  bool linear(int operand, int first, int last, int64_t &stride) const;
  int64_t offset(int operand, int first, int last, int64_t index) const;
  template <class Visit>
  void for_each_run(int operand, int first, int last, Range indices, const Visit &visit) const;
  template <class Move>
  void for_each_piece(const Place &place, const Tile &tile, const Move &move) const;

  int ninputs_ = 0, noperands_ = 0;
  int outer_ndim_ = 0, ndim_ = 0;  // dimensions [0, outer_ndim_) are outer, [outer_ndim_, ndim_) inner
  int64_t outer_size_ = 1, inner_size_ = 1, sequence_ = 1;
  bool kept_is_outer_ = true, crossed_ = false;
  Place places_[kMaxPlaces];
  const Dimension *dimensions_[GPUOPT_MAX_NDIM];
  Dimension storage_[GPUOPT_MAX_NDIM];
};

}  // namespace gpuopt::cpu
