// core/shard/shard.cpp -- see shard.h; and the C functions that make shards of arrays and ask about them.
#include "core/shard/shard.h"

#include <algorithm>

#include "core/engine/record.h"
#include "core/shard/rows.h"

namespace gpuopt {

gpuopt_shard_s &deref(gpuopt_shard shard, const char *what) {
  if (!shard) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the shard is NULL", what);
  return *shard;
}

ShardRef make_shard(gpuopt_comm_s &comm, std::vector<int64_t> bounds, ArrayRef part, int axis) {
  auto made = ShardRef::adopt(new gpuopt_shard_s);
  made->axis = axis;
  made->comm = Ref<gpuopt_comm_s>::share(&comm);
  made->bounds = std::move(bounds);
  made->part = std::move(part);
  return made;
}

ArrayRef axis_to_front(gpuopt_array x, int axis) {
  if (!axis) return ArrayRef::share(x);
  std::vector<int64_t> order{axis};
  for (int i = 0; i < x->ndim; ++i)
    if (i != axis) order.push_back(i);
  return permuted_view(x, order.data());
}

ArrayRef axis_from_front(gpuopt_array x, int axis) {
  if (!axis) return ArrayRef::share(x);
  std::vector<int64_t> order;
  for (int i = 1; i < x->ndim; ++i) order.push_back(i);
  order.insert(order.begin() + axis, 0);
  return permuted_view(x, order.data());
}

ShardRef cut_axis_first(gpuopt_shard_s &shard) {
  if (!shard.axis) return ShardRef::share(&shard);
  return make_shard(*shard.comm, shard.bounds, axis_to_front(shard.part.get(), shard.axis));
}

Dims whole_shape(const gpuopt_shard_s &shard) {
  Dims shape(shard.part->shape, shard.part->shape + shard.part->ndim);
  shape[static_cast<size_t>(shard.axis)] = shard.rows();
  return shape;
}

std::vector<int64_t> shard_bounds(int64_t rows, int32_t parts) {
  const int64_t leaf = rows / GPUOPT_CHUNK >= parts ? GPUOPT_CHUNK : 1;
  std::vector<int64_t> bounds = part_bounds(rows / leaf + (rows % leaf != 0), parts);
  for (int64_t &bound : bounds) bound = std::min(bound, rows / leaf) * leaf;
  bounds.back() = rows;
  return bounds;
}

void check_has_rows(const gpuopt_array_s &x, const char *what) {
  if (!x.ndim) fail(GPUOPT_ERR_SHAPE, "%s: an array without dimensions has no rows", what);
}

Dims with_rows(const gpuopt_array_s &x, int64_t rows) {
  Dims shape(x.shape, x.shape + x.ndim);
  shape[0] = rows;
  return shape;
}

int64_t checked_times(int64_t a, int64_t b, const char *what) {
  if (a && b > INT64_MAX / a) fail(GPUOPT_ERR_SHAPE, "%s: the array is too large", what);
  return a * b;
}

Digest &Digest::add(std::span<const int64_t> numbers) {
  add(numbers.size());
  for (const int64_t number : numbers) add(static_cast<uint64_t>(number));
  return *this;
}

namespace {

// Throws unless the ranks' arrays have one dtype, rows, and one shape behind them.
void check_alike(Call &call, const Intents &all) {
  for (int32_t r = 0; r < call.size(); ++r) {
    const Intent &one = all[r], &first = all[0];
    if (!one.ndim) call.disagree(r, "an array without dimensions has no rows");
    if (one.dtype != first.dtype || one.ndim != first.ndim ||
        !std::ranges::equal(one.sizes().subspan(1), first.sizes().subspan(1)))
      call.disagree(r, "its part is " + described(one) + ", rank 0's " + described(first));
  }
}

// Tells the other ranks of this one's array, and returns what all have: arrays that are alike.
Intents agree_on_arrays(Call &call, decltype(Intent::call) which, gpuopt_array x, bool has_place, int64_t axis = 0) {
  Intent own;
  own.call = which;
  prepare_intent(own, [&] {
    if (!has_place) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", call.name());
    check_has_rows(deref_strong(x, call.name()), call.name());
    const int front = checked_axis(axis, x->ndim, call.name());
    evaluate(x);
    describe(own, axis_to_front(x, front).get());
    own.detail = static_cast<uint64_t>(front);
  });
  Intents all = call.agree(own);
  check_alike(call, all);
  return all;
}

ShardRef from_parts(Call &call, gpuopt_array x, int64_t axis, bool has_place) {
  const Intents all = agree_on_arrays(call, kShardFromParts, x, has_place, axis);
  std::vector<int64_t> bounds{0};
  for (int32_t r = 0; r < call.size(); ++r) {
    const int64_t rows = all[r].shape[0];
    if (rows > INT64_MAX - bounds.back()) call.disagree(r, "the array is too large");
    bounds.push_back(bounds.back() + rows);
  }
  call.finish();
  return make_shard(call.comm(), std::move(bounds), ArrayRef::share(x), checked_axis(axis, x->ndim, call.name()));
}

ShardRef from_whole(Call &call, gpuopt_array x, bool has_place) {
  const Intents all = agree_on_arrays(call, kShardFromWhole, x, has_place);
  for (int32_t r = 1; r < call.size(); ++r)
    if (all[r].shape[0] != all[0].shape[0])
      call.disagree(r, "its array is " + described(all[r]) + ", rank 0's " + described(all[0]));
  call.finish();
  std::vector<int64_t> bounds = shard_bounds(x->shape[0], call.size());
  const int64_t begin = bounds[static_cast<size_t>(call.rank())];
  ArrayRef part = part_view(x, 0, begin, bounds[static_cast<size_t>(call.rank()) + 1] - begin);
  return make_shard(call.comm(), std::move(bounds), std::move(part));
}

// Cuts the array of the root, which until then has all rows.
ShardRef from_array(Call &call, gpuopt_array x, int32_t root, bool has_place) {
  const bool is_root = call.rank() == root;
  Intent own;
  own.call = kShardFromArray;
  own.root = root;
  prepare_intent(own, [&] {
    checked_rank(call.comm(), root, call.name());
    if (!has_place) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", call.name());
    if (x || is_root) deref_strong(x, call.name());
    if (!is_root) return;
    check_has_rows(*x, call.name());
    evaluate(x);
    describe(own, x);
  });
  own.on_device = own.status == GPUOPT_OK && can_stay(call, x, nullptr);
  const Intent what = call.agree_with_root(own, root);
  call.move_on_device(call.all_can_stay());
  std::vector<int64_t> bounds = shard_bounds(what.shape[0], call.size()), before(bounds.size());
  for (size_t r = static_cast<size_t>(root) + 1; r < before.size(); ++r) before[r] = what.shape[0];
  ArrayRef whole = ArrayRef::share(x);
  if (!is_root) {
    Dims none(what.shape, what.shape + what.ndim);
    none[0] = 0;
    whole = make_array(stream_for(call, x, nullptr), what.dtype, what.ndim, none.data());
  }
  ArrayRef part = fetch_rows(call, whole.get(), before, wanted_between(bounds));
  call.finish();
  if (is_root) part = record_copy(part.get());  // the caller goes on with the whole
  evaluate(part.get());
  return make_shard(call.comm(), std::move(bounds), std::move(part));
}

// Implements a C function that makes a shard of a group.
template <class Body>
gpuopt_status making_shard(gpuopt_comm comm, const char *name, gpuopt_shard *result, gpuopt_error *error,
                           Body &&body) noexcept {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    Call call(deref(comm, name), name);
    ShardRef made = told(call, [&] { return body(call); });
    if (result) *result = made.leave();
  });
}

}  // namespace

void describe_shard(Intent &intent, const gpuopt_shard_s &shard) {
  describe(intent, shard.part.get());
  intent.shape[shard.axis] = shard.bounds.back();
  Digest digest;
  digest.add(std::span<const int64_t>(shard.bounds));
  if (shard.axis) digest.add(static_cast<uint64_t>(shard.axis));
  intent.detail = digest.value();
}

void check_shards(Call &call, const Intents &all) {
  for (int32_t r = 1; r < call.size(); ++r)
    if (all[r].dtype != all[0].dtype || !std::ranges::equal(all[r].sizes(), all[0].sizes()))
      call.disagree(r, "its shard is " + described(all[r]) + ", rank 0's " + described(all[0]));
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_from_parts(gpuopt_comm comm, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error) {
  return making_shard(comm, "shard_from_parts", result, error,
                      [&](Call &call) { return from_parts(call, x, 0, result != nullptr); });
}

gpuopt_status gpuopt_shard_from_parts_along(gpuopt_comm comm, gpuopt_array x, int64_t axis, gpuopt_shard *result,
                                            gpuopt_error *error) {
  return making_shard(comm, "shard_from_parts_along", result, error,
                      [&](Call &call) { return from_parts(call, x, axis, result != nullptr); });
}

gpuopt_status gpuopt_shard_from_array(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_shard *result,
                                      gpuopt_error *error) {
  return making_shard(comm, "shard_from_array", result, error,
                      [&](Call &call) { return from_array(call, x, root, result != nullptr); });
}

gpuopt_status gpuopt_shard_from_whole(gpuopt_comm comm, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error) {
  return making_shard(comm, "shard_from_whole", result, error,
                      [&](Call &call) { return from_whole(call, x, result != nullptr); });
}

gpuopt_status gpuopt_shard_with(gpuopt_shard shard, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "shard_with: the result pointer is NULL");
    const gpuopt_shard_s &s = deref(shard, "shard_with");
    check_has_rows(deref_strong(x, "shard_with"), "shard_with");
    const int axis = checked_axis(s.axis, x->ndim, "shard_with");
    if (x->shape[axis] != s.end() - s.begin())
      fail(GPUOPT_ERR_SHAPE, "shard_with: the array has %lld rows, the shard's part has %lld",
           static_cast<long long>(x->shape[axis]), static_cast<long long>(s.end() - s.begin()));
    *result = make_shard(*s.comm, s.bounds, ArrayRef::share(x), axis).leave();
  });
}

void gpuopt_shard_retain(gpuopt_shard shard) {
  if (shard) shard->retain();
}

void gpuopt_shard_release(gpuopt_shard shard) {
  if (shard) shard->release();
}

gpuopt_status gpuopt_shard_part(gpuopt_shard shard, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return deref(shard, "shard_part").part; });
}

gpuopt_status gpuopt_shard_comm(gpuopt_shard shard, gpuopt_comm *result, gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "shard_comm: the pointer for the group is NULL");
    *result = Ref<gpuopt_comm_s>(deref(shard, "shard_comm").comm).leave();
  });
}

int32_t gpuopt_shard_axis(gpuopt_shard shard) { return shard ? shard->axis : 0; }

int64_t gpuopt_shard_rows(gpuopt_shard shard) { return shard ? shard->rows() : 0; }

const int64_t *gpuopt_shard_bounds(gpuopt_shard shard) { return shard ? shard->bounds.data() : nullptr; }

}  // extern "C"
