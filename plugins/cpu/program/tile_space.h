// plugins/cpu/program/tile_space.h -- the iteration space of one run, as an outer and an inner space that tiles are cut
// from.
//
// A tile is a range of rows (outer indices) by a range of columns (inner indices), each space numbered in its C order.
// How the program's dimensions are spread over the two, and in which order, is chosen here for the operands at hand.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

constexpr int kMaxPlaces = GPUOPT_PROGRAM_MAX_OPERANDS + GPUOPT_PROGRAM_MAX_OUTPUTS;

class Space;

// Only Space::tile() makes one, so that each lies inside its space.
struct Tile {
  int64_t row, rows, column, columns;
  int64_t elements() const { return rows * columns; }

 private:
  friend class Space;
  Tile(Range r, Range c) : row(r.first), rows(r.count()), column(c.first), columns(c.count()) {}
};

// An operand, constant or row of kept values in terms of the two spaces. Where a space is linear for it, index i lies
// i * stride bytes on; otherwise the strides are those of the space's dimensions (Space::strides).
struct Place {
  char *data;
  int64_t outer_stride, inner_stride;
  bool outer_linear, inner_linear;
  uint8_t size;
  int8_t operand;  // its number in Space::strides
};

class Space {
 public:
  struct Dimension {
    int64_t extent;
    int64_t strides[kMaxPlaces];  // bytes, by operand
  };

  // All dimensions in memory order, the innermost one as the inner space.
  void arrange_elementwise(const gpuopt_program &program, const Plan &plan);
  // The reduced (or scanned) axes in C order as one space, the kept ones in memory order as the other; the one that
  // runs along memory is the inner one.
  void arrange_reduction(const gpuopt_program &program, const Plan &plan);

  int64_t rows() const { return outer_size_; }
  int64_t columns() const { return inner_size_; }
  bool kept_is_outer() const { return kept_is_outer_; }
  int64_t kept() const { return kept_is_outer_ ? outer_size_ : inner_size_; }
  int64_t sequence() const { return sequence_; }

  // The tile of these rows and columns, at least one of each. What lies outside the space is a mistake of the caller:
  // it fails an assertion, and is cut off in builds without assertions.
  Tile tile(Range rows, Range columns) const { return {clipped(rows, outer_size_), clipped(columns, inner_size_)}; }

  const Place &input(int i) const { return places_[i]; }
  const Place &output(int i) const { return places_[ninputs_ + i]; }
  // `stride` bytes from one kept index to the next, 0 along the sequence.
  Place kept_place(char *data, int64_t stride) const;

  // Bytes from the start of a place to a row.
  int64_t row_offset(const Place &place, int64_t row) const {
    return place.outer_linear ? row * place.outer_stride : offset(place.operand, 0, outer_ndim_, row);
  }
  // Copies a tile between contiguous memory and a place.
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
  void lay_out(const Order outer, int nouter, const Order inner, int ninner);
  void describe(Place &place, int operand) const;
  bool linear(int operand, int first, int last, int64_t &stride) const;
  int64_t offset(int operand, int first, int last, int64_t index) const;
  template <class Visit>
  void for_each_run(int operand, int first, int last, Range indices, const Visit &visit) const;
  template <class Move>
  void for_each_piece(const Place &place, const Tile &tile, const Move &move) const;

  int ninputs_ = 0, noperands_ = 0;
  int outer_ndim_ = 0, ndim_ = 0;  // dimensions [0, outer_ndim_) are the outer ones, up to ndim_ the inner ones
  int64_t outer_size_ = 1, inner_size_ = 1, sequence_ = 1;
  bool kept_is_outer_ = true;
  Place places_[kMaxPlaces];
  const Dimension *dimensions_[GPUOPT_MAX_NDIM];
  Dimension storage_[GPUOPT_MAX_NDIM];
};

}  // namespace gpuopt::cpu
