// core/shard/sort_shard.cpp -- gpuopt_shard_sort: parallel sorting by regular sampling (Shi and Schaeffer, 1992).
//
// Each rank sorts its part. Regular samples of all parts give the splitters: elements with their places, so that equal
// elements have an order too. Each rank gets what lies between two splitters, from all ranks in their order, sorts that
// (stable), and the rows go to where the result is cut.
#include <algorithm>
#include <cstring>

#include "core/engine/expression.h"
#include "core/engine/transfer.h"
#include "core/ops/create.h"
#include "core/ops/select.h"
#include "core/shard/rows.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// Elements of one rank, and where each was in the array that is sorted; `places` is empty if nobody asks.
struct Elements {
  ArrayRef values, places;
};

Elements in_order(const Elements &x, const char *what) {
  const ArrayRef order = sort_order(x.values.get(), 0, false, what);
  return {take(x.values.get(), order.get(), 0), x.places ? take(x.places.get(), order.get(), 0) : ArrayRef()};
}

std::vector<int64_t> numbers_of(gpuopt_array x) {
  std::vector<int64_t> numbers(static_cast<size_t>(x->size));
  evaluate(x);
  if (x->size) copy_to_host(x, numbers.data());
  return numbers;
}

// An element of the sorted part of a rank.
struct Place {
  int32_t rank;
  int64_t index;
};

// Where samples are taken of parts with these bounds, in the order of ranks: as many of each part as there are ranks.
std::vector<Place> sample_places(std::span<const int64_t> bounds) {
  const auto ranks = static_cast<int64_t>(bounds.size()) - 1;
  std::vector<Place> places;
  for (int64_t r = 0; r < ranks; ++r) {
    const auto k = static_cast<size_t>(r);
    const int64_t rows = bounds[k + 1] - bounds[k], samples = std::min(rows, ranks);
    for (int64_t i = 0; i < samples; ++i)
      places.push_back({static_cast<int32_t>(r), i * (rows / samples) + i * (rows % samples) / samples});
  }
  return places;
}

// The splitters: every so manieth of the samples of all ranks, in their order.
struct Splitters {
  ArrayRef values;
  std::vector<Place> places;
};

Splitters choose_splitters(Call &call, gpuopt_array sorted_part, std::span<const int64_t> bounds) {
  const std::vector<Place> places = sample_places(bounds);
  Dims own;
  std::vector<int64_t> sample_bounds(bounds.size());
  for (const Place &place : places) {
    if (place.rank == call.rank()) own.push_back(place.index);
    ++sample_bounds[static_cast<size_t>(place.rank) + 1];
  }
  for (size_t r = 1; r < sample_bounds.size(); ++r) sample_bounds[r] += sample_bounds[r - 1];
  const ArrayRef mine = take(sorted_part, own, 0);
  const ArrayRef all = fetch_rows(call, mine.get(), sample_bounds, all_wanted(call.size(), sample_bounds.back()));
  const std::vector<int64_t> order = numbers_of(sort_order(all.get(), 0, false, call.name()).get());
  const size_t ranks = static_cast<size_t>(call.size());
  Dims chosen;
  Splitters splitters;
  for (size_t j = 1; j < ranks && !order.empty(); ++j) {
    chosen.push_back(order[j * order.size() / ranks]);
    splitters.places.push_back(places[static_cast<size_t>(chosen.back())]);
  }
  splitters.values = take(all.get(), chosen, 0);
  return splitters;
}

// Where the splitters cut this rank's sorted part: size + 1 numbers.
std::vector<int64_t> own_cuts(Call &call, gpuopt_array sorted_part, const Splitters &splitters) {
  const std::vector<int64_t> less =
      numbers_of(places_in(sorted_part, splitters.values.get(), false, call.name()).get());
  const std::vector<int64_t> not_greater =
      numbers_of(places_in(sorted_part, splitters.values.get(), true, call.name()).get());
  std::vector<int64_t> cuts{0};
  for (size_t j = 0; j < splitters.places.size(); ++j) {
    const Place &place = splitters.places[j];
    cuts.push_back(place.rank == call.rank() ? place.index : place.rank > call.rank() ? not_greater[j] : less[j]);
  }
  cuts.resize(static_cast<size_t>(call.size()), 0);  // without samples there is nothing to cut
  cuts.push_back(sorted_part->shape[0]);
  return cuts;
}

// All ranks' cuts, rank by rank.
std::vector<int64_t> all_cuts(Call &call, const std::vector<int64_t> &own) {
  const std::vector<char> bytes = call.gather_records(own.data(), own.size() * sizeof(int64_t));
  std::vector<int64_t> all(own.size() * static_cast<size_t>(call.size()));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

Elements fetched(Call &call, const Elements &x, std::span<const int64_t> bounds, const Wanted &wanted) {
  return {fetch_rows(call, x.values.get(), bounds, wanted),
          x.places ? fetch_rows(call, x.places.get(), bounds, wanted) : ArrayRef()};
}

Elements sort_over_ranks(Call &call, Elements x, std::span<const int64_t> bounds) {
  const auto ranks = static_cast<size_t>(call.size());
  x = in_order(x, call.name());
  if (ranks == 1) return x;
  const std::vector<int64_t> cuts =
      all_cuts(call, own_cuts(call, x.values.get(), choose_splitters(call, x.values.get(), bounds)));
  Wanted wanted(ranks);
  std::vector<int64_t> between{0};
  for (size_t to = 0; to < ranks; ++to) {
    between.push_back(between.back());
    for (size_t from = 0; from < ranks; ++from) {
      const int64_t *const cut = &cuts[from * (ranks + 1) + to];
      wanted[to].push_back({bounds[from] + cut[0], bounds[from] + cut[1]});
      between.back() += cut[1] - cut[0];
    }
  }
  const Elements merged = in_order(fetched(call, x, bounds, wanted), call.name());
  return fetched(call, merged, between, wanted_between(bounds));
}

void sort_shard(Call &call, const gpuopt_shard_s &s, gpuopt_shard *values, gpuopt_shard *positions) {
  agree_on_shard(call, kShardSort, s, values != nullptr, [&](Intent &own) {
    check_one_dimension(*s.part, "the shard", call.name());
    own.detail = Digest().add(own.detail).add(positions != nullptr).value();
  });
  Elements x{s.part, {}};
  if (positions) x.places = (iota(s.part->stream.get(), s.part->shape[0]) + Value(s.begin())).array();
  x = sort_over_ranks(call, x, s.bounds);
  evaluate(x.values.get());
  if (positions) evaluate(x.places.get());
  call.finish();
  ShardRef sorted_values = make_shard(*s.comm, s.bounds, x.values);
  if (positions) *positions = make_shard(*s.comm, s.bounds, x.places).leave();
  *values = sorted_values.leave();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_sort(gpuopt_shard x, gpuopt_shard *values, gpuopt_shard *positions, gpuopt_error *error) {
  if (values) *values = nullptr;
  if (positions) *positions = nullptr;
  return guarded(error, [&] {
    const gpuopt_shard_s &s = deref(x, "shard_sort");
    Call call(*s.comm, "shard_sort");
    told(call, [&] { sort_shard(call, s, values, positions); });
  });
}

}  // extern "C"
