// core/ops/products.cpp -- gpuopt_dot, vecdot, tensordot, outer, cross, kron and trace, composed of other operations.
#include <algorithm>
#include <numeric>

#include "core/array/view.h"
#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/join.h"
#include "core/ops/matmul.h"

namespace gpuopt {
namespace {

// The axes of one operand over which tensordot sums, in the order given, and the other axes, with their sizes.
struct AxisSplit {
  Dims summed, kept;
  int64_t summed_size = 1, kept_size = 1;
  Dims kept_shape;
};

AxisSplit split_axes(const gpuopt_array_s &x, const Dims &axes, const char *what) {
  AxisSplit s;
  axis_mask(static_cast<int>(axes.size()), axes.data(), x.ndim,
            what);  // refuses an axis that is out of range or named twice
  for (int64_t axis : axes) {
    s.summed.push_back(checked_axis(axis, x.ndim, what));
    s.summed_size *= x.shape[s.summed.back()];
  }
  for (int64_t k = 0; k < x.ndim; ++k) {
    if (std::find(s.summed.begin(), s.summed.end(), k) != s.summed.end()) continue;
    s.kept.push_back(k);
    s.kept_shape.push_back(x.shape[k]);
    s.kept_size *= x.shape[k];
  }
  return s;
}

// Returns x as a matrix: the axes `rows` are joined into its first axis and the axes `columns` into its second.
ArrayRef unfold(gpuopt_array x, const Dims &rows, const Dims &columns, int64_t row_count, int64_t column_count) {
  Dims order = rows;
  order.insert(order.end(), columns.begin(), columns.end());
  evaluate(x);
  return reshaped(permuted_view(x, order.data()).get(), {row_count, column_count});
}

// Sums over axes1[k] of x1 and axes2[k] of x2, for all k, as a product of two matrices.
ArrayRef tensordot(gpuopt_array x1, gpuopt_array x2, const Dims &axes1, const Dims &axes2, const char *what) {
  check_same_device(what, {x1, x2});
  const AxisSplit s1 = split_axes(*x1, axes1, what), s2 = split_axes(*x2, axes2, what);
  for (size_t k = 0; k < axes1.size(); ++k)
    if (x1->shape[s1.summed[k]] != x2->shape[s2.summed[k]])
      fail(GPUOPT_ERR_SHAPE, "%s: shapes %s and %s not aligned: %lld (dim %lld) != %lld (dim %lld)", what,
           shape_text(x1->ndim, x1->shape).c_str(), shape_text(x2->ndim, x2->shape).c_str(),
           static_cast<long long>(x1->shape[s1.summed[k]]), static_cast<long long>(s1.summed[k]),
           static_cast<long long>(x2->shape[s2.summed[k]]), static_cast<long long>(s2.summed[k]));
  const ArrayRef a = unfold(x1, s1.kept, s1.summed, s1.kept_size, s1.summed_size);
  const ArrayRef b = unfold(x2, s2.summed, s2.kept, s2.summed_size, s2.kept_size);
  Dims shape = s1.kept_shape;
  shape.insert(shape.end(), s2.kept_shape.begin(), s2.kept_shape.end());
  checked_size(static_cast<int>(shape.size()), shape.data(), 1);
  return reshaped(matmul(a.get(), b.get(), what).get(), shape);
}

ArrayRef tensordot_call(gpuopt_array x1, gpuopt_array x2, int count, const int64_t *axes1, const int64_t *axes2) {
  deref_strong(x1, "tensordot");
  deref_strong(x2, "tensordot");
  if (count < 0 || !axes1 != !axes2)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "tensordot: count is %d, or only one list of axes is given", count);
  if (count > x1->ndim || count > x2->ndim)  // checked before `count` axes are read from the lists
    fail(GPUOPT_ERR_SHAPE, "tensordot: %d axes of arrays of shapes %s and %s", count,
         shape_text(x1->ndim, x1->shape).c_str(), shape_text(x2->ndim, x2->shape).c_str());
  if (axes1) return tensordot(x1, x2, Dims(axes1, axes1 + count), Dims(axes2, axes2 + count), "tensordot");
  Dims last(static_cast<size_t>(count)), first(static_cast<size_t>(count));
  std::iota(last.begin(), last.end(), x1->ndim - count);
  std::iota(first.begin(), first.end(), 0);
  return tensordot(x1, x2, last, first, "tensordot");
}

ArrayRef dot(gpuopt_array x1, gpuopt_array x2) {
  if (!x1->ndim || !x2->ndim) return record_op(GPUOPT_OP_multiply, {x1, x2});
  if (x1->ndim <= 2 && x2->ndim <= 2) return matmul(x1, x2, "dot");
  return tensordot(x1, x2, {-1}, {x2->ndim == 1 ? -1 : -2}, "dot");
}

// Returns the axis of vecdot as an axis of the broadcast operands. Throws ERR_SHAPE unless both operands have it, with
// the same size.
int common_axis(const gpuopt_array_s &x1, const gpuopt_array_s &x2, int64_t axis) {
  const int ndim = std::max(x1.ndim, x2.ndim), front = checked_axis(axis, ndim, "vecdot"), back = ndim - front;
  if (back > x1.ndim || back > x2.ndim || x1.shape[x1.ndim - back] != x2.shape[x2.ndim - back])
    fail(GPUOPT_ERR_SHAPE, "vecdot: shapes %s and %s differ along axis %lld", shape_text(x1.ndim, x1.shape).c_str(),
         shape_text(x2.ndim, x2.shape).c_str(), static_cast<long long>(axis));
  return front;
}

ArrayRef vecdot(gpuopt_array x1, gpuopt_array x2, int64_t axis) {
  check_same_device("vecdot", {x1, x2});
  const uint64_t mask = uint64_t{1} << common_axis(*x1, *x2, axis);
  const bool conjugates = dtype_kind(x1->dtype) == 'c';
  const ArrayRef left = conjugates ? record_op(GPUOPT_OP_conj, {x1}) : ArrayRef::share(x1);
  return record_summed_products(left.get(), x2, mask);
}

ArrayRef outer(gpuopt_array x1, gpuopt_array x2) {
  const ArrayRef rows = x1->weak ? ArrayRef::share(x1) : reshaped(x1, {x1->size, 1});
  const ArrayRef columns = x2->weak ? ArrayRef::share(x2) : reshaped(x2, {1, x2->size});
  return record_op(GPUOPT_OP_multiply, {rows.get(), columns.get()});
}

// Returns the three parts of x along an axis, which they do not have.
std::vector<Value> components(gpuopt_array x, int64_t axis) {
  const int at = checked_axis(axis, x->ndim, "cross");
  if (x->shape[at] != 3)
    fail(GPUOPT_ERR_SHAPE,
         "cross: both input arrays must be arrays of 3-dimensional vectors, but they have the shape %s",
         shape_text(x->ndim, x->shape).c_str());
  std::vector<Value> parts;
  const int64_t squeezed = at;
  for (int64_t i = 0; i < 3; ++i) parts.push_back(squeezed_view(part_view(x, at, i, 1).get(), 1, &squeezed));
  return parts;
}

ArrayRef cross(gpuopt_array x1, gpuopt_array x2, int64_t axis) {
  deref_strong(x1, "cross");
  deref_strong(x2, "cross");
  check_same_device("cross", {x1, x2});
  const std::vector<Value> a = components(x1, axis), b = components(x2, axis);
  std::vector<ArrayRef> parts;
  std::vector<gpuopt_array> raw;
  const int ndim = std::max(x1->ndim, x2->ndim), at = checked_axis(axis, ndim, "cross");
  const int64_t added = at;
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(expanded_view((a[j] * b[k] - a[k] * b[j]).get(), added));
    raw.push_back(parts.back().get());
  }
  return joined(raw, at, parts[0]->dtype, "cross");
}

// Returns x with `ndim` dimensions, of which each stands beside one of size 1: in front of it if `behind`.
ArrayRef interleaved(gpuopt_array x, int ndim, bool behind) {
  Dims shape;
  for (int i = 0; i < ndim; ++i) {
    const int own = i - (ndim - x->ndim);
    const int64_t size = own < 0 ? 1 : x->shape[own];
    shape.insert(shape.end(), {behind ? 1 : size, behind ? size : 1});
  }
  return reshaped(x, shape);
}

ArrayRef kron(gpuopt_array x1, gpuopt_array x2) {
  deref_strong(x1, "kron");
  deref_strong(x2, "kron");
  const int ndim = std::max(x1->ndim, x2->ndim);
  if (2 * ndim > GPUOPT_MAX_NDIM) fail(GPUOPT_ERR_SHAPE, "kron: %d dimensions are too many", ndim);
  const Value product = Value(interleaved(x1, ndim, false)) * Value(interleaved(x2, ndim, true));
  Dims shape;
  for (int i = 0; i < 2 * ndim; i += 2) shape.push_back(product.get()->shape[i] * product.get()->shape[i + 1]);
  return reshaped(product.get(), shape);
}

ArrayRef trace(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2, gpuopt_dtype dtype) {
  deref_strong(x, "trace");
  const ArrayRef diagonal = diagonal_view(x, offset, axis1, axis2);
  return record_reduction(GPUOPT_REDUCTION_sum, diagonal.get(), uint64_t{1} << (diagonal->ndim - 1), false,
                          dtype_or(dtype, 0, "trace"));
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_dot(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return dot(&deref(x1, "dot"), &deref(x2, "dot")); });
}

gpuopt_status gpuopt_vecdot(gpuopt_array x1, gpuopt_array x2, int64_t axis, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return vecdot(&deref(x1, "vecdot"), &deref(x2, "vecdot"), axis); });
}

gpuopt_status gpuopt_tensordot(gpuopt_array x1, gpuopt_array x2, int32_t count, const int64_t *axes1,
                               const int64_t *axes2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return tensordot_call(x1, x2, count, axes1, axes2); });
}

gpuopt_status gpuopt_outer(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return outer(&deref(x1, "outer"), &deref(x2, "outer")); });
}

gpuopt_status gpuopt_cross(gpuopt_array x1, gpuopt_array x2, int64_t axis, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return cross(x1, x2, axis); });
}

gpuopt_status gpuopt_kron(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return kron(x1, x2); });
}

gpuopt_status gpuopt_trace(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2, gpuopt_dtype dtype,
                           gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return trace(x, offset, axis1, axis2, dtype); });
}

}  // extern "C"
