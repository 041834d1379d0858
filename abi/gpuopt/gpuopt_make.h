/* abi/gpuopt/gpuopt_make.h -- index items, shapes, lists and numbers in one expression each; part of gpuopt.h.
 *
 *   gpuopt_slice(x, GPUOPT_ITEMS(gpuopt_slice_of(0, 7), gpuopt_item_newaxis()), &y, &e);     x[0:7, None]
 *   gpuopt_zeros(device, GPUOPT_FLOAT32, GPUOPT_SHAPE(2, 3), &y, &e);                         zeros((2, 3))
 *   gpuopt_stack_of(0, &y, &e, a, b, c);                                                      stack([a, b, c])
 *
 * Everything here is inline or a macro: a program that uses it needs no newer library. C99 and C++17 alike. The macros
 * in capitals that make lists stand for two arguments, a count and the address of the list, which lives to the end of
 * the block in C, of the full expression in C++. They evaluate each element once. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_MAKE_H)
#define GPUOPT_MAKE_H

/* ---- Items of an index, for gpuopt_slice(), gpuopt_get() and gpuopt_set() ---------------------------------------- */

/* x[start:stop:step]; GPUOPT_SLICE_ALL for a bound that is left out. A step of 0 is an error of the call. */
static inline gpuopt_index gpuopt_slice_step(int64_t start, int64_t stop, int64_t step) {
  gpuopt_index item = {GPUOPT_INDEX_SLICE, 0, 0, 0, 0};
  item.start = start;
  item.stop = stop;
  item.step = step;
  return item;
}
/* x[start:stop] */
static inline gpuopt_index gpuopt_slice_of(int64_t start, int64_t stop) { return gpuopt_slice_step(start, stop, 1); }
/* x[start:] */
static inline gpuopt_index gpuopt_slice_from(int64_t start) { return gpuopt_slice_of(start, GPUOPT_SLICE_ALL); }
/* x[:stop] */
static inline gpuopt_index gpuopt_slice_to(int64_t stop) { return gpuopt_slice_of(GPUOPT_SLICE_ALL, stop); }
/* x[:] */
static inline gpuopt_index gpuopt_slice_all(void) { return gpuopt_slice_of(GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL); }
/* Every step-th element, from the end for a negative step: Python's x[: :step]. */
static inline gpuopt_index gpuopt_slice_every(int64_t step) {
  return gpuopt_slice_step(GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, step);
}
/* x[i], negative ones from the end: the axis goes. */
static inline gpuopt_index gpuopt_item_integer(int64_t i) {
  gpuopt_index item = {GPUOPT_INDEX_INTEGER, 0, 0, 0, 0};
  item.start = i;
  return item;
}
/* x[None]: a new axis of size 1. */
static inline gpuopt_index gpuopt_item_newaxis(void) {
  const gpuopt_index item = {GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0};
  return item;
}
/* x[...]: the axes that the other items leave. */
static inline gpuopt_index gpuopt_item_ellipsis(void) {
  const gpuopt_index item = {GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0};
  return item;
}
/* x[indices] or x[mask]: the next of the arrays that gpuopt_get() and gpuopt_set() are given. */
static inline gpuopt_index gpuopt_item_array(void) {
  const gpuopt_index item = {GPUOPT_INDEX_ARRAY, 0, 0, 0, 0};
  return item;
}

/* ---- Lists as two arguments: int32_t count, and its elements ----------------------------------------------------- */

/* GPUOPT_SHAPE(2, 3): a shape, or any list of int64_t behind its count, such as axes. GPUOPT_SHAPE_OF_0D: no sizes.
 * GPUOPT_ITEMS(..): items of an index. GPUOPT_ARRAYS(a, b): arrays, which stay the caller's. */
#define GPUOPT_SHAPE_OF_0D 0, NULL
#if defined(__cplusplus)
extern "C++" {
namespace gpuopt_make {
template <class T, size_t N>
struct list {
  T values[N];
  const T *begin() const noexcept { return values; }
};
template <class T, class... U>
constexpr list<T, sizeof...(U)> of(U... values) noexcept {
  return {{static_cast<T>(values)...}};
}
template <class... U>
char (&count(const U &...))[sizeof...(U)]; /* never defined: its size is the number of arguments */
}
}
#define GPUOPT_LIST_(type, ...) \
  static_cast<int32_t>(sizeof(gpuopt_make::count(__VA_ARGS__))), gpuopt_make::of<type>(__VA_ARGS__).begin()
#else
#define GPUOPT_LIST_(type, ...) \
  (int32_t)(sizeof((const type[]){__VA_ARGS__}) / sizeof(type)), (const type[]) { __VA_ARGS__ }
#endif
#define GPUOPT_SHAPE(...) GPUOPT_LIST_(int64_t, __VA_ARGS__)
#define GPUOPT_ITEMS(...) GPUOPT_LIST_(gpuopt_index, __VA_ARGS__)
#define GPUOPT_ARRAYS(...) GPUOPT_LIST_(gpuopt_array, __VA_ARGS__)

/* ---- Calls with a list at their end ------------------------------------------------------------------------------ */

/* gpuopt_slice() with its items listed: gpuopt_view(x, &y, &e, gpuopt_item_integer(0), gpuopt_slice_from(2)). */
#define gpuopt_view(x, result, error, ...) gpuopt_slice(x, GPUOPT_ITEMS(__VA_ARGS__), result, error)
/* gpuopt_stack() of the arrays listed, along a new axis. */
#define gpuopt_stack_of(axis, result, error, ...) gpuopt_stack(GPUOPT_ARRAYS(__VA_ARGS__), axis, result, error)
/* gpuopt_eval() of the arrays listed. */
#define gpuopt_eval_of(error, ...) gpuopt_eval(GPUOPT_ARRAYS(__VA_ARGS__), error)
/* gpuopt_einsum() of the operands listed. */
#define gpuopt_einsum_of(subscripts, result, error, ...) \
  gpuopt_einsum(subscripts, GPUOPT_ARRAYS(__VA_ARGS__), result, error)
/* gpuopt_concat() of the arrays listed, along an axis that is given by value. */
#define gpuopt_concat_of(axis, result, error, ...) gpuopt_concat_along(axis, GPUOPT_ARRAYS(__VA_ARGS__), result, error)
/* What gpuopt_concat_of() calls: gpuopt_concat() with the axis by value. */
GPUOPT_NODISCARD static inline gpuopt_status gpuopt_concat_along(int64_t axis, int32_t count,
                                                                 const gpuopt_array *arrays, gpuopt_array *result,
                                                                 gpuopt_error *error) {
  return gpuopt_concat(count, arrays, &axis, result, error);
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* A scalar of any number: GPUOPT_SCALAR(5), GPUOPT_SCALAR(2.5). From C11 on; in C++ gpuopt::scalar does it. Elsewhere
 * gpuopt_scalar_int() and its like. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
/* clang-format off */
#define GPUOPT_SCALAR(x) _Generic((x), _Bool: gpuopt_scalar_bool, float: gpuopt_scalar_real, \
  double: gpuopt_scalar_real, unsigned char: gpuopt_scalar_uint, unsigned short: gpuopt_scalar_uint, \
  unsigned: gpuopt_scalar_uint, unsigned long: gpuopt_scalar_uint, unsigned long long: gpuopt_scalar_uint, \
  default: gpuopt_scalar_int)(x)
/* clang-format on */
#endif
/* A full array of a number, with the dtype and the shape: gpuopt_full_of(device, GPUOPT_FLOAT32,
 * gpuopt_scalar_real(2.5), &y, &e, 2, 3). */
#define gpuopt_full_of(device, dtype, value, result, error, ...) \
  gpuopt_full(device, dtype, GPUOPT_SHAPE(__VA_ARGS__), value, result, error)

#endif
