// core/numbers/numbers.cpp -- gpuopt_float_power, xlogy and entr, composed of powers and logarithms.
#include "core/numbers/numbers.h"

#include <limits>

namespace gpuopt {

Value real_operand(gpuopt_array x, const char *what) {
  deref_strong(x, what);
  if (dtype_kind(x->dtype) == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: not supported for numbers of dtype %s", what, dtype_name(x->dtype));
  return cast(x, as_inexact_dtype(x->dtype));
}

namespace {

// Returns the dtype of both operands, one of which may be a weak scalar.
gpuopt_dtype dtype_of_both(gpuopt_array x, gpuopt_array y, const char *what) {
  const bool number = deref(x, what).weak, other_number = deref(y, what).weak;
  if (number && other_number)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: both operands are weak scalars, which have no device", what);
  const gpuopt_array both[] = {x, y};
  return common_dtype(both);
}

// Returns x in this dtype; numbers stay what they are.
Value operand_in(gpuopt_array x, gpuopt_dtype dtype) { return x->weak ? Value(x) : cast(x, dtype); }

ArrayRef float_power(gpuopt_array x1, gpuopt_array x2) {
  const bool complex = dtype_kind(dtype_of_both(x1, x2, "float_power")) == 'c';
  const gpuopt_dtype dtype = complex ? GPUOPT_COMPLEX128 : GPUOPT_FLOAT64;
  return apply_op(GPUOPT_OP_pow, operand_in(x1, dtype), operand_in(x2, dtype)).array();
}

ArrayRef xlogy(gpuopt_array given_x, gpuopt_array given_y) {
  const gpuopt_dtype dtype = as_inexact_dtype(dtype_of_both(given_x, given_y, "xlogy"));
  const gpuopt_stream stream = (given_x->weak ? given_y : given_x)->stream.get();
  const auto operand = [&](gpuopt_array x) -> Value {
    if (!x->weak) return cast(x, dtype);
    unsigned char element[16];
    store_scalar(x->scalar, dtype, element);
    return record_constant(stream, dtype, 0, nullptr, element);
  };
  const Value x = operand(given_x), y = operand(given_y);
  const Value vanishes = logical_and(equal(x, Value(0.0)), logical_not(isnan(y)));
  return where(vanishes, Value(0.0), x * apply_op(GPUOPT_OP_log, y)).array();
}

ArrayRef entr(gpuopt_array given) {
  const Value x = real_operand(given, "entr");
  const Value positive = apply_op(GPUOPT_OP_negative, x) * apply_op(GPUOPT_OP_log, x);
  const Value below =
      where(apply_op(GPUOPT_OP_less, x, Value(0.0)), Value(-std::numeric_limits<double>::infinity()), positive);
  return where(equal(x, Value(0.0)), Value(0.0), below).array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_float_power(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return float_power(x1, x2); });
}

gpuopt_status gpuopt_xlogy(gpuopt_array x, gpuopt_array y, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return xlogy(x, y); });
}

gpuopt_status gpuopt_entr(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return entr(x); });
}

}  // extern "C"
