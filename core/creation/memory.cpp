// core/creation/memory.cpp -- gpuopt_frombuffer, as_strided, sliding_window_view and view_dtype.
#include <algorithm>
#include <cstdint>

#include "core/engine/transfer.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

// ---- Host memory

// Returns how many elements are read.
int64_t buffer_count(uint64_t bytes, int64_t offset, int64_t count, int64_t itemsize) {
  if (offset < 0 || static_cast<uint64_t>(offset) > bytes) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "frombuffer: offset must be non-negative and no greater than buffer length (%llu)",
         static_cast<unsigned long long>(bytes));
  }
  const uint64_t rest = bytes - static_cast<uint64_t>(offset), size = static_cast<uint64_t>(itemsize);
  if (count >= 0) {
    if (static_cast<uint64_t>(count) > rest / size)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "frombuffer: buffer is smaller than requested size");
    return count;
  }
  if (rest % size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "frombuffer: buffer size must be a multiple of element size");
  if (rest / size > static_cast<uint64_t>(INT64_MAX))
    fail(GPUOPT_ERR_OUT_OF_MEMORY, "frombuffer: the memory is too large");
  return static_cast<int64_t>(rest / size);
}

ArrayRef frombuffer(gpuopt_device device, const void *data, uint64_t bytes, gpuopt_dtype asked, int64_t count,
                    int64_t offset) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, "frombuffer");
  const gpuopt_stream stream = deref(device, "frombuffer").default_stream;
  const int64_t n = buffer_count(bytes, offset, count, dtype_size(dtype));
  const bool truth = dtype == GPUOPT_BOOL;  // of which any byte that is not 0 is true
  const ArrayRef made = make_array(stream, truth ? gpuopt_dtype{GPUOPT_UINT8} : dtype, 1, &n);
  if (n) {
    if (!data) fail(GPUOPT_ERR_INVALID_ARGUMENT, "frombuffer: the memory is NULL");
    copy_from_host(made.get(), static_cast<const char *>(data) + offset);
  }
  return in_dtype(made.get(), dtype);
}

// ---- Views of any shape

// Throws ERR_INDEX unless all elements of a view lie in x's storage.
void check_inside(const gpuopt_array_s &x, int32_t ndim, const int64_t *shape, const int64_t *strides) {
  __int128 first = x.offset, last = __int128{x.offset} + dtype_size(x.dtype);
  for (int i = 0; i < ndim; ++i) {
    if (strides[i] % dtype_size(x.dtype)) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "as_strided: stride %lld is no multiple of %d, the size of an element",
           static_cast<long long>(strides[i]), dtype_size(x.dtype));
    }
    const __int128 distance = __int128{strides[i]} * (shape[i] - 1);
    (distance < 0 ? first : last) += distance;
  }
  if (first < 0 || last > __int128{x.storage->bytes})
    fail(GPUOPT_ERR_INDEX, "as_strided: the view reaches outside of the array's memory, which has %llu bytes",
         static_cast<unsigned long long>(x.storage->bytes));
}

ArrayRef as_strided(gpuopt_array x, int32_t ndim, const int64_t *shape, const int64_t *strides) {
  deref_strong(x, "as_strided");
  const int64_t size = checked_size(ndim, shape, dtype_size(x->dtype));
  if (ndim && !strides) fail(GPUOPT_ERR_INVALID_ARGUMENT, "as_strided: the strides are missing");
  if (size) check_inside(*x, ndim, shape, strides);
  return restrided(x, Dims(shape, shape + ndim), Dims(strides, strides + ndim), x->offset, true);
}

ArrayRef sliding_window_view(gpuopt_array x, int32_t count, const int64_t *sizes, const int64_t *axes) {
  const char *const what = "sliding_window_view";
  deref_strong(x, what);
  if (count < 0 || count > GPUOPT_MAX_NDIM || (count && !sizes))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the sizes are missing or too many", what);
  if (!axes && count != x->ndim) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: Since axis is None, must provide window_shape for all dimensions of `x`; got %d window_shape elements "
         "and `x.ndim` is %d.",
         what, count, x->ndim);
  }
  Dims shape(x->shape, x->shape + x->ndim), strides(x->strides, x->strides + x->ndim);
  for (int i = 0; i < count; ++i) {
    const size_t axis = static_cast<size_t>(axes ? checked_axis(axes[i], x->ndim, what) : i);
    if (sizes[i] < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: `window_shape` cannot contain negative values", what);
    if (sizes[i] > shape[axis])
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: window shape cannot be larger than input array shape", what);
    shape[axis] -= sizes[i] - 1;
    shape.push_back(sizes[i]);
    strides.push_back(x->strides[axis]);
  }
  if (shape.size() > GPUOPT_MAX_NDIM) fail(GPUOPT_ERR_SHAPE, "%s: %zu dimensions are too many", what, shape.size());
  checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(x->dtype));
  return restrided(x, shape, strides, x->offset, true);
}

// ---- Views of other dtypes

// Returns what the address of each element is a multiple of.
int64_t alignment_of(gpuopt_dtype dtype) { return dtype_size(real_component(dtype)); }

void check_aligned(const gpuopt_array_s &x, const Dims &strides, gpuopt_dtype dtype) {
  const int64_t unit = alignment_of(dtype);
  const uintptr_t base = x.storage->external ? reinterpret_cast<uintptr_t>(x.storage->memory) : 0;
  bool aligned = (base + static_cast<uintptr_t>(x.offset)) % static_cast<uintptr_t>(unit) == 0;
  for (const int64_t stride : strides) aligned = aligned && stride % unit == 0;
  if (!aligned)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "view_dtype: elements of %s would not be aligned there", dtype_name(dtype));
}

// Returns the size of the last axis in elements of another dtype.
int64_t last_size(const gpuopt_array_s &x, int64_t itemsize) {
  const int last = x.ndim - 1;
  if (!x.ndim) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "view_dtype: Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  }
  if (x.size && x.shape[last] != 1 && x.strides[last] != dtype_size(x.dtype)) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "view_dtype: To change to a dtype of a different size, the last axis must be contiguous");
  }
  const int64_t bytes = x.shape[last] * dtype_size(x.dtype);
  if (bytes % itemsize) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "view_dtype: When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
         "last axis of the array.");
  }
  return bytes / itemsize;
}

ArrayRef view_dtype(gpuopt_array x, gpuopt_dtype asked) {
  const gpuopt_dtype dtype = dtype_or(asked, deref_strong(x, "view_dtype").dtype, "view_dtype");
  if (dtype == GPUOPT_BOOL && x->dtype != GPUOPT_BOOL)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "view_dtype: bytes of %s may be neither true nor false", dtype_name(x->dtype));
  Dims shape(x->shape, x->shape + x->ndim), strides(x->strides, x->strides + x->ndim);
  if (dtype_size(dtype) != dtype_size(x->dtype)) {
    const int64_t size = last_size(*x, dtype_size(dtype));
    shape.back() = size;
    strides.back() = dtype_size(dtype);
  }
  if (x->size) check_aligned(*x, strides, dtype);
  return make_view(x->storage.get(), x->stream, dtype, x->ndim, shape.data(), strides.data(), x->offset, x->read_only);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_frombuffer(gpuopt_device device, const void *data, uint64_t bytes, gpuopt_dtype dtype,
                                int64_t count, int64_t offset, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return frombuffer(device, data, bytes, dtype, count, offset); });
}

gpuopt_status gpuopt_as_strided(gpuopt_array x, int32_t ndim, const int64_t *shape, const int64_t *strides,
                                gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return as_strided(x, ndim, shape, strides); });
}

gpuopt_status gpuopt_sliding_window_view(gpuopt_array x, int32_t count, const int64_t *sizes, const int64_t *axes,
                                         gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return sliding_window_view(x, count, sizes, axes); });
}

gpuopt_status gpuopt_view_dtype(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return view_dtype(x, dtype); });
}

}  // extern "C"
