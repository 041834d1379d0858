/* tests/fake_cuda/fake_cuda.h -- what tests ask of the fake driver, found in it by dlsym.
 *
 * The fake is a libcuda.so.1 whose device is the host. Kernels of users are compiled by libgpuopt_jit, where it is
 * built, all others by g++, which puts a check before each access to memory; PTX of NVIDIA's compiler is interpreted
 * (ptx/). Settings are read at cuInit:
 *   FAKE_CUDA_DEVICES         how many devices (1)
 *   FAKE_CUDA_CAPABILITY      their compute capability (90)
 *   FAKE_CUDA_MEMORY          bytes of memory of each (8589934592)
 *   FAKE_CUDA_POOLS           0: no memory pools
 *   FAKE_CUDA_MANAGED_ANYTIME 0: the host may not use managed memory while kernels run
 *   FAKE_CUDA_PEERS           which devices reach which: all (the default), none, or pairs "0>1,1>0"
 *   FAKE_CUDA_DRIVER_VERSION  what cuDriverGetVersion says (13000)
 *   FAKE_CUDA_MAX_THREADS     the largest block of any kernel, as if registers were short (1024)
 *   FAKE_CUDA_CACHE           bytes of a cache between kernels and memory, empty before each kernel (0: none)
 *   FAKE_CUDA_QUEUE           how many operations a stream holds before the oldest runs (256)
 *   FAKE_CUDA_FAIL_AT         the call of this number, from 1, fails
 *   FAKE_CUDA_FAIL_CODE       with this code (2)
 *   FAKE_CUDA_STRICT          1: a process that broke a rule of the API ends with status 97 */
#ifndef GPUOPT_TESTS_FAKE_CUDA_H
#define GPUOPT_TESTS_FAKE_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fake_cuda_counters {
  uint64_t calls;      /* of the driver, names of errors apart */
  uint64_t violations; /* rules of the API broken: each was printed */
  uint64_t launches;   /* kernels that ran */
  /* what is there now */
  uint64_t blocks, block_bytes; /* device memory */
  uint64_t pinned, streams, events, pools, modules, contexts, pending /* operations that wait in streams */;
} fake_cuda_counters;

/* A kernel that ran. Loads and stores of global and pinned memory, as the compiled text did them, and what memory
 * delivered to the cache for these loads, where there is one; of users' kernels they are not counted. */
typedef struct fake_cuda_launch {
  char name[128];
  uint32_t grid[3], block[3];
  uint64_t loads, stores, bytes_loaded, bytes_stored, bytes_fetched;
} fake_cuda_launch;

typedef void fake_cuda_count_fn(fake_cuda_counters *counters);
/* The launches since the last call, at most `room` of them into `launches`; gives how many there were and forgets them.
 */
typedef uint64_t fake_cuda_take_launches_fn(fake_cuda_launch *launches, uint64_t room);
/* The n-th call from now fails with `code`; 0 for n: none does. */
typedef void fake_cuda_fail_at_fn(uint64_t n, int32_t code);

__attribute__((visibility("default"))) fake_cuda_count_fn fake_cuda_count;
__attribute__((visibility("default"))) fake_cuda_take_launches_fn fake_cuda_take_launches;
__attribute__((visibility("default"))) fake_cuda_fail_at_fn fake_cuda_fail_at;

#ifdef __cplusplus
}
#endif
#endif
