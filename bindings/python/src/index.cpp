// bindings/python/src/index.cpp -- x[key] and x[key] = value: what is a view is made here, all else by
// gpuopt._indexing.
#include "core.h"

namespace gpuopt_python {
namespace {

enum class Key { BASIC, OTHER, FAILED };

// One item of a basic index.
Key read_item(PyObject *object, gpuopt_index &item) {
  item = {GPUOPT_INDEX_INTEGER, 0, 0, 0, 1};
  if (Py_TYPE(object) == &PyLong_Type) {
    item.start = PyLong_AsLongLong(object);
    if (item.start == -1 && PyErr_Occurred()) {
      PyErr_SetString(PyExc_IndexError, "cannot fit 'int' into an index-sized integer");
      return Key::FAILED;
    }
  } else if (Py_TYPE(object) == &PySlice_Type) {
    Py_ssize_t start = 0, stop = 0, step = 1;
    if (PySlice_Unpack(object, &start, &stop, &step) < 0) return Key::FAILED;
    static_assert(PY_SSIZE_T_MIN == GPUOPT_SLICE_ALL);  // what a stop that was left out becomes with a negative step
    item = {GPUOPT_INDEX_SLICE, 0, start, stop, step};
  } else if (object == Py_None) {
    item.kind = GPUOPT_INDEX_NEWAXIS;
  } else if (object == Py_Ellipsis) {
    item.kind = GPUOPT_INDEX_ELLIPSIS;
  } else {
    return Key::OTHER;
  }
  return Key::BASIC;
}

constexpr Py_ssize_t most_items = 2 * GPUOPT_MAX_NDIM + 1;

Key read_key(PyObject *key, gpuopt_index *items, int32_t &count) {
  if (Py_TYPE(key) != &PyTuple_Type) {
    count = 1;
    return read_item(key, items[0]);
  }
  const Py_ssize_t given = PyTuple_Size(key);
  if (given > most_items) {
    PyErr_SetString(PyExc_IndexError, "too many indices for array");
    return Key::FAILED;
  }
  count = static_cast<int32_t>(given);
  for (Py_ssize_t at = 0; at < given; ++at) {
    const Key item = read_item(PyTuple_GetItem(key, at), items[at]);
    if (item != Key::BASIC) return item;
  }
  return Key::BASIC;
}

// NumPy's words for the commonest mistakes, as programs and tests look for them.
PyObject *index_error(gpuopt_array x, const gpuopt_index *items, int32_t count, const gpuopt_error &error) {
  int32_t axes = 0;
  for (int32_t at = 0; at < count; ++at) axes += items[at].kind <= GPUOPT_INDEX_SLICE;
  const int32_t ndim = gpuopt_array_ndim(x);
  if (axes > ndim) {
    return raise_as(PyExc_IndexError, error, "too many indices for array: array is %d-dimensional, but %d were indexed",
                    ndim, axes);
  }
  if (count == 1 && items[0].kind == GPUOPT_INDEX_INTEGER && ndim > 0) {
    return raise_as(PyExc_IndexError, error, "index %lld is out of bounds for axis 0 with size %lld",
                    static_cast<long long>(items[0].start), static_cast<long long>(gpuopt_array_shape(x)[0]));
  }
  return raise(error);
}

PyObject *view(gpuopt_array x, const gpuopt_index *items, int32_t count) {
  Error error;
  gpuopt_array result = nullptr;
  const gpuopt_status status = gpuopt_slice(x, count, items, &result, &error);
  if (status == GPUOPT_OK) return new_array(result);
  if (status == GPUOPT_ERR_INDEX) return index_error(x, items, count, error.value);
  if (status != GPUOPT_ERR_INVALID_ARGUMENT) return raise(error.value);
  return raise_as(PyExc_IndexError, error.value, "%s", error.value.message);  // two ellipses, say
}

// x[at].
PyObject *element(PyObject *self, int64_t at) {
  const gpuopt_array x = handle_of(self);
  if (gpuopt_array_ndim(x) == 1) {
    const int64_t size = *gpuopt_array_shape(x), place = at < 0 ? at + size : at;
    if (place >= 0 && place < size) return new_element(self, place);
  }
  const gpuopt_index item = {GPUOPT_INDEX_INTEGER, 0, at, 0, 1};
  return view(x, &item, 1);
}

int assign(PyObject *view, PyObject *value) {
  Operand operand;
  if (!require_operand(value, view, operand)) return -1;
  const gpuopt_array x = handle_of(view), from = operand.get();
  return run([=](gpuopt_error *error) { return gpuopt_assign(x, from, error); }, many(x) || many(from)) ? 0 : -1;
}

}  // namespace

bool read_index(PyObject *object, gpuopt_index &item) {
  if (!is_array(object)) {
    const Key kind = read_item(object, item);
    if (kind == Key::OTHER) fail(PyExc_TypeError, "%S is no item of an index", Py_TYPE(object));
    return kind == Key::BASIC;
  }
  item = {GPUOPT_INDEX_ARRAY, 0, 0, 0, 0};
  return true;
}

Py_ssize_t array_length(PyObject *self) {
  const gpuopt_array x = handle_of(self);
  if (gpuopt_array_ndim(x) > 0) return static_cast<Py_ssize_t>(gpuopt_array_shape(x)[0]);
  PyErr_SetString(PyExc_TypeError, "len() of unsized object");
  return -1;
}

PyObject *array_item(PyObject *self, Py_ssize_t at) { return element(self, at); }

PyObject *array_subscript(PyObject *self, PyObject *key) {
  if (Py_TYPE(key) == &PyLong_Type) {
    gpuopt_index item;
    return read_item(key, item) == Key::BASIC ? element(self, item.start) : nullptr;
  }
  gpuopt_index items[most_items];
  int32_t count = 0;
  const Key kind = read_key(key, items, count);
  if (kind == Key::BASIC) return view(handle_of(self), items, count);
  static PyObject *getitem;
  if (kind == Key::FAILED || !import_from("gpuopt._indexing", "getitem", getitem)) return nullptr;
  return PyObject_CallFunctionObjArgs(getitem, self, key, nullptr);
}

int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value) {
  if (!value) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  gpuopt_index items[most_items];
  int32_t count = 0;
  const Key kind = read_key(key, items, count);
  PyObject *result = nullptr;
  if (kind == Key::BASIC) {
    result = view(handle_of(self), items, count);
    const int status = result ? assign(result, value) : -1;
    Py_XDECREF(result);
    return status;
  }
  static PyObject *setitem;
  if (kind == Key::FAILED || !import_from("gpuopt._indexing", "setitem", setitem)) return -1;
  result = PyObject_CallFunctionObjArgs(setitem, self, key, value, nullptr);
  Py_XDECREF(result);
  return result ? 0 : -1;
}

PyObject *array_iterator(PyObject *self) {
  if (gpuopt_array_ndim(handle_of(self)) == 0) return fail(PyExc_TypeError, "iteration over a 0-d array");
  return PySeqIter_New(self);
}

}  // namespace gpuopt_python
