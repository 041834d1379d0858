// core/exchange/item.cpp -- single elements: gpuopt_array_item and gpuopt_array_set_item.
#include <cstring>

#include "core/array/dtype.h"
#include "core/engine/engine.h"
#include "core/engine/small.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

// Returns the distance in bytes from element [0,...,0] to the one at `index`, whose negative entries count from the end
// of their axes. Throws ERR_INDEX if it is out of bounds. `what` names the operation in messages.
int64_t element_offset(const gpuopt_array_s &x, const int64_t *index, const char *what) {
  if (!index && x.ndim)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: index is NULL for an array of %d dimensions", what, x.ndim);
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

// Evaluates x and returns a 0-d view of the element at an offset.
ArrayRef element_view(gpuopt_array x, int64_t offset) {
  evaluate(x);
  return make_view(x->storage.get(), x->stream, x->dtype, 0, nullptr, nullptr, x->offset + offset, x->read_only);
}

gpuopt_scalar read_item(gpuopt_array x, const int64_t *index) {
  if (x->weak) return x->scalar;
  const int64_t offset = element_offset(*x, index, "array_item");
  alignas(16) unsigned char element[16];
  if (const void *const data = readable_at_once(x)) {
    std::memcpy(element, static_cast<const char *>(data) + offset, static_cast<size_t>(dtype_size(x->dtype)));
  } else {
    copy_to_host(element_view(x, offset).get(), element);
  }
  return load_scalar(x->dtype, element);
}

// gpuopt_array_item, if the element is in memory. Returns false if not, or if something is wrong.
bool read_item_at_once(gpuopt_array x, const int64_t *index, gpuopt_scalar *value) noexcept {
  const char *const data = static_cast<const char *>(readable_at_once(x));
  if (!data || !value) return false;
  try {
    const VectorEnvironment environment;
    *value = load_scalar(x->dtype, data + element_offset(*x, index, "array_item"));
    return true;
  } catch (...) {
    return false;
  }
}

void write_item(gpuopt_array x, const int64_t *index, const gpuopt_scalar &value) {
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "array_set_item: the array is read-only");
  alignas(16) unsigned char element[16];
  store_scalar(value, x->dtype, element);
  const int64_t offset = element_offset(*x, index, "array_set_item");
  if (void *const data = address_at_once(x)) {
    std::memcpy(static_cast<char *>(data) + offset, element, static_cast<size_t>(dtype_size(x->dtype)));
  } else {
    copy_from_host(element_view(x, offset).get(), element);
  }
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_array_item(gpuopt_array x, const int64_t *index, gpuopt_scalar *value, gpuopt_error *error) {
  if (read_item_at_once(x, index, value)) return GPUOPT_OK;
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
