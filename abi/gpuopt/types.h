/* abi/gpuopt/types.h -- the plain types both ABIs share: status, reason, dtype, error, scalar.
 *
 * C99, also valid C++. Everything here has a fixed layout: no C enum, bool, long or bitfield crosses the ABI. */
#ifndef GPUOPT_TYPES_H
#define GPUOPT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most dimensions an array can have. */
#define GPUOPT_MAX_NDIM 64

/* What a call returns: GPUOPT_OK or a GPUOPT_ERR_* of status.def. */
typedef int32_t gpuopt_status;
enum {
#define GPUOPT_STATUS(NAME, number, sentence) GPUOPT_##NAME = number,
#include "status.def"
  GPUOPT_STATUS_COUNT = 22
};

/* Why a backend is unusable: a GPUOPT_REASON_* of status.def. */
typedef int32_t gpuopt_reason;
enum {
#define GPUOPT_REASON(NAME, number, sentence, cure) GPUOPT_REASON_##NAME = number,
#include "status.def"
  GPUOPT_REASON_COUNT = 21
};

/* Element types, numbered by their row in dtypes.def. 0 (GPUOPT_DTYPE_DEFAULT) stands for "the call's default". */
typedef int32_t gpuopt_dtype;
enum {
  GPUOPT_DTYPE_DEFAULT = 0,
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) GPUOPT_##NAME,
#include "dtypes.def"
  GPUOPT_DTYPE_COUNT /* one past the last dtype */
};

/* Operations, numbered by their row in ops.def from 0. */
typedef int32_t gpuopt_op;
enum {
#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) GPUOPT_OP_##name,
#include "ops.def"
  GPUOPT_OP_COUNT
};
typedef int32_t gpuopt_reduction;
enum {
#define GPUOPT_REDUCTION(name, kinds, result, doc) GPUOPT_REDUCTION_##name,
#include "ops.def"
  GPUOPT_REDUCTION_COUNT
};
typedef int32_t gpuopt_scan;
enum {
#define GPUOPT_SCAN(name, kinds, result, doc) GPUOPT_SCAN_##name,
#include "ops.def"
  GPUOPT_SCAN_COUNT
};

/* An error, owned by the caller. Set struct_size before the call (GPUOPT_ERROR_INIT does); pass NULL if only the status
 * matters. A failing call fills it whole; a successful call leaves it alone. No thread-local state, nothing to free. */
typedef struct gpuopt_error {
  uint32_t struct_size;
  int32_t code;         /* the gpuopt_status that was returned */
  int32_t reason;       /* a gpuopt_reason, GPUOPT_REASON_NONE unless a backend was unusable */
  int32_t backend_code; /* the vendor's own error number (a CUresult, say), 0 if none */
  char message[512];    /* UTF-8, NUL-terminated: names the operation, dtypes, shapes and devices involved */
} gpuopt_error;
#define GPUOPT_ERROR_INIT {sizeof(gpuopt_error), 0, 0, 0, {0}}

/* One number. As an operand it is weak: it takes the dtype of the arrays beside it (NEP 50). */
typedef struct gpuopt_scalar {
  int32_t kind; /* '?' bool (i), 'i' int64 (i), 'u' uint64 (u), 'f' double (f), 'c' complex (f, imag) */
  int32_t reserved;
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
  double imag;
} gpuopt_scalar;

/* How a product of floats is computed. */
enum {
  GPUOPT_PRODUCT_DEFAULT = 0, /* as GPUOPT_MATMUL says: EXACT without it */
  GPUOPT_PRODUCT_EXACT = 1,   /* in the order that gpuopt_matmul() documents, with the same bits everywhere */
  GPUOPT_PRODUCT_FAST = 2     /* by a BLAS or cuBLAS, where one is found: bits differ from machine to machine */
};
typedef int32_t gpuopt_product_mode;

/* What is asked about a device; sizes are in bytes, clocks in kHz. */
enum {
  GPUOPT_ATTRIBUTE_MEMORY_TOTAL = 1, /* of the device; of the CPU's, the machine's */
  GPUOPT_ATTRIBUTE_MEMORY_FREE = 2,  /* now, not counting what the library's pool keeps for reuse */
  GPUOPT_ATTRIBUTE_PROCESSORS = 3,   /* cores or streaming multiprocessors */
  /* of a GPU */
  GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY = 16, /* 10 * major + minor: 90 */
  GPUOPT_ATTRIBUTE_WARP_SIZE = 17,
  GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 18,
  GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR = 19,
  GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK = 20,
  GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR = 21,
  GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK = 22,
  GPUOPT_ATTRIBUTE_L2_CACHE_BYTES = 23,
  GPUOPT_ATTRIBUTE_CLOCK = 24,
  GPUOPT_ATTRIBUTE_MEMORY_CLOCK = 25,
  GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS = 26,
  GPUOPT_ATTRIBUTE_PCI_BUS = 27,
  GPUOPT_ATTRIBUTE_PCI_DEVICE = 28,
  GPUOPT_ATTRIBUTE_DRIVER_VERSION = 29, /* of the driver's interface, 1000 * major + 10 * minor: 13000 */
  /* of every device: 1 if the host may read and write its memory at its addresses while no work uses it, else 0 */
  GPUOPT_ATTRIBUTE_HOST_ACCESS = 30,
  /* of the CPU: how often, since the process began, a program that was compiled was timed beside its interpreter, and
   * its code was kept for runs of that size because it was as fast, or the interpreter because it was faster */
  GPUOPT_ATTRIBUTE_COMPILED_KEPT = 32,
  GPUOPT_ATTRIBUTE_INTERPRETER_KEPT = 33
};
typedef int32_t gpuopt_attribute;

/* Device memory held through an allocator, in bytes. */
typedef struct gpuopt_memory_stats {
  uint32_t struct_size, reserved;
  uint64_t in_use;      /* held by arrays */
  uint64_t cached;      /* kept by the allocator for reuse */
  uint64_t peak_in_use; /* the highest in_use since the device was opened or the peak reset */
  uint64_t limit;       /* in_use + cached never exceeds it; 0: none */
  uint64_t allocations; /* requests served */
  uint64_t cache_hits;  /* requests served from the cache */
} gpuopt_memory_stats;

#ifdef __cplusplus
}
#endif
#endif
