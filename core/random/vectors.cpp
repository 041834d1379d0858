// core/random/vectors.cpp -- multinomial, dirichlet and multivariate hypergeometric vectors, permuted rows, bytes.
#include <cstring>

#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/random/parameters.h"
#include "core/sorting/sort.h"

namespace gpuopt::random {
namespace {

// Draws vectors of k elements as rows, and returns them in `shape` with an axis of k behind it.
ArrayRef draw_vectors(const Stream &stream, const char *what, const Draw &draw, gpuopt_dtype dtype, Dims shape,
                      int64_t k) {
  shape.push_back(k);
  if (shape.size() > GPUOPT_MAX_NDIM)
    fail(GPUOPT_ERR_SHAPE, "%s: the result would have more than %d dimensions", what, GPUOPT_MAX_NDIM);
  const int64_t size = checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(dtype));
  const int64_t rows[] = {k ? size / k : 0, k};
  const ArrayRef drawn = draw_array(stream, what, draw, dtype, 2, rows);
  return k ? reshaped(drawn.get(), shape)
           : make_array(stream.device->default_stream, dtype, static_cast<int>(shape.size()), shape.data());
}

// Returns the sum of all probabilities of a vector but the last, by Kahan's method.
double sum_of_all_but_last(const double *p, int64_t k) {
  double sum = p[0], carry = 0;
  for (int64_t j = 1; j < k - 1; ++j) {
    const double y = p[j] - carry, t = sum + y;
    carry = (t - sum) - y;
    sum = t;
  }
  return sum;
}

// Reads probabilities, whose last axis has k >= 1 elements, and checks them.
Given checked_probabilities(gpuopt_device device, gpuopt_array pvals) {
  const Parameter parameter{"pvals", 'f', Range::UNIT};
  const char *const what = "multinomial";
  Given given = read_parameter(device, what, parameter, &deref_strong(pvals, what));
  if (!pvals->ndim || !pvals->shape[pvals->ndim - 1])
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.", what);
  check_range(what, parameter, given);
  const int64_t k = pvals->shape[pvals->ndim - 1];
  for (int64_t i = 0; i < pvals->size; i += k)
    if (k > 1 && sum_of_all_but_last(given.reals.data() + i, k) > 1.0 + 1e-12)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: sum(pvals[%s:-1]) > 1.0", what, pvals->ndim == 1 ? "" : "...,");
  return given;
}

// `n` has `shape`, or broadcasts to it, as the axes of pvals before the last one do.
ArrayRef multinomial(const Stream &stream, gpuopt_array n, const Given &pvals, const Dims &shape) {
  const char *const what = "multinomial";
  const int64_t k = pvals.array->shape[pvals.array->ndim - 1];
  Dims whole = shape;
  whole.push_back(k);
  const ArrayRef trials = broadcast_copy(n, shape, what), p = broadcast_copy(pvals.array.get(), whole, what);
  const gpuopt_array tensors[] = {trials.get(), p.get()};
  return draw_vectors(stream, what, {GPUOPT_RANDOM_MULTINOMIAL, {}, {}, tensors}, GPUOPT_INT64, shape, k);
}

ArrayRef number_array(gpuopt_device device, int64_t n) {
  ArrayRef x = make_array(device->default_stream, GPUOPT_INT64, 0, nullptr);
  copy_from_host(x.get(), &n);
  return x;
}

ArrayRef state_multinomial(const Stream &stream, int64_t n, gpuopt_array pvals, int ndim, const int64_t *shape) {
  const Given p = checked_probabilities(stream.device, pvals);
  if (n < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "multinomial: n < 0");
  if (pvals->ndim != 1)
    fail(GPUOPT_ERR_SHAPE, "multinomial: pvals must have 1 dimension, not %d", static_cast<int>(pvals->ndim));
  return multinomial(stream, number_array(stream.device, n).get(), p, result_shape(ndim, shape));
}

ArrayRef generator_multinomial(const Stream &stream, gpuopt_array n, gpuopt_array pvals, int ndim,
                               const int64_t *shape) {
  const char *const what = "multinomial";
  const Parameter parameter{"n", 'i', Range::NON_NEGATIVE};
  Given trials = read_parameter(stream.device, what, parameter, n);
  const Given p = checked_probabilities(stream.device, pvals);
  check_range(what, parameter, trials);
  if (!trials.array) trials.array = number_array(stream.device, trials.integers[0]);
  const Shapes shapes = {trials.array->sizes(), pvals->sizes().first(static_cast<size_t>(pvals->ndim - 1))};
  return multinomial(stream, trials.array.get(), p, broadcast_result(what, shapes, ndim, shape));
}

ArrayRef dirichlet(const Stream &stream, gpuopt_array alpha, int ndim, const int64_t *shape) {
  const char *const what = "dirichlet";
  const bool legacy = stream.kind == GPUOPT_CALL_RANDOM_MT19937;
  const Given given = read_parameter(stream.device, what, {"alpha"}, &deref_strong(alpha, what));
  if (alpha->ndim != 1)
    fail(GPUOPT_ERR_SHAPE, "%s: alpha must have 1 dimension, not %d", what, static_cast<int>(alpha->ndim));
  for (double a : given.reals)
    if (legacy ? a <= 0 : a < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: alpha %s 0", what, legacy ? "<=" : "<");
  const ArrayRef whole = record_copy(given.array.get());
  const gpuopt_array tensors[] = {whole.get()};
  return draw_vectors(stream, what, {GPUOPT_RANDOM_DIRICHLET, {}, {}, tensors}, GPUOPT_FLOAT64,
                      result_shape(ndim, shape), alpha->size);
}

// ---- Multivariate hypergeometric

void check_colors(const Given &colors, int64_t nsample, bool by_counting) {
  const char *const what = "multivariate_hypergeometric";
  const int64_t limit = by_counting ? int64_t{1000000} : int64_t{999999999};
  if (nsample < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: nsample must be nonnegative.", what);
  int64_t total = 0;
  for (int64_t color : colors.integers) {
    if (color < 0)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: colors must be a one-dimensional sequence of nonnegative integers.", what);
    if (color > limit - total)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: When method is '%s', sum(colors) must not exceed %lld", what,
           by_counting ? "count" : "marginals", static_cast<long long>(limit));
    total += color;
  }
  if (nsample > total) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: nsample > sum(colors)", what);
}

ArrayRef hypergeometric(const Stream &stream, gpuopt_array colors, int64_t nsample, bool by_counting,
                        const Dims &shape) {
  const char *const what = "multivariate_hypergeometric";
  const Given given = read_parameter(stream.device, what, {"colors", 'i'}, &deref_strong(colors, what));
  if (colors->ndim != 1)
    fail(GPUOPT_ERR_SHAPE, "%s: colors must be a one-dimensional sequence of nonnegative integers.", what);
  check_colors(given, nsample, by_counting);
  const ArrayRef whole = record_copy(given.array.get());
  const gpuopt_array tensors[] = {whole.get()};
  const int64_t integers[] = {nsample, by_counting ? 1 : 0};
  return draw_vectors(stream, what, {GPUOPT_RANDOM_HYPERGEOMETRIC, integers, {}, tensors}, GPUOPT_INT64, shape,
                      colors->size);
}

// ---- Rows and bytes

ArrayRef permuted(gpuopt_generator_s &g, gpuopt_array x, int64_t asked_axis) {
  const char *const what = "generator_permuted";
  deref_strong(x, what);
  if (!g.is_pcg64()) fail(GPUOPT_ERR_UNSUPPORTED, "%s: the generator is not of PCG64", what);
  if (x->device() != g.device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the generator is on %s, the array on %s", what, g.device->name.c_str(),
         x->device()->name.c_str());
  const int axis = checked_axis(asked_axis, x->ndim, what);
  const int64_t last = x->ndim - 1, place = axis;
  const ArrayRef moved = moved_axes(x, 1, &place, &last);
  if (!x->size) return record_copy(x);
  const int64_t k = x->shape[axis], rows[] = {x->size / k, k};
  const ArrayRef drawn = draw_array(g.stream(), what, {GPUOPT_RANDOM_ROWS}, GPUOPT_INT64, 2, rows);
  const ArrayRef order = reshaped(drawn.get(), Dims(moved->shape, moved->shape + moved->ndim));
  return moved_axes(taken_along(moved.get(), order.get(), static_cast<int>(last)).get(), 1, &last, &place);
}

// Little-endian 32-bit words, of which the last may be cut.
void bytes(const Stream &stream, int64_t length, void *out, const char *what) {
  if (length < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the length is negative", what);
  if (!length) return;
  if (!out) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the pointer to the bytes is NULL", what);
  const int64_t count = (length - 1) / 4 + 1;
  const ArrayRef drawn = integers(stream, what, 0, 0xffffffff, GPUOPT_UINT32, 1, &count);
  std::vector<uint32_t> words(static_cast<size_t>(count));
  copy_to_host(drawn.get(), words.data());
  std::memcpy(out, words.data(), static_cast<size_t>(length));
}

}  // namespace
}  // namespace gpuopt::random

using namespace gpuopt;
using random::checked;

extern "C" {

gpuopt_status gpuopt_random_state_multinomial(gpuopt_random_state state, int64_t n, gpuopt_array pvals, int32_t ndim,
                                              const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return random::state_multinomial(checked(state).stream(), n, pvals, ndim, shape); });
}

gpuopt_status gpuopt_generator_multinomial(gpuopt_generator generator, gpuopt_array n, gpuopt_array pvals, int32_t ndim,
                                           const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return random::generator_multinomial(checked(generator).stream(), n, pvals, ndim, shape); });
}

gpuopt_status gpuopt_random_state_dirichlet(gpuopt_random_state state, gpuopt_array alpha, int32_t ndim,
                                            const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return random::dirichlet(checked(state).stream(), alpha, ndim, shape); });
}

gpuopt_status gpuopt_generator_dirichlet(gpuopt_generator generator, gpuopt_array alpha, int32_t ndim,
                                         const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return random::dirichlet(checked(generator).stream(), alpha, ndim, shape); });
}

gpuopt_status gpuopt_generator_multivariate_hypergeometric(gpuopt_generator generator, gpuopt_array colors,
                                                           int64_t nsample, int32_t by_counting, int32_t ndim,
                                                           const int64_t *shape, gpuopt_array *result,
                                                           gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::hypergeometric(checked(generator).stream(), colors, nsample, by_counting != 0,
                                  random::result_shape(ndim, shape));
  });
}

gpuopt_status gpuopt_generator_permuted(gpuopt_generator generator, gpuopt_array x, int64_t axis, gpuopt_array *result,
                                        gpuopt_error *error) {
  return giving(result, error, [&] { return random::permuted(checked(generator), x, axis); });
}

gpuopt_status gpuopt_random_state_bytes(gpuopt_random_state state, int64_t length, void *bytes, gpuopt_error *error) {
  return guarded(error, [&] { random::bytes(checked(state).stream(), length, bytes, "random_state_bytes"); });
}

gpuopt_status gpuopt_generator_bytes(gpuopt_generator generator, int64_t length, void *bytes, gpuopt_error *error) {
  return guarded(error, [&] { random::bytes(checked(generator).stream(), length, bytes, "generator_bytes"); });
}

}  // extern "C"
