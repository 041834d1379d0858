// bindings/python/src/core.h -- what the files of the extension share: the array type, errors, operands, arguments.
//
// The extension is written in CPython's limited API of 3.10, so that one file serves all later versions; for
// interpreters without a lock of their own, which have no limited API before 3.15, it is compiled with the whole API.
// There, functions run at once on several threads: what they share is published atomically (keep_first) or guarded by
// a mutex, under which nothing of Python's is called that may wait. What is called
// for every small array (operators, elementwise functions, reductions, indexing) is here in full; the rest of the C ABI
// is made callable one to one (wrap.h), and given its Python form by the package's modules.
#ifndef GPUOPT_BINDINGS_PYTHON_SRC_CORE_H_
#define GPUOPT_BINDINGS_PYTHON_SRC_CORE_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <gpuopt/gpuopt.h>

#include <atomic>
#include <utility>

// Interpreters from 3.12 on do not count the references of immortal objects (None, small ints, NumPy's dtypes). The
// limited API of 3.10 counts them in place all the same (PEP 683), so that after some thousand million calls they would
// no longer be immortal. The interpreter's own functions know better.
#ifdef Py_LIMITED_API
#undef Py_INCREF
#undef Py_DECREF
#undef Py_XDECREF
#undef Py_NewRef
#define Py_INCREF(object) Py_IncRef(reinterpret_cast<PyObject *>(object))
#define Py_DECREF(object) Py_DecRef(reinterpret_cast<PyObject *>(object))
#define Py_XDECREF(object) Py_DecRef(reinterpret_cast<PyObject *>(object))
#endif

namespace gpuopt_python {

// ---- Arrays --------------------------------------------------------------------------------------------------------

struct Array {
  PyObject_HEAD gpuopt_array handle;  // of an element: NULL until it is first asked for
  PyObject *weak_references;
  void *window;     // the export that __array_interface__ and its like refer to, until the array ends
  PyObject *whole;  // of an element of an array with one dimension: that array; else NULL
  int64_t at;       // of an element: its index, which is not negative
};
extern PyTypeObject *array_type;
inline bool is_array(PyObject *object) { return Py_TYPE(object) == array_type; }
// Makes the view that an element is and returns it; NULL if there is no memory.
gpuopt_array make_element(Array &array);
inline gpuopt_array handle_of(PyObject *object) {
  Array &array = *reinterpret_cast<Array *>(object);
  const gpuopt_array handle = std::atomic_ref(array.handle).load(std::memory_order_acquire);
  return handle ? handle : make_element(array);
}
// Whether the array is an element whose view has not been made.
inline bool is_unmade(const Array &array) {
  return !std::atomic_ref(const_cast<gpuopt_array &>(array.handle)).load(std::memory_order_acquire);
}
// x[at] of an array with one dimension, as an object that makes the view when it is first needed: most elements are
// only read as numbers. `at` is in range.
PyObject *new_element(PyObject *whole, int64_t at);
// Takes the reference over; NULL is returned for NULL, which a call gives that has failed.
PyObject *new_array(gpuopt_array handle);

// ---- Errors and the interpreter's lock -----------------------------------------------------------------------------

// An error whose message is not cleared first: a call that fails writes all of it.
struct Error {
  gpuopt_error value;
  Error() { value.struct_size = sizeof(gpuopt_error); }
  gpuopt_error *operator&() { return &value; }
};
// Sets the Python exception of this error, and returns NULL.
PyObject *raise(const gpuopt_error &error);
// Sets an exception of this class, with another message and the error's codes, and returns NULL.
PyObject *raise_as(PyObject *type, const gpuopt_error &error, const char *format, ...);
// Sets this exception, with the error's codes; the reference is taken over. Returns NULL.
PyObject *raise_object(PyObject *exception, const gpuopt_error &error);
// An exception of this class with a message, and NULL.
PyObject *fail(PyObject *type, const char *format, ...);

// Whether a function of the module was given as many arguments as it takes. If not, sets TypeError.
inline bool takes(Py_ssize_t given, Py_ssize_t wanted) {
  if (given == wanted) return true;
  fail(PyExc_TypeError, "%zd arguments are needed, not %zd", wanted, given);
  return false;
}

// Without the interpreter's lock while it lives.
class Unlocked {
 public:
  explicit Unlocked(bool unlock = true) : state_(unlock ? PyEval_SaveThread() : nullptr) {}
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

 private:
  PyThreadState *state_;
};

// Recording an operation on few elements takes less time than giving the lock away and taking it back. Where it does
// run (GPUOPT_EAGER), it runs on as few.
constexpr int64_t few_elements = 4096;
inline bool many(gpuopt_array x) { return gpuopt_array_size(x) > few_elements; }

// The array that `call(result, error)` gives, computed without the interpreter's lock if `unlock`.
template <class Call>
PyObject *array_from(bool unlock, Call call) {
  Error error;
  gpuopt_array result = nullptr;
  gpuopt_status status;
  {
    Unlocked unlocked(unlock);
    status = call(&result, &error);
  }
  return status == GPUOPT_OK ? new_array(result) : raise(error.value);
}
// Runs `call(error)` without the lock; false with an exception set if it fails.
template <class Call>
bool run(Call call, bool unlock = true) {
  Error error;
  gpuopt_status status;
  {
    Unlocked unlocked(unlock);
    status = call(&error);
  }
  if (status != GPUOPT_OK) raise(error.value);
  return status == GPUOPT_OK;
}

// ---- Operands ------------------------------------------------------------------------------------------------------

// An array for the time of a call: that of a Python object, or one made for this call.
class Operand {
 public:
  Operand() = default;
  ~Operand() { gpuopt_array_release(owned_); }
  Operand(const Operand &) = delete;
  Operand &operator=(const Operand &) = delete;
  gpuopt_array get() const { return handle_; }
  // Keeps an array that was borrowed beyond the life of its Python object.
  void hold() {
    if (handle_ && !owned_) owned_ = gpuopt_array_retain(handle_);
  }
  void borrow(gpuopt_array handle) { handle_ = handle; }
  void own(gpuopt_array handle) { handle_ = owned_ = handle; }

 private:
  gpuopt_array handle_ = nullptr, owned_ = nullptr;
};
enum class Read { FAILED, OK, NOT_MINE };
// Arrays as they are, Python's numbers as weak scalars, and by gpuopt._convert.operand what else is an operand beside
// `beside` (NULL: none): lists, NumPy's scalars and, where memory is the host's, arrays. `function`: what has
// __dlpack__ counts, too.
Read read_operand(PyObject *object, PyObject *beside, bool function, Operand &operand);
// As read_operand of a function, and a TypeError for what is none.
bool require_operand(PyObject *object, PyObject *beside, Operand &operand);
// A number of Python's as a scalar; false with an exception set, or without one if it is none.
bool read_scalar(PyObject *object, gpuopt_scalar &scalar);
PyObject *python_number(const gpuopt_scalar &scalar);

// operations.cpp: gpuopt_floor_divide and its form in place, with the special cases of the array API standard.
gpuopt_status floor_divide(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
gpuopt_status floor_divide_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

// ---- dtypes --------------------------------------------------------------------------------------------------------

// The numpy.dtype of a dtype, a new reference.
PyObject *numpy_dtype(gpuopt_dtype dtype);
// The dtype that an object names (None: 0): numpy.dtype, NumPy's and Python's classes, names. False with TypeError set.
bool read_dtype(PyObject *object, gpuopt_dtype &dtype);

// ---- Arguments -----------------------------------------------------------------------------------------------------

// Parameters of a function called with METH_FASTCALL | METH_KEYWORDS: the first `positional` names may be given by
// position, the first `positional_only` of these only so, and `required` must be given.
struct Signature {
  const char *function;
  const char *const *names;
  int count, positional_only, positional, required;
};
bool read_arguments(const Signature &signature, PyObject *const *arguments, Py_ssize_t given, PyObject *keyword_names,
                    PyObject **values);
// Adds functions to a table of a module, and attributes to the type of arrays.
using Functions = const PyMethodDef *;

// ---- What threads share ---------------------------------------------------------------------------------------------

// An object that was made once, of whichever thread, and is never given back; NULL before.
inline PyObject *kept(PyObject *&place) { return std::atomic_ref(place).load(std::memory_order_acquire); }
// Keeps `made`, whose reference is taken over, unless another thread has kept its own; that which is kept.
PyObject *keep_first(PyObject *&place, PyObject *made);
// One attribute of a module of the package, looked up once: import_from("gpuopt._convert", "operand", cache).
PyObject *import_from(const char *module, const char *name, PyObject *&cache);

// ---- The files' parts of the module --------------------------------------------------------------------------------

extern PyMethodDef operation_functions[];  // operations.cpp
extern PyMethodDef reduction_functions[];  // reductions.cpp
extern PyMethodDef reduction_methods[];
extern PyMethodDef abi_functions[];       // abi.cpp
extern PyMethodDef exchange_functions[];  // exchange.cpp
extern PyMethodDef exchange_methods[];
extern PyMethodDef device_functions[];    // device.cpp
extern PyMethodDef kernel_functions[];    // kernels.cpp
extern PyMethodDef compiled_functions[];  // compiled.cpp
bool add_compiled_types(PyObject *module);
bool add_dlpack_exchange();  // dlpack_exchange.cpp: an attribute of the array type

// index.cpp. read_index() reads an int, a slice, None, Ellipsis or an array as an item of gpuopt_get().
bool read_index(PyObject *object, gpuopt_index &item);
Py_ssize_t array_length(PyObject *self);
PyObject *array_item(PyObject *self, Py_ssize_t at);
PyObject *array_subscript(PyObject *self, PyObject *key);
int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value);
PyObject *array_iterator(PyObject *self);

void end_window(void *window);        // exchange.cpp
PyObject *device_of(gpuopt_array x);  // device.cpp: a new reference to the Device
bool read_device(PyObject *object, gpuopt_device &device);

// Those of the buffer protocol, which the limited API has from 3.11 on, in the same layout: exchange.cpp.
extern PyType_Slot number_slots[];  // number.cpp

}  // namespace gpuopt_python

#endif
