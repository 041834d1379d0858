// core/selection/compare.cpp -- gpuopt_array_equal, array_equiv, allclose, ediff1d, and tests of single elements.
#include <algorithm>
#include <cmath>

#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

// ---- Whole arrays

// Returns whether all elements of arrays that broadcast together are equal.
bool all_equal(gpuopt_array x1, gpuopt_array x2, bool equal_nan, const char *what) {
  Value same = made_by(gpuopt_equal, what, x1, x2);
  if (equal_nan) {
    const auto nan = [](gpuopt_array x) { return apply_op(GPUOPT_OP_not_equal, Value(x), Value(x)); };
    same = logical_or(same, logical_and(nan(x1), nan(x2)));
  }
  return all_of(same);
}

bool array_equal(gpuopt_array x1, gpuopt_array x2, bool equal_nan) {
  deref_strong(x1, "array_equal"), deref_strong(x2, "array_equal");
  if (!std::ranges::equal(x1->sizes(), x2->sizes())) return false;
  return all_equal(x1, x2, equal_nan, "array_equal");
}

bool array_equiv(gpuopt_array x1, gpuopt_array x2) {
  deref(x1, "array_equiv"), deref(x2, "array_equiv");
  const std::span<const int64_t> shapes[] = {x1->sizes(), x2->sizes()};
  Shape common;
  try {
    broadcast_shape(shapes, common, "array_equiv");
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_SHAPE) throw;
    return false;
  }
  return all_equal(x1, x2, false, "array_equiv");
}

// Writes the answer of `body` to *answer.
template <class Body>
gpuopt_status answering(int32_t *answer, gpuopt_error *error, Body &&body) noexcept {
  if (answer) *answer = 0;
  return guarded(error, [&] {
    if (!answer) fail(GPUOPT_ERR_INVALID_ARGUMENT, "the result pointer is NULL");
    *answer = body() ? 1 : 0;
  });
}

// ---- Differences

// Returns what stands at an end, in x's dtype and with one dimension.
ArrayRef end_of(gpuopt_array given, gpuopt_array x, const char *name) {
  if (!deref(given, "ediff1d").weak) check_same_device("ediff1d", {x, given});
  const bool fits =
      given->weak ? promote_weak(x->dtype, given->scalar.kind) == x->dtype : can_cast(given->dtype, x->dtype, 1);
  if (!fits) {
    fail(GPUOPT_ERR_TYPE, "ediff1d: dtype of `%s` must be compatible with input `ary` under the `same_kind` rule.",
         name);
  }
  return raveled(in_dtype_on(x->stream.get(), given, x->dtype).get());
}

ArrayRef ediff1d(gpuopt_array x, gpuopt_array to_end, gpuopt_array to_begin) {
  if (deref_strong(x, "ediff1d").dtype == GPUOPT_BOOL)
    fail(GPUOPT_ERR_TYPE, "ediff1d: bool has no differences; use diff(), which says whether neighbours differ");
  const Value flat = raveled(x);
  const int64_t n = std::max<int64_t>(x->size - 1, 0);
  std::vector<ArrayRef> parts;
  if (to_begin) parts.push_back(end_of(to_begin, x, "to_begin"));
  parts.push_back((part(flat, x->size - n, x->size) - part(flat, 0, n)).array());
  if (to_end) parts.push_back(end_of(to_end, x, "to_end"));
  return parts.size() == 1 ? parts[0] : joined(handles(parts), 0, x->dtype, "ediff1d");
}

// ---- Single elements

Value constant_like(gpuopt_array x, bool value) {
  const unsigned char element[16] = {value};
  return record_constant(x->stream.get(), GPUOPT_BOOL, x->ndim, x->shape, element);
}

ArrayRef equals_infinity(gpuopt_array x, double infinity, const char *what) {
  const char kind = dtype_kind(deref_strong(x, what).dtype);
  if (kind == 'c') {
    fail(GPUOPT_ERR_TYPE, "%s: This operation is not supported for %s values because it would be ambiguous.", what,
         dtype_name(x->dtype));
  }
  return kind == 'f' ? equal(x, Value(infinity)).array() : constant_like(x, false).array();
}

ArrayRef has_imaginary(gpuopt_array x, bool answer, const char *what) {
  if (dtype_kind(deref_strong(x, what).dtype) != 'c') return constant_like(x, !answer).array();
  const Value imaginary = apply_op(GPUOPT_OP_imag, Value(x));
  return apply_op(answer ? GPUOPT_OP_not_equal : GPUOPT_OP_equal, imaginary, Value(0.0)).array();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_array_equal(gpuopt_array x1, gpuopt_array x2, int32_t equal_nan, int32_t *equal,
                                 gpuopt_error *error) {
  return answering(equal, error, [&] { return array_equal(x1, x2, equal_nan != 0); });
}

gpuopt_status gpuopt_array_equiv(gpuopt_array x1, gpuopt_array x2, int32_t *equal, gpuopt_error *error) {
  return answering(equal, error, [&] { return array_equiv(x1, x2); });
}

gpuopt_status gpuopt_allclose(gpuopt_array x1, gpuopt_array x2, double rtol, double atol, int32_t equal_nan,
                              int32_t *close, gpuopt_error *error) {
  return answering(close, error,
                   [&] { return all_of(made_by(gpuopt_isclose, "allclose", x1, x2, rtol, atol, equal_nan)); });
}

gpuopt_status gpuopt_ediff1d(gpuopt_array x, gpuopt_array to_end, gpuopt_array to_begin, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return ediff1d(x, to_end, to_begin); });
}

gpuopt_status gpuopt_isposinf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return equals_infinity(x, INFINITY, "isposinf"); });
}

gpuopt_status gpuopt_isneginf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return equals_infinity(x, -INFINITY, "isneginf"); });
}

gpuopt_status gpuopt_iscomplex(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return has_imaginary(x, true, "iscomplex"); });
}

gpuopt_status gpuopt_isreal(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return has_imaginary(x, false, "isreal"); });
}

}  // extern "C"
