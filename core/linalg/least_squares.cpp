// core/linalg/least_squares.cpp -- gpuopt_lstsq, pinv, matrix_rank and cond, composed of singular values and products.
#include <cmath>
#include <limits>

#include "core/engine/transfer.h"
#include "core/linalg/factorizations.h"
#include "core/linalg/matrices.h"
#include "core/linalg/norms.h"
#include "core/linalg/solve.h"
#include "core/linalg/spectral.h"
#include "core/ops/matmul.h"

namespace gpuopt {
namespace {

// Returns what the greatest singular value of a matrix is multiplied by for the bound at and below which singular
// values count as 0.
double relative_bound(const ArrayRef &x, const double *given) {
  if (given) return *given;
  const double epsilon = real_component(x->dtype) == GPUOPT_FLOAT32 ? std::numeric_limits<float>::epsilon()
                                                                    : std::numeric_limits<double>::epsilon();
  return epsilon * static_cast<double>(std::max(rows_of(x), columns_of(x)));
}

uint64_t last_axis_of(const ArrayRef &x) { return uint64_t{1} << (x->ndim - 1); }

// Returns which singular values, of which a matrix has at least one, do not count as 0.
Value large_ones(const ArrayRef &s, double bound) {
  const Value most = record_reduction(GPUOPT_REDUCTION_max, s.get(), last_axis_of(s), true, 0);
  return apply_op(GPUOPT_OP_greater, Value(s), most * Value(bound));
}

ArrayRef zeros(const ArrayRef &like, gpuopt_dtype dtype, const Dims &shape) {
  const unsigned char zero[16] = {};
  return record_constant(like->stream.get(), dtype, static_cast<int>(shape.size()), shape.data(), zero);
}

ArrayRef count_of(const Value &mask) {
  return record_reduction(GPUOPT_REDUCTION_sum, mask.get(), last_axis_of(mask.array()), false, GPUOPT_INT64);
}

// Returns 1/s where s does not count as 0, and else 0, as one column for each matrix.
ArrayRef reciprocals(const ArrayRef &s, const Value &large) {
  const Value none(gpuopt_scalar_bool(0));
  const Value inverse = where(large, Value(1.0) / where(large, Value(s), Value(1.0)), none);
  return expanded_view(inverse.get(), s->ndim);
}

// Returns v diag(1/s) u^H b, of factors of matrices with elements.
ArrayRef pseudo_solution(const SvdFactors &f, const Value &large, const ArrayRef &b, const char *what) {
  const ArrayRef uhb = b ? matmul(conjugate_transposed(f.u).get(), b.get(), what) : conjugate_transposed(f.u);
  const Value scaled = Value(uhb) * Value(reciprocals(f.s, large));
  return matmul(conjugate_transposed(f.vh).get(), scaled.get(), what);
}

ArrayRef pinv(gpuopt_array given, const double *rtol) {
  const ArrayRef x = matrices(given, "pinv");
  if (!x->size) return for_each_matrix(x, x->dtype, {columns_of(x), rows_of(x)});
  const SvdFactors f = svd(x, false, "pinv");
  return pseudo_solution(f, large_ones(f.s, relative_bound(x, rtol)), {}, "pinv");
}

ArrayRef matrix_rank(gpuopt_array given, const double *rtol) {
  deref_strong(given, "matrix_rank");
  if (given->ndim < 2) {
    const ArrayRef some = record_reduction(GPUOPT_REDUCTION_any, raveled(given).get(), 1, false, 0);
    return record_cast(some.get(), GPUOPT_INT64);
  }
  const ArrayRef x = matrices(given, "matrix_rank"), s = singular_values(x, "matrix_rank");
  if (!x->size) return zeros(x, GPUOPT_INT64, stack_shape(x));
  return count_of(large_ones(s, relative_bound(x, rtol)));
}

// ---- Least squares

struct LeastSquares {
  ArrayRef x, residuals, rank, s;
};

// Returns the sums of squares of the columns of b - a x.
ArrayRef squared_residuals(const ArrayRef &a, const ArrayRef &b, const ArrayRef &x) {
  const Value rest = Value(b) - Value(matmul(a.get(), x.get(), "lstsq"));
  const bool complex = dtype_kind(rest.dtype()) == 'c';
  const Value squares =
      complex ? square(apply_op(GPUOPT_OP_real, rest)) + square(apply_op(GPUOPT_OP_imag, rest)) : square(rest);
  return record_reduction(GPUOPT_REDUCTION_sum, squares.get(), 1, false, squares.dtype());
}

int64_t number_in(const ArrayRef &x) {
  int64_t number = 0;
  copy_to_host(x.get(), &number);
  return number;
}

void check_least_squares(const gpuopt_array_s &a, const gpuopt_array_s &b) {
  if (a.ndim != 2) fail(GPUOPT_ERR_SHAPE, "lstsq: %d-dimensional array given. Array must be two-dimensional", a.ndim);
  if (b.ndim != 1 && b.ndim != 2)
    fail(GPUOPT_ERR_SHAPE, "lstsq: %d-dimensional array given. Array must be one- or two-dimensional", b.ndim);
  if (a.shape[0] != b.shape[0])
    fail(GPUOPT_ERR_SHAPE, "lstsq: Incompatible dimensions: %lld rows, and %lld", static_cast<long long>(a.shape[0]),
         static_cast<long long>(b.shape[0]));
}

// x and the rank, for a matrix with elements or without any.
LeastSquares solve_least_squares(const ArrayRef &a, const ArrayRef &b, const double *rcond) {
  if (!a->size)
    return {zeros(a, a->dtype, {columns_of(a), columns_of(b)}),
            {},
            zeros(a, GPUOPT_INT64, {}),
            zeros(a, real_component(a->dtype), {0})};
  const SvdFactors f = svd(a, false, "lstsq");
  const Value large = large_ones(f.s, relative_bound(a, rcond));
  return {pseudo_solution(f, large, b, "lstsq"), {}, count_of(large), f.s};
}

LeastSquares lstsq(gpuopt_array given_a, gpuopt_array given_b, const double *rcond, bool with_residuals) {
  check_least_squares(deref_strong(given_a, "lstsq"), deref_strong(given_b, "lstsq"));
  check_same_device("lstsq", {given_a, given_b});
  const gpuopt_dtype dtype = promote(linalg_dtype(given_a->dtype, "lstsq"), linalg_dtype(given_b->dtype, "lstsq"));
  const bool is_vector = given_b->ndim == 1;
  const ArrayRef a = in_dtype(given_a, dtype), columns = in_dtype(given_b, dtype);
  const ArrayRef b = is_vector ? expanded_view(columns.get(), 1) : columns;
  LeastSquares result = solve_least_squares(a, b, rcond);
  if (with_residuals) {
    const bool some = rows_of(a) > columns_of(a) && number_in(result.rank) == columns_of(a);
    result.residuals = some ? squared_residuals(a, b, result.x) : zeros(a, real_component(dtype), {0});
  }
  const int64_t last = -1;
  if (is_vector) result.x = squeezed_view(result.x.get(), 1, &last);
  return result;
}

// ---- Condition numbers

// A quotient of 0 and 0 is infinite.
ArrayRef singular_quotient(const ArrayRef &x, bool inverse) {
  const ArrayRef s = singular_values(x, "cond");
  const Value most = record_reduction(GPUOPT_REDUCTION_max, s.get(), last_axis_of(s), false, 0),
              least = record_reduction(GPUOPT_REDUCTION_min, s.get(), last_axis_of(s), false, 0);
  const Value quotient = inverse ? least / most : most / least;
  return where(isnan(quotient), Value(static_cast<double>(INFINITY)), quotient).array();
}

// Singular matrices are exchanged for identities on the way.
ArrayRef norm_product(const ArrayRef &x, double ord) {
  check_square(*x.get(), "cond");
  const Value singular = singular_ones(lu_factors(x, "cond").lu);
  const int64_t behind[] = {x->ndim - 2, x->ndim - 1};
  const Value mask(expanded_view(singular.get(), 2, behind));
  const Value regular = where(mask, identity(x->stream.get(), x->dtype, rows_of(x)), Value(x));
  const Value norm(matrix_norm(x.get(), ord, false, "cond")),
      other(matrix_norm(inverse(regular.array(), "cond").get(), ord, false, "cond"));
  return where(singular, Value(static_cast<double>(INFINITY)), norm * other).array();
}

ArrayRef cond(gpuopt_array given, double ord) {
  const ArrayRef x = matrices(given, "cond");
  if (!x->shape[x->ndim - 1] || !x->shape[x->ndim - 2])
    fail(GPUOPT_ERR_SHAPE, "cond: cond is not defined on empty arrays");
  return std::fabs(ord) == 2 ? singular_quotient(x, ord < 0) : norm_product(x, ord);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_lstsq(gpuopt_array a, gpuopt_array b, const double *rcond, gpuopt_array *x,
                           gpuopt_array *residuals, gpuopt_array *rank, gpuopt_array *s, gpuopt_error *error) {
  for (gpuopt_array *result : {x, residuals, rank, s}) {
    if (result) *result = nullptr;
  }
  return guarded(error, [&] {
    LeastSquares made = lstsq(a, b, rcond, residuals != nullptr);
    if (x) *x = made.x.leave();
    if (residuals) *residuals = made.residuals.leave();
    if (rank) *rank = made.rank.leave();
    if (s) *s = made.s.leave();
  });
}

gpuopt_status gpuopt_pinv(gpuopt_array x, const double *rtol, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return pinv(x, rtol); });
}

gpuopt_status gpuopt_matrix_rank(gpuopt_array x, const double *rtol, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return matrix_rank(x, rtol); });
}

gpuopt_status gpuopt_cond(gpuopt_array x, double ord, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return cond(x, ord); });
}

}  // extern "C"
