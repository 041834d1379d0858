// core/shard/axis_shard.h -- arrays that are cut along one axis, cut along another one.
#pragma once
#include "core/shard/shard.h"

namespace gpuopt {

// Returns the array, which is cut along another axis, cut along `axis`: rank r gets the places from bounds[r] to
// bounds[r + 1]. The ranks have agreed on the call, and all give the same axis and bounds.
ShardRef turned(Call &call, const gpuopt_shard_s &s, int axis, std::vector<int64_t> bounds);

}  // namespace gpuopt
