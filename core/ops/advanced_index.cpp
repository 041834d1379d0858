// core/ops/advanced_index.cpp -- gpuopt_get, gpuopt_set and gpuopt_apply_at: indexing by any mixture of integers,
// slices, new axes, an ellipsis and arrays, as NumPy's ("Advanced indexing" in its user guide).
//
// The arrays broadcast together, integers beside them count as arrays of no dimension, and a mask stands for the
// indices of its true elements. What is left of the items is a slice, which gives a view. In the result the axes of the
// indices stand where the arrays stood, or in front of all if another item stands between these.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/ops/select.h"

namespace gpuopt {
namespace {

constexpr gpuopt_index kWhole = {GPUOPT_INDEX_SLICE, 0, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL};
constexpr gpuopt_index kNewAxis = {GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0};

// An item and, of kind GPUOPT_INDEX_ARRAY, its array.
struct Item {
  gpuopt_index index;
  gpuopt_array array = nullptr;

  bool is_mask() const { return array && array->dtype == GPUOPT_BOOL; }
  // The number of axes of x that the item takes. An ellipsis takes what the others leave.
  int axes() const {
    if (index.kind == GPUOPT_INDEX_NEWAXIS || index.kind == GPUOPT_INDEX_ELLIPSIS) return 0;
    return is_mask() ? array->ndim : 1;
  }
};

// Indices into one axis.
struct AxisIndices {
  ArrayRef given, at;  // int64: as they came, and broadcast to the shape that all have
  int axis;            // of the view
  int of;              // the axis of x that messages name
  int64_t size;        // of the axis
};

// An index, taken apart.
struct Plan {
  ArrayRef view;  // x after all items that are no arrays
  std::vector<AxisIndices> indices;
  int place = 0;  // where the axes of the indices begin in the result
};

std::vector<Item> read_items(const gpuopt_array_s &x, int32_t count, const gpuopt_index *items, int32_t narrays,
                             const gpuopt_array *arrays, const char *what) {
  if (count < 0 || (count && !items) || narrays < 0 || (narrays && !arrays))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a list is missing, or its length is negative", what);
  std::vector<Item> list;
  constexpr int kMostItems = 2 * GPUOPT_MAX_NDIM + 1;
  int32_t next = 0, basic = 0;
  for (int32_t k = 0; k < count; ++k) {
    list.push_back({items[k]});
    basic += items[k].kind == GPUOPT_INDEX_INTEGER || items[k].kind == GPUOPT_INDEX_SLICE;
    if (basic > x.ndim || k == kMostItems) {  // before more of the list is read
      fail(GPUOPT_ERR_INDEX, "%s: too many indices for array: array is %d-dimensional", what, x.ndim);
    }
    if (items[k].kind != GPUOPT_INDEX_ARRAY) continue;
    if (next == narrays)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: more items are arrays than the %d given", what, narrays);
    list.back().array = &deref_strong(arrays[next++], what);
    if (list.back().array->device() != x.device())
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: index array %d is on another device than the array", what, next - 1);
  }
  if (next < narrays) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d arrays, but %d items take one", what, narrays, next);
  return list;
}

// Returns whether an item is the ellipsis. Throws ERR_INDEX if several are.
bool has_ellipsis(const std::vector<Item> &items, const char *what) {
  const auto count = std::ranges::count_if(items, [](const Item &i) { return i.index.kind == GPUOPT_INDEX_ELLIPSIS; });
  if (count > 1) fail(GPUOPT_ERR_INDEX, "%s: an index can only have a single ellipsis ('...')", what);
  return count == 1;
}

// Replaces the ellipsis, or adds behind all items, whole slices for the axes that no item takes. An ellipsis that
// stands for no axis stays, for it stands between arrays all the same.
std::vector<Item> expanded(const std::vector<Item> &items, int ndim, const char *what) {
  int taken = 0;
  for (const Item &item : items) taken += item.axes();
  const bool ellipses = has_ellipsis(items, what);
  if (taken > ndim) {
    fail(GPUOPT_ERR_INDEX, "%s: too many indices for array: array is %d-dimensional, but %d were indexed", what, ndim,
         taken);
  }
  const std::vector<Item> rest(static_cast<size_t>(ndim - taken), Item{kWhole});
  std::vector<Item> all;
  for (const Item &item : items) {
    if (item.index.kind == GPUOPT_INDEX_ELLIPSIS && !rest.empty())
      all.insert(all.end(), rest.begin(), rest.end());
    else
      all.push_back(item);
  }
  if (!ellipses) all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

ArrayRef int64_scalar(gpuopt_stream stream, int64_t value) {
  return scalar_array(stream, GPUOPT_INT64, gpuopt_scalar_int(value));
}

// Throws unless the mask's sizes are those of x's axes from number `axis` on; one without elements may have others.
void check_mask_sizes(const gpuopt_array_s &x, const gpuopt_array_s &mask, int axis, const char *what) {
  for (int k = 0; k < mask.ndim; ++k) {
    if (mask.shape[k] == x.shape[axis + k] || mask.shape[k] == 0) continue;
    fail(GPUOPT_ERR_INDEX,
         "%s: boolean index did not match indexed array along axis %d; size of axis is %lld but size of corresponding "
         "boolean axis is %lld",
         what, axis + k, static_cast<long long>(x.shape[axis + k]), static_cast<long long>(mask.shape[k]));
  }
}

// Takes the items apart one after the other.
class Planner {
 public:
  Planner(gpuopt_array x, std::vector<Item> items, const char *what) : x_(x), items_(std::move(items)), what_(what) {}

  Plan run() {
    for (const Item &item : items_) {
      const bool is_index = item.array || item.index.kind == GPUOPT_INDEX_INTEGER;
      is_index ? add_index(item) : add_slice(item);
      axis_ += item.axes();
    }
    plan_.view = sliced_view(x_, static_cast<int>(basic_.size()), basic_.data());
    plan_.place = adjacent_ ? plan_.indices.front().axis : 0;
    broadcast();
    return std::move(plan_);
  }

 private:
  void add_slice(const Item &item) {
    if (!plan_.indices.empty()) between_ = true;
    if (item.index.kind == GPUOPT_INDEX_ELLIPSIS) return;
    basic_.push_back(item.index);
    ++view_axis_;
  }

  void add_index(const Item &item) {
    if (between_) adjacent_ = false;
    if (item.is_mask()) return add_mask(item.array);
    const ArrayRef at =
        item.array ? int64_indices(what_, item.array) : int64_scalar(x_->stream.get(), item.index.start);
    add(at, axis_, x_->shape[axis_], kWhole);
  }

  void add_mask(gpuopt_array mask) {
    if (mask->ndim == 0) {  // adds an axis, of size 1 or 0
      const int64_t size = truth_of(mask), shape[] = {size};
      const ArrayRef zeros = make_array(x_->stream.get(), GPUOPT_INT64, 1, shape);
      record_assign(zeros.get(), make_weak(gpuopt_scalar_int(0)).get());
      return add(zeros, axis_, 1, kNewAxis);
    }
    check_mask_sizes(*x_, *mask, axis_, what_);
    const ArrayRef places = argwhere(mask);
    const int64_t last = -1;
    for (int k = 0; k < mask->ndim; ++k) {
      const ArrayRef column = part_view(places.get(), 1, k, 1);
      add(squeezed_view(column.get(), 1, &last), axis_ + k, x_->shape[axis_ + k], kWhole);
    }
  }

  static int64_t truth_of(gpuopt_array mask) {
    uint8_t value = 0;
    copy_to_host(mask, &value);
    return value != 0;
  }

  void add(const ArrayRef &at, int of, int64_t size, const gpuopt_index &slice) {
    plan_.indices.push_back({at, at, view_axis_++, of, size});
    basic_.push_back(slice);
  }

  void broadcast() {
    std::vector<std::span<const int64_t>> shapes;
    for (const AxisIndices &index : plan_.indices) shapes.push_back(index.at->sizes());
    Shape common;
    try {
      broadcast_shape(shapes, common, what_);
    } catch (const Failure &failure) {
      if (failure.code != GPUOPT_ERR_SHAPE) throw;
      std::string text;
      for (const AxisIndices &index : plan_.indices) text += " " + shape_text(index.at->ndim, index.at->shape);
      fail(GPUOPT_ERR_INDEX, "%s: shape mismatch: indexing arrays could not be broadcast together with shapes%s", what_,
           text.c_str());
    }
    const std::span<const int64_t> sizes(common.sizes, static_cast<size_t>(common.ndim));
    for (AxisIndices &index : plan_.indices) index.at = broadcast_view(index.at.get(), sizes, what_);
  }

  gpuopt_array x_;
  const std::vector<Item> items_;
  const char *what_;
  Plan plan_;
  std::vector<gpuopt_index> basic_;
  int axis_ = 0, view_axis_ = 0;
  bool between_ = false, adjacent_ = true;
};

// ---- One index for all axes

// Returns indices into the axes as if they were one, in C order. One that is out of range becomes INT64_MAX, which is
// out of range, too.
ArrayRef flat_index(const Plan &plan) {
  ArrayRef total, good;
  for (const AxisIndices &index : plan.indices) {
    const gpuopt_stream stream = index.at->stream.get();
    const ArrayRef zero = int64_scalar(stream, 0), size = int64_scalar(stream, index.size);
    const ArrayRef negative = record_op(GPUOPT_OP_less, {index.at.get(), zero.get()});
    const ArrayRef moved = record_op(GPUOPT_OP_add, {index.at.get(), size.get()});
    const ArrayRef at = record_op(GPUOPT_OP_where, {negative.get(), moved.get(), index.at.get()});
    const ArrayRef low = record_op(GPUOPT_OP_greater_equal, {at.get(), zero.get()});
    const ArrayRef high = record_op(GPUOPT_OP_less, {at.get(), size.get()});
    const ArrayRef inside = record_op(GPUOPT_OP_logical_and, {low.get(), high.get()});
    good = good ? record_op(GPUOPT_OP_logical_and, {good.get(), inside.get()}) : inside;
    total = total ? record_op(GPUOPT_OP_add, {record_op(GPUOPT_OP_multiply, {total.get(), size.get()}).get(), at.get()})
                  : at;
  }
  const ArrayRef largest = int64_scalar(total->stream.get(), INT64_MAX);
  return record_op(GPUOPT_OP_where, {good.get(), total.get(), largest.get()});
}

// Throws ERR_INDEX for the first index that is out of range, if there is one.
void check_range(const Plan &plan, const char *what) {
  for (const AxisIndices &index : plan.indices) {
    if (index.given->ndim && !index.at->size) continue;  // NumPy takes any where none counts, but for a single index
    check_indices(what, index.given.get(), index.of, index.size);
  }
}

// Runs `body`, whose indices the backend checks, and if it finds one out of range says which. Of a result without
// elements the backend sees none.
template <class Body>
auto with_range_checked(const Plan &plan, const char *what, Body &&body) {
  if (!plan.view->size || !plan.indices.front().at->size) check_range(plan, what);
  try {
    return body();
  } catch (const Failure &failure) {
    if (failure.code == GPUOPT_ERR_INDEX) check_range(plan, what);
    throw;
  }
}

// The view with its indexed axes in front, as one axis.
struct Front {
  ArrayRef axes, flat;  // flat is a view of axes, or a copy
  Dims rest;            // sizes of the axes that are not indexed
};

Front in_front(const Plan &plan) {
  Dims order;
  for (const AxisIndices &index : plan.indices) order.push_back(index.axis);
  Front front;
  int64_t count = 1;
  for (const AxisIndices &index : plan.indices) count *= index.size;
  for (int axis = 0; axis < plan.view->ndim; ++axis) {
    if (std::find(order.begin(), order.end(), axis) != order.end()) continue;
    order.push_back(axis);
    front.rest.push_back(plan.view->shape[axis]);
  }
  front.axes = permuted_view(plan.view.get(), order.data());
  Dims shape{count};
  shape.insert(shape.end(), front.rest.begin(), front.rest.end());
  front.flat = reshaped(front.axes.get(), shape);
  return front;
}

// The order of axes in which the first `count` of `ndim` stand behind `place` others; with `back` the order that undoes
// it.
Dims axes_moved(int count, int place, int ndim, bool back) {
  Dims order(static_cast<size_t>(ndim));
  std::iota(order.begin(), order.end(), 0);
  const auto first = order.begin();
  std::rotate(first, first + (back ? place : count), first + count + place);
  return order;
}

// ---- Reading and writing

bool has_arrays(const std::vector<Item> &items) {
  return std::any_of(items.begin(), items.end(), [](const Item &item) { return item.array != nullptr; });
}

ArrayRef basic_view(gpuopt_array x, const std::vector<Item> &items, const char *what) {
  has_ellipsis(items, what);
  std::vector<gpuopt_index> basic;
  for (const Item &item : items) basic.push_back(item.index);
  return sliced_view(x, static_cast<int>(basic.size()), basic.data());
}

ArrayRef get(gpuopt_array x, const std::vector<Item> &items) {
  if (!has_arrays(items)) return basic_view(x, items, "get");
  const Plan plan = Planner(x, expanded(items, x->ndim, "get"), "get").run();
  return with_range_checked(plan, "get", [&] {
    const AxisIndices &first = plan.indices.front();
    if (plan.indices.size() == 1 && plan.place == first.axis) return take(plan.view.get(), first.at.get(), first.axis);
    const ArrayRef taken = take(in_front(plan).flat.get(), flat_index(plan).get(), 0);
    if (!plan.place) return taken;
    return permuted_view(taken.get(), axes_moved(first.at->ndim, plan.place, taken->ndim, false).data());
  });
}

// The values broadcast to the shape of x[items], with the axes of the indices in front. Leading axes of size 1 that are
// too many do not count.
ArrayRef values_in_front(gpuopt_array given, const Plan &plan, const Dims &rest, const char *what) {
  if (given->weak || !given->ndim) return ArrayRef::share(given);
  const std::span<const int64_t> own = plan.indices.front().at->sizes();
  const auto cut = rest.begin() + plan.place;
  Dims shape(rest.begin(), cut);
  shape.insert(shape.end(), own.begin(), own.end());
  shape.insert(shape.end(), cut, rest.end());
  ArrayRef values = ArrayRef::share(given);
  const int64_t first = 0;
  while (values->ndim > static_cast<int>(shape.size()) && values->shape[0] == 1)
    values = squeezed_view(values.get(), 1, &first);
  try {
    values = broadcast_view(values.get(), shape, what);
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_SHAPE) throw;
    fail(GPUOPT_ERR_SHAPE,
         "%s: shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s", what,
         shape_text(given->ndim, given->shape).c_str(),
         shape_text(static_cast<int>(shape.size()), shape.data()).c_str());
  }
  const int count = static_cast<int>(own.size());
  return permuted_view(values.get(), axes_moved(count, plan.place, values->ndim, true).data());
}

// Calls write(rows, indices, values), which writes to rows of x in front, for items of which one at least is an array.
template <class Write>
void write_indexed(gpuopt_array x, const std::vector<Item> &items, gpuopt_array value, const char *what, Write write) {
  const Plan plan = Planner(x, expanded(items, x->ndim, what), what).run();
  const Front front = in_front(plan);
  const ArrayRef values = values_in_front(value, plan, front.rest, what);
  with_range_checked(plan, what, [&] { write(front.flat.get(), flat_index(plan).get(), values.get()); });
  if (front.flat->storage.get() == x->storage.get()) return;
  const Dims shape(front.axes->shape, front.axes->shape + front.axes->ndim);
  record_assign(front.axes.get(), reshaped_view(front.flat.get(), shape).get());
}

void set(gpuopt_array x, const std::vector<Item> &items, gpuopt_array value) {
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "set: the array is read-only");
  if (!has_arrays(items)) return record_assign(basic_view(x, items, "set").get(), value);
  write_indexed(x, items, value, "set",
                [](gpuopt_array rows, gpuopt_array at, gpuopt_array values) { put(rows, at, 0, values); });
}

// ---- Accumulating

// Throws unless the operation can accumulate in arrays of this dtype.
void check_accumulates(gpuopt_op op, gpuopt_dtype dtype) {
  const gpuopt_op known[] = {GPUOPT_OP_add,     GPUOPT_OP_subtract, GPUOPT_OP_multiply, GPUOPT_OP_minimum,
                             GPUOPT_OP_maximum, GPUOPT_OP_fmin,     GPUOPT_OP_fmax};
  if (std::ranges::find(known, op) == std::end(known))
    fail(GPUOPT_ERR_UNSUPPORTED, "apply_at: '%s' does not accumulate", op_info(op).name);
  if (loop_dtypes(op, dtype).result != dtype)
    fail(GPUOPT_ERR_TYPE, "apply_at: '%s' has no loop for %s", op_info(op).name, dtype_name(dtype));
}

// Returns the value in x's dtype. Throws ERR_TYPE unless the cast is of NumPy's same_kind.
ArrayRef operand_of_kind(gpuopt_array x, gpuopt_array value) {
  const bool fits =
      value->weak ? promote_weak(x->dtype, value->scalar.kind) == x->dtype : can_cast(value->dtype, x->dtype, 1);
  if (!fits) {
    fail(GPUOPT_ERR_TYPE, "apply_at: Cannot cast the values to dtype('%s') according to the rule 'same_kind'",
         dtype_name(x->dtype));
  }
  return value->weak ? scalar_array(x->stream.get(), x->dtype, value->scalar) : in_dtype(value, x->dtype);
}

void apply_at(gpuopt_op op, gpuopt_array x, const std::vector<Item> &items, gpuopt_array given) {
  check_accumulates(op, x->dtype);
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "apply_at: the array is read-only");
  const ArrayRef value = operand_of_kind(x, given);
  if (!has_arrays(items)) {  // a view, each of whose elements is there once
    const ArrayRef view = basic_view(x, items, "apply_at");
    const ArrayRef wide = broadcast_view(value.get(), view->sizes(), "apply_at");
    const gpuopt_array both[] = {view.get(), wide.get()};
    record_op(op, both, view.get(), "apply_at");
    return;
  }
  write_indexed(x, items, value.get(), "apply_at",
                [&](gpuopt_array rows, gpuopt_array at, gpuopt_array values) { accumulate(op, rows, at, values); });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_get(gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                         const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return get(x, read_items(deref_strong(x, "get"), count, items, narrays, arrays, "get")); });
}

gpuopt_status gpuopt_set(gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                         const gpuopt_array *arrays, gpuopt_array value, gpuopt_error *error) {
  return guarded(error, [&] {
    const std::vector<Item> list = read_items(deref_strong(x, "set"), count, items, narrays, arrays, "set");
    if (!deref(value, "set").weak) check_same_device("set", {x, value});
    set(x, list, value);
  });
}

gpuopt_status gpuopt_apply_at(gpuopt_op op, gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                              const gpuopt_array *arrays, gpuopt_array values, gpuopt_error *error) {
  return guarded(error, [&] {
    const char *const what = "apply_at";
    const std::vector<Item> list = read_items(deref_strong(x, what), count, items, narrays, arrays, what);
    if (!deref(values, what).weak) check_same_device(what, {x, values});
    apply_at(op, x, list, values);
  });
}

}  // extern "C"
