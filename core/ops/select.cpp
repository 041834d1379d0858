// core/ops/select.cpp -- gpuopt_mask_select, mask_assign, take, put and argwhere; see select.h.
#include "core/ops/select.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/engine/library_call.h"
#include "core/engine/node.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

std::string shape_of(const gpuopt_array_s &x) { return shape_text(x.ndim, x.shape); }

// Throws unless the mask is bool and its shape is a prefix of x's.
void check_mask(const char *what, const gpuopt_array_s &x, const gpuopt_array_s &mask) {
  if (mask.dtype != GPUOPT_BOOL)
    fail(GPUOPT_ERR_TYPE, "%s: the mask has dtype %s, not bool", what, dtype_name(mask.dtype));
  if (mask.ndim > x.ndim)
    fail(GPUOPT_ERR_INDEX, "%s: too many indices for array: array is %d-dimensional, but the mask is %d-dimensional",
         what, x.ndim, mask.ndim);
  for (int k = 0; k < mask.ndim; ++k)
    if (mask.shape[k] != x.shape[k])
      fail(GPUOPT_ERR_INDEX,
           "%s: boolean index did not match indexed array along axis %d; size of axis is %lld but size of "
           "corresponding boolean axis "
           "is %lld",
           what, k, static_cast<long long>(x.shape[k]), static_cast<long long>(mask.shape[k]));
}

void check_writable(const char *what, const gpuopt_array_s &x) {
  if (x.read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: the array of shape %s is read-only", what, shape_of(x).c_str());
}

// Returns how many elements of the mask are true. Waits for the device.
int64_t mask_count(const char *what, gpuopt_array mask) {
  if (!mask->size) return 0;
  LibraryCall call(GPUOPT_CALL_MASK_COUNT, mask->stream.get());
  call.input(mask).integer(0).run(what, &gpuopt_plugin_api::gather);
  const int64_t count = call.integer_at(0);
  if (count < 0 || count > mask->size)
    fail(GPUOPT_ERR_INTERNAL, "%s: the plugin counts %lld true elements in a mask of %lld", what,
         static_cast<long long>(count), static_cast<long long>(mask->size));
  return count;
}

// Returns the shape of x[mask]: `count`, followed by the sizes of those axes of x that come after the mask's.
Dims selected_shape(int64_t count, const gpuopt_array_s &x, const gpuopt_array_s &mask) {
  Dims shape{count};
  shape.insert(shape.end(), x.shape + mask.ndim, x.shape + x.ndim);
  return shape;
}

}  // namespace

ArrayRef mask_select(gpuopt_array x, gpuopt_array mask) {
  check_same_device("mask_select", {x, mask});
  check_mask("mask_select", *x, *mask);
  const Dims shape = selected_shape(mask_count("mask_select", mask), *x, *mask);
  ArrayRef out = make_array(x->stream.get(), x->dtype, static_cast<int>(shape.size()), shape.data());
  if (!out->size) return out;
  LibraryCall call(GPUOPT_CALL_MASK_SELECT, x->stream.get());
  call.input(x).input(mask).output(out.get()).run("mask_select", &gpuopt_plugin_api::gather);
  return out;
}

ArrayRef scalar_array(gpuopt_stream stream, gpuopt_dtype dtype, const gpuopt_scalar &value) {
  alignas(16) unsigned char element[16];
  store_weak(value, dtype, element);
  return record_constant(stream, dtype, 0, nullptr, element);
}

namespace {

// x[mask] = value for a single value. This is recorded, so that it can be part of a larger program.
void assign_everywhere(gpuopt_array x, gpuopt_array mask, gpuopt_array value) {
  ArrayRef wide = ArrayRef::share(mask);
  while (wide->ndim < x->ndim && mask->ndim) wide = expanded_view(wide.get(), -1);
  const ArrayRef typed =
      value->weak ? scalar_array(x->stream.get(), x->dtype, value->scalar) : in_dtype(value, x->dtype);
  const gpuopt_array inputs[] = {wide.get(), typed.get(), x};
  record_op(GPUOPT_OP_where, inputs, x);
}

// Whether two arrays may share memory: they do if they have one storage, and may if both storages are external or
// exported.
bool may_overlap(gpuopt_array a, gpuopt_array b) {
  if (a->storage.get() == b->storage.get()) return true;
  return a->storage->is_volatile() && b->storage->is_volatile();
}

}  // namespace

ArrayRef apart_from(gpuopt_array x, ArrayRef a) {
  return may_overlap(a.get(), x) ? record_copy(a.get()) : std::move(a);
}

namespace {

// Returns `values` cast to x's dtype, broadcast to `shape`, and evaluated, in memory that is not shared with x.
ArrayRef values_for(const char *what, gpuopt_array values, gpuopt_array x, const Dims &shape) {
  const ArrayRef typed = values->weak ? scalar_array(x->stream.get(), x->dtype, values->scalar)
                                      : apart_from(x, in_dtype(values, x->dtype));
  evaluate(typed.get());
  try {
    return broadcast_view(typed.get(), shape, what);
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_SHAPE) throw;
    fail(GPUOPT_ERR_SHAPE,
         "%s: shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s", what,
         shape_of(*values).c_str(), shape_text(static_cast<int>(shape.size()), shape.data()).c_str());
  }
}

void mask_assign(gpuopt_array x, gpuopt_array mask, gpuopt_array value) {
  check_same_device("mask_assign", {x, mask});
  check_mask("mask_assign", *x, *mask);
  check_writable("mask_assign", *x);
  if (value->weak || value->ndim == 0) return assign_everywhere(x, mask, value);
  check_same_device("mask_assign", {x, value});
  const Dims shape = selected_shape(mask_count("mask_assign", mask), *x, *mask);
  const ArrayRef values = values_for("mask_assign", value, x, shape);
  if (!values->size) return;
  const ArrayRef places = apart_from(x, ArrayRef::share(mask));
  LibraryCall call(GPUOPT_CALL_MASK_ASSIGN, x->stream.get());
  call.input(places.get()).input(values.get()).output(x).run("mask_assign", &gpuopt_plugin_api::scatter);
}

}  // namespace

ArrayRef int64_indices(const char *what, gpuopt_array indices) {
  const char kind = dtype_kind(indices->dtype);
  if (kind != 'i' && kind != 'u')
    fail(GPUOPT_ERR_TYPE, "%s: the indices have dtype %s, not an integer one", what, dtype_name(indices->dtype));
  if (indices->dtype != GPUOPT_UINT64) return in_dtype(indices, GPUOPT_INT64);
  const ArrayRef largest = make_weak(gpuopt_scalar_uint(std::numeric_limits<int64_t>::max()));
  const gpuopt_array inputs[] = {indices, largest.get()};
  return record_cast(record_op(GPUOPT_OP_minimum, inputs).get(), GPUOPT_INT64);
}

void check_indices(const char *what, gpuopt_array indices, int axis, int64_t size) {
  if (!indices->size) return;
  Dims values(static_cast<size_t>(indices->size));
  copy_to_host(contiguous(indices).get(), values.data());
  for (const int64_t value : values) {
    if (value >= -size && value < size) continue;
    fail(GPUOPT_ERR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", what,
         static_cast<long long>(value), axis, static_cast<long long>(size));
  }
}

namespace {

// Returns the shape of x with `axis` replaced by the shape of the indices.
Dims taken_shape(const gpuopt_array_s &x, int axis, const gpuopt_array_s &indices) {
  Dims shape(x.shape, x.shape + axis);
  shape.insert(shape.end(), indices.shape, indices.shape + indices.ndim);
  shape.insert(shape.end(), x.shape + axis + 1, x.shape + x.ndim);
  checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(x.dtype));
  return shape;
}

// Throws ERR_INDEX if there are `count` elements to find along an axis that has none.
void check_has_elements(const char *what, const gpuopt_array_s &x, int axis, int64_t count) {
  if (x.shape[axis] == 0 && count) fail(GPUOPT_ERR_INDEX, "%s: no index is in range for an axis of size 0", what);
}

// Checks the int64 indices of a call that reads or writes no element of x. As NumPy, it looks at none of them if an
// axis before the indexed one is empty.
void check_unused(const char *what, const gpuopt_array_s &x, int axis, gpuopt_array indices) {
  if (!std::count(x.shape, x.shape + axis, 0)) check_indices(what, indices, axis, x.shape[axis]);
}

}  // namespace

ArrayRef take(gpuopt_array x, gpuopt_array indices, int64_t given_axis) {
  check_same_device("take", {x, indices});
  const int axis = checked_axis(given_axis, x->ndim, "take");
  const Dims shape = taken_shape(*x, axis, *indices);
  const ArrayRef at = int64_indices("take", indices);
  ArrayRef out = make_array(x->stream.get(), x->dtype, static_cast<int>(shape.size()), shape.data());
  if (!out->size) {
    check_unused("take", *x, axis, at.get());
    return out;
  }
  check_has_elements("take", *x, axis, out->size);
  LibraryCall call(GPUOPT_CALL_TAKE, x->stream.get());
  call.input(x).input(at.get()).output(out.get()).integer(axis).run("take", &gpuopt_plugin_api::gather);
  return out;
}

ArrayRef take(gpuopt_array x, const Dims &indices, int64_t axis) {
  const int64_t count = static_cast<int64_t>(indices.size());
  const ArrayRef list = make_array(x->stream.get(), GPUOPT_INT64, 1, &count);
  if (count) copy_from_host(list.get(), indices.data());
  return take(x, list.get(), axis);
}

void put(gpuopt_array x, gpuopt_array indices, int64_t given_axis, gpuopt_array value) {
  check_same_device("put", {x, indices});
  if (!value->weak) check_same_device("put", {x, value});
  const int axis = checked_axis(given_axis, x->ndim, "put");
  check_writable("put", *x);
  check_has_elements("put", *x, axis, indices->size);
  const Dims shape = taken_shape(*x, axis, *indices);
  const ArrayRef at = apart_from(x, int64_indices("put", indices)), values = values_for("put", value, x, shape);
  if (!values->size) return check_unused("put", *x, axis, at.get());
  LibraryCall call(GPUOPT_CALL_PUT, x->stream.get());
  call.input(at.get()).input(values.get()).output(x).integer(axis).run("put", &gpuopt_plugin_api::scatter);
}

void accumulate(gpuopt_op op, gpuopt_array x, gpuopt_array indices, gpuopt_array value) {
  check_writable("apply_at", *x);
  check_has_elements("apply_at", *x, 0, indices->size);
  const Dims shape = taken_shape(*x, 0, *indices);
  const ArrayRef at = apart_from(x, int64_indices("apply_at", indices));
  const ArrayRef values = values_for("apply_at", value, x, shape);
  if (!values->size) return;
  LibraryCall call(GPUOPT_CALL_ACCUMULATE, x->stream.get());
  call.input(at.get()).input(values.get()).output(x).integer(0).integer(op);
  call.run("apply_at", &gpuopt_plugin_api::scatter);
}

ArrayRef argwhere(gpuopt_array x) {
  deref_strong(x, "argwhere");
  const ArrayRef mask = in_dtype(x, GPUOPT_BOOL);
  const int64_t shape[] = {mask_count("argwhere", mask.get()), x->ndim};
  ArrayRef out = make_array(x->stream.get(), GPUOPT_INT64, 2, shape);
  if (!out->size) return out;
  LibraryCall call(GPUOPT_CALL_NONZERO, x->stream.get());
  call.input(mask.get()).output(out.get()).run("argwhere", &gpuopt_plugin_api::gather);
  return out;
}

ArrayRef true_places(gpuopt_array mask) { return raveled(argwhere(mask).get()); }

void put_at(gpuopt_array x, gpuopt_array indices, gpuopt_array values, const char *what) {
  if (!indices->size) return;
  LibraryCall call(GPUOPT_CALL_PUT, x->stream.get());
  call.input(indices).input(values).output(x).integer(0).run(what, &gpuopt_plugin_api::scatter);
}

namespace {

// Returns the columns of argwhere().
std::vector<ArrayRef> nonzero(gpuopt_array x) {
  if (!deref_strong(x, "nonzero").ndim) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "nonzero: Calling nonzero on 0d arrays is not allowed. Use atleast_1d(scalar).nonzero() instead.");
  }
  const ArrayRef rows = argwhere(x);
  std::vector<ArrayRef> columns;
  const int64_t squeezed = 1;
  for (int axis = 0; axis < x->ndim; ++axis) {
    columns.push_back(record_copy(squeezed_view(part_view(rows.get(), 1, axis, 1).get(), 1, &squeezed).get()));
  }
  return columns;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_mask_select(gpuopt_array x, gpuopt_array mask, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return mask_select(&deref(x, "mask_select"), &deref(mask, "mask_select")); });
}

gpuopt_status gpuopt_mask_assign(gpuopt_array x, gpuopt_array mask, gpuopt_array value, gpuopt_error *error) {
  return guarded(
      error, [&] { mask_assign(&deref(x, "mask_assign"), &deref(mask, "mask_assign"), &deref(value, "mask_assign")); });
}

gpuopt_status gpuopt_take(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array *result,
                          gpuopt_error *error) {
  return giving(result, error, [&] { return take(&deref(x, "take"), &deref(indices, "take"), axis); });
}

gpuopt_status gpuopt_put(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array values, gpuopt_error *error) {
  return guarded(error, [&] { put(&deref(x, "put"), &deref(indices, "put"), axis, &deref(values, "put")); });
}

gpuopt_status gpuopt_nonzero(gpuopt_array x, gpuopt_array *results, gpuopt_error *error) {
  const int ndim = x ? gpuopt_array_ndim(x) : 0;
  if (results) std::fill_n(results, ndim, nullptr);
  return guarded(error, [&] {
    if (!results && ndim) fail(GPUOPT_ERR_INVALID_ARGUMENT, "nonzero: results is NULL");
    for (ArrayRef &column : nonzero(x)) *results++ = column.leave();
  });
}

gpuopt_status gpuopt_argwhere(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return argwhere(&deref(x, "argwhere")); });
}

}  // extern "C"
