// core/linalg/norms.cpp -- gpuopt_vector_norm, matrix_norm and norm, composed of recorded operations, and of singular
// values.
#include "core/linalg/norms.h"

#include <cmath>

#include "core/linalg/matrices.h"
#include "core/linalg/spectral.h"
#include "core/ops/reduce.h"

namespace gpuopt {
namespace {

// The axes over which a norm is computed, as a bit mask, and whether they stay with size 1.
struct NormAxes {
  uint64_t mask;
  bool keepdims;
};

ArrayRef sum(const ArrayRef &x, NormAxes axes) {
  return record_reduction(GPUOPT_REDUCTION_sum, x.get(), axes.mask, axes.keepdims, x->dtype);
}

bool is_empty_along(const ArrayRef &x, NormAxes axes) {
  for (int axis = 0; axis < x->ndim; ++axis)
    if ((axes.mask >> axis & 1) && x->shape[axis] == 0) return true;
  return false;
}

// The greatest (ord > 0) or least of magnitudes. The greatest of none is 0, as NumPy has it, which is their sum; the
// least of none is an error.
ArrayRef extreme(double ord, const ArrayRef &magnitudes, NormAxes axes) {
  if (ord > 0 && is_empty_along(magnitudes, axes)) return sum(magnitudes, axes);
  const gpuopt_reduction reduction = ord > 0 ? GPUOPT_REDUCTION_max : GPUOPT_REDUCTION_min;
  return record_reduction(reduction, magnitudes.get(), axes.mask, axes.keepdims, 0);
}

ArrayRef power(const ArrayRef &x, double exponent) {
  return record_op(GPUOPT_OP_pow, {x.get(), make_weak(gpuopt_scalar_real(exponent)).get()});
}

ArrayRef absolute(const ArrayRef &x) { return record_op(GPUOPT_OP_abs, {x.get()}); }

// Returns |x|^2. For complex numbers that is re^2 + im^2, which needs no square root.
ArrayRef squares(const ArrayRef &x) {
  if (dtype_kind(x->dtype) != 'c') return record_op(GPUOPT_OP_square, {x.get()});
  const ArrayRef re = record_op(GPUOPT_OP_real, {x.get()}), im = record_op(GPUOPT_OP_imag, {x.get()});
  return record_op(GPUOPT_OP_add,
                   {record_op(GPUOPT_OP_square, {re.get()}).get(), record_op(GPUOPT_OP_square, {im.get()}).get()});
}

// Returns x in the dtype in which its norms are computed: integers and bool become float64, 16-bit floats float32.
ArrayRef widened(gpuopt_array x) {
  const char kind = dtype_kind(x->dtype);
  if (kind != 'f' && kind != 'c') return record_cast(x, GPUOPT_FLOAT64);
  return is_half(x->dtype) ? record_cast(x, GPUOPT_FLOAT32) : ArrayRef::share(x);
}

// Returns (sum |x|^ord)^(1/ord), for ord 0 the number of nonzero elements, and for infinities the greatest or least
// |x|. x has been widened.
ArrayRef vector_norm(const ArrayRef &x, double ord, NormAxes axes) {
  if (ord == 2) return record_op(GPUOPT_OP_sqrt, {sum(squares(x), axes).get()});
  if (ord == 0) {
    const ArrayRef nonzero = record_cast(record_cast(x.get(), GPUOPT_BOOL).get(), real_component(x->dtype));
    return sum(nonzero, axes);
  }
  const ArrayRef magnitude = absolute(x);
  if (std::isinf(ord)) return extreme(ord, magnitude, axes);
  if (ord == 1) return sum(magnitude, axes);
  return power(sum(power(magnitude, ord), axes), 1 / ord);
}

// Casts a norm of widened(x) to x's dtype if that is a 16-bit float.
ArrayRef narrowed(const ArrayRef &norm, gpuopt_array x) {
  return is_half(x->dtype) ? record_cast(norm.get(), x->dtype) : norm;
}

ArrayRef vector_norm_call(gpuopt_array x, double ord, const gpuopt_reduce_options *given) {
  deref_strong(x, "vector_norm");
  if (std::isnan(ord)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "vector_norm: ord is NaN");
  const auto options = options_or_default(given, "gpuopt_reduce_options");
  if (options.dtype || options.correction != 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "vector_norm: dtype and correction are not options of norms");
  refuse_where_and_initial(options, "vector_norm");
  const NormAxes axes{axis_mask(options.naxes, options.axes, x->ndim, "vector_norm"), options.keepdims != 0};
  return stored_in_out(options, narrowed(vector_norm(widened(x), ord, axes), x), "vector_norm");
}

// Matrix norms of ord 1, -1 and the infinities: the greatest (ord > 0) or least sum of the magnitudes in a column (1,
// -1) or a row (infinities).
ArrayRef row_or_column_norm(const ArrayRef &x, double ord, bool keepdims) {
  const int summed = std::fabs(ord) == 1 ? x->ndim - 2 : x->ndim - 1, other = 2 * x->ndim - 3 - summed;
  const ArrayRef sums = sum(absolute(x), {uint64_t{1} << summed, keepdims});
  const int left = !keepdims && other > summed ? other - 1 : other;
  return extreme(ord, sums, {uint64_t{1} << left, keepdims});
}

// Matrix norms of ord 2, -2 and nuclear: the greatest or least singular value, or the sum of all.
ArrayRef singular_norm(const ArrayRef &x, double ord, bool keepdims, const char *what) {
  const ArrayRef s = singular_values(x, what);
  const NormAxes last{uint64_t{1} << (s->ndim - 1), keepdims};
  const ArrayRef norm = ord == GPUOPT_NORM_NUCLEAR ? sum(s, last) : extreme(ord, s, last);
  return keepdims ? expanded_view(norm.get(), norm->ndim) : norm;
}

}  // namespace

ArrayRef matrix_norm(gpuopt_array x, double ord, bool keepdims, const char *what) {
  check_matrices(deref_strong(x, what), what);
  const NormAxes both{uint64_t{3} << (x->ndim - 2), keepdims};
  if (ord == GPUOPT_NORM_FROBENIUS) return narrowed(vector_norm(widened(x), 2, both), x);
  if (std::fabs(ord) == 1 || std::isinf(ord)) return narrowed(row_or_column_norm(widened(x), ord, keepdims), x);
  if (std::fabs(ord) == 2 || ord == GPUOPT_NORM_NUCLEAR)
    return narrowed(singular_norm(widened(x), ord, keepdims, what), x);
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Invalid norm order for matrices: %g", what, ord);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_vector_norm(gpuopt_array x, double ord, const gpuopt_reduce_options *options, gpuopt_array *result,
                                 gpuopt_error *error) {
  return giving(result, error, [&] { return vector_norm_call(x, ord, options); });
}

gpuopt_status gpuopt_matrix_norm(gpuopt_array x, double ord, int32_t keepdims, gpuopt_array *result,
                                 gpuopt_error *error) {
  return giving(result, error, [&] { return matrix_norm(x, ord, keepdims != 0, "matrix_norm"); });
}

gpuopt_status gpuopt_norm(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return vector_norm_call(x, 2, nullptr); });
}

}  // extern "C"
