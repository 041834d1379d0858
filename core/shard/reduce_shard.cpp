// core/shard/reduce_shard.cpp -- gpuopt_shard_reduce: each rank reduces the chunks that begin in its part, as nodes of
// the tree over all chunks, and every rank combines the nodes of all.
#include <algorithm>
#include <bit>

#include "core/comm/reduce_ranks.h"
#include "core/engine/expression.h"
#include "core/shard/axis_shard.h"
#include "core/shard/tree.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// What is asked for, checked against a part.
struct Request {
  gpuopt_reduction reduction;
  uint64_t mask = 0;  // the reduced axes
  bool keepdims = false;
  gpuopt_dtype dtype = 0;  // of the accumulation, or 0
  bool is_position() const { return reduction == GPUOPT_REDUCTION_argmin || reduction == GPUOPT_REDUCTION_argmax; }
  bool has_dtype() const { return reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_prod; }
  // Elements are summed in the order of the whole array. Those of one rank lie together in it if the array is cut along
  // the first axis that is reduced.
  int axis_for(int cut) const { return has_dtype() ? std::countr_zero(mask) : cut; }
};

// `axis`: along which the whole array is cut.
Request read_request(const gpuopt_array_s &x, int axis, gpuopt_reduction reduction,
                     const gpuopt_reduce_options *options, const char *what) {
  reduction_info(reduction);
  const auto o = options_or_default(options, what);
  if (o.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", what);
  if (o.where || o.initial || o.out)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: where, initial and out are no options of it", what);
  Request request{reduction, axis_mask(o.naxes, o.axes, x.ndim, what), o.keepdims != 0, dtype_or(o.dtype, 0, what)};
  const uint64_t cut = uint64_t{1} << axis;
  if (!(request.mask & cut))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: axis %d is not reduced: reduce the parts, each by itself", what, axis);
  if (request.is_position() && request.mask != cut)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: argmin and argmax are along axis %d alone", what, axis);
  return request;
}

// Returns the mask of axes of an array whose axis was moved to the front.
uint64_t moved_mask(uint64_t mask, int axis) {
  const uint64_t below = (uint64_t{1} << axis) - 1, above = ~below << 1;
  return (mask & above) | (mask & below) << 1 | (mask >> axis & 1);
}

// Returns x with the axes of the mask first, and these as one: a matrix of sequences, one behind each other axis.
ArrayRef as_sequences(gpuopt_array x, uint64_t mask, int64_t length) {
  std::vector<int64_t> order;
  Dims shape{length};
  for (int i = 0; i < x->ndim; ++i)
    if (mask >> i & 1) order.push_back(i);
  for (int i = 0; i < x->ndim; ++i) {
    if (mask >> i & 1) continue;
    order.push_back(i);
    shape.push_back(x->shape[i]);
  }
  return reshaped(permuted_view(x, order.data()).get(), shape);
}

// Returns the result with the reduced axes, with size 1, if these are to be kept.
ArrayRef with_kept_axes(ArrayRef result, const gpuopt_array_s &part, const Request &request) {
  if (!request.keepdims) return result;
  Dims shape(part.shape, part.shape + part.ndim);
  for (int i = 0; i < part.ndim; ++i)
    if (request.mask >> i & 1) shape[static_cast<size_t>(i)] = 1;
  return reshaped(result.get(), shape);
}

// The reduction of sequences, of which this rank has the elements between its bounds. 16-bit floats are summed in
// float32 and rounded once, as in one process.
ArrayRef reduce_sequences(Call &call, ArrayRef sequences, std::span<const int64_t> bounds, const Request &request) {
  const gpuopt_dtype loop = request.dtype ? request.dtype : sequences->dtype;
  const bool widened = request.has_dtype() && is_half(loop);
  if (widened) sequences = in_dtype(in_dtype(sequences.get(), loop).get(), GPUOPT_FLOAT32);
  const std::vector<int64_t> chunks = chunk_bounds(bounds);
  const auto me = static_cast<size_t>(call.rank());
  const ArrayRef own = fetch_rows(call, sequences.get(), bounds, wanted_for_chunks(bounds));
  const auto reduced = [&](gpuopt_array x) {
    return record_reduction(request.reduction, x, 1, false, widened ? 0 : request.dtype);
  };
  const int64_t one[] = {1};
  const ArrayRef sample = make_array(own->stream.get(), own->dtype, 1, one);
  std::vector<ArrayRef> results;
  for (const TreeNode &node : covering_nodes(chunks[me], chunks[me + 1])) {
    const int64_t begin = (node.first - chunks[me]) * GPUOPT_CHUNK;
    const int64_t end = std::min(begin + node.count * GPUOPT_CHUNK, own->shape[0]);
    results.push_back(reduced(part_view(own.get(), 0, begin, end - begin).get()));
  }
  const gpuopt_dtype dtype = results.empty() ? reduced(sample.get())->dtype : results[0]->dtype;
  const Dims shape(own->shape + 1, own->shape + own->ndim);
  const gpuopt_op op = combining_op(request.reduction, dtype);
  const ArrayRef whole = combined_over_ranks(
      call, chunks, results, dtype, shape, own->stream.get(),
      [op](const ArrayRef &a, const ArrayRef &b) { return apply_op(op, Value(a), Value(b)).array(); });
  return widened ? in_dtype(whole.get(), loop) : whole;
}

// argmin or argmax along axis 0: of the first extremes of all parts that have rows, the first one.
ArrayRef extreme_position(Call &call, const gpuopt_shard_s &s, gpuopt_reduction reduction) {
  const bool has_rows = s.part->shape[0] != 0;
  ArrayRef values = part_view(s.part.get(), 0, 0, 0), places;
  if (has_rows) {
    places = record_reduction(reduction, s.part.get(), 1, true, 0);
    values = taken_along(s.part.get(), places.get(), 0);
    places = (Value(places) + Value(s.begin())).array();
  } else {
    places = make_array(s.part->stream.get(), GPUOPT_INT64, s.part->ndim, s.part->shape);
  }
  std::vector<int64_t> bounds{0};
  for (size_t r = 0; r + 1 < s.bounds.size(); ++r) bounds.push_back(bounds[r] + (s.bounds[r] < s.bounds[r + 1]));
  const Wanted wanted = all_wanted(call.size(), bounds.back());
  const ArrayRef all_values = fetch_rows(call, values.get(), bounds, wanted);
  const ArrayRef all_places = fetch_rows(call, places.get(), bounds, wanted);
  const ArrayRef which = record_reduction(reduction, all_values.get(), 1, true, 0);
  const int64_t axis = 0;
  return squeezed_view(taken_along(all_places.get(), which.get(), 0).get(), 1, &axis);
}

// The product of the sizes of all reduced axes but that along which the array is cut.
int64_t elements_in_row(const gpuopt_shard_s &s, uint64_t mask, const char *what) {
  int64_t elements = 1;
  for (int axis = 0; axis < s.part->ndim; ++axis)
    if (axis != s.axis && mask >> axis & 1) elements = checked_times(elements, s.part->shape[axis], what);
  return elements;
}

// The reduction of an array that is cut along the first axis, over that and others.
ArrayRef reduce_rows(Call &call, const gpuopt_shard_s &s, const Request &request) {
  if (request.is_position()) return with_kept_axes(extreme_position(call, s, request.reduction), *s.part, request);
  const int64_t inner = elements_in_row(s, request.mask, call.name());
  std::vector<int64_t> bounds = s.bounds;
  for (int64_t &bound : bounds) bound *= inner;
  const ArrayRef sequences = as_sequences(s.part.get(), request.mask, (s.end() - s.begin()) * inner);
  return with_kept_axes(reduce_sequences(call, sequences, bounds, request), *s.part, request);
}

ArrayRef reduce_shard(Call &call, gpuopt_shard_s &given, gpuopt_reduction reduction,
                      const gpuopt_reduce_options *options, bool has_place) {
  Request request{};
  ArrayRef of_nothing;
  agree_on_shard(call, kShardReduce, given, has_place, [&](Intent &own) {
    request = read_request(*given.part, given.axis, reduction, options, call.name());
    own.reduction = reduction;
    own.detail = Digest()
                     .add(own.detail)
                     .add(request.mask)
                     .add(request.keepdims)
                     .add(static_cast<uint64_t>(request.dtype))
                     .value();
    const int64_t length = checked_times(given.rows(), elements_in_row(given, request.mask, call.name()), call.name());
    // What cannot be reduced fails here, on all ranks alike. Nothing at all has a result without other ranks.
    const ArrayRef tried = given.part->size || !length ? record_reduction(reduction, given.part.get(), request.mask,
                                                                          request.keepdims, request.dtype)
                                                       : ArrayRef();
    if (!length) of_nothing = tried;
  });
  ArrayRef result = of_nothing;
  if (!result) {
    const int axis = request.axis_for(given.axis);
    const ShardRef cut = axis == given.axis
                             ? ShardRef::share(&given)
                             : turned(call, given, axis, shard_bounds(given.part->shape[axis], call.size()));
    request.mask = moved_mask(request.mask, axis);
    result = reduce_rows(call, *cut_axis_first(*cut), request);
    if (request.keepdims) result = axis_from_front(result.get(), axis);
  }
  evaluate(result.get());
  call.finish();
  return result;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_reduce(gpuopt_shard shard, gpuopt_reduction reduction, const gpuopt_reduce_options *options,
                                  gpuopt_array *result, gpuopt_error *error) {
  return with_shard(shard, "shard_reduce", result, error, [&](Call &call, gpuopt_shard_s &s) {
    return reduce_shard(call, s, reduction, options, result != nullptr);
  });
}

}  // extern "C"
