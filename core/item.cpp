// core/item.cpp -- single elements: gpuopt_array_item and gpuopt_array_set_item.
#include "dtype.h"
#include "engine.h"

namespace gpuopt {
namespace {


// Bytes from element [0,...,0] to the one at `index`.
int64_t element_offset(const gpuopt_array_s &x, const int64_t *index, const char *what) {
  if (!index && x.ndim) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: index is NULL for an array of %d dimensions", what, x.ndim);
  int64_t offset = 0;
  for (int k = 0; k < x.ndim; ++k) {
    const int64_t at = index[k] < 0 ? index[k] + x.shape[k] : index[k];
    if (at < 0 || at >= x.shape[k])
      fail(GPUOPT_ERR_INDEX, "%s: index %s is out of bounds for shape %s", what, shape_text(x.ndim, index).c_str(),
           shape_text(x.ndim, x.shape).c_str());
    offset += at * x.strides[k];
  }
  return offset;
}

gpuopt_scalar read_item(gpuopt_array x, const int64_t *index) {
  if (x->weak) return x->scalar;
  const int64_t offset = element_offset(*x, index, "array_item");
  evaluate(x);
  alignas(16) unsigned char element[16];
  call_slot(x->device(), "array_item", x->device()->api().copy_to_host, x->stream->handle, element, address(*x) + offset,
            static_cast<uint64_t>(dtype_size(x->dtype)));
  return load_scalar(x->dtype, element);
}

void write_item(gpuopt_array x, const int64_t *index, const gpuopt_scalar &value) {
  if (x->weak) fail(GPUOPT_ERR_READ_ONLY, "array_set_item: a weak scalar cannot be written to");
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "array_set_item: the array is read-only");
  const int64_t offset = element_offset(*x, index, "array_set_item");
  alignas(16) unsigned char element[16];
  store_scalar(value, x->dtype, element);
  prepare_write(x);
  call_slot(x->device(), "array_set_item", x->device()->api().copy_from_host, x->stream->handle, address(*x) + offset, element,
            static_cast<uint64_t>(dtype_size(x->dtype)));
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_array_item(gpuopt_array x, const int64_t *index, gpuopt_scalar *value, gpuopt_error *error) {
  if (value) *value = gpuopt_scalar{};
  return guarded(error, [&] {
    deref(x, "x");
    if (!value) fail(GPUOPT_ERR_INVALID_ARGUMENT, "array_item: value is NULL");
    *value = read_item(x, index);
  });
}

gpuopt_status gpuopt_array_set_item(gpuopt_array x, const int64_t *index, gpuopt_scalar value, gpuopt_error *error) {
  return guarded(error, [&] {
    deref(x, "x");
    write_item(x, index, value);
  });
}

}  // extern "C"
