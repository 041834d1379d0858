// core/signal/gradient.cpp -- gpuopt_gradient: derivatives by differences of second order.
#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/join.h"

namespace gpuopt {
namespace {

// f, and the distances of its points along an axis: one number or, where they are uneven, an array with f's dimensions.
struct Sampled {
  Value f, distances;
  double spacing;
  int axis;
  int64_t size;
  bool uneven;

  // Returns `count` neighbours from an element on; a negative one counts from the end.
  Value values(int64_t begin, int64_t count) const {
    return part_view(f.get(), axis, begin < 0 ? begin + size : begin, count);
  }
  // Returns as many distances, each from its point to the next.
  Value distance(int64_t begin, int64_t count) const {
    if (!uneven) return Value(spacing);
    return part_view(distances.get(), axis, begin < 0 ? begin + size - 1 : begin, count);
  }
};

// The weights of three neighbouring values.
struct Weights {
  Value a, b, c;
  Value times(const Value &x, const Value &y, const Value &z) const { return a * x + b * y + c * z; }
};

Value negative(const Value &x) { return apply_op(GPUOPT_OP_negative, x); }

Value interior(const Sampled &s) {
  const int64_t count = s.size - 2;
  const Value before = s.values(0, count), behind = s.values(2, count);
  if (!s.uneven) return (behind - before) / Value(2 * s.spacing);
  const Value d1 = s.distance(0, count), d2 = s.distance(1, count);
  const Weights w{negative(d2) / (d1 * (d1 + d2)), (d2 - d1) / (d1 * d2), d1 / (d2 * (d1 + d2))};
  return w.times(before, s.values(1, count), behind);
}

// The derivative at an end from two values.
Value first_order_end(const Sampled &s, bool last) {
  const int64_t at = last ? -2 : 0;
  return (s.values(last ? -1 : 1, 1) - s.values(at, 1)) / s.distance(last ? -1 : 0, 1);
}

Weights weights_at_end(const Sampled &s, bool last) {
  if (!s.uneven) {
    const double d = s.spacing;
    if (last) return {Value(0.5 / d), Value(-2.0 / d), Value(1.5 / d)};
    return {Value(-1.5 / d), Value(2.0 / d), Value(-0.5 / d)};
  }
  const Value d1 = s.distance(last ? -2 : 0, 1), d2 = s.distance(last ? -1 : 1, 1), both = d1 + d2;
  if (last) return {d2 / (d1 * both), negative(both) / (d1 * d2), (Value(2.0) * d2 + d1) / (d2 * both)};
  return {negative(Value(2.0) * d1 + d2) / (d1 * both), both / (d1 * d2), negative(d1) / (d2 * both)};
}

// The derivative at an end from three values.
Value second_order_end(const Sampled &s, bool last) {
  const int64_t at = last ? -3 : 0;
  return weights_at_end(s, last).times(s.values(at, 1), s.values(at + 1, 1), s.values(at + 2, 1));
}

// Returns the differences of the coordinates with the dimensions of x.
Value coordinate_distances(gpuopt_array coordinates, const gpuopt_array_s &x, int axis) {
  deref_strong(coordinates, "gradient");
  if (coordinates->ndim != 1) fail(GPUOPT_ERR_SHAPE, "gradient: distances must be either scalars or 1d");
  if (coordinates->size != x.shape[axis])
    fail(GPUOPT_ERR_SHAPE, "gradient: when 1d, distances must match the length of the corresponding dimension");
  const Value at = cast(coordinates, as_inexact_dtype(coordinates->dtype));
  const int64_t count = coordinates->size - 1;
  const Value d = Value(part_view(at.get(), 0, 1, count)) - Value(part_view(at.get(), 0, 0, count));
  Dims shape(static_cast<size_t>(x.ndim), 1);
  shape[static_cast<size_t>(axis)] = count;
  return reshaped_view(d.get(), shape);
}

ArrayRef gradient(gpuopt_array x, gpuopt_array coordinates, double spacing, int64_t given_axis, int32_t edge_order) {
  deref_strong(x, "gradient");
  if (x->dtype == GPUOPT_BOOL) fail(GPUOPT_ERR_TYPE, "gradient: bool has no differences");
  if (edge_order != 1 && edge_order != 2)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "gradient: 'edge_order' greater than 2 not supported, nor less than 1");
  const int axis = checked_axis(given_axis, x->ndim, "gradient");
  if (x->shape[axis] < edge_order + 1)
    fail(GPUOPT_ERR_SHAPE,
         "gradient: Shape of array too small to calculate a numerical gradient, at least "
         "(edge_order + 1) elements are required.");
  if (coordinates) check_same_device("gradient", {x, coordinates});
  const gpuopt_dtype dtype = as_inexact_dtype(x->dtype);
  const Value f = cast(x, dtype);
  const Sampled s{f,
                  coordinates ? coordinate_distances(coordinates, *x, axis) : f,
                  spacing,
                  axis,
                  x->shape[axis],
                  coordinates != nullptr};
  const auto end = [&](bool last) { return edge_order == 2 ? second_order_end(s, last) : first_order_end(s, last); };
  const Value first = cast(end(false), dtype), last = cast(end(true), dtype), inside = cast(interior(s), dtype);
  const gpuopt_array parts[] = {first.get(), inside.get(), last.get()};
  return joined(parts, axis, dtype, "gradient");
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_gradient(gpuopt_array x, gpuopt_array coordinates, double spacing, int64_t axis,
                                         int32_t edge_order, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return gradient(x, coordinates, spacing, axis, edge_order); });
}
