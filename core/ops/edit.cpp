// core/ops/edit.cpp -- delete, insert and repeat_each, whose indices or counts the host reads.
#include <algorithm>
#include <numeric>

#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/ops/join.h"
#include "core/ops/select.h"

namespace gpuopt {
namespace {

Dims read(gpuopt_array int64s) {
  Dims values(int64s->size);
  if (int64s->size) copy_to_host(int64s, values.data());
  return values;
}

bool is_mask(const gpuopt_array_s &x) { return x.dtype == GPUOPT_BOOL; }

// Returns the places of the true elements of a mask of one dimension.
Dims places(gpuopt_array mask) {
  const Dims flags = read(in_dtype(mask, GPUOPT_INT64).get());
  Dims list;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) list.push_back(static_cast<int64_t>(i));
  }
  return list;
}

// Returns the integers, those below 0 counted from the end. `size` is that of the axis, `last` the greatest index.
Dims checked_indices(gpuopt_array indices, int64_t size, int64_t last, int axis, const char *what) {
  Dims list = read(int64_indices(what, indices).get());
  for (int64_t &index : list) {
    if (index < -size || index > last) {
      fail(GPUOPT_ERR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", what,
           static_cast<long long>(index), axis, static_cast<long long>(size));
    }
    if (index < 0) index += size;
  }
  return list;
}

// ---- delete

// Returns x without one index: the parts before and behind it, joined.
ArrayRef without(gpuopt_array x, int axis, int64_t index) {
  const ArrayRef before = part_view(x, axis, 0, index);
  const ArrayRef behind = part_view(x, axis, index + 1, x->shape[axis] - index - 1);
  const gpuopt_array parts[] = {before.get(), behind.get()};
  return joined(parts, axis, x->dtype, "delete");
}

Dims deleted_indices(gpuopt_array indices, int64_t size, int axis) {
  if (!is_mask(*indices)) return checked_indices(indices, size, size - 1, axis, "delete");
  if (indices->ndim != 1 || indices->size != size) {
    fail(GPUOPT_ERR_SHAPE, "delete: a mask must be one dimensional and match the axis length of %lld, not of shape %s",
         static_cast<long long>(size), shape_text(indices->ndim, indices->shape).c_str());
  }
  return places(indices);
}

ArrayRef delete_from(gpuopt_array given, gpuopt_array indices, const int64_t *given_axis) {
  check_same_device("delete", {given, indices});
  int axis = 0;
  const ArrayRef x = along(given, given_axis, axis, "delete");
  const int64_t size = x->shape[axis];
  const Dims list = deleted_indices(indices, size, axis);
  if (list.size() == 1) return without(x.get(), axis, list[0]);
  std::vector<bool> kept(size, true);
  for (int64_t index : list) kept[index] = false;
  Dims left;
  for (int64_t i = 0; i < size; ++i) {
    if (kept[i]) left.push_back(i);
  }
  return take(x.get(), left, axis);
}

// ---- insert

// Returns a view of the values with at least x's number of dimensions; new axes come first.
ArrayRef with_dimensions(gpuopt_array values, int ndim) {
  ArrayRef view = ArrayRef::share(values);
  while (view->ndim < ndim) view = expanded_view(view.get(), 0);
  return view;
}

// Inserts all values before one index. Their size along the axis says how many slices are new.
ArrayRef insert_at(gpuopt_array x, int axis, int64_t index, gpuopt_array given, bool first_axis_along) {
  ArrayRef values = with_dimensions(given, x->ndim);
  if (first_axis_along) {
    const int64_t from = 0, to = axis;
    values = moved_axes(values.get(), 1, &from, &to);
  }
  const int64_t size = x->shape[axis], count = values->shape[axis];
  Dims shape(x->shape, x->shape + x->ndim);
  shape[axis] = size + count;
  ArrayRef result = unwritten(x->stream.get(), x->dtype, shape);
  const ArrayRef gap = part_view(result.get(), axis, index, count);
  record_part(part_view(result.get(), axis, 0, index).get(), part_view(x, axis, 0, index).get());
  record_assign(gap.get(), values.get());
  record_part(part_view(result.get(), axis, index + count, size - index).get(),
              part_view(x, axis, index, size - index).get());
  return result;
}

// Where the new slices stand in the result, and where those of x do. New ones of the same index keep their order.
struct Places {
  Dims inserted, old;
};

Places places_in_result(const Dims &indices, int64_t size) {
  std::vector<size_t> order(indices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return indices[a] < indices[b]; });
  Places places{Dims(indices.size()), {}};
  std::vector<bool> is_new(size + indices.size(), false);
  for (size_t k = 0; k < order.size(); ++k) {
    const int64_t place = indices[order[k]] + static_cast<int64_t>(k);
    places.inserted[order[k]] = place;
    is_new[place] = true;
  }
  for (size_t i = 0; i < is_new.size(); ++i) {
    if (!is_new[i]) places.old.push_back(static_cast<int64_t>(i));
  }
  return places;
}

// Inserts one slice of the values before each index.
ArrayRef insert_each(gpuopt_array x, int axis, const Dims &indices, gpuopt_array values) {
  const Places places = places_in_result(indices, x->shape[axis]);
  Dims shape(x->shape, x->shape + x->ndim);
  shape[axis] = static_cast<int64_t>(indices.size());
  // The new slices and then x, in one array, from which each slice of the result is taken.
  const ArrayRef fillings = unwritten(x->stream.get(), x->dtype, shape);
  record_assign(fillings.get(), values);
  const gpuopt_array parts[] = {fillings.get(), x};
  const ArrayRef all = joined(parts, axis, x->dtype, "insert");
  Dims from(places.inserted.size() + places.old.size());
  for (size_t i = 0; i < places.inserted.size(); ++i) from[places.inserted[i]] = static_cast<int64_t>(i);
  for (size_t i = 0; i < places.old.size(); ++i) from[places.old[i]] = static_cast<int64_t>(places.inserted.size() + i);
  return take(all.get(), from, axis);
}

ArrayRef insert(gpuopt_array given, gpuopt_array indices, gpuopt_array given_values, const int64_t *given_axis) {
  check_same_device("insert", {given, indices});
  if (!deref(given_values, "insert").weak) check_same_device("insert", {given, given_values});
  int axis = 0;
  const ArrayRef x = along(given, given_axis, axis, "insert");
  if (indices->ndim > 1) {
    fail(GPUOPT_ERR_SHAPE, "insert: the indices must be one dimensional or a scalar, not of shape %s",
         shape_text(indices->ndim, indices->shape).c_str());
  }
  if (is_mask(*indices) && indices->ndim != 1) fail(GPUOPT_ERR_SHAPE, "insert: a mask must be one dimensional");
  const int64_t size = x->shape[axis];
  if (is_mask(*indices) && indices->size > size + 1) {
    fail(GPUOPT_ERR_INDEX, "insert: a mask of %lld elements for axis %d with size %lld",
         static_cast<long long>(indices->size), axis, static_cast<long long>(size));
  }
  const Dims list = is_mask(*indices) ? places(indices) : checked_indices(indices, size, size, axis, "insert");
  ArrayRef values = ArrayRef::share(given_values);
  if (values->weak) {
    values = unwritten(x->stream.get(), x->dtype, {});
    record_assign(values.get(), given_values);
  }
  if (list.size() == 1) return insert_at(x.get(), axis, list[0], values.get(), indices->ndim == 0);
  return insert_each(x.get(), axis, list, values.get());
}

// ---- repeat_each

Dims read_counts(gpuopt_array counts) {
  if (counts->ndim > 1) fail(GPUOPT_ERR_SHAPE, "repeat_each: the counts have %d dimensions, not one", counts->ndim);
  const char kind = dtype_kind(counts->dtype);
  if ((kind != '?' && kind != 'i' && kind != 'u') || counts->dtype == GPUOPT_UINT64) {
    fail(GPUOPT_ERR_TYPE, "repeat_each: cannot cast counts from %s to int64 safely", dtype_name(counts->dtype));
  }
  const Dims list = read(in_dtype(counts, GPUOPT_INT64).get());
  if (std::ranges::any_of(list, [](int64_t count) { return count < 0; })) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "repeat_each: repeats may not contain negative values");
  }
  return list;
}

ArrayRef repeat_each(gpuopt_array given, gpuopt_array counts, const int64_t *given_axis) {
  check_same_device("repeat_each", {given, counts});
  int axis = 0;
  const ArrayRef x = along_at_least_one(given, given_axis, axis, "repeat_each");
  Dims list = read_counts(counts);
  const int64_t size = x->shape[axis];
  if (list.size() == 1) list.assign(size, list[0]);
  if (static_cast<int64_t>(list.size()) != size) {
    fail(GPUOPT_ERR_SHAPE, "repeat_each: operands could not be broadcast together with shape (%lld,) (%zu,)",
         static_cast<long long>(size), list.size());
  }
  int64_t total = 0;
  for (int64_t count : list) {
    if (__builtin_add_overflow(total, count, &total)) fail(GPUOPT_ERR_OUT_OF_MEMORY, "repeat_each: too many elements");
  }
  Dims shape(x->shape, x->shape + x->ndim);
  shape[axis] = total;
  checked_size(x->ndim, shape.data(), std::max(dtype_size(x->dtype), 8));
  Dims from;
  for (int64_t i = 0; i < size; ++i) from.insert(from.end(), list[i], i);
  return take(x.get(), from, axis);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_delete(gpuopt_array x, gpuopt_array indices, const int64_t *axis, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return delete_from(&deref(x, "delete"), &deref(indices, "delete"), axis); });
}

gpuopt_status gpuopt_insert(gpuopt_array x, gpuopt_array indices, gpuopt_array values, const int64_t *axis,
                            gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return insert(&deref(x, "insert"), &deref(indices, "insert"), values, axis); });
}

gpuopt_status gpuopt_repeat_each(gpuopt_array x, gpuopt_array counts, const int64_t *axis, gpuopt_array *result,
                                 gpuopt_error *error) {
  return giving(result, error,
                [&] { return repeat_each(&deref(x, "repeat_each"), &deref(counts, "repeat_each"), axis); });
}

}  // extern "C"
