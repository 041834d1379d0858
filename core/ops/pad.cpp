// core/ops/pad.cpp -- gpuopt_pad: axis by axis, each from what the array holds by then.
#include <algorithm>

#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/ops/join.h"
#include "core/ops/select.h"

namespace gpuopt {
namespace {

// How an axis is padded: `size` elements lie behind `before` others and in front of `after` others.
struct PaddedAxis {
  int axis;
  int64_t before, size, after;
};

// Throws as checked_size() for the shape of the result, and unless all widths are numbers from 0 on.
Dims padded_shape(const gpuopt_array_s &x, const int64_t *widths) {
  if (x.ndim && !widths) fail(GPUOPT_ERR_INVALID_ARGUMENT, "pad: the widths are missing");
  Dims shape(x.shape, x.shape + x.ndim);
  for (int i = 0; i < x.ndim; ++i) {
    if (widths[2 * i] < 0 || widths[2 * i + 1] < 0) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "pad: index can't contain negative values");
    }
    int64_t more = 0;
    if (__builtin_add_overflow(widths[2 * i], widths[2 * i + 1], &more) ||
        __builtin_add_overflow(shape[i], more, &shape[i])) {
      fail(GPUOPT_ERR_OUT_OF_MEMORY, "pad: too many elements");
    }
  }
  return shape;
}

void check_mode(const gpuopt_array_s &x, const int64_t *widths, gpuopt_pad_mode mode) {
  if (mode < GPUOPT_PAD_CONSTANT || mode > GPUOPT_PAD_WRAP) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "pad: %d is not a mode", mode);
  }
  for (int i = 0; mode != GPUOPT_PAD_CONSTANT && i < x.ndim; ++i) {
    if (x.shape[i] || (widths[2 * i] == 0 && widths[2 * i + 1] == 0)) continue;
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "pad: can't extend empty axis %d using modes other than 'constant'", i);
  }
}

// Returns the element that stands at `position`, which counts from the first of `n` elements and may be anywhere.
int64_t source_of(int64_t position, int64_t n, gpuopt_pad_mode mode) {
  if (mode == GPUOPT_PAD_EDGE || n == 1) return std::clamp<int64_t>(position, 0, n - 1);
  const int64_t period = mode == GPUOPT_PAD_WRAP ? n : mode == GPUOPT_PAD_SYMMETRIC ? 2 * n : 2 * n - 2;
  const int64_t place = (position % period + period) % period;
  if (place < n) return place;
  return mode == GPUOPT_PAD_SYMMETRIC ? period - 1 - place : period - place;
}

// Consecutive positions, from `start` on, whose elements are at from, from + step, from + 2*step, ...
struct Run {
  int64_t start, size, from, step;
};

// Returns the runs of the positions from `start` to `stop`, or nothing if there are more than a few.
std::vector<Run> runs_of(int64_t start, int64_t stop, int64_t n, gpuopt_pad_mode mode) {
  constexpr size_t kFew = 8;
  std::vector<Run> runs;
  if (mode == GPUOPT_PAD_EDGE || n == 1) return {{start, stop - start, source_of(start, n, mode), 0}};
  while (start < stop) {
    if (runs.size() == kFew) return {};
    const int64_t from = source_of(start, n, mode), next = source_of(start + 1, n, mode);
    // An element that is followed by itself, as at the mirror of SYMMETRIC, is a run of its own.
    const int64_t step = next == from + 1 ? 1 : next == from - 1 ? -1 : 0;
    const int64_t reach = step > 0 ? n - from : step < 0 ? from + 1 : 1, size = std::min(reach, stop - start);
    runs.push_back({start, size, from, step});
    start += size;
  }
  return runs;
}

// Writes the positions from `start` to `stop`, which count from the first element of the axis.
void extend(gpuopt_array region, const PaddedAxis &a, int64_t start, int64_t stop, gpuopt_pad_mode mode) {
  if (start == stop || !region->size) return;
  const ArrayRef inside = part_view(region, a.axis, a.before, a.size);
  const std::vector<Run> runs = runs_of(start, stop, a.size, mode);
  for (const Run &run : runs) {
    const ArrayRef to = part_view(region, a.axis, a.before + run.start, run.size);
    record_assign(to.get(),
                  part_view(inside.get(), a.axis, run.from, run.step ? run.size : 1, run.step ? run.step : 1).get());
  }
  if (!runs.empty()) return;
  Dims indices;
  for (int64_t i = start; i < stop; ++i) indices.push_back(source_of(i, a.size, mode));
  record_assign(part_view(region, a.axis, a.before + start, stop - start).get(),
                take(inside.get(), indices, a.axis).get());
}

void fill(gpuopt_array region, const PaddedAxis &a, gpuopt_array value) {
  record_assign(part_view(region, a.axis, 0, a.before).get(), value);
  record_assign(part_view(region, a.axis, a.before + a.size, a.after).get(), value);
}

ArrayRef pad(gpuopt_array x, const int64_t *widths, gpuopt_pad_mode mode, const gpuopt_scalar &value) {
  const Dims shape = padded_shape(deref_strong(x, "pad"), widths);
  check_mode(*x, widths, mode);
  const ArrayRef number = mode == GPUOPT_PAD_CONSTANT ? make_weak(value) : ArrayRef();
  ArrayRef result = unwritten(x->stream.get(), x->dtype, shape);
  // `region` is padded along the axes before the current one, and x alone along the others.
  ArrayRef region = result;
  for (int i = 0; i < x->ndim; ++i) region = part_view(region.get(), i, widths[2 * i], x->shape[i]);
  record_part(region.get(), x);
  for (int i = 0; i < x->ndim; ++i) {
    const PaddedAxis a{i, widths[2 * i], x->shape[i], widths[2 * i + 1]};
    region = result;
    for (int k = i + 1; k < x->ndim; ++k) region = part_view(region.get(), k, widths[2 * k], x->shape[k]);
    if (number) {
      fill(region.get(), a, number.get());
      continue;
    }
    extend(region.get(), a, -a.before, 0, mode);
    extend(region.get(), a, a.size, a.size + a.after, mode);
  }
  return result;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_pad(gpuopt_array x, const int64_t *widths, gpuopt_pad_mode mode, gpuopt_scalar value,
                         gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return pad(x, widths, mode, value); });
}

}  // extern "C"
