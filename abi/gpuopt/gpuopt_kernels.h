/* abi/gpuopt/gpuopt_kernels.h -- user kernels: CUDA C++ given as text, run on any device; part of gpuopt.h, which
 * includes it.
 *
 * The semantics are those of CuPy's user-defined kernels, with what is said below made stricter. Kernels may be called
 * from any threads at once. A kernel is compiled when it is first called with some dtypes and layouts on a device, in
 * that call: what the compiler says is GPUOPT_ERR_COMPILE, with lines counted in the text it was given. A device
 * without a compiler is GPUOPT_ERR_JIT_UNAVAILABLE. Functions of math.h are the library's own (as gpuopt_sin and so
 * on), the same bits on every device; products and sums are not contracted, and denormals are kept.
 * `philox rng(seed, stream, word)` gives the random numbers of gpuopt_generator: rng.uniform(), normal(), exponential()
 * (double, or uniform<float>()), integer(low, high), bits32(). */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_KERNELS_H)
#define GPUOPT_KERNELS_H

typedef struct gpuopt_kernel_s *gpuopt_kernel;

typedef struct gpuopt_kernel_options {
  uint32_t struct_size, flags;
  const void *next;
  const char *preamble;   /* declarations in front of the kernel; NULL is "" here and below */
  const char *loop_prep;  /* statements of each thread before its loop */
  const char *after_loop; /* and after it */
  const char *reduce_type; /* of reductions: the type of partial results, at most 32 bytes; that of the first output */
} gpuopt_kernel_options;
#define GPUOPT_KERNEL_OPTIONS_INIT {sizeof(gpuopt_kernel_options), 0, NULL, NULL, NULL, NULL, NULL}

/* cupy.ElementwiseKernel. `in_params` and `out_params` are comma lists of [raw] TYPE NAME; a TYPE of one letter is
 * generic, others are dtype names. `operation` is run for each index: it reads inputs and writes outputs by name, `i`
 * is the flat index, _ind.get() the coordinates, _ind.size() the count. A raw parameter is indexed by the kernel:
 * a[flat] in C order of the array, or a[index] with long long index[ndim]; also a.size(), a.shape(), a.strides().
 * Malformed lists and names are GPUOPT_ERR_INVALID_ARGUMENT here; the texts are not looked at before a call. Strings
 * are copied. */
GPUOPT_CALL gpuopt_elementwise_kernel(const char *in_params, const char *out_params, const char *operation,
                                      const char *name, const gpuopt_kernel_options *options, gpuopt_kernel *kernel,
                                      gpuopt_error *error);
/* cupy.ReductionKernel. `map_expr` is what one element contributes, from inputs by name, and `_J`, its place in the
 * reduced axes; `reduce_expr` makes one of the contributions `a` and `b`, `post_map_expr` is a statement that writes
 * the outputs from the whole, `a`. Contributions are combined in the fixed shape of gpuopt_sum, so that results are the
 * same bits on every device; nothing else is taken into them: `identity`, an expression, is the result of nothing, and
 * may be NULL (then reducing nothing is GPUOPT_ERR_INVALID_ARGUMENT). Parameters as above; outputs are not raw, and
 * none is named a or b. */
GPUOPT_CALL gpuopt_reduction_kernel(const char *in_params, const char *out_params, const char *map_expr,
                                    const char *reduce_expr, const char *post_map_expr, const char *identity,
                                    const char *name, const gpuopt_kernel_options *options, gpuopt_kernel *kernel,
                                    gpuopt_error *error);
/* Counts a reference more, or one less; NULL is allowed. */
GPUOPT_API gpuopt_kernel gpuopt_kernel_retain(gpuopt_kernel kernel);
GPUOPT_API void gpuopt_kernel_release(gpuopt_kernel kernel);
/* How many inputs and outputs it has; 0 where it is NULL. */
GPUOPT_API int32_t gpuopt_kernel_nin(gpuopt_kernel kernel);
GPUOPT_API int32_t gpuopt_kernel_nout(gpuopt_kernel kernel);

/* All that the compiler said when a call or launch of this kernel last was GPUOPT_ERR_COMPILE, of which gpuopt_error
 * has room for the beginning only; "" if none was. Free *text with gpuopt_string_free. Safe from any threads: the last
 * of them counts. */
GPUOPT_CALL gpuopt_kernel_build_log(gpuopt_kernel kernel, char **text, gpuopt_error *error);

/* Ends the compilations that are under way in this process. The calls that wait for one return GPUOPT_ERR_CANCELLED:
 * nothing has run, every array is as it was, and the same call compiles anew. Calls that begin later are as ever. For
 * whoever sees that a compilation takes too long: may be called by any thread, by a callback of the log
 * (GPUOPT_LOG=info tells of each that takes a second, as event cpu.jit_slow) and by a signal handler; it does not wait.
 * The CPU backend's compiler ends at once in its own process, and at its next step where GPUOPT_JIT_ISOLATION is off.
 * NVRTC ends by itself, and its calls succeed; programs compiled in the background are not waited for by anybody, and
 * go on. A limit of time for each compilation is GPUOPT_JIT_TIMEOUT. */
GPUOPT_API void gpuopt_cancel_compilations(void);

typedef struct gpuopt_kernel_call_options {
  uint32_t struct_size, flags;
  const void *next;
  gpuopt_device device; /* for a call without arrays; NULL: that of the arrays */
  int64_t size;         /* the loop's length, if has_size: for kernels whose arrays are all raw */
  int32_t has_size;
  int32_t block_size;  /* threads per block on a GPU, a multiple of 32 up to 1024; 0 means 128 */
  const int64_t *axes; /* of reductions: the axes to reduce, `naxes` of them; NULL for all */
  int32_t naxes, keepdims;
} gpuopt_kernel_call_options;
#define GPUOPT_KERNEL_CALL_OPTIONS_INIT {sizeof(gpuopt_kernel_call_options), 0, NULL, NULL, 0, 0, 0, NULL, 0, 0}

/* Calls a kernel with its inputs, or with its inputs and outputs; numbers are weak scalars (gpuopt_weak); given outputs
 * are written in place. results[k] becomes output k,
 * a new reference; NULL is allowed if outputs were given. Generic types are bound by output arrays, then by input
 * arrays, which must agree exactly: nothing is cast but numbers (GPUOPT_ERR_TYPE). Arrays that are not raw broadcast;
 * outputs that are given have the broadcast shape, of a reduction that of its results (GPUOPT_ERR_SHAPE). An output may
 * be an input; where they overlap otherwise the input is copied first; of raw arrays the kernel itself takes care.
 * Recorded operations that the call depends on run now. */
GPUOPT_CALL gpuopt_kernel_call(gpuopt_kernel kernel, int32_t count, const gpuopt_array *arguments,
                               const gpuopt_kernel_call_options *options, gpuopt_array *results, gpuopt_error *error);

/* cupy.RawKernel. `code` is CUDA C++ with a function __global__ void NAME(...), in which the functions of math.h are
 * the library's. It needs no header, and may include those that docs/cuda-words.md lists, which say nothing new:
 * another one is GPUOPT_ERR_COMPILE. `name` is that function's, or as CUDA's name expressions an instance of a
 * template, "scale<float, 4>", or a function of a namespace, "mine::scale"; of several functions of one name the
 * parameters tell which, "scale(float *x, int n)", unless one of them alone is a kernel and the others have other
 * numbers of parameters. The text is not looked at before a launch. */
GPUOPT_CALL gpuopt_raw_kernel(const char *code, const char *name, gpuopt_kernel *kernel, gpuopt_error *error);

/* cupy.RawModule: kernels[k] becomes the kernel names[k] of `code`, for `count` kernels, which are named as above. They
 * are compiled together where the backend does so (CUDA), and share the variables of the text. gpuopt_raw_kernel is
 * this with one name. Modules of the same text and names are one module, on each device. On failure all of `kernels`
 * are NULL. */
GPUOPT_CALL gpuopt_raw_module(const char *code, int32_t count, const char *const *names, gpuopt_kernel *kernels,
                              gpuopt_error *error);

/* An argument: the address of an array's first element, or with array NULL so many bytes, as a number's. */
typedef struct gpuopt_raw_argument {
  gpuopt_array array;
  const void *value;
  uint64_t bytes;
} gpuopt_raw_argument;

/* Flags of a launch. */
enum {
  GPUOPT_RAW_REINTERPRET = 1 /* memory and values are taken as the parameters have them, whatever the arguments'
                              * dtypes */
};
/* The same for one argument, as its entry in `dtypes`. */
#define GPUOPT_RAW_ANY (-1)
typedef struct gpuopt_raw_launch_options {
  uint32_t struct_size, flags;
  const void *next;
  gpuopt_stream stream; /* NULL: that of the first array, */
  gpuopt_device device; /* or where no argument is one, this device's default stream */
  /* What each of the launch's arguments is, as many entries as arguments; NULL: all are 0. 0: an array is of its own
   * dtype, and of a value only the size is known. A dtype: the value's, or the one that the array is taken as.
   * GPUOPT_RAW_ANY: not to be checked. */
  const gpuopt_dtype *dtypes;
} gpuopt_raw_launch_options;
#define GPUOPT_RAW_LAUNCH_OPTIONS_INIT {sizeof(gpuopt_raw_launch_options), 0, NULL, NULL, NULL, NULL}

/* Runs `grid` blocks of `block` threads (x, y, z of each). Numbers and sizes of arguments must be those of the
 * function's parameters (GPUOPT_ERR_INVALID_ARGUMENT), and their types (GPUOPT_ERR_TYPE, naming the parameter, its type
 * and the argument's dtype): an array of float32 is for a float *, const or not; an array of complex64 is also for a
 * float2 * or float4 *, one of float32 for these as well. A pointer to void, char or a struct takes any array, and a
 * struct any bytes of its size. Values have the types that options.dtypes gives them; integers of one size are the
 * same. Strides are the caller's business. Work that uses the arrays is ordered before and after it; each may be
 * written, but for read-only ones.
 *
 * GPUOPT_ERR_KERNEL_FAULT, on the CPU: an assert() that fails; a free() of what malloc() did not return; threads that
 * wait for others that will never come; an address without memory, a trap, a stack that is too small (on Linux, where
 * GPUOPT_CPU_FAULTS is not off; elsewhere these end the process); and what GPUOPT_CPU_CHECK=1 finds. What the arrays
 * hold then is not defined; they and the process can be used on. On CUDA: an assert() that fails, after which the
 * device is lost. Integer division by zero gives 0 on the CPU, and the least integer divided by -1 itself.
 * A shift by as many bits as a number has, or more, gives 0, and -1 of a negative number to the right, as on a GPU. */
GPUOPT_CALL gpuopt_raw_kernel_launch(gpuopt_kernel kernel, const uint32_t *grid, const uint32_t *block,
                                     uint32_t shared_bytes, int32_t count, const gpuopt_raw_argument *arguments,
                                     const gpuopt_raw_launch_options *options, gpuopt_error *error);

/* cupy.RawModule.get_global: copies `bytes` bytes from `offset` on out of, or into, a __device__ or __constant__
 * variable of a raw kernel's text: "coefficients", or in a namespace "mine::coefficients"; of a template of variables
 * the instance "coefficients<float, 4>", where arguments are numbers or types of the language's own. Variables that
 * are static or const have no address (GPUOPT_ERR_INVALID_ARGUMENT, as for no such variable and for bytes beyond its
 * end). Every device has its own, which begin with the values of the text and last as long as a kernel of the module,
 * or longer. The options name the stream, or the device whose default stream is meant: the copy comes after what was
 * submitted to it before and before what is submitted to it later, and is over when the call returns; launches on
 * other streams are the caller's to wait for. A kernel not yet compiled on the device is compiled. */
GPUOPT_CALL gpuopt_raw_kernel_get_global(gpuopt_kernel kernel, const char *variable, uint64_t offset, void *data,
                                         uint64_t bytes, const gpuopt_raw_launch_options *options, gpuopt_error *error);
GPUOPT_CALL gpuopt_raw_kernel_set_global(gpuopt_kernel kernel, const char *variable, uint64_t offset, const void *data,
                                         uint64_t bytes, const gpuopt_raw_launch_options *options, gpuopt_error *error);

/* What a raw kernel was compiled to on a device; -1 where the backend cannot tell. Set struct_size before the call. */
typedef struct gpuopt_kernel_attributes {
  uint32_t struct_size, flags;
  const void *next;
  int32_t max_threads_per_block; /* what __launch_bounds__ says, if that is less than the device's own */
  int32_t registers;    /* of a thread; -1 on the CPU */
  int64_t shared_bytes; /* of static __shared__ arrays; on the CPU rounded up to 64 */
  int64_t local_bytes;  /* of memory of a thread's own: spilled registers and local arrays; on the CPU what a waiting
                         * thread keeps */
} gpuopt_kernel_attributes;
#define GPUOPT_KERNEL_ATTRIBUTES_INIT {sizeof(gpuopt_kernel_attributes), 0, NULL, 0, 0, 0, 0}
/* The attributes of cupy.RawKernel. Compiles the kernel if it is not yet compiled on the device. */
GPUOPT_CALL gpuopt_raw_kernel_attributes(gpuopt_kernel kernel, gpuopt_device device,
                                         gpuopt_kernel_attributes *attributes, gpuopt_error *error);

#endif
