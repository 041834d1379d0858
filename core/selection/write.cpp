// core/selection/write.cpp -- gpuopt_copyto, putmask, place, fill_diagonal and put_along_axis.
#include <algorithm>

#include "core/selection/call.h"

namespace gpuopt {
namespace {

void check_can_write(const gpuopt_array_s &x, const char *what) {
  if (x.read_only)
    fail(GPUOPT_ERR_READ_ONLY, "%s: the array of shape %s is read-only", what, shape_text(x.ndim, x.shape).c_str());
}

// Records x = value where the mask is true; both are broadcast to x's shape, and the value has x's dtype.
void write_where(gpuopt_array x, const ArrayRef &mask, const ArrayRef &value, const char *what) {
  const ArrayRef wide_mask = broadcast_view(apart_from(x, mask).get(), x->sizes(), what);
  const ArrayRef wide = broadcast_view(apart_from(x, value).get(), x->sizes(), what);
  const gpuopt_array inputs[] = {wide_mask.get(), wide.get(), x};
  record_op(GPUOPT_OP_where, inputs, x, what);
}

void copyto(gpuopt_array x, gpuopt_array value, gpuopt_array mask) {
  check_can_write(deref_strong(x, "copyto"), "copyto");
  check_same_kind(deref(value, "copyto"), x->dtype, "copyto");
  if (!value->weak) check_same_device("copyto", {x, value});
  const ArrayRef typed = in_dtype_on(x->stream.get(), value, x->dtype);
  if (!mask) return record_assign(x, typed.get());
  check_same_device("copyto", {x, &deref_strong(mask, "copyto")});
  if (mask->dtype != GPUOPT_BOOL) {
    fail(GPUOPT_ERR_TYPE,
         "copyto: Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
         dtype_name(mask->dtype));
  }
  write_where(x, ArrayRef::share(mask), typed, "copyto");
}

// Returns the mask as bool in x's shape. Throws ERR_SHAPE unless it has x's size.
ArrayRef mask_like(gpuopt_array x, gpuopt_array mask, const char *what) {
  check_same_device(what, {x, &deref_strong(mask, what)});
  if (mask->size != x->size) fail(GPUOPT_ERR_SHAPE, "%s: mask and data must be the same size", what);
  return reshaped(as_bool(mask).get(), Dims(x->shape, x->shape + x->ndim));
}

// Returns the values in x's dtype.
ArrayRef values_like(gpuopt_array x, gpuopt_array values, const char *what) {
  check_can_write(deref_strong(x, what), what);
  if (!deref(values, what).weak) check_same_device(what, {x, values});
  return in_dtype_on(x->stream.get(), values, x->dtype);
}

void putmask(gpuopt_array x, gpuopt_array given, gpuopt_array values) {
  const ArrayRef typed = values_like(x, values, "putmask"), mask = mask_like(x, given, "putmask");
  if (!typed->size || !x->size) return;
  const Dims shape(x->shape, x->shape + x->ndim);
  const ArrayRef all = typed->size == 1 ? reshaped(typed.get(), {}) : repeated_to(typed.get(), x->size);
  write_where(x, mask, typed->size == 1 ? all : reshaped(all.get(), shape), "putmask");
}

void place(gpuopt_array x, gpuopt_array given, gpuopt_array values) {
  const ArrayRef typed = values_like(x, values, "place"), mask = mask_like(x, given, "place");
  const int64_t count = true_places(raveled(mask.get()).get())->size;
  if (!count) return;
  if (!typed->size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "place: Cannot insert from an empty array!");
  const ArrayRef all = repeated_to(typed.get(), count);
  SlotError error;
  const gpuopt_status status = gpuopt_mask_assign(x, mask.get(), all.get(), &error);
  check_slot(status, error, "place");
}

// ---- Diagonals

// The parts of a diagonal, in order: `full` rows of as many elements as x has columns, and a last row.
struct DiagonalParts {
  int64_t full, length, last;
};

DiagonalParts diagonal_parts(const gpuopt_array_s &x, bool wrap) {
  if (x.ndim < 2) fail(GPUOPT_ERR_SHAPE, "fill_diagonal: array must be at least 2-d");
  const int64_t rows = x.shape[0], columns = x.shape[1];
  if (x.ndim > 2) {
    if (std::any_of(x.shape, x.shape + x.ndim, [&](int64_t size) { return size != rows; }))
      fail(GPUOPT_ERR_SHAPE, "fill_diagonal: All dimensions of input must be of equal length");
    return {0, columns, rows};
  }
  if (!wrap || !columns) return {0, columns, std::min(rows, columns)};
  const int64_t full = rows / (columns + 1);
  return {full, columns, std::min(rows - full * (columns + 1), columns)};
}

// Assigns values[from : from + the part's size] to a part of x that begins at an offset in bytes.
void fill_part(gpuopt_array x, const ArrayRef &values, int64_t from, const Dims &shape, const Dims &strides,
               int64_t offset) {
  int64_t size = 1;
  for (const int64_t length : shape) size *= length;
  if (!size) return;
  const ArrayRef part = restrided(x, shape, strides, x->offset + offset, x->read_only);
  const bool single = values->size == 1;
  const ArrayRef given =
      single ? reshaped(values.get(), {}) : reshaped(part_view(values.get(), 0, from, size).get(), shape);
  record_assign(part.get(), given.get());
}

void fill_diagonal(gpuopt_array x, gpuopt_array given, bool wrap) {
  const ArrayRef typed = values_like(x, given, "fill_diagonal");
  const DiagonalParts parts = diagonal_parts(*x, wrap);
  const int64_t total = parts.full * parts.length + parts.last;
  if (!total || !typed->size) return;
  const ArrayRef values = typed->size == 1 ? record_copy(typed.get()) : repeated_to(typed.get(), total);
  int64_t along_all = 0;
  for (int k = 0; k < x->ndim; ++k) along_all += x->strides[k];
  const int64_t block = (parts.length + 1) * x->strides[0];
  fill_part(x, values, 0, {parts.full, parts.length}, {block, along_all}, 0);
  fill_part(x, values, parts.full * parts.length, {parts.last}, {along_all}, parts.full * block);
}

// ---- Along an axis

void put_along_axis(gpuopt_array x, gpuopt_array indices, gpuopt_array values, int64_t given_axis) {
  check_can_write(deref_strong(x, "put_along_axis"), "put_along_axis");
  check_same_device("put_along_axis", {x, &deref_strong(indices, "put_along_axis")});
  const int axis = checked_axis(given_axis, x->ndim, "put_along_axis");
  if (indices->ndim != x->ndim) {
    fail(GPUOPT_ERR_SHAPE, "put_along_axis: `indices` and `arr` must have the same number of dimensions, not %d and %d",
         indices->ndim, x->ndim);
  }
  std::vector<ArrayRef> places;
  for (int k = 0; k < x->ndim; ++k) {
    Dims shape(static_cast<size_t>(x->ndim), 1);
    shape[static_cast<size_t>(k)] = x->shape[k];
    places.push_back(k == axis ? ArrayRef::share(indices) : reshaped(iota(x->stream.get(), x->shape[k]).get(), shape));
  }
  const std::vector<gpuopt_array> raw = handles(places);
  const std::vector<gpuopt_index> items(raw.size(), {GPUOPT_INDEX_ARRAY, 0, 0, 0, 0});
  SlotError error;
  const gpuopt_status status = gpuopt_set(x, x->ndim, items.data(), x->ndim, raw.data(), values, &error);
  check_slot(status, error, "put_along_axis");
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_copyto(gpuopt_array x, gpuopt_array value, gpuopt_array mask, gpuopt_error *error) {
  return guarded(error, [&] { copyto(x, value, mask); });
}

gpuopt_status gpuopt_putmask(gpuopt_array x, gpuopt_array mask, gpuopt_array values, gpuopt_error *error) {
  return guarded(error, [&] { putmask(x, mask, values); });
}

gpuopt_status gpuopt_place(gpuopt_array x, gpuopt_array mask, gpuopt_array values, gpuopt_error *error) {
  return guarded(error, [&] { place(x, mask, values); });
}

gpuopt_status gpuopt_fill_diagonal(gpuopt_array x, gpuopt_array values, int32_t wrap, gpuopt_error *error) {
  return guarded(error, [&] { fill_diagonal(x, values, wrap != 0); });
}

gpuopt_status gpuopt_put_along_axis(gpuopt_array x, gpuopt_array indices, gpuopt_array values, int64_t axis,
                                    gpuopt_error *error) {
  return guarded(error, [&] { put_along_axis(x, indices, values, axis); });
}

}  // extern "C"
