// core/shard/rows.h -- rows of an array that is cut, fetched by the ranks that want them from those that have them.
#pragma once
#include "core/shard/shard.h"

namespace gpuopt {

struct Range {
  int64_t begin, end;
};
// The rows that each rank wants, in their order.
using Wanted = std::vector<std::vector<Range>>;
// Every rank, or the root alone, wants all of n rows.
Wanted all_wanted(int32_t ranks, int64_t rows, int32_t root = -1);
// Each rank wants the rows between its bounds.
Wanted wanted_between(std::span<const int64_t> bounds);

// Returns the rows that this rank wants, one behind the other: a view where they lie together in its own part. `bounds`
// say which rank has which rows, of which `part` has this rank's; all ranks give the same bounds and wishes.
ArrayRef fetch_rows(Call &call, gpuopt_array part, std::span<const int64_t> bounds, const Wanted &wanted);

}  // namespace gpuopt
