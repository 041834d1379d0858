// core/linalg/solve.cpp -- gpuopt_solve, lu_solve, solve_triangular, inv, tensorsolve and tensorinv.
#include "core/linalg/solve.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/linalg/matrices.h"

namespace gpuopt {
namespace {

// A system's operands in one dtype, as stacks of one shape; a vector of the right side is a matrix of one column.
struct System {
  ArrayRef a, b;
  Dims stack;
  bool is_vector;
};

std::span<const int64_t> stack_of(const ArrayRef &x, int own) {
  return x->sizes().first(static_cast<size_t>(x->ndim - own));
}

ArrayRef broadcast_stack(const ArrayRef &x, const Dims &stack, int own, const char *what) {
  Dims shape = stack;
  shape.insert(shape.end(), x->shape + (x->ndim - own), x->shape + x->ndim);
  return broadcast_view(x.get(), shape, what);
}

void check_sides(const gpuopt_array_s &a, const gpuopt_array_s &b, const char *what) {
  if (b.ndim < 1) fail(GPUOPT_ERR_SHAPE, "%s: 0-dimensional array given. Array must be at least one-dimensional", what);
  const int64_t rows = b.shape[b.ndim == 1 ? 0 : b.ndim - 2], n = a.shape[a.ndim - 1];
  if (rows != n)
    fail(GPUOPT_ERR_SHAPE, "%s: shapes %s and %s do not fit: matrices of %lld rows, and right sides of %lld", what,
         shape_text(a.ndim, a.shape).c_str(), shape_text(b.ndim, b.shape).c_str(), static_cast<long long>(n),
         static_cast<long long>(rows));
}

// `more` are the sizes of a third stack.
System system_of(gpuopt_array a, gpuopt_array b, std::span<const int64_t> more, const char *what) {
  check_square(deref_strong(a, what), what);
  check_sides(*a, deref_strong(b, what), what);
  check_same_device(what, {a, b});
  const gpuopt_dtype dtype = promote(linalg_dtype(a->dtype, what), linalg_dtype(b->dtype, what));
  System s{in_dtype(a, dtype), in_dtype(b, dtype), {}, b->ndim == 1};
  if (s.is_vector) s.b = expanded_view(s.b.get(), 1);
  Shape stack;
  broadcast_shape(std::array{stack_of(s.a, 2), stack_of(s.b, 2), more}, stack, what);
  s.stack.assign(stack.sizes, stack.sizes + stack.ndim);
  s.a = broadcast_stack(s.a, s.stack, 2, what);
  s.b = broadcast_stack(s.b, s.stack, 2, what);
  return s;
}

ArrayRef unsolved(const System &s) { return for_each_matrix(s.b, s.b->dtype, {rows_of(s.b), columns_of(s.b)}); }

ArrayRef solution(const System &s, ArrayRef x) {
  const int64_t last = -1;
  return s.is_vector ? squeezed_view(x.get(), 1, &last) : std::move(x);
}

void check_trans(gpuopt_trans trans, const char *what) {
  if (trans < GPUOPT_TRANS_NONE || trans > GPUOPT_TRANS_CONJUGATE)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: trans is %d, not 0, 1 or 2", what, static_cast<int>(trans));
}

constexpr const char *kSingular = "Singular matrix";

ArrayRef solve_triangular(gpuopt_array a, gpuopt_array b, bool lower, bool unit_diagonal, gpuopt_trans trans) {
  check_trans(trans, "solve_triangular");
  const System s = system_of(a, b, {}, "solve_triangular");
  ArrayRef x = unsolved(s);
  if (x->size) {
    MatrixCall call(GPUOPT_CALL_SOLVE_TRIANGULAR, "solve_triangular", kSingular, s.a);
    call.input(s.b).output(x).integer(lower).integer(unit_diagonal).integer(trans).run();
  }
  return solution(s, std::move(x));
}

ArrayRef lu_solve(gpuopt_array lu, gpuopt_array given, gpuopt_array b, gpuopt_trans trans) {
  check_trans(trans, "lu_solve");
  check_square(deref_strong(lu, "lu_solve"), "lu_solve");
  const char kind = dtype_kind(deref_strong(given, "lu_solve").dtype);
  if (kind != 'i' && kind != 'u')
    fail(GPUOPT_ERR_TYPE, "lu_solve: pivots of dtype %s are not integers", dtype_name(given->dtype));
  if (given->ndim < 1 || given->shape[given->ndim - 1] != lu->shape[lu->ndim - 1])
    fail(GPUOPT_ERR_SHAPE, "lu_solve: factors of shape %s and pivots of shape %s do not fit",
         shape_text(lu->ndim, lu->shape).c_str(), shape_text(given->ndim, given->shape).c_str());
  check_same_device("lu_solve", {lu, given});
  const ArrayRef pivots = in_dtype(given, GPUOPT_INT64);
  const System s = system_of(lu, b, stack_of(pivots, 1), "lu_solve");
  ArrayRef x = unsolved(s);
  if (x->size) {
    MatrixCall call(GPUOPT_CALL_SOLVE_LU, "lu_solve", kSingular, s.a);
    call.input(broadcast_stack(pivots, s.stack, 1, "lu_solve")).input(s.b).output(x).integer(trans).run();
  }
  return solution(s, std::move(x));
}

int64_t product_of(const int64_t *first, const int64_t *last) {
  return std::accumulate(first, last, int64_t{1}, std::multiplies<>());  // of sizes of an array: no overflow
}

// Returns x with the axes moved behind the others, in the order in which they are named.
ArrayRef moved_behind(gpuopt_array x, int32_t count, const int64_t *axes, const char *what) {
  if (!axes) return ArrayRef::share(x);
  if (count < 0 || count > x->ndim)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d axes of an array of %d dimensions", what, count, x->ndim);
  const uint64_t mask = axis_mask(count, axes, x->ndim, what);
  Dims order;
  for (int64_t axis = 0; axis < x->ndim; ++axis)
    if (!(mask >> axis & 1)) order.push_back(axis);
  for (int32_t i = 0; i < count; ++i) order.push_back(checked_axis(axes[i], x->ndim, what));
  return permuted_view(x, order.data());
}

ArrayRef tensorsolve(gpuopt_array given, gpuopt_array b, int32_t count, const int64_t *axes) {
  constexpr const char *what = "tensorsolve";
  deref_strong(given, what);
  deref_strong(b, what);
  const ArrayRef a = moved_behind(given, count, axes, what);
  const bool fits = a->ndim >= b->ndim && std::equal(b->shape, b->shape + b->ndim, a->shape);
  const int64_t size = fits ? product_of(a->shape + b->ndim, a->shape + a->ndim) : -1;
  if (size != b->size)
    fail(GPUOPT_ERR_SHAPE,
         "tensorsolve: Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]), "
         "unlike those of shapes %s and %s",
         shape_text(a->ndim, a->shape).c_str(), shape_text(b->ndim, b->shape).c_str());
  const ArrayRef x = solve(reshaped(a.get(), {size, size}).get(), reshaped(b, {size}).get(), what);
  return reshaped(x.get(), Dims(a->shape + b->ndim, a->shape + a->ndim));
}

ArrayRef tensorinv(gpuopt_array a, int32_t ind) {
  constexpr const char *what = "tensorinv";
  deref_strong(a, what);
  if (ind <= 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "tensorinv: Invalid ind argument.");
  const int first = std::min<int>(ind, a->ndim);
  const int64_t rows = product_of(a->shape, a->shape + first),
                columns = product_of(a->shape + first, a->shape + a->ndim);
  if (rows != columns)
    fail(GPUOPT_ERR_SHAPE, "tensorinv: the first %d sizes of shape %s do not have the product of the others", first,
         shape_text(a->ndim, a->shape).c_str());
  Dims shape(a->shape + first, a->shape + a->ndim);
  shape.insert(shape.end(), a->shape, a->shape + first);
  const ArrayRef matrix = reshaped(a, {rows, columns});
  return reshaped(inverse(square_matrices(matrix.get(), what), what).get(), shape);
}

}  // namespace

ArrayRef solve(gpuopt_array a, gpuopt_array b, const char *what) {
  const System s = system_of(a, b, {}, what);
  ArrayRef x = unsolved(s);
  if (x->size) MatrixCall(GPUOPT_CALL_SOLVE, what, kSingular, s.a).input(s.b).output(x).run();
  return solution(s, std::move(x));
}

ArrayRef inverse(const ArrayRef &x, const char *what) {
  const int64_t n = rows_of(x);
  ArrayRef out = for_each_matrix(x, x->dtype, {n, n});
  if (!x->size) return out;
  const Value one = identity(x->stream.get(), x->dtype, n);
  const ArrayRef sides = broadcast_view(one.get(), stack_shape(x, {n, n}), what);
  MatrixCall(GPUOPT_CALL_SOLVE, what, kSingular, x).input(sides).output(out).run();
  return out;
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_solve(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return solve(x1, x2, "solve"); });
}

gpuopt_status gpuopt_lu_solve(gpuopt_array lu, gpuopt_array pivots, gpuopt_array b, gpuopt_trans trans,
                              gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return lu_solve(lu, pivots, b, trans); });
}

gpuopt_status gpuopt_solve_triangular(gpuopt_array a, gpuopt_array b, int32_t lower, int32_t unit_diagonal,
                                      gpuopt_trans trans, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return solve_triangular(a, b, lower != 0, unit_diagonal != 0, trans); });
}

gpuopt_status gpuopt_inv(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return inverse(square_matrices(x, "inv"), "inv"); });
}

gpuopt_status gpuopt_tensorsolve(gpuopt_array a, gpuopt_array b, int32_t count, const int64_t *axes,
                                 gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return tensorsolve(a, b, count, axes); });
}

gpuopt_status gpuopt_tensorinv(gpuopt_array a, int32_t ind, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return tensorinv(a, ind); });
}

}  // extern "C"
