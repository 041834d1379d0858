// plugins/shared/words/legacy.h -- shuffles and votes without a mask, as CUDA had them up to version 8: all lanes of
// the warp take part
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_LEGACY_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_LEGACY_H_

#include "plugins/shared/words/words.h"

namespace gpo {
namespace user {
namespace functions {

template <class T>
GPO_WORD_FN T __shfl(T value, int lane, int width = 32) {
  return ::__shfl_sync(0xffffffffu, value, lane, width);
}
template <class T>
GPO_WORD_FN T __shfl_up(T value, unsigned by, int width = 32) {
  return ::__shfl_up_sync(0xffffffffu, value, by, width);
}
template <class T>
GPO_WORD_FN T __shfl_down(T value, unsigned by, int width = 32) {
  return ::__shfl_down_sync(0xffffffffu, value, by, width);
}
template <class T>
GPO_WORD_FN T __shfl_xor(T value, int bits, int width = 32) {
  return ::__shfl_xor_sync(0xffffffffu, value, bits, width);
}
GPO_WORD_FN int __any(int predicate) { return ::__any_sync(0xffffffffu, predicate); }
GPO_WORD_FN int __all(int predicate) { return ::__all_sync(0xffffffffu, predicate); }
GPO_WORD_FN unsigned __ballot(int predicate) { return ::__ballot_sync(0xffffffffu, predicate); }

}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_LEGACY_H_
