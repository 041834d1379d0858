// core/sorting/sort.cpp -- gpuopt_sort and its like; see sort.h.
#include "core/sorting/sort.h"

#include "core/engine/library_call.h"
#include "core/engine/transfer.h"
#include "core/ops/create.h"
#include "core/ops/join.h"
#include "core/ops/select.h"

namespace gpuopt {
namespace {

ArrayRef sort_call(int32_t kind, gpuopt_array x, gpuopt_dtype dtype, int axis, bool descending, const char *what) {
  ArrayRef out = make_array(x->stream.get(), dtype, x->ndim, x->shape);
  if (!out->size) return out;
  LibraryCall call(kind, x->stream.get());
  call.input(x).output(out.get()).integer(axis).integer(descending).run(what, &gpuopt_plugin_api::sort);
  return out;
}

// A function of sort.h that sorts.
using Sorter = ArrayRef (*)(gpuopt_array, int, bool, const char *);

ArrayRef sort_along(Sorter sorter, gpuopt_array x, const int64_t *given_axis, bool descending, const char *what) {
  int axis = 0;
  const ArrayRef line = along(&deref_strong(x, what), given_axis, axis, what);
  return sorter(line.get(), axis, descending, what);
}

ArrayRef partition_along(Sorter sorter, gpuopt_array x, int64_t kth, const int64_t *given_axis, const char *what) {
  int axis = 0;
  const ArrayRef line = along(&deref_strong(x, what), given_axis, axis, what);
  const int64_t size = line->shape[axis];
  if (size && (kth < -size || kth >= size)) {
    fail(GPUOPT_ERR_INDEX, "%s: position %lld is out of bounds for axis %d with size %lld", what,
         static_cast<long long>(kth), axis, static_cast<long long>(size));
  }
  return sorter(line.get(), axis, false, what);
}

std::vector<ArrayRef> top_k(gpuopt_array x, int64_t k, int64_t given_axis, bool largest) {
  const int axis = checked_axis(given_axis, deref_strong(x, "top_k").ndim, "top_k");
  if (k < 0 || k > x->shape[axis]) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "top_k: there are no %lld elements along axis %d with size %lld",
         static_cast<long long>(k), axis, static_cast<long long>(x->shape[axis]));
  }
  const ArrayRef order = sort_order(x, axis, largest, "top_k");
  const ArrayRef indices = record_copy(part_view(order.get(), axis, 0, k).get());
  return {taken_along(x, indices.get(), axis), indices};
}

ArrayRef lexsort(int32_t count, const gpuopt_array *keys, int64_t given_axis) {
  if (count < 1 || !keys) fail(GPUOPT_ERR_INVALID_ARGUMENT, "lexsort: need at least one key");
  const gpuopt_array_s &first = deref_strong(keys[0], "lexsort");
  for (int32_t k = 1; k < count; ++k) {
    check_same_device("lexsort", {keys[0], &deref(keys[k], "lexsort")});
    if (!std::ranges::equal(keys[k]->sizes(), first.sizes())) {
      fail(GPUOPT_ERR_SHAPE, "lexsort: all keys need to be the same shape, not %s and %s",
           shape_text(first.ndim, first.shape).c_str(), shape_text(keys[k]->ndim, keys[k]->shape).c_str());
    }
  }
  const int axis = checked_axis(given_axis, first.ndim, "lexsort");
  ArrayRef order = sort_order(keys[0], axis, false, "lexsort");
  for (int32_t k = 1; k < count; ++k) {
    const ArrayRef key = taken_along(keys[k], order.get(), axis);
    order = taken_along(order.get(), sort_order(key.get(), axis, false, "lexsort").get(), axis);
  }
  return order;
}

// ---- take_along_axis

// Returns x broadcast to the shape, in which the size of the axis is x's own.
ArrayRef broadcast_beside(gpuopt_array x, Dims shape, int axis) {
  shape[axis] = x->shape[axis];
  return broadcast_view(x, shape, "take_along_axis");
}

Dims shape_beside(const gpuopt_array_s &x, const gpuopt_array_s &indices, int axis) {
  Dims a(x.shape, x.shape + x.ndim), b(indices.shape, indices.shape + indices.ndim);
  a[axis] = b[axis] = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) {
      fail(GPUOPT_ERR_INDEX,
           "take_along_axis: shape mismatch: indexing arrays could not be broadcast together with shapes %s %s",
           shape_text(x.ndim, x.shape).c_str(), shape_text(indices.ndim, indices.shape).c_str());
    }
    if (a[i] == 1) a[i] = b[i];
  }
  return a;
}

// Returns the indices counted from the start. Throws if one is out of range.
Value checked_along(const Value &indices, int64_t size, int axis) {
  const Value below = apply_op(GPUOPT_OP_less, indices, Value(-size)), above = greater_equal(indices, Value(size));
  if (indices.get()->size && any_of(logical_or(below, above))) {
    fail(GPUOPT_ERR_INDEX, "take_along_axis: an index is out of bounds for axis %d with size %lld", axis,
         static_cast<long long>(size));
  }
  return where(apply_op(GPUOPT_OP_less, indices, Value(int64_t{0})), indices + Value(size), indices);
}

ArrayRef take_along_axis(gpuopt_array x, gpuopt_array given, int64_t given_axis) {
  check_same_device("take_along_axis", {x, given});
  const int axis = checked_axis(given_axis, x->ndim, "take_along_axis");
  if (given->ndim != x->ndim) {
    fail(GPUOPT_ERR_SHAPE, "take_along_axis: the indices have %d dimensions and the array has %d", given->ndim,
         x->ndim);
  }
  const Dims shape = shape_beside(*x, *given, axis);
  const Value indices = checked_along(int64_indices("take_along_axis", given), x->shape[axis], axis);
  return taken_along(broadcast_beside(x, shape, axis).get(), broadcast_beside(indices.get(), shape, axis).get(), axis);
}

// Returns x as a matrix whose rows are what lies along the axis.
Value rows_along(gpuopt_array x, int axis) {
  const int64_t from = axis, to = -1;
  const ArrayRef moved = moved_axes(x, 1, &from, &to);
  const int64_t n = x->shape[axis], rows = n ? x->size / n : 0;
  return reshaped_view(raveled(moved.get()).get(), Dims{rows, n});
}

}  // namespace

ArrayRef sorted(gpuopt_array x, int axis, bool descending, const char *what) {
  return sort_call(GPUOPT_CALL_SORT, x, x->dtype, axis, descending, what);
}

ArrayRef sort_order(gpuopt_array x, int axis, bool descending, const char *what) {
  return sort_call(GPUOPT_CALL_ARGSORT, x, GPUOPT_INT64, axis, descending, what);
}

ArrayRef places_in(gpuopt_array sorted, gpuopt_array values, bool right, const char *what) {
  ArrayRef out = make_array(sorted->stream.get(), GPUOPT_INT64, values->ndim, values->shape);
  if (!out->size) return out;
  LibraryCall call(GPUOPT_CALL_SEARCHSORTED, sorted->stream.get());
  call.input(sorted).input(values).output(out.get()).integer(right).run(what, &gpuopt_plugin_api::sort);
  return out;
}

ArrayRef taken_along(gpuopt_array x, gpuopt_array indices, int axis) {
  if (x->ndim == 1) return take(x, indices, 0);
  Dims shape(indices->shape, indices->shape + indices->ndim);
  if (!indices->size) return make_array(x->stream.get(), x->dtype, static_cast<int>(shape.size()), shape.data());
  const Value rows = rows_along(x, axis), columns = rows_along(indices, axis);
  const ArrayRef starts = expanded_view(iota(x->stream.get(), rows.get()->shape[0]).get(), 1);
  const Value places = columns + Value(starts) * Value(rows.get()->shape[1]);
  const ArrayRef taken = take(raveled(rows.get()).get(), places.get(), 0);
  shape.erase(shape.begin() + axis);
  shape.push_back(indices->shape[axis]);
  const int64_t from = -1, to = axis;
  const ArrayRef moved = moved_axes(reshaped_view(taken.get(), shape).get(), 1, &from, &to);
  return moved->contiguous ? moved : record_copy(moved.get());
}

bool any_of(const Value &mask) {
  const ArrayRef any = record_reduction(GPUOPT_REDUCTION_any, mask.get(), ~uint64_t{0}, false, 0);
  uint8_t found = 0;
  copy_to_host(any.get(), &found);
  return found;
}

void check_one_dimension(const gpuopt_array_s &x, const char *which, const char *what) {
  if (x.ndim != 1) fail(GPUOPT_ERR_SHAPE, "%s: %s has %d dimensions instead of one", what, which, x.ndim);
}

ArrayRef in_dtype_on(gpuopt_stream stream, gpuopt_array x, gpuopt_dtype dtype) {
  return x->weak ? scalar_array(stream, dtype, x->scalar) : in_dtype(x, dtype);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_sort(gpuopt_array x, const int64_t *axis, int32_t descending, gpuopt_array *result,
                          gpuopt_error *error) {
  return giving(result, error, [&] { return sort_along(sorted, x, axis, descending != 0, "sort"); });
}

gpuopt_status gpuopt_argsort(gpuopt_array x, const int64_t *axis, int32_t descending, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return sort_along(sort_order, x, axis, descending != 0, "argsort"); });
}

gpuopt_status gpuopt_partition(gpuopt_array x, int64_t kth, const int64_t *axis, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return partition_along(sorted, x, kth, axis, "partition"); });
}

gpuopt_status gpuopt_argpartition(gpuopt_array x, int64_t kth, const int64_t *axis, gpuopt_array *result,
                                  gpuopt_error *error) {
  return giving(result, error, [&] { return partition_along(sort_order, x, kth, axis, "argpartition"); });
}

gpuopt_status gpuopt_top_k(gpuopt_array x, int64_t k, int64_t axis, int32_t largest, gpuopt_array *values,
                           gpuopt_array *indices, gpuopt_error *error) {
  return giving_each({values, indices}, error, [&] { return top_k(x, k, axis, largest != 0); });
}

gpuopt_status gpuopt_lexsort(int32_t count, const gpuopt_array *keys, int64_t axis, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return lexsort(count, keys, axis); });
}

gpuopt_status gpuopt_take_along_axis(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array *result,
                                     gpuopt_error *error) {
  return giving(result, error, [&] {
    return take_along_axis(&deref(x, "take_along_axis"), &deref(indices, "take_along_axis"), axis);
  });
}

}  // extern "C"
