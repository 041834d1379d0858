/* abi/gpuopt/kernel_next.h -- part of the plugin ABI: what may hang on `next` of gpuopt_kernel_source and
 * gpuopt_kernel_launch.
 *
 * A chain of structs that each begin with a gpuopt_kernel_next. Who does not know a kind passes it over; all of them
 * live during the call. C99, also valid C++. */
#ifndef GPUOPT_KERNEL_NEXT_H
#define GPUOPT_KERNEL_NEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GPUOPT_KERNEL_NEXT_LOG = 1,   /* a gpuopt_kernel_log, on a source */
  GPUOPT_KERNEL_NEXT_MEMORY = 2, /* a gpuopt_kernel_memory, on a launch */
  GPUOPT_KERNEL_NEXT_STOP = 3    /* a gpuopt_kernel_stop, on a source */
};
typedef struct gpuopt_kernel_next {
  uint32_t struct_size, kind;
  const void *next; /* another one, or NULL */
} gpuopt_kernel_next;

/* Takes, before kernel_compile returns ERR_COMPILE, all that the compiler said, of which the error has room for the
 * beginning only. The text is NUL-terminated and the plugin's. */
typedef struct gpuopt_kernel_log {
  gpuopt_kernel_next head;
  void (*write)(void *context, const char *text);
  void *context;
} gpuopt_kernel_log;

/* Whether the program wants the compilation to end before it is done: not 0, and so from then on. A plugin that can
 * asks it often, from whatever thread, and answers ERR_CANCELLED. */
typedef struct gpuopt_kernel_stop {
  gpuopt_kernel_next head;
  int32_t (*stopped)(void *context);
  void *context;
} gpuopt_kernel_stop;

/* For each argument of the launch the memory that it points to, within which a kernel may use it; 0 bytes where that is
 * not known. */
typedef struct gpuopt_kernel_range {
  const void *begin;
  uint64_t bytes;
} gpuopt_kernel_range;
typedef struct gpuopt_kernel_memory {
  gpuopt_kernel_next head;
  const gpuopt_kernel_range *ranges;
} gpuopt_kernel_memory;

#ifdef __cplusplus
}
#endif
#endif
