/* bindings/go/shim.h -- calls whose options hold pointers: Go must not pass C memory of its own that points to more of
 * it, so the options are made on this side. */
#ifndef GPUOPT_GO_SHIM_H
#define GPUOPT_GO_SHIM_H

#include <gpuopt/gpuopt.h>

typedef gpuopt_status (*gpuopt_go_reduction)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *,
                                             gpuopt_error *);

/* What a reduction reduces; naxes -1: all axes. */
typedef struct gpuopt_go_axes {
  int32_t naxes, keepdims, dtype;
  double correction;
} gpuopt_go_axes;

static inline gpuopt_reduce_options gpuopt_go_options(const int64_t *axes, gpuopt_go_axes how) {
  static const int64_t none = 0;
  gpuopt_reduce_options o = {0};
  o.struct_size = sizeof o;
  o.axes = how.naxes < 0 ? NULL : how.naxes == 0 ? &none : axes;
  o.naxes = how.naxes < 0 ? 0 : how.naxes;
  o.keepdims = how.keepdims;
  o.dtype = how.dtype;
  o.correction = how.correction;
  return o;
}

static inline gpuopt_status gpuopt_go_reduce(gpuopt_go_reduction function, gpuopt_array x, const int64_t *axes,
                                             gpuopt_go_axes how, gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, how);
  return function(x, &o, result, error);
}

static inline gpuopt_status gpuopt_go_vector_norm(gpuopt_array x, double ord, const int64_t *axes, gpuopt_go_axes how,
                                                  gpuopt_array *result, gpuopt_error *error) {
  const gpuopt_reduce_options o = gpuopt_go_options(axes, how);
  return gpuopt_vector_norm(x, ord, &o, result, error);
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

#endif
