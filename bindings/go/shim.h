/* bindings/go/shim.h -- calls whose options hold pointers: Go must not pass C memory of its own that points to more of
 * it, so the options are made on this side. */
#ifndef GPUOPT_GO_SHIM_H
#define GPUOPT_GO_SHIM_H

#include <gpuopt/gpuopt.h>
#include <stdlib.h>

typedef gpuopt_status (*gpuopt_go_reduction)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *,
                                             gpuopt_error *);

/* What a reduction reduces; naxes -1: all axes. */
typedef struct gpuopt_go_axes {
  int32_t naxes, keepdims, dtype, has_initial;
  double correction;
  gpuopt_scalar initial;
  gpuopt_array where, out;
} gpuopt_go_axes;

/* The options point into `axes` and `how`. */
static inline gpuopt_reduce_options gpuopt_go_options(const int64_t *axes, const gpuopt_go_axes *how) {
  static const int64_t none = 0;
  gpuopt_reduce_options o = {0};
  o.struct_size = sizeof o;
  o.axes = how->naxes < 0 ? NULL : how->naxes == 0 ? &none : axes;
  o.naxes = how->naxes < 0 ? 0 : how->naxes;
  o.keepdims = how->keepdims;
  o.dtype = how->dtype;
  o.correction = how->correction;
  o.where = how->where;
  o.initial = how->has_initial ? &how->initial : NULL;
  o.out = how->out;
  return o;
}

static inline gpuopt_status gpuopt_go_reduce(gpuopt_go_reduction function, gpuopt_array x, const int64_t *axes,
                                             gpuopt_go_axes how, gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return function(x, &o, result, error);
}

static inline gpuopt_status gpuopt_go_shard_reduce(gpuopt_shard shard, gpuopt_reduction reduction, const int64_t *axes,
                                                   gpuopt_go_axes how, gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return gpuopt_shard_reduce(shard, reduction, &o, result, error);
}

typedef struct gpuopt_go_apply {
  gpuopt_array out, where;
  gpuopt_casting casting;
  int32_t dtype, standard;
} gpuopt_go_apply;

static inline gpuopt_status gpuopt_go_apply_with(gpuopt_op op, int32_t count, const gpuopt_array *inputs,
                                                 gpuopt_go_apply how, gpuopt_array *result, gpuopt_error *error) {
  gpuopt_apply_options o = GPUOPT_APPLY_OPTIONS_INIT;
  o.flags = how.standard ? GPUOPT_APPLY_STANDARD : 0;
  o.out = how.out;
  o.where = how.where;
  o.casting = how.casting;
  o.dtype = how.dtype;
  return gpuopt_apply_with(op, count, inputs, &o, result, error);
}

static inline gpuopt_status gpuopt_go_vector_norm(gpuopt_array x, double ord, const int64_t *axes, gpuopt_go_axes how,
                                                  gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return gpuopt_vector_norm(x, ord, &o, result, error);
}

static inline gpuopt_status gpuopt_go_average(gpuopt_array x, gpuopt_array weights, const int64_t *axes,
                                              gpuopt_go_axes how, gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return gpuopt_average(x, weights, &o, result, NULL, error);
}

typedef gpuopt_status (*gpuopt_go_quantile)(gpuopt_array, gpuopt_array, gpuopt_quantile_method,
                                            const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);

static inline gpuopt_status gpuopt_go_quantiles(gpuopt_go_quantile function, gpuopt_array x, gpuopt_array q,
                                                gpuopt_quantile_method method, const int64_t *axes, gpuopt_go_axes how,
                                                gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return function(x, q, method, &o, result, error);
}

typedef gpuopt_status (*gpuopt_go_weighted_quantile)(gpuopt_array, gpuopt_array, gpuopt_array,
                                                     const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);

static inline gpuopt_status gpuopt_go_weighted_quantiles(gpuopt_go_weighted_quantile function, gpuopt_array x,
                                                         gpuopt_array q, gpuopt_array weights, const int64_t *axes,
                                                         gpuopt_go_axes how, gpuopt_array *result,
                                                         gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return function(x, q, weights, &o, result, error);
}

static inline gpuopt_status gpuopt_go_comm_init(const char *request, gpuopt_device device, double timeout,
                                                uint32_t flags, gpuopt_comm *comm, gpuopt_error *error) {
  gpuopt_comm_options o = {0};
  o.struct_size = sizeof o;
  o.flags = flags;
  o.device = device;
  o.timeout = timeout;
  return gpuopt_comm_init(request, &o, comm, error);
}

static inline gpuopt_status gpuopt_go_comm_init_devices(int32_t count, const gpuopt_device *devices, double timeout,
                                                        gpuopt_comm *comms, gpuopt_error *error) {
  gpuopt_comm_options o = {0};
  o.struct_size = sizeof o;
  o.timeout = timeout;
  return gpuopt_comm_init_devices(count, devices, &o, comms, error);
}

/* Texts of a kernel beside its own; NULL: none. */
typedef struct gpuopt_go_texts {
  const char *preamble, *loop_prep, *after_loop, *reduce_type;
} gpuopt_go_texts;

static inline gpuopt_kernel_options gpuopt_go_kernel_options(gpuopt_go_texts texts) {
  gpuopt_kernel_options o = GPUOPT_KERNEL_OPTIONS_INIT;
  o.preamble = texts.preamble;
  o.loop_prep = texts.loop_prep;
  o.after_loop = texts.after_loop;
  o.reduce_type = texts.reduce_type;
  return o;
}

/* `own` are in_params, out_params, operation, name. */
static inline gpuopt_status gpuopt_go_elementwise(char **own, gpuopt_go_texts texts, gpuopt_kernel *kernel,
                                                  gpuopt_error *error) {
  const gpuopt_kernel_options o = gpuopt_go_kernel_options(texts);
  return gpuopt_elementwise_kernel(own[0], own[1], own[2], own[3], &o, kernel, error);
}

/* `own` are in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name. */
static inline gpuopt_status gpuopt_go_reduction_kernel(char **own, gpuopt_go_texts texts, gpuopt_kernel *kernel,
                                                       gpuopt_error *error) {
  const gpuopt_kernel_options o = gpuopt_go_kernel_options(texts);
  return gpuopt_reduction_kernel(own[0], own[1], own[2], own[3], own[4], own[5], own[6], &o, kernel, error);
}

/* `own` are code, name, types, identity. */
static inline gpuopt_status gpuopt_go_vectorize(char **own, gpuopt_kernel *kernel, gpuopt_error *error) {
  return gpuopt_vectorize(own[0], own[1], own[2], own[3], kernel, error);
}

/* `own` are code, name, types, signature. */
static inline gpuopt_status gpuopt_go_guvectorize(char **own, gpuopt_kernel *kernel, gpuopt_error *error) {
  return gpuopt_guvectorize(own[0], own[1], own[2], own[3], kernel, error);
}

static inline gpuopt_status gpuopt_go_ufunc_reduce(gpuopt_kernel kernel, gpuopt_array x, const int64_t *axes,
                                                   gpuopt_go_axes how, gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, &how);
  return gpuopt_ufunc_reduce(kernel, x, o.naxes, o.axes, o.keepdims, result, error);
}

/* What gpuopt_stencil_options has besides addresses. */
typedef struct gpuopt_go_stencil {
  int32_t mode, ndim;
  gpuopt_scalar cval;
} gpuopt_go_stencil;

/* `own` are in_params, out_params, body, name, preamble. */
static inline gpuopt_status gpuopt_go_stencil_kernel(char **own, gpuopt_go_stencil given, const int64_t *neighborhood,
                                                     gpuopt_kernel *kernel, gpuopt_error *error) {
  gpuopt_stencil_options o = GPUOPT_STENCIL_OPTIONS_INIT;
  o.mode = given.mode;
  o.ndim = given.ndim;
  o.neighborhood = neighborhood;
  o.cval = given.cval;
  o.preamble = own[4];
  return gpuopt_stencil(own[0], own[1], own[2], own[3], &o, kernel, error);
}

/* The options of a call of a kernel; `how` as above, size and device as in C. */
typedef struct gpuopt_go_launch {
  gpuopt_device device;
  int64_t size;
  int32_t has_size, block_size;
} gpuopt_go_launch;

static inline gpuopt_status gpuopt_go_kernel_call(gpuopt_kernel kernel, int32_t count, const gpuopt_array *arguments,
                                                  gpuopt_go_launch launch, const int64_t *axes, gpuopt_go_axes how,
                                                  gpuopt_array *results, gpuopt_error *error) {
  const gpuopt_reduce_options reduced = gpuopt_go_options(axes, &how);
  gpuopt_kernel_call_options o = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
  o.device = launch.device;
  o.size = launch.size;
  o.has_size = launch.has_size;
  o.block_size = launch.block_size;
  o.axes = reduced.axes;
  o.naxes = reduced.naxes;
  o.keepdims = reduced.keepdims;
  return gpuopt_kernel_call(kernel, count, arguments, &o, results, error);
}

static inline gpuopt_device_options gpuopt_go_device_options(const char *const *paths, int32_t count) {
  gpuopt_device_options o = GPUOPT_DEVICE_OPTIONS_INIT;
  o.plugin_path = paths;
  o.plugin_path_count = count;
  return o;
}

static inline gpuopt_status gpuopt_go_open(const char *request, char **paths, int32_t count, gpuopt_device *device,
                                           gpuopt_reason *reason, gpuopt_error *error) {
  const gpuopt_device_options o = gpuopt_go_device_options((const char *const *)paths, count);
  return gpuopt_device_open_report(request, &o, device, reason, error);
}

static inline gpuopt_status gpuopt_go_discovery(char **paths, int32_t count, int32_t format, char **report,
                                                gpuopt_error *error) {
  const gpuopt_device_options o = gpuopt_go_device_options((const char *const *)paths, count);
  return gpuopt_discovery_report(&o, format, report, error);
}

static inline gpuopt_status gpuopt_go_broadcast(int32_t ndim1, const int64_t *shape1, int32_t ndim2,
                                                const int64_t *shape2, int32_t *ndim, int64_t *shape,
                                                gpuopt_error *error) {
  const int32_t ndims[] = {ndim1, ndim2};
  const int64_t *const shapes[] = {shape1, shape2};
  return gpuopt_broadcast_shapes(2, ndims, shapes, ndim, shape, error);
}

/* Elements as bytes; the arguments are those of gpuopt_array_from. */
static inline gpuopt_status gpuopt_go_array_from(gpuopt_device device, const uint8_t *data, gpuopt_dtype dtype,
                                                 int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                                 gpuopt_error *error) {
  return gpuopt_array_from(device, data, dtype, ndim, shape, result, error);
}

static inline gpuopt_status gpuopt_go_save_npz(const char *path, int32_t count, char **names,
                                               const gpuopt_array *arrays, int32_t compress, gpuopt_error *error) {
  return gpuopt_save_npz(path, count, (const char *const *)names, arrays, compress, error);
}

static inline gpuopt_status gpuopt_go_loadtxt(gpuopt_device device, const char *path, gpuopt_loadtxt_options options,
                                              const int64_t *columns, int32_t count, gpuopt_array *result,
                                              gpuopt_error *error) {
  options.usecols = columns;
  options.nusecols = count;
  return gpuopt_loadtxt(device, path, &options, result, error);
}

static inline gpuopt_status gpuopt_go_loadtxt_memory(gpuopt_device device, const char *text, uint64_t size,
                                                     gpuopt_loadtxt_options options, const int64_t *columns,
                                                     int32_t count, gpuopt_array *result, gpuopt_error *error) {
  options.usecols = columns;
  options.nusecols = count;
  return gpuopt_loadtxt_memory(device, text, size, &options, result, error);
}

/* The front of DLPack's struct, which all of its versions have; dlpack.h has the rest. */
typedef struct gpuopt_go_dlpack {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *);
} gpuopt_go_dlpack;

static inline uint32_t gpuopt_go_dlpack_major(const struct DLManagedTensorVersioned *tensor) {
  return ((const gpuopt_go_dlpack *)tensor)->major;
}

static inline void gpuopt_go_dlpack_delete(struct DLManagedTensorVersioned *tensor) {
  const gpuopt_go_dlpack *head = (const gpuopt_go_dlpack *)tensor;
  if (head->deleter) head->deleter(tensor);
}

/* The two structs of Arrow, in memory of C's: a producer keeps addresses of C there, and Go's memory may move. */
typedef struct gpuopt_go_arrow {
  struct ArrowSchema schema;
  struct ArrowArray array;
} gpuopt_go_arrow;

static inline void gpuopt_go_arrow_free(gpuopt_go_arrow *pair) {
  if (pair->schema.release) pair->schema.release(&pair->schema);
  if (pair->array.release) pair->array.release(&pair->array);
  free(pair);
}

#endif
