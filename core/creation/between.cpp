// core/creation/between.cpp -- gpuopt_linspace_between, logspace_between and geomspace_between: sequences between the
// elements of arrays, along a new axis.
#include <cmath>

#include "core/ops/create.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

// Operands as arrays of one dtype and shape, on one stream.
struct Ends {
  const char *what;
  gpuopt_stream stream;
  gpuopt_dtype dtype;
  Dims shape;
  Value start, stop;
};

// What is asked of the sequences.
struct Between {
  int64_t num;
  bool endpoint;
  int64_t axis;  // of the result
};

gpuopt_stream stream_of(std::span<const gpuopt_array> operands, const char *what) {
  if (const gpuopt_stream stream = stream_among(operands)) return stream;
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: there is no array among the ends", what);
}

// The dtype that the operands promote to. Numbers have one of their own, as in NumPy's asarray().
gpuopt_dtype strong_dtype(std::span<const gpuopt_array> operands) {
  gpuopt_dtype dtype = 0;
  for (const gpuopt_array x : operands) {
    const gpuopt_dtype own = x->weak ? promote_weak(0, x->scalar.kind) : x->dtype;
    dtype = dtype ? promote(dtype, own) : own;
  }
  return dtype;
}

Value broadcast_operand(const Ends &ends, gpuopt_array x, gpuopt_dtype dtype) {
  return broadcast_view(in_dtype_on(ends.stream, x, dtype).get(), ends.shape, ends.what);
}

// `all` are start, stop and what else they broadcast with.
Ends broadcast_ends(std::span<const gpuopt_array> all, gpuopt_dtype dtype, const char *what) {
  std::vector<std::span<const int64_t>> shapes;
  for (const gpuopt_array x : all) shapes.push_back(x->sizes());
  Shape common;
  broadcast_shape(shapes, common, what);
  const Value none(int64_t{0});
  Ends ends{what, stream_of(all, what), dtype, Dims(common.sizes, common.sizes + common.ndim), none, none};
  ends.start = broadcast_operand(ends, all[0], dtype);
  ends.stop = broadcast_operand(ends, all[1], dtype);
  return ends;
}

void check_count(const Between &asked, const char *what) {
  if (asked.num < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Number of samples, %lld, must be non-negative.", what,
         static_cast<long long>(asked.num));
}

// Returns the dtype asked for, or `standard`. Throws ERR_TYPE if complex numbers would become real.
gpuopt_dtype checked_result(gpuopt_dtype asked, gpuopt_dtype standard, gpuopt_dtype computed, const char *what) {
  const gpuopt_dtype dtype = dtype_or(asked, standard, what);
  if (dtype_kind(computed) == 'c' && dtype_kind(dtype) != 'c')
    fail(GPUOPT_ERR_TYPE, "%s: complex numbers do not become %s", what, dtype_name(dtype));
  return dtype;
}

// The way along the new axis: its place among the others, and 0, 1, .. in a shape that broadcasts.
class NewAxis {
 public:
  NewAxis(const Ends &ends, const Between &asked)
      : axis_(checked_axis(asked.axis, static_cast<int>(ends.shape.size()) + 1, ends.what)) {
    Dims whole = ends.shape, line(ends.shape.size() + 1, 1);
    whole.insert(whole.begin() + axis_, asked.num);
    checked_size(static_cast<int>(whole.size()), whole.data(), dtype_size(GPUOPT_COMPLEX128));
    line[static_cast<size_t>(axis_)] = asked.num;
    counts_ = reshaped_view(iota(ends.stream, asked.num).get(), line);
  }
  Value counts() const { return counts_; }
  Value expanded(const Value &x) const { return expanded_view(x.get(), axis_); }
  // x with the elements at one place replaced.
  Value with(const Value &x, int64_t place, const Value &at) const {
    return where(equal(Value(counts_), Value(place)), expanded(at), x);
  }

 private:
  int axis_;
  ArrayRef counts_;
};

// The sequences in the dtype of the ends, and their steps.
struct Lines {
  Value values, steps;
};

// Where a step is 0, which may be one that is too small to be a number, places are divided before they are multiplied.
Lines lines_between(const Ends &ends, const NewAxis &axis, const Between &asked) {
  const int64_t parts = asked.endpoint ? asked.num - 1 : asked.num;
  const Value delta = ends.stop - ends.start, counts = cast(axis.counts(), ends.dtype);
  const Value whole(static_cast<double>(parts));
  const Value steps = parts > 0 ? delta / whole : delta * Value(std::nan(""));
  Value values = counts * axis.expanded(delta);
  if (parts > 0) {
    const bool tiny = any_of(equal(steps, Value(int64_t{0})));
    values = tiny ? counts / whole * axis.expanded(delta) : counts * axis.expanded(steps);
  }
  values = values + axis.expanded(ends.start);
  if (asked.endpoint && asked.num > 1) values = axis.with(values, asked.num - 1, ends.stop);
  return {values, steps};
}

ArrayRef linspace_between(gpuopt_array start, gpuopt_array stop, const Between &asked, gpuopt_dtype dtype,
                          ArrayRef *steps) {
  const char *const what = "linspace_between";
  const gpuopt_array given[] = {start, stop};
  const auto ends_given = checked_list(2, given, 2, what);
  check_count(asked, what);
  const gpuopt_dtype computed = as_inexact_dtype(common_dtype(ends_given));
  const gpuopt_dtype result = checked_result(dtype, computed, computed, what);
  const Ends ends = broadcast_ends(ends_given, computed, what);
  const Lines lines = lines_between(ends, NewAxis(ends, asked), asked);
  if (steps) *steps = lines.steps.array();
  const char kind = dtype_kind(result);
  return cast(kind == 'i' || kind == 'u' ? floor(lines.values) : lines.values, result).array();
}

ArrayRef logspace_between(gpuopt_array start, gpuopt_array stop, gpuopt_array base, const Between &asked,
                          gpuopt_dtype dtype) {
  const char *const what = "logspace_between";
  const Value ten(10.0);
  const gpuopt_array given[] = {start, stop, base ? base : ten.get()};
  const auto all = checked_list(3, given, 3, what);
  check_count(asked, what);
  const Ends ends = broadcast_ends(all, as_inexact_dtype(common_dtype(all.first(2))), what);
  const NewAxis axis(ends, asked);
  const Value exponents = lines_between(ends, axis, asked).values;
  const Value root = all[2]->weak ? Value(all[2]) : axis.expanded(broadcast_operand(ends, all[2], all[2]->dtype));
  const Value values = apply_op(GPUOPT_OP_pow, root, exponents);
  return cast(values, checked_result(dtype, values.dtype(), values.dtype(), what)).array();
}

// Each sequence is turned so that it begins with a positive number, and back in the end.
ArrayRef geomspace_between(gpuopt_array start, gpuopt_array stop, const Between &asked, gpuopt_dtype dtype) {
  const char *const what = "geomspace_between";
  const gpuopt_array given[] = {start, stop};
  const auto ends_given = checked_list(2, given, 2, what);
  check_count(asked, what);
  const gpuopt_dtype own = strong_dtype(ends_given), wanted = dtype_or(dtype, GPUOPT_FLOAT64, what);
  const gpuopt_dtype computed = as_inexact_dtype(promote(own, wanted));
  const gpuopt_dtype result = checked_result(dtype, computed, as_inexact_dtype(own), what);
  const Ends ends = broadcast_ends(ends_given, computed, what);
  const Value zero(int64_t{0});
  if (any_of(logical_or(equal(ends.start, zero), equal(ends.stop, zero))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Geometric sequence cannot include zero", what);
  const Value sign = apply_op(GPUOPT_OP_sign, ends.start), first = ends.start / sign, last = ends.stop / sign;
  Ends powers = ends;
  powers.start = apply_op(GPUOPT_OP_log10, first);
  powers.stop = apply_op(GPUOPT_OP_log10, last);
  const NewAxis axis(ends, asked);
  Value values = apply_op(GPUOPT_OP_pow, Value(10.0), lines_between(powers, axis, asked).values);
  if (asked.num > 0) values = axis.with(values, 0, first);
  if (asked.num > 1 && asked.endpoint) values = axis.with(values, asked.num - 1, last);
  return cast(values * axis.expanded(sign), result).array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_linspace_between(gpuopt_array start, gpuopt_array stop, int64_t num, int32_t endpoint,
                                      int64_t axis, gpuopt_dtype dtype, gpuopt_array *steps, gpuopt_array *result,
                                      gpuopt_error *error) {
  if (steps) *steps = nullptr;
  return giving(result, error, [&] {
    ArrayRef made;
    ArrayRef values = linspace_between(start, stop, {num, endpoint != 0, axis}, dtype, steps ? &made : nullptr);
    if (steps) *steps = made.leave();
    return values;
  });
}

gpuopt_status gpuopt_logspace_between(gpuopt_array start, gpuopt_array stop, gpuopt_array base, int64_t num,
                                      int32_t endpoint, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                                      gpuopt_error *error) {
  return giving(result, error, [&] { return logspace_between(start, stop, base, {num, endpoint != 0, axis}, dtype); });
}

gpuopt_status gpuopt_geomspace_between(gpuopt_array start, gpuopt_array stop, int64_t num, int32_t endpoint,
                                       int64_t axis, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return geomspace_between(start, stop, {num, endpoint != 0, axis}, dtype); });
}

}  // extern "C"
