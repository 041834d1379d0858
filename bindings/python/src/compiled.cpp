// bindings/python/src/compiled.cpp -- calls of functions that gpuopt.compiled has compiled from Python: their
// arguments, what they call back, and the memory that they return.
//
// A compiled function takes the address of a frame: a table of what it may call, two numbers for an exception's text,
// a note with the arguments of an exception (NULL without one), then its arguments, then its results, in slots of eight
// bytes. Numbers are widened to 64 bits (complex ones to two
// doubles); an array is its address, its shape, its strides in bytes and the block that owns its memory (NULL: somebody
// else does). It returns 0, or the number of the place in its text where an exception was raised.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "compiled_runtime.h"
#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

// ---- What compiled functions call ----------------------------------------------------------------------------------

// ---- Arguments -----------------------------------------------------------------------------------------------------

// The buffers of the call that this thread runs.
thread_local const std::vector<View> *current_views = nullptr;

struct CurrentViews {
  const std::vector<View> *before;
  explicit CurrentViews(const std::vector<View> &views) : before(current_views) { current_views = &views; }
  ~CurrentViews() { current_views = before; }
};

// An owner for an array that is to outlive the call, whose memory is that of an argument; NULL if it is not.
void *own(const void *data) {
  const auto at = reinterpret_cast<uintptr_t>(data);
  for (size_t k = 0; current_views && k < current_views->size(); ++k) {
    const View &view = (*current_views)[k];
    uintptr_t low = reinterpret_cast<uintptr_t>(view.data), high = low + static_cast<uintptr_t>(view.item_size);
    for (int axis = 0; axis < view.ndim; ++axis) {
      const Py_ssize_t reach = view.shape[axis] > 0 ? (view.shape[axis] - 1) * view.strides[axis] : 0;
      (reach < 0 ? low : high) += static_cast<uintptr_t>(reach);
    }
    if (at < low || at > high) continue;
    const PyGILState_STATE state = PyGILState_Ensure();
    Block *const owned = owner_of(view.owner);
    PyGILState_Release(state);
    return owned;
  }
  return nullptr;
}

struct Views {
  std::vector<View> views;
  ~Views() {
    for (View &view : views) release_view(view);
  }
  // Adds the buffer of an object; false with an exception set. There are `most` at most, which therefore stay in place.
  bool take(PyObject *object, size_t most) {
    views.reserve(most);
    if (take_view(object, views.emplace_back())) return true;
    views.pop_back();
    return false;
  }
};

const struct Runtime {
  void *(*allocate)(int64_t);
  int32_t (*run_chunks)(int32_t (*)(void *, int64_t), void *, int64_t);
  void (*print_number)(char, int64_t, double, double);
  void (*print_text)(const char *);
  void (*print_line)();
  void *(*random_state)();
  int32_t (*host_call)(const char *, const int64_t *, int64_t, int64_t *);
  void *(*own)(const void *);
  void (*note)(void **, char, int64_t, double, double, const void *);
  double (*draw_real)(int64_t, double, double, double);
  int64_t (*draw_integer)(int64_t, double, double, int64_t, int64_t, int64_t);
  void (*print_letters)(const uint32_t *, int64_t, bool);
  void *(*format)(char, int64_t, double, double, const uint32_t *, const uint32_t *, int64_t, int64_t *);
} runtime = {allocate_block, run_chunks, print_number, print_text,    print_line,  random_state, host_call, own,
             note,           draw_real,  draw_integer, print_letters, format_value};

// One parameter: kind 'b', 'i', 'u', 'f', 'c' of a number, 'a' of an array, 'l' of one that stands for a list or a
// text, 'o' of an instance, whose class is `type`.
struct Parameter {
  char kind, element;
  uint8_t bytes;
  bool contiguous, written;
  int32_t ndim;
  const PyTypeObject *type;

  bool is_array() const { return kind == 'a' || kind == 'l'; }
};

// The memory of an array that a compiled function has returned, as a buffer of bytes: NumPy's array stands on it. Of an
// instance it is the block alone.
struct Memory {
  PyObject_HEAD char *data;
  Py_ssize_t bytes;
  Block *block;
  PyObject *base;
};
PyTypeObject *memory_type = nullptr;
PyObject *memory_name = nullptr;  // "_memory", where an instance has its own

// The table of what may be called, two numbers that tell more of an exception, and its note.
constexpr size_t context_slots = 4, note_slot = 3;

struct Entry {
  std::vector<Parameter> parameters;
  int32_t (*function)(void *);
  PyObject *code;  // the capsule that keeps it
  size_t slots, result;
  char result_kind;
  bool unlock;
  std::vector<int64_t> tail;  // behind the parameters: captured arrays
  std::atomic<Entry *> next{nullptr};
};

// Entries are added while other threads read those that are there, and none is taken away.
class Entries {
 public:
  Entries() = default;
  Entries(const Entries &) = delete;
  Entries &operator=(const Entries &) = delete;
  ~Entries() {
    for (Entry *entry = first_, *next = nullptr; entry; entry = next) {
      next = entry->next;
      Py_DECREF(entry->code);
      delete entry;
    }
  }
  const Entry *first() const { return first_; }
  // NULL with an exception set if there are not so many.
  const Entry *at(Py_ssize_t number) const {
    const Entry *entry = number < 0 ? nullptr : first();
    for (; entry && number > 0; --number) entry = entry->next;
    if (!entry) fail(PyExc_IndexError, "there is no such compiled signature");
    return entry;
  }
  // Takes the entry over, behind all others; its number.
  Py_ssize_t add(Entry *entry) {
    Py_ssize_t number = 0;
    std::atomic<Entry *> *place = &first_;
    for (Entry *there = nullptr; !place->compare_exchange_strong(there, entry); there = nullptr, ++number) {
      place = &there->next;
    }
    return number;
  }

 private:
  std::atomic<Entry *> first_{nullptr};
};

char element_kind(const char *format) {
  if (*format == '=' || *format == '@' || *format == '<') ++format;
  switch (*format) {
    case '?':
      return 'b';
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return 'i';
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return 'u';
    case 'e':
    case 'f':
    case 'd':
      return 'f';
    case 'Z':
      return 'c';
    default:
      return 0;
  }
}

bool is_contiguous(const View &view) {
  Py_ssize_t step = view.item_size;
  for (int axis = view.ndim - 1; axis >= 0; --axis) {
    if (view.shape[axis] != 1 && view.strides[axis] != step && view.length != 0) return false;
    step *= view.shape[axis];
  }
  return true;
}

bool fits(const Parameter &parameter, const View &view) {
  return view.ndim == parameter.ndim && view.format && element_kind(view.format) == parameter.element &&
         view.item_size == parameter.bytes && (!parameter.contiguous || is_contiguous(view)) &&
         !(parameter.written && view.read_only);
}

// Whether a Python object is of this very type, without a conversion; `view` is its buffer, if it has one.
bool is_exactly(const Parameter &parameter, PyObject *object, const View *view) {
  PyTypeObject *const type = Py_TYPE(object);
  switch (parameter.kind) {
    case 'b':
      return type == &PyBool_Type;
    case 'i':
      return parameter.bytes == 8 && type == &PyLong_Type;
    case 'f':
      return parameter.bytes == 8 && type == &PyFloat_Type;
    case 'c':
      return parameter.bytes == 16 && type == &PyComplex_Type;
    case 'a':
      return view && fits(parameter, *view);
    case 'o':
      return type == parameter.type;
    default:
      return false;
  }
}

// The block of an instance; NULL with an exception set.
Block *block_of(PyObject *instance) {
  PyObject *const found = PyObject_GetAttr(instance, memory_name);
  if (!found) return nullptr;
  Block *const block = Py_TYPE(found) == memory_type ? reinterpret_cast<Memory *>(found)->block : nullptr;
  if (!block) PyErr_SetString(PyExc_TypeError, "the instance has no memory");
  Py_DECREF(found);
  return block;
}

// Writes a number to its slot, converted as the parameter wants it; false with an exception set.
bool write_number(const Parameter &parameter, PyObject *object, int64_t *slot) {
  double *const real = reinterpret_cast<double *>(slot);
  if (parameter.kind == 'f') {
    *real = PyFloat_AsDouble(object);
  } else if (parameter.kind == 'c') {
    if (PyComplex_Check(object)) {
      real[0] = PyComplex_RealAsDouble(object);
      real[1] = PyComplex_ImagAsDouble(object);
    } else {
      real[0] = PyFloat_AsDouble(object);
      real[1] = 0;
    }
  } else if (parameter.kind == 'b') {
    *slot = object == Py_True ? 1 : object == Py_False ? 0 : PyObject_IsTrue(object);
  } else if (parameter.kind == 'u') {
    *reinterpret_cast<uint64_t *>(slot) = PyLong_AsUnsignedLongLong(object);
  } else {
    *slot = PyLong_AsLongLong(object);
  }
  return !PyErr_Occurred();
}

int64_t *write_array(const View &view, int64_t *slot) {
  *slot++ = reinterpret_cast<int64_t>(view.data);
  slot = std::copy(view.shape, view.shape + view.ndim, slot);
  slot = std::copy(view.strides, view.strides + view.ndim, slot);
  *slot++ = 0;
  return slot;
}

// ---- The type ------------------------------------------------------------------------------------------------------

struct Compiled {
  PyObject_HEAD Entries *entries;
};

Entries &entries_of(PyObject *self) { return *reinterpret_cast<Compiled *>(self)->entries; }

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self) reinterpret_cast<Compiled *>(self)->entries = new Entries;
  return self;
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<Compiled *>(self)->entries;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// The result of entry number `at`; what is no plain number is made by the package: self._box(at, bytes, arguments).
PyObject *box(PyObject *self, size_t at, const Entry &entry, const int64_t *frame, PyObject *arguments) {
  const int64_t *const slot = frame + entry.result;
  const double *const real = reinterpret_cast<const double *>(slot);
  switch (entry.result_kind) {
    case 'n':
      return Py_NewRef(Py_None);
    case 'b':
      return PyBool_FromLong(*slot != 0);
    case 'i':
      return PyLong_FromLongLong(*slot);
    case 'u':
      return PyLong_FromUnsignedLongLong(static_cast<uint64_t>(*slot));
    case 'f':
      return PyFloat_FromDouble(*real);
    case 'c':
      return PyComplex_FromDoubles(real[0], real[1]);
    default:
      return PyObject_CallMethod(self, "_box", "ny#O", static_cast<Py_ssize_t>(at),
                                 reinterpret_cast<const char *>(slot),
                                 static_cast<Py_ssize_t>((entry.slots - entry.result) * sizeof *slot), arguments);
  }
}

// Lets the package raise what a function has returned the number of.
PyObject *raise(PyObject *self, size_t at, int32_t status, const int64_t *frame) {
  PyObject *const noted = take_note(reinterpret_cast<void *>(frame[note_slot]), status);
  if (!noted) return nullptr;
  PyObject *const result =
      PyObject_CallMethod(self, "_raise", "niLLO", static_cast<Py_ssize_t>(at), static_cast<int>(status),
                          static_cast<long long>(frame[1]), static_cast<long long>(frame[2]), noted);
  Py_DECREF(noted);
  return result;
}

// Runs an entry; `views` are the buffers of its arrays, in order.
PyObject *run_entry(PyObject *self, size_t at, const Entry &entry, PyObject *arguments,
                    const std::vector<View> &views) {
  constexpr size_t few_slots = 64;
  int64_t few[few_slots];
  std::unique_ptr<int64_t[]> many_slots(entry.slots > few_slots ? new int64_t[entry.slots] : nullptr);
  int64_t *const frame = many_slots ? many_slots.get() : few, *slot = frame;
  *slot = reinterpret_cast<int64_t>(&runtime);
  frame[note_slot] = 0;
  slot += context_slots;
  size_t next_view = 0;
  bool unlock = entry.unlock;
  for (size_t k = 0; k < entry.parameters.size(); ++k) {
    const Parameter &parameter = entry.parameters[k];
    if (parameter.is_array()) {
      unlock |= views[next_view].length > few_elements * 8;
      slot = write_array(views[next_view++], slot);
    } else if (parameter.kind == 'o') {
      Block *const block = block_of(PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(k)));
      if (!block) return nullptr;
      *slot++ = reinterpret_cast<int64_t>(block);
    } else {
      if (!write_number(parameter, PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(k)), slot)) return nullptr;
      slot += parameter.kind == 'c' ? 2 : 1;
    }
  }
  std::copy(entry.tail.begin(), entry.tail.end(), slot);
  PyObject *const code = Py_NewRef(entry.code);
  int32_t status = 0;
  {
    const CurrentViews current(views);
    Unlocked unlocked(unlock);
    status = entry.function(frame);
  }
  void *const note = reinterpret_cast<void *>(frame[note_slot]);
  if (!status && note) Py_XDECREF(take_note(note, 0));
  PyObject *const result = status ? raise(self, at, status, frame) : box(self, at, entry, frame, arguments);
  Py_DECREF(code);
  return result;
}

bool has_buffer(PyObject *object) {
  PyTypeObject *const type = Py_TYPE(object);
  return type != &PyFloat_Type && type != &PyLong_Type && type != &PyBool_Type && type != &PyComplex_Type &&
         PyType_GetSlot(type, 1) != nullptr;  // Py_bf_getbuffer
}

// The buffers of those arguments that have one; of others nothing. False: none of the entries can take them.
bool take_views(PyObject *arguments, Py_ssize_t count, Views &views) {
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject *const object = PyTuple_GetItem(arguments, k);
    if (!has_buffer(object)) continue;
    if (!views.take(object, static_cast<size_t>(count))) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

bool matches(const Entry &entry, PyObject *arguments, Py_ssize_t count, const std::vector<View> &views) {
  if (static_cast<size_t>(count) != entry.parameters.size()) return false;
  size_t next_view = 0;
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject *const object = PyTuple_GetItem(arguments, k);
    const View *const view = next_view < views.size() && views[next_view].owner == object ? &views[next_view] : nullptr;
    if (view) ++next_view;
    if (!is_exactly(entry.parameters[static_cast<size_t>(k)], object, view)) return false;
  }
  return true;
}

// Calls the entry whose parameters are the arguments' own types; else self._slow(*arguments) finds or makes one.
PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (!keywords || PyDict_Size(keywords) == 0) {
    Views views;
    if (take_views(arguments, count, views)) {
      size_t at = 0;
      for (const Entry *entry = entries_of(self).first(); entry; entry = entry->next, ++at) {
        if (matches(*entry, arguments, count, views.views)) return run_entry(self, at, *entry, arguments, views.views);
      }
    }
  }
  PyObject *const slow = PyObject_GetAttrString(self, "_slow");
  PyObject *const result = slow ? PyObject_Call(slow, arguments, keywords) : nullptr;
  Py_XDECREF(slow);
  return result;
}

// _run(entry, arguments): with numbers converted; arrays must fit.
PyObject *run_method(PyObject *self, PyObject *parameters) {
  Py_ssize_t at = 0;
  PyObject *arguments = nullptr;
  if (!PyArg_ParseTuple(parameters, "nO:_run", &at, &arguments)) return nullptr;
  const Entry *const found = entries_of(self).at(at);
  if (!found) return nullptr;
  const Entry &entry = *found;
  Views views;
  for (size_t k = 0; k < entry.parameters.size(); ++k) {
    if (!entry.parameters[k].is_array()) continue;
    PyObject *const array = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(k));
    if (!views.take(array, entry.parameters.size())) return nullptr;
    if (!fits(entry.parameters[k], views.views.back()))
      return fail(PyExc_ValueError, "assignment destination is read-only");
  }
  return run_entry(self, static_cast<size_t>(at), entry, arguments, views.views);
}

// _add(parameters, address, code, slots, result, result_kind, unlock, tail): parameters are tuples (kind, element,
// bytes, contiguous, written, ndim, address of the class). Returns the entry's number.
PyObject *add_method(PyObject *self, PyObject *given) {
  PyObject *parameters = nullptr, *code = nullptr, *tail = nullptr;
  unsigned long long address = 0;
  Py_ssize_t slots = 0, result = 0;
  int result_kind = 0, unlock = 0;
  if (!PyArg_ParseTuple(given, "OKOnnCpO:_add", &parameters, &address, &code, &slots, &result, &result_kind, &unlock,
                        &tail)) {
    return nullptr;
  }
  auto entry = std::make_unique<Entry>();
  entry->function = reinterpret_cast<int32_t (*)(void *)>(address);
  entry->code = code;
  entry->slots = static_cast<size_t>(slots);
  entry->result = static_cast<size_t>(result);
  entry->result_kind = static_cast<char>(result_kind);
  entry->unlock = unlock != 0;
  for (Py_ssize_t k = 0; k < PyTuple_Size(parameters); ++k) {
    int kind = 0, element = 0, bytes = 0, contiguous = 0, written = 0, ndim = 0;
    unsigned long long type = 0;
    if (!PyArg_ParseTuple(PyTuple_GetItem(parameters, k), "CCippi|K", &kind, &element, &bytes, &contiguous, &written,
                          &ndim, &type)) {
      return nullptr;
    }
    entry->parameters.push_back({static_cast<char>(kind), static_cast<char>(element), static_cast<uint8_t>(bytes),
                                 contiguous != 0, written != 0, ndim, reinterpret_cast<const PyTypeObject *>(type)});
  }
  for (Py_ssize_t k = 0; k < PyTuple_Size(tail); ++k) {
    entry->tail.push_back(PyLong_AsLongLong(PyTuple_GetItem(tail, k)));
  }
  if (PyErr_Occurred()) return nullptr;
  Py_INCREF(code);
  return PyLong_FromSsize_t(entries_of(self).add(entry.release()));
}

// ---- Memory --------------------------------------------------------------------------------------------------------

PyObject *create_memory(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned long long data = 0, block = 0;
  Py_ssize_t bytes = 0;
  PyObject *base = nullptr;
  if (!PyArg_ParseTuple(arguments, "KnKO:Memory", &data, &bytes, &block, &base)) return nullptr;
  PyObject *self = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) return nullptr;
  auto *memory = reinterpret_cast<Memory *>(self);
  memory->data = reinterpret_cast<char *>(data);
  memory->bytes = bytes;
  memory->block = reinterpret_cast<Block *>(block);
  memory->base = Py_NewRef(base);
  return self;
}

void deallocate_memory(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto *memory = reinterpret_cast<Memory *>(self);
  if (memory->block && --memory->block->references == 0) memory->block->release(memory->block);
  Py_XDECREF(memory->base);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

int memory_buffer(PyObject *self, void *pointer, int) {
  const auto *memory = reinterpret_cast<const Memory *>(self);
  *static_cast<View *>(pointer) = {memory->data, Py_NewRef(self), memory->bytes, 1,       0,      1,
                                   nullptr,      nullptr,         nullptr,       nullptr, nullptr};
  return 0;
}

template <class Function>
void *slot(Function *function) {
  return reinterpret_cast<void *>(function);
}

bool add_type(PyObject *module, const char *name, size_t bytes, unsigned flags, PyType_Slot *slots) {
  PyType_Spec spec = {name, static_cast<int>(bytes), 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT) | flags, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (slots[0].pfunc == slot(create_memory)) memory_type = reinterpret_cast<PyTypeObject *>(type);
  const bool good = type && PyModule_AddObjectRef(module, std::strrchr(name, '.') + 1, type) == 0;
  Py_XDECREF(type);
  return good;
}

PyMethodDef methods[] = {
    {"_add", add_method, METH_VARARGS, nullptr},
    {"_run", run_method, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// keep(object): never frees it.
PyObject *keep(PyObject *, PyObject *object) {
  Py_INCREF(object);
  return Py_NewRef(Py_None);
}

// take_host_error(): the exception that a function of the package raised in a compiled function, or None.
PyObject *host_error(PyObject *, PyObject *) {
  PyObject *const found = take_host_error();
  return found ? found : Py_NewRef(Py_None);
}

// cfunc_address(function): where a function of gpuopt_compile_cfunc begins.
PyObject *cfunc_address(PyObject *, PyObject *function) {
  Argument<gpuopt_cfunc> handle;
  if (!handle.read(function)) return nullptr;
  return PyLong_FromVoidPtr(gpuopt_cfunc_address(handle.get()));
}

}  // namespace

PyMethodDef compiled_functions[] = {
    {"gpuopt_compile_cfunc", method(wrap<gpuopt_compile_cfunc>), METH_FASTCALL, nullptr},
    {"cfunc_address", cfunc_address, METH_O, nullptr},
    {"keep", keep, METH_O, nullptr},
    {"take_host_error", host_error, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

bool add_compiled_types(PyObject *module) {
  memory_name = PyUnicode_InternFromString("_memory");
  if (!memory_name) return false;
  static PyType_Slot compiled[] = {{Py_tp_new, slot(create)},
                                   {Py_tp_dealloc, slot(deallocate)},
                                   {Py_tp_call, slot(call)},
                                   {Py_tp_methods, methods},
                                   {0, nullptr}};
  static PyType_Slot memory[] = {{Py_tp_new, slot(create_memory)},
                                 {Py_tp_dealloc, slot(deallocate_memory)},
                                 {1, slot(memory_buffer)},  // Py_bf_getbuffer
                                 {0, nullptr}};
  return add_type(module, "gpuopt._core.Compiled", sizeof(Compiled), Py_TPFLAGS_BASETYPE, compiled) &&
         add_type(module, "gpuopt._core.Memory", sizeof(Memory), 0, memory);
}

}  // namespace gpuopt_python
