// abi/gpuopt/hpp/joins.hpp -- part of gpuopt.hpp: arrays joined, split, padded and rearranged.
#ifndef GPUOPT_HPP_JOINS_HPP
#define GPUOPT_HPP_JOINS_HPP

#include <vector>

#include "functions.hpp"

namespace gpuopt {
inline namespace v1 {

// Where an axis may be `none`, that is NumPy's axis=None: the arrays are flattened first.

// What gpuopt::pad() writes around an array; see gpuopt_pad_mode.
enum class pad_mode : gpuopt_pad_mode {
  constant = GPUOPT_PAD_CONSTANT,
  edge = GPUOPT_PAD_EDGE,
  reflect = GPUOPT_PAD_REFLECT,
  symmetric = GPUOPT_PAD_SYMMETRIC,
  wrap = GPUOPT_PAD_WRAP
};

namespace detail {

// The arrays of a list; under allow_transfers, those on other devices than the first one are copied there.
class gathered_list {
 public:
  explicit gathered_list(const std::vector<array> &list) : arrays_(list) {
    for (array &x : arrays_) {
      if (!x.empty()) x = gathered_pair(arrays_.front(), x);
      raw_.push_back(x.get());
    }
  }
  int32_t count() const noexcept { return static_cast<int32_t>(raw_.size()); }
  const gpuopt_array *data() const noexcept { return raw_.data(); }

 private:
  static array gathered_pair(const array &first, const array &x) {
    const gathered in(first, x);
    return array(array::handle_type(gpuopt_array_retain(in[1])));
  }
  std::vector<array> arrays_;
  std::vector<gpuopt_array> raw_;
};

inline const int64_t *axis_or_null(const int64_t &axis) { return axis == none ? nullptr : &axis; }

// Calls a function of gpuopt.h that writes `count` arrays.
template <class F, class... Args>
std::vector<array> make_several(int64_t count, F function, Args... args) {
  std::vector<gpuopt_array> raw(count > 0 ? static_cast<size_t>(count) : 0);
  call(function, args..., raw.data());
  std::vector<array> made;
  made.reserve(raw.size());
  for (gpuopt_array x : raw) made.emplace_back(array::handle_type(x));
  return made;
}

inline array index_for(const array &x, int64_t index) { return from_memory(&index, dims(), x.device()); }

}  // namespace detail

// Arrays one behind the other: concat({x, y + z}, 1). See gpuopt_concat().
inline array concat(const std::vector<array> &arrays, int64_t axis = 0) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_concat, in.count(), in.data(), detail::axis_or_null(axis));
}
// Arrays of one shape along a new axis. See gpuopt_stack().
inline array stack(const std::vector<array> &arrays, int64_t axis = 0) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_stack, in.count(), in.data(), axis);
}
// An item of an index that may have arrays beside integers, slices, all, newaxis and ellipsis.
class any_subscript {
 public:
  // What a subscript is made of.
  template <class T, std::enable_if_t<std::is_constructible_v<subscript, const T &>, int> = 0>
  any_subscript(const T &item) : raw_(subscript(item).raw_) {}
  // Integers or bool; see gpuopt_get().
  any_subscript(const array &index) : raw_{GPUOPT_INDEX_ARRAY, 0, 0, 0, 0}, index_(index) {}

  // The item as C has it.
  const gpuopt_index &raw() const { return raw_; }
  // The array, if the item is one; else empty.
  const array &index() const { return index_; }

 private:
  gpuopt_index raw_;
  array index_;
};
namespace detail {
struct any_index {
  std::vector<gpuopt_index> items;
  std::vector<gpuopt_array> arrays;
  explicit any_index(const std::vector<any_subscript> &of) {
    for (const any_subscript &item : of) {
      items.push_back(item.raw());
      if (item.raw().kind == GPUOPT_INDEX_ARRAY) arrays.push_back(item.index().get());
    }
  }
  int32_t count() const { return static_cast<int32_t>(items.size()); }
  int32_t narrays() const { return static_cast<int32_t>(arrays.size()); }
};
}  // namespace detail
// x[items] with any mixture of items: get(x, {rows, all, mask}). A fresh array where an item is one, else a view. See
// gpuopt_get().
inline array get(array x, const std::vector<any_subscript> &items) {
  const detail::any_index in(items);
  return detail::from_one(gpuopt_get, std::move(x), in.count(), in.items.data(), in.narrays(), in.arrays.data());
}
// x[items] = value. See gpuopt_set().
inline void set(const array &x, const std::vector<any_subscript> &items, const operand &value) {
  const detail::any_index in(items);
  const detail::gathered to(x, value);
  detail::call(gpuopt_set, to[0], in.count(), in.items.data(), in.narrays(), in.arrays.data(), to[1]);
}
// The indices of nonzero elements, an array for each axis: get(x, nonzero(x)) are those elements. See gpuopt_nonzero().
inline std::vector<array> nonzero(const array &x) { return detail::make_several(x.ndim(), gpuopt_nonzero, x.get()); }
// NumPy's where() of a condition alone: the same.
inline std::vector<array> where(const array &condition) { return nonzero(condition); }
// Einstein's sums: einsum("ij,jk->ik", {x, y}). See gpuopt_einsum().
inline array einsum(const std::string &subscripts, const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_einsum, subscripts.c_str(), in.count(), in.data());
}
// x and the values, which may be one number, behind it. See gpuopt_append().
inline array append(const array &x, const operand &values, int64_t axis = none) {
  return detail::product(gpuopt_append, x, values, detail::axis_or_null(axis));
}
// The coordinates of a grid: array i varies along axis i of the results if `ij`; else the first two are swapped. See
// gpuopt_meshgrid().
inline std::vector<array> meshgrid(const std::vector<array> &arrays, bool ij = false) {
  const detail::gathered_list in(arrays);
  return detail::make_several(in.count(), gpuopt_meshgrid, in.count(), in.data(), int32_t{ij});
}
// Read-only views in the shape that the arrays broadcast to. See gpuopt_broadcast_arrays().
inline std::vector<array> broadcast_arrays(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make_several(in.count(), gpuopt_broadcast_arrays, in.count(), in.data());
}

// The views x[i] along an axis. See gpuopt_unstack().
inline std::vector<array> unstack(const array &x, int64_t axis = 0) {
  const int64_t count = x.ndim() ? x.shape(static_cast<int32_t>(axis)) : 0;
  return detail::make_several(count, gpuopt_unstack, x.get(), axis, static_cast<int32_t>(count));
}
// Views of equal parts. See gpuopt_split().
inline std::vector<array> split(const array &x, int32_t sections, int64_t axis = 0) {
  return detail::make_several(sections, gpuopt_split, x.get(), sections, axis);
}
// Views of parts whose sizes differ by one at most. See gpuopt_array_split().
inline std::vector<array> array_split(const array &x, int32_t sections, int64_t axis = 0) {
  return detail::make_several(sections, gpuopt_array_split, x.get(), sections, axis);
}
// Views of the parts between positions. See gpuopt_split_at().
inline std::vector<array> split_at(const array &x, const std::vector<int64_t> &positions, int64_t axis = 0) {
  const auto count = static_cast<int32_t>(positions.size());
  return detail::make_several(int64_t{count} + 1, gpuopt_split_at, x.get(), count, positions.data(), axis);
}

// Elements moved along axes, or along the flattened array if none is named. See gpuopt_roll().
inline array roll(array x, const dims &shifts, const dims &axes) {
  if (shifts.size() != axes.size()) detail::raise(GPUOPT_ERR_SHAPE, "roll: there are not as many shifts as axes");
  return detail::from_one(gpuopt_roll, std::move(x), shifts.size(), shifts.data(), axes.data());
}
inline array roll(array x, const dims &shifts) {
  return detail::from_one(gpuopt_roll, std::move(x), shifts.size(), shifts.data(), nullptr);
}
// Each element `count` times. See gpuopt_repeat().
inline array repeat(array x, int64_t count, int64_t axis = none) {
  return detail::from_one(gpuopt_repeat, std::move(x), count, detail::axis_or_null(axis));
}
// Element i counts[i] times. See gpuopt_repeat_each().
inline array repeat(const array &x, const array &counts, int64_t axis = none) {
  return detail::product(gpuopt_repeat_each, x, counts, detail::axis_or_null(axis));
}
// Copies of x side by side. See gpuopt_tile().
inline array tile(array x, const dims &reps) {
  return detail::from_one(gpuopt_tile, std::move(x), reps.size(), reps.data());
}
// x with elements around it: `widths` has two numbers for each axis, before and behind it, or two for all axes. See
// gpuopt_pad().
inline array pad(const array &x, const std::vector<int64_t> &widths, pad_mode mode = pad_mode::constant,
                 const scalar &value = 0) {
  std::vector<int64_t> each = widths;
  const size_t wanted = 2 * static_cast<size_t>(x.ndim());
  while (widths.size() == 2 && each.size() < wanted) each.insert(each.end(), widths.begin(), widths.end());
  if (each.size() != wanted && !(x.ndim() == 0 && widths.size() == 2))
    detail::raise(GPUOPT_ERR_SHAPE, "pad: two widths for each axis are needed, or two for all");
  return detail::make<array>(gpuopt_pad, x.get(), each.data(), static_cast<gpuopt_pad_mode>(mode), value.raw());
}

inline array expand_dims(array x, const dims &axes) {
  return detail::from_one(gpuopt_expand_dims_n, std::move(x), axes.size(), axes.data());
}
inline array moveaxis(array x, const dims &source, const dims &destination) {
  if (source.size() != destination.size())
    detail::raise(GPUOPT_ERR_SHAPE, "moveaxis: the lists of axes have different lengths");
  return detail::from_one(gpuopt_moveaxis, std::move(x), source.size(), source.data(), destination.data());
}
inline array swapaxes(array x, int64_t axis1, int64_t axis2) {
  return detail::from_one(gpuopt_swapaxes, std::move(x), axis1, axis2);
}
// Turned by k times 90 degrees, from the first axis towards the second. See gpuopt_rot90().
inline array rot90(const array &x, int64_t k = 1, const dims &axes = {0, 1}) {
  if (axes.size() != 2) detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "rot90: there must be two axes");
  return detail::make<array>(gpuopt_rot90, x.get(), k, axes.data());
}
// A read-only view. See gpuopt_diagonal().
inline array diagonal(array x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) {
  return detail::from_one(gpuopt_diagonal, std::move(x), offset, axis1, axis2);
}
// A matrix with x on its k-th diagonal; or that of a matrix, as a read-only view. See gpuopt_diag().
inline array diag(array x, int64_t k = 0) { return detail::from_one(gpuopt_diag, std::move(x), k); }
// One dimension, in C order: a view of a contiguous x, else a copy. See gpuopt_ravel().
inline array ravel(array x) { return std::move(x).ravel(); }
inline array atleast_1d(array x) { return detail::from_one(gpuopt_atleast_nd, std::move(x), 1); }
inline array atleast_2d(array x) { return detail::from_one(gpuopt_atleast_nd, std::move(x), 2); }
inline array atleast_3d(array x) { return detail::from_one(gpuopt_atleast_nd, std::move(x), 3); }

// numpy.delete, whose name is a word of C++: x without an index, without several of them, or without what a mask says.
// See gpuopt_delete().
inline array delete_at(const array &x, const array &indices, int64_t axis = none) {
  return detail::product(gpuopt_delete, x, indices, detail::axis_or_null(axis));
}
// x without one index. See gpuopt_delete().
inline array delete_at(const array &x, int64_t index, int64_t axis = none) {
  return delete_at(x, detail::index_for(x, index), axis);
}
// x with values before an index, or with one slice of them before each of several. See gpuopt_insert().
inline array insert(const array &x, const array &indices, const operand &values, int64_t axis = none) {
  const detail::gathered in(x, indices, values);
  return detail::make<array>(gpuopt_insert, in[0], in[1], in[2], detail::axis_or_null(axis));
}
// x with values before one index. See gpuopt_insert().
inline array insert(const array &x, int64_t index, const operand &values, int64_t axis = none) {
  return insert(x, detail::index_for(x, index), values, axis);
}

}  // namespace v1
}  // namespace gpuopt
#endif
