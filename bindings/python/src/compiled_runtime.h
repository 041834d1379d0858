// bindings/python/src/compiled_runtime.h -- what functions compiled from Python call while they run: threads for their
// parallel loops, print(), the state of their random numbers, functions of the package.
#pragma once
#include <atomic>
#include <cstdint>

#include "core.h"

#ifdef Py_LIMITED_API
extern "C" {
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *, void *, int);
PyAPI_FUNC(void) PyBuffer_Release(void *);
}
#endif

namespace gpuopt_python {

// Runs `chunk(state, k)` for each k below `chunks`, on all processors; the status of the first k that has one other
// than 0. Which thread runs which chunk makes no difference to what is computed. Any thread may call it, also from
// inside a chunk: chunks that no other thread is free for run on the calling thread.
int32_t run_chunks(int32_t (*chunk)(void *, int64_t), void *state, int64_t chunks);

// The arguments of one print(), one by one, then print_line(). kind: 'b', 'i', 'u', 'f', 'c', 'n' (None) as elsewhere;
// '(' and ')' stand around the parts of a formatted text, '%' before a text that is the format of the next part.
void print_number(char kind, int64_t integer, double real, double imaginary);
void print_text(const char *text);
// A text of `n` code points, or what repr() gives for it.
void print_letters(const uint32_t *letters, int64_t n, bool quoted);
void print_line();

// The arguments of an exception, one by one, as those of print(), then kind '!', whose integer is the number of the
// place that raises: it puts them, as a note, where `to` says, instead of the note that is there. Several threads may
// do so for one place at the same time.
void note(void **to, char kind, int64_t integer, double real, double imaginary, const void *text);

// Frees a note, and gives a new list of what it says if it is of the place `status`; an empty one for other places, and
// for NULL. NULL with an exception set where Python fails.
PyObject *take_note(void *note, int32_t status);

// The Mersenne twister of this thread: uint32 index, uint32 seeded, uint32 has_normal, uint32 unused, double normal,
// uint32 words[624]. A thread that has not seeded it gets words from the system.
void *random_state();

// A number of the distribution that abi/gpuopt/distributions.h gives this number, drawn from this thread's generator as
// NumPy's RandomState draws it; parameters are in their ranges. The binomial n and what hypergeometric numbers are
// drawn from are integers.
double draw_real(int64_t which, double a, double b, double c);
int64_t draw_integer(int64_t which, double a, double b, int64_t i, int64_t j, int64_t k);

// A block with the code points of the text that Python's format() gives for a number of this kind, or for a text (kind
// 't', with `integer` code points at `text`); kind 'q': what repr() gives for that text. Their number goes to `*n`.
// NULL if it raised: take_host_error() has the exception then.
void *format_value(char kind, int64_t integer, double real, double imaginary, const uint32_t *text,
                   const uint32_t *spec, int64_t spec_letters, int64_t *n);

// Calls gpuopt.compiled.language.host_calls.run(name, bytes of `count` words), which gives a tuple of packed arrays,
// and writes for each of them, to `results`: its address, its shape, its strides, and a block that owns it. 0, or 1 if
// it raised: take_host_error() has the exception then.
int32_t host_call(const char *name, const int64_t *words, int64_t count, int64_t *results);

// The exception of this thread's last host_call() that raised, a new reference; NULL without one.
PyObject *take_host_error();

// Memory that compiled functions count the references of: this header, then, 64 bytes behind it, the elements.
struct Block {
  std::atomic<int64_t> references;
  void (*release)(Block *);
};

// A new block with `bytes` of memory behind its 64; NULL without memory.
void *allocate_block(int64_t bytes);

// A block that holds a reference to a Python object; NULL without memory. The caller holds the interpreter's lock.
Block *owner_of(PyObject *object);

// Py_buffer, which the limited API of 3.10 does not declare; 3.11 made this layout part of the stable ABI.
struct View {
  void *data;
  PyObject *owner;
  Py_ssize_t length, item_size;
  int read_only, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
};
// The buffer of an object, with its format and strides; false with an exception set. `view` must stay where it is, as
// its own members may be what its shape and strides point to.
inline bool take_view(PyObject *object, View &view) {
  constexpr int with_format_and_strides = 4 | 16 | 8;
#ifdef Py_LIMITED_API
  return PyObject_GetBuffer(object, &view, with_format_and_strides) == 0;
#else
  return PyObject_GetBuffer(object, reinterpret_cast<Py_buffer *>(&view), with_format_and_strides) == 0;
#endif
}
inline void release_view(View &view) {
#ifdef Py_LIMITED_API
  PyBuffer_Release(&view);
#else
  PyBuffer_Release(reinterpret_cast<Py_buffer *>(&view));
#endif
}

}  // namespace gpuopt_python
