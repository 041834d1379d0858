// core/signal/interp.cpp -- gpuopt_interp: piecewise linear functions.
#include <cmath>

#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

Value joined_values(const Value &a, const Value &b, const Value &c) {
  const gpuopt_array parts[] = {a.get(), b.get(), c.get()};
  return joined(parts, 0, b.dtype(), "interp");
}

// The points in their order, and where they are looked up.
struct Points {
  Value x, xp, fp;
  int64_t count() const { return xp.get()->size; }
  // Returns an element of an array of one dimension without dimensions.
  static Value element(const Value &of, int64_t k) { return reshaped(part(of, k, k + 1).get(), {}); }
};

// Takes x and xp modulo the period, and repeats the outermost points beyond it.
Points periodic(const Points &p, double period) {
  const Value wide(std::fabs(period)), xp = apply_op(GPUOPT_OP_remainder, p.xp, wide);
  const ArrayRef order = sort_order(xp.get(), 0, false, "interp");
  const Value x_sorted = take(xp.get(), order.get(), 0), f_sorted = take(p.fp.get(), order.get(), 0);
  const int64_t n = p.count();
  return {apply_op(GPUOPT_OP_remainder, p.x, wide),
          joined_values(part(x_sorted, n - 1, n) - wide, x_sorted, part(x_sorted, 0, 1) + wide),
          joined_values(part(f_sorted, n - 1, n), f_sorted, part(f_sorted, 0, 1))};
}

// What is outside of the points, where NULL stands for the nearest one, and what is at a NaN.
struct Outside {
  const gpuopt_scalar *left, *right;
  double at_nan = std::nan("");
};

// Interpolates on the line to the next point from the left or, where that is NaN, from the right.
Value on_lines(const Points &p, const Value &places) {
  const int64_t n = p.count();
  const Value low =
      apply_op(GPUOPT_OP_clip, places - Value(int64_t{1}), Value(int64_t{0}), Value(std::max<int64_t>(n - 2, 0)));
  const Value high = apply_op(GPUOPT_OP_minimum, low + Value(int64_t{1}), Value(n - 1));
  const auto at = [](const Value &of, const Value &indices) { return Value(take(of.get(), indices.get(), 0)); };
  const Value x0 = at(p.xp, low), x1 = at(p.xp, high), f0 = at(p.fp, low), f1 = at(p.fp, high);
  const Value slope = (f1 - f0) / (x1 - x0);
  const Value from_left = slope * (p.x - x0) + f0, from_right = slope * (p.x - x1) + f1;
  const Value y = where(isnan(from_left), from_right, from_left);
  return where(logical_or(equal(p.x, x0), logical_and(isnan(y), equal(f0, f1))), f0, y);
}

Value interpolated(const Points &p, const Outside &outside, const Value &places) {
  const int64_t n = p.count();
  const Value first = Points::element(p.xp, 0), last = Points::element(p.xp, n - 1);
  const Value f_first = Points::element(p.fp, 0), f_last = Points::element(p.fp, n - 1);
  Value y = where(equal(p.x, last), f_last, on_lines(p, places));
  y = where(less(last, p.x), outside.right ? Value(*outside.right) : f_last, y);
  y = where(less(p.x, first), outside.left ? Value(*outside.left) : f_first, y);
  return where(isnan(p.x), Value(outside.at_nan), y);
}

void check_outside(const gpuopt_scalar *value, bool is_complex) {
  if (!value) return;
  check_scalar(*value, "interp");
  if (value->kind == 'c' && !is_complex)
    fail(GPUOPT_ERR_TYPE, "interp: a complex number cannot be left or right of real fp");
}

// Returns complex numbers of one dimension from their components, which it evaluates.
ArrayRef from_components(const Value &real, const Value &imag) {
  const ArrayRef columns[] = {expanded_view(real.get(), 1), expanded_view(imag.get(), 1)};
  const gpuopt_array both[] = {columns[0].get(), columns[1].get()};
  const ArrayRef pairs = joined(both, 1, GPUOPT_FLOAT64, "interp");
  evaluate(pairs.get());
  return make_view(pairs->storage.get(), pairs->stream, GPUOPT_COMPLEX128, 1, pairs->shape, nullptr, pairs->offset,
                   false);
}

void check_operands(gpuopt_array x, gpuopt_array xp, gpuopt_array fp) {
  check_same_device("interp", {&deref_strong(x, "interp"), &deref_strong(xp, "interp"), &deref_strong(fp, "interp")});
  check_one_dimension(*xp, "xp", "interp");
  check_one_dimension(*fp, "fp", "interp");
  if (dtype_kind(x->dtype) == 'c' || dtype_kind(xp->dtype) == 'c')
    fail(GPUOPT_ERR_TYPE, "interp: x and xp cannot be complex");
  if (!xp->size) fail(GPUOPT_ERR_SHAPE, "interp: array of sample points is empty");
  if (xp->size != fp->size) fail(GPUOPT_ERR_SHAPE, "interp: fp and xp are not of the same length.");
}

// Interpolates real and imaginary parts by themselves, as NumPy does, so that a NaN in one does not reach the other. At
// a NaN the imaginary part is 0.
Value complex_interpolated(const Points &p, const Outside &outside, const Value &places) {
  const auto part_of = [&](gpuopt_op op, bool imaginary) {
    gpuopt_scalar ends[2];
    const gpuopt_scalar *given[] = {outside.left, outside.right};
    for (int k = 0; k < 2; ++k) {
      if (!given[k]) continue;
      ends[k] = *given[k];
      if (imaginary) ends[k] = gpuopt_scalar_real(ends[k].kind == 'c' ? ends[k].imag : 0);
      if (!imaginary && ends[k].kind == 'c') ends[k] = gpuopt_scalar_real(ends[k].value.f);
      given[k] = &ends[k];
    }
    return interpolated({p.x, p.xp, apply_op(op, p.fp)}, {given[0], given[1], imaginary ? 0 : std::nan("")}, places);
  };
  return from_components(part_of(GPUOPT_OP_real, false), part_of(GPUOPT_OP_imag, true));
}

ArrayRef interp(gpuopt_array x, gpuopt_array xp, gpuopt_array fp, const Outside &given, const double *period) {
  check_operands(x, xp, fp);
  if (period && (*period == 0 || !std::isfinite(*period)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "interp: period must be a non-zero value, and finite");
  const bool is_complex = dtype_kind(fp->dtype) == 'c';
  check_outside(given.left, is_complex);
  check_outside(given.right, is_complex);
  const Dims shape(x->shape, x->shape + x->ndim);
  const Value flat = raveled(in_dtype(x, GPUOPT_FLOAT64).get());
  Points points{flat, cast(xp, GPUOPT_FLOAT64), cast(fp, is_complex ? GPUOPT_COMPLEX128 : GPUOPT_FLOAT64)};
  if (period) points = periodic(points, *period);
  const Outside outside = period ? Outside{nullptr, nullptr} : given;
  const Value places = places_in(points.xp.get(), points.x.get(), true, "interp");
  const Value y = is_complex ? complex_interpolated(points, outside, places) : interpolated(points, outside, places);
  return reshaped(y.get(), shape);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_interp(gpuopt_array x, gpuopt_array xp, gpuopt_array fp, const gpuopt_scalar *left,
                                       const gpuopt_scalar *right, const double *period, gpuopt_array *result,
                                       gpuopt_error *error) {
  return giving(result, error, [&] { return interp(x, xp, fp, {left, right}, period); });
}
