// core/exchange/dlpack_abi.h -- the structs of DLPack 1.x, with the layout of its specification
// (dmlc.github.io/dlpack).
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;  // in elements; NULL: C order
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

struct DLPackVersion {
  uint32_t major, minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

}  // extern "C"

namespace gpuopt::dlpack {

constexpr uint32_t kVersionMajor = 1, kVersionMinor = 0;
constexpr uint64_t kFlagReadOnly = 1, kFlagIsCopied = 2;
constexpr int32_t kDeviceCpu = 1, kDeviceCudaHost = 3, kDeviceRocmHost = 11, kDeviceCudaManaged = 13;

}  // namespace gpuopt::dlpack

// A compiler that laid these structs out differently would corrupt memory silently.
static_assert(sizeof(void *) != 8 || sizeof(DLTensor) == 48);
static_assert(sizeof(void *) != 8 || (offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24 &&
                                      offsetof(DLTensor, byte_offset) == 40));
static_assert(sizeof(void *) != 8 || (sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, manager_ctx) == 48));
static_assert(sizeof(void *) != 8 ||
              (sizeof(DLManagedTensorVersioned) == 80 && offsetof(DLManagedTensorVersioned, flags) == 24 &&
               offsetof(DLManagedTensorVersioned, dl_tensor) == 32));
