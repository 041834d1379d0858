/* samples/analyses_c/analysis.h -- what the three programs share: errors end the program, and arrays are given back in
 * groups.
 *
 * A call that gives an array out is written NEW(gpuopt_add, x, y): the array joins a list. A function that makes arrays
 * begins with enter() and ends with leave(), which gives back all those made since but the result. */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include <gpuopt/gpuopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char *program;
static gpuopt_error error = GPUOPT_ERROR_INIT;

static inline void stop(const char *why) {
  fprintf(stderr, "%s: %s\n", program, why);
  exit(1);
}

static inline void check(gpuopt_status status) {
  if (status != GPUOPT_OK) stop(error.message);
}

/* The arrays that are not given back yet; more than any of the programs has at a time. */
static gpuopt_array kept[256], given;
static size_t kept_count;

static inline gpuopt_array keep(gpuopt_array x) {
  if (kept_count == sizeof kept / sizeof *kept) stop("too many arrays at a time");
  return kept[kept_count++] = x;
}

#define NEW(function, ...) (check(function(__VA_ARGS__, &given, &error)), keep(given))

static inline size_t enter(void) { return kept_count; }

/* Gives back all arrays since enter() but two results; NULL: not so many. */
static inline void leave_with(size_t from, gpuopt_array first, gpuopt_array second) {
  if (first) gpuopt_array_retain(first);
  if (second) gpuopt_array_retain(second);
  while (kept_count > from) gpuopt_array_release(kept[--kept_count]);
  if (first) keep(first);
  if (second) keep(second);
}

static inline gpuopt_array leave(size_t from, gpuopt_array result) {
  leave_with(from, result, NULL);
  return result;
}

/* A number as an operand. */
static inline gpuopt_array num(double value) { return NEW(gpuopt_weak, gpuopt_scalar_real(value)); }

static inline double number_in(gpuopt_array x) {
  gpuopt_scalar value;
  check(gpuopt_array_item(x, NULL, &value, &error));
  return value.kind == 'f' ? value.value.f : (double)value.value.i;
}

static inline gpuopt_array counting(gpuopt_device device, int64_t count) { /* np.arange(count) */
  return NEW(gpuopt_arange, device, GPUOPT_INT64, gpuopt_scalar_int(0), gpuopt_scalar_int(count), gpuopt_scalar_int(1));
}

static inline gpuopt_array transposed(gpuopt_array x) { return NEW(gpuopt_permute_dims, x, NULL); }

static inline gpuopt_array product(gpuopt_array x, gpuopt_array y) { return NEW(gpuopt_matmul, x, y); }

static inline gpuopt_array row(gpuopt_array x, int64_t i) {
  return NEW(gpuopt_slice, x, GPUOPT_ITEMS(gpuopt_item_integer(i)));
}

static inline gpuopt_array column(gpuopt_array x, int64_t j) {
  return NEW(gpuopt_slice, x, GPUOPT_ITEMS(gpuopt_slice_all(), gpuopt_item_integer(j)));
}

/* Prints the numbers of x, rounded: scale is 100 for two decimals. */
static inline void print_rounded(const char *before, gpuopt_array x, double scale) {
  const size_t here = enter();
  char *text = NULL;
  const gpuopt_array scaled = NEW(gpuopt_round, NEW(gpuopt_multiply, x, num(scale)));
  check(gpuopt_array_to_string(NEW(gpuopt_divide, scaled, num(scale)), NULL, &text, &error));
  printf("%s%s\n", before, text);
  gpuopt_string_free(text);
  leave(here, NULL);
}

#endif
