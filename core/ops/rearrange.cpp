// core/ops/rearrange.cpp -- roll, repeat, tile and diag: new arrays of the elements of one.
#include <algorithm>

#include "core/engine/record.h"
#include "core/ops/join.h"

namespace gpuopt {
namespace {

// Returns x with its elements moved by `shift` along an axis in range.
ArrayRef rolled(gpuopt_array x, int axis, int64_t shift) {
  const int64_t size = x->shape[axis], by = size ? (shift % size + size) % size : 0;
  const ArrayRef last = part_view(x, axis, size - by, by), first = part_view(x, axis, 0, size - by);
  const gpuopt_array parts[] = {last.get(), first.get()};
  return by ? joined(parts, axis, x->dtype, "roll") : record_copy(x);
}

// The same for shifts modulo the size, so that several of one axis can be added without overflow.
int64_t sum_of_shifts(int count, const int64_t *shifts, int64_t size) {
  int64_t sum = 0;
  for (int i = 0; size && i < count; ++i) sum = (sum + shifts[i] % size) % size;
  return sum;
}

ArrayRef roll_flattened(gpuopt_array x, int count, const int64_t *shifts) {
  const ArrayRef line = raveled(x);
  return reshaped_view(rolled(line.get(), 0, sum_of_shifts(count, shifts, x->size)).get(), x->sizes());
}

ArrayRef roll(gpuopt_array x, int32_t count, const int64_t *shifts, const int64_t *axes) {
  deref_strong(x, "roll");
  if (count < 0 || (count && !shifts)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "roll: the shifts are missing");
  if (!axes) return roll_flattened(x, count, shifts);
  Dims by(x->ndim, 0);
  for (int i = 0; i < count; ++i) {
    const int axis = checked_axis(axes[i], x->ndim, "roll");
    const int64_t both[] = {by[axis], shifts[i]};
    by[axis] = sum_of_shifts(2, both, x->shape[axis]);
  }
  ArrayRef result;
  for (int axis = 0; axis < x->ndim; ++axis) {
    if (by[axis]) result = rolled(result ? result.get() : x, axis, by[axis]);
  }
  return result ? result : record_copy(x);
}

// Returns the product, or throws if an array cannot have a size as large.
int64_t product(int64_t size, int64_t count, const char *what) {
  int64_t result = 0;
  if (__builtin_mul_overflow(size, count, &result)) fail(GPUOPT_ERR_OUT_OF_MEMORY, "%s: too many elements", what);
  return result;
}

ArrayRef repeat(gpuopt_array given, int64_t count, const int64_t *given_axis) {
  if (count < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "repeat: repeats may not contain negative values");
  int axis = 0;
  const ArrayRef x = along_at_least_one(&deref_strong(given, "repeat"), given_axis, axis, "repeat");
  Dims shape(x->shape, x->shape + x->ndim), apart = shape;
  shape[axis] = product(shape[axis], count, "repeat");
  ArrayRef result = unwritten(x->stream.get(), x->dtype, shape);
  if (!result->size) return result;
  if (x->ndim == GPUOPT_MAX_NDIM) {  // there is no room for another axis
    for (int64_t i = 0; i < count; ++i)
      record_assign(part_view(result.get(), axis, i, x->shape[axis], count).get(), x.get());
    return result;
  }
  apart.insert(apart.begin() + axis + 1, count);
  record_assign(reshaped_view(result.get(), apart).get(), expanded_view(x.get(), axis + 1).get());
  return result;
}

// The axes of a tiled array, each repeated one as two: which copy, and where in it. An axis of size 1 needs no second
// one.
struct TiledAxes {
  Dims result, from;
};

TiledAxes tiled_axes(const Dims &sizes, const Dims &reps) {
  TiledAxes axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (reps[i] != 1 && sizes[i] != 1) {
      axes.result.push_back(reps[i]);
      axes.from.push_back(1);
    }
    axes.result.push_back(sizes[i] == 1 ? reps[i] : sizes[i]);
    axes.from.push_back(sizes[i]);
  }
  return axes;
}

ArrayRef tile(gpuopt_array x, int32_t count, const int64_t *given) {
  deref_strong(x, "tile");
  if (count < 0 || (count && !given)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "tile: the numbers are missing");
  if (count > GPUOPT_MAX_NDIM)  // before so many are read
    fail(GPUOPT_ERR_SHAPE, "tile: %d numbers, and an array has at most %d dimensions", count, GPUOPT_MAX_NDIM);
  const size_t ndim = static_cast<size_t>(std::max(x->ndim, count));
  Dims sizes(ndim, 1), reps(ndim, 1), shape(ndim);
  std::copy_n(x->shape, x->ndim, sizes.end() - x->ndim);
  std::copy_n(given, count, reps.end() - count);
  for (size_t i = 0; i < ndim; ++i) {
    if (reps[i] < 0) fail(GPUOPT_ERR_SHAPE, "tile: a number is negative: %lld", static_cast<long long>(reps[i]));
    shape[i] = product(sizes[i], reps[i], "tile");
  }
  ArrayRef result = unwritten(x->stream.get(), x->dtype, shape);
  if (!result->size) return result;
  const TiledAxes axes = tiled_axes(sizes, reps);
  const ArrayRef from = reshaped_view(x->contiguous ? x : record_copy(x).get(), axes.from);
  record_assign(reshaped_view(result.get(), axes.result).get(), from.get());
  return result;
}

// Writes x to the diagonal of a matrix of zeros.
ArrayRef matrix_of(gpuopt_array x, int64_t k) {
  const int64_t beside = k < 0 ? -std::max(k, -(int64_t{1} << 40)) : std::min(k, int64_t{1} << 40);
  const int64_t n = x->size + beside, shape[] = {n, n};
  const unsigned char zero[16] = {};
  ArrayRef result = record_constant(x->stream.get(), x->dtype, 2, shape, zero);
  const ArrayRef diagonal = diagonal_view(result.get(), k, 0, 1);
  diagonal->read_only = false;
  record_assign(diagonal.get(), x);
  return result;
}

ArrayRef diag(gpuopt_array x, int64_t k) {
  switch (deref_strong(x, "diag").ndim) {
    case 1:
      return matrix_of(x, k);
    case 2:
      return diagonal_view(x, k, 0, 1);
    default:
      fail(GPUOPT_ERR_SHAPE, "diag: the array must be 1- or 2-dimensional, not %d-dimensional", x->ndim);
  }
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_roll(gpuopt_array x, int32_t count, const int64_t *shifts, const int64_t *axes,
                          gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return roll(x, count, shifts, axes); });
}

gpuopt_status gpuopt_repeat(gpuopt_array x, int64_t count, const int64_t *axis, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return repeat(x, count, axis); });
}

gpuopt_status gpuopt_tile(gpuopt_array x, int32_t count, const int64_t *reps, gpuopt_array *result,
                          gpuopt_error *error) {
  return giving(result, error, [&] { return tile(x, count, reps); });
}

gpuopt_status gpuopt_diag(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return diag(x, k); });
}

}  // extern "C"
