// core/random/random.cpp -- calls the slot `random`, and checks the parameters of simple distributions; see random.h.
#include "core/random/random.h"

#include <cmath>
#include <limits>

#include "core/engine/library_call.h"

namespace gpuopt::random {

void draw_into(const Stream &stream, const char *what, const Draw &draw, gpuopt_array out) {
  if (!out->size) return;
  LibraryCall call(stream.kind, out->stream.get());
  call.output(out);
  for (const gpuopt_array tensor : draw.tensors) call.input(tensor);
  call.integer(draw.distribution);
  for (int64_t i : draw.integers) call.integer(i);
  for (double f : draw.numbers) call.number(f);
  call.state(stream.state, stream.state_bytes);
  call.run(what, &gpuopt_plugin_api::random);
}

ArrayRef draw_array(const Stream &stream, const char *what, const Draw &draw, gpuopt_dtype dtype, int ndim,
                    const int64_t *shape) {
  ArrayRef out = make_array(stream.device->default_stream, dtype, ndim, shape);
  draw_into(stream, what, draw, out.get());
  return out;
}

gpuopt_dtype floating_or_default(gpuopt_dtype dtype, const char *what) {
  if (dtype_or(dtype, GPUOPT_FLOAT64, what) == GPUOPT_FLOAT64) return GPUOPT_FLOAT64;
  if (dtype_kind(dtype) != 'f') fail(GPUOPT_ERR_TYPE, "%s: %s is not a real floating dtype", what, dtype_name(dtype));
  return dtype;
}

ArrayRef uniform(const Stream &stream, const char *what, double low, double high, gpuopt_dtype dtype, int ndim,
                 const int64_t *shape) {
  if (!std::isfinite(high - low))
    fail(GPUOPT_ERR_OVERFLOW, "%s: the range from %g to %g is not finite", what, low, high);
  const double numbers[] = {low, high - low};
  return draw_array(stream, what, {GPUOPT_RANDOM_UNIFORM, {}, numbers, {}}, dtype, ndim, shape);
}

ArrayRef normal(const Stream &stream, const char *what, double loc, double scale, gpuopt_dtype dtype, int ndim,
                const int64_t *shape) {
  if (std::signbit(scale) && !std::isnan(scale)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: scale < 0 (%g)", what, scale);
  const double numbers[] = {loc, scale};
  return draw_array(stream, what, {GPUOPT_RANDOM_NORMAL, {}, numbers, {}}, dtype, ndim, shape);
}

namespace {

void check_bounds(const char *what, int64_t low, int64_t last, gpuopt_dtype dtype) {
  const char kind = dtype_kind(dtype);
  if (kind == 'f' || kind == 'c') fail(GPUOPT_ERR_TYPE, "%s: %s is not an integer dtype", what, dtype_name(dtype));
  const int bits = kind == '?' ? 1 : 8 * dtype_size(dtype) - (kind == 'i');
  const int64_t most = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1,
                least = kind == 'i' ? -most - 1 : 0;
  if (low > last) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: low >= high", what);
  if (low < least) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: low is out of bounds for %s", what, dtype_name(dtype));
  if (last > most) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: high is out of bounds for %s", what, dtype_name(dtype));
}

}  // namespace

ArrayRef integers(const Stream &stream, const char *what, int64_t low, int64_t last, gpuopt_dtype dtype, int ndim,
                  const int64_t *shape) {
  dtype = dtype_or(dtype, GPUOPT_INT64, what);
  check_bounds(what, low, last, dtype);
  const int64_t parameters[] = {low, static_cast<int64_t>(static_cast<uint64_t>(last) - static_cast<uint64_t>(low))};
  return draw_array(stream, what, {GPUOPT_RANDOM_INTEGERS, parameters, {}, {}}, dtype, ndim, shape);
}

Dims result_shape(int ndim, const int64_t *shape) {
  if (ndim == -1) return {};
  checked_size(ndim, shape, 1);
  return Dims(shape, shape + ndim);
}

}  // namespace gpuopt::random
