// core/signal/convolve_nd.cpp -- gpuopt_convolve_nd, correlate_nd and choose_conv_method: sums over windows of several
// axes, and products of Fourier transforms.
#include <algorithm>
#include <cmath>

#include "core/selection/call.h"
#include "core/sorting/bins.h"

namespace gpuopt {
namespace {

// The part of a full result that is wanted: along each axis from `begin` on.
struct Region {
  Dims begin, count;
};

// The operands, in one dtype. `kernel` is the one with fewer elements; a convolution does not care which is which.
struct Convolution {
  const char *what;
  ArrayRef signal, kernel;
  Region region;
  gpuopt_dtype dtype() const { return signal->dtype; }
  int ndim() const { return signal->ndim; }
  int64_t full_size(int axis) const { return signal->shape[axis] + kernel->shape[axis] - 1; }
};

// ---- Operands

void check_operands(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, const char *what) {
  check_same_device(what, {&deref_strong(x, what), &deref_strong(y, what)});
  if (mode < GPUOPT_CONVOLVE_FULL || mode > GPUOPT_CONVOLVE_VALID)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: mode must be 'valid', 'same', or 'full'", what);
  if (x->ndim != y->ndim)
    fail(GPUOPT_ERR_SHAPE, "%s: volume and kernel should have the same dimensionality, and have %d and %d", what,
         static_cast<int>(x->ndim), static_cast<int>(y->ndim));
  if (x->ndim > GPUOPT_MAX_NDIM / 2)
    fail(GPUOPT_ERR_SHAPE, "%s: more than %d dimensions are not supported", what, GPUOPT_MAX_NDIM / 2);
  if (!x->size || !y->size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: x and y cannot be empty", what);
}

// Returns whether x is at least as large as y along every axis.
bool covers(const gpuopt_array_s &x, const gpuopt_array_s &y) {
  return std::equal(x.shape, x.shape + x.ndim, y.shape, [](int64_t n, int64_t m) { return n >= m; });
}

Region valid_region(const gpuopt_array_s &x, const gpuopt_array_s &y, const char *what) {
  const bool wider = covers(x, y);
  if (!wider && !covers(y, x))
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: For 'valid' mode, one must be at least as large as the other in every dimension", what);
  Region region;
  for (int i = 0; i < x.ndim; ++i) {
    const int64_t least = std::min(x.shape[i], y.shape[i]), most = std::max(x.shape[i], y.shape[i]);
    region.begin.push_back(least - 1);
    region.count.push_back(most - least + 1);
  }
  return region;
}

Region wanted_region(const gpuopt_array_s &x, const gpuopt_array_s &y, gpuopt_convolve_mode mode, const char *what) {
  if (mode == GPUOPT_CONVOLVE_VALID) return valid_region(x, y, what);
  Region region;
  for (int i = 0; i < x.ndim; ++i) {
    const bool full = mode == GPUOPT_CONVOLVE_FULL;
    region.begin.push_back(full ? 0 : (y.shape[i] - 1) / 2);
    region.count.push_back(full ? x.shape[i] + y.shape[i] - 1 : x.shape[i]);
  }
  return region;
}

Convolution convolution_of(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, const char *what) {
  check_operands(x, y, mode, what);
  const gpuopt_array both[] = {x, y};
  const gpuopt_dtype dtype = common_dtype(both);
  Convolution c{what, in_dtype(x, dtype), in_dtype(y, dtype), wanted_region(*x, *y, mode, what)};
  if (c.kernel->size > c.signal->size) std::swap(c.signal, c.kernel);
  Dims full;
  for (int i = 0; i < c.ndim(); ++i) full.push_back(c.full_size(i));
  checked_size(c.ndim(), full.data(), 16);
  return c;
}

ArrayRef reversed_all(const ArrayRef &x) { return x->ndim ? flipped_view(x.get(), 0, nullptr) : x; }

// ---- Sums over windows

// How many elements beyond the signal's ends the windows reach, and where the first window begins between these.
struct Margins {
  Dims before, behind, start;
  bool any = false;
  explicit Margins(const Convolution &c) {
    for (int i = 0; i < c.ndim(); ++i) {
      const auto axis = static_cast<size_t>(i);
      const int64_t first = c.region.begin[axis] - (c.kernel->shape[i] - 1);
      const int64_t end = c.region.begin[axis] + c.region.count[axis];
      before.push_back(std::max<int64_t>(-first, 0));
      behind.push_back(std::max<int64_t>(end - c.signal->shape[i], 0));
      start.push_back(std::max<int64_t>(first, 0));
      any = any || before.back() || behind.back();
    }
  }
};

// Returns x with zeros around it.
ArrayRef with_margins(const ArrayRef &x, const Margins &margins) {
  Dims shape;
  for (int i = 0; i < x->ndim; ++i)
    shape.push_back(x->shape[i] + margins.before[static_cast<size_t>(i)] + margins.behind[static_cast<size_t>(i)]);
  checked_size(x->ndim, shape.data(), dtype_size(x->dtype));
  const ArrayRef whole = zeros_of(x->stream.get(), x->dtype, shape);
  ArrayRef middle = whole;
  for (int i = 0; i < x->ndim; ++i)
    middle = part_view(middle.get(), i, margins.before[static_cast<size_t>(i)], x->shape[i]);
  record_assign(middle.get(), x.get());
  return whole;
}

// Returns for each wanted element the window that belongs to it: views that overlap in memory.
Value windows_in(const ArrayRef &x, const Convolution &c, const Margins &margins) {
  Dims shape = c.region.count, strides(x->strides, x->strides + x->ndim);
  shape.insert(shape.end(), c.kernel->shape, c.kernel->shape + c.ndim());
  strides.insert(strides.end(), x->strides, x->strides + x->ndim);
  int64_t offset = x->offset;
  for (int i = 0; i < x->ndim; ++i) offset += margins.start[static_cast<size_t>(i)] * x->strides[i];
  return restrided(x.get(), shape, strides, offset, true);
}

ArrayRef true_like(const ArrayRef &x) {
  const unsigned char one = 1;
  return record_constant(x->stream.get(), GPUOPT_BOOL, x->ndim, x->shape, &one);
}

// What lies beyond the signal's ends does not count: a product of 0 and infinity or NaN is none.
ArrayRef by_sums(const Convolution &c) {
  if (is_half(c.dtype())) {  // products of 16-bit floats, too, are float32
    const Convolution wide{c.what, in_dtype(c.signal.get(), GPUOPT_FLOAT32), in_dtype(c.kernel.get(), GPUOPT_FLOAT32),
                           c.region};
    return in_dtype(by_sums(wide).get(), c.dtype());
  }
  const Margins margins(c);
  const uint64_t axes = ((uint64_t{1} << c.ndim()) - 1) << c.ndim();
  const Value windows = windows_in(margins.any ? with_margins(c.signal, margins) : c.signal, c, margins);
  const Value factors = reversed_all(c.kernel);
  if (c.dtype() == GPUOPT_BOOL)
    return record_reduction(GPUOPT_REDUCTION_any, logical_and(windows, factors).get(), axes, false, 0);
  Value products = windows * factors;
  if (margins.any && (dtype_kind(c.dtype()) == 'f' || dtype_kind(c.dtype()) == 'c')) {
    const Value inside = windows_in(with_margins(true_like(c.signal), margins), c, margins);
    products = where(inside, products, Value(0.0));
  }
  return record_reduction(GPUOPT_REDUCTION_sum, products.get(), axes, false, c.dtype());
}

// ---- Fourier transforms

// Returns the least product of powers of 2, 3 and 5 that is not below n.
int64_t fast_size(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t five = 1; five < best; five *= 5) {
    for (int64_t odd = five; odd < best; odd *= 3) {
      int64_t size = odd;
      while (size < n) size *= 2;
      best = std::min(best, size);
    }
  }
  return best;
}

// The axes that are transformed, all but those along which an operand has one element, and their sizes then.
struct Transforms {
  Dims axes, sizes;
  double elements = 1;  // of a transform
  explicit Transforms(const Convolution &c) {
    for (int i = 0; i < c.ndim(); ++i) {
      const int64_t full = c.full_size(i);
      const bool transformed = c.signal->shape[i] != 1 && c.kernel->shape[i] != 1;
      if (transformed) axes.push_back(i);
      if (transformed) sizes.push_back(fast_size(full));
      elements *= static_cast<double>(transformed ? sizes.back() : full);
    }
  }
  int32_t count() const { return static_cast<int32_t>(axes.size()); }
};

Value multiplied_transforms(const Convolution &c, const Value &x, const Value &y) {
  const Transforms t(c);
  if (t.axes.empty()) return x * y;
  const bool complex = dtype_kind(x.dtype()) == 'c';
  const gpuopt_fft_norm norm = GPUOPT_FFT_BACKWARD;
  const auto transformed = [&](auto function, const Value &v) -> Value {
    return made_by(function, c.what, v.get(), t.count(), t.sizes.data(), t.axes.data(), norm);
  };
  const auto forward = complex ? gpuopt_fftn : gpuopt_rfftn, backward = complex ? gpuopt_ifftn : gpuopt_irfftn;
  return transformed(backward, transformed(forward, x) * transformed(forward, y));
}

// Returns a result of transforms in the dtype of the operands.
Value rounded_to(const Value &x, gpuopt_dtype dtype) {
  if (dtype == GPUOPT_BOOL) return apply_op(GPUOPT_OP_greater, x, Value(0.5));
  if (dtype_kind(dtype) != 'i' && dtype_kind(dtype) != 'u') return cast(x, dtype);
  const Value whole = apply_op(GPUOPT_OP_round, x);
  return cast(dtype == GPUOPT_UINT64 ? whole : cast(whole, GPUOPT_INT64), dtype);  // narrow integers wrap
}

ArrayRef by_transforms(const Convolution &c) {
  const gpuopt_dtype inexact = as_inexact_dtype(c.dtype());
  const gpuopt_dtype dtype = is_half(inexact) ? GPUOPT_FLOAT32 : inexact;
  const Value all = multiplied_transforms(c, cast(c.signal, dtype), cast(c.kernel, dtype));
  ArrayRef part = all.array();
  for (int i = 0; i < c.ndim(); ++i)
    part = part_view(part.get(), i, c.region.begin[static_cast<size_t>(i)], c.region.count[static_cast<size_t>(i)]);
  const Value result = rounded_to(part, c.dtype());
  return result.get() == part.get() ? record_copy(part.get()) : result.array();
}

// ---- The choice

// Whether sums are likely to take longer than transforms. As measured, a product of floats and its sum take about as
// long as one of the N log2(N) parts of both transforms and the one back, and integers a quarter of that.
bool transforms_are_faster(const Convolution &c) {
  double products = static_cast<double>(c.kernel->size);
  for (const int64_t count : c.region.count) products *= static_cast<double>(count);
  const bool inexact = dtype_kind(c.dtype()) == 'f' || dtype_kind(c.dtype()) == 'c';
  const double n = Transforms(c).elements;
  return products > 2e4 + (inexact ? 1 : 4) * n * std::log2(n + 1);
}

// Whether the rounded results of transforms are exact. Their error is at most some log2(N) units of 2^-53 of the
// product of the operands' norms (Higham, "Accuracy and Stability of Numerical Algorithms", section 24.1).
bool transforms_are_exact(const Convolution &c) {
  const auto greatest = [](const ArrayRef &x) {
    const Extremes<double> e(x.get(), GPUOPT_FLOAT64);
    return std::fmax(std::fabs(e.least), std::fabs(e.greatest));
  };
  const double norms = greatest(c.signal) * greatest(c.kernel) *
                       std::sqrt(static_cast<double>(c.signal->size) * static_cast<double>(c.kernel->size));
  return norms * 10 * std::log2(Transforms(c).elements + 1) * 0x1p-53 < 0.25;
}

gpuopt_convolve_method chosen_method(const Convolution &c) {
  const char kind = dtype_kind(c.dtype());
  const bool fast = kind != '?' && transforms_are_faster(c) && (kind == 'f' || kind == 'c' || transforms_are_exact(c));
  return fast ? GPUOPT_CONVOLVE_FFT : GPUOPT_CONVOLVE_DIRECT;
}

ArrayRef convolved(const Convolution &c, gpuopt_convolve_method method) {
  if (method < GPUOPT_CONVOLVE_AUTO || method > GPUOPT_CONVOLVE_FFT)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Acceptable method flags are 'auto', 'direct', or 'fft'.", c.what);
  if (method == GPUOPT_CONVOLVE_AUTO) method = chosen_method(c);
  return method == GPUOPT_CONVOLVE_FFT ? by_transforms(c) : by_sums(c);
}

ArrayRef correlate_nd(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_convolve_method method) {
  check_operands(x, y, mode, "correlate_nd");
  const bool complex = dtype_kind(y->dtype) == 'c';
  const ArrayRef other = reversed_all(complex ? record_op(GPUOPT_OP_conj, {y}) : ArrayRef::share(y));
  return convolved(convolution_of(x, other.get(), mode, "correlate_nd"), method);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_convolve_nd(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode,
                                 gpuopt_convolve_method method, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return convolved(convolution_of(x, y, mode, "convolve_nd"), method); });
}

gpuopt_status gpuopt_correlate_nd(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode,
                                  gpuopt_convolve_method method, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return correlate_nd(x, y, mode, method); });
}

gpuopt_status gpuopt_choose_conv_method(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode,
                                        gpuopt_convolve_method *method, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!method) fail(GPUOPT_ERR_INVALID_ARGUMENT, "choose_conv_method: the result pointer is NULL");
    *method = chosen_method(convolution_of(x, y, mode, "choose_conv_method"));
  });
}

}  // extern "C"
