/* abi/gpuopt/gpuopt_arrow.h -- exchange with Apache Arrow by its C data interface; part of gpuopt.h, which includes it.
 *
 * The semantics are those of the specification (arrow.apache.org/docs/format/CDataInterface.html). Beside DLPack
 * (gpuopt_to_dlpack), which is for tensors on any device, this is for columns in the host's memory. The functions are
 * safe from any threads; one pair of structs is used by one thread at a time. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_ARROW_H)
#define GPUOPT_ARROW_H

struct ArrowSchema;
struct ArrowArray;

/* The two structs of the specification, in its layout. The macro is the one by which every header that defines them
 * knows that another one has, such as Arrow's arrow/c/abi.h. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

/* Exports x, running what it waits for, as an Arrow array without nulls. One dimension becomes a primitive array; more
 * become fixed-size lists in one another ("+w:3" around "g" for float64 of shape (n, 3)), whose length is that of the
 * first axis. No dimensions are GPUOPT_ERR_SHAPE: reshape to (1). dtypes: bool, integers, float16, float32, float64;
 * Arrow has no type for others (GPUOPT_ERR_TYPE).
 *
 * C-contiguous elements in the host's memory are shared, as long as any of the exported structs has not been released.
 * Arrow's consumers take them for constant: a write to x afterwards shows in what they have. A copy is made if `copy`
 * asks for one, and where it is needed: of bool, which Arrow packs into bits, of strided arrays, and of arrays that are
 * not in the host's memory; GPUOPT_COPY_NEVER then is GPUOPT_ERR_INVALID_ARGUMENT.
 *
 * `schema` and `array` are the caller's and are overwritten; after success the caller, or to whom it moves them, calls
 * release of both, in either order and from any thread. Children may be moved out of them. After a failure release is
 * NULL in both. */
GPUOPT_CALL gpuopt_to_arrow(gpuopt_array x, gpuopt_copy copy, struct ArrowSchema *schema, struct ArrowArray *array,
                            gpuopt_error *error);

/* Imports a primitive Arrow array of the dtypes above, or fixed-size lists of them in one another, as an array on
 * `device`; offsets are respected. *result is read-only where it uses the producer's memory, and a copy where `copy`
 * asks for one and where it is needed: of bool, of memory that is not aligned to the dtype, and on devices that do not
 * use host memory. GPUOPT_COPY_NEVER then is GPUOPT_ERR_INVALID_ARGUMENT.
 *
 * Nulls, at any depth: *valid gets a bool array of the result's shape that is false where an element is null, or NULL
 * if there are none; the element itself is whatever the producer left there. If `valid` is NULL, nulls are
 * GPUOPT_ERR_INVALID_ARGUMENT. Other types (strings, structs, dictionaries, times, decimals) are GPUOPT_ERR_TYPE, and
 * structs that contradict the specification, as far as this can be seen, GPUOPT_ERR_FORMAT.
 *
 * Success takes both structs over: release is NULL in them, the producer's release of `schema` has been called, and
 * that of the array is called when its memory is no longer used, from any thread. After a failure both are the
 * caller's as before. */
GPUOPT_CALL gpuopt_from_arrow(gpuopt_device device, struct ArrowSchema *schema, struct ArrowArray *array,
                              gpuopt_copy copy, gpuopt_array *result, gpuopt_array *valid, gpuopt_error *error);

#endif
