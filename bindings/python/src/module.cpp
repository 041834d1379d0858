// bindings/python/src/module.cpp -- gpuopt._core: what the other files have, as one module.
#include <atomic>

#include "core.h"

namespace gpuopt_python {

bool make_array_type(PyObject *module);  // array.cpp

namespace {

// What `from gpuopt._core import *` takes: the functions that the package's users call as they are.
bool add_public_names(PyObject *module) {
  PyObject *names = PyList_New(0);
  bool good = names != nullptr;
  for (const PyMethodDef *table : {operation_functions, reduction_functions}) {
    for (; good && table->ml_name && table->ml_doc; ++table) {
      PyObject *name = PyUnicode_FromString(table->ml_name);
      good = name && PyList_Append(names, name) == 0;
      Py_XDECREF(name);
    }
  }
  good = good && PyModule_AddObjectRef(module, "__all__", names) == 0;
  Py_XDECREF(names);
  return good;
}

// The numbers of the operations that accumulate at indices, by their names.
bool add_accumulating(PyObject *module) {
  const std::pair<const char *, gpuopt_op> operations[] = {{"add", GPUOPT_OP_add},
                                                           {"subtract", GPUOPT_OP_subtract},
                                                           {"multiply", GPUOPT_OP_multiply},
                                                           {"minimum", GPUOPT_OP_minimum},
                                                           {"maximum", GPUOPT_OP_maximum}};
  PyObject *numbers = PyDict_New();
  bool good = numbers != nullptr;
  for (const auto &[name, op] : operations) {
    PyObject *number = good ? PyLong_FromLong(op) : nullptr;
    good = number && PyDict_SetItemString(numbers, name, number) == 0;
    Py_XDECREF(number);
  }
  good = good && PyModule_AddObjectRef(module, "accumulating", numbers) == 0;
  Py_XDECREF(numbers);
  return good;
}

// The array type and what is looked up once belong to the process: there is one module of it, in one interpreter.
bool is_first() {
  static std::atomic<bool> loaded{false};
  return !loaded.exchange(true) ||
         fail(PyExc_ImportError, "gpuopt._core is loaded already, and cannot be loaded more than once per process");
}

int fill(PyObject *module) {
  if (!is_first()) return -1;
  PyMethodDef *const tables[] = {operation_functions, reduction_functions, abi_functions,     exchange_functions,
                                 device_functions,    kernel_functions,    compiled_functions};
  for (PyMethodDef *table : tables) {
    if (PyModule_AddFunctions(module, table) < 0) return -1;
  }
  return add_public_names(module) && add_accumulating(module) && make_array_type(module) && add_dlpack_exchange() &&
                 add_compiled_types(module) && PyModule_AddIntConstant(module, "version", gpuopt_version()) == 0
             ? 0
             : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void *>(fill)},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gpuopt._core", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace gpuopt_python

extern "C" __attribute__((visibility("default"))) PyObject *PyInit__core() {
  return PyModuleDef_Init(&gpuopt_python::definition);
}
