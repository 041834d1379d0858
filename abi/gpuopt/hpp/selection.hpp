// abi/gpuopt/hpp/selection.hpp -- part of gpuopt.hpp: choosing, editing and joining by conditions and indices.
#ifndef GPUOPT_HPP_SELECTION_HPP
#define GPUOPT_HPP_SELECTION_HPP

#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "statistics.hpp"

namespace gpuopt {
inline namespace v1 {

// What is done with an index that is out of range; see gpuopt_index_mode.
enum class index_mode : gpuopt_index_mode {
  raise = GPUOPT_MODE_RAISE,
  wrap = GPUOPT_MODE_WRAP,
  clip = GPUOPT_MODE_CLIP
};

namespace detail {

// A list of arrays and numbers, as C takes it.
class operand_list {
 public:
  explicit operand_list(const std::vector<operand> &list) {
    for (const operand &x : list) {
      const gathered in(x);
      kept_.emplace_back(array::handle_type(gpuopt_array_retain(in[0])));
      raw_.push_back(in[0]);
    }
  }
  int32_t count() const noexcept { return static_cast<int32_t>(raw_.size()); }
  const gpuopt_array *data() const noexcept { return raw_.data(); }

 private:
  std::vector<array> kept_;
  std::vector<gpuopt_array> raw_;
};

inline void check_equal_lengths(size_t a, size_t b, const char *what) {
  if (a != b) raise(GPUOPT_ERR_INVALID_ARGUMENT, what);
}

// Calls a function of gpuopt.h that answers a question.
template <class F, class... Args>
bool answer(F function, Args... args) {
  int32_t answered = 0;
  call(function, args..., &answered);
  return answered != 0;
}

}  // namespace detail

// ---- Choosing ----------------------------------------------------------------------------------------------------

// choices[index] for each element. See gpuopt_choose().
inline array choose(const array &index, const std::vector<operand> &choices, index_mode mode = index_mode::raise) {
  const detail::operand_list in(choices);
  return detail::make<array>(gpuopt_choose, index.get(), in.count(), in.data(), static_cast<gpuopt_index_mode>(mode));
}
// For each element the choice of the first condition that is true, or `otherwise`. See gpuopt_select().
inline array select(const std::vector<array> &conditions, const std::vector<operand> &choices,
                    const operand &otherwise = 0) {
  detail::check_equal_lengths(conditions.size(), choices.size(),
                              "select: list of cases must be same length as list of conditions");
  const detail::gathered_list when(conditions);
  const detail::operand_list in(choices);
  const detail::gathered rest(otherwise);
  return detail::make<array>(gpuopt_select, when.count(), when.data(), in.data(), rest[0]);
}
// values[i] where condition i is true, in x's shape and dtype; one value more is for the rest. See gpuopt_piecewise().
inline array piecewise(const array &x, const std::vector<array> &conditions, const std::vector<operand> &values) {
  const detail::gathered_list when(conditions);
  const detail::operand_list in(values);
  return detail::make<array>(gpuopt_piecewise, x.get(), when.count(), when.data(), in.count(), in.data());
}
// The slices of x along an axis, or of the flattened x, whose condition is true. See gpuopt_compress().
inline array compress(const array &condition, const array &x, int64_t axis = none) {
  return detail::product(gpuopt_compress, condition, x, detail::axis_or_null(axis));
}
// The elements of x at which the condition is true. See gpuopt_extract().
inline array extract(const array &condition, const array &x) { return detail::product(gpuopt_extract, condition, x); }
// The places of nonzero elements of the flattened x. See gpuopt_flatnonzero().
inline array flatnonzero(const array &x) { return detail::make<array>(gpuopt_flatnonzero, x.get()); }
// A view without the zeros at the ends of each axis, or of one; `front` and `back` say of which. See
// gpuopt_trim_zeros().
inline array trim_zeros(const array &x, bool front = true, bool back = true, int64_t axis = none) {
  if (!front && !back) return x;
  const int32_t sides = (front ? GPUOPT_TRIM_FRONT : 0) | (back ? GPUOPT_TRIM_BACK : 0);
  return detail::make<array>(gpuopt_trim_zeros, x.get(), sides, detail::axis_or_null(axis));
}

// ---- Writing -----------------------------------------------------------------------------------------------------

// x[...] = value, if NumPy's rule same_kind allows the cast. See gpuopt_copyto().
inline void copyto(const array &x, const operand &value) {
  const detail::gathered in(x, value);
  detail::call(gpuopt_copyto, in[0], in[1], gpuopt_array{nullptr});
}
// The same where a mask is true.
inline void copyto(const array &x, const operand &value, const array &where) {
  const detail::gathered in(x, value, where);
  detail::call(gpuopt_copyto, in[0], in[1], in[2]);
}
// Elements become the values at their own places, again from the first one on, where the mask is true. See
// gpuopt_putmask().
inline void putmask(const array &x, const array &mask, const operand &values) {
  const detail::gathered in(x, mask, values);
  detail::call(gpuopt_putmask, in[0], in[1], in[2]);
}
// The elements where the mask is true become the values, one after the other. See gpuopt_place().
inline void place(const array &x, const array &mask, const operand &values) {
  const detail::gathered in(x, mask, values);
  detail::call(gpuopt_place, in[0], in[1], in[2]);
}
// The diagonal becomes the values. See gpuopt_fill_diagonal().
inline void fill_diagonal(const array &x, const operand &values, bool wrap = false) {
  const detail::gathered in(x, values);
  detail::call(gpuopt_fill_diagonal, in[0], in[1], int32_t{wrap});
}
// x[.., indices[.., k, ..], ..] = values along an axis. See gpuopt_put_along_axis().
inline void put_along_axis(const array &x, const array &indices, const operand &values, int64_t axis) {
  const detail::gathered in(x, indices, values);
  detail::call(gpuopt_put_along_axis, in[0], in[1], in[2], axis);
}
// x[items] = op(x[items], values), where each of several equal indices counts. See gpuopt_apply_at().
inline void apply_at(gpuopt_op op, const array &x, const std::vector<any_subscript> &items, const operand &values) {
  const detail::any_index in(items);
  const detail::gathered to(x, values);
  detail::call(gpuopt_apply_at, op, to[0], in.count(), in.items.data(), in.narrays(), in.arrays.data(), to[1]);
}
// x[items] += values, where each of several equal indices counts: numpy.add.at. The four below are its like.
inline void add_at(const array &x, const std::vector<any_subscript> &items, const operand &values) {
  apply_at(GPUOPT_OP_add, x, items, values);
}
// x[items] -= values.
inline void subtract_at(const array &x, const std::vector<any_subscript> &items, const operand &values) {
  apply_at(GPUOPT_OP_subtract, x, items, values);
}
// x[items] *= values.
inline void multiply_at(const array &x, const std::vector<any_subscript> &items, const operand &values) {
  apply_at(GPUOPT_OP_multiply, x, items, values);
}
// x[items] = minimum(x[items], values).
inline void minimum_at(const array &x, const std::vector<any_subscript> &items, const operand &values) {
  apply_at(GPUOPT_OP_minimum, x, items, values);
}
// x[items] = maximum(x[items], values).
inline void maximum_at(const array &x, const std::vector<any_subscript> &items, const operand &values) {
  apply_at(GPUOPT_OP_maximum, x, items, values);
}

// ---- Indices -----------------------------------------------------------------------------------------------------

// The indices of the diagonal of an array with `ndim` axes of size n. See gpuopt_diag_indices().
inline std::vector<array> diag_indices(int64_t n, int32_t ndim = 2, const device &where = current_device()) {
  return detail::make_several(ndim, gpuopt_diag_indices, where.get(), n, ndim);
}
// The indices of the diagonal of x. See gpuopt_diag_indices_from().
inline std::vector<array> diag_indices_from(const array &x) {
  return detail::make_several(x.ndim(), gpuopt_diag_indices_from, x.get());
}
struct row_column_indices {
  array rows, columns;
};
// The indices at or below the k-th diagonal of a matrix of n rows and m columns (-1: n). See gpuopt_tril_indices().
inline row_column_indices tril_indices(int64_t n, int64_t k = 0, int64_t m = -1,
                                       const device &where = current_device()) {
  return detail::make_two<row_column_indices>(gpuopt_tril_indices, where.get(), n, k, m);
}
// The indices at or above the k-th diagonal. See gpuopt_triu_indices().
inline row_column_indices triu_indices(int64_t n, int64_t k = 0, int64_t m = -1,
                                       const device &where = current_device()) {
  return detail::make_two<row_column_indices>(gpuopt_triu_indices, where.get(), n, k, m);
}
// The same of a matrix x. See gpuopt_tril_indices_from().
inline row_column_indices tril_indices_from(const array &x, int64_t k = 0) {
  return detail::make_two<row_column_indices>(gpuopt_tril_indices_from, x.get(), k);
}
inline row_column_indices triu_indices_from(const array &x, int64_t k = 0) {
  return detail::make_two<row_column_indices>(gpuopt_triu_indices_from, x.get(), k);
}
// One index for the indices into each axis of a shape. See gpuopt_ravel_multi_index().
inline array ravel_multi_index(const std::vector<array> &indices, const dims &shape,
                               index_mode mode = index_mode::raise, bool fortran = false) {
  detail::check_equal_lengths(indices.size(), static_cast<size_t>(shape.size()),
                              "ravel_multi_index: there have to be as many arrays as sizes");
  const detail::gathered_list in(indices);
  const std::vector<gpuopt_index_mode> modes(indices.size(), static_cast<gpuopt_index_mode>(mode));
  return detail::make<array>(gpuopt_ravel_multi_index, in.count(), in.data(), shape.data(), modes.data(),
                             int32_t{fortran});
}
// The indices into each axis of a shape for one index. See gpuopt_unravel_index().
inline std::vector<array> unravel_index(const array &indices, const dims &shape, bool fortran = false) {
  return detail::make_several(shape.size(), gpuopt_unravel_index, indices.get(), shape.size(), shape.data(),
                              int32_t{fortran});
}
// Arrays that index the grid of lists: get(x, {grid[0], grid[1]}). See gpuopt_ix().
inline std::vector<array> ix(const std::vector<array> &lists) {
  const detail::gathered_list in(lists);
  return detail::make_several(in.count(), gpuopt_ix, in.count(), in.data());
}

// ---- Shapes and joining ------------------------------------------------------------------------------------------

// The elements of x, again from the first one on, in another shape. See gpuopt_resize().
inline array resize(const array &x, const dims &shape) {
  return detail::make<array>(gpuopt_resize, x.get(), shape.size(), shape.data());
}
// A view with an axis moved before another one. See gpuopt_rollaxis().
inline array rollaxis(const array &x, int64_t axis, int64_t start = 0) {
  return detail::make<array>(gpuopt_rollaxis, x.get(), axis, start);
}
// A view with the columns in reverse. See gpuopt_fliplr().
inline array fliplr(const array &x) { return detail::make<array>(gpuopt_fliplr, x.get()); }
// A view with the rows in reverse. See gpuopt_flipud().
inline array flipud(const array &x) { return detail::make<array>(gpuopt_flipud, x.get()); }
// A matrix of zeros with the flattened x on its k-th diagonal. See gpuopt_diagflat().
inline array diagflat(const array &x, int64_t k = 0) { return detail::make<array>(gpuopt_diagflat, x.get(), k); }
// Arrays one beside the other. See gpuopt_hstack().
inline array hstack(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_hstack, in.count(), in.data());
}
// Arrays one below the other. See gpuopt_vstack().
inline array vstack(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_vstack, in.count(), in.data());
}
// Arrays one behind the other along the third axis. See gpuopt_dstack().
inline array dstack(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_dstack, in.count(), in.data());
}
// Arrays as the columns of a matrix. See gpuopt_column_stack().
inline array column_stack(const std::vector<array> &arrays) {
  const detail::gathered_list in(arrays);
  return detail::make<array>(gpuopt_column_stack, in.count(), in.data());
}
// Views of equal parts side by side. See gpuopt_hsplit().
inline std::vector<array> hsplit(const array &x, int32_t sections) {
  return detail::make_several(sections, gpuopt_hsplit, x.get(), sections);
}
// Views of equal parts of the rows. See gpuopt_vsplit().
inline std::vector<array> vsplit(const array &x, int32_t sections) {
  return detail::make_several(sections, gpuopt_vsplit, x.get(), sections);
}
// Views of equal parts along the third axis. See gpuopt_dsplit().
inline std::vector<array> dsplit(const array &x, int32_t sections) {
  return detail::make_several(sections, gpuopt_dsplit, x.get(), sections);
}
// An array of rows of blocks: block({{a, b}, {c, d}}). See gpuopt_block().
inline array block(const std::vector<std::vector<array>> &rows) {
  std::vector<int32_t> counts{static_cast<int32_t>(rows.size())};
  std::vector<array> blocks;
  for (const std::vector<array> &row : rows) {
    counts.push_back(static_cast<int32_t>(row.size()));
    blocks.insert(blocks.end(), row.begin(), row.end());
  }
  const detail::gathered_list in(blocks);
  return detail::make<array>(gpuopt_block, 2, static_cast<int32_t>(counts.size()), counts.data(), in.count(),
                             in.data());
}
// The differences of neighbours of the flattened x. See gpuopt_ediff1d().
inline array ediff1d(const array &x) {
  return detail::make<array>(gpuopt_ediff1d, x.get(), gpuopt_array{nullptr}, gpuopt_array{nullptr});
}
// The same between other elements.
inline array ediff1d(const array &x, const operand &to_end, const operand &to_begin) {
  const detail::gathered in(x, to_end, to_begin);
  return detail::make<array>(gpuopt_ediff1d, in[0], in[1], in[2]);
}

namespace detail {
// A function of C++ as gpuopt_apply_along_axis() calls it. What it throws is thrown again behind the call.
template <class F>
struct line_call {
  F &function;
  std::exception_ptr thrown;
  static gpuopt_status run(gpuopt_array x, void *context, gpuopt_array *result, gpuopt_error *) {
    line_call &self = *static_cast<line_call *>(context);
    try {
      array made = self.function(array(array::handle_type(gpuopt_array_retain(x))));
      *result = gpuopt_array_retain(made.get());
      return GPUOPT_OK;
    } catch (...) {
      self.thrown = std::current_exception();
      return GPUOPT_ERR_INVALID_ARGUMENT;
    }
  }
};
}  // namespace detail
// What a function, which takes an array and gives one, makes of each line along an axis. See
// gpuopt_apply_along_axis().
template <class F>
array apply_along_axis(F &&function, int64_t axis, const array &x) {
  using call_type = detail::line_call<std::remove_reference_t<F>>;
  call_type call{function, nullptr};
  try {
    return detail::make<array>(gpuopt_apply_along_axis, x.get(), axis, &call_type::run, static_cast<void *>(&call));
  } catch (...) {
    if (call.thrown) std::rethrow_exception(call.thrown);
    throw;
  }
}

// ---- Comparing ---------------------------------------------------------------------------------------------------

// Whether two arrays have one shape and equal elements. See gpuopt_array_equal().
inline bool array_equal(const array &x1, const array &x2, bool equal_nan = false) {
  const detail::gathered in(x1, x2);
  return detail::answer(gpuopt_array_equal, in[0], in[1], int32_t{equal_nan});
}
// Whether two arrays are equal where they broadcast to one shape. See gpuopt_array_equiv().
inline bool array_equiv(const operand &x1, const operand &x2) {
  const detail::gathered in(x1, x2);
  return detail::answer(gpuopt_array_equiv, in[0], in[1]);
}
// Whether all elements are close. See gpuopt_allclose().
inline bool allclose(const operand &x1, const operand &x2, double rtol = 1e-5, double atol = 1e-8,
                     bool equal_nan = false) {
  const detail::gathered in(x1, x2);
  return detail::answer(gpuopt_allclose, in[0], in[1], rtol, atol, int32_t{equal_nan});
}
// Tells for each element whether it is positive infinity. See gpuopt_isposinf().
inline array isposinf(const array &x) { return detail::make<array>(gpuopt_isposinf, x.get()); }
// Tells for each element whether it is negative infinity. See gpuopt_isneginf().
inline array isneginf(const array &x) { return detail::make<array>(gpuopt_isneginf, x.get()); }
// Tells for each element whether its imaginary part is not 0. See gpuopt_iscomplex().
inline array iscomplex(const array &x) { return detail::make<array>(gpuopt_iscomplex, x.get()); }
// Tells for each element whether its imaginary part is 0. See gpuopt_isreal().
inline array isreal(const array &x) { return detail::make<array>(gpuopt_isreal, x.get()); }

}  // namespace v1
}  // namespace gpuopt

#endif
