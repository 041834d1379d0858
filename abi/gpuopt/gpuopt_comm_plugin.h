/* abi/gpuopt/gpuopt_comm_plugin.h -- the second plugin ABI: what carries messages between the processes of a job.
 *
 * A communication plugin is a shared library `libgpuopt_<name>.so` that exports one symbol, gpuopt_comm_query_v1, and
 * needs nothing of libgpuopt at link time. It is searched for, checked and loaded as a backend is (gpuopt_plugin.h),
 * gets the same host services, and its table begins with the same header and is append-only in the same way.
 *
 * It moves bytes and nothing else: of the host's memory, and of a device's if it can. What is reduced, in which order,
 * and which ranks take part is decided by the host, the same for every plugin: that is why results do not depend on
 * which one carries them. */
#ifndef GPUOPT_COMM_PLUGIN_H
#define GPUOPT_COMM_PLUGIN_H

#include "gpuopt_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GPUOPT_COMM_ABI_MAJOR 1
#define GPUOPT_COMM_ABI_MINOR 2 /* the latest minor this header describes */

/* The plugin's own object: all processes of a job, as this one sees them. */
typedef struct gpuopt_comm_world gpuopt_comm_world;

typedef struct gpuopt_comm_probe {
  uint32_t struct_size;
  int32_t launched;  /* 1 if this process belongs to a job of this kind, 0 if not, -1 if that cannot be known */
  char detail[240];  /* in words: the launcher, or the library that was found; "" allowed */
} gpuopt_comm_probe;

typedef struct gpuopt_comm_world_options {
  uint32_t struct_size, flags; /* flags 0 */
  const void *next;
  const void *native; /* an object of the library below: of MPI the address of an MPI_Comm; NULL: the whole job */
  double timeout;     /* seconds until joining is given up */
  /* since 1.1: the group's device, with whose memory exchange_on_device is called: the name of its backend ("cuda"),
   * and its number as that backend's device_open() got it. */
  const char *backend;
  int32_t device_index, reserved;
} gpuopt_comm_world_options;

typedef struct gpuopt_comm_world_info {
  uint32_t struct_size, reserved;
  int32_t rank, size;
  char detail[240]; /* in words: what carries the messages */
} gpuopt_comm_world_info;

/* A message to or from a peer, of at most 2^30 bytes. Tags are below 0x0fff0000; those from there to 2^28 - 1 are the
 * plugin's own. `data` is read by sends and written by receives; of exchange_on_device it is an address of the device
 * and counts as the device's backend counts addresses (memory_allocate). */
typedef struct gpuopt_comm_message {
  int32_t peer;
  uint32_t tag;
  void *data;
  uint64_t bytes;
} gpuopt_comm_message;

/* since 1.2: an array that all_reduce combines element by element with those of all other ranks, and gets the result.
 * `data` is an address as in gpuopt_comm_message, of the device if on_device is not 0. */
typedef struct gpuopt_comm_reduction {
  uint32_t struct_size;
  int32_t reduction; /* GPUOPT_REDUCTION_sum or GPUOPT_REDUCTION_prod */
  gpuopt_dtype dtype; /* float16, bfloat16, float32, float64, complex64 or complex128 */
  int32_t on_device;
  void *data;
  uint64_t count; /* of elements, at least 1 */
} gpuopt_comm_reduction;

#define GPUOPT_COMM_RESULT_status gpuopt_status
#define GPUOPT_COMM_RESULT_none void
typedef struct gpuopt_comm_api {
  gpuopt_table_header header;
#define GPUOPT_COMM_SLOT(need, result, name, args) GPUOPT_COMM_RESULT_##result(*name) args;
#include "comm_slots.def"
} gpuopt_comm_api;

typedef struct gpuopt_comm_desc {
  gpuopt_table_header header;              /* set by the host before the call: struct_size is what may be written */
  uint16_t host_minor_min, host_minor_max; /* set by the host */
  uint16_t minor_min, minor_max;           /* the plugin's range, given also when it does not meet the host's */
  const char *name;                        /* "ring"; must be the <name> of the file */
  const char *version;                     /* the plugin's release */
  const gpuopt_comm_api *api;
} gpuopt_comm_desc;

/* The one entry point. Pure: no thread, file, connection or log. Returns GPUOPT_OK, or ERR_UNSUPPORTED if the version
 * ranges do not meet. `host` is kept by the plugin. */
typedef gpuopt_status (*gpuopt_comm_query_fn)(const gpuopt_host_api *host, gpuopt_comm_desc *desc);
#define GPUOPT_COMM_ENTRY "gpuopt_comm_query_v1"
GPUOPT_PLUGIN_EXPORT gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *host, gpuopt_comm_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
