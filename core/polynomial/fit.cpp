// core/polynomial/fit.cpp -- gpuopt_polyfit, polyfit_cov, roots and poly, composed of linear algebra.
#include <limits>

#include "core/engine/transfer.h"
#include "core/ops/join.h"
#include "core/ops/matmul.h"
#include "core/polynomial/polynomial.h"

namespace gpuopt {
namespace {

// ---- Least squares

double epsilon_of(gpuopt_dtype dtype) {
  switch (real_component(dtype)) {
    case GPUOPT_FLOAT16:
      return 0x1p-10;
    case GPUOPT_BFLOAT16:
      return 0x1p-7;
    case GPUOPT_FLOAT32:
      return std::numeric_limits<float>::epsilon();
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

struct Points {
  gpuopt_array x, y, weights;  // the weights may be NULL
  int64_t degree;
};

void check_weights(const Points &points) {
  if (!points.weights) return;
  const gpuopt_array_s &w = deref_strong(points.weights, "polyfit");
  if (w.ndim != 1) fail(GPUOPT_ERR_SHAPE, "polyfit: expected a 1-d array for weights");
  if (w.size != points.x->size) fail(GPUOPT_ERR_SHAPE, "polyfit: expected w and y to have the same length");
  check_same_device("polyfit", {points.x, points.weights});
}

void check_points(const Points &points) {
  const gpuopt_array_s &x = deref_strong(points.x, "polyfit"), &y = deref_strong(points.y, "polyfit");
  if (points.degree < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "polyfit: expected deg >= 0");
  if (points.degree == std::numeric_limits<int64_t>::max())
    fail(GPUOPT_ERR_OUT_OF_MEMORY, "polyfit: the degree is too large");
  if (x.ndim != 1) fail(GPUOPT_ERR_SHAPE, "polyfit: expected 1D vector for x");
  if (!x.size) fail(GPUOPT_ERR_SHAPE, "polyfit: expected non-empty vector for x");
  if (y.ndim < 1 || y.ndim > 2) fail(GPUOPT_ERR_SHAPE, "polyfit: expected 1D or 2D array for y");
  if (y.shape[0] != x.size) fail(GPUOPT_ERR_SHAPE, "polyfit: expected x and y to have same length");
  check_same_device("polyfit", {points.x, points.y});
  check_weights(points);
}

// The matrix of the powers of x and the values, both with their weights, and the norms that its columns are divided by.
struct System {
  ArrayRef matrix, values, norms;
};

System system_of(const Points &points) {
  const Value x = cast(points.x, as_inexact_dtype(points.x->dtype));
  Value powers = made_by(gpuopt_vander, "polyfit", x.get(), points.degree + 1, int32_t{0});
  Value values = cast(points.y, as_inexact_dtype(points.y->dtype));
  if (points.weights) {
    const Value w = cast(points.weights, as_inexact_dtype(points.weights->dtype));
    const Value column = expanded_view(w.get(), 1);
    powers = powers * column;
    values = values * (points.y->ndim == 2 ? column : w);
  }
  const Value squares = record_reduction(GPUOPT_REDUCTION_sum, (powers * powers).get(), 1, false, powers.dtype());
  const Value norms = sqrt(squares);
  return {(powers / norms).array(), values.array(), norms.array()};
}

struct Solution {
  ArrayRef coefficients, residuals, rank, s;
};

Solution solve_system(const Points &points, const System &system, const double *rcond) {
  const double standard = static_cast<double>(points.x->size) * epsilon_of(as_inexact_dtype(points.x->dtype));
  gpuopt_array x = nullptr, residuals = nullptr, rank = nullptr, s = nullptr;
  SlotError error;
  const gpuopt_status status = gpuopt_lstsq(system.matrix.get(), system.values.get(), rcond ? rcond : &standard, &x,
                                            &residuals, &rank, &s, &error);
  check_slot(status, error, "polyfit");
  Solution made{ArrayRef::adopt(x), ArrayRef::adopt(residuals), ArrayRef::adopt(rank), ArrayRef::adopt(s)};
  const Value norms = points.y->ndim == 2 ? Value(expanded_view(system.norms.get(), 1)) : Value(system.norms);
  made.coefficients = (Value(made.coefficients) / norms).array();
  return made;
}

Solution polyfit(const Points &points, const double *rcond) {
  check_points(points);
  return solve_system(points, system_of(points), rcond);
}

// Returns inv(a^T a) of the scaled matrix a, divided by the norms of both columns.
Value unscaled_covariance(const System &system) {
  const int64_t order[] = {1, 0};
  const ArrayRef transposed = permuted_view(system.matrix.get(), order);
  const ArrayRef squared = matmul(transposed.get(), system.matrix.get(), "polyfit");
  const Value inverse = made_by(gpuopt_inv, "polyfit", squared.get());
  return inverse / (Value(expanded_view(system.norms.get(), 1)) * Value(system.norms));
}

std::vector<ArrayRef> polyfit_cov(const Points &points, const double *rcond, bool unscaled) {
  check_points(points);
  const System system = system_of(points);
  const Solution solution = solve_system(points, system, rcond);
  const Value base = unscaled_covariance(system);
  const int64_t spare = points.x->size - points.degree - 1;
  if (!unscaled && spare <= 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "polyfit: the number of data points must exceed order to scale the covariance matrix");
  if (!unscaled && !solution.residuals->size && points.y->size)
    fail(GPUOPT_ERR_LINALG, "polyfit: the fit is poorly conditioned, and has no residuals");
  const Value factor = unscaled ? Value(1.0) : Value(solution.residuals) / Value(static_cast<double>(spare));
  if (points.y->ndim == 1) return {solution.coefficients, (base * factor).array()};
  const Value deep = expanded_view(base.get(), 2);
  return {solution.coefficients, unscaled ? deep.array() : (deep * factor).array()};
}

// ---- Zeros

struct Places {
  int64_t first = 0, last = -1;
};

// Returns where the first and the last coefficient are that are not 0.
Places nonzero_places(const ArrayRef &p) {
  std::vector<uint8_t> seen(static_cast<size_t>(p->size));
  if (p->size) copy_to_host(record_cast(p.get(), GPUOPT_BOOL).get(), seen.data());
  const auto first = std::find(seen.begin(), seen.end(), 1);
  if (first == seen.end()) return {};
  return {first - seen.begin(), p->size - 1 - (std::find(seen.rbegin(), seen.rend(), 1) - seen.rbegin())};
}

// Returns the companion matrix of n + 1 coefficients: the quotients by the first one above ones.
ArrayRef companion(const Value &p, int64_t n) {
  const Dims shape{n, n}, below{n - 1};
  const ArrayRef matrix = zeros_of(p.get()->stream.get(), p.dtype(), shape);
  const Value row = apply_op(GPUOPT_OP_negative, part(p, 1, n + 1)) / part(p, 0, 1);
  record_assign(part_view(matrix.get(), 0, 0, 1).get(), row.get());
  if (n == 1) return matrix;
  const int64_t stride = matrix->strides[0] + matrix->strides[1];
  const ArrayRef ones = restrided(matrix.get(), below, {stride}, matrix->offset + matrix->strides[0], false);
  record_assign(ones.get(), Value(int64_t{1}).get());
  return matrix;
}

ArrayRef roots(gpuopt_array given) {
  const ArrayRef all = coefficients_of(given, "roots");
  const Places places = nonzero_places(all);
  const bool single = real_component(all->dtype) == GPUOPT_FLOAT32;
  const gpuopt_dtype dtype = single ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
  if (is_half(all->dtype)) fail(GPUOPT_ERR_TYPE, "roots: %s is no dtype of linear algebra", dtype_name(all->dtype));
  const gpuopt_stream stream = given->stream.get();
  const int64_t n = places.last - places.first;
  if (n < 0) return zeros_of(stream, dtype, Dims{0});
  const int64_t behind = all->size - 1 - places.last;
  const ArrayRef zeros = zeros_of(stream, dtype, Dims{behind});
  if (!n) return zeros;
  const Value p = cast(part_view(all.get(), 0, places.first, n + 1), as_inexact_dtype(all->dtype));
  const ArrayRef matrix = companion(p, n);
  const ArrayRef found = made_by(gpuopt_eigvals, "roots", matrix.get());
  return behind ? in_a_row({found, zeros}, dtype, "roots") : found;
}

// Returns p * (x - zero).
ArrayRef times_linear(const ArrayRef &p, const Value &zero) {
  const int64_t n = p->size;
  const Value coefficients = p, opposite = apply_op(GPUOPT_OP_negative, zero);
  const Value last = part(coefficients, n - 1, n) * opposite;
  const Value middle = part(coefficients, 1, n) + part(coefficients, 0, n - 1) * opposite;
  return in_a_row({part_view(p.get(), 0, 0, 1), middle.array(), last.array()}, p->dtype, "poly");
}

// Returns whether the zeros are in pairs of conjugates.
bool are_conjugates(const ArrayRef &zeros) {
  const Value conjugates = apply_op(GPUOPT_OP_conj, Value(zeros));
  return all_of(equal(Value(sorted(zeros.get(), 0, false, "poly")), Value(sorted(conjugates.get(), 0, false, "poly"))));
}

// Returns the zeros, or the eigenvalues of a square matrix, in the dtype of the coefficients.
ArrayRef zeros_to_multiply(gpuopt_array given) {
  const gpuopt_array_s &x = deref_strong(given, "poly");
  const bool square = x.ndim == 2 && x.shape[0] == x.shape[1] && x.shape[0];
  if (x.ndim > 1 && !square) fail(GPUOPT_ERR_SHAPE, "poly: input must be 1d or non-empty square 2d array.");
  if (square) return made_by(gpuopt_eigvals, "poly", given);
  const ArrayRef zeros = x.ndim ? ArrayRef::share(given) : expanded_view(given, 0);
  const bool other = is_half(x.dtype) || (dtype_kind(x.dtype) != 'f' && dtype_kind(x.dtype) != 'c');
  return in_dtype(zeros.get(), other ? GPUOPT_FLOAT64 : x.dtype);
}

ArrayRef poly(gpuopt_array given) {
  const ArrayRef zeros = zeros_to_multiply(given);
  const int64_t one = 1;
  const gpuopt_stream stream = given->stream.get();
  if (!zeros->size) return scalar_array(stream, GPUOPT_FLOAT64, gpuopt_scalar_real(1));
  Value p = Value(zeros_of(stream, zeros->dtype, {&one, 1})) + Value(int64_t{1});
  for (int64_t i = 0; i < zeros->size; ++i) p = times_linear(p.array(), part(zeros, i, i + 1));
  const bool real = dtype_kind(zeros->dtype) == 'c' && are_conjugates(zeros);
  return real ? record_copy(apply_op(GPUOPT_OP_real, p).get()) : p.array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_polyfit(gpuopt_array x, gpuopt_array y, int64_t degree, const double *rcond, gpuopt_array weights,
                             gpuopt_array *coefficients, gpuopt_array *residuals, gpuopt_array *rank, gpuopt_array *s,
                             gpuopt_error *error) {
  for (gpuopt_array *result : {coefficients, residuals, rank, s}) {
    if (result) *result = nullptr;
  }
  return guarded(error, [&] {
    if (!coefficients) fail(GPUOPT_ERR_INVALID_ARGUMENT, "polyfit: the result pointer is NULL");
    Solution made = polyfit({x, y, weights, degree}, rcond);
    *coefficients = made.coefficients.leave();
    if (residuals) *residuals = made.residuals.leave();
    if (rank) *rank = made.rank.leave();
    if (s) *s = made.s.leave();
  });
}

gpuopt_status gpuopt_polyfit_cov(gpuopt_array x, gpuopt_array y, int64_t degree, const double *rcond,
                                 gpuopt_array weights, int32_t unscaled, gpuopt_array *coefficients,
                                 gpuopt_array *covariance, gpuopt_error *error) {
  return giving_each({coefficients, covariance}, error, [&] {
    return polyfit_cov({x, y, weights, degree}, rcond, unscaled != 0);
  });
}

gpuopt_status gpuopt_roots(gpuopt_array p, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return roots(p); });
}

gpuopt_status gpuopt_poly(gpuopt_array zeros, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return poly(zeros); });
}

}  // extern "C"
