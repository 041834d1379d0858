// bindings/python/src/reductions.cpp -- reductions of ops.def, means and spreads, as functions and as methods.
#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

using ReduceCall = gpuopt_status(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);

enum { X, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE, CORRECTION, DDOF, NAMES };
constexpr const char *name_of[] = {"x", "axis", "dtype", "out", "keepdims", "initial", "where", "correction", "ddof"};

// The order in which NumPy's functions take these by position; the last ones are given by name alone.
struct Order {
  const char *names[NAMES];
  int which[NAMES];
  int count, positional;
};
template <int... which>
constexpr Order order_of(int positional) {
  return {{name_of[which]...}, {which...}, sizeof...(which), positional};
}
constexpr Order sums = order_of<X, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE>(7);
constexpr Order extremes = order_of<X, AXIS, OUT, KEEPDIMS, INITIAL, WHERE>(4);
constexpr Order spreads = order_of<X, AXIS, DTYPE, OUT, DDOF, KEEPDIMS, WHERE, CORRECTION>(6);

bool read_axis(PyObject *object, int64_t &axis) {
  PyObject *number = PyNumber_Index(object);
  if (!number) return false;
  axis = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return !PyErr_Occurred();
}

struct Axes {
  int64_t values[GPUOPT_MAX_NDIM];
  bool read(PyObject *object, gpuopt_reduce_options &options) {
    if (!object || object == Py_None) return true;
    options.axes = values;
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
      options.naxes = 1;
      return read_axis(object, values[0]);
    }
    const Py_ssize_t count = PySequence_Size(object);
    if (count > GPUOPT_MAX_NDIM) return fail(PyExc_ValueError, "too many axes"), false;
    options.naxes = static_cast<int32_t>(count);
    for (Py_ssize_t at = 0; at < count; ++at) {
      PyObject *item = PySequence_GetItem(object, at);
      const bool good = item && read_axis(item, values[at]);
      Py_XDECREF(item);
      if (!good) return false;
    }
    return true;
  }
};

bool read_options(PyObject **given, Axes &axes, gpuopt_reduce_options &options) {
  options = {};
  options.struct_size = sizeof options;
  if (!axes.read(given[AXIS], options)) return false;
  if (given[DTYPE] && !read_dtype(given[DTYPE], options.dtype)) return false;
  if (given[KEEPDIMS]) options.keepdims = PyObject_IsTrue(given[KEEPDIMS]);
  PyObject *correction = given[CORRECTION] ? given[CORRECTION] : given[DDOF];
  if (correction) options.correction = PyFloat_AsDouble(correction);
  return !PyErr_Occurred();
}

// AxisError is NumPy's class for this, an IndexError and a ValueError at once.
PyObject *axis_error(gpuopt_array x, const gpuopt_reduce_options &options, const gpuopt_error &error) {
  const int32_t ndim = gpuopt_array_ndim(x);
  for (int32_t at = 0; at < options.naxes; ++at) {
    const long long axis = options.axes[at];
    if (axis >= -ndim && axis < ndim) continue;
    static PyObject *maker;
    if (!import_from("gpuopt._errors", "axis_error", maker)) return nullptr;
    return raise_object(PyObject_CallFunction(maker, "Li", axis, ndim), error);
  }
  return raise(error);
}

PyObject *reduce(ReduceCall *call, gpuopt_array x, const gpuopt_reduce_options &options) {
  Error error;
  gpuopt_array result = nullptr;
  gpuopt_status status;
  {
    Unlocked unlocked(many(x));
    status = call(x, &options, &result, &error);
  }
  if (status == GPUOPT_OK) return new_array(result);
  return status == GPUOPT_ERR_INDEX ? axis_error(x, options, error.value) : raise(error.value);
}

bool asked_for(PyObject *object, PyObject *fallback) { return object && object != fallback && object != Py_None; }

// where=, initial= and out= of a reduction, which live as long as this object.
class Extras {
 public:
  bool read(PyObject **given, PyObject *x, gpuopt_reduce_options &options) {
    PyObject *beside = is_array(x) ? x : nullptr;
    if (asked_for(given[WHERE], Py_True)) {
      if (!read_where(given[WHERE], beside, options)) return false;
    }
    if (asked_for(given[INITIAL], nullptr)) {
      if (!read_initial(given[INITIAL])) return false;
      options.initial = &initial_;
    }
    if (!asked_for(given[OUT], nullptr)) return true;
    if (!is_array(given[OUT])) return fail(PyExc_TypeError, "output must be a gpuopt.ndarray");
    options.out = handle_of(given[OUT]);
    return true;
  }

 private:
  // False alone and lists become arrays.
  bool read_where(PyObject *object, PyObject *beside, gpuopt_reduce_options &options) {
    static PyObject *maker;
    if (!import_from("gpuopt._reductions", "mask", maker)) return false;
    PyObject *mask = PyObject_CallFunctionObjArgs(maker, object, beside ? beside : Py_None, nullptr);
    if (!mask) return false;
    where_.own(gpuopt_array_retain(handle_of(mask)));
    Py_DECREF(mask);
    options.where = where_.get();
    return true;
  }
  // Numbers, NumPy's scalars, and arrays of one element.
  bool read_initial(PyObject *object) {
    Operand number;
    if (read_scalar(object, initial_)) return true;
    if (PyErr_Occurred() || !require_operand(object, nullptr, number)) return false;
    return run([&](gpuopt_error *error) { return gpuopt_array_item(number.get(), nullptr, &initial_, error); });
  }

  Operand where_;
  gpuopt_scalar initial_ = {};
};

// `self` of a method is the first argument.
bool read_given(const char *name, const Order &order, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                PyObject *keywords, PyObject **given) {
  PyObject *values[NAMES] = {self};
  const int skipped = self != nullptr;
  const Signature signature = {name,        order.names + skipped,      order.count - skipped,
                               1 - skipped, order.positional - skipped, 1 - skipped};
  if (!read_arguments(signature, arguments, count, keywords, values + skipped)) return false;
  for (int at = 0; at < order.count; ++at) given[order.which[at]] = values[at];
  return true;
}

PyObject *reduction(const char *name, ReduceCall *call, const Order &order, PyObject *self, PyObject *const *arguments,
                    Py_ssize_t count, PyObject *keywords) {
  PyObject *given[NAMES] = {};
  if (!read_given(name, order, self, arguments, count, keywords, given)) return nullptr;
  Operand operand;
  Axes axes;
  Extras extras;
  gpuopt_reduce_options options;
  if (!require_operand(given[X], nullptr, operand) || !read_options(given, axes, options)) return nullptr;
  if (!extras.read(given, given[X], options)) return nullptr;
  PyObject *result = reduce(call, operand.get(), options);
  if (!result || !options.out) return result;
  Py_DECREF(result);
  return Py_NewRef(given[OUT]);
}

// vector_norm(x, ord, axes, keepdims)
PyObject *vector_norm(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
  PyObject *given[NAMES] = {};
  Operand operand;
  Argument<double> order;
  Axes axes;
  gpuopt_reduce_options options;
  if (!takes(count, 4) || !require_operand(arguments[0], nullptr, operand) || !order.read(arguments[1])) return nullptr;
  given[AXIS] = arguments[2];
  given[KEEPDIMS] = arguments[3];
  if (!read_options(given, axes, options)) return nullptr;
  return array_from(true, [&](gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_vector_norm(operand.get(), order.get(), &options, result, error);
  });
}

}  // namespace

// What generate.py writes of each that is a function and a method, and of each that is a function: Python's name, the C
// function, the order of its parameters, these as text, and the text that help() shows.
#define GPUOPT_PYTHON_REDUCTION(python, call, order, parameters, doc)                                                \
  static PyObject *python##_function(PyObject *, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) { \
    return reduction(#python, call, order, nullptr, arguments, count, keywords);                                     \
  }                                                                                                                  \
  inline PyObject *python##_method(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {  \
    return reduction(#python, call, order, self, arguments, count, names);                                           \
  }
#define GPUOPT_PYTHON_REDUCTION_FUNCTION GPUOPT_PYTHON_REDUCTION
#include "reductions.inc"
#undef GPUOPT_PYTHON_REDUCTION

#define GPUOPT_PYTHON_REDUCTION(python, call, order, parameters, doc) \
  {#python, method(python##_function), METH_FASTCALL | METH_KEYWORDS, \
   #python "($module, x, /, " parameters ")\n--\n\n" doc},
PyMethodDef reduction_functions[] = {
#include "reductions.inc"
    {"vector_norm", method(vector_norm), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
#undef GPUOPT_PYTHON_REDUCTION
#undef GPUOPT_PYTHON_REDUCTION_FUNCTION

#define GPUOPT_PYTHON_REDUCTION_FUNCTION(python, call, order, parameters, doc)
#define GPUOPT_PYTHON_REDUCTION(python, call, order, parameters, doc) \
  {#python, method(python##_method), METH_FASTCALL | METH_KEYWORDS, #python "($self, " parameters ")\n--\n\n" doc},
PyMethodDef reduction_methods[] = {
#include "reductions.inc"
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
