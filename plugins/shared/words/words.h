// plugins/shared/words/words.h -- how the headers of this folder declare functions
//
// NVIDIA's compiler has most words of CUDA C++ built in, and the other compilers of kernels are given them as text.
// Where a definition is only for those, it stands under GPO_WORDS_ARE_TEXT. The fake driver, whose compiler says that
// it is NVIDIA's, defines GPO_WORDS_AS_TEXT.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_WORDS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_WORDS_H_

#if !defined(__CUDACC_RTC__) || defined(GPO_WORDS_AS_TEXT)
#define GPO_WORDS_ARE_TEXT 1
#endif
#if defined(__CUDACC_RTC__)
#define GPO_WORD_FN __device__ __forceinline__
#else
#define GPO_WORD_FN inline __attribute__((__always_inline__))
#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_WORDS_H_
