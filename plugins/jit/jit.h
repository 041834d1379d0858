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
  GPUOPT_JIT_COROUTINES = 2  // its threads are coroutines wherever they wait, never loops; the bits are the same
};

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
