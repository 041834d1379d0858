// core/selection/indices.cpp -- gpuopt_diag_indices, tril_indices, triu_indices, ravel_multi_index, unravel_index and
// ix.
#include <algorithm>

#include "core/engine/transfer.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

using Arrays = std::vector<ArrayRef>;

// ---- Diagonals and triangles

Arrays diag_indices(gpuopt_stream stream, int64_t n, int32_t ndim) {
  if (ndim < 0 || ndim > GPUOPT_MAX_NDIM)
    fail(GPUOPT_ERR_SHAPE, "diag_indices: an array cannot have %d dimensions", ndim);
  checked_size(1, &n, dtype_size(GPUOPT_INT64));
  Arrays results;
  for (int32_t axis = 0; axis < ndim; ++axis) results.push_back(iota(stream, n).array());  // each with its own memory
  return results;
}

Arrays diag_indices_from(gpuopt_array x) {
  if (x->ndim < 2) fail(GPUOPT_ERR_SHAPE, "diag_indices_from: input array must be at least 2-d");
  if (std::any_of(x->shape, x->shape + x->ndim, [&](int64_t size) { return size != x->shape[0]; }))
    fail(GPUOPT_ERR_SHAPE, "diag_indices_from: All dimensions of input must be of equal length");
  return diag_indices(x->stream.get(), x->shape[0], x->ndim);
}

// Returns the rows and columns of the elements at and below the k-th diagonal, or of the others.
Arrays triangle_indices(gpuopt_device device, int64_t rows, int64_t columns, int64_t k, bool below, const char *what) {
  deref(device, what);
  const Value lower = made_by(gpuopt_tri, what, device, gpuopt_dtype{GPUOPT_BOOL}, rows, columns, k);
  const ArrayRef places = argwhere((below ? lower : logical_not(lower)).get());
  const int64_t last = 1;
  Arrays both;
  for (int axis = 0; axis < 2; ++axis)
    both.push_back(record_copy(squeezed_view(part_view(places.get(), 1, axis, 1).get(), 1, &last).get()));
  return both;
}

Arrays tril_indices(gpuopt_device device, int64_t rows, int64_t columns, int64_t k) {
  return triangle_indices(device, rows, columns, k, true, "tril_indices");
}

Arrays triu_indices(gpuopt_device device, int64_t rows, int64_t columns, int64_t k) {
  const int64_t beside = k == INT64_MIN ? k : k - 1;  // no matrix has either diagonal
  return triangle_indices(device, rows, columns, beside, false, "triu_indices");
}

const gpuopt_array_s &checked_matrix(gpuopt_array x, const char *what) {
  if (deref_strong(x, what).ndim != 2) fail(GPUOPT_ERR_SHAPE, "%s: input array must be 2-d", what);
  return *x;
}

// ---- One index for all axes

// Returns the number of elements of a shape of `ndim` axes. Throws ERR_INVALID_ARGUMENT if it is more than int64
// counts.
int64_t extent(int32_t ndim, const int64_t *shape, const char *what) {
  if (ndim < 0 || ndim > GPUOPT_MAX_NDIM || (ndim && !shape))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the shape is missing or has %d sizes", what, ndim);
  __int128 total = 1;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: dimensions can't be negative", what);
    total *= shape[i];
    if (total > INT64_MAX) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT,
           "%s: invalid dims: array size defined by dims is larger than the maximum possible size.", what);
    }
  }
  return static_cast<int64_t>(total);
}

// Returns the indices into an axis of this size within [0, size), as the mode makes them.
Value within_axis(gpuopt_array index, int64_t size, gpuopt_index_mode mode) {
  const char *const what = "ravel_multi_index";
  const Value at = int64_indices(what, &deref_strong(index, what));
  if (mode < GPUOPT_MODE_RAISE || mode > GPUOPT_MODE_CLIP)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: clipmode must be one of 'clip', 'raise', or 'wrap'", what);
  if (size && mode == GPUOPT_MODE_WRAP) return remainder(at, Value(size));
  if (size && mode == GPUOPT_MODE_CLIP) return minimum(maximum(at, Value(int64_t{0})), Value(size - 1));
  if (any_of(logical_or(less(at, Value(int64_t{0})), greater_equal(at, Value(size)))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: invalid entry in coordinates array", what);
  return at;
}

ArrayRef ravel_multi_index(int32_t ndim, const gpuopt_array *list, const int64_t *shape, const gpuopt_index_mode *modes,
                           bool fortran) {
  const std::span<const gpuopt_array> indices = checked_list(ndim, list, 1, "ravel_multi_index");
  extent(ndim, shape, "ravel_multi_index");
  const auto at = [&](int axis) {
    return within_axis(indices[static_cast<size_t>(axis)], shape[axis], modes ? modes[axis] : GPUOPT_MODE_RAISE);
  };
  const int first = fortran ? ndim - 1 : 0, step = fortran ? -1 : 1;
  Value total = at(first);
  for (int k = 1; k < ndim; ++k) {
    const int axis = first + k * step;
    total = total * Value(shape[axis]) + at(axis);
  }
  return total.get() == list[first] ? record_copy(total.get()) : total.array();
}

// Throws ERR_INVALID_ARGUMENT, naming an index, if one is outside of [0, size).
void check_flat(const Value &at, int64_t size) {
  if (!any_of(logical_or(less(at, Value(int64_t{0})), greater_equal(at, Value(size))))) return;
  int64_t ends[2];
  copy_to_host(record_reduction(GPUOPT_REDUCTION_min, at.get(), ~uint64_t{0}, false, 0).get(), &ends[0]);
  copy_to_host(record_reduction(GPUOPT_REDUCTION_max, at.get(), ~uint64_t{0}, false, 0).get(), &ends[1]);
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "unravel_index: index %lld is out of bounds for array with size %lld",
       static_cast<long long>(ends[0] < 0 ? ends[0] : ends[1]), static_cast<long long>(size));
}

Arrays unravel_index(gpuopt_array indices, int32_t ndim, const int64_t *shape, bool fortran) {
  const Value at = int64_indices("unravel_index", &deref_strong(indices, "unravel_index"));
  check_flat(at, extent(ndim, shape, "unravel_index"));
  Arrays results(static_cast<size_t>(ndim));
  Value rest = at;
  for (int k = 0; k < ndim; ++k) {
    const int axis = fortran ? k : ndim - 1 - k;
    results[static_cast<size_t>(axis)] = remainder(rest, Value(shape[axis])).array();
    if (k + 1 < ndim) rest = apply_op(GPUOPT_OP_floor_divide, rest, Value(shape[axis]));
  }
  return results;
}

// ---- A grid of lists

Arrays ix(int32_t count, const gpuopt_array *given) {
  const std::span<const gpuopt_array> lists = checked_list(count, given, 0, "ix");
  if (count > GPUOPT_MAX_NDIM) fail(GPUOPT_ERR_SHAPE, "ix: %d dimensions are too many", count);
  Arrays results;
  for (int32_t k = 0; k < count; ++k) {
    const gpuopt_array list = &deref_strong(lists[static_cast<size_t>(k)], "ix");
    if (list->ndim != 1) fail(GPUOPT_ERR_SHAPE, "ix: Cross index must be 1 dimensional");
    const char kind = dtype_kind(list->dtype);
    if (kind != '?' && kind != 'i' && kind != 'u')
      fail(GPUOPT_ERR_TYPE, "ix: a list of dtype %s holds no indices", dtype_name(list->dtype));
    const ArrayRef places = kind == '?' ? true_places(list) : ArrayRef::share(list);
    Dims shape(static_cast<size_t>(count), 1);
    shape[static_cast<size_t>(k)] = places->size;
    results.push_back(reshaped(places.get(), shape));
  }
  return results;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_diag_indices(gpuopt_device device, int64_t n, int32_t ndim, gpuopt_array *results,
                                  gpuopt_error *error) {
  return giving_all(ndim, results, error,
                    [&] { return diag_indices(deref(device, "diag_indices").default_stream, n, ndim); });
}

gpuopt_status gpuopt_diag_indices_from(gpuopt_array x, gpuopt_array *results, gpuopt_error *error) {
  return giving_all(gpuopt_array_ndim(x), results, error,
                    [&] { return diag_indices_from(&deref_strong(x, "diag_indices_from")); });
}

gpuopt_status gpuopt_tril_indices(gpuopt_device device, int64_t n, int64_t k, int64_t m, gpuopt_array *rows,
                                  gpuopt_array *columns, gpuopt_error *error) {
  return giving_each({rows, columns}, error, [&] { return tril_indices(device, n, m, k); });
}

gpuopt_status gpuopt_triu_indices(gpuopt_device device, int64_t n, int64_t k, int64_t m, gpuopt_array *rows,
                                  gpuopt_array *columns, gpuopt_error *error) {
  return giving_each({rows, columns}, error, [&] { return triu_indices(device, n, m, k); });
}

gpuopt_status gpuopt_tril_indices_from(gpuopt_array x, int64_t k, gpuopt_array *rows, gpuopt_array *columns,
                                       gpuopt_error *error) {
  return giving_each({rows, columns}, error, [&] {
    const gpuopt_array_s &matrix = checked_matrix(x, "tril_indices_from");
    return tril_indices(matrix.device(), matrix.shape[0], matrix.shape[1], k);
  });
}

gpuopt_status gpuopt_triu_indices_from(gpuopt_array x, int64_t k, gpuopt_array *rows, gpuopt_array *columns,
                                       gpuopt_error *error) {
  return giving_each({rows, columns}, error, [&] {
    const gpuopt_array_s &matrix = checked_matrix(x, "triu_indices_from");
    return triu_indices(matrix.device(), matrix.shape[0], matrix.shape[1], k);
  });
}

gpuopt_status gpuopt_ravel_multi_index(int32_t ndim, const gpuopt_array *indices, const int64_t *shape,
                                       const gpuopt_index_mode *modes, int32_t fortran, gpuopt_array *result,
                                       gpuopt_error *error) {
  return giving(result, error, [&] { return ravel_multi_index(ndim, indices, shape, modes, fortran != 0); });
}

gpuopt_status gpuopt_unravel_index(gpuopt_array indices, int32_t ndim, const int64_t *shape, int32_t fortran,
                                   gpuopt_array *results, gpuopt_error *error) {
  return giving_all(ndim, results, error, [&] { return unravel_index(indices, ndim, shape, fortran != 0); });
}

gpuopt_status gpuopt_ix(int32_t count, const gpuopt_array *lists, gpuopt_array *results, gpuopt_error *error) {
  return giving_all(count, results, error, [&] { return ix(count, lists); });
}

}  // extern "C"
