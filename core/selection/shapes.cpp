// core/selection/shapes.cpp -- gpuopt_resize, rollaxis, fliplr, flipud, diagflat, the stacks and splits by name, and
// block.
#include <algorithm>

#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

ArrayRef resize(gpuopt_array x, int32_t ndim, const int64_t *shape) {
  deref_strong(x, "resize");
  const int64_t total = checked_size(ndim, shape, dtype_size(x->dtype));
  const std::span<const int64_t> sizes(shape, static_cast<size_t>(ndim));
  if (!x->size || !total) return zeros_of(x->stream.get(), x->dtype, sizes);
  return reshaped_view(repeated_to(x, total).get(), sizes);
}

ArrayRef rollaxis(gpuopt_array x, int64_t given, int64_t start) {
  const int ndim = deref_strong(x, "rollaxis").ndim;
  int64_t axis = checked_axis(given, ndim, "rollaxis");
  if (start < 0) start += ndim;
  if (start < 0 || start > ndim) {
    fail(GPUOPT_ERR_INDEX, "rollaxis: 'start' arg requires %d <= start < %d, but %lld was passed in", -ndim, ndim + 1,
         static_cast<long long>(start));
  }
  const int64_t to = axis < start ? start - 1 : start;
  return moved_axes(x, 1, &axis, &to);
}

ArrayRef flipped_axis(gpuopt_array x, int64_t axis, const char *what) {
  if (deref_strong(x, what).ndim <= axis)
    fail(GPUOPT_ERR_SHAPE, "%s: Input must be >= %lld-d.", what, static_cast<long long>(axis + 1));
  return flipped_view(x, 1, &axis);
}

ArrayRef diagflat(gpuopt_array x, int64_t k) {
  deref_strong(x, "diagflat");
  return made_by(gpuopt_diag, "diagflat", raveled(x).get(), k);
}

// ---- Joining

ArrayRef at_least(gpuopt_array x, int32_t ndim, const char *what) {
  return made_by(gpuopt_atleast_nd, what, &deref_strong(x, what), ndim);
}

ArrayRef joined_along(const std::vector<ArrayRef> &parts, int64_t axis, const char *what) {
  const std::vector<gpuopt_array> raw = handles(parts);
  return made_by(gpuopt_concat, what, static_cast<int32_t>(raw.size()), raw.data(), &axis);
}

// Returns the arrays, each with at least so many dimensions, joined along an axis. With ndim 1 the axis is 0 if the
// first has no more.
ArrayRef stacked(int32_t count, const gpuopt_array *list, int32_t ndim, int64_t axis, const char *what) {
  std::vector<ArrayRef> parts;
  for (const gpuopt_array x : checked_list(count, list, 1, what)) parts.push_back(at_least(x, ndim, what));
  return joined_along(parts, ndim == 1 && parts[0]->ndim == 1 ? 0 : axis, what);
}

ArrayRef column_stack(int32_t count, const gpuopt_array *list) {
  std::vector<ArrayRef> parts;
  for (const gpuopt_array x : checked_list(count, list, 1, "column_stack")) {
    const ArrayRef line = at_least(x, 1, "column_stack");
    parts.push_back(line->ndim == 1 ? expanded_view(line.get(), 1) : line);
  }
  return joined_along(parts, 1, "column_stack");
}

// Writes `sections` parts of x, which has at least `least` dimensions, along an axis.
gpuopt_status split_along(gpuopt_array x, int32_t sections, int axis, int least, gpuopt_array *results,
                          gpuopt_error *error, const char *what) {
  return giving_all(sections, results, error, [&] {
    if (deref_strong(x, what).ndim < least)
      fail(GPUOPT_ERR_SHAPE, "%s only works on arrays of %d or more dimensions", what, least);
    std::vector<gpuopt_array> raw(static_cast<size_t>(sections) + 1, nullptr);
    SlotError failure;
    const gpuopt_status status = gpuopt_split(x, sections, axis, raw.data(), &failure);
    check_slot(status, failure, what);
    std::vector<ArrayRef> parts;
    for (int32_t i = 0; i < sections; ++i) parts.push_back(ArrayRef::adopt(raw[static_cast<size_t>(i)]));
    return parts;
  });
}

// ---- Blocks

// Puts blocks together that stand in nested lists.
class Blocks {
 public:
  Blocks(int depth, std::span<const int32_t> counts, std::span<const gpuopt_array> arrays)
      : depth_(depth), counts_(counts), arrays_(arrays), dtype_(common_dtype(arrays)), ndim_(depth) {
    for (const gpuopt_array x : arrays) ndim_ = std::max(ndim_, deref_strong(x, "block").ndim);
  }

  ArrayRef run() {
    ArrayRef whole = list(1);
    if (next_count_ != counts_.size() || next_array_ != arrays_.size())
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "block: %zu counts and %zu arrays are given, and %zu and %zu used",
           counts_.size(), arrays_.size(), next_count_, next_array_);
    return whole;
  }

 private:
  // Returns the list that comes next, whose depth is `level`; it recurs as deep as the lists lie, 64 at most.
  ArrayRef list(int level) {
    if (next_count_ == counts_.size()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "block: the counts end too early");
    const int32_t count = counts_[next_count_++];
    if (count < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "block: List at depth %d cannot be empty", level);
    std::vector<ArrayRef> parts;
    for (int32_t i = 0; i < count; ++i) parts.push_back(level == depth_ ? block() : list(level + 1));
    if (count == 1) return parts[0];
    return joined(handles(parts), ndim_ - depth_ + level - 1, dtype_, "block");
  }

  ArrayRef block() {
    if (next_array_ == arrays_.size()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "block: the arrays end too early");
    ArrayRef x = in_dtype(arrays_[next_array_++], dtype_);
    while (x->ndim < ndim_) x = expanded_view(x.get(), 0);
    return x;
  }

  const int depth_;
  const std::span<const int32_t> counts_;
  const std::span<const gpuopt_array> arrays_;
  const gpuopt_dtype dtype_;
  int ndim_;
  size_t next_count_ = 0, next_array_ = 0;
};

ArrayRef block(int32_t depth, int32_t ncounts, const int32_t *counts, int32_t narrays, const gpuopt_array *list) {
  if (depth < 1 || depth > GPUOPT_MAX_NDIM || ncounts < 1 || !counts)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "block: the depth is %d, and there are %d counts", depth, ncounts);
  const std::span<const gpuopt_array> arrays = checked_list(narrays, list, 1, "block");
  for (const gpuopt_array x : arrays) deref_strong(x, "block");
  const ArrayRef whole = Blocks(depth, {counts, static_cast<size_t>(ncounts)}, arrays).run();
  return narrays == 1 ? record_copy(whole.get()) : whole;  // NumPy's is a new array, too
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_resize(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return resize(x, ndim, shape); });
}

gpuopt_status gpuopt_rollaxis(gpuopt_array x, int64_t axis, int64_t start, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return rollaxis(x, axis, start); });
}

gpuopt_status gpuopt_fliplr(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return flipped_axis(x, 1, "fliplr"); });
}

gpuopt_status gpuopt_flipud(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return flipped_axis(x, 0, "flipud"); });
}

gpuopt_status gpuopt_diagflat(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return diagflat(x, k); });
}

gpuopt_status gpuopt_hstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return stacked(count, arrays, 1, 1, "hstack"); });
}

gpuopt_status gpuopt_vstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return stacked(count, arrays, 2, 0, "vstack"); });
}

gpuopt_status gpuopt_dstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return stacked(count, arrays, 3, 2, "dstack"); });
}

gpuopt_status gpuopt_column_stack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result,
                                  gpuopt_error *error) {
  return giving(result, error, [&] { return column_stack(count, arrays); });
}

gpuopt_status gpuopt_hsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error) {
  return split_along(x, sections, gpuopt_array_ndim(x) == 1 ? 0 : 1, 1, results, error, "hsplit");
}

gpuopt_status gpuopt_vsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error) {
  return split_along(x, sections, 0, 2, results, error, "vsplit");
}

gpuopt_status gpuopt_dsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error) {
  return split_along(x, sections, 2, 3, results, error, "dsplit");
}

gpuopt_status gpuopt_block(int32_t depth, int32_t ncounts, const int32_t *counts, int32_t narrays,
                           const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return block(depth, ncounts, counts, narrays, arrays); });
}

}  // extern "C"
