// bindings/python/src/dlpack_exchange.cpp -- ndarray.__dlpack_c_exchange_api__: DLPack's functions for other extension
// modules, which exchange arrays by them without calling Python.
#include <cstdio>
#include <iterator>

#include "core.h"
#include "dlpack.h"

namespace gpuopt_python {
namespace {

// The table, as DLPack's specification lays it out. All functions return 0, or -1 with a Python exception set.
struct ExchangeApi {
  uint32_t major, minor;  // the version of DLPack that has this table
  ExchangeApi *previous;  // an older table
  // Makes an array of the prototype's dtype, shape and device. Called with or without the interpreter's lock; what is
  // wrong is told by set_error(context, kind, message).
  int (*allocate)(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
                  void (*set_error)(void *context, const char *kind, const char *message));
  int (*from_object)(void *object, DLManagedTensorVersioned **out);
  int (*to_object)(DLManagedTensorVersioned *tensor, void **object);  // takes the tensor over
  // A tensor that nobody owns. NULL: an array's memory is only handed out with an owner, for whom operations wait.
  int (*view_of_object)(void *object, DLTensor *out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
};

constexpr int32_t kHost = 1, kCuda = 2, kCudaManaged = 13;

gpuopt_status open_device(DLDevice device, gpuopt_device *result, gpuopt_error *error) {
  char request[32];
  const bool cuda = device.type == kCuda || device.type == kCudaManaged;
  std::snprintf(request, sizeof request, cuda ? "cuda:%d!" : "cpu!", static_cast<int>(device.id));
  return gpuopt_device_open(request, nullptr, result, error);
}

// The dtype that DLPack describes by a code and bits; 0 if there is none.
gpuopt_dtype dtype_of(const DLTensor &tensor) {
  constexpr struct {
    uint8_t code, bits;
    gpuopt_dtype dtype;
  } known[] = {{6, 8, GPUOPT_BOOL},     {0, 8, GPUOPT_INT8},       {0, 16, GPUOPT_INT16},      {0, 32, GPUOPT_INT32},
               {0, 64, GPUOPT_INT64},   {1, 8, GPUOPT_UINT8},      {1, 16, GPUOPT_UINT16},     {1, 32, GPUOPT_UINT32},
               {1, 64, GPUOPT_UINT64},  {2, 16, GPUOPT_FLOAT16},   {4, 16, GPUOPT_BFLOAT16},   {2, 32, GPUOPT_FLOAT32},
               {2, 64, GPUOPT_FLOAT64}, {5, 64, GPUOPT_COMPLEX64}, {5, 128, GPUOPT_COMPLEX128}};
  for (const auto &row : known) {
    if (row.code == tensor.code && row.bits == tensor.bits && tensor.lanes == 1) return row.dtype;
  }
  return 0;
}

int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
             void (*set_error)(void *context, const char *kind, const char *message)) {
  *out = nullptr;
  const gpuopt_dtype dtype = dtype_of(*prototype);
  if (!dtype) return set_error(context, "TypeError", "gpuopt has no such dtype"), -1;
  Error error;
  gpuopt_device device = nullptr;
  gpuopt_array x = nullptr;
  gpuopt_status status = open_device(prototype->device, &device, &error);
  if (status == GPUOPT_OK) status = gpuopt_empty(device, dtype, prototype->ndim, prototype->shape, &x, &error);
  if (status == GPUOPT_OK) status = gpuopt_to_dlpack(x, -1, GPUOPT_COPY_NEVER, out, &error);
  gpuopt_array_release(x);
  gpuopt_device_release(device);
  if (status == GPUOPT_OK) return 0;
  set_error(context, status == GPUOPT_ERR_OUT_OF_MEMORY ? "MemoryError" : "BufferError", error.value.message);
  return -1;
}

int from_object(void *object, DLManagedTensorVersioned **out) {
  *out = nullptr;
  if (!is_array(static_cast<PyObject *>(object))) return fail(PyExc_TypeError, "this is no gpuopt.ndarray"), -1;
  const gpuopt_array x = handle_of(static_cast<PyObject *>(object));
  Error error;
  gpuopt_status status;
  {
    const Unlocked unlocked;
    status = gpuopt_to_dlpack(x, -1, GPUOPT_COPY_NEVER, out, &error);
  }
  if (status == GPUOPT_OK) return 0;
  raise_as(PyExc_BufferError, error.value, "%s", error.value.message);
  return -1;
}

int to_object(DLManagedTensorVersioned *tensor, void **object) {
  *object = nullptr;
  if (tensor->major != 1) {
    fail(PyExc_BufferError, "the tensor is of DLPack %u, and only 1 is known", tensor->major);
    return -1;
  }
  Error error;
  gpuopt_device device = nullptr;
  gpuopt_array x = nullptr;
  auto *const borrowed = new Borrowed<DLManagedTensorVersioned>(tensor);
  gpuopt_status status;
  {
    const Unlocked unlocked;
    status = open_device(tensor->tensor.device, &device, &error);
    if (status == GPUOPT_OK) status = gpuopt_from_dlpack(device, &borrowed->tensor, GPUOPT_COPY_IF_NEEDED, &x, &error);
    gpuopt_device_release(device);
  }
  if (status != GPUOPT_OK) {
    delete borrowed;  // what failed stays the caller's
    raise_as(PyExc_BufferError, error.value, "%s", error.value.message);
    return -1;
  }
  *object = new_array(x);
  return *object ? 0 : -1;
}

// The stream that operations on new arrays run on.
int current_stream(int32_t device_type, int32_t device_id, void **stream) {
  *stream = nullptr;
  if (device_type == kHost) return 0;
  const DLDevice wanted = {device_type, device_id};
  gpuopt_device device = nullptr;
  gpuopt_stream own = nullptr;
  const bool done = run([&](gpuopt_error *error) {
    gpuopt_status status = open_device(wanted, &device, error);
    if (status == GPUOPT_OK) status = gpuopt_stream_default(device, &own, error);
    if (status == GPUOPT_OK) status = gpuopt_stream_native(own, stream, error);
    gpuopt_stream_release(own);
    gpuopt_device_release(device);
    return status;
  });
  return done ? 0 : -1;
}

}  // namespace

bool add_dlpack_exchange() {
  static ExchangeApi api = {1, 2, nullptr, allocate, from_object, to_object, nullptr, current_stream};
  PyObject *const table = PyCapsule_New(&api, "dlpack_exchange_api", nullptr);
  PyObject *const type = reinterpret_cast<PyObject *>(array_type);
  const bool good = table && PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", table) == 0;
  Py_XDECREF(table);
  return good;
}

}  // namespace gpuopt_python
