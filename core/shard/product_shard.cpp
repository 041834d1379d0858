// core/shard/product_shard.cpp -- gpuopt_shard_matmul and gpuopt_shard_crossprod: products of which an operand is cut.
#include <algorithm>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/matmul.h"
#include "core/shard/axis_shard.h"
#include "core/shard/tree.h"

namespace gpuopt {
namespace {

void check_matrix(const gpuopt_array_s &x, const char *which, const char *what) {
  if (x.ndim != 2) fail(GPUOPT_ERR_SHAPE, "%s: %s has %d dimensions, not 2", what, which, x.ndim);
}

// ---- A shard times an array

void check_factors(const gpuopt_shard_s &a, const gpuopt_array_s &b, const char *what) {
  check_matrix(*a.part, "the shard", what);
  if (b.ndim != 1 && b.ndim != 2)
    fail(GPUOPT_ERR_SHAPE, "%s: the second operand has %d dimensions, not 1 or 2", what, b.ndim);
}

// Multiplies an array that is cut along axis 0.
ShardRef rows_times(const gpuopt_shard_s &a, gpuopt_array b, const char *what) {
  check_factors(a, deref_strong(b, what), what);
  return make_shard(*a.comm, a.bounds, matmul(a.part.get(), b, what));
}

// Multiplies an array that is cut along its columns, over which a product sums: it is cut along its rows first, for
// the bits of the product of rows.
ShardRef columns_times(Call &call, gpuopt_shard_s &a, gpuopt_array b, bool has_place) {
  agree_on_shard(call, kShardMatmul, a, has_place, [&](Intent &own) {
    check_factors(a, deref_strong(b, call.name()), call.name());
    if (const Dims shape = whole_shape(a); shape[1] != b->shape[0])
      fail(GPUOPT_ERR_SHAPE, "%s: shapes %s and %s not aligned: %lld (dim 1) != %lld (dim 0)", call.name(),
           shape_text(2, shape.data()).c_str(), shape_text(b->ndim, b->shape).c_str(), static_cast<long long>(shape[1]),
           static_cast<long long>(b->shape[0]));
    check_same_device(call.name(), {a.part.get(), b});
    own.detail =
        Digest().add(own.detail).add(static_cast<uint64_t>(promote(a.part->dtype, b->dtype))).add(b->sizes()).value();
  });
  const ShardRef rows = turned(call, a, 0, shard_bounds(a.part->shape[0], call.size()));
  call.finish();
  return rows_times(*rows, b, call.name());
}

// ---- Two shards

// The rows of two matrices for the chunks that begin on this rank.
struct Rows {
  ArrayRef a, b;
  int64_t count() const { return a->shape[0]; }
};

// a^T b of the rows of one chunk.
ArrayRef chunk_product(const Rows &rows, int64_t begin, const char *what) {
  const int64_t count = std::min<int64_t>(GPUOPT_CHUNK, rows.count() - begin), axes[] = {1, 0};
  const ArrayRef a = part_view(rows.a.get(), 0, begin, count), b = part_view(rows.b.get(), 0, begin, count);
  return matmul(permuted_view(a.get(), axes).get(), b.get(), what);
}

ArrayRef added(const ArrayRef &a, const ArrayRef &b) {
  const ArrayRef sum = (Value(a) + Value(b)).array();
  evaluate(sum.get());  // a recorded sum would keep the memory of both
  return sum;
}

ArrayRef bool_added(const ArrayRef &a, const ArrayRef &b) { return logical_or(Value(a), Value(b)).array(); }

// The sum of the products of all chunks.
ArrayRef summed_products(Call &call, const Rows &rows, std::span<const int64_t> bounds, gpuopt_dtype dtype) {
  const std::vector<int64_t> chunks = chunk_bounds(bounds);
  const auto me = static_cast<size_t>(call.rank());
  const Combine combine = dtype == GPUOPT_BOOL ? bool_added : added;
  TreeStack stack(combine);
  for (int64_t chunk = chunks[me]; chunk < chunks[me + 1]; ++chunk)
    stack.push({chunk, 1}, chunk_product(rows, (chunk - chunks[me]) * GPUOPT_CHUNK, call.name()));
  return combined_over_ranks(call, chunks, stack.values(), dtype, Dims{rows.a->shape[1], rows.b->shape[1]},
                             rows.a->stream.get(), combine);
}

// What both shards have: matrices, whose rows are cut alike where both are cut along them.
void check_crossprod(const gpuopt_shard_s &a, const gpuopt_shard_s &b, const char *what) {
  check_matrix(*a.part, "the first shard", what);
  check_matrix(*b.part, "the second shard", what);
  const bool same_group = b.comm->world.get() == a.comm->world.get() && b.comm->members == a.comm->members;
  const bool same_rows = !a.axis && !b.axis ? a.bounds == b.bounds : whole_shape(a)[0] == whole_shape(b)[0];
  if (!same_group || !same_rows)
    fail(GPUOPT_ERR_SHAPE, "%s: the two shards are not cut alike: gpuopt_shard_recut() one of them", what);
}

// The part of an array that is cut along its rows at these places, or is cut so now.
ArrayRef part_of_rows(Call &call, const gpuopt_shard_s &s, const std::vector<int64_t> &bounds, gpuopt_dtype dtype) {
  return in_dtype((s.axis ? turned(call, s, 0, bounds)->part : s.part).get(), dtype);
}

ArrayRef crossprod(Call &call, const gpuopt_shard_s &s, gpuopt_shard other, bool has_place) {
  gpuopt_dtype dtype = 0;
  const bool is_same = &s == other;  // on all ranks alike: then one of them travels
  agree_on_shard(
      call, kShardCrossprod, s, has_place,
      [&](Intent &own) {
        const gpuopt_shard_s &b = deref(other, call.name());
        check_crossprod(s, b, call.name());
        evaluate(b.part.get());
        dtype = promote(s.part->dtype, b.part->dtype);
        own.detail = Digest()
                         .add(own.detail)
                         .add(static_cast<uint64_t>(b.part->dtype))
                         .add(whole_shape(b))
                         .add(static_cast<uint64_t>(b.axis))
                         .add(b.bounds)
                         .add(is_same)
                         .value();
      },
      other);
  const gpuopt_dtype loop = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  const int64_t rows = whole_shape(s)[0];
  const std::vector<int64_t> bounds = !s.axis        ? s.bounds
                                      : !other->axis ? other->bounds
                                                     : shard_bounds(rows, call.size());
  Rows own;
  own.a = part_of_rows(call, s, bounds, loop);
  own.b = is_same ? own.a : part_of_rows(call, *other, bounds, loop);
  ArrayRef result;
  if (rows) {
    const Wanted wanted = wanted_for_chunks(bounds);
    own.a = fetch_rows(call, own.a.get(), bounds, wanted);
    own.b = is_same ? own.a : fetch_rows(call, own.b.get(), bounds, wanted);
    result = summed_products(call, own, bounds, loop);
  } else {
    result = chunk_product(own, 0, call.name());
  }
  result = in_dtype(result.get(), dtype);
  evaluate(result.get());
  call.finish();
  return result;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_matmul(gpuopt_shard a, gpuopt_array b, gpuopt_shard *result, gpuopt_error *error) {
  const char *const what = "shard_matmul";
  if (a && a->axis)
    return with_shard(a, what, result, error,
                      [&](Call &call, gpuopt_shard_s &s) { return columns_times(call, s, b, result != nullptr); });
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", what);
    *result = rows_times(deref(a, what), b, what).leave();
  });
}

gpuopt_status gpuopt_shard_crossprod(gpuopt_shard a, gpuopt_shard b, gpuopt_array *result, gpuopt_error *error) {
  return with_shard(a, "shard_crossprod", result, error,
                    [&](Call &call, const gpuopt_shard_s &s) { return crossprod(call, s, b, result != nullptr); });
}

}  // extern "C"
