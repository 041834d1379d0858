// bindings/python/src/operand.cpp -- Python's objects as operands: arrays, weak scalars, and what gpuopt._convert makes
// arrays of.
#include <bit>

#include "core.h"

namespace gpuopt_python {
namespace {

// The weak scalars that were made last, of this thread: in a loop the same numbers come again.
class RecentNumbers {
 public:
  RecentNumbers() = default;
  RecentNumbers(const RecentNumbers &) = delete;
  RecentNumbers &operator=(const RecentNumbers &) = delete;
  ~RecentNumbers() {
    for (const Entry &entry : entries_) gpuopt_array_release(entry.handle);
  }
  // Where this number is kept, or is to be.
  struct Entry {
    gpuopt_array handle = nullptr;
    uint64_t bits = 0, imaginary = 0;
    int32_t kind = 0;
    bool has(const gpuopt_scalar &scalar) const {
      return handle && bits == scalar.value.u && kind == scalar.kind && imaginary == bits_of(scalar.imag);
    }
    void keep(gpuopt_array array, const gpuopt_scalar &scalar) {
      gpuopt_array_release(handle);
      *this = {gpuopt_array_retain(array), scalar.value.u, bits_of(scalar.imag), scalar.kind};
    }
  };
  Entry &entry_of(const gpuopt_scalar &scalar) {
    constexpr uint64_t odd = 0x9E3779B97F4A7C15u;  // multiplicative hashing: Knuth, TAOCP 3, 6.4
    return entries_[(scalar.value.u ^ static_cast<uint64_t>(scalar.kind)) * odd >> (64 - 3)];
  }

 private:
  static uint64_t bits_of(double x) { return std::bit_cast<uint64_t>(x); }
  Entry entries_[1 << 3];
};
thread_local RecentNumbers recent_numbers;

// An int that fits int64 or uint64; others become the nearest double, as they can be compared with nothing else.
bool read_int(PyObject *object, gpuopt_scalar &scalar) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    scalar = gpuopt_scalar_int(value);
    return true;
  }
  if (overflow > 0) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
    scalar = gpuopt_scalar_uint(wide);
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
  }
  PyErr_SetString(PyExc_OverflowError, "Python integer too large to convert to an array element");
  return false;
}

Read weak(const gpuopt_scalar &scalar, Operand &operand) {
  RecentNumbers::Entry &recent = recent_numbers.entry_of(scalar);
  if (recent.has(scalar)) {
    operand.own(gpuopt_array_retain(recent.handle));
    return Read::OK;
  }
  Error error;
  gpuopt_array handle = nullptr;
  if (gpuopt_weak(scalar, &handle, &error) != GPUOPT_OK) {
    raise(error.value);
    return Read::FAILED;
  }
  recent.keep(handle, scalar);
  operand.own(handle);
  return Read::OK;
}

Read convert(PyObject *object, PyObject *beside, bool function, Operand &operand) {
  static PyObject *converter;
  if (!import_from("gpuopt._convert", "operand", converter)) return Read::FAILED;
  PyObject *result = PyObject_CallFunctionObjArgs(converter, object, beside ? beside : Py_None,
                                                  function ? Py_True : Py_False, nullptr);
  if (!result) return Read::FAILED;
  Read read = Read::NOT_MINE;
  if (is_array(result)) {
    operand.own(gpuopt_array_retain(handle_of(result)));
    read = Read::OK;
  } else if (result != Py_NotImplemented) {  // a Python number that a NumPy scalar stands for
    gpuopt_scalar scalar;
    read = read_scalar(result, scalar) ? weak(scalar, operand) : Read::FAILED;
  }
  Py_DECREF(result);
  return read;
}

}  // namespace

bool read_scalar(PyObject *object, gpuopt_scalar &scalar) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyFloat_Type) {
    scalar = gpuopt_scalar_real(PyFloat_AsDouble(object));
  } else if (type == &PyLong_Type) {
    return read_int(object, scalar);
  } else if (type == &PyBool_Type) {
    scalar = gpuopt_scalar_bool(object == Py_True);
  } else if (type == &PyComplex_Type) {
    scalar = gpuopt_scalar_complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  } else {
    return false;
  }
  return true;
}

Read read_operand(PyObject *object, PyObject *beside, bool function, Operand &operand) {
  if (is_array(object)) {
    operand.borrow(handle_of(object));
    return Read::OK;
  }
  gpuopt_scalar scalar;
  if (read_scalar(object, scalar)) return weak(scalar, operand);
  return PyErr_Occurred() ? Read::FAILED : convert(object, beside, function, operand);
}

bool require_operand(PyObject *object, PyObject *beside, Operand &operand) {
  const Read read = read_operand(object, beside, true, operand);
  if (read == Read::NOT_MINE) PyErr_Format(PyExc_TypeError, "Unsupported type %R", Py_TYPE(object));
  return read == Read::OK;
}

PyObject *python_number(const gpuopt_scalar &scalar) {
  switch (scalar.kind) {
    case '?':
      return PyBool_FromLong(scalar.value.i != 0);
    case 'i':
      return PyLong_FromLongLong(scalar.value.i);
    case 'u':
      return PyLong_FromUnsignedLongLong(scalar.value.u);
    case 'c':
      return PyComplex_FromDoubles(scalar.value.f, scalar.imag);
    default:
      return PyFloat_FromDouble(scalar.value.f);
  }
}

}  // namespace gpuopt_python
