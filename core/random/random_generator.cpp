// core/random/random_generator.cpp -- gpuopt_generator_*: random numbers of Philox4x32-10, which is based on counters,
// and PCG64.
#include <cmath>

#include "core/engine/engine.h"
#include "core/random/random.h"

using namespace gpuopt;

namespace gpuopt {
namespace {

ArrayRef exponential(gpuopt_generator_s &g, double scale, gpuopt_dtype dtype, int ndim, const int64_t *shape) {
  const char *const what = "generator_exponential";
  if (scale < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: scale < 0 (%g)", what, scale);
  const double numbers[] = {scale};
  return random::draw_array(g.stream(), what, {GPUOPT_RANDOM_EXPONENTIAL, {}, numbers, {}},
                            random::floating_or_default(dtype, what), ndim, shape);
}

// As NumPy's Generator, and unlike RandomState, PCG64 wants low <= high.
ArrayRef uniform(gpuopt_generator_s &g, double low, double high, gpuopt_dtype dtype, int ndim, const int64_t *shape) {
  const char *const what = "generator_uniform";
  if (g.is_pcg64() && std::signbit(high - low) && !std::isnan(high - low))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: high - low < 0", what);
  return random::uniform(g.stream(), what, low, high, random::floating_or_default(dtype, what), ndim, shape);
}

}  // namespace

gpuopt_generator_s &random::checked(gpuopt_generator generator) {
  if (!generator) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator: the generator is NULL");
  return *generator;
}

}  // namespace gpuopt

using random::checked;

extern "C" {

gpuopt_status gpuopt_generator_create(gpuopt_device device, uint64_t seed, gpuopt_generator *generator,
                                      gpuopt_error *error) {
  if (generator) *generator = nullptr;
  return guarded(error, [&] {
    if (!generator) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_create: the result pointer is NULL");
    *generator =
        new gpuopt_generator_s{&deref(device, "generator_create"), GPUOPT_CALL_RANDOM_PHILOX, {seed, 0, 0}, {}, {}, {}};
  });
}

void gpuopt_generator_release(gpuopt_generator generator) { delete generator; }

gpuopt_status gpuopt_generator_uniform(gpuopt_generator generator, double low, double high, gpuopt_dtype dtype,
                                       int32_t ndim, const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return uniform(checked(generator), low, high, dtype, ndim, shape); });
}

gpuopt_status gpuopt_generator_normal(gpuopt_generator generator, double loc, double scale, gpuopt_dtype dtype,
                                      int32_t ndim, const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    const gpuopt_dtype type = random::floating_or_default(dtype, "generator_normal");
    return random::normal(checked(generator).stream(), "generator_normal", loc, scale, type, ndim, shape);
  });
}

gpuopt_status gpuopt_generator_exponential(gpuopt_generator generator, double scale, gpuopt_dtype dtype, int32_t ndim,
                                           const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return exponential(checked(generator), scale, dtype, ndim, shape); });
}

gpuopt_status gpuopt_generator_integers(gpuopt_generator generator, int64_t low, int64_t high, int32_t endpoint,
                                        gpuopt_dtype dtype, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                                        gpuopt_error *error) {
  return giving(result, error, [&] {
    if (low > high || (low == high && !endpoint)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "generator_integers: low >= high");
    return random::integers(checked(generator).stream(), "generator_integers", low, endpoint ? high : high - 1, dtype,
                            ndim, shape);
  });
}

gpuopt_status gpuopt_generator_choice(gpuopt_generator generator, gpuopt_array a, int32_t ndim, const int64_t *shape,
                                      int32_t replace, gpuopt_array p, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::choice(checked(generator).stream(), "generator_choice", {a, p, replace != 0, ndim, shape});
  });
}

gpuopt_status gpuopt_generator_permutation(gpuopt_generator generator, int64_t n, gpuopt_array a, gpuopt_array *result,
                                           gpuopt_error *error) {
  return giving(result, error,
                [&] { return random::permutation(checked(generator).stream(), "generator_permutation", n, a); });
}

}  // extern "C"
