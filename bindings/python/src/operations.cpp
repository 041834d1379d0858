// bindings/python/src/operations.cpp -- the elementwise functions of ops.def.
#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

constexpr const char *names_1[] = {"x", "out", "dtype", "where", "casting"};
constexpr const char *names_2[] = {"x1", "x2", "out", "dtype", "where", "casting"};
constexpr const char *names_3[] = {"x1", "x2", "x3", "out", "dtype", "where", "casting"};
// The standard's names of these inputs, which may be given by name.
constexpr const char *const *names_of[] = {nullptr, names_1, names_2, names_3};

// Rows of which the array API standard says something else about special cases than NumPy does.
constexpr bool has_standard_cases(gpuopt_op op) {
  return op == GPUOPT_OP_floor_divide || op == GPUOPT_OP_tanh || op == GPUOPT_OP_expm1;
}

PyObject *apply(gpuopt_op op, int32_t count, const gpuopt_array *inputs) {
  bool unlock = false;
  for (int32_t at = 0; at < count; ++at) unlock |= many(inputs[at]);
  return array_from(unlock, [=](gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_apply(op, count, inputs, nullptr, result, error);
  });
}

// Inputs that no array is among: the first becomes one on the current device.
bool make_strong(Operand *operands, const gpuopt_array *inputs, int32_t count, gpuopt_array &first) {
  for (int32_t at = 0; at < count; ++at) {
    if (!gpuopt_array_is_weak(inputs[at])) return true;
  }
  gpuopt_device device = nullptr;
  gpuopt_scalar value;
  if (!read_device(Py_None, device)) return false;
  if (!run([&](gpuopt_error *error) { return gpuopt_array_item(inputs[0], nullptr, &value, error); })) return false;
  if (!run([&](gpuopt_error *error) { return gpuopt_full(device, 0, 0, nullptr, value, &first, error); })) return false;
  operands[count].own(first);
  return true;
}

bool read_out(PyObject *out, gpuopt_array &into) {
  if (!is_array(out)) return fail(PyExc_TypeError, "return arrays must be of gpuopt.ndarray, not %R", Py_TYPE(out));
  into = handle_of(out);
  return true;
}

bool read_casting(PyObject *object, gpuopt_casting &casting) {
  static constexpr struct {
    const char *name;
    gpuopt_casting casting;
  } names[] = {{"no", GPUOPT_CASTING_NO},
               {"equiv", GPUOPT_CASTING_NO},
               {"safe", GPUOPT_CASTING_SAFE},
               {"same_kind", GPUOPT_CASTING_SAME_KIND},
               {"unsafe", GPUOPT_CASTING_UNSAFE}};
  for (const auto &known : names) {
    if (!PyUnicode_Check(object) || PyUnicode_CompareWithASCIIString(object, known.name) != 0) continue;
    casting = known.casting;
    return true;
  }
  PyErr_Format(PyExc_ValueError, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got %R)",
               object);
  return false;
}

// where=: arrays and what can be one. False alone becomes an array on the device of the inputs.
bool read_where(PyObject *object, PyObject *beside, gpuopt_device device, Operand &where) {
  if (object != Py_False) return require_operand(object, beside, where);
  gpuopt_array none = nullptr;
  if (!run([&](gpuopt_error *error) { return gpuopt_zeros(device, GPUOPT_BOOL, 0, nullptr, &none, error); }))
    return false;
  where.own(none);
  return true;
}

gpuopt_device device_of_inputs(const gpuopt_array *inputs, int32_t count) {
  for (int32_t at = 0; at < count; ++at) {
    if (!gpuopt_array_is_weak(inputs[at])) return gpuopt_array_device(inputs[at]);
  }
  return nullptr;
}

// `more` are out, dtype, where and casting, NULL where they are not given.
PyObject *apply_with(gpuopt_op op, int32_t count, const gpuopt_array *inputs, PyObject *beside, PyObject **more) {
  gpuopt_apply_options options = GPUOPT_APPLY_OPTIONS_INIT;
  Operand where;
  if (has_standard_cases(op)) options.flags = GPUOPT_APPLY_STANDARD;
  PyObject *out = more[0];
  if (out && Py_TYPE(out) == &PyTuple_Type && PyTuple_Size(out) == 1) out = PyTuple_GetItem(out, 0);
  if (out == Py_None) out = nullptr;
  if (out && !read_out(out, options.out)) return nullptr;
  if (more[1] && !read_dtype(more[1], options.dtype)) return nullptr;
  if (more[2] && more[2] != Py_True) {
    if (!read_where(more[2], beside, device_of_inputs(inputs, count), where)) return nullptr;
    options.where = where.get();
  }
  if (more[3] && !read_casting(more[3], options.casting)) return nullptr;
  const auto call = [&](gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_apply_with(op, count, inputs, &options, result, error);
  };
  if (!out) return array_from(true, call);
  return run([&](gpuopt_error *error) { return call(nullptr, error); }) ? Py_NewRef(out) : nullptr;
}

PyObject *elementwise(gpuopt_op op, int32_t count, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
  PyObject *values[7] = {};
  const Signature signature = {gpuopt_op_name(op), names_of[count], count + 4, 0, count + 1, count};
  if (!read_arguments(signature, arguments, given, keywords, values)) return nullptr;
  PyObject *beside = nullptr;
  for (int32_t at = 0; at < count && !beside; ++at) beside = is_array(values[at]) ? values[at] : nullptr;
  Operand operands[4];
  gpuopt_array inputs[3] = {};
  for (int32_t at = 0; at < count; ++at) {
    if (!require_operand(values[at], beside, operands[at])) return nullptr;
    inputs[at] = operands[at].get();
  }
  if (!make_strong(operands, inputs, count, inputs[0])) return nullptr;
  PyObject **more = values + count;
  const bool plain = !more[0] && !more[1] && !more[2] && !more[3] && !has_standard_cases(op);
  return plain ? apply(op, count, inputs) : apply_with(op, count, inputs, beside, more);
}

template <gpuopt_op op, int32_t count>
PyObject *function(PyObject *, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
  return elementwise(op, count, arguments, given, keywords);
}

bool is_integral(gpuopt_array x) {
  const char kind = gpuopt_dtype_kind(gpuopt_array_dtype(x));
  return kind == '?' || kind == 'i' || kind == 'u';
}

}  // namespace

gpuopt_status floor_divide(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  if (is_integral(x1) && is_integral(x2)) return gpuopt_floor_divide(x1, x2, result, error);
  gpuopt_apply_options options = GPUOPT_APPLY_OPTIONS_INIT;
  options.flags = GPUOPT_APPLY_STANDARD;
  const gpuopt_array inputs[] = {x1, x2};
  return gpuopt_apply_with(GPUOPT_OP_floor_divide, 2, inputs, &options, result, error);
}

gpuopt_status floor_divide_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error) {
  if (is_integral(x1) && is_integral(x2)) return gpuopt_floor_divide_into(x1, x2, out, error);
  gpuopt_apply_options options = GPUOPT_APPLY_OPTIONS_INIT;
  options.flags = GPUOPT_APPLY_STANDARD;
  options.out = out;
  const gpuopt_array inputs[] = {x1, x2};
  return gpuopt_apply_with(GPUOPT_OP_floor_divide, 2, inputs, &options, nullptr, error);
}

// What generate.py writes of each row: its name, the number of inputs and the text that help() shows.
#define GPUOPT_PYTHON_OPERATION(name, nin, doc) \
  {#name, method(function<GPUOPT_OP_##name, nin>), METH_FASTCALL | METH_KEYWORDS, doc},
PyMethodDef operation_functions[] = {
#include "operations.inc"
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
