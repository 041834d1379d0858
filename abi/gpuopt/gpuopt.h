/* abi/gpuopt/gpuopt.h -- the public C ABI of gpuopt.
 *
 * Arrays on any processor, behind one stable C interface. A program opens a device by name; where a backend cannot work
 * here it gets the CPU, one warning, and the same numbers. C99, also valid C++ (the C++17 face is gpuopt.hpp).
 *
 * Rules that hold for every call, unless it says otherwise
 *   Status     A call that can fail returns a gpuopt_status and takes a caller-owned gpuopt_error* last (may be NULL).
 *              On failure outputs are set to NULL or 0 and nothing else has changed. The library never exits, aborts,
 *              throws or prints, except for log lines on stderr (see Log).
 *   Ownership  Handles are opaque and reference-counted. A call that gives a handle out gives one reference, dropped
 *              with gpuopt_<type>_release (NULL is allowed). An array keeps its storage, device and stream alive.
 *   Threads    Distinct handles may be used from any threads at once. The same array may be read by several threads at
 *              once; a write to it (in place, assignment) must not run beside any other use. Nothing depends on which
 *              thread calls.
 *   Modes      A call computes in the default floating-point environment, whatever its thread's is: to nearest, nothing
 *              flushed, nothing trapped. It leaves the thread's environment exactly as it was, the flags of
 *              fetestexcept included. Functions it calls back meanwhile (for the log, to give memory back) run in the
 *              default one, too.
 *   Exit       Everything works until the process is gone: in handlers of exit, in destructors of static and
 *              thread_local objects, and in threads that outlive main.
 *   Fork       fork() waits until the calls of other threads have returned, and delays new ones meanwhile, so that a
 *              child finds everything whole: devices of the CPU, arrays, kernels and what is recorded are its own
 *              copies and may be used as in any process, on threads of its own. Devices that do not survive a fork
 *              (CUDA) are GPUOPT_ERR_FORKED there, and so are their arrays, which may still be released. Two forks do
 *              not wait: one from inside a callback of the library's (a log record, the release of wrapped memory), and
 *              one beside a call that has not returned after 30 seconds. If another thread was inside then, every call
 *              in the child is GPUOPT_ERR_FORKED, releases do nothing, and the child may only start another program
 *              (exec) or end.
 *   Where      An operation runs on the device and stream of its operands. Arrays of two devices in one operation are
 *              GPUOPT_ERR_DEVICE_MISMATCH; move one with gpuopt_to_device.
 *   When       Elementwise operations, casts, reductions and scans are recorded and run when something looks: a read on
 *              the host, an export, gpuopt_eval, or an operation that cannot be recorded. Errors of dtype, shape and
 *              axis come from the call that makes them; a failure while running comes from the call that looked, and
 *              names the recorded operation. An operation on an array that is still recorded by another thread looks at
 *              it, too: that thread's operations run first, and if there is no memory for them, the call fails and can
 *              be repeated. GPUOPT_EAGER=1 runs each at once. The bits are the same. An elementwise operation on a
 *              few thousand elements at most, all of them computed and in memory that the host may read, need not be
 *              recorded: it has then run when the call returns.
 *   Shapes     int64_t, up to GPUOPT_MAX_NDIM dimensions; strides are in bytes and may be negative or zero. Negative
 *              axes count from the end. Operands broadcast as NumPy's do.
 *   dtypes     Promotion is the array API's and NEP 50's: gpuopt_result_type. Weak scalars take the dtype of the
 *              arrays.
 *   Options    Structs begin with struct_size (set it to sizeof; GPUOPT_*_INIT does). 0 everywhere is the default. A
 *              struct larger than the library knows is accepted if the tail it does not know is zero, else
 *              GPUOPT_ERR_UNSUPPORTED. */
#ifndef GPUOPT_H
#define GPUOPT_H

#include "types.h"

#if defined(_WIN32)
#if defined(GPUOPT_BUILDING)
#define GPUOPT_API __declspec(dllexport)
#else
#define GPUOPT_API __declspec(dllimport)
#endif
#else
#define GPUOPT_API __attribute__((visibility("default")))
#endif
#if defined(__cplusplus) && __cplusplus >= 201703L
#define GPUOPT_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define GPUOPT_NODISCARD __attribute__((warn_unused_result))
#else
#define GPUOPT_NODISCARD
#endif
/* How every fallible call is declared. */
#define GPUOPT_CALL GPUOPT_NODISCARD GPUOPT_API gpuopt_status

#ifdef __cplusplus
extern "C" {
#endif

#define GPUOPT_VERSION_MAJOR 1
#define GPUOPT_VERSION_MINOR 0
#define GPUOPT_VERSION_PATCH 0

typedef struct gpuopt_device_s *gpuopt_device;
typedef struct gpuopt_stream_s *gpuopt_stream;
typedef struct gpuopt_event_s *gpuopt_event;
typedef struct gpuopt_array_s *gpuopt_array;
typedef struct gpuopt_npz_s *gpuopt_npz;
typedef struct gpuopt_random_state_s *gpuopt_random_state;
typedef struct gpuopt_generator_s *gpuopt_generator;

/* ---- Library ----------------------------------------------------------------------------------------------------- */

/* The version of the loaded library: major * 1000000 + minor * 1000 + patch. */
GPUOPT_API uint32_t gpuopt_version(void);
/* "GPUOPT_ERR_SHAPE" and the sentence of status.def; "unknown status" for other numbers. Static strings. */
GPUOPT_API const char *gpuopt_status_name(gpuopt_status status);
GPUOPT_API const char *gpuopt_status_message(gpuopt_status status);
/* "DRIVER_MISSING", the sentence, and what a person does about it. Static strings. */
GPUOPT_API const char *gpuopt_reason_name(gpuopt_reason reason);
GPUOPT_API const char *gpuopt_reason_message(gpuopt_reason reason);
GPUOPT_API const char *gpuopt_reason_hint(gpuopt_reason reason);
/* "add", "sum", "cumulative_sum"; NULL outside the tables. Static strings. */
GPUOPT_API const char *gpuopt_op_name(gpuopt_op op);
GPUOPT_API const char *gpuopt_reduction_name(gpuopt_reduction reduction);
GPUOPT_API const char *gpuopt_scan_name(gpuopt_scan scan);
/* Frees a string a call gave out (discovery report, gpuopt_array_to_string). NULL is allowed. */
GPUOPT_API void gpuopt_string_free(char *string);

/* ---- Log --------------------------------------------------------------------------------------------------------- */

/* One event. Strings are valid during the callback only; those that do not apply are "". */
typedef struct gpuopt_log_record {
  uint32_t struct_size;
  int32_t level;  /* 1 error, 2 warn, 3 info, 4 debug */
  int32_t reason; /* gpuopt_reason */
  int32_t reserved;
  const char *event;     /* stable dotted id: "backend.fallback" */
  const char *requested; /* as asked for */
  const char *used;      /* what was taken instead */
  const char *plugin;    /* path of the plugin file */
  const char *detail;
  const char *hint;
  const char *line; /* the whole line as it would go to stderr */
} gpuopt_log_record;
typedef void (*gpuopt_log_callback)(const gpuopt_log_record *record, void *user);
/* Replaces stderr as the place log records go; NULL restores it. Called from any thread, and from several at once; it
 * must not call into gpuopt, but for this function and gpuopt_cancel_compilations. When it returns, the callback that
 * was set before is not running and will not be called again; called by a callback it does not wait for those that run
 * on other threads. The level is GPUOPT_LOG = off | error | warn (default) | info | debug, read at each record. A
 * warning about a backend comes once per event, backend and reason in a process. */
GPUOPT_API void gpuopt_log_set_callback(gpuopt_log_callback callback, void *user);

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

typedef struct gpuopt_device_options {
  uint32_t struct_size, flags;
  const void *next;
  const char *const *plugin_path; /* absolute plugin files or directories, searched first; NULL if plugin_path_count is
                                   * 0 */
  int32_t plugin_path_count;
  int32_t reserved;
} gpuopt_device_options;
#define GPUOPT_DEVICE_OPTIONS_INIT {sizeof(gpuopt_device_options), 0, NULL, NULL, 0, 0}

/* Opens a device: the library's array_module. `request` is
 *   NULL         the environment's GPUOPT_BACKEND, then ARRAY_MODULE, read at this call; unset means "cpu"
 *   "cuda"       PREFER: this backend; any failure gives the CPU and one warning per process and reason
 *   "cuda,cpu"   the first that works, with a warning for each that did not
 *   "cuda:1"     device number 1 of the backend
 *   "cuda!"      REQUIRE: this backend, or GPUOPT_ERR_UNAVAILABLE with the reason; also "cuda:1!"
 *   "auto"       the best that works; quiet if there simply is no such hardware
 * In a list, "!" marks the last choice: nothing after it is tried, and the CPU is not either. GPUOPT_DISABLE lists
 * backends to leave out. "numpy" and "cupy" are names for "cpu" and "cuda"; any other name is one if a plugin file of
 * that name exists. An unknown name, or a variable set to the empty string, is GPUOPT_ERR_INVALID_ARGUMENT, and the
 * message lists the valid names. The same backend and number give the same device for the life of the process. An
 * operation that the backend lacks is done by the CPU backend, with copies there and back, the same bits and one
 * warning per operation; on a device that anybody in the process has opened with "!" it is GPUOPT_ERR_UNSUPPORTED
 * instead. A device that fails is lost until the process ends: every operation on its arrays is GPUOPT_ERR_DEVICE_LOST,
 * releasing them works, and opening it again gives the CPU, or an error. Plugins are looked for in:
 * options->plugin_path; GPUOPT_PLUGIN_PATH; <directory of libgpuopt>/gpuopt/1; the directory compiled in; the directory
 * of libgpuopt. Never in the working directory. What the first two and the compiled-in one name is loaded only if
 * nobody but root and this user could have changed it (UNTRUSTED_PATH). A plugin is never unloaded; one that does not
 * answer for GPUOPT_OPEN_TIMEOUT seconds is given up. */
GPUOPT_CALL gpuopt_device_open(const char *request, const gpuopt_device_options *options, gpuopt_device *device,
                               gpuopt_error *error);
GPUOPT_API gpuopt_device gpuopt_device_retain(gpuopt_device device);
GPUOPT_API void gpuopt_device_release(gpuopt_device device);
/* "cpu:0", and "cpu". Live as long as the device. */
GPUOPT_API const char *gpuopt_device_name(gpuopt_device device);
GPUOPT_API const char *gpuopt_device_backend(gpuopt_device device);
/* Whether opening fell back, and why: GPUOPT_REASON_NONE if this is what `request` asked for first, or if it is "auto"
 * and better hardware is simply not there. */
GPUOPT_CALL gpuopt_device_open_report(const char *request, const gpuopt_device_options *options, gpuopt_device *device,
                                      gpuopt_reason *reason, gpuopt_error *error);

typedef struct gpuopt_device_info {
  uint32_t struct_size;
  int32_t index;
  char name[128];   /* the processor's own name */
  char detail[128]; /* instruction set, compute capability, libraries */
  char plugin[512]; /* path of the plugin file, cut short if longer */
  char plugin_version[32];
  uint64_t memory_bytes;
  int32_t processors;
  int32_t host_memory; /* 1: gpuopt_array_data may be read and written by the host */
} gpuopt_device_info;
GPUOPT_CALL gpuopt_device_get_info(gpuopt_device device, gpuopt_device_info *info, gpuopt_error *error);
/* Runs what is recorded on the device and waits until all its streams are idle. */
GPUOPT_CALL gpuopt_device_synchronize(gpuopt_device device, gpuopt_error *error);

/* Memory pool. A limit of 0 bytes means none. Trim gives cached blocks back ("free all blocks"). Results of operations
 * that were not recorded (see "When" above), of at most 4096 bytes each, are not taken from the pool. */
GPUOPT_CALL gpuopt_memory_get_stats(gpuopt_device device, gpuopt_memory_stats *stats, gpuopt_error *error);
GPUOPT_CALL gpuopt_memory_set_limit(gpuopt_device device, uint64_t bytes, gpuopt_error *error);
GPUOPT_CALL gpuopt_memory_trim(gpuopt_device device, gpuopt_error *error);

/* What was tried for each backend, where, and why it did or did not work: every backend on the search list is tried.
 * `format`: 0 text for people, 1 JSON. Free *report with gpuopt_string_free. */
GPUOPT_CALL gpuopt_discovery_report(const gpuopt_device_options *options, int32_t format, char **report,
                                    gpuopt_error *error);

/* Counters of the recorder since the device was opened. Operations on a few elements that run without being recorded
 * (see "When" above) count nowhere. */
typedef struct gpuopt_engine_stats {
  uint32_t struct_size, reserved;
  uint64_t operations; /* operations recorded */
  uint64_t programs;   /* programs submitted to the backend */
  uint64_t steps;      /* steps in those programs */
  uint64_t pending;    /* operations recorded and not yet run */
} gpuopt_engine_stats;
GPUOPT_CALL gpuopt_engine_get_stats(gpuopt_device device, gpuopt_engine_stats *stats, gpuopt_error *error);

/* ---- Streams and events ------------------------------------------------------------------------------------------ */

/* An ordered queue of a device. A new array is bound to its device's default stream; results take the stream of their
 * first array operand; where operands are on two streams of one device, the library orders them with an event. */
GPUOPT_CALL gpuopt_stream_create(gpuopt_device device, gpuopt_stream *stream, gpuopt_error *error);
GPUOPT_API gpuopt_stream gpuopt_stream_retain(gpuopt_stream stream);
GPUOPT_API void gpuopt_stream_release(gpuopt_stream stream);
/* The device's default stream. */
GPUOPT_CALL gpuopt_stream_default(gpuopt_device device, gpuopt_stream *stream, gpuopt_error *error);
GPUOPT_CALL gpuopt_stream_synchronize(gpuopt_stream stream, gpuopt_error *error);
/* Later work of `stream` waits for `event`. */
GPUOPT_CALL gpuopt_stream_wait(gpuopt_stream stream, gpuopt_event event, gpuopt_error *error);
/* A marker after all work submitted to `stream` so far (what is recorded on it is submitted first). */
GPUOPT_CALL gpuopt_event_record(gpuopt_stream stream, gpuopt_event *event, gpuopt_error *error);
GPUOPT_CALL gpuopt_event_synchronize(gpuopt_event event, gpuopt_error *error);
/* Milliseconds between two events of one device, both complete. */
GPUOPT_CALL gpuopt_event_elapsed(gpuopt_event start, gpuopt_event end, double *milliseconds, gpuopt_error *error);
GPUOPT_API void gpuopt_event_release(gpuopt_event event);
/* The same array bound to another stream of its device: work on the result goes there. */
GPUOPT_CALL gpuopt_array_on_stream(gpuopt_array x, gpuopt_stream stream, gpuopt_array *result, gpuopt_error *error);

/* ---- dtypes and scalars ------------------------------------------------------------------------------------------ */

/* "float64"; NULL for other numbers. 8. '?', 'i', 'u', 'f' or 'c'; 0 for other numbers. */
GPUOPT_API const char *gpuopt_dtype_name(gpuopt_dtype dtype);
GPUOPT_API size_t gpuopt_dtype_size(gpuopt_dtype dtype);
GPUOPT_API char gpuopt_dtype_kind(gpuopt_dtype dtype);
/* By name ("float32", also "f4", "<f4", "bool_"); GPUOPT_ERR_INVALID_ARGUMENT lists the names. */
GPUOPT_CALL gpuopt_dtype_from_name(const char *name, gpuopt_dtype *dtype, gpuopt_error *error);
/* The dtype two dtypes promote to: array API 2025.12 within a kind, NEP 50 across kinds (int64 with uint64, and
 * integers of 32 bits and more with a narrow float, give float64; float16 with bfloat16 float32). Symmetric and
 * total. */
GPUOPT_CALL gpuopt_promote_types(gpuopt_dtype a, gpuopt_dtype b, gpuopt_dtype *result, gpuopt_error *error);
/* The dtype the arrays promote to together, weak scalars counted as NEP 50 says. */
GPUOPT_CALL gpuopt_result_type(int32_t count, const gpuopt_array *arrays, gpuopt_dtype *result, gpuopt_error *error);
/* Whether a cast is allowed: 0 safe (no value is lost), 1 same kind (as safe, or within a kind: NumPy's same_kind). */
GPUOPT_CALL gpuopt_can_cast(gpuopt_dtype from, gpuopt_dtype to, int32_t rule, int32_t *allowed, gpuopt_error *error);

/* Scalars by value, for the calls below. */
static inline gpuopt_scalar gpuopt_scalar_bool(int value) {
  gpuopt_scalar s = {'?', 0, {0}, 0.0};
  s.value.i = value != 0;
  return s;
}
static inline gpuopt_scalar gpuopt_scalar_int(int64_t value) {
  gpuopt_scalar s = {'i', 0, {0}, 0.0};
  s.value.i = value;
  return s;
}
static inline gpuopt_scalar gpuopt_scalar_uint(uint64_t value) {
  gpuopt_scalar s = {'u', 0, {0}, 0.0};
  s.value.u = value;
  return s;
}
static inline gpuopt_scalar gpuopt_scalar_real(double value) {
  gpuopt_scalar s = {'f', 0, {0}, 0.0};
  s.value.f = value;
  return s;
}
static inline gpuopt_scalar gpuopt_scalar_complex(double re, double im) {
  gpuopt_scalar s = {'c', 0, {0}, 0.0};
  s.value.f = re;
  s.imag = im;
  return s;
}
/* A weak scalar as an operand: a 0-d array of no device, which goes with arrays of any (Python's numbers under NEP 50).
 * With weak scalars alone, an operation fails with GPUOPT_ERR_INVALID_ARGUMENT: there is no device to run on. */
GPUOPT_CALL gpuopt_weak(gpuopt_scalar value, gpuopt_array *result, gpuopt_error *error);

/* ---- Creating arrays --------------------------------------------------------------------------------------------- */

/* C-contiguous arrays on the default stream of `device`. dtype 0 means float64 (arange, full: int64 if all numbers are
 * integers, as NumPy). A negative size or more than GPUOPT_MAX_NDIM dimensions is GPUOPT_ERR_SHAPE; a size whose bytes
 * overflow is GPUOPT_ERR_OUT_OF_MEMORY. */
GPUOPT_CALL gpuopt_empty(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                         gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_zeros(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                         gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_ones(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                        gpuopt_array *result, gpuopt_error *error);
/* GPUOPT_ERR_OVERFLOW if an integer value does not fit the dtype. */
GPUOPT_CALL gpuopt_full(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                        gpuopt_scalar value, gpuopt_array *result, gpuopt_error *error);
/* start, start+step, ... below stop (above it for a negative step): ceil((stop-start)/step) values start + i*step. */
GPUOPT_CALL gpuopt_arange(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                          gpuopt_scalar step, gpuopt_array *result, gpuopt_error *error);
/* `num` evenly spaced values from start to stop, the last being stop itself if `endpoint`. */
GPUOPT_CALL gpuopt_linspace(gpuopt_device device, gpuopt_dtype dtype, double start, double stop, int64_t num,
                            int32_t endpoint, gpuopt_array *result, gpuopt_error *error);
/* Ones on the k-th diagonal. columns < 0 means rows. */
GPUOPT_CALL gpuopt_eye(gpuopt_device device, gpuopt_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                       gpuopt_array *result, gpuopt_error *error);
/* Ones at and below the k-th diagonal, zeros above. */
GPUOPT_CALL gpuopt_tri(gpuopt_device device, gpuopt_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                       gpuopt_array *result, gpuopt_error *error);
/* x with zeros above (tril) or below (triu) the k-th diagonal of the last two axes. */
GPUOPT_CALL gpuopt_tril(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_triu(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error);
/* The shape, device and stream of x; dtype 0 means that of x. */
GPUOPT_CALL gpuopt_empty_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_zeros_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_ones_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_full_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_scalar value, gpuopt_array *result,
                             gpuopt_error *error);

/* Whether a call may copy: never is GPUOPT_ERR_INVALID_ARGUMENT where a copy is needed. */
typedef int32_t gpuopt_copy;
enum { GPUOPT_COPY_IF_NEEDED = 0, GPUOPT_COPY_ALWAYS = 1, GPUOPT_COPY_NEVER = 2 };

/* An array over host memory. `strides` NULL means C order. Without a copy (possible where the device uses host memory)
 * the array reads and writes `data` itself, which must stay valid until `release(context)` is called, from any thread,
 * once, when the last reference is gone (also at once after a copy, and if the call fails nothing is called). `release`
 * may be NULL; then GPUOPT_COPY_IF_NEEDED copies. Work on such memory is submitted before the call that records it
 * returns. */
GPUOPT_CALL gpuopt_from_host(gpuopt_device device, void *data, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                             const int64_t *strides, gpuopt_copy copy, void (*release)(void *context), void *context,
                             gpuopt_array *result, gpuopt_error *error);
/* As gpuopt_from_host for const data: GPUOPT_COPY_ALWAYS. */
GPUOPT_CALL gpuopt_array_from(gpuopt_device device, const void *data, gpuopt_dtype dtype, int32_t ndim,
                              const int64_t *shape, gpuopt_array *result, gpuopt_error *error);

/* ---- Looking at arrays ------------------------------------------------------------------------------------------- */

GPUOPT_API gpuopt_array gpuopt_array_retain(gpuopt_array x);
GPUOPT_API void gpuopt_array_release(gpuopt_array x);
/* Facts, never running anything; 0 or NULL where x is NULL. shape and strides (bytes) point to ndim numbers that live
 * as long as x. */
GPUOPT_API gpuopt_dtype gpuopt_array_dtype(gpuopt_array x);
GPUOPT_API int32_t gpuopt_array_ndim(gpuopt_array x);
GPUOPT_API const int64_t *gpuopt_array_shape(gpuopt_array x);
GPUOPT_API const int64_t *gpuopt_array_strides(gpuopt_array x);
GPUOPT_API int64_t gpuopt_array_size(gpuopt_array x);
GPUOPT_API int64_t gpuopt_array_nbytes(gpuopt_array x);
GPUOPT_API int32_t gpuopt_array_is_contiguous(gpuopt_array x); /* C order */
GPUOPT_API int32_t gpuopt_array_is_read_only(gpuopt_array x);
GPUOPT_API int32_t gpuopt_array_is_weak(gpuopt_array x);
/* get_array_module: the device, not retained; NULL for a weak scalar. */
GPUOPT_API gpuopt_device gpuopt_array_device(gpuopt_array x);
/* The address of element [0,...,0] in device memory, after running what x waits for. The memory is x's: it stays valid
 * and is kept from being written to by anyone else only while x lives; call again after further operations on x. */
GPUOPT_CALL gpuopt_array_data(gpuopt_array x, void **data, gpuopt_error *error);
/* One element. `index` has ndim numbers, negative ones from the end; GPUOPT_ERR_INDEX out of range. Waits. */
GPUOPT_CALL gpuopt_array_item(gpuopt_array x, const int64_t *index, gpuopt_scalar *value, gpuopt_error *error);
/* Writes one element. The value must fit the dtype (GPUOPT_ERR_OVERFLOW, GPUOPT_ERR_TYPE for complex into real). */
GPUOPT_CALL gpuopt_array_set_item(gpuopt_array x, const int64_t *index, gpuopt_scalar value, gpuopt_error *error);
/* asnumpy: all elements in C order into `bytes` bytes at `host` (exactly nbytes, else GPUOPT_ERR_INVALID_ARGUMENT).
 * Waits. */
GPUOPT_CALL gpuopt_to_host(gpuopt_array x, void *host, size_t bytes, gpuopt_error *error);
/* Runs what the arrays wait for, together. Does not wait for the device. */
GPUOPT_CALL gpuopt_eval(int32_t count, const gpuopt_array *arrays, gpuopt_error *error);

/* As NumPy prints. 0 in a field means NumPy's default (precision 8, threshold 1000, edgeitems 3, linewidth 75). */
typedef struct gpuopt_print_options {
  uint32_t struct_size;
  int32_t precision, threshold, edgeitems, linewidth;
  int32_t repr; /* 0: as str(), 1: as repr() with "array(", 2: repr with the device's name */
} gpuopt_print_options;
/* Free *string with gpuopt_string_free. */
GPUOPT_CALL gpuopt_array_to_string(gpuopt_array x, const gpuopt_print_options *options, char **string,
                                   gpuopt_error *error);

/* ---- Views: no data is copied; the result shares storage with x -------------------------------------------------- */

enum {
  GPUOPT_INDEX_INTEGER = 0,
  GPUOPT_INDEX_SLICE = 1,
  GPUOPT_INDEX_NEWAXIS = 2,
  GPUOPT_INDEX_ELLIPSIS = 3,
  GPUOPT_INDEX_ARRAY = 4 /* of gpuopt_get() and gpuopt_set() alone */
};
/* One item of a basic index: x[start], x[start:stop:step], x[None], x[...]. GPUOPT_SLICE_ALL leaves a bound of a slice
 * out. */
typedef struct gpuopt_index {
  int32_t kind;
  int32_t reserved;
  int64_t start, stop, step;
} gpuopt_index;
#define GPUOPT_SLICE_ALL INT64_MIN
GPUOPT_CALL gpuopt_slice(gpuopt_array x, int32_t count, const gpuopt_index *items, gpuopt_array *result,
                         gpuopt_error *error);
/* axes NULL reverses them (x.T). */
GPUOPT_CALL gpuopt_permute_dims(gpuopt_array x, const int64_t *axes, gpuopt_array *result, gpuopt_error *error);
/* x.mT: the last two axes swapped. */
GPUOPT_CALL gpuopt_matrix_transpose(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* One size may be -1. A view where strides allow, else a copy if `copy` lets it. C order. */
GPUOPT_CALL gpuopt_reshape(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_copy copy, gpuopt_array *result,
                           gpuopt_error *error);
/* The broadcast axes have stride 0; the result is read-only. */
GPUOPT_CALL gpuopt_broadcast_to(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                gpuopt_error *error);
GPUOPT_CALL gpuopt_expand_dims(gpuopt_array x, int64_t axis, gpuopt_array *result, gpuopt_error *error);
/* The same for several axes, each a place in the result, which has ndim + count of them. An axis named twice is
 * GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_expand_dims_n(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                                 gpuopt_error *error);
/* Drops the named axes of size 1 (count 0: all of them). */
GPUOPT_CALL gpuopt_squeeze(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                           gpuopt_error *error);
/* Reverses the named axes (count 0: all). */
GPUOPT_CALL gpuopt_flip(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result, gpuopt_error *error);
/* numpy.moveaxis: axis source[i] of x becomes axis destination[i] of the result; the others keep their order. An axis
 * named twice in one list is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_moveaxis(gpuopt_array x, int32_t count, const int64_t *source, const int64_t *destination,
                            gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_swapaxes(gpuopt_array x, int64_t axis1, int64_t axis2, gpuopt_array *result, gpuopt_error *error);
/* Turned by k times 90 degrees in the plane of two axes, from the first towards the second; axes NULL: 0 and 1. Fewer
 * than 2 dimensions are GPUOPT_ERR_SHAPE, one axis twice GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_rot90(gpuopt_array x, int64_t k, const int64_t *axes, gpuopt_array *result, gpuopt_error *error);
/* The diagonal of two axes, `offset` above the main one (negative: below), as the last axis of the result. Read-only,
 * as NumPy's. Fewer than 2 dimensions are GPUOPT_ERR_SHAPE, one axis twice GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_diagonal(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2, gpuopt_array *result,
                            gpuopt_error *error);
/* One dimension, in C order: a view of a C-contiguous x, else a copy. */
GPUOPT_CALL gpuopt_ravel(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* At least `ndim` (1, 2 or 3) dimensions: numpy.atleast_1d, atleast_2d, atleast_3d. Of n numbers these are (n,), (1, n)
 * and (1, n, 1); of a matrix the last is (m, n, 1). Any other `ndim` is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_atleast_nd(gpuopt_array x, int32_t ndim, gpuopt_array *result, gpuopt_error *error);

/* The next five write several arrays to `results`, in order: all of them or, where the call fails, NULL to all. */

/* shape[axis] views of x, each without the axis (array API unstack). `count` is that number; another one is
 * GPUOPT_ERR_INVALID_ARGUMENT. A 0-d x is GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_unstack(gpuopt_array x, int64_t axis, int32_t count, gpuopt_array *results, gpuopt_error *error);
/* `sections` views of one size along the axis: numpy.split. GPUOPT_ERR_INVALID_ARGUMENT unless they come out even. */
GPUOPT_CALL gpuopt_split(gpuopt_array x, int32_t sections, int64_t axis, gpuopt_array *results, gpuopt_error *error);
/* The same where they need not come out even: the first ones have one element more (numpy.array_split). */
GPUOPT_CALL gpuopt_array_split(gpuopt_array x, int32_t sections, int64_t axis, gpuopt_array *results,
                               gpuopt_error *error);
/* count + 1 views: before, between and behind `count` positions, which are clipped to the axis as Python's slices clip
 * them: numpy.split with a list. */
GPUOPT_CALL gpuopt_split_at(gpuopt_array x, int32_t count, const int64_t *positions, int64_t axis,
                            gpuopt_array *results, gpuopt_error *error);
/* Read-only views of `count` arrays, broadcast to their common shape. */
GPUOPT_CALL gpuopt_broadcast_arrays(int32_t count, const gpuopt_array *arrays, gpuopt_array *results,
                                    gpuopt_error *error);
/* The shape operands broadcast to; *ndim and `shape` (GPUOPT_MAX_NDIM numbers) are written. */
GPUOPT_CALL gpuopt_broadcast_shapes(int32_t count, const int32_t *ndims, const int64_t *const *shapes, int32_t *ndim,
                                    int64_t *shape, gpuopt_error *error);

/* ---- Copies and conversions -------------------------------------------------------------------------------------- */

/* A fresh C-contiguous copy. */
GPUOPT_CALL gpuopt_copy_array(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* Converted to dtype; x itself (another reference) if it has that dtype and `copy` allows. Any cast is allowed: float
 * to integer truncates, saturates, NaN gives 0; integers wrap; complex to real drops the imaginary part. */
GPUOPT_CALL gpuopt_astype(gpuopt_array x, gpuopt_dtype dtype, gpuopt_copy copy, gpuopt_array *result,
                          gpuopt_error *error);
/* asarray on another device: x itself if it is there already and `copy` allows. */
GPUOPT_CALL gpuopt_to_device(gpuopt_array x, gpuopt_device device, gpuopt_copy copy, gpuopt_array *result,
                             gpuopt_error *error);

/* ---- Joining and rearranging: new arrays, recorded unless it says otherwise -------------------------------------- */

enum {
  GPUOPT_PAD_CONSTANT = 0,  /* a number */
  GPUOPT_PAD_EDGE = 1,      /* the outermost element */
  GPUOPT_PAD_REFLECT = 2,   /* mirrored at the outermost element: 3 2 | 1 2 3 | 2 1 */
  GPUOPT_PAD_SYMMETRIC = 3, /* mirrored behind it: 2 1 | 1 2 3 | 3 2 */
  GPUOPT_PAD_WRAP = 4       /* from the other end: 2 3 | 1 2 3 | 1 2 */
};
typedef int32_t gpuopt_pad_mode;

/* Arrays one behind the other along an axis (numpy.concatenate, array API concat), in the dtype they promote to; *axis
 * may be negative, and NULL flattens them first. The other sizes must be equal (GPUOPT_ERR_SHAPE), as must be the
 * numbers of dimensions, of which there must be one at least unless they are flattened. No array at all is
 * GPUOPT_ERR_INVALID_ARGUMENT. An array that is still recorded, and has the dtype of the result, is computed in its
 * place there; who reads it later gets a copy from there. */
GPUOPT_CALL gpuopt_concat(int32_t count, const gpuopt_array *arrays, const int64_t *axis, gpuopt_array *result,
                          gpuopt_error *error);
/* Arrays of one shape along a new axis, which is a place in the result. */
GPUOPT_CALL gpuopt_stack(int32_t count, const gpuopt_array *arrays, int64_t axis, gpuopt_array *result,
                         gpuopt_error *error);
/* x and the values behind it: the concat of the two, where a weak scalar and axis NULL are allowed. */
GPUOPT_CALL gpuopt_append(gpuopt_array x, gpuopt_array values, const int64_t *axis, gpuopt_array *result,
                          gpuopt_error *error);
/* x without some indices along an axis; NULL flattens x first. The indices are integers, also negative and also several
 * times, of any shape; out of range is GPUOPT_ERR_INDEX. Or they are a mask, of shape (size of the axis,), of what is
 * left out (another shape is GPUOPT_ERR_SHAPE). Reads the indices. numpy.delete. */
GPUOPT_CALL gpuopt_delete(gpuopt_array x, gpuopt_array indices, const int64_t *axis, gpuopt_array *result,
                          gpuopt_error *error);
/* x with values before some indices along an axis; NULL flattens x first. Indices, which count in x, are integers or a
 * mask, of at most one dimension (GPUOPT_ERR_SHAPE). Values are cast to x's dtype. For several indices they broadcast
 * to what is inserted, one slice for each; for one index all of them go there, and if the index has no dimension, their
 * first axis lies along the axis. Reads the indices. numpy.insert. */
GPUOPT_CALL gpuopt_insert(gpuopt_array x, gpuopt_array indices, gpuopt_array values, const int64_t *axis,
                          gpuopt_array *result, gpuopt_error *error);
/* Elements moved along axes, those that fall out coming in at the other end. Several shifts of one axis add up. axes
 * NULL: along the flattened x, in whose shape the result is. numpy.roll. */
GPUOPT_CALL gpuopt_roll(gpuopt_array x, int32_t count, const int64_t *shifts, const int64_t *axes,
                        gpuopt_array *result, gpuopt_error *error);
/* Each element `count` times along an axis; NULL flattens x first. A negative count is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_repeat(gpuopt_array x, int64_t count, const int64_t *axis, gpuopt_array *result,
                          gpuopt_error *error);
/* Element i counts[i] times. Counts are integers (not uint64, as for NumPy) or bool, one for each element of the axis,
 * else GPUOPT_ERR_SHAPE; a single one is for all of them. Reads the counts. */
GPUOPT_CALL gpuopt_repeat_each(gpuopt_array x, gpuopt_array counts, const int64_t *axis, gpuopt_array *result,
                               gpuopt_error *error);
/* x reps[i] times along axis i. Of x and the list the shorter one is filled up with ones in front. numpy.tile. */
GPUOPT_CALL gpuopt_tile(gpuopt_array x, int32_t count, const int64_t *reps, gpuopt_array *result, gpuopt_error *error);
/* x with widths[2*i] elements before and widths[2*i + 1] behind axis i; a negative number is
 * GPUOPT_ERR_INVALID_ARGUMENT, as is another mode than constant for an axis of size 0 that is padded. `value` is for
 * the constant mode alone, and cast to x's dtype as gpuopt_assign casts. numpy.pad. */
GPUOPT_CALL gpuopt_pad(gpuopt_array x, const int64_t *widths, gpuopt_pad_mode mode, gpuopt_scalar value,
                       gpuopt_array *result, gpuopt_error *error);
/* `count` arrays, as coordinates along one axis each, over the whole grid: to `results`, all of them or NULL to all.
 * `ij` not 0: array i varies along axis i; else the first two axes are swapped (numpy.meshgrid's "xy"). Arrays of more
 * than one dimension are flattened, as NumPy does. */
GPUOPT_CALL gpuopt_meshgrid(int32_t count, const gpuopt_array *arrays, int32_t ij, gpuopt_array *results,
                            gpuopt_error *error);
/* Of one dimension: a new matrix with x on its k-th diagonal and zeros elsewhere. Of two: the k-th diagonal, as
 * gpuopt_diagonal gives it. Any other number is GPUOPT_ERR_SHAPE. numpy.diag. */
GPUOPT_CALL gpuopt_diag(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error);

/* ---- Writing and selecting --------------------------------------------------------------------------------------- */

/* x[...] = value, broadcast and cast to x's dtype as gpuopt_astype casts. x must not be read-only. */
GPUOPT_CALL gpuopt_assign(gpuopt_array x, gpuopt_array value, gpuopt_error *error);
GPUOPT_CALL gpuopt_fill(gpuopt_array x, gpuopt_scalar value, gpuopt_error *error);
/* x[mask]: mask is bool and its shape a prefix of x's. A fresh array of shape (count,) + the rest. Runs (the count is
 * needed). */
GPUOPT_CALL gpuopt_mask_select(gpuopt_array x, gpuopt_array mask, gpuopt_array *result, gpuopt_error *error);
/* x[mask] = value: a 0-d or weak value goes everywhere the mask is true (recorded), else value has the shape of x[mask]
 * or broadcasts to it. */
GPUOPT_CALL gpuopt_mask_assign(gpuopt_array x, gpuopt_array mask, gpuopt_array value, gpuopt_error *error);
/* take: x along `axis` at int indices of any shape; negative ones count from the end; out of range is GPUOPT_ERR_INDEX.
 * Runs. */
GPUOPT_CALL gpuopt_take(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array *result, gpuopt_error *error);
/* x[..., indices, ...] = values along `axis`; of duplicate indices the last wins. */
GPUOPT_CALL gpuopt_put(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array values, gpuopt_error *error);
/* x[items] with any mixture of what NumPy takes: an item of kind GPUOPT_INDEX_ARRAY stands for the next of `arrays`, of
 * integers or bool, on x's device. Integer arrays broadcast together, integers beside them count as arrays, a mask
 * counts as the indices of its true elements (a mask of no dimension as a new axis of size 1 or 0). The axes of the
 * indices stand where the arrays do, or in front of all if another item stands between these. With an array the result
 * is a fresh one, and the call runs; without, it is the view of gpuopt_slice(). GPUOPT_ERR_INDEX for an index out of
 * range, too many items, a mask of other sizes, or arrays that do not broadcast; GPUOPT_ERR_TYPE for an array of
 * another dtype. */
GPUOPT_CALL gpuopt_get(gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                       const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
/* x[items] = value, which is broadcast to x[items] and cast as by gpuopt_assign(); of indices that are equal the last
 * wins. Errors as of gpuopt_get(), upon which x is as before, and GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_set(gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                       const gpuopt_array *arrays, gpuopt_array value, gpuopt_error *error);
/* The indices of nonzero elements in C order, int64 of shape (count, ndim). Runs. */
GPUOPT_CALL gpuopt_argwhere(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The same as an array of int64 for each axis, written to results[0] to results[ndim - 1]; x without dimensions is
 * GPUOPT_ERR_INVALID_ARGUMENT. On failure NULL goes to all. numpy.nonzero. */
GPUOPT_CALL gpuopt_nonzero(gpuopt_array x, gpuopt_array *results, gpuopt_error *error);

/* ---- Elementwise operations -------------------------------------------------------------------------------------- */

/* One call per row of ops.def, generated with its documentation: gpuopt_add(x1, x2, &result, &error), and the in-place
 * form gpuopt_add_into(x1, x2, out, &error), which writes to an array that the result broadcasts to (GPUOPT_ERR_SHAPE)
 * and whose dtype it may be cast to within its kind (NumPy's same_kind; gpuopt_apply_with knows others). Signed
 * integers and uint64 compare exactly. Declared in gpuopt_ops.h, below. */

/* Any row by number; `inputs` has as many arrays as the row says. With `out` not NULL the in-place form, and result may
 * be NULL. */
GPUOPT_CALL gpuopt_apply(gpuopt_op op, int32_t count, const gpuopt_array *inputs, gpuopt_array out,
                         gpuopt_array *result, gpuopt_error *error);
/* NaN to `nan`, infinities to `posinf` and `neginf`; NULL for these two means the dtype's extremes. Of complex numbers
 * each component by itself, which runs. numpy.nan_to_num. */
GPUOPT_CALL gpuopt_nan_to_num(gpuopt_array x, double nan, const double *posinf, const double *neginf,
                              gpuopt_array *result, gpuopt_error *error);
/* |x1 - x2| <= atol + rtol * |x2|, equal infinities are close; NaN is close to NaN if equal_nan. NumPy's defaults:
 * 1e-5, 1e-8. */
GPUOPT_CALL gpuopt_isclose(gpuopt_array x1, gpuopt_array x2, double rtol, double atol, int32_t equal_nan,
                           gpuopt_array *result, gpuopt_error *error);

/* ---- Reductions and scans ---------------------------------------------------------------------------------------- */

typedef struct gpuopt_reduce_options {
  uint32_t struct_size, flags;
  const void *next;
  const int64_t *axes; /* naxes of them, negative from the end, each once; NULL: all axes */
  int32_t naxes;
  int32_t keepdims;    /* 1: reduced axes stay, with size 1 */
  int32_t dtype;       /* of the accumulation and result; 0: the table's. sum, prod, mean, scans only */
  int32_t reserved;
  double correction;   /* var, std: the divisor is n - correction (NumPy's ddof) */
  gpuopt_array where;           /* bool, broadcasts to x: which elements count; NULL: all */
  const gpuopt_scalar *initial; /* combined with the elements, in the result's dtype; NULL: nothing */
  gpuopt_array out;             /* where the result goes, in its shape and cast to its dtype by any cast; *result is
                                 * another reference to it. NULL: a new array */
} gpuopt_reduce_options;
#if !defined(__cplusplus)
/* gpuopt_sum(x, GPUOPT_AXES(0, 2), &result, &error); the same with keepdims. */
#define GPUOPT_AXES_(keep, ...) \
  (&(gpuopt_reduce_options){.struct_size = sizeof(gpuopt_reduce_options), .axes = (const int64_t[]){__VA_ARGS__}, \
                            .naxes = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .keepdims = keep})
#define GPUOPT_AXES(...) GPUOPT_AXES_(0, __VA_ARGS__)
#define GPUOPT_AXES_KEEP(...) GPUOPT_AXES_(1, __VA_ARGS__)
#endif

#include "gpuopt_ops.h"

/* gpuopt_sum(x, options, &result, &error) and so on for each reduction row are generated in gpuopt_ops.h, as are
 * gpuopt_cumulative_sum(x, axis, dtype, include_initial, &result, &error) and its like for each scan row. `options`
 * NULL reduces all axes. `where` and `initial` are those of numpy.ufunc.reduce: max, min, nanmax and nanmin of nothing
 * are `initial`, which they need beside `where` (GPUOPT_ERR_INVALID_ARGUMENT); count_nonzero has no `initial`, argmax
 * and argmin have neither. */
GPUOPT_CALL gpuopt_reduce(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                          gpuopt_array *result, gpuopt_error *error);
/* Means and spreads: integers and bool in float64; var and std are two-pass, of complex numbers real. No elements give
 * NaN. They have no `initial`, nor have those below but for nansum and nanprod. */
GPUOPT_CALL gpuopt_mean(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                        gpuopt_error *error);
GPUOPT_CALL gpuopt_var(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_std(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
/* The same over the elements that are not NaN (none left: nansum 0, nanprod 1, the others NaN). */
GPUOPT_CALL gpuopt_nansum(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);
GPUOPT_CALL gpuopt_nanprod(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                           gpuopt_error *error);
GPUOPT_CALL gpuopt_nanmean(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                           gpuopt_error *error);
GPUOPT_CALL gpuopt_nanvar(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);
GPUOPT_CALL gpuopt_nanstd(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);
/* The position of the extreme element that is not NaN; a slice of NaN alone is GPUOPT_ERR_INVALID_ARGUMENT (NumPy's
 * ValueError). No `where`. Runs. */
GPUOPT_CALL gpuopt_nanargmin(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                             gpuopt_error *error);
GPUOPT_CALL gpuopt_nanargmax(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                             gpuopt_error *error);

/* ---- Products and norms ------------------------------------------------------------------------------------------ */

/* Array API matmul: vectors are rows or columns, leading dimensions broadcast. The terms of an element are added in
 * order by fused multiply-adds, in blocks of 512 terms (256 of complex numbers) whose sums are added in order; float16
 * and bfloat16 are computed in float32 and rounded once; integers wrap. So the bits are the same everywhere, unless
 * GPUOPT_MATMUL=fast leaves floats to a BLAS or cuBLAS. The product of two vectors is recorded, as the sum of x1 * x2,
 * with the bits of gpuopt_sum(). GPUOPT_ERR_SHAPE names both shapes. */
GPUOPT_CALL gpuopt_matmul(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
typedef struct gpuopt_product_options {
  uint32_t struct_size, flags;
  const void *next;
  gpuopt_product_mode mode;
  int32_t reserved;
} gpuopt_product_options;
/* gpuopt_matmul() with options, whatever GPUOPT_MATMUL says; NULL: GPUOPT_PRODUCT_DEFAULT. Another mode than those
 * above is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_matmul_with(gpuopt_array x1, gpuopt_array x2, const gpuopt_product_options *options,
                               gpuopt_array *result, gpuopt_error *error);
/* NumPy's dot: inner product of vectors, matmul of matrices, else the last axis of x1 with the second-to-last of x2;
 * scalars multiply. */
GPUOPT_CALL gpuopt_dot(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
/* sum(conj(x1) * x2) along `axis` of the broadcast operands; that axis has one size in both, and is not broadcast. */
GPUOPT_CALL gpuopt_vecdot(gpuopt_array x1, gpuopt_array x2, int64_t axis, gpuopt_array *result, gpuopt_error *error);
/* Sums over pairs of axes: the last `count` of x1 with the first of x2 if both lists are NULL. */
GPUOPT_CALL gpuopt_tensordot(gpuopt_array x1, gpuopt_array x2, int32_t count, const int64_t *axes1,
                             const int64_t *axes2, gpuopt_array *result, gpuopt_error *error);
/* Einstein's sums, numpy.einsum: "ij,jk->ik". A letter names an axis of an operand; axes of one letter have one size,
 * or 1, which is broadcast; twice in an operand it takes the diagonal. "..." stands for the axes that have no letter,
 * which are broadcast. Without "->" the result has the ellipsis and each letter that occurs once, in alphabetical
 * order. The operands are promoted to one dtype, and contracted from left to right: an axis that only one operand has,
 * and the result has not, is summed first; products that are summed are those of gpuopt_matmul(), unless they have no
 * free axes but common ones, where they are recorded products and sums, as of gpuopt_vecdot(). float16 and bfloat16 are
 * summed in float32, integers wrap, bool is or of ands. The result shares no memory with an operand. Bad subscripts are
 * GPUOPT_ERR_INVALID_ARGUMENT, sizes that do not fit GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_einsum(const char *subscripts, int32_t count, const gpuopt_array *arrays, gpuopt_array *result,
                          gpuopt_error *error);
/* x1[:, None] * x2[None, :] of the flattened operands. */
GPUOPT_CALL gpuopt_outer(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
/* The cross product of vectors of 3 elements (else GPUOPT_ERR_SHAPE) along an axis of each; the other axes broadcast,
 * and the result has its vectors along the same axis. The array API's cross. */
GPUOPT_CALL gpuopt_cross(gpuopt_array x1, gpuopt_array x2, int64_t axis, gpuopt_array *result, gpuopt_error *error);
/* The Kronecker product: x2 times each element of x1, in its place. numpy.kron. */
GPUOPT_CALL gpuopt_kron(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
/* The sum of a diagonal, as of gpuopt_diagonal(), in the dtype of gpuopt_sum's result (0) or another one. */
GPUOPT_CALL gpuopt_trace(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2, gpuopt_dtype dtype,
                         gpuopt_array *result, gpuopt_error *error);
/* (sum |x|^ord)^(1/ord) over `options`' axes, of which keepdims and out are taken, too; ord INFINITY, -INFINITY, 0 and
 * any other real as numpy.linalg.vector_norm. The greatest magnitude of no elements is 0, the least an error. */
GPUOPT_CALL gpuopt_vector_norm(gpuopt_array x, double ord, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error);
/* Norms of the matrices in the last two axes: GPUOPT_NORM_FROBENIUS; 1, -1, INFINITY, -INFINITY, the greatest or least
 * sum of magnitudes in a column or row; by singular values, which run (gpuopt_linalg.h), 2 and -2, the greatest and the
 * least one, and GPUOPT_NORM_NUCLEAR, their sum. The greatest of none is 0, the least an error. Another ord is
 * GPUOPT_ERR_INVALID_ARGUMENT. numpy.linalg.matrix_norm. */
#define GPUOPT_NORM_FROBENIUS 0.0
#define GPUOPT_NORM_NUCLEAR 1e300 /* a name, as 0 is: there are no norms of these orders */
GPUOPT_CALL gpuopt_matrix_norm(gpuopt_array x, double ord, int32_t keepdims, gpuopt_array *result, gpuopt_error *error);
/* numpy.linalg.norm(x): the 2-norm of all elements. */
GPUOPT_CALL gpuopt_norm(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

/* ---- Files and exchange ------------------------------------------------------------------------------------------ */

/* .npy, format versions 1.0, 2.0 and 3.0, either byte order and memory order; anything malformed is GPUOPT_ERR_FORMAT
 * and says where. Saving writes a temporary file beside `path` and renames it: no partial file is left (the data is not
 * forced to the disk). What is not a regular file is written in place, and never read: GPUOPT_ERR_IO, as for a FIFO; a
 * symbolic link is followed. bfloat16 is written as "<V2", as ml_dtypes does. Paths are UTF-8. */
GPUOPT_CALL gpuopt_load_npy(gpuopt_device device, const char *path, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_save_npy(gpuopt_array x, const char *path, gpuopt_error *error);
/* .npz: stored or deflated members; zip64. */
GPUOPT_CALL gpuopt_save_npz(const char *path, int32_t count, const char *const *names, const gpuopt_array *arrays,
                            int32_t compress, gpuopt_error *error);
GPUOPT_CALL gpuopt_npz_open(const char *path, gpuopt_npz *npz, gpuopt_error *error);
GPUOPT_API int32_t gpuopt_npz_count(gpuopt_npz npz);
/* Without ".npy"; lives as long as npz; NULL out of range. */
GPUOPT_API const char *gpuopt_npz_name(gpuopt_npz npz, int32_t index);
GPUOPT_CALL gpuopt_npz_read(gpuopt_npz npz, const char *name, gpuopt_device device, gpuopt_array *result,
                            gpuopt_error *error);
GPUOPT_API void gpuopt_npz_close(gpuopt_npz npz);

/* DLPack 1.x. The structs are those of dlpack.h; include it to look inside. */
struct DLManagedTensorVersioned;
struct DLManagedTensor;
/* Exports x (running what it waits for); the consumer calls the deleter. Read-only arrays carry the flag; `copy` as in
 * the standard; `stream` is the consumer's stream handle as the DLPack Python specification encodes it (-1: no
 * synchronisation; 0 where it does not apply). Unless it is -1 the call returns when the device has done all its work,
 * so that the consumer may use any stream; the deleter waits likewise before the memory is used again. */
GPUOPT_CALL gpuopt_to_dlpack(gpuopt_array x, int64_t stream, gpuopt_copy copy, struct DLManagedTensorVersioned **tensor,
                             gpuopt_error *error);
GPUOPT_CALL gpuopt_to_dlpack_unversioned(gpuopt_array x, int64_t stream, gpuopt_copy copy,
                                         struct DLManagedTensor **tensor, gpuopt_error *error);
/* Imports without a copy where `device` can use the memory (takes the tensor over: its deleter is called with the last
 * reference), else copies as `copy` allows and calls the deleter. Memory of a device is taken over once the device has
 * done all its work, the producer's on any stream of this process included. On failure the tensor stays the caller's,
 * except that one of another major version has its deleter called, as the standard demands, and GPUOPT_ERR_UNSUPPORTED
 * is returned. */
GPUOPT_CALL gpuopt_from_dlpack(gpuopt_device device, struct DLManagedTensorVersioned *tensor, gpuopt_copy copy,
                               gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_from_dlpack_unversioned(gpuopt_device device, struct DLManagedTensor *tensor, gpuopt_copy copy,
                                           gpuopt_array *result, gpuopt_error *error);

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

/* numpy.random.RandomState, bit for bit: MT19937 and the legacy distributions. Results live on `device` (numbers are
 * drawn in sequence). ndim 0 with shape NULL gives a 0-d array. Not to be used from two threads at once. */
GPUOPT_CALL gpuopt_random_state_create(gpuopt_device device, uint32_t seed, gpuopt_random_state *state,
                                       gpuopt_error *error);
/* Seeds from `count` words, as RandomState([..]). */
GPUOPT_CALL gpuopt_random_state_create_array(gpuopt_device device, int32_t count, const uint32_t *seeds,
                                             gpuopt_random_state *state, gpuopt_error *error);
GPUOPT_API void gpuopt_random_state_release(gpuopt_random_state state);
GPUOPT_CALL gpuopt_random_state_seed(gpuopt_random_state state, uint32_t seed, gpuopt_error *error);
/* float64 in [0, 1): random_sample, rand. */
GPUOPT_CALL gpuopt_random_state_random_sample(gpuopt_random_state state, int32_t ndim, const int64_t *shape,
                                              gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_random_state_uniform(gpuopt_random_state state, double low, double high, int32_t ndim,
                                        const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_random_state_normal(gpuopt_random_state state, double loc, double scale, int32_t ndim,
                                       const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* Integers in [low, high) of an integer dtype or bool; dtype 0 means int64. */
GPUOPT_CALL gpuopt_random_state_randint(gpuopt_random_state state, int64_t low, int64_t high, gpuopt_dtype dtype,
                                        int32_t ndim, const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* Elements of the 1-d array `a`; p NULL or float64 probabilities of the same length. */
GPUOPT_CALL gpuopt_random_state_choice(gpuopt_random_state state, gpuopt_array a, int32_t ndim, const int64_t *shape,
                                       int32_t replace, gpuopt_array p, gpuopt_array *result, gpuopt_error *error);
/* Shuffles x along its first axis, in place. */
GPUOPT_CALL gpuopt_random_state_shuffle(gpuopt_random_state state, gpuopt_array x, gpuopt_error *error);
/* 0..n-1 in random order; or, with `a` not NULL, a shuffled copy of it. */
GPUOPT_CALL gpuopt_random_state_permutation(gpuopt_random_state state, int64_t n, gpuopt_array a, gpuopt_array *result,
                                            gpuopt_error *error);

/* The default generator: Philox4x32-10 (Salmon et al., SC'11), counter-based, the same bits on every backend and any
 * split. */
GPUOPT_CALL gpuopt_generator_create(gpuopt_device device, uint64_t seed, gpuopt_generator *generator,
                                    gpuopt_error *error);
GPUOPT_API void gpuopt_generator_release(gpuopt_generator generator);
/* Floating dtypes; 0 means float64. low + (high - low) * u with u in [0, 1). */
GPUOPT_CALL gpuopt_generator_uniform(gpuopt_generator generator, double low, double high, gpuopt_dtype dtype,
                                     int32_t ndim, const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_normal(gpuopt_generator generator, double loc, double scale, gpuopt_dtype dtype,
                                    int32_t ndim, const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* scale * standard exponential. */
GPUOPT_CALL gpuopt_generator_exponential(gpuopt_generator generator, double scale, gpuopt_dtype dtype, int32_t ndim,
                                         const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* [low, high), or [low, high] with endpoint. */
GPUOPT_CALL gpuopt_generator_integers(gpuopt_generator generator, int64_t low, int64_t high, int32_t endpoint,
                                      gpuopt_dtype dtype, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                      gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_choice(gpuopt_generator generator, gpuopt_array a, int32_t ndim, const int64_t *shape,
                                    int32_t replace, gpuopt_array p, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_permutation(gpuopt_generator generator, int64_t n, gpuopt_array a, gpuopt_array *result,
                                         gpuopt_error *error);

/* ---- Sorting, searching, sets, medians and quantiles ------------------------------------------------------------- */

#include "gpuopt_sorting.h"

/* ---- Kernels of your own ----------------------------------------------------------------------------------------- */

#include "gpuopt_fft.h"
#include "gpuopt_statistics.h"
#include "gpuopt_linalg.h"
#include "gpuopt_random.h"
#include "gpuopt_selection.h"
#include "gpuopt_creation.h"
#include "gpuopt_signal.h"
#include "gpuopt_text.h"
#include "gpuopt_polynomial.h"
#include "gpuopt_numbers.h"
#include "gpuopt_apply.h"
#include "gpuopt_queries.h"
#include "gpuopt_kernels.h"
#include "gpuopt_texture.h"
#include "gpuopt_ufuncs.h"
#include "gpuopt_compiled.h"

/* ---- Several processes ------------------------------------------------------------------------------------------ */

#include "gpuopt_comm.h"
#include "gpuopt_shard.h"

/* ---- Arrow ------------------------------------------------------------------------------------------------------- */

#include "gpuopt_arrow.h"

/* ---- Short ways to make arguments -------------------------------------------------------------------------------- */

#include "gpuopt_make.h"

#ifdef __cplusplus
}
#endif
#endif
