// core/ops/apply.cpp -- elementwise operations with options: gpuopt_apply_with().
#include <algorithm>
#include <vector>

#include "core/engine/expression.h"
#include "core/ops/ops.h"

namespace gpuopt {
namespace {

const char *casting_name(gpuopt_casting casting) {
  static constexpr const char *kNames[] = {"same_kind", "no", "safe", "same_kind", "unsafe"};
  return kNames[casting];
}

bool is_allowed(gpuopt_dtype from, gpuopt_dtype to, gpuopt_casting casting) {
  if (casting == GPUOPT_CASTING_UNSAFE) return true;
  if (casting == GPUOPT_CASTING_NO) return from == to;
  return can_cast(from, to, casting == GPUOPT_CASTING_SAFE ? 0 : 1);
}

// `part` is "input 0" or "output".
void check_casting(gpuopt_dtype from, gpuopt_dtype to, gpuopt_casting casting, const char *name, const char *part) {
  if (is_allowed(from, to, casting)) return;
  fail(GPUOPT_ERR_TYPE, "%s: Cannot cast ufunc '%s' %s from dtype('%s') to dtype('%s') with casting rule '%s'", name,
       name, part, dtype_name(from), dtype_name(to), casting_name(casting));
}

// Returns a weak scalar beside arrays of a dtype. One of a higher kind, as 1.5 beside int64, would raise the result to
// another dtype than was asked for: its value is cast.
ArrayRef cast_scalar(gpuopt_array x, gpuopt_dtype dtype, gpuopt_casting casting, const char *name, const char *part) {
  if (promote_weak(dtype, x->scalar.kind) == dtype) return ArrayRef::share(x);
  check_casting(promote_weak(0, x->scalar.kind), dtype, casting, name, part);
  unsigned char element[16];
  store_scalar(x->scalar, dtype, element, true);
  return make_weak(load_scalar(dtype, element));
}

// Returns the inputs, cast to options.dtype if there is one.
std::vector<ArrayRef> cast_inputs(gpuopt_op op, std::span<const gpuopt_array> inputs,
                                  const gpuopt_apply_options &options) {
  const RowInfo &info = op_info(op);
  const gpuopt_dtype dtype = dtype_or(options.dtype, 0, info.name);
  std::vector<ArrayRef> cast;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const gpuopt_array x = &deref(inputs[i], info.name);
    const bool condition = info.result == ResultRule::SELECT && i == 0;
    if (!dtype || condition) {
      cast.push_back(ArrayRef::share(x));
      continue;
    }
    const char part[] = {'i', 'n', 'p', 'u', 't', ' ', static_cast<char>('0' + i), 0};
    if (x->weak) {
      cast.push_back(cast_scalar(x, dtype, options.casting, info.name, part));
      continue;
    }
    check_casting(x->dtype, dtype, options.casting, info.name, part);
    cast.push_back(in_dtype(x, dtype));
  }
  return cast;
}

// Returns an operand in the dtype of a result; a weak scalar as an array without dimensions.
Value operand_as(gpuopt_array x, const Value &result) {
  if (!x->weak) return cast(x, result.dtype());
  unsigned char element[16];
  store_scalar(x->scalar, result.dtype(), element, true);
  return record_constant(result.get()->stream.get(), result.dtype(), 0, nullptr, element);
}

// An infinity by a finite number, and a finite number by an infinity, are what division gives: it is exact there.
Value standard_floor_divide(const Value &quotient, gpuopt_array x1, gpuopt_array x2) {
  if (dtype_kind(quotient.dtype()) != 'f') return quotient;
  const Value a = operand_as(x1, quotient), b = operand_as(x2, quotient);
  const Value one_is_infinite =
      apply_op(GPUOPT_OP_not_equal, apply_op(GPUOPT_OP_isinf, a), apply_op(GPUOPT_OP_isinf, b));
  return where(one_is_infinite, a / b, quotient);
}

// tanh(inf + iy) is 1 + 0i for positive y, where C's Annex G has the sign of sin(2y).
Value standard_tanh(const Value &result, gpuopt_array x) {
  if (dtype_kind(result.dtype()) != 'c') return result;
  const Value above = cast(apply_op(GPUOPT_OP_real, result), result.dtype());
  const Value below = apply_op(GPUOPT_OP_conj, above);
  const Value at_infinity = where(apply_op(GPUOPT_OP_signbit, apply_op(GPUOPT_OP_imag, Value(x))), below, above);
  const Value finite = isfinite(apply_op(GPUOPT_OP_imag, Value(x)));
  const Value infinite = apply_op(GPUOPT_OP_isinf, apply_op(GPUOPT_OP_real, Value(x)));
  return where(logical_and(infinite, finite), at_infinity, result);
}

// Adding 0 - 0i changes nothing but the sign of a real part that is -0.
Value standard_expm1(const Value &result) {
  if (dtype_kind(result.dtype()) != 'c') return result;
  return result + Value(gpuopt_scalar_complex(0.0, -0.0));
}

Value standard_result(gpuopt_op op, const Value &result, std::span<const gpuopt_array> inputs) {
  switch (op) {
    case GPUOPT_OP_floor_divide:
      return standard_floor_divide(result, inputs[0], inputs[1]);
    case GPUOPT_OP_tanh:
      return standard_tanh(result, inputs[0]);
    case GPUOPT_OP_expm1:
      return standard_expm1(result);
    default:
      return result;
  }
}

// Returns the result where the mask is true, elsewhere what `out` has, or 0. An `out` that is smaller than the two
// broadcast together is an error of the assignment to it.
Value masked(const Value &result, const gpuopt_apply_options &options, const char *name) {
  const gpuopt_array mask = options.where;
  if (deref(mask, name).weak || mask->dtype != GPUOPT_BOOL) {
    fail(GPUOPT_ERR_TYPE,
         "%s: where: Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'", name,
         mask->weak ? "number" : dtype_name(mask->dtype));
  }
  if (options.out) return where(mask, cast(result, options.out->dtype), options.out);
  return where(mask, result, operand_as(make_weak(gpuopt_scalar_int(0)).get(), result));
}

void check_options(const gpuopt_apply_options &options, const char *name) {
  if (options.flags & ~GPUOPT_APPLY_STANDARD)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: unknown flags 0x%x", name, options.flags);
  if (options.casting < GPUOPT_CASTING_DEFAULT || options.casting > GPUOPT_CASTING_UNSAFE)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: casting %d is none", name, options.casting);
}

void store_result(const Value &result, gpuopt_array out, const char *name) {
  Shape common;
  const std::span<const int64_t> shapes[] = {result.get()->sizes(), out->sizes()};
  broadcast_shape(shapes, common, name);
  if (!std::ranges::equal(out->sizes(), std::span(common.sizes, static_cast<size_t>(common.ndim)))) {
    fail(GPUOPT_ERR_SHAPE, "%s: non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
         name, shape_text(out->ndim, out->shape).c_str(), shape_text(common.ndim, common.sizes).c_str());
  }
  record_assign(out, result.get());
}

ArrayRef apply_with(gpuopt_op op, std::span<const gpuopt_array> given, const gpuopt_apply_options &options) {
  const char *const name = op_info(op).name;
  check_options(options, name);
  if (options.out) deref_strong(options.out, name);
  const std::vector<ArrayRef> owned = cast_inputs(op, given, options);
  std::vector<gpuopt_array> inputs(owned.size());
  std::ranges::transform(owned, inputs.begin(), [](const ArrayRef &x) { return x.get(); });
  Value result = record_operation(op, inputs);
  if (options.flags & GPUOPT_APPLY_STANDARD) result = standard_result(op, result, inputs);
  if (options.out) check_casting(result.dtype(), options.out->dtype, options.casting, name, "output");
  if (options.where) result = masked(result, options, name);
  if (!options.out) return result.array();
  store_result(result, options.out, name);
  return ArrayRef::share(options.out);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_apply_with(gpuopt_op op, int32_t count, const gpuopt_array *inputs,
                                const gpuopt_apply_options *options, gpuopt_array *result, gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    const auto known = options_or_default(options, "gpuopt_apply_options");
    if (count < 0 || (count && !inputs)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "apply_with: the inputs are missing");
    if (!known.out && !result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "apply_with: both out and result are NULL");
    ArrayRef made = apply_with(op, std::span(inputs, static_cast<size_t>(count)), known);
    if (result) *result = made.leave();
  });
}

}  // extern "C"
