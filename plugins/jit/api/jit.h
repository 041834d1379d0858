// plugins/jit/api/jit.h -- the interface between backends and libgpuopt_jit: the compiler of kernels that run on the
// host, and of those for NVIDIA's GPUs where NVIDIA's own is missing.
//
// Both have to be of one build: a backend passes jit_build() to gpuopt_jit_query(), which returns NULL for any other.
// The interface is plain C, as the two share no C++ runtime state, and no exception crosses it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GPUOPT_JIT_RAW = 1,  // the kernel is written for one thread; otherwise it has loops (first_index(), last_index())
  GPUOPT_JIT_COROUTINES = 2,  // threads that wait become coroutines, never loops; the results have the same bits
  GPUOPT_JIT_CHECK = 4,  // threads are coroutines that call gpuopt_check() before each access to memory that they share
  GPUOPT_JIT_FUNCTION = 8  // `name` is an extern "C" function of `code` and no kernel; it gets no entry
};

// What happens at a place in the text of a checked kernel. An access has several of these bits.
enum {
  GPUOPT_SITE_READ = 1,
  GPUOPT_SITE_WRITE = 2,
  GPUOPT_SITE_STRONG = 4,  // atomic or volatile
  GPUOPT_SITE_WAIT = 8,    // the thread waits, and its gpo::Thread says for whom
  GPUOPT_SITE_FENCE = 16,
  GPUOPT_SITE_VOLATILE = 32,  // with STRONG: volatile and not atomic
  GPUOPT_SITE_LANE = 64,      // a shuffle reads the value of another lane, which is at the address
  GPUOPT_SITE_RETURN = 128,   // the thread returns before the end of the kernel
  GPUOPT_SITE_LOCAL = 256,    // an access to a local variable of `bytes` bytes, whose address is `value`
  GPUOPT_SITE_ARGUMENT = 512  // an access through the pointer that is the kernel's argument number `begin`
};
// Sizes of __shared__ variables that only the launch knows.
#define GPUOPT_SITE_DYNAMIC UINT64_MAX           // the dynamic shared memory of the launch
#define GPUOPT_SITE_ANY_SHARED (UINT64_MAX - 1)  // all shared memory of the block, as the variable is one of several
typedef struct gpuopt_check_site {
  int32_t kind;
  uint32_t line;
  const char *name;       // of the variable ("" if it is not known), or of the function that waits
  uint64_t begin, bytes;  // of a __shared__ variable: its offset in the block's shared memory, and its size; else 0
} gpuopt_check_site;
// The function gpuopt_check of the backend, which checked kernels call at each such place. `value` is the address of
// what will be written, NULL if that is not known. If the result is not 0, the thread stops for good.
typedef int32_t gpuopt_check_function(void *thread, const void *address, uint64_t bytes, const void *value,
                                      const gpuopt_check_site *site);

typedef struct gpuopt_jit_source {
  uint32_t flags;
  const char *name;       // of the kernel: a __global__ function of `code`, or an instance of a template
  const char *code;       // CUDA C++, with the headers of plugins/shared/user and plugins/jit/text
  const char *processor;  // LLVM's name of the oldest processor that the code is for: "x86-64-v3"
  int32_t vector_bits;    // the vector width to prefer; 0 leaves it to LLVM
} gpuopt_jit_source;

// The compiling thread calls is_over() often. A result other than 0 cancels the compilation, and must be kept up.
typedef struct gpuopt_jit_watch {
  int32_t (*is_over)(void *context);
  void *context;
} gpuopt_jit_watch;

// The result of a compilation: a relocatable ELF object, or the messages of the compiler. Freed with `release`.
typedef struct gpuopt_jit_result {
  const char *object;
  size_t object_bytes;
  const char *log;
  int32_t broken;       // a fatal error of LLVM: later compilations in this process may hang
  int32_t stopped;      // the watch cancelled the compilation; there is no object
  const char *symbols;  // of PTX: the mangled names of the functions that were asked for, each with a line feed
} gpuopt_jit_result;

// A text for NVIDIA's GPUs, whole: CUDA C++ as NVIDIA's run-time compiler takes it, in which functions need no
// __device__.
typedef struct gpuopt_jit_ptx_source {
  const char *name;  // of the text, in messages
  const char *code;
  int32_t arch;         // the architecture, as 90
  int32_t ptx_version;  // the version of PTX to write, as 78
  int32_t nheaders;     // what the text may include, besides the known headers: names and texts
  const char *const *header_names;
  const char *const *header_texts;
  int32_t nfunctions;  // kernels that are wanted, as name expressions: templates among them are instantiated
  const char *const *functions;
} gpuopt_jit_ptx_source;

typedef struct gpuopt_jit_api {
  const char *compiler;  // "Clang 19.1.7", for reports
  // Compiles a kernel. NULL if memory runs out. `watch` may be NULL. Safe from any threads.
  gpuopt_jit_result *(*compile)(const gpuopt_jit_source *source, const gpuopt_jit_watch *watch);
  void (*release)(gpuopt_jit_result *result);
  // Compiles a text to PTX, which is the `object` of the result. NULL if memory runs out. `watch` may be NULL. Safe
  // from any threads. Multiplications and additions are never contracted, and no number is flushed to zero.
  gpuopt_jit_result *(*compile_ptx)(const gpuopt_jit_ptx_source *source, const gpuopt_jit_watch *watch);
} gpuopt_jit_api;

// Returns the static table of the library, or NULL if the library is of another build than `build`.
const gpuopt_jit_api *gpuopt_jit_query(const char *build);

#ifdef __cplusplus
}
#endif
