// core/numbers/parts.cpp -- gpuopt_frexp, ldexp, modf, divmod and spacing: parts of numbers, exactly.
#include <limits>

#include "core/numbers/numbers.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

constexpr int kLeast = -1022, kMost = 1023;  // exponents of the normal powers of two of float64

Value infinity() { return Value(std::numeric_limits<double>::infinity()); }
Value maximum_of(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_maximum, a, b); }
Value minimum_of(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_minimum, a, b); }
Value below(const Value &a, double bound) { return apply_op(GPUOPT_OP_less, a, Value(bound)); }
Value above(const Value &a, double bound) { return apply_op(GPUOPT_OP_greater, a, Value(bound)); }
Value power_of_two(const Value &n) { return apply_op(GPUOPT_OP_exp2, n); }

// ---- frexp

// Returns floor(log2(|y|)) for normal y, or a neighbour of it, as float64.
Value estimated_exponent(const Value &y) {
  const Value log = floor(apply_op(GPUOPT_OP_log2, abs(y)));
  return maximum_of(minimum_of(log, Value(double{kMost})), Value(double{kLeast}));
}

// All of this is exact: subnormal numbers are scaled up first, and an estimate that is one off is corrected.
std::vector<ArrayRef> frexp(gpuopt_array given) {
  const Value x = real_operand(given, "frexp");
  const Value wide = cast(x, GPUOPT_FLOAT64);
  const Value special = logical_or(equal(wide, Value(0.0)), logical_not(isfinite(wide)));
  const Value subnormal = below(abs(wide), 0x1p-1022);
  const Value y = where(special, Value(1.0), where(subnormal, wide * Value(0x1p54), wide));
  const Value e = estimated_exponent(y);
  // 2^-1023 and less would be subnormal: half of y is scaled by twice the power.
  const Value m = where(above(e, 0), (y * Value(0.5)) * power_of_two(Value(1.0) - e),
                        y * power_of_two(apply_op(GPUOPT_OP_negative, e)));
  const Value small = below(abs(m), 1), large = logical_not(below(abs(m), 2));
  const Value scale = where(small, Value(1.0), where(large, Value(0.25), Value(0.5)));
  const Value shift = where(small, Value(0.0), where(large, Value(2.0), Value(1.0)));
  const Value exponent = e + shift - where(subnormal, Value(54.0), Value(0.0));
  const Value mantissa = where(special, wide, m * scale);
  return {in_dtype(mantissa.get(), x.dtype()), record_cast(where(special, Value(0.0), exponent).get(), GPUOPT_INT32)};
}

// ---- ldexp

// Returns the exponent as float64, held within bounds beyond which no finite number but 0 stays what it is.
Value bounded_exponent(gpuopt_array given, gpuopt_stream stream) {
  const char kind = dtype_kind(deref(given, "ldexp").dtype);
  if (kind == 'f' || kind == 'c') fail(GPUOPT_ERR_TYPE, "ldexp: the exponent is no integer");
  constexpr double bound = 4000;
  const Value n = in_dtype_on(stream, given, given->dtype == GPUOPT_UINT64 ? GPUOPT_UINT64 : GPUOPT_INT64);
  const Value wide = cast(n, GPUOPT_FLOAT64);
  return maximum_of(minimum_of(wide, Value(bound)), Value(-bound));
}

// One step of the scaling: what to multiply by, and what is left of n. The steps are those of musl's scalbn, in which
// only the last multiplication rounds a result that is not 0: 2^-969 leaves 53 bits above the least normal number.
struct ScaleStep {
  Value factor, rest;
  explicit ScaleStep(const Value &n)
      : factor(where(above(n, kMost), Value(0x1p1023), where(below(n, kLeast), Value(0x1p-969), Value(1.0)))),
        rest(n - where(above(n, kMost), Value(1023.0), where(below(n, kLeast), Value(-969.0), Value(0.0)))) {}
};

Value scaled(const Value &x, const Value &n) {
  const ScaleStep first(n), second(first.rest);
  const Value last = maximum_of(minimum_of(second.rest, Value(double{kMost})), Value(double{kLeast}));
  return ((x * first.factor) * second.factor) * power_of_two(last);
}

// Numbers of less than 64 bits are scaled exactly in float64, and rounded once.
ArrayRef ldexp(gpuopt_array given, gpuopt_array exponent) {
  const Value x = real_operand(given, "ldexp");
  if (!deref(exponent, "ldexp").weak) check_same_device("ldexp", {given, exponent});
  const Value n = bounded_exponent(exponent, given->stream.get());
  if (x.dtype() == GPUOPT_FLOAT64) return scaled(x, n).array();
  const Value last = maximum_of(minimum_of(n, Value(600.0)), Value(-600.0));
  return in_dtype((cast(x, GPUOPT_FLOAT64) * power_of_two(last)).get(), x.dtype());
}

// ---- modf, divmod, spacing

std::vector<ArrayRef> modf(gpuopt_array given) {
  const Value x = real_operand(given, "modf"), whole = apply_op(GPUOPT_OP_trunc, x);
  const Value rest = where(apply_op(GPUOPT_OP_isinf, x), Value(0.0), x - whole);
  return {apply_op(GPUOPT_OP_copysign, rest, x).array(), whole.array()};
}

std::vector<ArrayRef> divmod(gpuopt_array x1, gpuopt_array x2) {
  deref(x1, "divmod");
  deref(x2, "divmod");
  return {record_op(GPUOPT_OP_floor_divide, {x1, x2}), record_op(GPUOPT_OP_remainder, {x1, x2})};
}

ArrayRef spacing(gpuopt_array given) {
  const Value x = real_operand(given, "spacing");
  const Value away = where(below(x, 0), Value(-std::numeric_limits<double>::infinity()), infinity());
  const Value next = apply_op(GPUOPT_OP_nextafter, x, cast(away, x.dtype()));
  return (next - x).array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_frexp(gpuopt_array x, gpuopt_array *mantissa, gpuopt_array *exponent, gpuopt_error *error) {
  return giving_each({mantissa, exponent}, error, [&] { return frexp(x); });
}

gpuopt_status gpuopt_ldexp(gpuopt_array x, gpuopt_array exponent, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return ldexp(x, exponent); });
}

gpuopt_status gpuopt_modf(gpuopt_array x, gpuopt_array *fraction, gpuopt_array *whole, gpuopt_error *error) {
  return giving_each({fraction, whole}, error, [&] { return modf(x); });
}

gpuopt_status gpuopt_divmod(gpuopt_array x1, gpuopt_array x2, gpuopt_array *quotient, gpuopt_array *remainder,
                            gpuopt_error *error) {
  return giving_each({quotient, remainder}, error, [&] { return divmod(x1, x2); });
}

gpuopt_status gpuopt_spacing(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return spacing(x); });
}

}  // extern "C"
