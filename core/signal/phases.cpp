// core/signal/phases.cpp -- gpuopt_unwrap, nancumsum and nancumprod: sums along an axis after a choice by element.
#include <cmath>
#include <numbers>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/join.h"

namespace gpuopt {
namespace {

// ---- unwrap

// The period, and half of it, as numbers of the kind of x.
struct Period {
  Value whole, half, negative_half;
  bool two_sided;  // a difference of half a period may become one of minus half a period
};

bool is_whole(double number) { return number == std::trunc(number) && std::fabs(number) < 9e15; }

Period period_of(double period, bool integers) {
  if (!integers) return {Value(period), Value(period / 2), Value(-period / 2), true};
  const auto whole = static_cast<int64_t>(period);
  const int64_t half = whole / 2;
  return {Value(whole), Value(half), Value(-half), whole % 2 == 0};
}

// Returns what has to be added to each element but the first.
Value corrections(const Value &d, const Period &p, double discont, int axis) {
  const Value shifted = apply_op(GPUOPT_OP_remainder, d - p.negative_half, p.whole) + p.negative_half;
  const Value rises = apply_op(GPUOPT_OP_greater, d, Value(int64_t{0}));
  const Value wrapped =
      p.two_sided ? where(logical_and(equal(shifted, p.negative_half), rises), p.half, shifted) : shifted;
  const Value stays = apply_op(GPUOPT_OP_less, abs(d), Value(discont));
  const Value added = where(stays, Value(int64_t{0}), wrapped - d);
  return record_scan(GPUOPT_SCAN_cumulative_sum, added.get(), axis, added.dtype());
}

ArrayRef unwrap(gpuopt_array x, double discont, double period, int64_t given_axis) {
  deref_strong(x, "unwrap");
  const char kind = dtype_kind(x->dtype);
  if (kind != 'i' && kind != 'f') fail(GPUOPT_ERR_TYPE, "unwrap: %s is no dtype of phases", dtype_name(x->dtype));
  const int axis = checked_axis(given_axis, x->ndim, "unwrap");
  if (period == 0) period = 2 * std::numbers::pi;
  if (!(period > 0) || std::isinf(period))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "unwrap: the period is not positive and finite");
  if (std::isnan(discont)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "unwrap: discont is no number");
  const bool integers = kind == 'i' && is_whole(period);
  const Value p = cast(x, kind == 'f' ? x->dtype : integers ? GPUOPT_INT64 : GPUOPT_FLOAT64);
  const gpuopt_dtype dtype = integers ? x->dtype : p.dtype();
  const int64_t size = x->shape[axis];
  if (size < 2) return record_cast(x, dtype);
  const Value next = part_view(p.get(), axis, 1, size - 1), previous = part_view(p.get(), axis, 0, size - 1);
  const Value rest =
      next + corrections(next - previous, period_of(period, integers), std::fmax(discont, period / 2), axis);
  const ArrayRef first = part_view(p.get(), axis, 0, 1);
  const gpuopt_array parts[] = {first.get(), rest.get()};
  return in_dtype(joined(parts, axis, p.dtype(), "unwrap").get(), dtype);
}

// ---- nancumsum, nancumprod

ArrayRef scanned_without_nan(gpuopt_scan scan, gpuopt_array x, int64_t given_axis, gpuopt_dtype dtype, int64_t neutral,
                             const char *what) {
  deref_strong(x, what);
  const int axis = checked_axis(given_axis, x->ndim, what);
  if (dtype) dtype = dtype_or(dtype, dtype, what);
  const char kind = dtype_kind(x->dtype);
  if (kind != 'f' && kind != 'c') return record_scan(scan, x, axis, dtype);
  const Value number = where(isnan(Value(x)), Value(neutral), Value(x));
  return record_scan(scan, number.get(), axis, dtype);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_unwrap(gpuopt_array x, double discont, double period, int64_t axis, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return unwrap(x, discont, period, axis); });
}

gpuopt_status gpuopt_nancumsum(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error,
                [&] { return scanned_without_nan(GPUOPT_SCAN_cumulative_sum, x, axis, dtype, 0, "nancumsum"); });
}

gpuopt_status gpuopt_nancumprod(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                                gpuopt_error *error) {
  return giving(result, error,
                [&] { return scanned_without_nan(GPUOPT_SCAN_cumulative_prod, x, axis, dtype, 1, "nancumprod"); });
}

}  // extern "C"
