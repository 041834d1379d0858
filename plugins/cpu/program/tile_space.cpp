// plugins/cpu/program/tile_space.cpp -- see tile_space.h.
#include "plugins/cpu/program/tile_space.h"

#include <algorithm>

#include "plugins/cpu/program/tile_move.h"

namespace gpuopt::cpu {
namespace {

// Sequences of up to this many elements are laid out side by side even if their elements are adjacent in memory, unless
// the loops are fast for short rows, too: those of reductions are, except for those that locate an element.
constexpr int64_t kShortSequence = 16;
int64_t short_sequence(const Plan &plan) {
  if (plan.kind != PlanKind::kReduction) return kShortSequence;
  for (const Pass &pass : plan.full_passes) {
    for (const Reduction &r : pass.reductions) {
      if (r.loops->finish) return kShortSequence;
    }
  }
  return 1;
}

int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

}  // namespace

// Walks through a place along some dimensions of the space, all of extent 1 or more. A cursor always stands on an
// element: from the last one it goes on to the first. So there always is a next run, and it has at least one index.
class Space::Cursor {
 public:
  // Consecutive indices along the last dimension: the bytes from the place's first element to the first of them, their
  // number, and the bytes from one to the next.
  struct Run {
    int64_t offset, count, stride;
  };

  Cursor(const Space &space, int operand, int first, int last, int64_t index)
      : space_(space), operand_(operand), first_(first), last_(last) {
    for (int d = last - 1; d >= first; d--) {
      index_[d] = index % extent(d);
      index /= extent(d);
      offset_ += index_[d] * stride(d);
    }
  }

  int64_t offset() const { return offset_; }

  // Returns the run that begins here, of at most `most` indices (1 or more), and moves behind it.
  Run next(int64_t most) {
    Run run = {offset_, 1, 0};
    if (first_ < last_) {
      const int d = last_ - 1;
      run.count = std::min(extent(d) - index_[d], most);
      run.stride = stride(d);
      advance(run.count);
    }
    assert(1 <= run.count && run.count <= most && "a walk through a tile advances");
    return run;
  }

 private:
  void advance(int64_t n) {
    index_[last_ - 1] += n;
    offset_ += n * stride(last_ - 1);
    for (int d = last_ - 1; index_[d] == extent(d); d--) {
      offset_ -= index_[d] * stride(d);
      index_[d] = 0;
      if (d == first_) return;
      offset_ += stride(d - 1);
      index_[d - 1]++;
    }
  }

  int64_t stride(int d) const { return space_.dimensions_[d]->strides[operand_]; }
  int64_t extent(int d) const { return space_.dimensions_[d]->extent; }

  const Space &space_;
  const int operand_, first_, last_;
  int64_t offset_ = 0;
  int64_t index_[GPUOPT_MAX_NDIM];
};

void Space::begin(const gpuopt_program &program, const Plan &plan) {
  ninputs_ = program.ninputs;
  noperands_ = program.ninputs + program.noutputs;
  for (int o = 0; o < noperands_; o++) {
    const bool is_input = o < ninputs_;
    const gpuopt_operand &operand = is_input ? program.inputs[o] : program.outputs[o - ninputs_];
    const int dtype = is_input ? plan.use.input_dtype[o] : plan.use.output_dtype[o - ninputs_];
    const bool full = is_input ? plan.use.input_full[o] : plan.use.output_full[o - ninputs_];
    places_[o].data = static_cast<char *>(operand.data);
    places_[o].size = static_cast<uint8_t>(dtype_size(dtype));
    places_[o].operand = static_cast<int8_t>(o);
    for (int d = 0; d < program.ndim; d++) {
      const bool varies = dtype != 0 && (full || !(program.reduced_axes >> d & 1));
      storage_[d].strides[o] = varies ? operand.strides[d] : 0;
    }
  }
  for (int d = 0; d < program.ndim; d++) storage_[d].extent = program.shape[d];
}

int Space::collect(const gpuopt_program &program, uint64_t axes, Order order) {
  int n = 0;
  for (int d = 0; d < program.ndim; d++) {
    if ((axes >> d & 1) && program.shape[d] != 1) order[n++] = static_cast<uint8_t>(d);
  }
  return n;
}

// Reverses a dimension if no operand has a positive stride along it, and at least one a negative one.
void Space::make_ascending(int d) {
  Dimension &dimension = storage_[d];
  bool descends = false;
  for (int o = 0; o < noperands_; o++) {
    if (dimension.strides[o] > 0) return;
    descends |= dimension.strides[o] < 0;
  }
  if (!descends || dimension.extent == 0) return;
  for (int o = 0; o < noperands_; o++) {
    if (dimension.strides[o] == 0) continue;
    places_[o].data += dimension.strides[o] * (dimension.extent - 1);
    dimension.strides[o] = -dimension.strides[o];
  }
}

// Returns whether dimension a should be inside of b: the first operand with different strides decides, outputs before
// inputs.
bool Space::runs_inside(int a, int b) const {
  for (int i = 0; i < noperands_; i++) {
    const int o = i < noperands_ - ninputs_ ? ninputs_ + i : i - (noperands_ - ninputs_);
    const int64_t x = magnitude(storage_[a].strides[o]), y = magnitude(storage_[b].strides[o]);
    if (x != 0 && y != 0 && x != y) return x < y;
  }
  return false;
}

void Space::sort(Order order, int n) const {
  for (int i = 1; i < n; i++) {
    for (int j = i; j > 0 && runs_inside(order[j - 1], order[j]); j--) std::swap(order[j - 1], order[j]);
  }
}

// Merges neighbouring dimensions that every operand strides through as if they were one. Returns how many are left.
int Space::merge(Order order, int n) {
  if (n < 2) return n;
  int kept = n - 1;
  for (int i = n - 2; i >= 0; i--) {
    Dimension &inner = storage_[order[kept]];
    const Dimension &outer = storage_[order[i]];
    bool one = true;
    for (int o = 0; o < noperands_ && one; o++) one = outer.strides[o] == inner.strides[o] * inner.extent;
    if (one) {
      inner.extent *= outer.extent;
    } else {
      order[--kept] = order[i];
    }
  }
  std::copy(order + kept, order + n, order);
  return n - kept;
}

// Returns the position in `order` of the dimension along which operands have smaller strides than along the last one:
// the operand with the widest elements decides. Returns -1 if there is none.
int Space::crossing(const Order order, int n) const {
  int found = -1, widest = 0;
  for (int o = 0; o < noperands_; o++) {
    if (places_[o].size <= widest) continue;
    int64_t least = magnitude(storage_[order[n - 1]].strides[o]);
    for (int i = n - 2; i >= 0; i--) {
      const int64_t stride = magnitude(storage_[order[i]].strides[o]);
      if (stride == 0 || stride >= least) continue;
      least = stride;
      found = i;
      widest = places_[o].size;
    }
  }
  return found;
}

void Space::lay_out(const Order outer, int nouter, const Order inner, int ninner) {
  outer_ndim_ = nouter;
  ndim_ = nouter + ninner;
  outer_size_ = inner_size_ = 1;
  for (int i = 0; i < nouter; i++) {
    dimensions_[i] = &storage_[outer[i]];
    outer_size_ *= dimensions_[i]->extent;
  }
  for (int i = 0; i < ninner; i++) {
    dimensions_[nouter + i] = &storage_[inner[i]];
    inner_size_ *= dimensions_[nouter + i]->extent;
  }
  for (int o = 0; o < noperands_; o++) describe(places_[o], o);
}

void Space::describe(Place &place, int operand) const {
  place.outer_linear = linear(operand, 0, outer_ndim_, place.outer_stride);
  place.inner_linear = linear(operand, outer_ndim_, ndim_, place.inner_stride);
}

bool Space::linear(int operand, int first, int last, int64_t &stride) const {
  stride = first == last ? 0 : dimensions_[last - 1]->strides[operand];
  for (int d = last - 2; d >= first; d--) {
    if (dimensions_[d]->strides[operand] != dimensions_[d + 1]->strides[operand] * dimensions_[d + 1]->extent)
      return false;
  }
  return true;
}

void Space::arrange_elementwise(const gpuopt_program &program, const Plan &plan) {
  begin(program, plan);
  Order order;
  int n = collect(program, ~uint64_t{0}, order);
  for (int i = 0; i < n; i++) make_ascending(order[i]);
  sort(order, n);
  n = merge(order, n);
  const int across = n > 1 ? crossing(order, n) : -1;
  if (across >= 0) std::rotate(order + across, order + across + 1, order + n - 1);
  crossed_ = across >= 0;
  kept_is_outer_ = true;
  lay_out(order, n > 0 ? n - 1 : 0, order + (n > 0 ? n - 1 : 0), n > 0 ? 1 : 0);
}

void Space::arrange_reduction(const gpuopt_program &program, const Plan &plan) {
  begin(program, plan);
  Order kept, sequence;
  int nkept = collect(program, ~program.reduced_axes, kept);
  int nsequence = collect(program, program.reduced_axes, sequence);
  for (int i = 0; i < nkept; i++) make_ascending(kept[i]);
  sort(kept, nkept);
  nkept = merge(kept, nkept);
  nsequence = merge(sequence, nsequence);

  // Bytes per element of the operands whose innermost stride is smaller along the sequence, or along the kept axes.
  int64_t along_sequence = 0, along_kept = 0;
  for (int o = 0; o < noperands_ && nkept > 0 && nsequence > 0; o++) {
    const int64_t a = magnitude(storage_[kept[nkept - 1]].strides[o]);
    const int64_t b = magnitude(storage_[sequence[nsequence - 1]].strides[o]);
    if (a == 0 || b == 0) continue;
    (b < a ? along_sequence : along_kept) += places_[o].size;
  }
  sequence_ = 1;
  for (int i = 0; i < nsequence; i++) sequence_ *= storage_[sequence[i]].extent;
  if (sequence_ == 0) nsequence = 0;  // the kept indices still have to be walked through
  kept_is_outer_ = nkept == 0 || (along_sequence >= along_kept && sequence_ > short_sequence(plan));
  if (kept_is_outer_) {
    lay_out(kept, nkept, sequence, nsequence);
  } else {
    lay_out(sequence, nsequence, kept, nkept);
  }
}

Place Space::kept_place(char *data, int64_t stride) const {
  Place place = {};
  place.data = data;
  place.outer_linear = place.inner_linear = true;
  place.outer_stride = kept_is_outer_ ? stride : 0;
  place.inner_stride = kept_is_outer_ ? 0 : stride;
  place.size = static_cast<uint8_t>(stride);
  return place;
}

int64_t Space::offset(int operand, int first, int last, int64_t index) const {
  return Cursor(*this, operand, first, last, index).offset();
}

// Calls visit(run, position) for the runs that make up `indices`, a range of indices into the dimensions [first, last),
// in order. `position` is the number of indices before the run.
template <class Visit>
void Space::for_each_run(int operand, int first, int last, Range indices, const Visit &visit) const {
  if (indices.count() <= 0) return;
  Cursor cursor(*this, operand, first, last, indices.first);
  for (int64_t position = 0; position < indices.count();) {
    const Cursor::Run run = cursor.next(indices.count() - position);
    visit(run, position);
    position += run.count;
  }
}

// Calls move(offset, position, rows, columns, row stride, column stride) for pieces of the tile that have constant
// strides. `offset` is in bytes from the place's first element, and `position` is the number of elements of the tile
// before the piece.
template <class Move>
void Space::for_each_piece(const Place &place, const Tile &tile, const Move &move) const {
  if (place.outer_linear && place.inner_linear) {
    return move(tile.row * place.outer_stride + tile.column * place.inner_stride, int64_t{0}, tile.rows, tile.columns,
                place.outer_stride, place.inner_stride);
  }
  const Range rows = {tile.row, tile.row + tile.rows}, columns = {tile.column, tile.column + tile.columns};
  for_each_run(place.operand, 0, outer_ndim_, rows, [&](const Cursor::Run &outer, int64_t row) {
    if (place.inner_linear) {
      return move(outer.offset + tile.column * place.inner_stride, row * tile.columns, outer.count, tile.columns,
                  outer.stride, place.inner_stride);
    }
    for (int64_t r = 0; r < outer.count; r++) {
      for_each_run(place.operand, outer_ndim_, ndim_, columns, [&](const Cursor::Run &inner, int64_t column) {
        move(outer.offset + r * outer.stride + inner.offset, (row + r) * tile.columns + column, int64_t{1}, inner.count,
             int64_t{0}, inner.stride);
      });
    }
  });
}

void Space::load(void *to, const Place &from, const Tile &tile) const {
  const int64_t size = from.size;
  for_each_piece(from, tile,
                 [&](int64_t offset, int64_t position, int64_t rows, int64_t columns, int64_t rs, int64_t cs) {
                   move_elements({static_cast<char *>(to) + position * size, tile.columns * size, size},
                                 {from.data + offset, rs, cs}, rows, columns, static_cast<int>(size));
                 });
}

void Space::store(const Place &to, const void *from, const Tile &tile) const {
  const int64_t size = to.size;
  char *const source = const_cast<char *>(static_cast<const char *>(from));
  for_each_piece(to, tile,
                 [&](int64_t offset, int64_t position, int64_t rows, int64_t columns, int64_t rs, int64_t cs) {
                   move_elements({to.data + offset, rs, cs}, {source + position * size, tile.columns * size, size},
                                 rows, columns, static_cast<int>(size));
                 });
}

}  // namespace gpuopt::cpu
