// bindings/python/src/arguments.cpp -- positional and keyword arguments, without a tuple or a dict being made for them.
#include "core.h"

namespace gpuopt_python {
namespace {

int position(const Signature &signature, PyObject *name) {
  for (int at = signature.positional_only; at < signature.count; ++at) {
    if (PyUnicode_CompareWithASCIIString(name, signature.names[at]) == 0) return at;
  }
  return -1;
}

bool read_keyword(const Signature &signature, PyObject *name, PyObject *value, PyObject **values) {
  const int at = position(signature, name);
  if (at < 0) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", signature.function, name);
  } else if (values[at]) {
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", signature.function, name);
  } else {
    values[at] = value;
    return true;
  }
  return false;
}

bool check_required(const Signature &signature, PyObject **values) {
  for (int at = 0; at < signature.required; ++at) {
    if (values[at]) continue;
    PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s' (pos %d)", signature.function,
                 signature.names[at], at + 1);
    return false;
  }
  return true;
}

}  // namespace

bool read_arguments(const Signature &signature, PyObject *const *arguments, Py_ssize_t given, PyObject *keyword_names,
                    PyObject **values) {
  if (given > signature.positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given",
                 signature.function, signature.required, signature.positional, given);
    return false;
  }
  for (Py_ssize_t at = 0; at < given; ++at) values[at] = arguments[at];
  const Py_ssize_t keywords = keyword_names ? PyTuple_Size(keyword_names) : 0;
  for (Py_ssize_t at = 0; at < keywords; ++at) {
    if (!read_keyword(signature, PyTuple_GetItem(keyword_names, at), arguments[given + at], values)) return false;
  }
  return check_required(signature, values);
}

}  // namespace gpuopt_python
