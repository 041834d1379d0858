// bindings/python/src/error.cpp -- a failed call as one of Python's own exceptions, with the codes as attributes.
#include <cctype>
#include <cstdarg>
#include <string>

#include "core.h"

namespace gpuopt_python {
namespace {

// Returns a new reference, or NULL with an exception.
PyObject *class_of(const char *module, const char *name) {
  PyObject *cache = nullptr;
  return import_from(module, name, cache);
}

PyObject *exception_class(gpuopt_status status) {
  switch (status) {
    case GPUOPT_ERR_INVALID_ARGUMENT:
    case GPUOPT_ERR_SHAPE:
    case GPUOPT_ERR_FORMAT:
    case GPUOPT_ERR_READ_ONLY:
    case GPUOPT_ERR_DEVICE_MISMATCH:
      return Py_NewRef(PyExc_ValueError);
    case GPUOPT_ERR_TYPE:
      return Py_NewRef(PyExc_TypeError);
    case GPUOPT_ERR_INDEX:
      return Py_NewRef(PyExc_IndexError);
    case GPUOPT_ERR_OUT_OF_MEMORY:
      return Py_NewRef(PyExc_MemoryError);
    case GPUOPT_ERR_UNSUPPORTED:
      return Py_NewRef(PyExc_NotImplementedError);
    case GPUOPT_ERR_IO:
      return Py_NewRef(PyExc_OSError);
    case GPUOPT_ERR_OVERFLOW:
      return Py_NewRef(PyExc_OverflowError);
    case GPUOPT_ERR_LINALG:
      return class_of("numpy.linalg", "LinAlgError");
    case GPUOPT_ERR_COMM:
      return class_of("gpuopt._errors", "CommError");
    case GPUOPT_ERR_UNAVAILABLE:
    case GPUOPT_ERR_JIT_UNAVAILABLE:
      return class_of("gpuopt._errors", "Unavailable");
    case GPUOPT_ERR_COMPILE:
      return class_of("gpuopt._errors", "CompileError");
    default:
      return class_of("gpuopt._errors", "DeviceError");
  }
}

bool set_text(PyObject *object, const char *name, const char *text) {
  PyObject *value = PyUnicode_FromString(text);
  const bool set = value && PyObject_SetAttrString(object, name, value) == 0;
  Py_XDECREF(value);
  return set;
}

bool set_codes(PyObject *exception, const gpuopt_error &error) {
  PyObject *number = PyLong_FromLong(error.backend_code);
  const bool set = number && set_text(exception, "code", gpuopt_status_name(error.code)) &&
                   set_text(exception, "reason", gpuopt_reason_name(error.reason)) &&
                   PyObject_SetAttrString(exception, "backend_code", number) == 0;
  Py_XDECREF(number);
  return set;
}

// Shapes as NumPy writes them in messages, "(3,2)": without the spaces of Python's tuples.
std::string with_numpy_shapes(const char *message) {
  std::string text;
  for (const char *at = message; *at; ++at) {
    const bool between = *at == ' ' && at > message + 1 && at[-1] == ',' && isdigit(at[-2]) && isdigit(at[1]);
    if (!between) text += *at;
  }
  return text;
}

PyObject *message_of(const gpuopt_error &error) {
  const std::string text = error.code == GPUOPT_ERR_SHAPE ? with_numpy_shapes(error.message) : error.message;
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

}  // namespace

PyObject *raise(const gpuopt_error &error) {
  PyObject *type = exception_class(error.code);
  PyObject *message = type ? message_of(error) : nullptr;
  raise_object(message ? PyObject_CallFunctionObjArgs(type, message, nullptr) : nullptr, error);
  Py_XDECREF(message);
  Py_XDECREF(type);
  return nullptr;
}

PyObject *raise_object(PyObject *exception, const gpuopt_error &error) {
  if (exception && set_codes(exception, error)) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception)), exception);
  }
  Py_XDECREF(exception);
  return nullptr;
}

PyObject *raise_as(PyObject *type, const gpuopt_error &error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject *message = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  raise_object(message ? PyObject_CallFunctionObjArgs(type, message, nullptr) : nullptr, error);
  Py_XDECREF(message);
  return nullptr;
}

PyObject *fail(PyObject *type, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  return nullptr;
}

PyObject *keep_first(PyObject *&place, PyObject *made) {
  PyObject *first = nullptr;
  if (!made || std::atomic_ref(place).compare_exchange_strong(first, made)) return made;
  Py_DECREF(made);
  return first;
}

PyObject *import_from(const char *module, const char *name, PyObject *&cache) {
  if (PyObject *known = kept(cache)) return known;
  PyObject *found = PyImport_ImportModule(module);
  PyObject *value = found ? PyObject_GetAttrString(found, name) : nullptr;
  Py_XDECREF(found);
  return keep_first(cache, value);
}

}  // namespace gpuopt_python
