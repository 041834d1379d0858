// core/creation/limits.cpp -- gpuopt_round_decimals, finfo and iinfo.
#include <cmath>
#include <limits>

#include "core/selection/call.h"

namespace gpuopt {
namespace {

// ---- Rounding

// Returns x scaled by op with a power of ten, rounded, and scaled back by the other operation, as NumPy does.
Value rounded(const Value &x, int32_t decimals) {
  const double digits = std::abs(static_cast<double>(decimals));
  const Value power(digits > 400 ? INFINITY : std::pow(10.0, digits));
  const bool fraction = decimals >= 0;
  const Value scaled = apply_op(fraction ? GPUOPT_OP_multiply : GPUOPT_OP_divide, x, power);
  const Value whole = apply_op(GPUOPT_OP_round, scaled);
  return apply_op(fraction ? GPUOPT_OP_divide : GPUOPT_OP_multiply, whole, power);
}

// The same of each component of complex numbers.
Value rounded_complex(const Value &x, int32_t decimals) {
  const Value re = rounded(apply_op(GPUOPT_OP_real, x), decimals), im = rounded(apply_op(GPUOPT_OP_imag, x), decimals);
  return re + im * Value(gpuopt_scalar_complex(0, 1));
}

ArrayRef round_decimals(gpuopt_array x, int32_t decimals) {
  const gpuopt_dtype dtype = deref_strong(x, "round_decimals").dtype;
  switch (dtype_kind(dtype)) {
    case '?':
      fail(GPUOPT_ERR_TYPE, "round_decimals: bool is not rounded");
    case 'c':
      return cast(rounded_complex(x, decimals), dtype).array();
    case 'f':
      return (decimals ? rounded(x, decimals) : apply_op(GPUOPT_OP_round, Value(x))).array();
    default:
      if (decimals >= 0) return record_copy(x);
      return cast(rounded(cast(x, GPUOPT_FLOAT64), decimals), dtype).array();
  }
}

// ---- Limits

struct FloatFormat {
  int mantissa_bits, exponent_bits;
};

FloatFormat format_of(gpuopt_dtype dtype) {
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return {10, 5};
    case GPUOPT_BFLOAT16:
      return {7, 8};
    case GPUOPT_FLOAT32:
      return {23, 8};
    case GPUOPT_FLOAT64:
      return {52, 11};
    default:
      fail(GPUOPT_ERR_TYPE, "finfo: data type '%s' not inexact", dtype_name(dtype));
  }
}

// Returns the number as the dtype has it.
double as_stored(gpuopt_dtype dtype, double number) {
  unsigned char element[16];
  store_scalar(gpuopt_scalar_real(number), dtype, element, true);
  return load_scalar(dtype, element).value.f;
}

gpuopt_float_limits float_limits(gpuopt_dtype given) {
  const gpuopt_dtype dtype = real_component(dtype_or(given, GPUOPT_FLOAT64, "finfo"));
  const FloatFormat format = format_of(dtype);
  gpuopt_float_limits limits{};
  limits.bits = 8 * dtype_size(dtype);
  limits.mantissa_bits = format.mantissa_bits;
  limits.exponent_bits = format.exponent_bits;
  limits.precision = static_cast<int32_t>(format.mantissa_bits * std::log10(2.0));
  limits.max_exponent = 1 << (format.exponent_bits - 1);
  limits.min_exponent = 2 - limits.max_exponent;
  limits.dtype = dtype;
  limits.eps = std::ldexp(1.0, -format.mantissa_bits);
  limits.epsneg = limits.eps / 2;
  limits.max = std::ldexp(2.0 - limits.eps, limits.max_exponent - 1);
  limits.min = -limits.max;
  limits.smallest_normal = std::ldexp(1.0, limits.min_exponent);
  limits.smallest_subnormal = std::ldexp(1.0, limits.min_exponent - format.mantissa_bits);
  limits.resolution = as_stored(dtype, std::pow(10.0, -limits.precision));
  return limits;
}

gpuopt_integer_limits integer_limits(gpuopt_dtype given) {
  const gpuopt_dtype dtype = dtype_or(given, GPUOPT_INT64, "iinfo");
  const char kind = dtype_kind(dtype);
  if (kind != 'i' && kind != 'u') fail(GPUOPT_ERR_TYPE, "iinfo: Invalid integer data type '%s'", dtype_name(dtype));
  gpuopt_integer_limits limits{};
  limits.bits = 8 * dtype_size(dtype);
  limits.max = ~uint64_t{0} >> (64 - limits.bits + (kind == 'i'));
  limits.min = kind == 'i' ? -static_cast<int64_t>(limits.max) - 1 : 0;
  return limits;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_round_decimals(gpuopt_array x, int32_t decimals, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return round_decimals(x, decimals); });
}

gpuopt_status gpuopt_finfo(gpuopt_dtype dtype, gpuopt_float_limits *limits, gpuopt_error *error) {
  return guarded(error, [&] { give(float_limits(dtype), limits, "finfo"); });
}

gpuopt_status gpuopt_iinfo(gpuopt_dtype dtype, gpuopt_integer_limits *limits, gpuopt_error *error) {
  return guarded(error, [&] { give(integer_limits(dtype), limits, "iinfo"); });
}

}  // extern "C"
