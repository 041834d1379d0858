// plugins/cuda/text/words.h -- a kernel's parameters: 64-bit words, passed as one struct by value
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// Pointers, sizes, strides and constants, in the order the kernel's generator decides.
template <int n>
struct Words {
  u64 w[n];
};

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_
