// bindings/python/src/number.cpp -- the operators of arrays, as slots of their type, and arrays as Python's numbers.
#include "core.h"

namespace gpuopt_python {
namespace {

using BinaryCall = gpuopt_status(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
using UnaryCall = gpuopt_status(gpuopt_array, gpuopt_array *, gpuopt_error *);

PyObject *pair(BinaryCall *call, gpuopt_array a, gpuopt_array b) {
  return array_from(many(a) || many(b),
                    [=](gpuopt_array *result, gpuopt_error *error) { return call(a, b, result, error); });
}

// Computes an operation of two operands, of which one is an array, and the other anything.
PyObject *mixed(BinaryCall *call, PyObject *a, PyObject *b) {
  Operand x, y;
  const Read first = read_operand(a, b, false, x);
  const Read second = first == Read::OK ? read_operand(b, a, false, y) : first;
  if (second == Read::NOT_MINE) return Py_NewRef(Py_NotImplemented);
  return second == Read::OK ? pair(call, x.get(), y.get()) : nullptr;
}

PyObject *binary_call(BinaryCall *call, PyObject *a, PyObject *b) {
  return is_array(a) && is_array(b) ? pair(call, handle_of(a), handle_of(b)) : mixed(call, a, b);
}

template <auto call>
PyObject *binary(PyObject *a, PyObject *b) {
  return binary_call(call, a, b);
}

// NumPy has no arithmetic on bool alone that is no logic: "numpy boolean subtract, the `-` operator, is not supported".
bool is_bool(PyObject *object) {
  return is_array(object) ? gpuopt_array_dtype(handle_of(object)) == GPUOPT_BOOL : PyBool_Check(object);
}

PyObject *subtract(PyObject *a, PyObject *b) {
  if (is_bool(a) && is_bool(b)) {
    return fail(PyExc_TypeError,
                "boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
                "logical_xor function instead.");
  }
  return binary_call(gpuopt_subtract, a, b);
}

template <auto call>
PyObject *unary(PyObject *self) {
  const gpuopt_array x = handle_of(self);
  return array_from(many(x), [=](gpuopt_array *result, gpuopt_error *error) { return call(x, result, error); });
}

PyObject *negative(PyObject *self) {
  if (is_bool(self)) {
    return fail(PyExc_TypeError,
                "The boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
                "function instead.");
  }
  return unary<gpuopt_negative>(self);
}

PyObject *positive(PyObject *self) {
  if (is_bool(self)) return fail(PyExc_TypeError, "The boolean positive, the `+` operator, is not supported.");
  return unary<gpuopt_positive>(self);
}

template <auto call>
PyObject *in_place(PyObject *self, PyObject *other) {
  Operand y;
  const Read read = read_operand(other, self, false, y);
  if (read != Read::OK) return read == Read::NOT_MINE ? Py_NewRef(Py_NotImplemented) : nullptr;
  const gpuopt_array x = handle_of(self), right = y.get();
  const bool unlock = many(x) || many(right);
  const bool done = run([=](gpuopt_error *error) { return call(x, right, x, error); }, unlock);
  return done ? Py_NewRef(self) : nullptr;
}

PyObject *power(PyObject *a, PyObject *b, PyObject *modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return binary_call(gpuopt_pow, a, b);
}
PyObject *in_place_power(PyObject *a, PyObject *b, PyObject *) { return in_place<gpuopt_pow_into>(a, b); }

PyObject *divmod(PyObject *a, PyObject *b) {
  PyObject *quotient = binary_call(floor_divide, a, b);
  if (!quotient || quotient == Py_NotImplemented) return quotient;
  PyObject *rest = binary_call(gpuopt_remainder, a, b);
  PyObject *both = rest ? PyTuple_Pack(2, quotient, rest) : nullptr;
  Py_DECREF(quotient);
  Py_XDECREF(rest);
  return both;
}

PyObject *matmul(PyObject *a, PyObject *b) {
  Operand x, y;
  const Read first = read_operand(a, b, false, x);
  const Read second = first == Read::OK ? read_operand(b, a, false, y) : first;
  if (second == Read::NOT_MINE) return Py_NewRef(Py_NotImplemented);
  if (second == Read::FAILED) return nullptr;
  return array_from(
      true, [&](gpuopt_array *result, gpuopt_error *error) { return gpuopt_matmul(x.get(), y.get(), result, error); });
}

// ---- As numbers ----------------------------------------------------------------------------------------------------

// The element of an array of one.
bool only_element(PyObject *self, gpuopt_scalar &value) {
  const Array &array = *reinterpret_cast<const Array *>(self);
  if (is_unmade(array)) {
    const gpuopt_array whole = handle_of(array.whole);
    return run([&](gpuopt_error *error) { return gpuopt_array_item(whole, &array.at, &value, error); });
  }
  const gpuopt_array x = handle_of(self);
  if (gpuopt_array_size(x) != 1) {
    PyErr_SetString(PyExc_TypeError, "only length-1 arrays can be converted to Python scalars");
    return false;
  }
  static const int64_t zeros[GPUOPT_MAX_NDIM] = {};
  return run([&](gpuopt_error *error) { return gpuopt_array_item(x, zeros, &value, error); });
}

int truth(PyObject *self) {
  const int64_t size = gpuopt_array_size(handle_of(self));
  if (size != 1) {
    PyErr_SetString(PyExc_ValueError,
                    size == 0 ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
                                "array is not empty."
                              : "The truth value of an array with more than one element is ambiguous. Use a.any() or "
                                "a.all()");
    return -1;
  }
  gpuopt_scalar value;
  if (!only_element(self, value)) return -1;
  if (value.kind == 'f') return value.value.f != 0;
  return value.kind == 'c' ? value.value.f != 0 || value.imag != 0 : value.value.i != 0;
}

// float(x), int(x): through Python's number of the element.
PyObject *as_number(PyObject *self, PyObject *(*convert)(PyObject *), const char *what) {
  gpuopt_scalar value;
  if (!only_element(self, value)) return nullptr;
  if (value.kind == 'c') return fail(PyExc_TypeError, "%s() argument must be a real number, not complex", what);
  PyObject *number = python_number(value);
  PyObject *result = number ? convert(number) : nullptr;
  Py_XDECREF(number);
  return result;
}
PyObject *as_float(PyObject *self) { return as_number(self, PyNumber_Float, "float"); }
PyObject *as_int(PyObject *self) { return as_number(self, PyNumber_Long, "int"); }

PyObject *as_index(PyObject *self) {
  const char kind = gpuopt_dtype_kind(gpuopt_array_dtype(handle_of(self)));
  if ((kind != 'i' && kind != 'u') || gpuopt_array_ndim(handle_of(self)) != 0) {
    return fail(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
  }
  return as_int(self);
}

PyObject *compare(PyObject *a, PyObject *b, int how) {
  switch (how) {
    case Py_LT:
      return binary_call(gpuopt_less, a, b);
    case Py_LE:
      return binary_call(gpuopt_less_equal, a, b);
    case Py_GT:
      return binary_call(gpuopt_greater, a, b);
    case Py_GE:
      return binary_call(gpuopt_greater_equal, a, b);
    case Py_EQ:
      return binary_call(gpuopt_equal, a, b);
    default:
      return binary_call(gpuopt_not_equal, a, b);
  }
}

template <class Function>
void *slot(Function *function) {
  return reinterpret_cast<void *>(function);
}

}  // namespace

PyType_Slot number_slots[] = {
    {Py_nb_add, slot(binary<gpuopt_add>)},
    {Py_nb_subtract, slot(subtract)},
    {Py_nb_multiply, slot(binary<gpuopt_multiply>)},
    {Py_nb_true_divide, slot(binary<gpuopt_divide>)},
    {Py_nb_floor_divide, slot(binary<floor_divide>)},
    {Py_nb_remainder, slot(binary<gpuopt_remainder>)},
    {Py_nb_divmod, slot(divmod)},
    {Py_nb_power, slot(power)},
    {Py_nb_matrix_multiply, slot(matmul)},
    {Py_nb_and, slot(binary<gpuopt_bitwise_and>)},
    {Py_nb_or, slot(binary<gpuopt_bitwise_or>)},
    {Py_nb_xor, slot(binary<gpuopt_bitwise_xor>)},
    {Py_nb_lshift, slot(binary<gpuopt_bitwise_left_shift>)},
    {Py_nb_rshift, slot(binary<gpuopt_bitwise_right_shift>)},
    {Py_nb_negative, slot(negative)},
    {Py_nb_positive, slot(positive)},
    {Py_nb_absolute, slot(unary<gpuopt_abs>)},
    {Py_nb_invert, slot(unary<gpuopt_bitwise_invert>)},
    {Py_nb_inplace_add, slot(in_place<gpuopt_add_into>)},
    {Py_nb_inplace_subtract, slot(in_place<gpuopt_subtract_into>)},
    {Py_nb_inplace_multiply, slot(in_place<gpuopt_multiply_into>)},
    {Py_nb_inplace_true_divide, slot(in_place<gpuopt_divide_into>)},
    {Py_nb_inplace_floor_divide, slot(in_place<floor_divide_into>)},
    {Py_nb_inplace_remainder, slot(in_place<gpuopt_remainder_into>)},
    {Py_nb_inplace_power, slot(in_place_power)},
    {Py_nb_inplace_and, slot(in_place<gpuopt_bitwise_and_into>)},
    {Py_nb_inplace_or, slot(in_place<gpuopt_bitwise_or_into>)},
    {Py_nb_inplace_xor, slot(in_place<gpuopt_bitwise_xor_into>)},
    {Py_nb_inplace_lshift, slot(in_place<gpuopt_bitwise_left_shift_into>)},
    {Py_nb_inplace_rshift, slot(in_place<gpuopt_bitwise_right_shift_into>)},
    {Py_nb_bool, slot(truth)},
    {Py_nb_float, slot(as_float)},
    {Py_nb_int, slot(as_int)},
    {Py_nb_index, slot(as_index)},
    {Py_tp_richcompare, slot(compare)},
    {0, nullptr},
};

}  // namespace gpuopt_python
