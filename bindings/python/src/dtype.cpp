// bindings/python/src/dtype.cpp -- numpy.dtype and the library's numbers of dtypes. NumPy is imported when the first is
// asked for.
#include "core.h"

namespace gpuopt_python {
namespace {

PyObject *objects[GPUOPT_DTYPE_COUNT];  // numpy.dtype of each, made when needed, never given back

// gpuopt._dtypes.make(name): a numpy.dtype; gpuopt._dtypes.name(object): the name of the dtype meant.
PyObject *make(gpuopt_dtype dtype) {
  static PyObject *maker;
  if (!import_from("gpuopt._dtypes", "make", maker)) return nullptr;
  return PyObject_CallFunction(maker, "s", gpuopt_dtype_name(dtype));
}

bool from_name(PyObject *name, gpuopt_dtype &dtype) {
  PyObject *bytes = PyUnicode_AsUTF8String(name);
  Error error;
  const bool known = bytes && gpuopt_dtype_from_name(PyBytes_AsString(bytes), &dtype, &error) == GPUOPT_OK;
  if (bytes && !known) PyErr_Format(PyExc_TypeError, "data type %R not understood", name);
  Py_XDECREF(bytes);
  return known;
}

}  // namespace

PyObject *numpy_dtype(gpuopt_dtype dtype) {
  PyObject *object = kept(objects[dtype]);
  if (!object) object = keep_first(objects[dtype], make(dtype));
  return object ? Py_NewRef(object) : nullptr;
}

bool read_dtype(PyObject *object, gpuopt_dtype &dtype) {
  dtype = 0;
  if (object == Py_None) return true;
  for (int known = 1; known < GPUOPT_DTYPE_COUNT; ++known) {
    if (object == kept(objects[known])) {
      dtype = known;
      return true;
    }
  }
  static PyObject *namer;
  if (!import_from("gpuopt._dtypes", "name", namer)) return false;
  PyObject *name = PyObject_CallFunctionObjArgs(namer, object, nullptr);
  const bool known = name && from_name(name, dtype);
  Py_XDECREF(name);
  return known;
}

}  // namespace gpuopt_python
