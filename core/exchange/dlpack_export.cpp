// core/exchange/dlpack_export.cpp -- arrays as DLPack tensors.
#include <memory>

#include "core/array/dtype.h"
#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/exchange/dlpack.h"
#include "core/exchange/host.h"

namespace gpuopt {
namespace {

struct DtypeCode {
  uint8_t code, bits;
};

constexpr DtypeCode kDtypeCodes[] = {
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) {dlpack_code, dlpack_bits},
#include <gpuopt/dtypes.def>
};

// A managed tensor with what it points to: the array that keeps the memory, the shape and strides. `Managed` is either
// struct.
template <class Managed>
struct Export {
  Managed tensor{};
  ArrayRef array;
  Dims shape, strides;
  // The consumer may have left work on streams of its own: only when that is done may ours write to the memory again. A
  // device that fails meanwhile is lost, and says so when it is used next.
  static void release(Managed *tensor) {
    const std::unique_ptr<Export> own(static_cast<Export *>(tensor->manager_ctx));
    try {
      wait_for_device(*own->array->device(), "release");
    } catch (...) {
    }
  }
};

bool strides_are_whole(const gpuopt_array_s &x) {
  for (int k = 0; k < x.ndim; ++k)
    if (x.strides[k] % dtype_size(x.dtype)) return false;
  return true;
}

// x or a copy of it, evaluated.
ArrayRef array_to_export(gpuopt_array x, gpuopt_copy copy, bool &copied) {
  const gpuopt_array_s &array = deref_strong(x, "to_dlpack");
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: copy is %d", copy);
  copied = copy == GPUOPT_COPY_ALWAYS || !strides_are_whole(array);
  if (copied && copy == GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: a copy is needed: the strides are not multiples of the item size");
  ArrayRef result = copied ? record_copy(x) : ArrayRef::share(x);
  // From the mark on others may write to the memory whenever they like: nothing that reads it is recorded in between.
  EngineLock lock(engine_of(result->device()).mutex);
  prepare_write(result.get());
  result->storage->exported = true;
  return result;
}

DLTensor describe(const gpuopt_array_s &x, Dims &shape, Dims &strides) {
  shape.assign(x.shape, x.shape + x.ndim);
  strides.assign(x.strides, x.strides + x.ndim);
  for (int64_t &stride : strides) stride /= dtype_size(x.dtype);
  shape.reserve(1);  // a 0-d tensor has pointers too
  strides.reserve(1);
  const gpuopt_plugin_device_info &info = x.device()->info;
  return {x.size ? address(x) : nullptr,
          {info.dlpack_type, info.dlpack_id},
          x.ndim,
          dlpack::to_dlpack_dtype(x.dtype),
          shape.data(),
          strides.data(),
          0};
}

template <class Managed>
std::unique_ptr<Export<Managed>> export_array(gpuopt_array x, int64_t stream, gpuopt_copy copy, bool &copied) {
  auto exported = std::make_unique<Export<Managed>>();
  exported->array = array_to_export(x, copy, copied);
  // The consumer's stream could only be made to wait through its vendor's API; waiting here is right on any. Others
  // whom the memory was handed to before may have written it too, on streams we do not know.
  if (stream != -1) wait_for_device(*exported->array->device(), "to_dlpack");
  exported->tensor.dl_tensor = describe(*exported->array, exported->shape, exported->strides);
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = Export<Managed>::release;
  return exported;
}

}  // namespace

DLDataType dlpack::to_dlpack_dtype(gpuopt_dtype dtype) {
  return {kDtypeCodes[dtype - 1].code, kDtypeCodes[dtype - 1].bits, 1};
}

gpuopt_dtype dlpack::from_dlpack_dtype(DLDataType type) {
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d)
    if (kDtypeCodes[d - 1].code == type.code && kDtypeCodes[d - 1].bits == type.bits) return d;
  return 0;
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_to_dlpack(gpuopt_array x, int64_t stream, gpuopt_copy copy, DLManagedTensorVersioned **tensor,
                               gpuopt_error *error) {
  if (tensor) *tensor = nullptr;
  return guarded(error, [&] {
    if (!tensor) fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: tensor is NULL");
    bool copied = false;
    auto exported = export_array<DLManagedTensorVersioned>(x, stream, copy, copied);
    exported->tensor.version = {dlpack::kVersionMajor, dlpack::kVersionMinor};
    exported->tensor.flags =
        (exported->array->read_only ? dlpack::kFlagReadOnly : 0) | (copied ? dlpack::kFlagIsCopied : 0);
    *tensor = &exported.release()->tensor;
  });
}

gpuopt_status gpuopt_to_dlpack_unversioned(gpuopt_array x, int64_t stream, gpuopt_copy copy, DLManagedTensor **tensor,
                                           gpuopt_error *error) {
  if (tensor) *tensor = nullptr;
  return guarded(error, [&] {
    if (!tensor) fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: tensor is NULL");
    if (deref(x, "x").read_only && copy != GPUOPT_COPY_ALWAYS)
      fail(GPUOPT_ERR_READ_ONLY,
           "to_dlpack_unversioned: the array is read-only, which this struct cannot say; copy it");
    bool copied = false;
    *tensor = &export_array<DLManagedTensor>(x, stream, copy, copied).release()->tensor;
  });
}

}  // extern "C"
