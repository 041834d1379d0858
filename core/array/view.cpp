// core/array/view.cpp -- views: slicing, transposing, reshaping, broadcasting.
#include "core/array/view.h"

#include <algorithm>
#include <string>

#include "core/engine/record.h"

namespace gpuopt {
namespace {

[[noreturn]] void fail_broadcast(std::span<const std::span<const int64_t>> shapes, const char *what) {
  std::string list;
  for (auto shape : shapes) list.append(" ").append(shape_text(static_cast<int>(shape.size()), shape.data()));
  fail(GPUOPT_ERR_SHAPE, "%s: operands could not be broadcast together with shapes%s", what, list.c_str());
}

Dims copy_dims(const int64_t *values, int ndim) { return Dims(values, values + ndim); }

void check_ndim(size_t ndim) {
  if (ndim > GPUOPT_MAX_NDIM) fail(GPUOPT_ERR_SHAPE, "%zu dimensions are more than %d", ndim, GPUOPT_MAX_NDIM);
}

}  // namespace

void broadcast_shape(std::span<const std::span<const int64_t>> shapes, Shape &result, const char *what) {
  size_t ndim = 0;
  for (auto shape : shapes) ndim = std::max(ndim, shape.size());
  result.ndim = static_cast<int>(ndim);
  std::fill_n(result.sizes, ndim, 1);
  for (auto shape : shapes) {
    int64_t *sizes = result.sizes + (ndim - shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == sizes[i] || shape[i] == 1) continue;
      if (sizes[i] != 1) fail_broadcast(shapes, what);
      sizes[i] = shape[i];
    }
  }
}

ArrayRef restrided(gpuopt_array x, const Dims &shape, const Dims &strides, int64_t offset, bool read_only) {
  check_ndim(shape.size());
  return make_view(x->storage.get(), x->stream, x->dtype, static_cast<int>(shape.size()), shape.data(), strides.data(),
                   offset, read_only);
}

ArrayRef broadcast_view(gpuopt_array x, std::span<const int64_t> shape, const char *what) {
  const int ndim = static_cast<int>(shape.size()), lead = ndim - x->ndim;
  checked_size(ndim, shape.data(), dtype_size(x->dtype));
  Dims strides(shape.size(), 0);
  bool fits = lead >= 0, grows = lead > 0;
  for (int i = 0; fits && i < x->ndim; ++i) {
    if (x->shape[i] == shape[lead + i]) {
      strides[lead + i] = x->strides[i];
    } else {
      fits = x->shape[i] == 1;
      grows = true;
    }
  }
  if (!fits) {
    fail(GPUOPT_ERR_SHAPE, "%s: shape %s cannot be broadcast to %s", what, shape_text(x->ndim, x->shape).c_str(),
         shape_text(ndim, shape.data()).c_str());
  }
  return restrided(x, Dims(shape.begin(), shape.end()), strides, x->offset, x->read_only || grows);
}

uint64_t axis_mask(int count, const int64_t *axes, int ndim, const char *what) {
  if (!axes) return ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << ndim) - 1;
  uint64_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t bit = uint64_t{1} << checked_axis(axes[i], ndim, what);
    if (mask & bit) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: axis %lld is named twice", what, static_cast<long long>(axes[i]));
    }
    mask |= bit;
  }
  return mask;
}

ArrayRef permuted_view(gpuopt_array x, const int64_t *axes) {
  Dims shape(x->ndim), strides(x->ndim);
  if (axes) axis_mask(x->ndim, axes, x->ndim, "permute_dims");  // throws unless each axis is named exactly once
  for (int i = 0; i < x->ndim; ++i) {
    const int from = axes ? checked_axis(axes[i], x->ndim, "permute_dims") : x->ndim - 1 - i;
    shape[i] = x->shape[from];
    strides[i] = x->strides[from];
  }
  return restrided(x, shape, strides, x->offset, x->read_only);
}

ArrayRef expanded_view(gpuopt_array x, int64_t axis) {
  const int at = checked_axis(axis, x->ndim + 1, "expand_dims");
  Dims shape = copy_dims(x->shape, x->ndim), strides = copy_dims(x->strides, x->ndim);
  const int64_t stride = at < x->ndim ? shape[at] * strides[at] : dtype_size(x->dtype);
  shape.insert(shape.begin() + at, 1);
  strides.insert(strides.begin() + at, stride);
  return restrided(x, shape, strides, x->offset, x->read_only);
}

ArrayRef squeezed_view(gpuopt_array x, int count, const int64_t *axes) {
  const uint64_t named = axis_mask(count, count ? axes : nullptr, x->ndim, "squeeze");
  Dims shape, strides;
  for (int i = 0; i < x->ndim; ++i) {
    const bool drop = (named >> i & 1) && (count || x->shape[i] == 1);
    if (drop && x->shape[i] != 1) {
      fail(GPUOPT_ERR_SHAPE, "squeeze: axis %d of shape %s is not of size 1", i, shape_text(x->ndim, x->shape).c_str());
    }
    if (drop) continue;
    shape.push_back(x->shape[i]);
    strides.push_back(x->strides[i]);
  }
  return restrided(x, shape, strides, x->offset, x->read_only);
}

ArrayRef flipped_view(gpuopt_array x, int count, const int64_t *axes) {
  const uint64_t named = axis_mask(count, count ? axes : nullptr, x->ndim, "flip");
  Dims strides = copy_dims(x->strides, x->ndim);
  int64_t offset = x->offset;
  for (int i = 0; i < x->ndim; ++i) {
    if (!(named >> i & 1)) continue;
    if (x->shape[i] > 0) offset += (x->shape[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  return restrided(x, copy_dims(x->shape, x->ndim), strides, offset, x->read_only);
}

namespace {

// Builds the view for a basic index (NumPy's: integers, slices, newaxis, ellipsis), item by item.
class Slicer {
 public:
  Slicer(gpuopt_array x, int count, const gpuopt_index *items)
      : x_(x), offset_(x->offset), count_(count), items_(items) {}

  ArrayRef run() {
    const int implied = x_->ndim - consumed();  // axes that the ellipsis stands for
    bool ellipsis = false;
    for (int i = 0; i < count_; ++i) {
      if (items_[i].kind != GPUOPT_INDEX_ELLIPSIS) {
        apply(items_[i]);
        continue;
      }
      if (ellipsis) fail(GPUOPT_ERR_INVALID_ARGUMENT, "slice: more than one ellipsis");
      ellipsis = true;
      for (int k = 0; k < implied; ++k) keep(x_->shape[axis_], x_->strides[axis_]), ++axis_;
    }
    for (; axis_ < x_->ndim; ++axis_) keep(x_->shape[axis_], x_->strides[axis_]);
    check_ndim(static_cast<size_t>(ndim_));
    return make_view(x_->storage.get(), x_->stream, x_->dtype, ndim_, shape_, strides_, offset_, x_->read_only);
  }

 private:
  // Returns how many axes of x the items index. Throws ERR_INDEX if x has fewer.
  int consumed() const {
    int axes = 0;
    for (int i = 0; i < count_; ++i) {
      axes += items_[i].kind == GPUOPT_INDEX_INTEGER || items_[i].kind == GPUOPT_INDEX_SLICE;
    }
    if (axes > x_->ndim) {
      fail(GPUOPT_ERR_INDEX, "slice: %d indices for an array of %d dimensions", axes, x_->ndim);
    }
    return axes;
  }

  // Appends an axis to the result. Of too many axes, which are an error, the last ones are only counted.
  void keep(int64_t size, int64_t stride) {
    if (ndim_ < GPUOPT_MAX_NDIM) {
      shape_[ndim_] = size;
      strides_[ndim_] = stride;
    }
    ++ndim_;
  }

  void apply(const gpuopt_index &item) {
    switch (item.kind) {
      case GPUOPT_INDEX_INTEGER:
        return apply_integer(item.start);
      case GPUOPT_INDEX_SLICE:
        return apply_slice(item);
      case GPUOPT_INDEX_NEWAXIS:
        return keep(1, 0);
      default:
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "slice: %d is not a kind of index", item.kind);
    }
  }

  void apply_integer(int64_t index) {
    const int64_t size = x_->shape[axis_];
    if (index < -size || index >= size) {
      fail(GPUOPT_ERR_INDEX, "slice: index %lld is out of range for axis %d of size %lld",
           static_cast<long long>(index), axis_, static_cast<long long>(size));
    }
    offset_ += (index < 0 ? index + size : index) * x_->strides[axis_++];
  }

  // Clips start and stop to the axis as Python's slice.indices does; GPUOPT_SLICE_ALL stands for None.
  void apply_slice(const gpuopt_index &item) {
    const int64_t size = x_->shape[axis_], stride = x_->strides[axis_];
    ++axis_;
    const int64_t step = item.step == GPUOPT_SLICE_ALL ? 1 : item.step;
    if (step == 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "slice: the step is zero");
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
    auto bound = [&](int64_t value, int64_t if_all) {
      if (value == GPUOPT_SLICE_ALL) return if_all;
      return std::clamp(value < 0 ? value + size : value, low, high);
    };
    const int64_t start = bound(item.start, step < 0 ? high : low), stop = bound(item.stop, step < 0 ? low : high);
    const int64_t distance = step < 0 ? start - stop : stop - start;
    const uint64_t stride_length = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
    const int64_t length =
        distance <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride_length + 1);
    if (length > 0) offset_ += start * stride;
    keep(length, length > 1 ? step * stride : stride);
  }

  gpuopt_array x_;
  int64_t offset_;
  int count_;
  const gpuopt_index *items_;
  int axis_ = 0;  // the next axis of x
  int ndim_ = 0;  // of the result so far
  int64_t shape_[GPUOPT_MAX_NDIM], strides_[GPUOPT_MAX_NDIM];
};

// Returns x[index] of an array with axes, or an empty reference if the index is out of range.
ArrayRef item_view(const gpuopt_array_s &x, int64_t index) {
  const int64_t size = *x.shape, at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) return {};
  return make_view(x.storage.get(), x.stream, x.dtype, x.ndim - 1, x.shape + 1, x.strides + 1,
                   x.offset + at * *x.strides, x.read_only);
}

// The axes of an array without those of size 1. Adjacent axes whose elements one stride reaches in C order are merged
// into one: shape (2, 3, 4) with strides (96, 32, 4) gives (6, 4) and (32, 4).
struct Axes {
  Dims shape, strides;
};

Axes merged_axes(const gpuopt_array_s &x) {
  Axes merged;
  for (int i = 0; i < x.ndim; ++i) {
    if (x.shape[i] == 1) continue;
    if (!merged.shape.empty() && merged.strides.back() == x.strides[i] * x.shape[i]) {
      merged.shape.back() *= x.shape[i];
      merged.strides.back() = x.strides[i];
    } else {
      merged.shape.push_back(x.shape[i]);
      merged.strides.push_back(x.strides[i]);
    }
  }
  return merged;
}

}  // namespace

ArrayRef sliced_view(gpuopt_array x, int count, const gpuopt_index *items) { return Slicer(x, count, items).run(); }

ArrayRef reshaped_view(gpuopt_array x, std::span<const int64_t> shape) {
  const int ndim = static_cast<int>(shape.size());
  Dims strides(shape.size());
  contiguous_strides(ndim, shape.data(), dtype_size(x->dtype), strides.data());
  if (x->contiguous) return restrided(x, Dims(shape.begin(), shape.end()), strides, x->offset, x->read_only);
  // From the last axis to the first, each merged axis is split into new axes, the product of whose sizes has to be its
  // size. With the merged axes (6, 4), the shape (3, 2, 4) is a view, and (4, 6) is none.
  const Axes merged = merged_axes(*x);
  int axis = ndim - 1;
  for (int i = static_cast<int>(merged.shape.size()) - 1; i >= 0; --i) {
    int64_t filled = 1;
    for (; axis >= 0 && filled < merged.shape[i]; --axis) {
      strides[axis] = merged.strides[i] * filled;
      filled *= shape[axis];
    }
    if (filled != merged.shape[i]) return {};
  }
  return restrided(x, Dims(shape.begin(), shape.end()), strides, x->offset, x->read_only);
}

ArrayRef raveled(gpuopt_array x) {
  const int64_t size = x->size;
  return reshaped_view(x->contiguous ? x : record_copy(x).get(), {&size, 1});
}

namespace {

// Returns the shape with its one -1, if any, replaced. Throws ERR_SHAPE unless it has as many elements as x.
Dims resolve_shape(const gpuopt_array_s &x, int ndim, const int64_t *wanted) {
  if (ndim < 0 || ndim > GPUOPT_MAX_NDIM || (ndim && !wanted)) {
    fail(GPUOPT_ERR_SHAPE, "reshape: the shape is missing or has %d dimensions", ndim);
  }
  Dims shape = copy_dims(wanted, ndim);
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  const bool inferred = unknown != shape.end();
  if (inferred) *unknown = 1;
  if (std::find(shape.begin(), shape.end(), -1) != shape.end())
    fail(GPUOPT_ERR_SHAPE, "reshape: only one size can be -1, not as in %s", shape_text(ndim, wanted).c_str());
  const int64_t rest = checked_size(ndim, shape.data(), dtype_size(x.dtype));
  if (inferred && rest > 0) *unknown = x.size / rest;
  if ((inferred ? rest * *unknown : rest) != x.size || (inferred && rest == 0)) {
    fail(GPUOPT_ERR_SHAPE, "reshape: an array of shape %s (%lld elements) cannot have shape %s",
         shape_text(x.ndim, x.shape).c_str(), static_cast<long long>(x.size), shape_text(ndim, wanted).c_str());
  }
  return shape;
}

// Returns a view if possible and allowed by `copy`, else reshapes a recorded copy.
ArrayRef reshape(gpuopt_array x, int ndim, const int64_t *wanted, gpuopt_copy copy) {
  const Dims shape = resolve_shape(deref_strong(x, "reshape"), ndim, wanted);
  ArrayRef view = copy == GPUOPT_COPY_ALWAYS ? ArrayRef() : reshaped_view(x, shape);
  if (view) return view;
  if (copy == GPUOPT_COPY_NEVER) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "reshape: strides of shape %s do not allow shape %s without a copy",
         shape_text(x->ndim, x->shape).c_str(), shape_text(ndim, shape.data()).c_str());
  }
  return reshaped_view(record_copy(x).get(), shape);
}

void broadcast_many(int32_t count, const int32_t *ndims, const int64_t *const *shapes, int32_t *ndim, int64_t *shape) {
  if (count < 0 || (count && (!ndims || !shapes)) || !ndim || !shape) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "broadcast_shapes: an argument is NULL");
  }
  std::vector<std::span<const int64_t>> list;
  for (int32_t i = 0; i < count; ++i) {
    checked_size(ndims[i], shapes[i], 1);
    list.emplace_back(shapes[i], static_cast<size_t>(ndims[i]));
  }
  Shape result;
  broadcast_shape(list, result, "broadcast_shapes");
  *ndim = result.ndim;
  std::copy_n(result.sizes, result.ndim, shape);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_slice(gpuopt_array x, int32_t count, const gpuopt_index *items, gpuopt_array *result,
                           gpuopt_error *error) {
  return giving_at_once(result, error, [&] {
    deref_strong(x, "slice");
    if (count < 0 || (count && !items)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "slice: the items are missing");
    // An item indexes an axis of x, adds one to the result, or is the ellipsis. Longer lists are errors, and are not
    // read.
    constexpr int most = 2 * GPUOPT_MAX_NDIM + 1;
    if (count > most) fail(GPUOPT_ERR_INDEX, "slice: %d items are given, at most %d can be used", count, most);
    if (count == 1 && items->kind == GPUOPT_INDEX_INTEGER && x->ndim > 0) {
      // Most slices are of this kind.
      ArrayRef item = item_view(*x, items->start);
      if (item) return item;
    }
    return sliced_view(x, count, items);
  });
}

gpuopt_status gpuopt_permute_dims(gpuopt_array x, const int64_t *axes, gpuopt_array *result, gpuopt_error *error) {
  return giving_at_once(result, error, [&] { return permuted_view(&deref_strong(x, "permute_dims"), axes); });
}

gpuopt_status gpuopt_matrix_transpose(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving_at_once(result, error, [&] {
    deref_strong(x, "matrix_transpose");
    if (x->ndim < 2) fail(GPUOPT_ERR_SHAPE, "matrix_transpose: %d dimensions are fewer than 2", x->ndim);
    Dims axes(x->ndim);
    for (int i = 0; i < x->ndim; ++i) axes[i] = i;
    std::swap(axes[x->ndim - 2], axes[x->ndim - 1]);
    return permuted_view(x, axes.data());
  });
}

gpuopt_status gpuopt_reshape(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_copy copy, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return reshape(x, ndim, shape, copy); });
}

gpuopt_status gpuopt_broadcast_to(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                  gpuopt_error *error) {
  return giving_at_once(result, error, [&] {
    deref_strong(x, "broadcast_to");
    checked_size(ndim, shape, 1);
    ArrayRef view = broadcast_view(x, {shape, static_cast<size_t>(ndim)}, "broadcast_to");
    view->read_only = true;  // even if no axis is broadcast, so that it does not depend on the shapes
    return view;
  });
}

gpuopt_status gpuopt_expand_dims(gpuopt_array x, int64_t axis, gpuopt_array *result, gpuopt_error *error) {
  return giving_at_once(result, error, [&] { return expanded_view(&deref_strong(x, "expand_dims"), axis); });
}

gpuopt_status gpuopt_squeeze(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving_at_once(result, error, [&] { return squeezed_view(&deref_strong(x, "squeeze"), count, axes); });
}

gpuopt_status gpuopt_ravel(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return raveled(&deref_strong(x, "ravel")); });
}

gpuopt_status gpuopt_flip(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                          gpuopt_error *error) {
  return giving_at_once(result, error, [&] { return flipped_view(&deref_strong(x, "flip"), count, axes); });
}

gpuopt_status gpuopt_broadcast_shapes(int32_t count, const int32_t *ndims, const int64_t *const *shapes, int32_t *ndim,
                                      int64_t *shape, gpuopt_error *error) {
  if (ndim) *ndim = 0;
  return guarded(error, [&] { broadcast_many(count, ndims, shapes, ndim, shape); });
}

}  // extern "C"
