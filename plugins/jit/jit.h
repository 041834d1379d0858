// plugins/jit/jit.h -- between a backend that runs on the host and libgpuopt_jit, the compiler of kernels for it.
//
// Both are of one build: gpuopt_jit_query() is called with jit_build(), and another build's has nothing to give. Plain
// C, for the two share no C++ runtime state; nothing throws across it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GPUOPT_JIT_RAW = 1,  // the kernel says what each thread does; else it loops itself (first_index(), last_index())
  GPUOPT_JIT_COROUTINES = 2,  // its threads are coroutines wherever they wait, never loops; the bits are the same
  GPUOPT_JIT_CHECK = 4,       // coroutines that call gpuopt_check() before what they do to memory that they share
  GPUOPT_JIT_FUNCTION = 8     // no kernel: `name` is an extern "C" function of `code`, which gets no entry
};

// A place in the text of a kernel that is checked, and what happens there: kinds are bits, of accesses one or more.
enum {
  GPUOPT_SITE_READ = 1,
  GPUOPT_SITE_WRITE = 2,
  GPUOPT_SITE_STRONG = 4,  // atomic or volatile
  GPUOPT_SITE_WAIT = 8,    // gpo::Thread says for whom
  GPUOPT_SITE_FENCE = 16
};
// Sizes that only the launch knows, of a __shared__ variable.
#define GPUOPT_SITE_DYNAMIC UINT64_MAX           // what the launch adds to the static ones
#define GPUOPT_SITE_ANY_SHARED (UINT64_MAX - 1)  // all of the block's: it is one of several
typedef struct gpuopt_check_site {
  int32_t kind;
  uint32_t line;
  const char *name;       // of the variable, "" if it is not known, or of the function that waits
  uint64_t begin, bytes;  // of a __shared__ variable: where in the block's shared memory, and its size; else 0 bytes
} gpuopt_check_site;
// What it calls first: the backend's, named gpuopt_check. `value` is what will be written, NULL if that is not known.
// Unless the answer is 0 the thread stops for good.
typedef int32_t gpuopt_check_function(void *thread, const void *address, uint64_t bytes, const void *value,
                                      const gpuopt_check_site *site);

typedef struct gpuopt_jit_source {
  uint32_t flags;
  const char *name;       // of the kernel: a __global__ function of `code`, or an instance of a template
  const char *code;       // CUDA C++ on plugins/shared/user and plugins/jit/text
  const char *processor;  // LLVM's name of the least processor it is for: "x86-64-v3"
  int32_t vector_bits;    // of the registers to prefer, 0: LLVM's choice
} gpuopt_jit_source;

// What came of it: a relocatable ELF object, or what the compiler said. Freed with the table's `release`.
typedef struct gpuopt_jit_result {
  const char *object;
  size_t object_bytes;
  const char *log;
  int32_t broken;  // LLVM gave up: what is compiled in this process from here on may hang
} gpuopt_jit_result;

typedef struct gpuopt_jit_api {
  const char *compiler;  // "Clang 19.1.7", for reports
  // NULL where there is no memory. Safe from any threads.
  gpuopt_jit_result *(*compile)(const gpuopt_jit_source *source);
  void (*release)(gpuopt_jit_result *result);
} gpuopt_jit_api;

// The table, or NULL if this is not the build that is asked for. Static.
const gpuopt_jit_api *gpuopt_jit_query(const char *build);

#ifdef __cplusplus
}
#endif
