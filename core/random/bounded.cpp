// core/random/bounded.cpp -- gpuopt_generator_integers_between and gpuopt_random_state_randint_between: integers within
// bounds that are arrays.
#include <algorithm>
#include <limits>

#include "core/engine/expression.h"
#include "core/ops/ops.h"
#include "core/ops/select.h"
#include "core/random/parameters.h"
#include "core/sorting/sort.h"

namespace gpuopt::random {
namespace {

struct Bounds {
  const char *what;
  Stream stream;
  gpuopt_array low, high;
  bool closed;  // high itself is possible
  gpuopt_dtype dtype;
};

// Compares exactly, also int64 with uint64.
Value compared(gpuopt_op op, const Value &a, const Value &b) {
  const gpuopt_array both[] = {a.get(), b.get()};
  return record_operation(op, both, nullptr);
}

void refuse_any(const Value &mask, const Bounds &b, const char *message) {
  if (any_of(mask)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s", b.what, message);
}

// Returns a bound as an array of int64 or, if it is of an unsigned dtype, of uint64.
Value wide_bound(const Bounds &b, gpuopt_array x, const char *name) {
  deref(x, b.what);
  const char kind = x->weak ? static_cast<char>(x->scalar.kind) : dtype_kind(x->dtype);
  if (kind == 'f' || kind == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: %s is of %s and not of integers", b.what, name,
         x->weak ? "real or complex numbers" : dtype_name(x->dtype));
  if (!x->weak && x->device() != b.stream.device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the generator is on %s, %s on %s", b.what, b.stream.device->name.c_str(),
         name, x->device()->name.c_str());
  return in_dtype_on(b.stream.device->default_stream, x, kind == 'u' ? GPUOPT_UINT64 : GPUOPT_INT64);
}

// The least and the greatest integer of a dtype, as numbers that compare with arrays.
gpuopt_scalar least_of(gpuopt_dtype dtype) {
  const int bits = 8 * dtype_size(dtype);
  return gpuopt_scalar_int(dtype_kind(dtype) == 'i' ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0);
}
gpuopt_scalar most_of(gpuopt_dtype dtype) {
  if (dtype_kind(dtype) == '?') return gpuopt_scalar_int(1);
  const int bits = 8 * dtype_size(dtype) - (dtype_kind(dtype) == 'i');
  return gpuopt_scalar_uint(~uint64_t{0} >> (64 - bits));
}

// Whether each element of an int64 or uint64 array is beyond a limit, all compared as integers.
Value is_beyond(gpuopt_op op, const Value &x, const gpuopt_scalar &limit) {
  const gpuopt_stream stream = x.get()->stream.get();
  const gpuopt_dtype dtype = limit.kind == 'u' ? GPUOPT_UINT64 : GPUOPT_INT64;
  return compared(op, x, Value(scalar_array(stream, dtype, limit)));
}

// Returns the last integers that are possible. None of `high` is the least integer of its dtype, if it is not possible.
Value last_possible(const Bounds &b, const Value &high) {
  return b.closed ? high
                  : high - cast(Value(scalar_array(high.get()->stream.get(), GPUOPT_INT64, gpuopt_scalar_int(1))),
                                high.dtype());
}

std::string out_of_bounds(const char *name, gpuopt_dtype dtype) {
  return std::string(name) + " is out of bounds for " + dtype_name(dtype);
}

ArrayRef draw_between(Bounds b, int ndim, const int64_t *shape) {
  b.dtype = dtype_or(b.dtype, GPUOPT_INT64, b.what);
  const char kind = dtype_kind(b.dtype);
  if (kind == 'f' || kind == 'c') fail(GPUOPT_ERR_TYPE, "%s: Unsupported dtype %s", b.what, dtype_name(b.dtype));
  const Value low = wide_bound(b, b.low, "low"), high = wide_bound(b, b.high, "high");
  const Dims whole = broadcast_result(b.what, {b.low->sizes(), b.high->sizes()}, ndim, shape);
  if (std::find(whole.begin(), whole.end(), 0) != whole.end())
    return make_array(b.stream.device->default_stream, b.dtype, static_cast<int>(whole.size()), whole.data());
  refuse_any(is_beyond(GPUOPT_OP_less, low, least_of(b.dtype)), b, out_of_bounds("low", b.dtype).c_str());
  refuse_any(compared(b.closed ? GPUOPT_OP_greater : GPUOPT_OP_greater_equal, low, high), b,
             b.closed ? "low > high" : "low >= high");
  const Value last = last_possible(b, high);
  refuse_any(is_beyond(GPUOPT_OP_greater, last, most_of(b.dtype)), b, out_of_bounds("high", b.dtype).c_str());
  const ArrayRef first = broadcast_copy(cast(low, GPUOPT_INT64).get(), whole, b.what);
  const Value span = cast(last, GPUOPT_UINT64) - cast(low, GPUOPT_UINT64);
  const ArrayRef spans = broadcast_copy(span.get(), whole, b.what);
  const gpuopt_array tensors[] = {first.get(), spans.get()};
  return draw_array(b.stream, b.what, {GPUOPT_RANDOM_BETWEEN, {}, {}, tensors}, b.dtype, static_cast<int>(whole.size()),
                    whole.data());
}

}  // namespace
}  // namespace gpuopt::random

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_generator_integers_between(gpuopt_generator generator, gpuopt_array low, gpuopt_array high,
                                                int32_t endpoint, gpuopt_dtype dtype, int32_t ndim,
                                                const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::draw_between(
        {"generator_integers_between", random::checked(generator).stream(), low, high, endpoint != 0, dtype}, ndim,
        shape);
  });
}

gpuopt_status gpuopt_random_state_randint_between(gpuopt_random_state state, gpuopt_array low, gpuopt_array high,
                                                  gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                                                  gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::draw_between(
        {"random_state_randint_between", random::checked(state).stream(), low, high, false, dtype}, ndim, shape);
  });
}

}  // extern "C"
