/* abi/gpuopt/gpuopt_plugin.h -- the plugin ABI: what a backend implements and what the host gives it.
 *
 * A backend is a shared library `libgpuopt_<name>.so` (`gpuopt_<name>.dll`) that exports one symbol,
 * gpuopt_plugin_query_v1, and needs nothing of libgpuopt at link time: the host's services arrive as a table. The "v1"
 * names this framing only; versions are negotiated: both sides give a range of minor versions, and the highest common
 * one holds.
 *
 * Every table begins with a gpuopt_table_header and is append-only: a slot is never moved, removed or reused. A table
 * may be shorter than the reader's (older writer: the missing slots are absent) or longer (newer writer: the tail is
 * ignored). A minor version only adds optional slots. C99, also valid C++; no libc type but the fixed-width integers
 * crosses.
 *
 * fork() copies the process while no slot runs on another thread: the host makes it wait for those that do, up to 30
 * seconds, and calls no slot in a child that could not wait. A backend that survives a fork therefore needs handlers of
 * its own only for what its own threads do. Such a handler must not hold a lock that a slot waits for: it may run
 * before the host has waited. Nothing is destroyed when the process ends, and slots are called until it is gone: a
 * backend has no static or thread_local objects with destructors. */
#ifndef GPUOPT_PLUGIN_H
#define GPUOPT_PLUGIN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GPUOPT_PLUGIN_ABI_MAJOR 1
#define GPUOPT_PLUGIN_ABI_MINOR 5 /* the newest minor this header describes: plugin_slots.def says which added what */

#if defined(_WIN32)
#define GPUOPT_PLUGIN_EXPORT __declspec(dllexport)
#else
#define GPUOPT_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* First member of every table; 24 bytes. */
typedef struct gpuopt_table_header {
  uint32_t struct_size; /* bytes of the table as the writer knows it, header included */
  uint16_t abi_major, abi_minor;
  uint32_t flags, reserved; /* 0 */
  const void *next;         /* chain of {uint32 struct_size, uint32 id, const void *next, ...}; unknown ids are skipped;
                               ids from 0x80000000 belong to vendors */
} gpuopt_table_header;

/* The plugin's own objects; the host only passes them back. */
typedef struct gpuopt_plugin_device gpuopt_plugin_device;
typedef struct gpuopt_plugin_stream gpuopt_plugin_stream;
typedef struct gpuopt_plugin_event gpuopt_plugin_event;
typedef struct gpuopt_plugin_kernel gpuopt_plugin_kernel;

/* ---- Host services ----------------------------------------------------------------------------------------------- */

enum { GPUOPT_LOG_ERROR = 1, GPUOPT_LOG_WARN = 2, GPUOPT_LOG_INFO = 3, GPUOPT_LOG_DEBUG = 4 };

/* Lives as long as the process; callable from any thread. */
typedef struct gpuopt_host_api {
  gpuopt_table_header header;
  /* Fills `error` (NULL is allowed) and returns `code`. `format` as printf. */
  gpuopt_status (*fail)(gpuopt_error *error, gpuopt_status code, gpuopt_reason reason, int32_t backend_code,
                        const char *format, ...);
  /* One log line; `event` is a stable dotted id such as "cuda.peer_staged", `detail` free text. Goes where the user
   * sends the log. */
  void (*log)(int32_t level, const char *event, gpuopt_reason reason, const char *detail);
  /* As log at level WARN, but only the first time for this (event, reason, key) in the process. */
  void (*warn_once)(const char *event, gpuopt_reason reason, const char *key, const char *detail);
  /* Host memory aligned to 64 bytes, or NULL. */
  void *(*allocate)(uint64_t bytes);
  void (*deallocate)(void *memory);
  /* A setting from the environment, read now; NULL if unset, or if the process runs with raised privileges. Copy it at
   * once. */
  const char *(*setting)(const char *name);
} gpuopt_host_api;

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

/* A program is a small typed graph over one iteration space: `shape` of `ndim` dimensions, with the axes in the bit
 * mask `reduced_axes` reduced by its REDUCE steps. A step defines one value per index; its number is its place in
 * `steps`, and it uses only earlier steps. Values have a level:
 *   FULL     one value per index of `shape`
 *   REDUCED  one value per index of `shape` with the reduced axes taken out; used by a FULL step, it is broadcast back
 * A step is FULL if any of its sources is, except that REDUCE takes a FULL source and is REDUCED. CONSTANT fits both.
 *
 * Fixed reduction shape (this is what makes sums the same bits everywhere). The sequence reduced for one output element
 * is the elements along the reduced axes in C order, x[0] .. x[n-1]. It is cut into chunks of GPUOPT_CHUNK elements.
 * Inside a chunk, element i belongs to lane i % GPUOPT_LANES; a lane combines its elements in order, starting from its
 * first. Lanes are then combined by halving: for s = 16, 8, 4, 2, 1: lane[l] = combine(lane[l], lane[l+s]) for l < s,
 * where lane l+s has elements. Chunk results are combined pairwise in rounds: p[j] = combine(p[2j], p[2j+1]), an odd
 * last one passing through, until one is left. Absent elements are skipped, never replaced by an identity. n = 0 gives
 * 0 for sum, 1 for prod, false for any, true for all, 0 for count_nonzero; the host refuses it for the others.
 * argmin/argmax give the position in the sequence; any order of combination gives the same answer.
 *
 * Fixed scan shape. The sequence along the one scanned axis is cut into chunks of GPUOPT_CHUNK and each chunk into
 * blocks of GPUOPT_LANES consecutive elements. s[i] is the running combination inside the block, b[j] the running
 * combination of the totals of the blocks before it in its chunk, c[k] that of the totals of the chunks before it (all
 * left to right), and the result is combine(c, combine(b, s)), where an absent prefix (first block, first chunk) is
 * skipped. A block's total is its last s; a chunk's total is its last combine(b, s). At most one SCAN per program, and
 * then no REDUCE; `reduced_axes` names the scanned axis, SCAN's source and result are both FULL.
 *
 * Loops run in the dtype of a step's sources exactly as the scalar definitions of plugins/shared say, with no
 * contraction, no flushing of denormals, round to nearest. The host calls slots that compute in the default
 * floating-point environment; threads of the plugin's own inherit it if a slot starts them. float16 and bfloat16 have
 * no loops but nextafter's (a neighbour in float32 would round back): for everything else the host casts to float32 and
 * back.
 *
 * Passes. A REDUCE splits the program: what depends on its result runs after the whole sequence is reduced. The stage
 * of a step is the largest number of REDUCE steps on a path that ends before it; pass p evaluates, from the inputs,
 * every FULL step that a REDUCE or OUTPUT of stage p needs. OUTPUT steps come last. An output may be exactly one of the
 * inputs (same address, dtype and strides: in place) and otherwise shares no byte with any operand; the host makes sure
 * that no pass after an output's own reads the input it overwrites. Inside a pass, all inputs are read at an index
 * before an output is stored there. */
#define GPUOPT_CHUNK 1024
#define GPUOPT_LANES 32

enum { GPUOPT_LEVEL_FULL = 0, GPUOPT_LEVEL_REDUCED = 1 };

enum {
  GPUOPT_STEP_INPUT = 1,       /* inputs[index] */
  GPUOPT_STEP_CONSTANT = 2,    /* constants[index], of dtype */
  GPUOPT_STEP_ELEMENTWISE = 3, /* op `index` on src[0..nsrc-1]; all sources have loop_dtype (where: src[0] is bool) */
  GPUOPT_STEP_CAST = 4,        /* src[0] of loop_dtype converted to dtype (plugins/shared/casts.h) */
  GPUOPT_STEP_REDUCE = 5,      /* reduction `index` of src[0], which has loop_dtype */
  GPUOPT_STEP_SCAN = 6,        /* scan `index` of src[0], which has loop_dtype */
  GPUOPT_STEP_OUTPUT = 7       /* store src[0] to outputs[index]; dtype is that of both */
};

typedef struct gpuopt_step {
  uint8_t kind;       /* GPUOPT_STEP_* */
  uint8_t level;      /* GPUOPT_LEVEL_* of the value (of OUTPUT: of what is stored) */
  uint8_t dtype;      /* of the value */
  uint8_t loop_dtype; /* of the sources; for INPUT and CONSTANT the same as dtype */
  uint16_t index;
  uint16_t nsrc;
  uint16_t src[4]; /* step numbers */
} gpuopt_step;

/* One input or output: element [0,...,0] and byte strides over the iteration space (any sign; 0 where broadcast). For a
 * REDUCED operand the strides of the reduced axes are 0 and mean nothing. No alignment beyond the dtype's own is
 * promised. */
typedef struct gpuopt_operand {
  void *data;
  const int64_t *strides; /* ndim */
  int32_t dtype;
  int32_t reserved;
} gpuopt_operand;

/* The bytes of one value of the CONSTANT step's dtype, at the start; the rest 0. Aligned for every dtype. */
typedef union gpuopt_constant {
  unsigned char bytes[16];
  uint64_t words[2];
} gpuopt_constant;

/* Bounds the host keeps, the same for every backend. */
enum {
  GPUOPT_PROGRAM_MAX_STEPS = 320,
  GPUOPT_PROGRAM_MAX_OPERANDS = 24,
  GPUOPT_PROGRAM_MAX_OUTPUTS = 8,
  GPUOPT_PROGRAM_MAX_CONSTANTS = 64
};

typedef struct gpuopt_program {
  uint32_t struct_size, flags;
  uint64_t key; /* a hash of the steps; equal steps have equal keys, not the other way round */
  uint64_t reduced_axes;
  int32_t ndim;
  int32_t nsteps, ninputs, noutputs, nconstants;
  int32_t reserved;
  const int64_t *shape;
  const gpuopt_step *steps;
  const gpuopt_operand *inputs;
  const gpuopt_operand *outputs;
  const gpuopt_constant *constants;
  const void *next;
} gpuopt_program;

/* Since 1.4, slot elementwise_loop. Computes n >= 1 contiguous elements of an operation in the calling thread. Sources
 * that the operation lacks are NULL; `where` takes its bool first. `out` may be the address of a source whose elements
 * have the size of the results, and overlaps no source otherwise. All are aligned to their elements' size. The function
 * allocates nothing, takes no lock, cannot fail, and uses no x87 instruction: the host sets and restores only the other
 * unit's floating-point environment for it. */
typedef void (*gpuopt_elementwise_loop)(void *out, const void *a, const void *b, const void *c, int64_t n);

/* ---- Library operations ------------------------------------------------------------------------------------------ */

/* An array in device memory; strides in bytes, any sign, 0 where broadcast. */
typedef struct gpuopt_tensor {
  void *data;
  int32_t dtype, ndim;
  const int64_t *shape, *strides;
} gpuopt_tensor;

/* What each slot that takes a gpuopt_call computes; `t` are the tensors (inputs first, then outputs), `i` the integers,
 * `f` the doubles. A kind the plugin does not know is ERR_UNSUPPORTED. Outputs share no byte with inputs unless
 * said. */
enum {
  /* slot matmul: t = a[..., m, k], b[..., k, n], out[..., m, n], all of one dtype, batch dimensions equal (strides may
   * be 0). Integers wrap; bool is or of ands. The terms of an element of floats are cut into blocks of 512; a block's
   * sum starts with 0 and adds each term in order of k by a fused multiply-add; the blocks' sums are added in order. A
   * complex term is two: a.re b.re and (-a.im) b.im for the real part, a.re b.im and a.im b.re for the imaginary one.
   * float16 and bfloat16 are converted to float32, and the element is rounded once. i[0] is a GPUOPT_PRODUCT_* (since
   * 1.4, DEFAULT without it): with FAST, or DEFAULT and GPUOPT_MATMUL=fast, any order will do. */
  GPUOPT_CALL_MATMUL = 1,
  /* slot gather. MASK_COUNT: t = mask (bool); i[0] is set to the number of true elements (synchronises).
   * MASK_SELECT: t = x, mask, out; mask.shape is a prefix of x.shape; out.shape = (count,) + the rest; rows in C order
   * of mask. TAKE: t = x, indices (int64, any shape), out; i[0] = axis; out.shape = x.shape with that axis replaced by
   * indices.shape. Negative indices count from the end; out of range is ERR_INDEX and nothing is written.
   * NONZERO: t = x (bool), out (int64, (count, ndim)): the indices in C order. */
  GPUOPT_CALL_MASK_COUNT = 16,
  GPUOPT_CALL_MASK_SELECT = 17,
  GPUOPT_CALL_TAKE = 18,
  GPUOPT_CALL_NONZERO = 19,
  /* slot scatter. MASK_ASSIGN: t = mask, values, out: row j of values goes to the j-th true place of out (rows in C
   * order, values has the rows of MASK_SELECT's out, or one row that all take). PUT: t = indices (int64), values, out;
   * i[0] = axis; duplicates: the last wins. ACCUMULATE: t as of PUT, all but the indices of one dtype; i[1] = a
   * GPUOPT_OP_*: add, subtract, multiply, minimum, maximum, fmin or fmax; an element of out becomes its op with
   * each value that goes there, in C order of the indices. float16 and bfloat16 are rounded after each. A backend
   * without it says ERR_UNSUPPORTED, and the CPU's does it. */
  GPUOPT_CALL_MASK_ASSIGN = 32,
  GPUOPT_CALL_PUT = 33,
  GPUOPT_CALL_ACCUMULATE = 34,
  /* slot random: t = out (C-contiguous), or out and extra inputs; `state` is the generator's state, advanced by the
   * call; i[0] = GPUOPT_RANDOM_* distribution; further i, f as random_call.h lists per distribution. */
  GPUOPT_CALL_RANDOM_PHILOX = 48,
  GPUOPT_CALL_RANDOM_MT19937 = 49,
  GPUOPT_CALL_RANDOM_PCG64 = 50,
  /* slot fft: t = x, out; i[0] = axis; f[0] = scale, by which results are multiplied. All other sizes of the two are
   * equal, none is 0, and both are complex64, or float32 where they are real, or else complex128 and float64.
   * FFT: x and out are complex and have n elements along the axis; i[1] is 0 for a forward transform, 1 for an inverse
   * one. RFFT: x is real and has n elements, out is complex and has n/2 + 1: the first of the forward transform.
   * IRFFT: x is complex and has n/2 + 1 elements, out is real and has n: those of the inverse transform, of which the
   * imaginary parts of x's element 0 and, for even n, of its last do not count. The bits are those of
   * plugins/shared/fft/factors.h. */
  GPUOPT_CALL_FFT = 96,
  GPUOPT_CALL_RFFT = 97,
  GPUOPT_CALL_IRFFT = 98,
  /* slot sort. The order of elements is that of the keys of plugins/shared/sort_key.h: NaN is last in both directions,
   * -0 equals 0, NaNs are equal, and equal elements keep their order.
   * SORT: t = x, out of the same dtype and shape; i[0] = axis, i[1] = 1 for descending, else 0. ARGSORT: the same with
   * out int64, which gets the positions along the axis.
   * SEARCHSORTED: t = sorted (one dimension, in ascending order), values (the same dtype, any shape), out (int64, the
   * shape of values), which gets the number of elements that are less than the value; i[0] = 1 counts equal ones, too.
   * If `sorted` is in no order, out gets any numbers from 0 to its size.
   * BINCOUNT: t = x (int64, one dimension), out (int64, one dimension): out[k] is how many elements are k. With three
   * tensors the second one has weights (float64, the shape of x) and out is float64: out[k] starts with 0 and adds the
   * weights of these elements in their order. Elements that are no index of out are passed over. */
  GPUOPT_CALL_SORT = 112,
  GPUOPT_CALL_ARGSORT = 113,
  GPUOPT_CALL_SEARCHSORTED = 114,
  GPUOPT_CALL_BINCOUNT = 115,
  /* slot linalg: each of the stack of matrices in the last two axes of `t` is computed by itself. The axes of
   * the stack are equal in all tensors of a call (strides may be 0); where a tensor has vectors or numbers for the
   * matrices, it has one or two axes less. All tensors have one dtype, float32, float64, complex64 or complex128, but
   * where said; "real" is that of its precision. i[0] is set to the index, in C order of the stack, of the first matrix
   * for which there is no answer, or to -1 (synchronises); with an index, what outputs hold does not count. Algorithms
   * and bits are those of plugins/shared/linalg/. k is the lesser of m and n.
   * CHOLESKY: t = a (n, n), out (n, n); i[1] = 1: a = U^H U, of whose upper triangle is read, else a = L L^H, lower.
   * QR: t = a (m, n), q, r, where (m, k) goes with (k, n), (m, m) with (m, n); or t = a, r (k, n).
   * LU: t = a (m, n), out (m, n), pivots (k), order (m), the latter two int64: row i was exchanged with row pivots[i]
   * from the first on, after which row i is a's row order[i]; out has u and, below its diagonal, l.
   * SOLVE: t = a (n, n), b (n, p), out (n, p).
   * SOLVE_LU: t = lu (n, n), pivots (n, int64), b (n, p), out (n, p); with a if i[1] = 0, with a^T if
   * it is 1, with a^H if it is 2. A pivot outside of [0, n) is ERR_INDEX.
   * SOLVE_TRIANGULAR: t = a (n, n), b (n, p), out (n, p); i[1] = 1: a is lower triangular, else upper; i[2] = 1: its
   * diagonal counts as ones; i[3] as i[1] of SOLVE_LU.
   * DET: t = a (n, n), out (no axes but the stack's).
   * EIGH: t = a (n, n), w (n, real), v (n, n), which may be left out; i[1] = 1: the upper triangle is read, else the
   * lower one. EIG: t = a (n, n), w (n), v (n, n), which may be left out; both are complex of a's precision.
   * SVD: t = a (m, n), s (k, real), u, vh, where (m, k) goes with (k, n), (m, m) with (n, n); both may be left out. */
  GPUOPT_CALL_CHOLESKY = 64,
  GPUOPT_CALL_QR = 65,
  GPUOPT_CALL_LU = 66,
  GPUOPT_CALL_SOLVE = 67,
  GPUOPT_CALL_SOLVE_LU = 68,
  GPUOPT_CALL_SOLVE_TRIANGULAR = 69,
  GPUOPT_CALL_DET = 70,
  GPUOPT_CALL_EIGH = 71,
  GPUOPT_CALL_EIG = 72,
  GPUOPT_CALL_SVD = 73
};

typedef struct gpuopt_call {
  uint32_t struct_size, flags;
  int32_t kind; /* GPUOPT_CALL_* */
  int32_t ntensors, nints, nfloats;
  const gpuopt_tensor *tensors;
  int64_t *ints;
  const double *floats;
  void *state;
  uint64_t state_bytes;
  const void *next;
} gpuopt_call;

/* ---- Source kernels ---------------------------------------------------------------------------------------------- */

/* CUDA C++ source on the prelude. Strings are NUL-terminated. Without GPUOPT_KERNEL_RAW the kernel loops over
 * first_index() and last_index() of plugins/shared/user/arrays.h: a backend may do many blocks in one call of it. */
enum {
  GPUOPT_KERNEL_RAW = 1,
  GPUOPT_KERNEL_FUNCTION = 2 /* since 1.3: no kernel; `code` has a function `name`, extern "C", for slot
                              * kernel_function */
};
typedef struct gpuopt_kernel_source {
  uint32_t struct_size, flags;
  const char *name;  /* the entry function, or a name expression of a template */
  const char *code;
  const char *const *options;
  int32_t noptions;
  int32_t nnames;
  const void *next;
  /* since 1.2, of raw kernels: `names` are `nnames` kernels of `code`, of which `name` is one, that are compiled as one
   * module. Kernels of the same code and names on a device share its variables, which live as long as one of these
   * kernels at least. */
  const char *const *names;
} gpuopt_kernel_source;

/* Takes a piece of a bundle, `size` bytes that only backends look into. */
typedef void (*gpuopt_bundle_sink)(void *context, const void *piece, uint64_t size);

/* What a compiled kernel is made of; -1 where the backend cannot tell. */
typedef struct gpuopt_kernel_info {
  uint32_t struct_size, flags;
  int32_t max_threads; /* of a block */
  int32_t registers;   /* of a thread */
  int64_t shared_bytes; /* of static __shared__ arrays */
  int64_t local_bytes;  /* of memory of a thread's own */
  const void *next;
} gpuopt_kernel_info;

typedef struct gpuopt_kernel_argument {
  const void *value; /* host address of the argument's bytes */
  uint64_t bytes;
} gpuopt_kernel_argument;

typedef struct gpuopt_kernel_launch {
  uint32_t struct_size, flags;
  uint32_t grid[3], block[3]; /* blocks, threads */
  uint32_t shared_bytes;
  int32_t narguments;
  const gpuopt_kernel_argument *arguments;
  const void *next;
} gpuopt_kernel_launch;

/* ---- Plugin ------------------------------------------------------------------------------------------------------ */

/* What probe found. A backend that cannot work here returns ERR_UNAVAILABLE from probe with the reason in the error. */
typedef struct gpuopt_plugin_probe {
  uint32_t struct_size;
  int32_t device_count;
  int32_t hardware_present; /* 1: the hardware is there even if it cannot be used, 0: it is not, -1: unknown */
  int32_t driver_version;   /* the vendor's number, 0 if none */
  char driver[64];          /* in words */
} gpuopt_plugin_probe;

enum {
  GPUOPT_DEVICE_HOST_MEMORY = 1, /* device addresses are host addresses: the host may read and write them after a
                                  * stream_synchronize */
  GPUOPT_DEVICE_LOST_IN_FORK = 2, /* useless in a child process after fork: the host answers ERR_FORKED there and calls
                                   * nothing */
  GPUOPT_DEVICE_SYNCHRONOUS = 4, /* a slot's work is done when it returns and streams have no state: the host need not
                                  * synchronise one, and may call slots on one from several threads at a time */
  GPUOPT_DEVICE_MANAGED_MEMORY = 8 /* the host may read and write the memory at the device's addresses, which wanders
                                    * to whoever uses it: the host does so only for others whom it exported it to */
};

typedef struct gpuopt_plugin_device_info {
  uint32_t struct_size, flags; /* GPUOPT_DEVICE_* */
  char name[128];
  uint64_t memory_bytes;  /* the device's memory in all, 0 if unknown */
  int32_t processors;     /* cores or SMs */
  int32_t dlpack_type;    /* DLDeviceType: 1 CPU, 2 CUDA, ... */
  int32_t dlpack_id;
  int32_t reserved;
  char detail[128]; /* instruction set, compute capability, libraries found */
} gpuopt_plugin_device_info;

#define GPUOPT_RESULT_status gpuopt_status
#define GPUOPT_RESULT_none void

/* The plugin's functions. Lives as long as the process. */
typedef struct gpuopt_plugin_api {
  gpuopt_table_header header;
#define GPUOPT_SLOT(need, result, name, args) GPUOPT_RESULT_##result(*name) args;
#include "plugin_slots.def"
} gpuopt_plugin_api;

/* Filled by gpuopt_plugin_query_v1. */
typedef struct gpuopt_plugin_desc {
  gpuopt_table_header header; /* set by the host before the call: struct_size is what the plugin may write */
  uint16_t host_minor_min, host_minor_max; /* set by the host */
  uint16_t minor_min, minor_max;           /* the plugin's range, given also when it does not meet the host's */
  int32_t op_count, reduction_count, scan_count; /* rows of ops.def the plugin knows: the host asks for no later one */
  int32_t reserved;
  const char *name;     /* "cpu"; must be the <name> of the file */
  const char *version;  /* the plugin's release */
  const char *build_id; /* anything that tells builds apart */
  const char *toolkit;  /* vendor toolkit and version it was built with, or "" */
  const gpuopt_plugin_api *api;
} gpuopt_plugin_desc;

/* The one entry point. Pure: no driver call, thread, file or log. Returns GPUOPT_OK, or ERR_UNSUPPORTED if the version
 * ranges do not meet (with both ranges, name and versions filled). `host` is kept by the plugin. */
typedef gpuopt_status (*gpuopt_plugin_query_fn)(const gpuopt_host_api *host, gpuopt_plugin_desc *desc);
#define GPUOPT_PLUGIN_ENTRY "gpuopt_plugin_query_v1"
GPUOPT_PLUGIN_EXPORT gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *host, gpuopt_plugin_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
