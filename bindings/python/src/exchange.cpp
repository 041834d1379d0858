// bindings/python/src/exchange.cpp -- elements to and from the outside: DLPack, the buffer protocol, host memory.
//
// A window on an array's memory is exported by DLPack, never by gpuopt_array_data: only the former keeps operations
// that are recorded later from seeing, or hiding, what is written through the window.
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "core.h"
#include "dlpack.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

constexpr uint64_t read_only_flag = 1;

// ---- DLPack --------------------------------------------------------------------------------------------------------

template <class Tensor>
struct Name;
template <>
struct Name<DLManagedTensor> {
  static constexpr const char *fresh = "dltensor", *used = "used_dltensor";
};
template <>
struct Name<DLManagedTensorVersioned> {
  static constexpr const char *fresh = "dltensor_versioned", *used = "used_dltensor_versioned";
};

// A capsule that nobody has consumed gives its tensor back.
template <class Tensor>
void end_capsule(PyObject *self) {
  if (!PyCapsule_IsValid(self, Name<Tensor>::fresh)) return;
  Tensor *tensor = static_cast<Tensor *>(PyCapsule_GetPointer(self, Name<Tensor>::fresh));
  if (tensor->deleter) tensor->deleter(tensor);
}

template <class Tensor>
PyObject *tensor_capsule(Tensor *tensor) {
  PyObject *result = PyCapsule_New(tensor, Name<Tensor>::fresh, end_capsule<Tensor>);
  if (!result) tensor->deleter(tensor);
  return result;
}

constexpr DLDevice kHost = {1, 0};

// x._dlpack(versioned, stream, copy, to_host): what __dlpack__ makes of its arguments. With to_host the memory, which
// the host can use in place, is called the host's.
PyObject *export_tensor(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
  Argument<int32_t> versioned, copy, to_host;
  Argument<int64_t> stream;
  if (!takes(given, 4) || !versioned.read(arguments[0]) || !stream.read(arguments[1]) || !copy.read(arguments[2]) ||
      !to_host.read(arguments[3])) {
    return nullptr;
  }
  const gpuopt_array x = handle_of(self);
  DLManagedTensorVersioned *tensor = nullptr;
  DLManagedTensor *plain = nullptr;
  const bool done = run([&](gpuopt_error *error) {
    return versioned.get() ? gpuopt_to_dlpack(x, stream.get(), copy.get(), &tensor, error)
                           : gpuopt_to_dlpack_unversioned(x, stream.get(), copy.get(), &plain, error);
  });
  if (!done) return nullptr;
  if (to_host.get()) (tensor ? tensor->tensor : plain->tensor).device = kHost;
  return tensor ? tensor_capsule(tensor) : tensor_capsule(plain);
}

// What call_later() has been given.
struct Later {
  void (*end)(void *);
  void *tensor;
};
std::mutex later_mutex;
std::vector<Later> later;
bool later_scheduled;

int delete_now(void *) {
  std::vector<Later> taken;
  {
    const std::lock_guard<std::mutex> lock(later_mutex);
    taken.swap(later);
    later_scheduled = false;
  }
  for (const Later &one : taken) one.end(one.tensor);
  return 0;
}

}  // namespace

void call_later(void (*end)(void *), void *tensor) {
  bool schedule = false;
  {
    const std::lock_guard<std::mutex> lock(later_mutex);
    later.push_back({end, tensor});
    schedule = !std::exchange(later_scheduled, true);
  }
  // Without the mutex, because it may wait for other threads of Python's.
  if (!schedule || (Py_IsInitialized() && Py_AddPendingCall(delete_now, nullptr) == 0)) return;
  const std::lock_guard<std::mutex> lock(later_mutex);
  later_scheduled = false;
}

namespace {

// The tensor of a capsule, which is used from now on: of several threads one gets it. NULL with an exception set.
template <class Tensor>
Tensor *consume(PyObject *object) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  void *pointer = PyCapsule_GetPointer(object, Name<Tensor>::fresh);
  if (!pointer || PyCapsule_SetName(object, Name<Tensor>::used) != 0) return nullptr;
  return static_cast<Tensor *>(pointer);
}

template <class Tensor, class Import>
PyObject *import_capsule(PyObject *object, Import import) {
  Tensor *producer = consume<Tensor>(object);
  if (!producer) return nullptr;
  auto *borrowed = new Borrowed<Tensor>(producer);
  gpuopt_array result = nullptr;
  if (!run([&](gpuopt_error *error) { return import(&borrowed->tensor, &result, error); })) {
    delete borrowed;  // what failed stays the caller's: the capsule has it again
    PyCapsule_SetName(object, Name<Tensor>::fresh);
    return nullptr;
  }
  return new_array(result);
}

// from_dlpack(device, capsule, copy)
PyObject *import_tensor(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_device> device;
  Argument<int32_t> copy;
  if (!takes(given, 3) || !device.read(arguments[0]) || !copy.read(arguments[2])) return nullptr;
  PyObject *object = arguments[1];
  if (PyCapsule_IsValid(object, Name<DLManagedTensorVersioned>::fresh)) {
    const void *pointer = PyCapsule_GetPointer(object, Name<DLManagedTensorVersioned>::fresh);
    const uint32_t major = static_cast<const DLManagedTensorVersioned *>(pointer)->major;
    if (major != 1) return fail(PyExc_BufferError, "the tensor is of DLPack %u, and only 1 is known", major);
    const auto import = [&](auto *tensor, gpuopt_array *result, gpuopt_error *error) {
      return gpuopt_from_dlpack(device.get(), tensor, copy.get(), result, error);
    };
    return import_capsule<DLManagedTensorVersioned>(object, import);
  }
  const auto import = [&](auto *tensor, gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_from_dlpack_unversioned(device.get(), tensor, copy.get(), result, error);
  };
  return import_capsule<DLManagedTensor>(object, import);
}

// The (type, id) of __dlpack_device__ is what an export says; x is evaluated by it.
PyObject *dlpack_device(PyObject *self, PyObject *) {
  const gpuopt_array x = handle_of(self);
  DLManagedTensorVersioned *tensor = nullptr;
  const auto call = [&](gpuopt_error *error) { return gpuopt_to_dlpack(x, -1, GPUOPT_COPY_IF_NEEDED, &tensor, error); };
  if (!run(call)) return nullptr;
  PyObject *pair = Py_BuildValue("ii", tensor->tensor.device.type, tensor->tensor.device.id);
  tensor->deleter(tensor);
  return pair;
}

// ---- The buffer protocol -------------------------------------------------------------------------------------------

// Py_buffer, which is not declared in the limited API of 3.10; 3.11 made this layout part of the stable ABI.
struct Buffer {
  void *data;
  PyObject *owner;
  Py_ssize_t length, item_size;
  int read_only, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
};
enum { WRITABLE = 1, FORMAT = 4, ND = 8, STRIDES = 16 | ND };

// The formats of the struct module; bfloat16 has none.
const char *format_of(gpuopt_dtype dtype) {
  static const char *const formats[GPUOPT_DTYPE_COUNT] = {nullptr, "?", "b", "h",     "i", "q", "B",  "H",
                                                          "I",     "Q", "e", nullptr, "f", "d", "Zf", "Zd"};
  return formats[dtype];
}

int refuse(Buffer *view, const char *why) {
  view->owner = nullptr;
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_BufferError, why);
  return -1;
}

DLManagedTensorVersioned *export_window(gpuopt_array x) {
  DLManagedTensorVersioned *tensor = nullptr;
  const auto call = [&](gpuopt_error *error) { return gpuopt_to_dlpack(x, 0, GPUOPT_COPY_NEVER, &tensor, error); };
  return run(call) ? tensor : nullptr;
}

void fill_buffer(Buffer *view, gpuopt_array x, DLManagedTensorVersioned *tensor, int flags) {
  view->data = static_cast<char *>(tensor->tensor.data) + tensor->tensor.byte_offset;
  view->length = static_cast<Py_ssize_t>(gpuopt_array_nbytes(x));
  view->item_size = static_cast<Py_ssize_t>(gpuopt_dtype_size(gpuopt_array_dtype(x)));
  view->read_only = (tensor->flags & read_only_flag) != 0;
  view->ndim = gpuopt_array_ndim(x);
  view->format = flags & FORMAT ? const_cast<char *>(format_of(gpuopt_array_dtype(x))) : nullptr;
  // The array is held by the view, and these by the array.
  view->shape = flags & ND ? const_cast<Py_ssize_t *>(gpuopt_array_shape(x)) : nullptr;
  view->strides = (flags & STRIDES) == STRIDES ? const_cast<Py_ssize_t *>(gpuopt_array_strides(x)) : nullptr;
  view->suboffsets = nullptr;
  view->internal = tensor;
}

// The window of an array that stays as long as it does; NULL with an exception set.
const DLManagedTensorVersioned *lasting_window(Array &array) {
  const std::atomic_ref<void *> window(array.window);
  void *first = window.load();
  if (first) return static_cast<DLManagedTensorVersioned *>(first);
  DLManagedTensorVersioned *const made = export_window(handle_of(reinterpret_cast<PyObject *>(&array)));
  if (!made || window.compare_exchange_strong(first, made)) return made;
  made->deleter(made);  // another thread was first
  return static_cast<DLManagedTensorVersioned *>(first);
}

// x._window(): (address, whether it is read-only, the type of the device) of memory that stays exported as long as the
// array lives, because those who are told an address alone hold the array alone.
PyObject *window(PyObject *self, PyObject *) {
  const auto *tensor = lasting_window(*reinterpret_cast<Array *>(self));
  if (!tensor) return nullptr;
  const auto address = reinterpret_cast<unsigned long long>(tensor->tensor.data) + tensor->tensor.byte_offset;
  return Py_BuildValue("KOi", address, tensor->flags & read_only_flag ? Py_True : Py_False, tensor->tensor.device.type);
}

// ---- Host memory ---------------------------------------------------------------------------------------------------

// from_host(device, address, dtype, ndim, shape, strides): a copy of memory that the caller keeps until this returns.
PyObject *from_host(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_device> device;
  Argument<uint64_t> address;
  Argument<int32_t> dtype, ndim;
  Argument<const int64_t *> shape, strides;
  if (!takes(given, 6) || !device.read(arguments[0]) || !address.read(arguments[1]) || !dtype.read(arguments[2]) ||
      !ndim.read(arguments[3]) || !shape.read(arguments[4]) || !strides.read(arguments[5])) {
    return nullptr;
  }
  return array_from(true, [&](gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_from_host(device.get(), reinterpret_cast<void *>(address.get()), dtype.get(), ndim.get(), shape.get(),
                            strides.get(), GPUOPT_COPY_ALWAYS, nullptr, nullptr, result, error);
  });
}

// x._to_host(address, bytes)
PyObject *to_host(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
  Argument<uint64_t> address, bytes;
  if (!takes(given, 2) || !address.read(arguments[0]) || !bytes.read(arguments[1])) return nullptr;
  const gpuopt_array x = handle_of(self);
  const bool done = run([&](gpuopt_error *error) {
    return gpuopt_to_host(x, reinterpret_cast<void *>(address.get()), bytes.get(), error);
  });
  return done ? Py_NewRef(Py_None) : nullptr;
}

// x._text(precision, threshold, edgeitems, linewidth, repr)
PyObject *to_text(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
  Argument<int32_t> numbers[5];
  for (int at = 0; at < 5; ++at) {
    if (!takes(given, 5) || !numbers[at].read(arguments[at])) return nullptr;
  }
  const gpuopt_print_options options = {sizeof(gpuopt_print_options),
                                        numbers[0].get(),
                                        numbers[1].get(),
                                        numbers[2].get(),
                                        numbers[3].get(),
                                        numbers[4].get()};
  const gpuopt_array x = handle_of(self);
  char *string = nullptr;
  const auto call = [&](gpuopt_error *error) { return gpuopt_array_to_string(x, &options, &string, error); };
  return run(call) ? result_object(string) : nullptr;
}

PyObject *npz_names(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_npz> npz;
  if (!takes(given, 1) || !npz.read(arguments[0])) return nullptr;
  const int32_t count = gpuopt_npz_count(npz.get());
  PyObject *names = PyTuple_New(count);
  for (int32_t at = 0; names && at < count; ++at) {
    PyTuple_SetItem(names, at, PyUnicode_FromString(gpuopt_npz_name(npz.get(), at)));
  }
  return names;
}

}  // namespace

void end_window(void *window) {
  auto *tensor = static_cast<DLManagedTensorVersioned *>(window);
  tensor->deleter(tensor);
}

int array_get_buffer(PyObject *self, void *pointer, int flags) {
  Buffer *view = static_cast<Buffer *>(pointer);
  const gpuopt_array x = handle_of(self);
  if (!format_of(gpuopt_array_dtype(x))) return refuse(view, "bfloat16 has no format of the buffer protocol");
  if ((flags & STRIDES) != STRIDES && !gpuopt_array_is_contiguous(x)) {
    return refuse(view, "ndarray is not C-contiguous");
  }
  if ((flags & WRITABLE) && gpuopt_array_is_read_only(x)) return refuse(view, "buffer source array is read-only");
  DLManagedTensorVersioned *tensor = export_window(x);
  if (!tensor) return refuse(view, "");
  constexpr int32_t host = 1;
  if (tensor->tensor.device.type != host) {
    tensor->deleter(tensor);
    return refuse(view, "the array is in the memory of a device: use .get()");
  }
  fill_buffer(view, x, tensor, flags);
  view->owner = Py_NewRef(self);
  return 0;
}

void array_release_buffer(PyObject *, void *view) {
  auto *tensor = static_cast<DLManagedTensorVersioned *>(static_cast<Buffer *>(view)->internal);
  tensor->deleter(tensor);
}

PyMethodDef exchange_functions[] = {
    {"from_dlpack", method(import_tensor), METH_FASTCALL, nullptr},
    {"npz_names", method(npz_names), METH_FASTCALL, nullptr},
    {"from_host", method(from_host), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef exchange_methods[] = {
    {"_dlpack", method(export_tensor), METH_FASTCALL, nullptr},
    {"_window", window, METH_NOARGS, nullptr},
    {"_to_host", method(to_host), METH_FASTCALL, nullptr},
    {"_text", method(to_text), METH_FASTCALL, nullptr},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "The device's type and number, as DLPack has them."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
