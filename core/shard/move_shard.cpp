// core/shard/move_shard.cpp -- gpuopt_shard_gather, halo and recut: rows of a shard where others need them; and
// gpuopt_shard_draw, each rank's part of one stream of random numbers.
#include <algorithm>

#include "core/engine/record.h"
#include "core/random/distributions.h"
#include "core/shard/rows.h"

namespace gpuopt {
namespace {

// Returns x, or a copy if it is a view of the shard's part, which nobody may change.
ArrayRef apart_from(const gpuopt_shard_s &s, ArrayRef x) {
  if (x->storage.get() == s.part->storage.get()) x = record_copy(x.get());
  evaluate(x.get());
  return x;
}

ArrayRef gather_shard(Call &call, gpuopt_shard_s &given, int32_t root, bool has_place) {
  const ShardRef first = cut_axis_first(given);
  const gpuopt_shard_s &s = *first;
  const bool takes = root < 0 || root == call.rank();
  agree_on_shard(call, kShardGather, given, has_place || !takes, [&](Intent &own) {
    if (root >= 0) checked_rank(call.comm(), root, call.name());
    own.root = std::max(root, -1);
  });
  ArrayRef whole = fetch_rows(call, s.part.get(), s.bounds, all_wanted(call.size(), s.rows(), root));
  if (takes) whole = apart_from(s, axis_from_front(whole.get(), given.axis));
  call.finish();
  return takes ? whole : ArrayRef();
}

// Appends the rows from `begin` to `end` of n rows that repeat periodically: both are from -n to 2 n.
void append_periodic(std::vector<Range> &ranges, int64_t begin, int64_t end, int64_t n) {
  for (int64_t period = -1; period <= 1; ++period) {
    const int64_t from = std::max(begin, period * n), to = std::min(end, period * n + n);
    if (from < to) ranges.push_back({from - period * n, to - period * n});
  }
}

ArrayRef halo(Call &call, gpuopt_shard_s &given, int64_t before, int64_t after, bool periodic, bool has_place) {
  const ShardRef first = cut_axis_first(given);
  const gpuopt_shard_s &s = *first;
  const int64_t n = s.rows();
  agree_on_shard(call, kShardHalo, given, has_place, [&](Intent &own) {
    if (before < 0 || after < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a number of rows is negative", call.name());
    if (periodic && n && (before > n || after > n))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a periodic halo of more rows than there are", call.name());
    own.detail = Digest()
                     .add(own.detail)
                     .add(static_cast<uint64_t>(before))
                     .add(static_cast<uint64_t>(after))
                     .add(periodic)
                     .value();
  });
  Wanted wanted;
  for (size_t r = 0; r + 1 < s.bounds.size(); ++r) {
    const int64_t begin = s.bounds[r], end = s.bounds[r + 1];
    std::vector<Range> &ranges = wanted.emplace_back();
    if (begin == end) continue;
    if (periodic)
      append_periodic(ranges, begin - before, end + after, n);
    else
      ranges.push_back({std::max<int64_t>(begin - std::min(before, begin), 0), end + std::min(after, n - end)});
  }
  const ArrayRef rows = fetch_rows(call, s.part.get(), s.bounds, wanted);
  ArrayRef result = apart_from(s, axis_from_front(rows.get(), given.axis));
  call.finish();
  return result;
}

std::vector<int64_t> checked_bounds(const gpuopt_shard_s &s, const int64_t *bounds, const char *what) {
  if (!bounds) return shard_bounds(s.rows(), s.comm->size());
  std::vector<int64_t> given(bounds, bounds + s.bounds.size());
  if (given.front() != 0 || given.back() != s.rows() || !std::ranges::is_sorted(given))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the boundaries do not go from 0 to %lld without decreasing", what,
         static_cast<long long>(s.rows()));
  return given;
}

ShardRef recut(Call &call, gpuopt_shard_s &given, const int64_t *bounds, bool has_place) {
  const ShardRef first = cut_axis_first(given);
  const gpuopt_shard_s &s = *first;
  std::vector<int64_t> cut;
  agree_on_shard(call, kShardRecut, given, has_place, [&](Intent &own) {
    cut = checked_bounds(s, bounds, call.name());
    own.detail = Digest().add(own.detail).add(cut).value();
  });
  const ArrayRef rows = fetch_rows(call, s.part.get(), s.bounds, wanted_between(cut));
  ArrayRef part = axis_from_front(rows.get(), given.axis);
  evaluate(part.get());
  call.finish();
  return make_shard(*s.comm, std::move(cut), std::move(part), given.axis);
}

// ---- Random numbers

// What gpuopt_shard_draw is asked for.
struct Drawing {
  gpuopt_distribution distribution;
  std::span<const gpuopt_array> parameters;
  gpuopt_dtype dtype;
  Dims shape;
};

void check_drawing(const gpuopt_generator_s &g, const Drawing &d, const char *what) {
  if (g.is_pcg64())
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: PCG64's numbers cannot be drawn from the middle; gpuopt_generator_create() can",
         what);
  if (d.shape.empty()) fail(GPUOPT_ERR_SHAPE, "%s: an array without dimensions has no rows", what);
  for (const gpuopt_array parameter : d.parameters) {
    const gpuopt_array_s &p = deref(parameter, what);
    if (static_cast<size_t>(p.ndim) >= d.shape.size() && p.shape[0] != 1)
      fail(GPUOPT_ERR_SHAPE, "%s: a parameter has other numbers for each row", what);
  }
}

// Element i of a call is drawn from block counter + i, so that a part begins at its own place in the stream.
ShardRef draw_shard(gpuopt_comm_s &comm, gpuopt_generator_s &g, Drawing d) {
  const char *const what = "shard_draw";
  check_drawing(g, d, what);
  const int64_t total = checked_size(static_cast<int>(d.shape.size()), d.shape.data(), 1);
  std::vector<int64_t> bounds = shard_bounds(d.shape[0], comm.size());
  const auto me = static_cast<size_t>(comm.rank);
  const int64_t row = d.shape[0] ? total / d.shape[0] : 0;
  gpuopt_philox_state state = g.philox;
  state.counter += static_cast<uint64_t>(bounds[me] * row);
  d.shape[0] = bounds[me + 1] - bounds[me];
  ArrayRef part = random::distribution({g.device, g.kind, &state, sizeof state}, d.distribution, d.parameters, d.dtype,
                                       d.shape, what);
  ShardRef made = make_shard(comm, std::move(bounds), std::move(part));
  g.philox.counter += static_cast<uint64_t>(total);
  return made;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_gather(gpuopt_shard shard, int32_t root, gpuopt_array *result, gpuopt_error *error) {
  return with_shard(shard, "shard_gather", result, error,
                    [&](Call &call, gpuopt_shard_s &s) { return gather_shard(call, s, root, result != nullptr); });
}

gpuopt_status gpuopt_shard_halo(gpuopt_shard shard, int64_t before, int64_t after, int32_t periodic,
                                gpuopt_array *result, gpuopt_error *error) {
  return with_shard(shard, "shard_halo", result, error, [&](Call &call, gpuopt_shard_s &s) {
    return halo(call, s, before, after, periodic != 0, result != nullptr);
  });
}

gpuopt_status gpuopt_shard_recut(gpuopt_shard shard, const int64_t *bounds, gpuopt_shard *result, gpuopt_error *error) {
  return with_shard(shard, "shard_recut", result, error,
                    [&](Call &call, gpuopt_shard_s &s) { return recut(call, s, bounds, result != nullptr); });
}

gpuopt_status gpuopt_shard_draw(gpuopt_comm comm, gpuopt_generator generator, gpuopt_distribution distribution,
                                int32_t count, const gpuopt_array *parameters, gpuopt_dtype dtype, int32_t ndim,
                                const int64_t *shape, gpuopt_shard *result, gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "shard_draw: the result pointer is NULL");
    if (count < 0 || (count && !parameters))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "shard_draw: the parameters are NULL, or their number is negative");
    const std::span<const gpuopt_array> given(parameters, static_cast<size_t>(count));
    checked_size(ndim, shape, 1);
    *result = draw_shard(deref(comm, "shard_draw"), random::checked(generator),
                         {distribution, given, dtype, Dims(shape, shape + ndim)})
                  .leave();
  });
}

}  // extern "C"
