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

PyObject *apply_into(gpuopt_op op, int32_t count, const gpuopt_array *inputs, PyObject *out) {
  if (Py_TYPE(out) == &PyTuple_Type && PyTuple_Size(out) == 1) out = PyTuple_GetItem(out, 0);
  if (!is_array(out)) return fail(PyExc_TypeError, "return arrays must be of gpuopt.ndarray, not %R", Py_TYPE(out));
  const gpuopt_array into = handle_of(out);
  const bool done = run([=](gpuopt_error *error) { return gpuopt_apply(op, count, inputs, into, nullptr, error); });
  return done ? Py_NewRef(out) : nullptr;
}

// dtype=: the inputs are converted first, as NumPy chooses the loop of that dtype.
bool cast_inputs(PyObject *dtype, int32_t count, Operand *casts, gpuopt_array *inputs) {
  gpuopt_dtype wanted = 0;
  if (!read_dtype(dtype, wanted)) return false;
  for (int32_t at = 0; at < count && wanted; ++at) {
    if (gpuopt_array_is_weak(inputs[at])) continue;
    gpuopt_array cast = nullptr;
    const gpuopt_array input = inputs[at];
    const auto call = [&](gpuopt_error *error) {
      return gpuopt_astype(input, wanted, GPUOPT_COPY_IF_NEEDED, &cast, error);
    };
    if (!run(call)) return false;
    casts[at].own(cast);
    inputs[at] = cast;
  }
  return true;
}

bool check_where(const Signature &signature, PyObject *where) {
  if (!where || where == Py_True) return true;
  PyErr_Format(PyExc_NotImplementedError, "%s: where= is not offered; use gpuopt.where", signature.function);
  return false;
}

PyObject *elementwise(gpuopt_op op, int32_t count, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
  PyObject *values[7] = {};
  const Signature signature = {gpuopt_op_name(op), names_of[count], count + 4, 0, count + 1, count};
  if (!read_arguments(signature, arguments, given, keywords, values)) return nullptr;
  PyObject *out = values[count], *dtype = values[count + 1], *beside = nullptr;
  for (int32_t at = 0; at < count && !beside; ++at) beside = is_array(values[at]) ? values[at] : nullptr;
  Operand operands[4], casts[3];
  gpuopt_array inputs[3] = {};
  for (int32_t at = 0; at < count; ++at) {
    if (!require_operand(values[at], beside, operands[at])) return nullptr;
    inputs[at] = operands[at].get();
  }
  if (!make_strong(operands, inputs, count, inputs[0]) || !check_where(signature, values[count + 2])) return nullptr;
  if (dtype && !cast_inputs(dtype, count, casts, inputs)) return nullptr;
  return out && out != Py_None ? apply_into(op, count, inputs, out) : apply(op, count, inputs);
}

template <gpuopt_op op, int32_t count>
PyObject *function(PyObject *, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
  return elementwise(op, count, arguments, given, keywords);
}

}  // namespace

// What generate.py writes of each row: its name, the number of inputs and the text that help() shows.
#define GPUOPT_PYTHON_OPERATION(name, nin, doc) \
  {#name, method(function<GPUOPT_OP_##name, nin>), METH_FASTCALL | METH_KEYWORDS, doc},
PyMethodDef operation_functions[] = {
#include "operations.inc"
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
