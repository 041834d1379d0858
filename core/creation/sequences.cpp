// core/creation/sequences.cpp -- gpuopt_linspace_step, logspace, geomspace and vander.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/ops/create.h"
#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

using Complex = std::complex<double>;

Complex complex_of(const gpuopt_scalar &s) {
  if (s.kind == 'f') return s.value.f;
  if (s.kind == 'c') return {s.value.f, s.imag};
  return s.kind == 'u' ? static_cast<double>(s.value.u) : static_cast<double>(s.value.i);
}

bool is_integer(const gpuopt_scalar &s) { return s.kind == 'i' || s.kind == 'u' || s.kind == '?'; }
bool is_integer_dtype(gpuopt_dtype dtype) { return dtype_kind(dtype) == 'i' || dtype_kind(dtype) == 'u'; }

// Returns the dtype of a sequence between two numbers: the one asked for, or float64, or complex128.
gpuopt_dtype sequence_dtype(gpuopt_dtype asked, const gpuopt_scalar &start, const gpuopt_scalar &stop,
                            const char *what) {
  check_scalar(start, what), check_scalar(stop, what);
  const bool is_complex = start.kind == 'c' || stop.kind == 'c';
  const gpuopt_dtype dtype = dtype_or(asked, is_complex ? GPUOPT_COMPLEX128 : GPUOPT_FLOAT64, what);
  if (is_complex && dtype_kind(dtype) != 'c')
    fail(GPUOPT_ERR_TYPE, "%s: complex numbers do not become %s", what, dtype_name(dtype));
  return dtype;
}

// Returns re + im i of two arrays of real numbers.
Value joined_components(const ArrayRef &re, const ArrayRef &im) {
  return Value(re) + Value(im) * Value(gpuopt_scalar_complex(0, 1));
}

Value complex_linspace(gpuopt_stream stream, Complex start, Complex stop, int64_t num, bool endpoint) {
  return joined_components(linspace(stream, GPUOPT_FLOAT64, start.real(), stop.real(), num, endpoint),
                           linspace(stream, GPUOPT_FLOAT64, start.imag(), stop.imag(), num, endpoint));
}

gpuopt_scalar step_between(Complex start, Complex stop, int64_t num, bool endpoint, bool is_complex) {
  const int64_t intervals = endpoint ? num - 1 : num;
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const Complex step =
      intervals > 0 ? (stop - start) / static_cast<double>(intervals) : Complex(missing, is_complex ? missing : 0);
  return is_complex ? gpuopt_scalar_complex(step.real(), step.imag()) : gpuopt_scalar_real(step.real());
}

// Returns y with its first and, if `last` is given, last element replaced by these numbers.
Value with_ends(const Value &y, gpuopt_stream stream, const gpuopt_scalar &first, const gpuopt_scalar *last) {
  const int64_t n = y.get()->size;
  const Value at = iota(stream, n);
  const auto number = [&](const gpuopt_scalar &s) { return Value(scalar_array(stream, y.dtype(), s)); };
  const Value begun = where(equal(at, Value(int64_t{0})), number(first), y);
  return last && n > 1 ? where(equal(at, Value(n - 1)), number(*last), begun) : begun;
}

ArrayRef linspace_step(gpuopt_device device, gpuopt_dtype asked, const gpuopt_scalar &start, const gpuopt_scalar &stop,
                       int64_t num, bool endpoint, gpuopt_scalar *step) {
  const char *const what = "linspace";
  const gpuopt_dtype dtype = sequence_dtype(asked, start, stop, what);
  const gpuopt_stream stream = deref(device, what).default_stream;
  const Complex from = complex_of(start), to = complex_of(stop);
  const bool is_complex = start.kind == 'c' || stop.kind == 'c';
  if (num < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "linspace: Number of samples, %lld, must be non-negative.",
         static_cast<long long>(num));
  Value y = is_complex ? cast(complex_linspace(stream, from, to, num, endpoint).get(), dtype)
                       : Value(linspace(stream, dtype, from.real(), to.real(), num, endpoint));
  if (is_integer_dtype(dtype) && is_integer(start) && num > 0)
    y = with_ends(y, stream, start, endpoint && is_integer(stop) ? &stop : nullptr);
  if (step) *step = step_between(from, to, num, endpoint, is_complex);
  return y.array();
}

ArrayRef logspace(gpuopt_device device, gpuopt_dtype asked, double start, double stop, int64_t num, bool endpoint,
                  double base) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, "logspace");
  const Value y = linspace(deref(device, "logspace").default_stream, GPUOPT_FLOAT64, start, stop, num, endpoint);
  return cast(apply_op(GPUOPT_OP_pow, Value(base), y), dtype).array();
}

// Returns what the values of a geometric sequence are divided by, so that it begins with a positive number.
Complex sign_of(Complex x, bool is_complex) {
  return is_complex ? x / std::abs(x) : Complex(x.real() < 0 ? -1.0 : 1.0);
}

Value powers_between(gpuopt_stream stream, Complex from, Complex to, int64_t num, bool endpoint, bool is_complex) {
  if (is_complex) {
    const Value y = complex_linspace(stream, std::log10(from), std::log10(to), num, endpoint);
    return apply_op(GPUOPT_OP_pow, Value(10.0), y);
  }
  return apply_op(
      GPUOPT_OP_pow, Value(10.0),
      Value(linspace(stream, GPUOPT_FLOAT64, std::log10(from.real()), std::log10(to.real()), num, endpoint)));
}

ArrayRef geomspace(gpuopt_device device, gpuopt_dtype asked, const gpuopt_scalar &start, const gpuopt_scalar &stop,
                   int64_t num, bool endpoint) {
  const char *const what = "geomspace";
  const gpuopt_dtype dtype = sequence_dtype(asked, start, stop, what);
  const gpuopt_stream stream = deref(device, what).default_stream;
  const Complex from = complex_of(start), to = complex_of(stop);
  const bool is_complex = start.kind == 'c' || stop.kind == 'c';
  if (from == 0.0 || to == 0.0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "geomspace: Geometric sequence cannot include zero");
  if (num < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "geomspace: Number of samples, %lld, must be non-negative.",
         static_cast<long long>(num));
  const Complex sign = sign_of(from, is_complex);
  const Value y = powers_between(stream, from / sign, to / sign, num, endpoint, is_complex);
  const Value turned = y * (is_complex ? Value(gpuopt_scalar_complex(sign.real(), sign.imag())) : Value(sign.real()));
  if (num == 0) return cast(turned, dtype).array();
  return cast(with_ends(turned, stream, start, endpoint ? &stop : nullptr), dtype).array();
}

// ---- Powers

ArrayRef vander(gpuopt_array x, int64_t n, bool increasing) {
  check_one_dimension(deref_strong(x, "vander"), "x", "vander");
  const gpuopt_dtype dtype = promote(x->dtype, GPUOPT_INT64);
  const int64_t columns = n < 0 ? x->size : n, shape[] = {x->size, columns};
  checked_size(2, shape, dtype_size(dtype));
  const Dims ones{x->size, std::min<int64_t>(columns, 1)}, powers{x->size, std::max<int64_t>(columns - 1, 0)};
  const unsigned char zero[16] = {};
  const Value first = Value(record_constant(x->stream.get(), dtype, 2, ones.data(), zero)) + Value(int64_t{1});
  const ArrayRef column = expanded_view(in_dtype(x, dtype).get(), 1);
  const ArrayRef all =
      record_scan(GPUOPT_SCAN_cumulative_prod, broadcast_view(column.get(), powers, "vander").get(), 1, dtype);
  const gpuopt_array parts[] = {first.get(), all.get()};
  const ArrayRef rising = joined(parts, 1, dtype, "vander");
  const int64_t axis = 1;
  return increasing ? rising : record_copy(flipped_view(rising.get(), 1, &axis).get());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_linspace_step(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                                   int64_t num, int32_t endpoint, gpuopt_scalar *step, gpuopt_array *result,
                                   gpuopt_error *error) {
  return giving(result, error, [&] { return linspace_step(device, dtype, start, stop, num, endpoint != 0, step); });
}

gpuopt_status gpuopt_logspace(gpuopt_device device, gpuopt_dtype dtype, double start, double stop, int64_t num,
                              int32_t endpoint, double base, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return logspace(device, dtype, start, stop, num, endpoint != 0, base); });
}

gpuopt_status gpuopt_geomspace(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                               int64_t num, int32_t endpoint, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return geomspace(device, dtype, start, stop, num, endpoint != 0); });
}

gpuopt_status gpuopt_vander(gpuopt_array x, int64_t n, int32_t increasing, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return vander(x, n, increasing != 0); });
}

}  // extern "C"
