// core/ops/ops.cpp -- the C functions of elementwise operations, conversions and assignments.
#include "core/ops/ops.h"

#include <cmath>
#include <limits>

#include "core/engine/engine.h"
#include "core/engine/expression.h"
#include "core/engine/record.h"
#include "core/engine/small.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

// Returns the comparison `m` for which m(b, a) is op(a, b).
gpuopt_op mirrored(gpuopt_op op) {
  switch (op) {
    case GPUOPT_OP_less:
      return GPUOPT_OP_greater;
    case GPUOPT_OP_less_equal:
      return GPUOPT_OP_greater_equal;
    case GPUOPT_OP_greater:
      return GPUOPT_OP_less;
    case GPUOPT_OP_greater_equal:
      return GPUOPT_OP_less_equal;
    default:
      return op;
  }
}

// The range of an integer dtype.
struct IntegerRange {
  bool is_signed;
  uint64_t greatest;
  explicit IntegerRange(gpuopt_dtype d)
      : is_signed(dtype_kind(d) == 'i'), greatest(~uint64_t{0} >> (64 - 8 * dtype_size(d) + is_signed)) {}

  gpuopt_scalar top() const { return gpuopt_scalar_uint(greatest); }
  gpuopt_scalar bottom() const { return gpuopt_scalar_int(is_signed ? -static_cast<int64_t>(greatest) - 1 : 0); }
  // Returns -1, 0 or 1 for an integer that lies below, within or above the range.
  int side(const gpuopt_scalar &x) const {
    if (x.kind == 'i' && x.value.i < 0) return x.value.i < bottom().value.i ? -1 : 0;
    return x.value.u > greatest ? 1 : 0;
  }
};

// Whether one array has a signed integer dtype and the other one uint64, for which there is no common integer dtype.
bool mixes_signs(gpuopt_array signed_one, gpuopt_array unsigned_one) {
  return !signed_one->weak && !unsigned_one->weak && dtype_kind(signed_one->dtype) == 'i' &&
         unsigned_one->dtype == GPUOPT_UINT64;
}

// Compares s, of a signed integer dtype, with u, of uint64, exactly, as NumPy does. In their common dtype, float64,
// both would be rounded. Where s is negative it is less than u; elsewhere it is cast to uint64 without loss.
ArrayRef record_mixed_comparison(gpuopt_op op, gpuopt_array s, gpuopt_array u, gpuopt_array out) {
  const char *const name = op_info(op).name;
  const bool holds_below_zero = op == GPUOPT_OP_not_equal || op == GPUOPT_OP_less || op == GPUOPT_OP_less_equal;
  const ArrayRef as_unsigned = record_cast(s, GPUOPT_UINT64), zero = make_weak(gpuopt_scalar_int(0));
  const gpuopt_array magnitudes[] = {as_unsigned.get(), u}, sign[] = {s, zero.get()};
  const ArrayRef compared = record_op(op, magnitudes, nullptr, name);
  const ArrayRef signs = record_op(holds_below_zero ? GPUOPT_OP_less : GPUOPT_OP_greater_equal, sign, nullptr, name);
  const gpuopt_array both[] = {compared.get(), signs.get()};
  return record_op(holds_below_zero ? GPUOPT_OP_logical_or : GPUOPT_OP_logical_and, both, out, name);
}

}  // namespace

// A weak integer out of the range of the array's dtype cannot be cast to it, but then the result of a comparison is the
// same for all elements. It is recorded as a comparison with the nearest end of the range that has this result: int8
// x < 1000 becomes x <= 127, which is always true.
ArrayRef record_operation(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out) {
  if (op_family(op) != OpFamily::comparison || inputs.size() != 2) return record_op(op, inputs, out);
  const char *const name = op_info(op).name;
  deref(inputs[0], name), deref(inputs[1], name);
  if (mixes_signs(inputs[0], inputs[1])) return record_mixed_comparison(op, inputs[0], inputs[1], out);
  if (mixes_signs(inputs[1], inputs[0])) return record_mixed_comparison(mirrored(op), inputs[1], inputs[0], out);
  const size_t number = inputs[0]->weak ? 0 : 1;
  if (!inputs[number]->weak || inputs[1 - number]->weak) return record_op(op, inputs, out);
  const gpuopt_scalar &value = inputs[number]->scalar;
  const gpuopt_dtype dtype = common_dtype(inputs);
  const bool integers = dtype_kind(dtype) == 'i' || dtype_kind(dtype) == 'u';
  if (!integers || (value.kind != 'i' && value.kind != 'u')) return record_op(op, inputs, out);
  const IntegerRange range(dtype);
  const int side = range.side(value);
  if (side == 0) return record_op(op, inputs, out);
  const gpuopt_op from_array = number == 0 ? mirrored(op) : op;
  const bool below = from_array == GPUOPT_OP_less || from_array == GPUOPT_OP_less_equal;
  const bool holds = op == GPUOPT_OP_not_equal || (op != GPUOPT_OP_equal && below == (side > 0));
  const gpuopt_op same = side > 0 ? (holds ? GPUOPT_OP_less_equal : GPUOPT_OP_greater)
                                  : (holds ? GPUOPT_OP_greater_equal : GPUOPT_OP_less);
  const ArrayRef end = make_weak(side > 0 ? range.top() : range.bottom());
  const gpuopt_array compared[] = {inputs[1 - number], end.get()};
  return record_op(same, compared, out);
}

namespace {

// gpuopt_<op>_into: stores the result into `out`.
template <class... Arrays>
gpuopt_status apply_into(gpuopt_op op, gpuopt_array out, gpuopt_error *error, Arrays... arrays) noexcept {
  const gpuopt_array inputs[] = {arrays...};
  if (out && apply_small(op, inputs, out)) return GPUOPT_OK;
  return guarded(error, [&] {
    deref_strong(out, op_info(op).name);
    record_operation(op, inputs, out);
  });
}

// gpuopt_<op>: returns a new array.
template <class... Arrays>
gpuopt_status apply(gpuopt_op op, gpuopt_array *result, gpuopt_error *error, Arrays... arrays) noexcept {
  const gpuopt_array inputs[] = {arrays...};
  if (result && (*result = apply_small(op, inputs, nullptr))) return GPUOPT_OK;
  return giving(result, error, [&] { return record_operation(op, inputs); });
}

// gpuopt_apply, if that can be done at once. Returns false if not, or if something is wrong; then nothing has changed.
bool apply_small(gpuopt_op op, int32_t count, const gpuopt_array *inputs, gpuopt_array out,
                 gpuopt_array *result) noexcept {
  const bool known = op >= 0 && op < GPUOPT_OP_COUNT;
  if (!known || !inputs || count != op_info(op).nin || (!out && !result)) return false;
  const gpuopt_array made = apply_small(op, std::span(inputs, static_cast<size_t>(count)), out);
  if (made && result) *result = out ? gpuopt_array_retain(out) : made;
  return made;
}

ArrayRef astype(gpuopt_array x, gpuopt_dtype dtype, gpuopt_copy copy) {
  const gpuopt_dtype wanted = dtype_or(dtype, deref_strong(x, "astype").dtype, "astype");
  if (wanted == x->dtype && copy != GPUOPT_COPY_ALWAYS) return ArrayRef::share(x);
  if (copy == GPUOPT_COPY_NEVER) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "astype: %s to %s needs a copy", dtype_name(x->dtype), dtype_name(wanted));
  }
  return record_cast(x, wanted);
}

// Copies between two devices of one backend by its slot copy_peer. Returns false if the backend cannot. Returns when
// the copy is done, because `from` may be freed in the order of its own device's streams, which do not wait for the
// copy.
bool copy_between_peers(gpuopt_array from, gpuopt_array to) {
  gpuopt_device source = from->device(), target = to->device();
  gpuopt_stream stream = to->stream.get();
  {
    StreamLock lock(*stream);
    SlotError error;
    check_usable(*target, "to_device");
    const gpuopt_status status =
        call_plugin("to_device", target->api().copy_peer, target->handle, stream->handle,
                    static_cast<void *>(address(*to)), source->handle, static_cast<const void *>(address(*from)),
                    static_cast<uint64_t>(from->bytes()), static_cast<gpuopt_error *>(&error));
    if (status == GPUOPT_ERR_UNSUPPORTED) return false;
    check_slot(status, error, "to_device");
  }
  wait_for(stream, "to_device");
  return true;
}

// Copies the elements of `from`, which is contiguous and evaluated, to a new array on another device: by copy_peer
// between two devices of one backend, if it can, else through host memory.
void copy_between(gpuopt_array from, gpuopt_array to) {
  const bool peers = from->device()->backend == to->device()->backend, host = from->device()->host_memory();
  if (peers || host) await_memory(*from);
  if (peers && copy_between_peers(from, to)) return;
  if (host) return copy_from_host(to, address(*from));
  const auto staging = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(from->bytes()));
  copy_to_host(from, staging.get());
  copy_from_host(to, staging.get());
}

ArrayRef to_device(gpuopt_array x, gpuopt_device device, gpuopt_copy copy) {
  deref_strong(x, "to_device");
  deref(device, "to_device");
  if (x->device() == device) return copy == GPUOPT_COPY_ALWAYS ? record_copy(x) : ArrayRef::share(x);
  if (copy == GPUOPT_COPY_NEVER) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_device: %s to %s needs a copy", x->device()->name.c_str(),
         device->name.c_str());
  }
  const ArrayRef source = contiguous(x);
  ArrayRef result = make_array(device->default_stream, x->dtype, x->ndim, x->shape);
  if (x->size > 0) copy_between(source.get(), result.get());
  return result;
}

// Returns the greatest finite number of a floating-point dtype, or of the components of a complex one.
double largest_finite(gpuopt_dtype dtype) {
  switch (real_component(dtype)) {
    case GPUOPT_FLOAT16:
      return 65504.0;
    case GPUOPT_BFLOAT16:
      return std::ldexp(255.0, 120);
    case GPUOPT_FLOAT32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

ArrayRef replace_specials(const Value &x, double nan, double posinf, double neginf) {
  const Value finite = where(isnan(x), Value(nan), x);
  const Value lower = where(equal(finite, Value(INFINITY)), Value(posinf), finite);
  return where(equal(lower, Value(-INFINITY)), Value(neginf), lower).array();
}

// Replaces the components of complex numbers one by one: the array is read as pairs of real numbers.
ArrayRef replace_in_components(gpuopt_array x, double nan, double posinf, double neginf) {
  const ArrayRef source = contiguous(x);
  const int64_t pairs[] = {x->size, 2};
  const ArrayRef parts = make_view(source->storage.get(), source->stream, real_component(x->dtype), 2, pairs, nullptr,
                                   source->offset, true);
  const ArrayRef replaced = replace_specials(Value(parts.get()), nan, posinf, neginf);
  evaluate(replaced.get());
  return make_view(replaced->storage.get(), replaced->stream, x->dtype, x->ndim, x->shape, nullptr, replaced->offset,
                   false);
}

ArrayRef nan_to_num(gpuopt_array x, double nan, const double *posinf, const double *neginf) {
  const gpuopt_dtype dtype = deref_strong(x, "nan_to_num").dtype;
  const char kind = dtype_kind(dtype);
  if ((kind != 'f' && kind != 'c') || !x->size) return record_copy(x);
  const double largest = largest_finite(dtype), high = posinf ? *posinf : largest, low = neginf ? *neginf : -largest;
  return kind == 'c' ? replace_in_components(x, nan, high, low) : replace_specials(Value(x), nan, high, low);
}

// Returns x or, if only x is a weak scalar, an array of its value with the shape of `other`, because operations on weak
// scalars alone (such as isnan) have no device.
ArrayRef strengthened(gpuopt_array x, gpuopt_array other) {
  if (!x->weak || other->weak) return ArrayRef::share(x);
  const gpuopt_array both[2] = {x, other};
  gpuopt_dtype dtype = 0;
  gpuopt_array made = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check_slot(gpuopt_result_type(2, both, &dtype, &error), error, "isclose");
  check_slot(gpuopt_full_like(other, dtype, x->scalar, &made, &error), error, "isclose");
  return ArrayRef::adopt(made);
}

ArrayRef isclose(gpuopt_array x1, gpuopt_array x2, double rtol, double atol, bool equal_nan) {
  deref(x1, "isclose"), deref(x2, "isclose");
  const ArrayRef strong1 = strengthened(x1, x2), strong2 = strengthened(x2, x1);
  const Value a(&deref_strong(strong1.get(), "isclose")), b(&deref_strong(strong2.get(), "isclose"));
  // Integers and bool are cast to float64, since their differences could wrap. Both operands are cast to the common
  // dtype first, so that rtol * |b| does not overflow in the narrower of two dtypes.
  const gpuopt_dtype dtype = as_inexact_dtype(promote(as_inexact_dtype(a.dtype()), as_inexact_dtype(b.dtype())));
  const Value bf = cast(b, dtype), af = cast(a, dtype);
  const Value bound = Value(atol) + Value(rtol) * abs(bf);
  Value close = logical_and(less_equal(abs(af - bf), bound), isfinite(bf));
  close = logical_or(close, equal(a, b));
  if (equal_nan) close = logical_or(close, logical_and(isnan(af), isnan(bf)));
  return close.array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

#define GPUOPT_ARGS_1 gpuopt_array x
#define GPUOPT_PASS_1 x
#define GPUOPT_ARGS_2 gpuopt_array x1, gpuopt_array x2
#define GPUOPT_PASS_2 x1, x2
#define GPUOPT_ARGS_3 gpuopt_array x1, gpuopt_array x2, gpuopt_array x3
#define GPUOPT_PASS_3 x1, x2, x3
#define GPUOPT_OP(name, nin, kinds, result_rule, doc)                                            \
  gpuopt_status gpuopt_##name(GPUOPT_ARGS_##nin, gpuopt_array *result, gpuopt_error *error) {    \
    return apply(GPUOPT_OP_##name, result, error, GPUOPT_PASS_##nin);                            \
  }                                                                                              \
  gpuopt_status gpuopt_##name##_into(GPUOPT_ARGS_##nin, gpuopt_array out, gpuopt_error *error) { \
    return apply_into(GPUOPT_OP_##name, out, error, GPUOPT_PASS_##nin);                          \
  }
#include <gpuopt/ops.def>

gpuopt_status gpuopt_apply(gpuopt_op op, int32_t count, const gpuopt_array *inputs, gpuopt_array out,
                           gpuopt_array *result, gpuopt_error *error) {
  if (result) *result = nullptr;
  if (apply_small(op, count, inputs, out, result)) return GPUOPT_OK;
  return guarded(error, [&] {
    if (count < 0 || (count && !inputs)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "apply: the inputs are missing");
    if (!out && !result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "apply: both out and result are NULL");
    ArrayRef made = record_operation(op, std::span(inputs, static_cast<size_t>(count)), out);
    if (result) *result = made.leave();
  });
}

gpuopt_status gpuopt_nan_to_num(gpuopt_array x, double nan, const double *posinf, const double *neginf,
                                gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return nan_to_num(x, nan, posinf, neginf); });
}

gpuopt_status gpuopt_isclose(gpuopt_array x1, gpuopt_array x2, double rtol, double atol, int32_t equal_nan,
                             gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return isclose(x1, x2, rtol, atol, equal_nan != 0); });
}

gpuopt_status gpuopt_copy_array(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return record_copy(&deref_strong(x, "copy_array")); });
}

gpuopt_status gpuopt_astype(gpuopt_array x, gpuopt_dtype dtype, gpuopt_copy copy, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return astype(x, dtype, copy); });
}

gpuopt_status gpuopt_to_device(gpuopt_array x, gpuopt_device device, gpuopt_copy copy, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return to_device(x, device, copy); });
}

gpuopt_status gpuopt_assign(gpuopt_array x, gpuopt_array value, gpuopt_error *error) {
  return guarded(error, [&] { record_assign(x, value); });
}

gpuopt_status gpuopt_fill(gpuopt_array x, gpuopt_scalar value, gpuopt_error *error) {
  return guarded(error, [&] { record_assign(x, make_weak(value).get()); });
}

}  // extern "C"
