// bindings/python/src/array.cpp -- the type gpuopt.ndarray: its life, its facts, and the slots that other files fill.
#include "core.h"
// In this order: the second stands on the first.
#include <structmember.h>

#include <cstddef>
#include <vector>

namespace gpuopt_python {

PyTypeObject *array_type;

namespace {

// The memory of some arrays that have ended, for the next ones. Where several threads run at once, there is none.
#ifdef Py_GIL_DISABLED
constexpr int kMostSpare = 0;
#else
constexpr int kMostSpare = 32;
#endif
PyObject *spare[kMostSpare + 1];
int spares;

PyObject *take_memory() {
  if (spares > 0) return PyObject_Init(spare[--spares], array_type);
  static const allocfunc allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(array_type, Py_tp_alloc));
  return allocate(array_type, 0);
}

void give_memory(PyObject *self) {
  if (spares < kMostSpare) {
    spare[spares++] = self;
    return;
  }
  static const freefunc free = reinterpret_cast<freefunc>(PyType_GetSlot(array_type, Py_tp_free));
  free(self);
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);  // which has no subclasses
  Array *array = reinterpret_cast<Array *>(self);
  if (array->weak_references) PyObject_ClearWeakRefs(self);
  if (array->window) end_window(array->window);
  Py_XDECREF(array->whole);
  gpuopt_array_release(array->handle);
  give_memory(self);
  Py_DECREF(type);
}

// ndarray(shape, dtype=float64): as NumPy's and CuPy's, an array whose elements have no values yet.
PyObject *create(PyTypeObject *, PyObject *arguments, PyObject *keywords) {
  static PyObject *creator;
  if (!import_from("gpuopt._creation", "new", creator)) return nullptr;
  return PyObject_Call(creator, arguments, keywords);
}

PyObject *numbers(const int64_t *values, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t at = 0; tuple && at < count; ++at) {
    PyObject *number = PyLong_FromLongLong(values[at]);
    if (!number) return nullptr;
    PyTuple_SetItem(tuple, at, number);
  }
  return tuple;
}

PyObject *get_dtype(PyObject *self, void *) { return numpy_dtype(gpuopt_array_dtype(handle_of(self))); }
PyObject *get_shape(PyObject *self, void *) {
  return numbers(gpuopt_array_shape(handle_of(self)), gpuopt_array_ndim(handle_of(self)));
}
PyObject *get_strides(PyObject *self, void *) {
  return numbers(gpuopt_array_strides(handle_of(self)), gpuopt_array_ndim(handle_of(self)));
}
PyObject *get_ndim(PyObject *self, void *) { return PyLong_FromLong(gpuopt_array_ndim(handle_of(self))); }
PyObject *get_size(PyObject *self, void *) { return PyLong_FromLongLong(gpuopt_array_size(handle_of(self))); }
PyObject *get_nbytes(PyObject *self, void *) { return PyLong_FromLongLong(gpuopt_array_nbytes(handle_of(self))); }
PyObject *get_itemsize(PyObject *self, void *) {
  return PyLong_FromSize_t(gpuopt_dtype_size(gpuopt_array_dtype(handle_of(self))));
}
PyObject *get_device(PyObject *self, void *) { return device_of(handle_of(self)); }
PyObject *get_transposed(PyObject *self, void *) {
  const gpuopt_array x = handle_of(self);
  return array_from(false,
                    [=](gpuopt_array *r, gpuopt_error *error) { return gpuopt_permute_dims(x, nullptr, r, error); });
}
PyObject *get_matrix_transposed(PyObject *self, void *) {
  const gpuopt_array x = handle_of(self);
  if (gpuopt_array_ndim(x) < 2) return fail(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
  return array_from(false, [=](gpuopt_array *r, gpuopt_error *error) { return gpuopt_matrix_transpose(x, r, error); });
}
PyObject *get_contiguous(PyObject *self, void *) {
  return PyBool_FromLong(gpuopt_array_is_contiguous(handle_of(self)));
}
PyObject *get_read_only(PyObject *self, void *) { return PyBool_FromLong(gpuopt_array_is_read_only(handle_of(self))); }

PyGetSetDef attributes[] = {
    {"dtype", get_dtype, nullptr, "The type of the elements, a numpy.dtype.", nullptr},
    {"shape", get_shape, nullptr, "The size of each dimension.", nullptr},
    {"strides", get_strides, nullptr, "The bytes from one element to the next along each dimension.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"nbytes", get_nbytes, nullptr, "The bytes of all elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "The bytes of one element.", nullptr},
    {"device", get_device, nullptr, "The device that the elements are on.", nullptr},
    {"T", get_transposed, nullptr, "A view with the dimensions in reverse order.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "A view with the last two dimensions swapped.", nullptr},
    {"_contiguous", get_contiguous, nullptr, "Whether the elements lie in C order without gaps.", nullptr},
    {"_read_only", get_read_only, nullptr, "Whether the elements must not be written to.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject *text(PyObject *self, int32_t repr) {
  const gpuopt_array x = handle_of(self);
  const gpuopt_print_options options = {sizeof(gpuopt_print_options), 0, 0, 0, 0, repr};
  char *string = nullptr;
  if (!run([&](gpuopt_error *error) { return gpuopt_array_to_string(x, &options, &string, error); })) return nullptr;
  PyObject *result = PyUnicode_FromString(string);
  gpuopt_string_free(string);
  return result;
}
PyObject *as_text(PyObject *self) { return text(self, 0); }
PyObject *as_repr(PyObject *self) { return text(self, 1); }

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

const char type_doc[] =
    "ndarray(shape, dtype=float64)\n--\n\n"
    "An array of numbers on a device. gpuopt.zeros, gpuopt.asarray and others make arrays;\n"
    "ndarray itself makes one whose elements have no values yet.";

template <class T>
void *pointer(T *value) {
  return const_cast<void *>(reinterpret_cast<const void *>(value));
}

void add_methods(std::vector<PyMethodDef> &all, const PyMethodDef *methods) {
  for (; methods->ml_name; ++methods) all.push_back(*methods);
}

}  // namespace

int array_get_buffer(PyObject *self, void *view, int flags);  // exchange.cpp
void array_release_buffer(PyObject *self, void *view);

namespace {

PyObject *make(gpuopt_array handle, PyObject *whole, int64_t at) {
  PyObject *self = take_memory();
  if (!self) return nullptr;
  Array *array = reinterpret_cast<Array *>(self);
  array->handle = handle;
  array->weak_references = nullptr;
  array->window = nullptr;
  array->whole = whole;
  array->at = at;
  return self;
}

}  // namespace

PyObject *new_array(gpuopt_array handle) {
  if (!handle) return nullptr;
  PyObject *self = make(handle, nullptr, 0);
  if (!self) gpuopt_array_release(handle);
  return self;
}

PyObject *new_element(PyObject *whole, int64_t at) {
  PyObject *self = make(nullptr, Py_NewRef(whole), at);
  if (!self) Py_DECREF(whole);
  return self;
}

gpuopt_array make_element(Array &array) {
  const gpuopt_index item = {GPUOPT_INDEX_INTEGER, 0, array.at, 0, 1};
  gpuopt_array made = nullptr, first = nullptr;
  if (gpuopt_slice(handle_of(array.whole), 1, &item, &made, nullptr) != GPUOPT_OK) return nullptr;
  if (std::atomic_ref(array.handle).compare_exchange_strong(first, made)) return made;
  gpuopt_array_release(made);  // another thread was first
  return first;
}

bool make_array_type(PyObject *module) {
  static std::vector<PyMethodDef> methods;
  add_methods(methods, reduction_methods);
  add_methods(methods, exchange_methods);
  methods.push_back({nullptr, nullptr, 0, nullptr});
  std::vector<PyType_Slot> slots = {
      {Py_tp_dealloc, pointer(deallocate)},
      {Py_tp_new, pointer(create)},
      {Py_tp_doc, pointer(type_doc)},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {Py_tp_methods, methods.data()},
      {Py_tp_str, pointer(as_text)},
      {Py_tp_repr, pointer(as_repr)},
      {Py_tp_iter, pointer(array_iterator)},
      {Py_mp_length, pointer(array_length)},
      {Py_mp_subscript, pointer(array_subscript)},
      {Py_mp_ass_subscript, pointer(array_assign_subscript)},
      {Py_sq_length, pointer(array_length)},
      {Py_sq_item, pointer(array_item)},
      {1, pointer(array_get_buffer)},      // Py_bf_getbuffer and
      {2, pointer(array_release_buffer)},  // Py_bf_releasebuffer, which the limited API names from 3.11 on only
  };
  for (const PyType_Slot *slot = number_slots; slot->slot; ++slot) slots.push_back(*slot);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"gpuopt.ndarray", static_cast<int>(sizeof(Array)), 0, Py_TPFLAGS_DEFAULT, slots.data()};
  array_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return array_type && PyModule_AddObjectRef(module, "ndarray", reinterpret_cast<PyObject *>(array_type)) == 0;
}

}  // namespace gpuopt_python
