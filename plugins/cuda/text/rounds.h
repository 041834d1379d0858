// plugins/cuda/text/rounds.h -- partial results merged in rounds of neighbouring pairs as they come
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_

#include "plugins/shared/reduce_shape.h"

namespace gpo {

inline constexpr int max_pending = 24;  // a group has at most 2^16 chunks (plugins/cuda/layout.cpp)

// Results of chunks that follow each other, the first one at a multiple of the power of two that they are at most.
template <class Body>
struct Rounds {
  typename Body::Partial pending[max_pending];
  int count = 0;

  GPO_FN void add(typename Body::Partial x, u64 number) {
    for (int merges = merges_after(i64(number)); merges > 0; merges--) x = Body::combine(pending[--count], x);
    pending[count++] = x;
  }
  GPO_FN typename Body::Partial result() {
    if (count == 0) return Body::identity();
    for (; count > 1; count--) pending[count - 2] = Body::combine(pending[count - 2], pending[count - 1]);
    return pending[0];
  }
};

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_
