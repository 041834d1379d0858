// plugins/shared/reduce_shape.h -- the fixed shape of reductions and scans (abi/gpuopt/gpuopt_plugin.h, "Programs") in
// code that every backend can share
#ifndef GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_
#define GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_

#include "plugins/shared/prelude.h"

namespace gpo {

inline constexpr int reduce_chunk = 1024;  // GPUOPT_CHUNK
inline constexpr int reduce_lanes = 32;    // GPUOPT_LANES

// Combines the first `present` lanes by halving, in place, and returns the result, which is in lane[0]. Lanes that saw
// no element are skipped.
template <class Op, class A>
GPO_FN A combine_lanes(A *lane, int present) {
  for (int s = reduce_lanes / 2; s > 0; s /= 2) {
    for (int l = 0; l < s; l++) {
      if (l + s < present) lane[l] = Op::combine(lane[l], lane[l + s]);
    }
  }
  return lane[0];
}

// Returns how often the two latest results are merged after chunk number `chunk`. With these merges, and merges of all
// that is left at the end, from the latest on, chunk results are combined as in rounds of neighbouring pairs where an
// odd last one passes through. For five chunks it is 0, 1, 0, 2 and 0 times, which leaves (r0 r1)(r2 r3) and r4.
GPO_FN int merges_after(i64 chunk) {
  int merges = 0;
  for (; chunk & 1; chunk >>= 1) merges++;
  return merges;
}

// Returns the most results that wait to be merged at a time, for `chunks` chunks.
GPO_FN int pending_results(i64 chunks) {
  int pending = 1;
  for (; chunks > 1; chunks = (chunks + 1) / 2) pending++;
  return pending;
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_
