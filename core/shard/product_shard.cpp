// core/shard/product_shard.cpp -- gpuopt_shard_matmul and gpuopt_shard_crossprod: products of which an operand is cut.
#include <algorithm>

#include "core/engine/expression.h"
#include "core/ops/matmul.h"
#include "core/shard/tree.h"

namespace gpuopt {
namespace {

void check_matrix(const gpuopt_array_s &x, const char *which, const char *what) {
  if (x.ndim != 2) fail(GPUOPT_ERR_SHAPE, "%s: %s has %d dimensions, not 2", what, which, x.ndim);
}

ShardRef times(const gpuopt_shard_s &a, gpuopt_array b) {
  const char *const what = "shard_matmul";
  check_cut_along_rows(a, what);
  check_matrix(*a.part, "the shard", what);
  if (const int ndim = deref_strong(b, what).ndim; ndim != 1 && ndim != 2)
    fail(GPUOPT_ERR_SHAPE, "%s: the second operand has %d dimensions, not 1 or 2", what, ndim);
  return make_shard(*a.comm, a.bounds, matmul(a.part.get(), b, what));
}

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

ArrayRef crossprod(Call &call, const gpuopt_shard_s &s, gpuopt_shard other, bool has_place) {
  gpuopt_dtype dtype = 0;
  agree_on_shard(
      call, kShardCrossprod, s, has_place,
      [&](Intent &own) {
        const gpuopt_shard_s &b = deref(other, call.name());
        check_cut_along_rows(s, call.name());
        check_cut_along_rows(b, call.name());
        check_matrix(*s.part, "the first shard", call.name());
        check_matrix(*b.part, "the second shard", call.name());
        if (b.bounds != s.bounds || b.comm->world.get() != s.comm->world.get())
          fail(GPUOPT_ERR_SHAPE, "%s: the two shards are not cut alike: gpuopt_shard_recut() one of them", call.name());
        evaluate(b.part.get());
        dtype = promote(s.part->dtype, b.part->dtype);
        own.detail = Digest()
                         .add(own.detail)
                         .add(static_cast<uint64_t>(b.part->dtype))
                         .add(static_cast<uint64_t>(b.part->shape[1]))
                         .value();
      },
      other);
  const gpuopt_dtype loop = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  const ArrayRef a = in_dtype(s.part.get(), loop), b = in_dtype(other->part.get(), loop);
  ArrayRef result;
  if (s.rows()) {
    const Wanted wanted = wanted_for_chunks(s.bounds);
    Rows rows;
    rows.a = fetch_rows(call, a.get(), s.bounds, wanted);
    rows.b = &s == other ? rows.a : fetch_rows(call, b.get(), s.bounds, wanted);
    result = summed_products(call, rows, s.bounds, loop);
  } else {
    result = chunk_product({a, b}, 0, call.name());
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
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "shard_matmul: the result pointer is NULL");
    *result = times(deref(a, "shard_matmul"), b).leave();
  });
}

gpuopt_status gpuopt_shard_crossprod(gpuopt_shard a, gpuopt_shard b, gpuopt_array *result, gpuopt_error *error) {
  return with_shard(a, "shard_crossprod", result, error,
                    [&](Call &call, const gpuopt_shard_s &s) { return crossprod(call, s, b, result != nullptr); });
}

}  // extern "C"
