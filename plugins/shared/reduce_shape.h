// plugins/shared/reduce_shape.h -- the fixed shape of reductions and scans (abi/gpuopt/gpuopt_plugin.h, "Programs") in
// code that every backend can share
#ifndef GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_
#define GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_

#include "plugins/shared/prelude.h"

namespace gpo {

inline constexpr int reduce_chunk = 1024;  // GPUOPT_CHUNK
inline constexpr int reduce_lanes = 32;    // GPUOPT_LANES

// Combines the first `present` lanes by halving, the result in lane[0]. Lanes that saw no element are skipped.
template <class Op, class A>
GPO_FN A combine_lanes(A *lane, int present) {
  for (int s = reduce_lanes / 2; s > 0; s /= 2) {
    for (int l = 0; l < s; l++) {
      if (l + s < present) lane[l] = Op::combine(lane[l], lane[l + s]);
    }
  }
  return lane[0];
}

// Combining chunk results in rounds of neighbouring pairs, an odd last one passing through, is the same as this: after
// the chunk of this number, merge the two latest results this many times, and once all are in, merge down to one.
GPO_FN int merges_after(i64 chunk) {
  int merges = 0;
  for (; chunk & 1; chunk >>= 1) merges++;
  return merges;
}

// Results waiting to be merged never exceed this for `chunks` chunks.
GPO_FN int pending_results(i64 chunks) {
  int pending = 1;
  for (; chunks > 1; chunks = (chunks + 1) / 2) pending++;
  return pending;
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_REDUCE_SHAPE_H_
