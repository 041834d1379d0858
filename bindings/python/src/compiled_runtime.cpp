// bindings/python/src/compiled_runtime.cpp -- what functions compiled from Python call while they run.
#include "compiled_runtime.h"

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

int32_t thread_count() {
  static const int32_t count = [] {
    const char *given = std::getenv("GPUOPT_NUM_THREADS");
    const long wanted = given ? std::strtol(given, nullptr, 10) : 0;
    return static_cast<int32_t>(
        std::clamp<long>(wanted > 0 ? wanted : static_cast<long>(std::thread::hardware_concurrency()), 1, 256));
  }();
  return count;
}

// A parallel loop: chunks are handed out one by one to whoever asks.
struct Loop {
  int32_t (*chunk)(void *, int64_t);
  void *state;
  int64_t chunks;
  std::vector<int32_t> statuses;
  std::atomic<int64_t> next{0}, failed{INT64_MAX};

  bool has_more() const { return next < chunks && next < failed; }
  void work() {
    for (int64_t k = next++; k < chunks && k < failed; k = next++) {
      const int32_t status = statuses[static_cast<size_t>(k)] = chunk(state, k);
      for (int64_t first = failed; status && k < first && !failed.compare_exchange_weak(first, k);) {
      }
    }
  }
};

// Threads that stay for the next loop. They help with the newest loop that has chunks left; a caller works on its own
// loop and then waits only for those that are still in it, so that loops inside loops always end.
class Pool {
 public:
  void run(Loop &loop, int64_t helpers) {
    Entry entry{&loop, 0};
    {
      std::lock_guard lock(mutex_);
      start(helpers);
      loops_.push_back(&entry);
    }
    work_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    std::erase(loops_, &entry);
    done_.wait(lock, [&] { return entry.inside == 0; });
  }

 private:
  struct Entry {
    Loop *loop;
    int64_t inside;
  };

  // Threads that cannot be started are done without.
  void start(int64_t wanted) {
    try {
      while (threads_ < wanted) {
        std::thread([this] { serve(); }).detach();
        ++threads_;
      }
    } catch (const std::exception &) {
    }
  }

  Entry *busy() {
    for (size_t at = loops_.size(); at-- > 0;) {
      if (loops_[at]->loop->has_more()) return loops_[at];
    }
    return nullptr;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Entry *entry = nullptr;
      work_.wait(lock, [&] { return (entry = busy()) != nullptr; });
      ++entry->inside;
      lock.unlock();
      entry->loop->work();
      lock.lock();
      if (--entry->inside == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<Entry *> loops_;
  int64_t threads_ = 0;
};

// Never destroyed: its threads wait on it until the process ends. A child of fork() has none of the threads, and
// begins with a pool of its own.
std::atomic<Pool *> the_pool{nullptr};

Pool &pool() {
  Pool *found = the_pool;
  if (found) return *found;
  auto made = std::make_unique<Pool>();
  if (the_pool.compare_exchange_strong(found, made.get())) {
#ifndef _WIN32
    static const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; });
    (void)registered;
#endif
    return *made.release();
  }
  return *found;
}

// ---- print ---------------------------------------------------------------------------------------------------------

struct Printed {
  char kind;
  int64_t integer;
  double real, imaginary;
  std::string text;
};
// What print() was given so far, by this thread.
thread_local std::vector<Printed> printed;

std::string bytes_of(const void *letters, int64_t n) {
  return n ? std::string(static_cast<const char *>(letters), static_cast<size_t>(n) * 4) : std::string();
}

PyObject *python_value(const Printed &value) {
  switch (value.kind) {
    case 'b':
      return PyBool_FromLong(value.integer != 0);
    case 'i':
      return PyLong_FromLongLong(value.integer);
    case 'u':
      return PyLong_FromUnsignedLongLong(static_cast<uint64_t>(value.integer));
    case 'f':
      return PyFloat_FromDouble(value.real);
    case 'c':
      return PyComplex_FromDoubles(value.real, value.imaginary);
    case 'n':
      return Py_NewRef(Py_None);
    case 't':
    case 'q': {
      int order = std::endian::native == std::endian::little ? -1 : 1;
      PyObject *const text =
          PyUnicode_DecodeUTF32(value.text.data(), static_cast<Py_ssize_t>(value.text.size()), "surrogatepass", &order);
      if (!text || value.kind == 't') return text;
      PyObject *const quoted = PyObject_Repr(text);
      Py_DECREF(text);
      return quoted;
    }
    default:
      return PyUnicode_FromString(value.text.c_str());
  }
}

// Adds the text of one part to `whole`, which it replaces; false with an exception set.
bool add_part(PyObject *&whole, const Printed &part, const std::string &format) {
  PyObject *const value = python_value(part);
  PyObject *const wanted = PyUnicode_FromString(format.c_str());
  PyObject *const text = value && wanted ? PyObject_Format(value, wanted) : nullptr;
  PyObject *const longer = text ? PyUnicode_Concat(whole, text) : nullptr;
  Py_XDECREF(value);
  Py_XDECREF(wanted);
  Py_XDECREF(text);
  if (!longer) return false;
  Py_DECREF(whole);
  whole = longer;
  return true;
}

// The formatted text whose parts begin at `at`, which is left at its end.
PyObject *formatted(const std::vector<Printed> &values, size_t &at) {
  PyObject *whole = PyUnicode_FromString("");
  std::string format;
  for (; whole && at < values.size() && values[at].kind != ')'; ++at) {
    if (values[at].kind == '%') {
      format = ++at < values.size() ? values[at].text : std::string();
      continue;
    }
    if (!add_part(whole, values[at], format)) {
      Py_DECREF(whole);
      return nullptr;
    }
    format.clear();
  }
  return whole;
}

PyObject *list_of(const std::vector<Printed> &values) {
  PyObject *const list = PyList_New(0);
  for (size_t at = 0; list && at < values.size(); ++at) {
    PyObject *const value = values[at].kind == '(' ? formatted(values, ++at) : python_value(values[at]);
    if (!value || PyList_Append(list, value) < 0) {
      Py_XDECREF(value);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(value);
  }
  return list;
}

// ---- The arguments of exceptions -----------------------------------------------------------------------------------

struct Note {
  int64_t place;
  std::vector<Printed> values;
};
// What note() was given so far, by this thread.
thread_local std::vector<Printed> noted;

// ---- Memory --------------------------------------------------------------------------------------------------------

constexpr size_t header_bytes = 64;

void release_block(Block *block) { std::free(block); }

// ---- Functions of the package --------------------------------------------------------------------------------------

struct OwnedObject : Block {
  PyObject *object;
};

void release_object(Block *block) {
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<OwnedObject *>(block)->object);
  PyGILState_Release(state);
  delete static_cast<OwnedObject *>(block);
}

thread_local PyObject *host_exception = nullptr;

// Keeps the exception that is set.
void keep_exception() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XDECREF(std::exchange(host_exception, value));
  Py_XDECREF(type);
  Py_XDECREF(traceback);
}

// Writes the place of one array of a result; NULL with an exception set.
int64_t *write_result(PyObject *array, int64_t *to) {
  View view;
  if (!take_view(array, view)) return nullptr;
  *to++ = reinterpret_cast<int64_t>(view.data);
  to = std::copy(view.shape, view.shape + view.ndim, to);
  to = std::copy(view.strides, view.strides + view.ndim, to);
  release_view(view);  // the array itself keeps its memory
  Block *const owner = owner_of(array);
  if (!owner) PyErr_NoMemory();
  *to++ = reinterpret_cast<int64_t>(owner);
  return owner ? to : nullptr;
}

// A block with the code points of a text, whose number goes to `*n`; NULL with an exception set.
void *letters_of(PyObject *text, int64_t *n) {
  const Py_ssize_t count = PyUnicode_GetLength(text);
  void *const block = allocate_block(static_cast<int64_t>(count) * 4);
  if (!block) return PyErr_NoMemory();
  auto *const letters = reinterpret_cast<Py_UCS4 *>(static_cast<char *>(block) + header_bytes);
  if (count && !PyUnicode_AsUCS4(text, letters, count, 0)) {
    release_block(static_cast<Block *>(block));
    return nullptr;
  }
  *n = count;
  return block;
}

}  // namespace

void *allocate_block(int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX / 2) return nullptr;
  const size_t whole = (static_cast<size_t>(bytes) + 2 * header_bytes - 1) / header_bytes * header_bytes;
  void *memory = std::aligned_alloc(header_bytes, whole);
  return memory ? new (memory) Block{1, release_block} : nullptr;
}

Block *owner_of(PyObject *object) {
  auto *owned = new (std::nothrow) OwnedObject;
  if (!owned) return nullptr;
  owned->references = 1;
  owned->release = release_object;
  owned->object = Py_NewRef(object);
  return owned;
}

PyObject *take_host_error() { return std::exchange(host_exception, nullptr); }

int32_t run_chunks(int32_t (*chunk)(void *, int64_t), void *state, int64_t chunks) {
  Loop loop;
  loop.chunk = chunk;
  loop.state = state;
  loop.chunks = std::max<int64_t>(chunks, 0);
  loop.statuses.resize(static_cast<size_t>(loop.chunks));
  const int64_t helpers = std::min<int64_t>(chunks, thread_count()) - 1;
  if (helpers > 0) {
    pool().run(loop, helpers);
  } else {
    loop.work();
  }
  return loop.failed == INT64_MAX ? 0 : loop.statuses[static_cast<size_t>(loop.failed)];
}

void print_number(char kind, int64_t integer, double real, double imaginary) {
  printed.push_back({kind, integer, real, imaginary, {}});
}
void print_text(const char *text) { printed.push_back({'s', 0, 0, 0, text}); }
void print_letters(const uint32_t *letters, int64_t n, bool quoted) {
  printed.push_back({quoted ? 'q' : 't', 0, 0, 0, bytes_of(letters, n)});
}

// Ends a call of print(): Python's own writes it. An exception of it is written to stderr.
void print_line() {
  std::vector<Printed> values;
  values.swap(printed);
  const PyGILState_STATE state = PyGILState_Ensure();
  static PyObject *print;
  PyObject *const list = list_of(values);
  PyObject *const arguments = list ? PyList_AsTuple(list) : nullptr;
  PyObject *result =
      arguments && import_from("builtins", "print", print) ? PyObject_CallObject(print, arguments) : nullptr;
  if (!result) PyErr_WriteUnraisable(print);
  Py_XDECREF(result);
  Py_XDECREF(arguments);
  Py_XDECREF(list);
  PyGILState_Release(state);
}

void note(void **to, char kind, int64_t integer, double real, double imaginary, const void *text) {
  if (kind != '!') {
    noted.push_back({kind, integer, real, imaginary, kind == 't' ? bytes_of(text, integer) : std::string()});
    return;
  }
  Note *made = new Note{integer, std::exchange(noted, {})};
  delete static_cast<Note *>(std::atomic_ref<void *>(*to).exchange(made));
}

PyObject *take_note(void *given, int32_t status) {
  const std::unique_ptr<Note> note(static_cast<Note *>(given));
  PyObject *const list = PyList_New(0);
  if (!list || !note || note->place != status) return list;
  for (const Printed &value : note->values) {
    PyObject *const object = python_value(value);
    const bool added = object && PyList_Append(list, object) == 0;
    Py_XDECREF(object);
    if (!added) {
      Py_DECREF(list);
      return nullptr;
    }
  }
  return list;
}

void *format_value(char kind, int64_t integer, double real, double imaginary, const uint32_t *text,
                   const uint32_t *spec, int64_t spec_letters, int64_t *n) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool is_text = kind == 't' || kind == 'q';
  PyObject *const value = python_value({kind, integer, real, imaginary, is_text ? bytes_of(text, integer) : ""});
  PyObject *const wanted = python_value({'t', 0, 0, 0, kind == 'q' ? "" : bytes_of(spec, spec_letters)});
  PyObject *const made = value && wanted ? PyObject_Format(value, wanted) : nullptr;
  void *const block = made ? letters_of(made, n) : nullptr;
  if (!block) keep_exception();
  Py_XDECREF(value);
  Py_XDECREF(wanted);
  Py_XDECREF(made);
  PyGILState_Release(state);
  return block;
}

int32_t host_call(const char *name, const int64_t *words, int64_t count, int64_t *results) {
  const PyGILState_STATE state = PyGILState_Ensure();
  static PyObject *run;
  PyObject *const made = import_from("gpuopt.compiled.language.host_calls", "run", run)
                             ? PyObject_CallFunction(run, "sy#", name, reinterpret_cast<const char *>(words),
                                                     static_cast<Py_ssize_t>(count) * 8)
                             : nullptr;
  for (Py_ssize_t k = 0; made && results && k < PyTuple_Size(made); ++k) {
    results = write_result(PyTuple_GetItem(made, k), results);
  }
  const int32_t status = made && results ? 0 : 1;
  if (status) keep_exception();
  Py_XDECREF(made);
  PyGILState_Release(state);
  return status;
}

}  // namespace gpuopt_python
