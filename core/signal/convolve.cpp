// core/signal/convolve.cpp -- gpuopt_convolve and correlate: sums of products over windows of an array.
#include <algorithm>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/join.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// A run of the n + m - 1 elements of a full result.
struct Run {
  int64_t begin, count;
};

Run wanted_run(int64_t n, int64_t m, gpuopt_convolve_mode mode) {
  if (mode == GPUOPT_CONVOLVE_FULL) return {0, n + m - 1};
  if (mode == GPUOPT_CONVOLVE_SAME) return {m - 1 - m / 2, n};
  return {m - 1, n - m + 1};
}

// Returns x between zeros.
ArrayRef between_zeros(const ArrayRef &x, int64_t before, int64_t behind) {
  const unsigned char zero[16] = {};
  const auto zeros = [&](int64_t count) { return record_constant(x->stream.get(), x->dtype, 1, &count, zero); };
  const ArrayRef first = zeros(before), last = zeros(behind);
  const gpuopt_array parts[] = {first.get(), x.get(), last.get()};
  return joined(parts, 0, x->dtype, "convolve");
}

// Returns `count` windows of m elements as columns. They overlap in memory: row j begins at element j.
Value windows_of(const ArrayRef &x, int64_t m, int64_t count) {
  return restrided(x.get(), {m, count}, {x->strides[0], x->strides[0]}, x->offset, true);
}

ArrayRef ones_like(const ArrayRef &x) {
  const unsigned char one = 1;
  return record_constant(x->stream.get(), GPUOPT_BOOL, 1, &x->size, &one);
}

// Returns the sums over j of x[i + j - (m - 1)] w[j] for a run of i, where x is at least as long as w. What lies beyond
// x's ends does not count: a product of 0 and infinity or NaN is none.
ArrayRef window_sums(const ArrayRef &x, const ArrayRef &w, gpuopt_convolve_mode mode) {
  if (is_half(x->dtype)) {  // products of 16-bit floats, too, are float32
    const ArrayRef wide = in_dtype(x.get(), GPUOPT_FLOAT32), factors = in_dtype(w.get(), GPUOPT_FLOAT32);
    return in_dtype(window_sums(wide, factors, mode).get(), x->dtype);
  }
  const int64_t n = x->size, m = w->size;
  const Run run = wanted_run(n, m, mode);
  const int64_t before = std::max<int64_t>(m - 1 - run.begin, 0),
                behind = std::max<int64_t>(run.begin + run.count - n, 0);
  const bool beyond = before || behind;
  const Value windows = windows_of(beyond ? between_zeros(x, before, behind) : x, m, run.count);
  const Value factors = expanded_view(w.get(), 1);
  if (x->dtype == GPUOPT_BOOL)
    return record_reduction(GPUOPT_REDUCTION_any, logical_and(windows, factors).get(), 1, false, 0);
  Value products = windows * factors;
  if (beyond && (dtype_kind(x->dtype) == 'f' || dtype_kind(x->dtype) == 'c')) {
    const Value inside = windows_of(between_zeros(ones_like(x), before, behind), m, run.count);
    products = where(inside, products, Value(0.0));
  }
  return record_reduction(GPUOPT_REDUCTION_sum, products.get(), 1, false, x->dtype);
}

ArrayRef reversed(const ArrayRef &x) { return flipped_view(x.get(), 0, nullptr); }

ArrayRef conjugated(const ArrayRef &x) {
  return dtype_kind(x->dtype) == 'c' ? record_op(GPUOPT_OP_conj, {x.get()}) : x;
}

struct Signals {
  ArrayRef x, y;
  Signals(gpuopt_array given_x, gpuopt_array given_y, gpuopt_convolve_mode mode, const char *what) {
    check_same_device(what, {&deref_strong(given_x, what), &deref_strong(given_y, what)});
    if (mode < GPUOPT_CONVOLVE_FULL || mode > GPUOPT_CONVOLVE_VALID)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: mode must be 'valid', 'same', or 'full'", what);
    check_one_dimension(*given_x, "x", what);
    check_one_dimension(*given_y, "y", what);
    if (!given_x->size || !given_y->size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: x and y cannot be empty", what);
    const gpuopt_array both[] = {given_x, given_y};
    const gpuopt_dtype dtype = common_dtype(both);
    x = in_dtype(given_x, dtype);
    y = in_dtype(given_y, dtype);
  }
};

ArrayRef convolve(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode) {
  Signals s(x, y, mode, "convolve");
  if (s.y->size > s.x->size) std::swap(s.x, s.y);
  return window_sums(s.x, reversed(s.y), mode);
}

ArrayRef correlate(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode) {
  const Signals s(x, y, mode, "correlate");
  const ArrayRef second = conjugated(s.y);
  if (s.x->size >= s.y->size) return window_sums(s.x, second, mode);
  return record_copy(reversed(window_sums(second, s.x, mode)).get());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_convolve(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return convolve(x, y, mode); });
}

gpuopt_status gpuopt_correlate(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return correlate(x, y, mode); });
}

}  // extern "C"
