// plugins/cpu/program/tile_worker.cpp -- see tile_worker.h.
#include "plugins/cpu/program/tile_worker.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "plugins/cpu/program/tile_move.h"

namespace gpuopt::cpu {
namespace {

bool overwrites(const Run &run, const Store &store, const Leaf &leaf) {
  return store.kind == PlaceKind::kOutput && leaf.kind == PlaceKind::kInput &&
         run.program->outputs[store.index].data == run.program->inputs[leaf.index].data;
}

// Returns whether a value may be computed directly in an output's memory. This is not so if an input at the same
// address is read by a later instruction, or, if the value is a leaf (which is loaded before anything is computed), at
// all.
bool can_store_directly(const Run &run, const Pass &pass, const Store &store) {
  return std::none_of(pass.leaves.begin(), pass.leaves.end(), [&](const Leaf &leaf) {
    return overwrites(run, store, leaf) && (store.producer == Pass::kFromLeaf || leaf.last_use > store.producer);
  });
}

// Returns whether the store's memory need not be in the caches: the run streams its outputs, and no input that is read
// from the same memory brings it there.
bool is_streamed(const Run &run, const Pass &pass, const Store &store) {
  return run.stream && store.kind == PlaceKind::kOutput &&
         std::none_of(pass.leaves.begin(), pass.leaves.end(),
                      [&](const Leaf &leaf) { return overwrites(run, store, leaf); });
}

// Returns whether the leaf is an input that one output stores unchanged and another one overwrites. It has to be read
// first.
bool must_copy(const Run &run, const Pass &pass, const Leaf &leaf) {
  return leaf.stored && std::any_of(pass.stores.begin(), pass.stores.end(), [&](const Store &store) {
           return overwrites(run, store, leaf) && store.src != leaf.step;
         });
}

// The least number of columns of a tile whose rows compiled code computes where they are: for each row it enters its
// loops anew, which takes longer than copying a few elements.
constexpr int64_t kLeastColumnsInPlace = 64;

int64_t pass_bytes(const Pass &pass, int64_t elements) {
  return (pass.register_bytes + pass.leaf_bytes) * elements + kAlign * static_cast<int64_t>(pass.leaves.size() + 1);
}

}  // namespace

int64_t Worker::bytes_needed(const Plan &plan, int64_t elements) noexcept {
  int64_t most = 0;
  for (const Pass &pass : plan.full_passes) most = std::max(most, pass_bytes(pass, elements));
  for (const Pass &pass : plan.kept_passes) most = std::max(most, pass_bytes(pass, elements));
  return aligned(sizeof(Worker)) + aligned(most);
}

Worker *Worker::make(char *memory, int64_t elements) noexcept {
  Worker *const worker = new (memory) Worker;
  worker->memory_ = memory + aligned(sizeof(Worker));
  worker->capacity_ = elements;
  worker->value_[0] = nullptr;
  return worker;
}

char *Worker::take(int64_t bytes) noexcept {
  char *const taken = next_;
  next_ += aligned(bytes);
  return taken;
}

void Worker::bind(const Run &run, const Pass &pass, TileShape shape, char *const *kept, Stores stores) noexcept {
  run_ = &run;
  pass_ = &pass;
  shape_ = shape;
  next_ = memory_;
  rows_in_place_ = takes_pitches();
  tile_columns_ = 0;
  char *const registers = take(pass.register_bytes * capacity_);
  for (const Register &r : pass.registers) {
    value_[r.step] = registers + r.offset * capacity_;
    scalar_leaf_[r.step] = -1;
  }
  bind_stores(kept, stores);
  bind_leaves(kept);
  choose_loops();
  find_streams();
}

bool Worker::takes_pitches() const noexcept {
  return shape_.rows > 1 && shape_.columns >= kLeastColumnsInPlace && pass_->scan < 0 && compiled_entry(0) >= 0;
}

// Sets the distances of rows in tiles of `columns` columns.
void Worker::set_pitches(int64_t columns) noexcept {
  for (const Register &r : pass_->registers) pitch_[r.step] = columns * dtype_size(run_->plan->steps[r.step].dtype);
  for (size_t i = 0; i < pass_->leaves.size(); i++) {
    const BoundLeaf &bound = leaf_[i];
    pitch_[pass_->leaves[i].step] =
        bound.access == Access::kDirect ? bound.place.outer_stride : columns * bound.place.size;
  }
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    if (store_[i].direct) pitch_[pass_->stores[i].src] = store_[i].place.outer_stride;
  }
}

// Returns whether the elements of every tile are contiguous.
bool Worker::contiguous(const Place &place) const noexcept {
  const bool columns = shape_.columns == 1 || (place.inner_linear && place.inner_stride == place.size);
  const bool rows = shape_.rows == 1 ||
                    (shape_.same_width && place.outer_linear && place.outer_stride == shape_.columns * place.size);
  return columns && rows;
}

int64_t Worker::pitch(const Reduction &r, const Tile &tile) const noexcept {
  if (rows_in_place_) return pitch_[r.src] / r.src_size;
  if (r.leaf < 0 || leaf_[r.leaf].access != Access::kDirect || tile.rows == 1) return tile.columns;
  return leaf_[r.leaf].place.outer_stride / r.src_size;
}

bool Worker::reduces_in_place(const Run &run, const Pass &pass) noexcept {
  if (!pass.code.empty() || !pass.stores.empty()) return false;
  return std::all_of(pass.leaves.begin(), pass.leaves.end(), [&](const Leaf &leaf) {
    return leaf.kind == PlaceKind::kInput && has_contiguous_rows(run.space.input(leaf.index));
  });
}

bool Worker::is_one_loop_in_place(const Run &run, const Pass &pass) noexcept {
  const bool copies = pass.code.empty(), compiled = run.compiled && pass.entry[0] >= 0;
  if (!copies && !compiled && pass.code.size() != 1) return false;
  const bool reads = std::all_of(pass.leaves.begin(), pass.leaves.end(), [&](const Leaf &leaf) {
    if (leaf.kind == PlaceKind::kConstant) return !copies;
    return has_contiguous_rows(run.space.input(leaf.index)) && !must_copy(run, pass, leaf);
  });
  return reads && std::all_of(pass.stores.begin(), pass.stores.end(), [&](const Store &store) {
           if (!has_contiguous_rows(run.space.output(store.index))) return false;
           return copies || (store.producer != Pass::kFromLeaf && can_store_directly(run, pass, store) &&
                             !is_streamed(run, pass, store));
         });
}

void Worker::bind_stores(char *const *kept, Stores stores) noexcept {
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    const Store &store = pass_->stores[i];
    BoundStore &bound = store_[i];
    bound.place = store.kind == PlaceKind::kKept ? run_->space.kept_place(kept[store.index], store.size)
                                                 : run_->space.output(store.index);
    bound.contiguous = contiguous(bound.place);
    bound.streamed = bound.contiguous && is_streamed(*run_, *pass_, store);
    bound.direct = stores == Stores::kAllowed && may_be_direct(i);
    for (size_t j = 0; j < i; j++) bound.direct &= !(store_[j].direct && pass_->stores[j].src == store.src);
  }
}

// Returns whether the value that is stored may be computed where it is stored, as far as this store tells.
bool Worker::may_be_direct(size_t i) const noexcept {
  const Store &store = pass_->stores[i];
  const BoundStore &bound = store_[i];
  if (bound.streamed || !can_store_directly(*run_, *pass_, store)) return false;
  if (bound.contiguous) return true;
  const auto reads_it = [&](const Store &other) { return &other != &store && other.src == store.src; };
  return rows_in_place_ && has_contiguous_rows(bound.place) && store.producer != Pass::kFromLeaf &&
         std::none_of(pass_->stores.begin(), pass_->stores.end(), reads_it);
}

void Worker::bind_leaves(char *const *kept) noexcept {
  for (size_t i = 0; i < pass_->leaves.size(); i++) {
    const Leaf &leaf = pass_->leaves[i];
    bind_leaf(leaf, leaf_[i], kept);
    const bool scalar = leaf_[i].access == Access::kFixed || leaf_[i].access == Access::kPerRow;
    scalar_leaf_[leaf.step] = scalar ? static_cast<int16_t>(i) : int16_t{-1};
  }
  // A store whose source is a leaf is direct only if the leaf is copied: the copy is then made in the output. Otherwise
  // store() copies it from where it is.
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    const Store &store = pass_->stores[i];
    if (store.producer != Pass::kFromLeaf || !store_[i].direct) continue;
    for (size_t j = 0; j < pass_->leaves.size(); j++) {
      if (pass_->leaves[j].step == store.src) store_[i].direct = leaf_[j].access == Access::kCopied;
    }
  }
}

void Worker::bind_leaf(const Leaf &leaf, BoundLeaf &bound, char *const *kept) noexcept {
  switch (leaf.kind) {
    case PlaceKind::kInput:
      bound.place = run_->space.input(leaf.index);
      break;
    case PlaceKind::kKept:
      bound.place = run_->space.kept_place(kept[leaf.index], leaf.size);
      break;
    default:
      bound.place = run_->space.kept_place(
          const_cast<char *>(reinterpret_cast<const char *>(run_->program->constants[leaf.index].bytes)), 0);
      bound.place.size = leaf.size;
  }
  const Place &place = bound.place;
  const bool row_constant = place.inner_linear && place.inner_stride == 0;
  const bool takes_pitch = leaf.only_reduced || (rows_in_place_ && !leaf.stored);
  bound.spread = false;
  bound.row = bound.column = -1;
  if (row_constant && place.outer_linear && place.outer_stride == 0) {
    bound.access = Access::kFixed;
    value_[leaf.step] = place.data;
  } else if ((contiguous(place) || (takes_pitch && has_contiguous_rows(place))) && !must_copy(*run_, *pass_, leaf)) {
    bound.access = Access::kDirect;
  } else if (row_constant && shape_.rows == 1) {
    bound.access = Access::kPerRow;
  } else {
    const bool same_rows = place.outer_linear && place.outer_stride == 0;
    bound.access = same_rows ? Access::kSameRows : Access::kCopied;
    value_[leaf.step] = bound.buffer = take(capacity_ * leaf.size);
  }
}

void Worker::choose_loop(size_t i) noexcept {
  const Instruction &c = pass_->code[i];
  const bool a = c.nsrc == 2 && scalar_leaf_[c.src[0]] >= 0, b = c.nsrc == 2 && scalar_leaf_[c.src[1]] >= 0;
  if (b && !a && c.loops.scalar_b) {
    loop_[i] = c.loops.scalar_b;
  } else if (a && !b && c.loops.scalar_a) {
    loop_[i] = c.loops.scalar_a;
  } else {
    loop_[i] = c.loops.vector;
    for (int k = 0; k < c.nsrc; k++) spread(c.src[k]);
  }
}

// Compiled code takes constants as single elements, and all other values as tiles.
void Worker::choose_loops() noexcept {
  for (int part = 0; part < 2; part++) {
    const CodeRange range = pass_->code_range(part);
    const bool compiled = compiled_entry(range.first) >= 0;
    for (int i = range.first; i < range.last; i++) {
      if (!compiled) {
        choose_loop(static_cast<size_t>(i));
        continue;
      }
      const Instruction &c = pass_->code[static_cast<size_t>(i)];
      for (int k = 0; k < c.nsrc; k++) {
        const int leaf = scalar_leaf_[c.src[k]];
        if (leaf >= 0 && pass_->leaves[static_cast<size_t>(leaf)].kind != PlaceKind::kConstant) spread(c.src[k]);
      }
    }
  }
  if (pass_->scan >= 0) spread(pass_->code[static_cast<size_t>(pass_->scan)].src[0]);
  for (const Store &store : pass_->stores) spread(store.src);
  for (const Reduction &reduction : pass_->reductions) spread(reduction.src);
}

// Replaces a single element by a tile that repeats it.
void Worker::spread(int step) noexcept {
  if (scalar_leaf_[step] < 0) return;
  BoundLeaf &bound = leaf_[scalar_leaf_[step]];
  if (bound.spread) return;
  bound.spread = true;
  bound.buffer = take(capacity_ * bound.place.size);
  if (bound.access == Access::kFixed) fill_elements(bound.buffer, bound.place.data, capacity_, bound.place.size);
  value_[step] = bound.buffer;
}

// Prefetches beyond the last tile are useless but harmless, since a prefetch cannot fault.
void Worker::find_streams() noexcept {
  nstreams_ = 0;
  if (!run_->prefetch || pass_->code.empty()) return;
  for (size_t i = 0; i < pass_->leaves.size(); i++) {
    if (leaf_[i].access == Access::kDirect && contiguous(leaf_[i].place))
      add_stream(pass_->leaves[i].step, pass_->leaves[i].size);
  }
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    const Store &store = pass_->stores[i];
    const auto in_place = [&](const Leaf &leaf) { return overwrites(*run_, store, leaf); };
    const bool is_read = std::any_of(pass_->leaves.begin(), pass_->leaves.end(), in_place);
    if (store_[i].direct && store_[i].contiguous && !is_read) add_stream(store.src, store.size);
  }
}

void Worker::add_stream(int step, int64_t size) noexcept {
  if (nstreams_ == kMaxPlaces) return;
  const int64_t loops = compiled_entry(0) >= 0 ? 1 : static_cast<int64_t>(pass_->code.size());
  const int64_t share = shape_.rows * shape_.columns * size / loops;
  streams_[nstreams_++] = {step, size, aligned(share)};
}

// While loops run in the first-level cache, memory would be idle and the hardware prefetchers would stop. So the cache
// lines of the next two tiles are prefetched, a share before each loop. Each line is thus prefetched twice, two tiles
// ahead and one tile ahead, which was measured to be faster than once at either distance.
void Worker::compute_and_prefetch(int64_t elements) noexcept {
  const int ncode = static_cast<int>(pass_->code.size());
  const int at_once = compiled_entry(0) >= 0 ? ncode : 1;
  for (int i = 0; i < ncode; i += at_once) {
    prefetch_share(i, elements);
    compute(i, i + at_once, elements);
  }
}

void Worker::prefetch_share(int number, int64_t elements) const noexcept {
  for (int s = 0; s < nstreams_; s++) {
    const Stream &stream = streams_[s];
    const int64_t bytes = elements * stream.size, end = std::min((number + 1) * stream.share, bytes);
    const char *const next = value_[stream.step] + bytes;
    for (int64_t at = number * stream.share; at < end; at += kAlign) {
      __builtin_prefetch(next + at);
      __builtin_prefetch(next + at + bytes);
    }
  }
}

void Worker::move_to_row(BoundLeaf &bound, int64_t row) noexcept {
  bound.row = row;
  bound.row_data = bound.place.data + run_->space.row_offset(bound.place, row);
}

// Returns the tile of the same columns from row 0 on, with as many rows as any tile has. The tile shape may have more
// rows than the space.
Tile Worker::all_rows(const Tile &tile) const noexcept {
  const int64_t rows = std::min(shape_.rows, run_->space.rows());
  return run_->space.tile({0, rows}, {tile.column, tile.column + tile.columns});
}

void Worker::load_leaf(const Leaf &leaf, BoundLeaf &bound, const Tile &tile) noexcept {
  const bool new_row = bound.row != tile.row;
  switch (bound.access) {
    case Access::kFixed:
      return;
    case Access::kPerRow:
      if (!new_row) return;
      move_to_row(bound, tile.row);
      if (bound.spread) {
        fill_elements(bound.buffer, bound.row_data, shape_.columns, bound.place.size);
      } else {
        value_[leaf.step] = bound.row_data;
      }
      return;
    case Access::kDirect:
      if (new_row) move_to_row(bound, tile.row);
      value_[leaf.step] = bound.row_data + tile.column * bound.place.inner_stride;
      return;
    case Access::kCopied:
      return run_->space.load(value_[leaf.step], bound.place, tile);
    case Access::kSameRows:
      if (bound.column == tile.column) return;
      bound.column = tile.column;
      return run_->space.load(value_[leaf.step], bound.place, all_rows(tile));
  }
}

void Worker::load(const Tile &tile) noexcept {
  if (rows_in_place_ && tile_columns_ != tile.columns) set_pitches(tile.columns);
  tile_rows_ = tile.rows;
  tile_columns_ = tile.columns;
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    const BoundStore &bound = store_[i];
    if (!bound.direct) continue;
    value_[pass_->stores[i].src] =
        bound.place.data + run_->space.row_offset(bound.place, tile.row) + tile.column * bound.place.inner_stride;
  }
  for (size_t i = 0; i < pass_->leaves.size(); i++) load_leaf(pass_->leaves[i], leaf_[i], tile);
}

void Worker::prefetch(const Tile &tile) const noexcept {
  constexpr int64_t kLine = 64;
  for (size_t i = 0; i < pass_->leaves.size(); i++) {
    const Place &place = leaf_[i].place;
    const bool reads_rows = leaf_[i].access == Access::kCopied ||
                            (rows_in_place_ && leaf_[i].access == Access::kDirect && place.outer_stride != 0);
    if (!reads_rows || !has_contiguous_rows(place)) continue;
    const char *row = place.data + tile.row * place.outer_stride + tile.column * place.inner_stride;
    for (int64_t r = 0; r < tile.rows; r++, row += place.outer_stride) {
      for (int64_t b = 0; b < tile.columns * place.size; b += kLine) __builtin_prefetch(row + b);
    }
  }
}

void Worker::compute(int first, int last, int64_t elements) noexcept {
  if (const int entry = compiled_entry(first); entry >= 0) {
    if (rows_in_place_) return run_->compiled->run(entry, value_, pitch_, tile_rows_, tile_columns_);
    return run_->compiled->run(entry, value_, nullptr, 1, elements);
  }
  for (int i = first; i < last; i++) {
    const Instruction &c = pass_->code[static_cast<size_t>(i)];
    loop_[i](value_[c.dst], value_[c.src[0]], value_[c.src[1]], value_[c.src[2]], elements);
  }
}

void Worker::store(const Tile &tile) noexcept {
  for (size_t i = 0; i < pass_->stores.size(); i++) {
    const BoundStore &bound = store_[i];
    if (bound.direct) continue;
    const char *const from = value_[pass_->stores[i].src];
    if (!bound.contiguous) {
      run_->space.store(bound.place, from, tile);
      continue;
    }
    char *const to =
        bound.place.data + run_->space.row_offset(bound.place, tile.row) + tile.column * bound.place.inner_stride;
    const int64_t bytes = tile.elements() * bound.place.size;
    if (bound.streamed) {
      stream_bytes(to, from, bytes);
    } else if (to != from) {
      std::memcpy(to, from, static_cast<size_t>(bytes));
    }
  }
}

}  // namespace gpuopt::cpu
