// plugins/shared/words/warp_reduce.h -- reductions over the lanes of a warp, for architectures before 8.0, which have
// no instruction for them and for which NVIDIA's compiler does not declare them
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_WARP_REDUCE_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_WARP_REDUCE_H_

#include "plugins/shared/words/words.h"

namespace gpo {
namespace user {
namespace functions {

// The lanes of the mask, which all make the call, hand their values on in turn.
#define GPO_WARP_REDUCTION(name, type, expression)                     \
  GPO_WORD_FN type name(unsigned mask, type value) {                   \
    type a = ::__shfl_sync(mask, value, __ffs(int(mask)) - 1);         \
    for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {  \
      const type b = ::__shfl_sync(mask, value, __ffs(int(rest)) - 1); \
      a = expression;                                                  \
    }                                                                  \
    return a;                                                          \
  }
GPO_WARP_REDUCTION(__reduce_add_sync, unsigned, a + b)
GPO_WARP_REDUCTION(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
GPO_WARP_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
GPO_WARP_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
GPO_WARP_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
GPO_WARP_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
GPO_WARP_REDUCTION(__reduce_and_sync, unsigned, a &b)
GPO_WARP_REDUCTION(__reduce_or_sync, unsigned, a | b)
GPO_WARP_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
#undef GPO_WARP_REDUCTION

}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_WARP_REDUCE_H_
