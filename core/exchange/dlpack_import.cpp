// core/exchange/dlpack_import.cpp -- imports DLPack tensors as arrays.
#include <algorithm>

#include "core/array/dtype.h"
#include "core/engine/engine.h"
#include "core/engine/record.h"
#include "core/exchange/dlpack.h"
#include "core/exchange/host.h"

namespace gpuopt {
namespace {

// A tensor from either struct of DLPack. `release(context)` calls the producer's deleter.
struct Import {
  const DLTensor *tensor;
  bool read_only;
  void (*release)(void *);
  void *context;
};

template <class Managed>
void release_managed(void *context) {
  Managed *const tensor = static_cast<Managed *>(context);
  if (tensor->deleter) tensor->deleter(tensor);
}

// Returns whether the host can read memory of this DLPack device type.
bool host_readable(int32_t device_type) {
  using namespace dlpack;
  return device_type == kDeviceCpu || device_type == kDeviceCudaHost || device_type == kDeviceRocmHost ||
         device_type == kDeviceCudaManaged;
}

// Returns whether `device` can use memory of the DLPack device `there` without a copy.
bool usable(gpuopt_device device, DLDevice there) {
  if (device->host_memory()) return host_readable(there.device_type);
  return device->info.dlpack_type == there.device_type && device->info.dlpack_id == there.device_id;
}

gpuopt_dtype checked_dtype(const DLTensor &t) {
  const gpuopt_dtype dtype = dlpack::from_dlpack_dtype(t.dtype);
  if (t.dtype.lanes != 1 || !dtype)
    fail(GPUOPT_ERR_TYPE, "from_dlpack: dtype code %d of %d bits and %d lanes is not supported", t.dtype.code,
         t.dtype.bits, t.dtype.lanes);
  return dtype;
}

// Returns the strides in bytes. Throws ERR_INVALID_ARGUMENT if one overflows.
Dims byte_strides(const DLTensor &t, int itemsize) {
  Dims strides(static_cast<size_t>(t.ndim));
  if (!t.strides) {
    contiguous_strides(t.ndim, t.shape, itemsize, strides.data());
    return strides;
  }
  std::copy_n(t.strides, t.ndim, strides.begin());
  for (int64_t &stride : strides)
    if (__builtin_mul_overflow(stride, int64_t{itemsize}, &stride))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: a stride does not fit 64 bits in bytes");
  return strides;
}

// Returns the number of elements after checking shape and data pointer.
int64_t checked_elements(const DLTensor &t, gpuopt_dtype dtype) {
  if (t.ndim < 0 || t.ndim > GPUOPT_MAX_NDIM || (t.ndim && !t.shape))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: %d dimensions, or shape is NULL", t.ndim);
  const int64_t size = checked_size(t.ndim, t.shape, dtype_size(dtype));
  if (size && !t.data) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: data is NULL");
  return size;
}

// Returns why `device` cannot use the tensor in place, as text for a message, or NULL if it can.
const char *obstacle(gpuopt_device device, const DLTensor &t, const ForeignMemory &memory) {
  if (!usable(device, t.device)) return "the device cannot use the tensor's memory";
  return memory.is_aligned() ? nullptr : "the data is not aligned to its dtype";
}

// Returns a copy on `device` that no longer needs the tensor. Throws ERR_DEVICE_MISMATCH if neither the host nor
// `device` can read the tensor's memory.
ArrayRef copy_tensor(gpuopt_device device, const DLTensor &t, const ForeignMemory &memory) {
  if (host_readable(t.device.device_type)) return copy_host_memory(device, memory);
  if (!usable(device, t.device) || !memory.is_aligned())
    fail(GPUOPT_ERR_DEVICE_MISMATCH,
         "from_dlpack: %s cannot read a tensor on DLPack device type %d, number %d; export it to the host",
         device->name.c_str(), t.device.device_type, t.device.device_id);
  const ArrayRef view = wrap_memory(device, memory, true, nullptr, nullptr);
  ArrayRef copy = record_copy(view.get());
  evaluate(copy.get());
  wait_for(copy->stream.get());
  return copy;
}

// Returns an array over the tensor's memory, which it releases with the last reference, or a copy, after which the
// tensor is released at once. If this throws, the tensor stays the caller's.
ArrayRef import_tensor(gpuopt_device device, const Import &import, gpuopt_copy copy) {
  const DLTensor &t = *import.tensor;
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: copy is %d", copy);
  const gpuopt_dtype dtype = checked_dtype(t);
  const int64_t size = checked_elements(t, dtype);
  const Dims strides = byte_strides(t, dtype_size(dtype));
  char *const first = t.data ? static_cast<char *>(t.data) + t.byte_offset : nullptr;  // NULL: there are no elements
  const ForeignMemory memory{first, dtype, t.ndim, t.shape, strides.data(), size};
  const char *reason = size ? obstacle(device, t, memory) : nullptr;
  if (reason && copy == GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: a copy is needed: %s", reason);
  // The tensor does not say on which stream its producer works, so wait for the whole device. That is also needed for
  // memory that both the host and the device can access (pinned or managed), since the device may be writing to it.
  const bool shared = host_readable(t.device.device_type) && t.device.device_type != dlpack::kDeviceCpu;
  if (usable(device, t.device) || shared) wait_for_device(*device, "from_dlpack");
  if (!reason && copy != GPUOPT_COPY_ALWAYS)
    return wrap_memory(device, memory, import.read_only, import.release, import.context);
  ArrayRef x = copy_tensor(device, t, memory);
  import.release(import.context);
  return x;
}

void check_given(gpuopt_device device, const void *tensor) {
  if (!device || !tensor) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_dlpack: device or tensor is NULL");
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_from_dlpack(gpuopt_device device, DLManagedTensorVersioned *tensor, gpuopt_copy copy,
                                 gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    check_given(device, tensor);
    if (tensor->version.major != dlpack::kVersionMajor) {
      const uint32_t major = tensor->version.major, minor = tensor->version.minor;
      // The deleter is the only other member that may be used if the major version differs.
      release_managed<DLManagedTensorVersioned>(tensor);
      fail(GPUOPT_ERR_UNSUPPORTED, "from_dlpack: version %u.%u of DLPack is not known (1.x is)", major, minor);
    }
    const bool read_only = tensor->flags & dlpack::kFlagReadOnly;
    const Import import{&tensor->dl_tensor, read_only, release_managed<DLManagedTensorVersioned>, tensor};
    return import_tensor(device, import, copy);
  });
}

gpuopt_status gpuopt_from_dlpack_unversioned(gpuopt_device device, DLManagedTensor *tensor, gpuopt_copy copy,
                                             gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    check_given(device, tensor);
    return import_tensor(device, {&tensor->dl_tensor, false, release_managed<DLManagedTensor>, tensor}, copy);
  });
}

}  // extern "C"
