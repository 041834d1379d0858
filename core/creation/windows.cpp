// core/creation/windows.cpp -- gpuopt_bartlett, blackman, hamming, hanning, kaiser and i0.
#include <numbers>
#include <span>

#include "core/creation/i0_table.h"
#include "core/ops/create.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

Value cosine(const Value &x) { return apply_op(GPUOPT_OP_cos, x); }
Value exponential(const Value &x) { return apply_op(GPUOPT_OP_exp, x); }

// Returns window(n, last), where n are the numbers 1 - points, 3 - points .. points - 1 and `last` is points - 1.
template <class Window>
ArrayRef window_of(gpuopt_device device, int64_t points, const char *what, Window window) {
  const gpuopt_stream stream = deref(device, what).default_stream;
  const int64_t size = points < 1 ? 0 : points;
  checked_size(1, &size, dtype_size(GPUOPT_FLOAT64));
  if (size < 2) return cast(iota(stream, size) + Value(int64_t{1}), GPUOPT_FLOAT64).array();
  const Value n = cast(iota(stream, size) * Value(int64_t{2}) - Value(size - 1), GPUOPT_FLOAT64);
  return window(n, static_cast<double>(size - 1)).array();
}

// cos(k pi n / last), of NumPy's terms.
Value wave(const Value &n, double k, double last) { return cosine(Value(k * std::numbers::pi) * n / Value(last)); }

Value bartlett(const Value &n, double last) {
  const Value slope = n / Value(last), one(1.0);
  return where(less_equal(n, Value(0.0)), one + slope, one - slope);
}
Value blackman(const Value &n, double last) {
  return Value(0.42) + Value(0.5) * wave(n, 1, last) + Value(0.08) * wave(n, 2, last);
}
Value hamming(const Value &n, double last) { return Value(0.54) + Value(0.46) * wave(n, 1, last); }
Value hanning(const Value &n, double last) { return Value(0.5) + Value(0.5) * wave(n, 1, last); }

// ---- The Bessel function

// Returns the sum of c[k] T_k(t/2), of which the constant term counts half, by Clenshaw's recurrence (C. W. Clenshaw,
// "A note on the summation of Chebyshev series", 1955).
Value chebyshev_sum(const Value &t, std::span<const double> c) {
  Value b0(c.back()), b1(0.0), b2(0.0);
  for (size_t k = c.size() - 1; k-- > 0;) {
    b2 = b1;
    b1 = b0;
    b0 = t * b1 - b2 + Value(c[k]);
  }
  return Value(0.5) * (b0 - b2);
}

// I0 of float64 numbers.
Value bessel_i0(const Value &x) {
  const Value size = abs(x), limit(8.0), growth = exponential(size);
  const Value low = chebyshev_sum(size / Value(2.0) - Value(2.0), kI0Below);
  const Value high = chebyshev_sum(Value(32.0) / size - Value(2.0), kI0Above) / sqrt(size);
  return growth * where(less_equal(size, limit), low, high);
}

Value kaiser(const Value &n, double last, double beta) {
  const Value place = n / Value(last);  // from -1 to 1
  const Value top = bessel_i0(Value(beta) * sqrt(Value(1.0) - square(place)));
  const Value whole = scalar_array(n.get()->stream.get(), GPUOPT_FLOAT64, gpuopt_scalar_real(beta));
  return top / bessel_i0(whole);
}

ArrayRef i0(gpuopt_array x) {
  const gpuopt_dtype dtype = deref_strong(x, "i0").dtype;
  if (dtype_kind(dtype) == 'c') fail(GPUOPT_ERR_TYPE, "i0: i0 not supported for complex values");
  return cast(bessel_i0(cast(x, GPUOPT_FLOAT64)), as_inexact_dtype(dtype)).array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_bartlett(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return window_of(device, n, "bartlett", bartlett); });
}

gpuopt_status gpuopt_blackman(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return window_of(device, n, "blackman", blackman); });
}

gpuopt_status gpuopt_hamming(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return window_of(device, n, "hamming", hamming); });
}

gpuopt_status gpuopt_hanning(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return window_of(device, n, "hanning", hanning); });
}

gpuopt_status gpuopt_kaiser(gpuopt_device device, int64_t n, double beta, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return window_of(device, n, "kaiser",
                     [beta](const Value &places, double last) { return kaiser(places, last, beta); });
  });
}

gpuopt_status gpuopt_i0(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return i0(x); });
}

}  // extern "C"
