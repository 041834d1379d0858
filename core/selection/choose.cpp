// core/selection/choose.cpp -- gpuopt_choose, select, piecewise, compress, extract, flatnonzero and trim_zeros.
#include <algorithm>

#include "core/engine/transfer.h"
#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

// ---- One of several values for each element

void check_mode(gpuopt_index_mode mode, const char *what) {
  if (mode < GPUOPT_MODE_RAISE || mode > GPUOPT_MODE_CLIP)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: clipmode must be one of 'clip', 'raise', or 'wrap'", what);
}

// Returns the indices within [0, count) that the mode makes of them.
Value choice_numbers(gpuopt_array index, int64_t count, gpuopt_index_mode mode) {
  const Value at = index->dtype == GPUOPT_BOOL ? cast(index, GPUOPT_INT64) : Value(int64_indices("choose", index));
  if (mode == GPUOPT_MODE_WRAP) return remainder(at, Value(count));
  if (mode == GPUOPT_MODE_CLIP) return minimum(maximum(at, Value(int64_t{0})), Value(count - 1));
  if (any_of(logical_or(less(at, Value(int64_t{0})), greater_equal(at, Value(count)))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "choose: invalid entry in choice array");
  return at;
}

ArrayRef choose(gpuopt_array index, int32_t count, const gpuopt_array *list, gpuopt_index_mode mode) {
  deref_strong(index, "choose");
  check_mode(mode, "choose");
  const std::span<const gpuopt_array> choices = checked_list(count, list, 1, "choose");
  const gpuopt_dtype dtype = common_dtype(choices);
  const auto choice = [&](size_t i) { return Value(in_dtype_on(index->stream.get(), choices[i], dtype)); };
  const Value at = choice_numbers(index, count, mode), first = choice(0);
  Value chosen = where(equal(at, Value(int64_t{0})), first, first);  // in the shape of both
  for (size_t i = 1; i < choices.size(); ++i)
    chosen = where(equal(at, Value(static_cast<int64_t>(i))), choice(i), chosen);
  return chosen.array();
}

void check_conditions(std::span<const gpuopt_array> conditions, const char *what) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (deref_strong(conditions[i], what).dtype != GPUOPT_BOOL)
      fail(GPUOPT_ERR_TYPE, "%s: invalid entry %zu in condlist: should be boolean ndarray", what, i);
  }
}

ArrayRef select(int32_t count, const gpuopt_array *given, const gpuopt_array *list, gpuopt_array otherwise) {
  const std::span<const gpuopt_array> conditions = checked_list(count, given, 1, "select");
  check_conditions(conditions, "select");
  const std::span<const gpuopt_array> choices = checked_list(count, list, 1, "select");
  const ArrayRef zero = make_weak(gpuopt_scalar_int(0));
  std::vector<gpuopt_array> all(choices.begin(), choices.end());
  all.push_back(otherwise ? otherwise : zero.get());
  checked_list(count + 1, all.data(), 1, "select");
  const gpuopt_dtype dtype = common_dtype(all);
  const gpuopt_stream stream = conditions[0]->stream.get();
  Value selected = in_dtype_on(stream, all.back(), dtype);
  for (size_t i = choices.size(); i-- > 0;)
    selected = where(conditions[i], Value(in_dtype_on(stream, choices[i], dtype)), selected);
  return selected.array();
}

ArrayRef piecewise(gpuopt_array x, int32_t count, const gpuopt_array *given, int32_t nvalues,
                   const gpuopt_array *list) {
  deref_strong(x, "piecewise");
  const std::span<const gpuopt_array> conditions = checked_list(count, given, 0, "piecewise");
  const std::span<const gpuopt_array> values = checked_list(nvalues, list, 0, "piecewise");
  check_conditions(conditions, "piecewise");
  if (nvalues != count && int64_t{nvalues} != int64_t{count} + 1) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "piecewise: with %d condition(s), either %d or %lld functions are expected",
         count, count, int64_t{count} + 1LL);
  }
  const auto value = [&](size_t i) {
    return Value(broadcast_view(in_dtype_on(x->stream.get(), values[i], x->dtype).get(), x->sizes(), "piecewise"));
  };
  Value y = nvalues > count ? Value(record_copy(value(values.size() - 1).get()))
                            : Value(zeros_of(x->stream.get(), x->dtype, x->sizes()));
  for (size_t i = 0; i < conditions.size(); ++i)
    y = where(Value(broadcast_view(conditions[i], x->sizes(), "piecewise")), value(i), y);
  return y.array();
}

// ---- What a condition leaves

ArrayRef compress(gpuopt_array condition, gpuopt_array x, const int64_t *axis) {
  check_same_device("compress", {&deref_strong(x, "compress"), &deref_strong(condition, "compress")});
  check_one_dimension(*condition, "the condition", "compress");
  int number = 0;
  const ArrayRef from = along(x, axis, number, "compress");
  return take(from.get(), true_places(as_bool(condition).get()).get(), number);
}

ArrayRef flatnonzero(gpuopt_array x) {
  deref_strong(x, "flatnonzero");
  return true_places(raveled(as_bool(x).get()).get());
}

ArrayRef extract(gpuopt_array condition, gpuopt_array x) {
  check_same_device("extract", {&deref_strong(x, "extract"), &deref_strong(condition, "extract")});
  return take(raveled(x).get(), flatnonzero(condition).get(), 0);
}

// Returns x cut along an axis to the part between the first and the last slice of the mask with a true element. Where
// there is none, nothing is left.
ArrayRef trimmed(const ArrayRef &x, const Value &mask, int axis, int32_t sides) {
  const uint64_t others = axis_mask(0, nullptr, x->ndim, "trim_zeros") & ~(uint64_t{1} << axis);
  const Value line = others ? Value(record_reduction(GPUOPT_REDUCTION_any, mask.get(), others, false, 0)) : mask;
  std::vector<uint8_t> seen(static_cast<size_t>(x->shape[axis]));
  if (!seen.empty()) copy_to_host(line.get(), seen.data());
  const auto first = std::find(seen.begin(), seen.end(), 1);
  if (first == seen.end()) return part_view(x.get(), axis, 0, 0);
  const auto last = std::find(seen.rbegin(), seen.rend(), 1);
  const int64_t begin = sides & GPUOPT_TRIM_FRONT ? first - seen.begin() : 0;
  const int64_t end = sides & GPUOPT_TRIM_BACK ? seen.rend() - last : x->shape[axis];
  return part_view(x.get(), axis, begin, end - begin);
}

ArrayRef trim_zeros(gpuopt_array x, int32_t sides, const int64_t *axis) {
  deref_strong(x, "trim_zeros");
  constexpr int32_t kBoth = GPUOPT_TRIM_FRONT | GPUOPT_TRIM_BACK;
  if (sides & ~kBoth) fail(GPUOPT_ERR_INVALID_ARGUMENT, "trim_zeros: unexpected sides %d", sides);
  const int only = axis ? checked_axis(*axis, x->ndim, "trim_zeros") : -1;
  const Value mask = as_bool(x);
  const bool empty = !x->size || !any_of(mask);
  ArrayRef rest = ArrayRef::share(x);
  for (int k = 0; k < x->ndim; ++k) {
    if (axis && k != only) continue;
    rest = empty ? part_view(rest.get(), k, 0, 0) : trimmed(rest, mask, k, sides ? sides : kBoth);
  }
  return rest;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_choose(gpuopt_array index, int32_t count, const gpuopt_array *choices, gpuopt_index_mode mode,
                            gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return choose(index, count, choices, mode); });
}

gpuopt_status gpuopt_select(int32_t count, const gpuopt_array *conditions, const gpuopt_array *choices,
                            gpuopt_array otherwise, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return select(count, conditions, choices, otherwise); });
}

gpuopt_status gpuopt_piecewise(gpuopt_array x, int32_t count, const gpuopt_array *conditions, int32_t nvalues,
                               const gpuopt_array *values, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return piecewise(x, count, conditions, nvalues, values); });
}

gpuopt_status gpuopt_compress(gpuopt_array condition, gpuopt_array x, const int64_t *axis, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return compress(condition, x, axis); });
}

gpuopt_status gpuopt_extract(gpuopt_array condition, gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return extract(condition, x); });
}

gpuopt_status gpuopt_flatnonzero(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return flatnonzero(x); });
}

gpuopt_status gpuopt_trim_zeros(gpuopt_array x, int32_t sides, const int64_t *axis, gpuopt_array *result,
                                gpuopt_error *error) {
  return giving(result, error, [&] { return trim_zeros(x, sides, axis); });
}

}  // extern "C"
