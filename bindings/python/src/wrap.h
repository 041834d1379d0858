// bindings/python/src/wrap.h -- a function of the C ABI as one of Python, with the same arguments in the same order.
//
// wrap<gpuopt_tril> takes an array and an int and gives an array. Conversions go by the C types:
//   gpuopt_array               an array or operand; None is NULL      int32_t         an int, None is 0, else a dtype
//   gpuopt_scalar              a number                               int64_t, ...    an int
//   double                     a float                                const char *    a str, None is NULL
//   const int64_t *, ...       a sequence of ints, None is NULL       gpuopt_device   a Device, None is the current one
//   const gpuopt_array *       a sequence of arrays, None is NULL     other handles   a capsule, None is NULL
// Outputs stand behind the inputs and become the result: None, a value, or a tuple of several. The interpreter's lock
// is given away for the time of the call.
#ifndef GPUOPT_BINDINGS_PYTHON_SRC_WRAP_H_
#define GPUOPT_BINDINGS_PYTHON_SRC_WRAP_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core.h"

namespace gpuopt_python {

// The names of capsules, and how what they hold is released.
template <class Handle>
struct Kind;
#define GPUOPT_PYTHON_KIND(type, end)                 \
  template <>                                         \
  struct Kind<type> {                                 \
    static constexpr const char *name = #type;        \
    static void release(type handle) { end(handle); } \
  };
GPUOPT_PYTHON_KIND(gpuopt_device, gpuopt_device_release)
GPUOPT_PYTHON_KIND(gpuopt_stream, gpuopt_stream_release)
GPUOPT_PYTHON_KIND(gpuopt_event, gpuopt_event_release)
GPUOPT_PYTHON_KIND(gpuopt_npz, gpuopt_npz_close)
GPUOPT_PYTHON_KIND(gpuopt_random_state, gpuopt_random_state_release)
GPUOPT_PYTHON_KIND(gpuopt_generator, gpuopt_generator_release)
GPUOPT_PYTHON_KIND(gpuopt_comm, gpuopt_comm_release)
GPUOPT_PYTHON_KIND(gpuopt_shard, gpuopt_shard_release)
GPUOPT_PYTHON_KIND(gpuopt_kernel, gpuopt_kernel_release)
GPUOPT_PYTHON_KIND(gpuopt_cfunc, gpuopt_cfunc_release)
GPUOPT_PYTHON_KIND(gpuopt_texture, gpuopt_texture_release)
#undef GPUOPT_PYTHON_KIND

template <class T>
concept is_capsule = requires {
  Kind<T>::name;
};

template <class Handle>
PyObject *capsule(Handle handle) {
  return PyCapsule_New(handle, Kind<Handle>::name, [](PyObject *self) {
    Kind<Handle>::release(static_cast<Handle>(PyCapsule_GetPointer(self, Kind<Handle>::name)));
  });
}

// One argument, converted: read() gets the Python object, get() is what the C function takes.
template <class T>
struct Argument;

template <std::integral T>
struct Argument<T> {
  T value = 0;
  bool read(PyObject *object) {
    if (std::is_same_v<T, int32_t> && !PyLong_Check(object)) {
      gpuopt_dtype dtype = 0;
      const bool known = read_dtype(object, dtype);
      value = static_cast<T>(dtype);
      return known;
    }
    PyObject *number = PyNumber_Index(object);
    if (!number) return false;
    if constexpr (std::is_unsigned_v<T>) {
      const unsigned long long wide = PyLong_AsUnsignedLongLong(number);
      value = static_cast<T>(wide);
      if (!PyErr_Occurred() && value != wide) PyErr_SetString(PyExc_OverflowError, "the number is too large");
    } else {
      const long long wide = PyLong_AsLongLong(number);
      value = static_cast<T>(wide);
      if (!PyErr_Occurred() && value != wide) PyErr_SetString(PyExc_OverflowError, "the number is too large");
    }
    Py_DECREF(number);
    return !PyErr_Occurred();
  }
  T get() const { return value; }
};

template <>
struct Argument<double> {
  double value = 0;
  bool read(PyObject *object) {
    value = PyFloat_AsDouble(object);
    return !PyErr_Occurred();
  }
  double get() const { return value; }
};

template <>
struct Argument<const double *> {
  double value = 0;
  bool given = false;
  bool read(PyObject *object) {
    given = object != Py_None;
    if (given) value = PyFloat_AsDouble(object);
    return !PyErr_Occurred();
  }
  const double *get() const { return given ? &value : nullptr; }
};

template <>
struct Argument<const char *> {
  std::string value;
  bool given = false;
  bool read(PyObject *object) {
    given = object != Py_None;
    if (!given) return true;
    PyObject *bytes = PyUnicode_AsUTF8String(object);
    if (!bytes) return false;
    value = PyBytes_AsString(bytes);
    Py_DECREF(bytes);
    return true;
  }
  const char *get() const { return given ? value.c_str() : nullptr; }
};

template <>
struct Argument<gpuopt_array> {
  Operand operand;
  bool read(PyObject *object) { return object == Py_None || require_operand(object, nullptr, operand); }
  gpuopt_array get() const { return operand.get(); }
};

template <>
struct Argument<gpuopt_scalar> {
  gpuopt_scalar value;
  bool read(PyObject *object) {
    if (read_scalar(object, value)) return true;
    if (!PyErr_Occurred()) fail(PyExc_TypeError, "a number is expected, not %S", Py_TYPE(object));
    return false;
  }
  gpuopt_scalar get() const { return value; }
};

template <>
struct Argument<gpuopt_index> {
  gpuopt_index value{};
  bool read(PyObject *object) { return read_index(object, value); }
  gpuopt_index get() const { return value; }
};

template <>
struct Argument<gpuopt_device> {
  gpuopt_device value = nullptr;
  bool read(PyObject *object) { return read_device(object, value); }
  gpuopt_device get() const { return value; }
};

template <is_capsule T>
struct Argument<T> {
  T value = nullptr;
  bool read(PyObject *object) {
    if (object == Py_None) return true;
    value = static_cast<T>(PyCapsule_GetPointer(object, Kind<T>::name));
    return value != nullptr;
  }
  T get() const { return value; }
};

// A sequence of what Argument<T> reads.
template <class T>
struct Sequence {
  std::deque<Argument<T>> items;
  std::vector<T> values;
  bool given = false;
  bool read(PyObject *object) {
    given = object != Py_None;
    if (!given) return true;
    const Py_ssize_t count = PySequence_Size(object);
    for (Py_ssize_t at = 0; at < count; ++at) {
      PyObject *item = PySequence_GetItem(object, at);
      const bool good = item && items.emplace_back().read(item);
      // The sequence may make its items anew, or lose them to another thread.
      if constexpr (std::is_same_v<T, gpuopt_array>) items.back().operand.hold();
      Py_XDECREF(item);
      if (!good) return false;
      values.push_back(items.back().get());
    }
    values.push_back(T{});  // so that the address of no values is one, too
    return count >= 0;
  }
  const T *get() const { return given ? values.data() : nullptr; }
};
template <>
struct Argument<const int64_t *> : Sequence<int64_t> {};
template <>
struct Argument<const uint32_t *> : Sequence<uint32_t> {};
template <>
struct Argument<const int32_t *> : Sequence<int32_t> {};
// Numbers, or one alone.
template <>
struct Argument<const gpuopt_scalar *> : Sequence<gpuopt_scalar> {
  bool read(PyObject *object) {
    if (object == Py_None || PySequence_Check(object)) return Sequence::read(object);
    given = items.emplace_back().read(object);
    if (given) values.push_back(items.back().get());
    return given;
  }
};
template <>
struct Argument<const gpuopt_array *> : Sequence<gpuopt_array> {};
template <>
struct Argument<const gpuopt_index *> : Sequence<gpuopt_index> {};
template <>
struct Argument<const char *const *> : Sequence<const char *> {};

// A pair: the axes as a tuple, or None for all, and whether they stay with size 1.
template <>
struct Argument<const gpuopt_reduce_options *> {
  Argument<const int64_t *> axes;
  gpuopt_reduce_options options{};
  bool read(PyObject *object) {
    PyObject *list = nullptr;
    int keepdims = 0;
    if (!PyArg_ParseTuple(object, "Op", &list, &keepdims) || !axes.read(list)) return false;
    options.struct_size = sizeof options;
    options.axes = axes.get();
    options.naxes = axes.given ? static_cast<int32_t>(axes.items.size()) : 0;
    options.keepdims = keepdims;
    return true;
  }
  const gpuopt_reduce_options *get() const { return &options; }
};

// (fweights, aweights, columns, bias); the weights may be None.
template <>
struct Argument<const gpuopt_cov_options *> {
  Argument<gpuopt_array> fweights, aweights;
  gpuopt_cov_options options{};
  bool read(PyObject *object) {
    PyObject *f = nullptr, *a = nullptr;
    options.struct_size = sizeof options;
    int columns = 0;
    if (!PyArg_ParseTuple(object, "OOpd", &f, &a, &columns, &options.bias)) return false;
    if (!fweights.read(f) || !aweights.read(a)) return false;
    options.fweights = fweights.get();
    options.aweights = aweights.get();
    options.columns = columns;
    return true;
  }
  const gpuopt_cov_options *get() const { return &options; }
};

// (device, timeout, flags, native); the device may be None, for the CPU, and native, an address, 0.
template <>
struct Argument<const gpuopt_comm_options *> {
  gpuopt_comm_options options{};
  bool read(PyObject *object) {
    PyObject *device = nullptr;
    options.struct_size = sizeof options;
    unsigned long long native = 0;
    if (!PyArg_ParseTuple(object, "OdIK", &device, &options.timeout, &options.flags, &native)) return false;
    options.native = reinterpret_cast<const void *>(static_cast<uintptr_t>(native));
    return device == Py_None || read_device(device, options.device);
  }
  const gpuopt_comm_options *get() const { return &options; }
};

// (the 624 words of the key, position, has_gauss, gauss).
template <>
struct Argument<const gpuopt_mt19937_words *> {
  gpuopt_mt19937_words words{};
  bool read(PyObject *object) {
    PyObject *list = nullptr;
    Argument<const uint32_t *> key;
    if (!PyArg_ParseTuple(object, "Oiid", &list, &words.position, &words.has_gauss, &words.gauss)) return false;
    if (!key.read(list)) return false;
    if (key.items.size() != std::size(words.key)) return fail(PyExc_ValueError, "the key has not 624 words") != nullptr;
    std::copy_n(key.get(), std::size(words.key), words.key);
    words.struct_size = sizeof words;
    return true;
  }
  const gpuopt_mt19937_words *get() const { return &words; }
};

// (state, increment, has_uint32, uinteger), the first two with 128 bits.
template <>
struct Argument<const gpuopt_pcg64_words *> {
  gpuopt_pcg64_words words{};
  bool read(PyObject *object) {
    PyObject *state = nullptr, *increment = nullptr;
    if (!PyArg_ParseTuple(object, "OOiI", &state, &increment, &words.has_uint32, &words.uinteger)) return false;
    words.struct_size = sizeof words;
    return read_wide(state, words.state) && read_wide(increment, words.increment);
  }
  static bool read_wide(PyObject *number, uint64_t (&halves)[2]) {
    PyObject *const high = PyObject_CallMethod(number, "__rshift__", "i", 64);
    if (!high) return false;
    halves[0] = PyLong_AsUnsignedLongLongMask(number);
    halves[1] = PyLong_AsUnsignedLongLongMask(high);
    Py_DECREF(high);
    return !PyErr_Occurred();
  }
  const gpuopt_pcg64_words *get() const { return &words; }
};

// (delimiter, comments, quote, missing, usecols, skiprows, max_rows, ndmin, dtype, filling); texts, usecols, max_rows
// and filling may be None.
template <>
struct Argument<const gpuopt_loadtxt_options *> {
  Argument<const char *> texts[4];
  Argument<const int64_t *> usecols;
  Argument<const gpuopt_scalar *> filling;
  gpuopt_loadtxt_options options{};
  bool read(PyObject *object) {
    PyObject *text[4] = {}, *columns = nullptr, *rows = nullptr, *dtype = nullptr, *fill = nullptr;
    long long skiprows = 0;
    int ndmin = 0;
    options.struct_size = sizeof options;
    if (!PyArg_ParseTuple(object, "OOOOOLOiOO", &text[0], &text[1], &text[2], &text[3], &columns, &skiprows, &rows,
                          &ndmin, &dtype, &fill))
      return false;
    for (int k = 0; k < 4; ++k)
      if (!texts[k].read(text[k])) return false;
    if (!usecols.read(columns) || !read_dtype(dtype, options.dtype) || !filling.read(fill)) return false;
    options.delimiter = texts[0].get();
    options.comments = texts[1].get();
    options.quote = texts[2].get();
    options.missing = texts[3].get();
    options.usecols = usecols.get();
    options.nusecols = usecols.given ? static_cast<int32_t>(usecols.items.size()) : 0;
    options.skiprows = skiprows;
    options.has_max_rows = rows != Py_None;
    if (options.has_max_rows) options.max_rows = PyLong_AsLongLong(rows);
    options.ndmin = ndmin;
    options.has_filling = filling.given;
    if (filling.given) options.filling = *filling.get();
    return !PyErr_Occurred();
  }
  const gpuopt_loadtxt_options *get() const { return &options; }
};

// (fmt, delimiter, newline, header, footer, comments), each of which may be None.
template <>
struct Argument<const gpuopt_savetxt_options *> {
  Argument<const char *> texts[6];
  gpuopt_savetxt_options options{};
  bool read(PyObject *object) {
    PyObject *text[6] = {};
    options.struct_size = sizeof options;
    if (!PyArg_ParseTuple(object, "OOOOOO", &text[0], &text[1], &text[2], &text[3], &text[4], &text[5])) return false;
    for (int k = 0; k < 6; ++k)
      if (!texts[k].read(text[k])) return false;
    options.fmt = texts[0].get();
    options.delimiter = texts[1].get();
    options.newline = texts[2].get();
    options.header = texts[3].get();
    options.footer = texts[4].get();
    options.comments = texts[5].get();
    return true;
  }
  const gpuopt_savetxt_options *get() const { return &options; }
};

// What a call gives by a pointer, as Python has it.
// NULL, an output that the call does not make, is None.
inline PyObject *result_object(gpuopt_array value) { return value ? new_array(value) : Py_NewRef(Py_None); }
inline PyObject *result_object(const gpuopt_scalar &value) { return python_number(value); }
inline PyObject *result_object(int32_t value) { return PyLong_FromLong(value); }
inline PyObject *result_object(int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject *result_object(void *value) { return PyLong_FromVoidPtr(value); }
inline PyObject *result_object(double value) { return PyFloat_FromDouble(value); }
inline PyObject *result_object(char *value) {
  PyObject *text =
      PyUnicode_DecodeUTF8(value, static_cast<Py_ssize_t>(std::char_traits<char>::length(value)), "replace");
  gpuopt_string_free(value);
  return text;
}
inline PyObject *result_object(const gpuopt_mt19937_words &value) {
  PyObject *const key = PyList_New(std::size(value.key));
  for (size_t i = 0; key && i < std::size(value.key); ++i)
    PyList_SetItem(key, static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(value.key[i]));
  return key ? Py_BuildValue("(Niid)", key, value.position, value.has_gauss, value.gauss) : nullptr;
}
inline PyObject *wide_number(const uint64_t (&halves)[2]) {
  char digits[35];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(halves[1]),
                static_cast<unsigned long long>(halves[0]));
  return PyLong_FromString(digits, nullptr, 16);
}
inline PyObject *result_object(const gpuopt_pcg64_words &value) {
  return Py_BuildValue("(NNiI)", wide_number(value.state), wide_number(value.increment), value.has_uint32,
                       value.uinteger);
}
template <is_capsule Handle>
PyObject *result_object(Handle value) {
  return value ? capsule(value) : Py_NewRef(Py_None);
}

// Pointers to what is not const are outputs, but for handles.
template <class T>
concept is_output = std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>> && !is_capsule<T> &&
                    !std::is_same_v<T, gpuopt_array>;

// An output: no argument of Python's function.
template <class T>
struct Output {
  T value{};
  T *get() {
    if constexpr (requires { value.struct_size; }) value.struct_size = sizeof value;
    return &value;
  }
};
template <class T>
using Slot = std::conditional_t<is_output<T>, Output<std::remove_pointer_t<T>>, Argument<T>>;

template <class T>
bool read_slot(Argument<T> &slot, PyObject *const *&arguments, Py_ssize_t &left) {
  if (left == 0) {
    PyErr_SetString(PyExc_TypeError, "too few arguments");
    return false;
  }
  --left;
  return slot.read(*arguments++);
}
template <class T>
bool read_slot(Output<T> &, PyObject *const *&, Py_ssize_t &) {
  return true;
}
template <class T>
void add_result(Argument<T> &, PyObject **, int &) {}
template <class T>
void add_result(Output<T> &slot, PyObject **results, int &count) {
  results[count++] = result_object(slot.value);
}

inline PyObject *results_tuple(PyObject **results, int count) {
  if (count == 0) return Py_NewRef(Py_None);
  if (count == 1) return results[0];
  PyObject *tuple = PyTuple_New(count);
  for (int at = 0; at < count; ++at) PyTuple_SetItem(tuple, at, results[at]);
  return tuple;
}

// The lock of a handle that the library lets only one thread use at a time, taken without the interpreter's lock; other
// arguments have none. NumPy's generators may be used from several threads, too. No function takes two such handles.
std::unique_lock<std::mutex> lock_of(const void *handle);  // abi.cpp
struct NoLock {};
template <class Slot>
NoLock exclusive(const Slot &) {
  return {};
}
inline std::unique_lock<std::mutex> exclusive(const Argument<gpuopt_random_state> &slot) { return lock_of(slot.get()); }
inline std::unique_lock<std::mutex> exclusive(const Argument<gpuopt_generator> &slot) { return lock_of(slot.get()); }
inline std::unique_lock<std::mutex> exclusive(const Argument<gpuopt_npz> &slot) { return lock_of(slot.get()); }

// The slots of a function's parameters but the last, which is the error.
template <auto Function, class... Types, size_t... at>
PyObject *call_abi(gpuopt_status (*)(Types...), std::index_sequence<at...>, PyObject *const *arguments,
                   Py_ssize_t given) {
  std::tuple<Slot<Types>...> slots;
  if (!(read_slot(std::get<at>(slots), arguments, given) && ...)) return nullptr;
  if (given != 0) return fail(PyExc_TypeError, "too many arguments");
  const auto call = [&](gpuopt_error *error) {
    [[maybe_unused]] const std::tuple<decltype(exclusive(std::get<at>(slots)))...> locks(
        exclusive(std::get<at>(slots))...);
    return Function(std::get<at>(slots).get()..., error);
  };
  if (!run(call)) return nullptr;
  std::array<PyObject *, sizeof...(at)> results{};
  int count = 0;
  (add_result(std::get<at>(slots), results.data(), count), ...);
  return results_tuple(results.data(), count);
}

template <class... Types>
auto parameters_but_last(gpuopt_status (*)(Types...)) {
  return std::make_index_sequence<sizeof...(Types) - 1>{};
}

template <auto Function>
PyObject *wrap(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  return call_abi<Function>(Function, parameters_but_last(Function), arguments, given);
}

// METH_FASTCALL functions have another type than PyCFunction, which the table wants.
template <class Function>
PyCFunction method(Function *function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace gpuopt_python

#endif
