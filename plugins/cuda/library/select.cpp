// plugins/cuda/library/select.cpp -- true elements numbered, indices checked, rows moved.
#include "plugins/cuda/library/select.h"

#include <algorithm>

namespace gpuopt::cuda {
namespace {

// Returns the OR of the strides of the walk's second operand; its trailing zeros give the alignment of offsets.
uint64_t grain_of(const Walk<2> &walk) noexcept {
  uint64_t bits = 0;
  for (int32_t axis = 0; axis < walk.ndim(); axis++) bits |= static_cast<uint64_t>(walk.stride(axis, 1));
  return bits;
}

// Returns whether a mask is contiguous in C order and aligned to 16 bytes.
bool is_packed(const gpuopt_tensor &mask, const Walk<1> &walk) noexcept {
  return walk.is_one_run() && walk.inner_stride(0) == 1 && address_of(mask) % 16 == 0;
}

}  // namespace

TrueElements::TrueElements(const Work &work, const gpuopt_tensor &mask)
    : work_(work), size_(size_of(mask)), tiles_((size_ + kTile - 1) / kTile), address_(address_of(mask)) {
  const Walk<1> walk(mask.ndim, mask.shape, {mask.strides});
  packed_ = is_packed(mask, walk);
  if (!size_) return;
  starts_.emplace(work.device, work.stream, static_cast<uint64_t>(tiles_ + 1) * sizeof(uint64_t));
  launch(Kernel{"mask_counts", "", "", {}, {}}, walk);
  launch_starts(work, tiles_, starts());
}

int64_t TrueElements::count() const {
  if (!size_) return 0;
  uint64_t total = 0;
  read_words(work_, starts() + static_cast<uint64_t>(tiles_) * sizeof total, &total, 1);
  return static_cast<int64_t>(total);
}

void TrueElements::launch(const Kernel &kernel, int32_t rank, const KernelWords &parameters) const {
  std::string function = std::string("gpo::") + kernel.name + "<" + count_type(size_);
  if (!kernel.unit.empty()) function += "," + kernel.unit;
  function += "," + std::to_string(rank) + "," + flag(packed_);
  if (!kernel.last.empty()) function += "," + kernel.last;
  launch_library(work_, "gather.h", function + ">", parameters, tiles_, 256);
}

void check_indices(const Work &work, const gpuopt_tensor &indices, int64_t size, int64_t axis) {
  const int64_t n = size_of(indices);
  if (!n) return;
  const Walk<1> walk(indices.ndim, indices.shape, {indices.strides});
  uint64_t bad[2] = {};
  const Scratch result(work.device, work.stream, sizeof bad);
  fill_bytes(work, result.address(), 0, sizeof bad);
  KernelWords parameters{static_cast<uint64_t>(n), address_of(indices), static_cast<uint64_t>(size), result.address()};
  launch_moves(work, "gather.h", instance("index_check", {count_type(n), std::to_string(walk.ndim())}),
               parameters.add(walk), n);
  read_words(work, result.address(), bad, 2);
  if (!bad[0] && !bad[1]) return;
  const auto offender = static_cast<int64_t>(bad[0] ? bad[0] - 1 : 0 - bad[1]);
  fail(GPUOPT_ERR_INDEX, "index %lld is outside axis %d of size %lld", static_cast<long long>(offender),
       static_cast<int>(axis), static_cast<long long>(size));
}

void RowMove::run(const Work &work) const {
  const auto bits = part | whole | static_cast<uint64_t>(grain | places.grain(0) | places.grain(2));
  const RowUnits row(row_ndim, row_shape, part_row_strides, whole_row_strides, element, bits);
  Axes<3> units = places;
  for (size_t axis = 0; axis < row.axes.shape.size(); axis++)
    units.append(row.axes.shape[axis], {row.axes.strides[0][axis], 0, row.axes.strides[1][axis]});
  const Walk<3> walk = units.walk();
  const int64_t n = walk.size();
  if (!n) return;
  KernelWords parameters{static_cast<uint64_t>(n),          part, indices, whole, static_cast<uint64_t>(axis_size),
                         static_cast<uint64_t>(axis_stride)};
  launch_moves(work, "gather.h",
               instance("index_move", {count_type(n), unit_type(row.unit), std::to_string(walk.ndim()), flag(put)}),
               parameters.add(walk), n);
}

RowMove indexed_rows(const gpuopt_tensor &whole, const gpuopt_tensor &indices, const gpuopt_tensor &part, int64_t axis,
                     bool put) {
  Axes<3> places;
  for (int64_t k = 0; k < axis; k++) places.append(whole.shape[k], {part.strides[k], 0, whole.strides[k]});
  for (int32_t k = 0; k < indices.ndim; k++)
    places.append(indices.shape[k], {part.strides[axis + k], indices.strides[k], 0});
  return {put,
          address_of(part),
          address_of(indices),
          address_of(whole),
          whole.shape[axis],
          whole.strides[axis],
          whole.shape[axis] > 1 ? whole.strides[axis] : 0,
          std::move(places),
          static_cast<int32_t>(whole.ndim - axis - 1),
          whole.shape + axis + 1,
          part.strides + axis + indices.ndim,
          whole.strides + axis + 1,
          element_size(whole.dtype)};
}

TrueRows::TrueRows(const Work &work, const gpuopt_tensor &mask, const gpuopt_tensor &whole, int64_t rows)
    : whole_(whole),
      ndim_(mask.ndim),
      rows_(rows),
      offsets_(work.device, work.stream, static_cast<uint64_t>(std::max<int64_t>(rows, 1)) * sizeof(int64_t)) {
  for (int32_t axis = 0; axis < ndim_; axis++) {
    if (whole.shape[axis] < 2) continue;
    low_ += std::min<int64_t>(0, (whole.shape[axis] - 1) * whole.strides[axis]);
    grain_ |= whole.strides[axis];
  }
  if (!rows) return;
  const TrueElements found(work, mask);
  fill_bytes(work, offsets_.address(), 0xff, static_cast<uint64_t>(rows) * sizeof(int64_t));
  if (!found.size()) return;
  const Walk<2> walk(mask.ndim, mask.shape, {mask.strides, whole.strides});
  found.launch(
      {"mask_list", "", "", {0, offsets_.address(), static_cast<uint64_t>(low_), static_cast<uint64_t>(rows), 0}, {}},
      walk);
}

RowMove TrueRows::move(const gpuopt_tensor &part, bool put) const {
  Axes<3> places;
  places.append(rows_, {part.strides[0], sizeof(int64_t), 0});
  return {put,
          address_of(part),
          offsets_.address(),
          address_of(whole_) + static_cast<uint64_t>(low_),
          0,
          1,
          grain_,
          std::move(places),
          whole_.ndim - ndim_,
          whole_.shape + ndim_,
          part.strides + 1,
          whole_.strides + ndim_,
          element_size(whole_.dtype)};
}

TrueUnits::TrueUnits(const gpuopt_tensor &m, const gpuopt_tensor &w, const gpuopt_tensor &p)
    : mask(m),
      whole(w),
      part(p),
      walk(mask.ndim, mask.shape, {mask.strides, whole.strides}),
      row(whole.ndim - mask.ndim, whole.shape + mask.ndim, part.strides + 1, whole.strides + mask.ndim,
          element_size(whole.dtype),
          grain_of(walk) | address_of(whole) | address_of(part) | static_cast<uint64_t>(part.strides[0])) {}

void TrueUnits::move(const Work &work, int64_t rows, int64_t step, bool expand) const {
  const TrueElements found(work, mask);
  if (!found.size()) return;
  found.launch({"mask_move",
                unit_type(row.unit),
                flag(expand),
                {address_of(whole), address_of(part), static_cast<uint64_t>(step), static_cast<uint64_t>(rows), 0},
                {}},
               walk);
}

}  // namespace gpuopt::cuda
