// core/sorting/sets.cpp -- gpuopt_unique_* and sets: sorted arrays, in which equal elements are neighbours.
#include "core/engine/library_call.h"
#include "core/ops/join.h"
#include "core/ops/select.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

bool has_nans(gpuopt_dtype dtype) { return dtype_kind(dtype) == 'f' || dtype_kind(dtype) == 'c'; }

// Returns a new array of one dimension: the first part and then the second.
Value followed_by(const Value &first, const Value &second) {
  const gpuopt_array both[] = {first.get(), second.get()};
  return joined(both, 0, first.dtype(), "concat");
}

Value one_element(const Value &like, gpuopt_dtype dtype, int64_t number) {
  const int64_t one = 1;
  alignas(16) unsigned char element[16];
  store_scalar(gpuopt_scalar_int(number), dtype, element, true);
  return record_constant(like.get()->stream.get(), dtype, 1, &one, element);
}

// Whether each element but the first differs from the one before it. NaN differs from NaN, unless `equal_nan`.
Value differs_from_previous(const Value &x, bool equal_nan) {
  const int64_t n = x.get()->size;
  const Value before = part(x, 0, n - 1), after = part(x, 1, n);
  const Value differs = apply_op(GPUOPT_OP_not_equal, after, before);
  if (!equal_nan || !has_nans(x.dtype())) return differs;
  return logical_and(differs, logical_not(logical_and(isnan(after), isnan(before))));
}

// Whether each element of sorted ones is the first of its value.
Value firsts_of(const Value &sorted, bool equal_nan) {
  return followed_by(one_element(sorted, GPUOPT_BOOL, 1), differs_from_previous(sorted, equal_nan));
}

// ---- unique

// What gpuopt_unique_all gives, as far as it is asked for. All are of one dimension.
struct Unique {
  Unique(gpuopt_array x, bool equal_nan, const char *what)
      : line_(raveled(&deref_strong(x, what))),
        shape_(x->shape, x->shape + x->ndim),
        equal_nan_(equal_nan),
        what_(what) {}

  ArrayRef values() const {
    if (!line_->size) return line_;
    const Value in_order = sorted(line_.get(), 0, false, what_);
    return mask_select(in_order.get(), firsts_of(in_order, equal_nan_).get());
  }
  // The values, and as the others of unique_all: where each stands first, where each element is among the values, and
  // how many elements have each value.
  std::vector<ArrayRef> all() const {
    const ArrayRef order = sort_order(line_.get(), 0, false, what_);
    const Value in_order = take(line_.get(), order.get(), 0);
    if (!line_->size) return {in_order.array(), order, reshaped_view(order.get(), shape_), order};
    const Value firsts = firsts_of(in_order, equal_nan_);
    const Value starts = true_places(firsts.get());
    return {take(in_order.get(), starts.get(), 0), take(order.get(), starts.get(), 0), inverse(firsts, order.get()),
            counts(starts)};
  }

 private:
  ArrayRef inverse(const Value &firsts, gpuopt_array order) const {
    const Value rank = record_scan(GPUOPT_SCAN_cumulative_sum, firsts.get(), 0, GPUOPT_INT64);
    const ArrayRef ranks = (rank - Value(int64_t{1})).array();
    const ArrayRef inverse = make_array(order->stream.get(), GPUOPT_INT64, 1, order->shape);
    put_at(inverse.get(), order, ranks.get(), what_);
    return reshaped_view(inverse.get(), shape_);
  }
  ArrayRef counts(const Value &starts) const {
    const Value ends = followed_by(part(starts, 1, starts.get()->size), one_element(starts, GPUOPT_INT64, line_->size));
    return (ends - starts).array();
  }

  const ArrayRef line_;
  const Dims shape_;
  const bool equal_nan_;
  const char *const what_;
};

ArrayRef unique(gpuopt_array x, bool equal_nan, const char *what) { return Unique(x, equal_nan, what).values(); }

// ---- Sets

// Whether each element of x is one of the others, in the dtype that both promote to.
Value is_in(gpuopt_array x, gpuopt_array others, const char *what) {
  const gpuopt_array both[] = {x, others};
  const gpuopt_dtype dtype = common_dtype(both);
  const Value elements = in_dtype(x, dtype);
  const ArrayRef typed = in_dtype_on(x->stream.get(), others, dtype);
  const int64_t count = typed->size;
  if (!count) {
    const unsigned char no = 0;
    return record_constant(x->stream.get(), GPUOPT_BOOL, x->ndim, x->shape, &no);
  }
  const ArrayRef in_order = sorted(raveled(typed.get()).get(), 0, false, what);
  const Value place = places_in(in_order.get(), elements.get(), false, what);
  const ArrayRef inside = apply_op(GPUOPT_OP_minimum, place, Value(count - 1)).array();
  return equal(elements, Value(take(in_order.get(), inside.get(), 0)));
}

Value inverted_if(bool invert, const Value &mask) { return invert ? logical_not(mask) : mask; }

ArrayRef isin(gpuopt_array x, gpuopt_array others, bool invert) {
  if (!others->weak) check_same_device("isin", {x, others});
  return inverted_if(invert, is_in(x, others, "isin")).array();
}

// Returns the elements of both, one behind the other, in the dtype that they promote to. `distinct`: each array's
// elements once.
Value both_joined(gpuopt_array x1, gpuopt_array x2, bool distinct, const char *what) {
  check_same_device(what, {x1, x2});
  const gpuopt_array both[] = {x1, x2};
  const gpuopt_dtype dtype = common_dtype(both);
  const ArrayRef a = distinct ? unique(x1, true, what) : raveled(x1),
                 b = distinct ? unique(x2, true, what) : raveled(x2);
  const gpuopt_array lines[] = {a.get(), b.get()};
  return joined(lines, 0, dtype, what);
}

ArrayRef union1d(gpuopt_array x1, gpuopt_array x2) {
  return unique(both_joined(x1, x2, false, "union1d").get(), true, "union1d");
}

ArrayRef intersect1d(gpuopt_array x1, gpuopt_array x2) {
  const Value in_order = sorted(both_joined(x1, x2, true, "intersect1d").get(), 0, false, "intersect1d");
  const int64_t n = in_order.get()->size;
  if (n < 2) return record_copy(part(in_order, 0, 0).get());
  const Value before = part(in_order, 0, n - 1);
  return mask_select(before.get(), equal(part(in_order, 1, n), before).get());
}

ArrayRef setdiff1d(gpuopt_array x1, gpuopt_array x2) {
  check_same_device("setdiff1d", {x1, x2});
  const ArrayRef a = unique(x1, true, "setdiff1d");
  return mask_select(a.get(), logical_not(is_in(a.get(), x2, "setdiff1d")).get());
}

ArrayRef setxor1d(gpuopt_array x1, gpuopt_array x2) {
  const Value in_order = sorted(both_joined(x1, x2, true, "setxor1d").get(), 0, false, "setxor1d");
  if (!in_order.get()->size) return in_order.array();
  const Value changes = differs_from_previous(in_order, false), yes = one_element(in_order, GPUOPT_BOOL, 1);
  const Value alone = logical_and(followed_by(yes, changes), followed_by(changes, yes));
  return mask_select(in_order.get(), alone.get());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_unique_values(gpuopt_array x, int32_t equal_nan, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return unique(x, equal_nan != 0, "unique_values"); });
}

gpuopt_status gpuopt_unique_counts(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *counts,
                                   gpuopt_error *error) {
  return giving_each({values, counts}, error, [&]() -> std::vector<ArrayRef> {
    const std::vector<ArrayRef> all = Unique(x, equal_nan != 0, "unique_counts").all();
    return {all[0], all[3]};
  });
}

gpuopt_status gpuopt_unique_inverse(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *inverse,
                                    gpuopt_error *error) {
  return giving_each({values, inverse}, error, [&]() -> std::vector<ArrayRef> {
    const std::vector<ArrayRef> all = Unique(x, equal_nan != 0, "unique_inverse").all();
    return {all[0], all[2]};
  });
}

gpuopt_status gpuopt_unique_all(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *indices,
                                gpuopt_array *inverse, gpuopt_array *counts, gpuopt_error *error) {
  return giving_each({values, indices, inverse, counts}, error,
                     [&] { return Unique(x, equal_nan != 0, "unique_all").all(); });
}

gpuopt_status gpuopt_isin(gpuopt_array x, gpuopt_array others, int32_t invert, gpuopt_array *result,
                          gpuopt_error *error) {
  return giving(result, error, [&] { return isin(&deref_strong(x, "isin"), &deref(others, "isin"), invert != 0); });
}

gpuopt_status gpuopt_union1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return union1d(&deref(x1, "union1d"), &deref(x2, "union1d")); });
}

gpuopt_status gpuopt_intersect1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return intersect1d(&deref(x1, "intersect1d"), &deref(x2, "intersect1d")); });
}

gpuopt_status gpuopt_setdiff1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return setdiff1d(&deref(x1, "setdiff1d"), &deref(x2, "setdiff1d")); });
}

gpuopt_status gpuopt_setxor1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return setxor1d(&deref(x1, "setxor1d"), &deref(x2, "setxor1d")); });
}

}  // extern "C"
