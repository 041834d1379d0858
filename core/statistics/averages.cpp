// core/statistics/averages.cpp -- gpuopt_average, cov and corrcoef.
#include <algorithm>
#include <cmath>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/engine/transfer.h"
#include "core/ops/join.h"
#include "core/ops/matmul.h"
#include "core/ops/reduce.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// ---- average

std::span<const int64_t> shape_of(const gpuopt_array_s &x) { return {x.shape, static_cast<size_t>(x.ndim)}; }

// Returns an array like x that is full of one number.
Value constant_like(const gpuopt_array_s &x, double number) {
  unsigned char element[16];
  store_scalar(gpuopt_scalar_real(number), x.dtype, element, false);
  return record_constant(x.stream.get(), x.dtype, x.ndim, x.shape, element);
}

// The axes of gpuopt_average's options, checked against an array.
struct AveragedAxes {
  uint64_t mask;
  bool keepdims, all;
  Dims list;  // as they were given, counted from the front

  AveragedAxes(const gpuopt_reduce_options *given, const gpuopt_array_s &x) {
    const auto options = options_or_default(given, "gpuopt_reduce_options");
    if (options.dtype || options.correction != 0)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "average: dtype and correction are no options of it");
    refuse_where_and_initial(options, "average");
    if (options.out) fail(GPUOPT_ERR_INVALID_ARGUMENT, "average: out is no option of it");
    mask = axis_mask(options.naxes, options.axes, x.ndim, "average");
    keepdims = options.keepdims != 0;
    all = !options.axes;
    for (int i = 0; !all && i < options.naxes; ++i) list.push_back(checked_axis(options.axes[i], x.ndim, "average"));
  }
};

// Returns the weights with x's dimensions, so that they broadcast to x.
Value fitted_weights(gpuopt_array weights, const gpuopt_array_s &x, const AveragedAxes &axes) {
  if (std::ranges::equal(shape_of(*weights), shape_of(x))) return weights;
  if (axes.all) fail(GPUOPT_ERR_TYPE, "average: Axis must be specified when shapes of a and weights differ.");
  Dims order(axes.list.size()), shape(static_cast<size_t>(x.ndim), 1);
  for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int64_t>(k);
  std::ranges::sort(order, {}, [&](int64_t k) { return axes.list[static_cast<size_t>(k)]; });
  bool fits = weights->ndim == static_cast<int>(order.size());
  for (size_t k = 0; fits && k < order.size(); ++k) {
    const auto axis = static_cast<size_t>(axes.list[k]);
    fits = weights->shape[k] == x.shape[axis];
    shape[axis] = x.shape[axis];
  }
  if (!fits)
    fail(GPUOPT_ERR_SHAPE, "average: Shape of weights must be consistent with shape of a along specified axis.");
  return reshaped(permuted_view(weights, order.data()).get(), shape);
}

struct Average {
  Value mean, weight_sum;
};

Average plain_average(const Value &x, const AveragedAxes &axes) {
  const gpuopt_dtype dtype = as_inexact_dtype(x.dtype()), wide = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  double count = 1;
  for (int i = 0; i < x.get()->ndim; ++i) count *= axes.mask >> i & 1 ? static_cast<double>(x.get()->shape[i]) : 1;
  const Value total = record_reduction(GPUOPT_REDUCTION_sum, cast(x, wide).get(), axes.mask, axes.keepdims, 0);
  const Value mean = cast(total / Value(count), dtype);
  return {mean, constant_like(*mean.get(), count)};
}

Average weighted_average(gpuopt_array x, gpuopt_array weights, const AveragedAxes &axes) {
  check_same_device("average", {x, weights});
  const gpuopt_array both[] = {x, weights};
  const gpuopt_dtype promoted = common_dtype(both), integer = promote(promoted, GPUOPT_FLOAT64);
  const bool inexact = dtype_kind(x->dtype) == 'f' || dtype_kind(x->dtype) == 'c';
  const gpuopt_dtype dtype = inexact ? promoted : integer;
  const Value w = cast(fitted_weights(weights, *x, axes), dtype);
  const auto sum = [&](const Value &v) {
    return Value(record_reduction(GPUOPT_REDUCTION_sum, v.get(), axes.mask, axes.keepdims, dtype));
  };
  const Value weight_sum = sum(w);
  if (any_of(equal(weight_sum, Value(int64_t{0}))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "average: Weights sum to zero, can't be normalized");
  const Value mean = sum(cast(x, dtype) * w) / weight_sum;
  return {mean, record_copy(broadcast_view(weight_sum.get(), shape_of(*mean.get()), "average").get())};
}

std::vector<ArrayRef> average(gpuopt_array x, gpuopt_array weights, const gpuopt_reduce_options *options) {
  const AveragedAxes axes(options, deref_strong(x, "average"));
  if (weights) deref_strong(weights, "average");
  const Average made = weights ? weighted_average(x, weights, axes) : plain_average(x, axes);
  return {made.mean.array(), made.weight_sum.array()};
}

// ---- cov, corrcoef

// Returns the variables of x as rows.
ArrayRef variables(gpuopt_array x, bool columns, const char *what) {
  deref_strong(x, what);
  if (x->ndim > 2) fail(GPUOPT_ERR_SHAPE, "%s: an array has more than 2 dimensions", what);
  if (x->ndim < 2) return reshaped(x, {1, x->size});
  const int64_t exchanged[] = {1, 0};
  return columns ? permuted_view(x, exchanged) : ArrayRef::share(x);
}

// Returns the rows of x and, behind them, those of y (which may be NULL), in the dtype of the result.
Value all_variables(gpuopt_array x, gpuopt_array y, bool columns, const char *what) {
  const ArrayRef first = variables(x, columns, what);
  const auto in_result_dtype = [&](const ArrayRef &rows, gpuopt_dtype dtype) {
    return Value(in_dtype(rows.get(), promote(dtype, GPUOPT_FLOAT64)));
  };
  if (!y) return in_result_dtype(first, x->dtype);
  check_same_device(what, {x, y});
  const ArrayRef second = variables(y, columns, what);
  const gpuopt_array rows[] = {first.get(), second.get()};
  return in_result_dtype(joined(rows, 0, common_dtype(rows), what), common_dtype(rows));
}

// Returns weights as float64 after NumPy's checks. `kind` names them.
Value checked_weights(gpuopt_array w, int64_t observations, const char *kind, bool integers) {
  deref_strong(w, "cov");
  const char of = dtype_kind(w->dtype);
  if (of == 'c' || (integers && of == 'f'))
    fail(GPUOPT_ERR_TYPE, "cov: %s must be %s", kind, integers ? "integer" : "real");
  if (w->ndim > 1) fail(GPUOPT_ERR_SHAPE, "cov: cannot handle multidimensional %s", kind);
  if (w->ndim != 1 || w->size != observations)
    fail(GPUOPT_ERR_SHAPE, "cov: incompatible numbers of samples and %s", kind);
  if (any_of(apply_op(GPUOPT_OP_less, Value(w), Value(int64_t{0}))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "cov: %s cannot be negative", kind);
  return cast(w, GPUOPT_FLOAT64);
}

double number_of(const Value &x) {
  double number = 0;
  const Value as_double = cast(x, GPUOPT_FLOAT64);
  copy_to_host(as_double.get(), &number);
  return number;
}

Value total(const Value &x) { return record_reduction(GPUOPT_REDUCTION_sum, x.get(), ~uint64_t{0}, false, 0); }

// Returns the mean of each row of x as a column.
Value row_means(const Value &x, const Value *weights, double weight_sum) {
  const Value terms = weights ? x * *weights : x;
  const Value sums = record_reduction(GPUOPT_REDUCTION_sum, terms.get(), 2, true, 0);
  return sums / Value(weight_sum);
}

// Returns x times the conjugate of y's transpose.
Value product_with_adjoint(const Value &x, const Value &y) {
  const int64_t exchanged[] = {1, 0};
  const Value right = dtype_kind(y.dtype()) == 'c' ? apply_op(GPUOPT_OP_conj, y) : y;
  evaluate(right.get());
  return matmul(x.get(), permuted_view(right.get(), exchanged).get(), "cov");
}

Value covariance(const Value &x, const gpuopt_cov_options &o) {
  const double correction = 1 - o.bias;  // NumPy's ddof
  const int64_t observations = x.get()->shape[1];
  std::vector<Value> weights;
  if (o.fweights) weights.push_back(checked_weights(o.fweights, observations, "fweights", true));
  double divisor = static_cast<double>(observations) - correction, weight_sum = static_cast<double>(observations);
  if (o.aweights) {
    const Value a = checked_weights(o.aweights, observations, "aweights", false);
    weights.push_back(weights.empty() ? a : weights[0] * a);
    weight_sum = number_of(total(weights.back()));
    divisor =
        correction == 0 ? weight_sum : weight_sum - correction * number_of(total(weights.back() * a)) / weight_sum;
  } else if (o.fweights) {
    weight_sum = number_of(total(weights[0]));
    divisor = weight_sum - correction;
  }
  if (!weights.empty() && weight_sum == 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "cov: Weights sum to zero, can't be normalized");
  const Value *const w = weights.empty() ? nullptr : &weights.back();
  const Value centred = x - row_means(x, w, weight_sum);
  return product_with_adjoint(centred, w ? centred * *w : centred) / Value(std::fmax(divisor, 0.0));
}

// A single variable has a variance without dimensions.
ArrayRef without_single_axes(const Value &c) { return c.get()->shape[0] == 1 ? reshaped(c.get(), {}) : c.array(); }

ArrayRef cov(gpuopt_array x, gpuopt_array y, const gpuopt_cov_options *given) {
  const auto options = options_or_default(given, "gpuopt_cov_options");
  const Value rows = all_variables(x, y, options.columns != 0, "cov");
  for (gpuopt_array w : {options.fweights, options.aweights}) {
    if (w) check_same_device("cov", {x, w});
  }
  return without_single_axes(covariance(rows, options));
}

// Returns the real numbers of x within [-1, 1].
Value clipped(const Value &x) { return apply_op(GPUOPT_OP_clip, x, Value(-1.0), Value(1.0)); }

ArrayRef corrcoef(gpuopt_array x, gpuopt_array y, bool columns) {
  const Value c = covariance(all_variables(x, y, columns, "corrcoef"), {});
  if (c.get()->shape[0] == 1) return without_single_axes(c / c);
  evaluate(c.get());
  const Value variances = diagonal_view(c.get(), 0, 0, 1), deviations = sqrt(apply_op(GPUOPT_OP_real, variances));
  const Value scaled = c / expanded_view(deviations.get(), 1) / expanded_view(deviations.get(), 0);
  if (dtype_kind(c.dtype()) != 'c') return clipped(scaled).array();
  const Value imaginary_unit(gpuopt_scalar_complex(0, 1));
  return (clipped(apply_op(GPUOPT_OP_real, scaled)) + clipped(apply_op(GPUOPT_OP_imag, scaled)) * imaginary_unit)
      .array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_average(gpuopt_array x, gpuopt_array weights, const gpuopt_reduce_options *options,
                             gpuopt_array *result, gpuopt_array *weight_sum, gpuopt_error *error) {
  gpuopt_array unwanted = nullptr;
  const gpuopt_status status =
      giving_each({result, weight_sum ? weight_sum : &unwanted}, error, [&] { return average(x, weights, options); });
  gpuopt_array_release(unwanted);
  return status;
}

gpuopt_status gpuopt_cov(gpuopt_array x, gpuopt_array y, const gpuopt_cov_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return giving(result, error, [&] { return cov(x, y, options); });
}

gpuopt_status gpuopt_corrcoef(gpuopt_array x, gpuopt_array y, int32_t columns, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return corrcoef(x, y, columns != 0); });
}

}  // extern "C"
