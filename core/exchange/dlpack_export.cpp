// core/exchange/dlpack_export.cpp -- exports arrays as DLPack tensors.
#include <memory>

#include "core/array/dtype.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/record.h"
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

// A managed tensor together with what it points to: shape, strides, and the array, whose reference keeps the memory.
// `Managed` is DLManagedTensor or DLManagedTensorVersioned; its manager_ctx points back to this object.
template <class Managed>
struct Export {
  Managed tensor{};
  ArrayRef array;
  Dims shape, strides;
  // The deleter, which the consumer calls from any thread. Work of the consumer may still run on its own streams, so
  // this waits for the whole device before the memory can be reused. A failure cannot be reported here: the device is
  // then lost, and its next use reports that.
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

// Returns x, or a copy of it if `copy` asks for one or DLPack cannot express the strides; `copied` tells which. The
// result is evaluated and its storage marked as exported. Throws ERR_INVALID_ARGUMENT if a copy is needed but
// forbidden.
ArrayRef array_to_export(gpuopt_array x, gpuopt_copy copy, bool &copied) {
  const gpuopt_array_s &array = deref_strong(x, "to_dlpack");
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: copy is %d", copy);
  copied = copy == GPUOPT_COPY_ALWAYS || !strides_are_whole(array);
  if (copied && copy == GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_dlpack: a copy is needed: the strides are not multiples of the item size");
  ArrayRef result = copied ? record_copy(x) : ArrayRef::share(x);
  // Once the storage is marked, the consumer may write to it at any time. Both steps happen under the lock, so that no
  // thread can record an operation that reads the old contents between them.
  check_usable(*result->device(), "to_dlpack");
  Access access(result->device(), {}, result.get());
  access.prepare_write();
  result->storage->exported = true;
  return result;
}

// Returns a tensor over the memory of x. It points into `shape` and `strides`, which this fills and the caller keeps.
DLTensor describe(const gpuopt_array_s &x, Dims &shape, Dims &strides) {
  shape.assign(x.shape, x.shape + x.ndim);
  strides.assign(x.strides, x.strides + x.ndim);
  for (int64_t &stride : strides) stride /= dtype_size(x.dtype);
  shape.reserve(1);  // so that data() is not NULL for a 0-d tensor either
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

// Exports x. `stream` is the consumer's, as DLPack's Python specification encodes it; only -1, "do not synchronize",
// makes a difference.
template <class Managed>
std::unique_ptr<Export<Managed>> export_array(gpuopt_array x, int64_t stream, gpuopt_copy copy, bool &copied) {
  auto exported = std::make_unique<Export<Managed>>();
  exported->array = array_to_export(x, copy, copied);
  // Making the consumer's stream wait would take the vendor's API; waiting here for the whole device is correct for
  // every stream. It also covers earlier consumers of the same memory, which may write to it on streams of their own.
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
