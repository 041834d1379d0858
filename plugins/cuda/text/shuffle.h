// plugins/cuda/text/shuffle.h -- values of any type passed between the lanes of a warp, all of which take part
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_SHUFFLE_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_SHUFFLE_H_

#include "plugins/shared/ops/reduce_ops.h"

namespace gpo {

inline constexpr u32 all_lanes = 0xffffffffu;

template <class T>
inline constexpr bool is_indexed = false;
template <class T>
inline constexpr bool is_indexed<indexed<T>> = true;

// Returns the value of the lane `distance` above the calling one.
template <class A>
GPO_FN A shuffle_down(A x, int distance) {
  if constexpr (is_complex<A>) {
    return {shuffle_down(x.re, distance), shuffle_down(x.im, distance)};
  } else if constexpr (is_indexed<A>) {
    return {shuffle_down(x.value, distance), shuffle_down(x.index, distance)};
  } else if constexpr (sizeof(A) < 4) {
    return A(__shfl_down_sync(all_lanes, int(x), distance));
  } else {
    return __shfl_down_sync(all_lanes, x, distance);
  }
}

// Returns the value of lane `lane`.
template <class A>
GPO_FN A shuffle(A x, int lane) {
  if constexpr (is_complex<A>) {
    return {shuffle(x.re, lane), shuffle(x.im, lane)};
  } else if constexpr (is_indexed<A>) {
    return {shuffle(x.value, lane), shuffle(x.index, lane)};
  } else if constexpr (sizeof(A) < 4) {
    return A(__shfl_sync(all_lanes, int(x), lane));
  } else {
    return __shfl_sync(all_lanes, x, lane);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_SHUFFLE_H_
