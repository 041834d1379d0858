// plugins/cuda/text/words.h -- a kernel's parameters: 64-bit words, passed as one struct by value
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_

#include "plugins/shared/prelude.h"

// Unroll the loop that follows: in full, by eight iterations, or not at all.
#if defined(__CUDACC_RTC__)
#define GPO_UNROLL _Pragma("unroll")
#define GPO_UNROLL_SOME _Pragma("unroll 8")
#define GPO_NO_UNROLL _Pragma("unroll 1")
#else
#define GPO_UNROLL
#define GPO_UNROLL_SOME
#define GPO_NO_UNROLL
#endif

namespace gpo {

using Word = u64;

// Pointers, sizes, strides and constants, in the order the kernel's generator decides.
template <int n>
struct Words {
  Word w[n];
};

// Returns a pointer to the T in global memory `bytes` after the address in a word.
template <class T>
GPO_FN T *pointer(u64 word, i64 bytes = 0) {
#if defined(__CUDA_ARCH__)
  // The conversion says that it is global memory, which the compiler cannot tell from a number. The empty statement of
  // assembly, which makes no instruction, hides that the number comes from a kernel's parameter: NVRTC 13.0 never
  // finishes some kernels for architectures below 10.0 that convert one (tests/cuda/time_limit_nvrtc_test.cpp).
  u64 address = word + u64(bytes);
  asm("" : "+l"(address));
  return static_cast<T *>(__cvta_global_to_generic(address));
#else
  return reinterpret_cast<T *>(word + u64(bytes));
#endif
}

// Returns the T whose bytes are the first of the words.
template <class T>
GPO_FN T constant(const Word *words) {
  if constexpr (is_bool<T>) {
    return (words[0] & 0xff) != 0;
  } else if constexpr (is_half<T>) {
    return {u16(words[0])};
  } else if constexpr (is_float<T>) {
    return from_bits(uint_of<T>(words[0]));
  } else if constexpr (is_same<T, c64>) {
    return {from_bits(u32(words[0])), from_bits(u32(words[0] >> 32))};
  } else if constexpr (is_same<T, c128>) {
    return {from_bits(words[0]), from_bits(words[1])};
  } else {
    return T(words[0]);
  }
}

// Coordinates over `rank` dimensions, the last one running fastest. I is u32 where every size and offset fits 31 bits.
template <int rank, class I>
struct Place {
  I at[rank == 0 ? 1 : rank];
};

// Returns the coordinates of element `number` of a shape.
template <int rank, class I>
GPO_FN Place<rank, I> place(u64 number, const Word *sizes) {
  Place<rank, I> x;
  I rest = I(number);
  GPO_UNROLL
  for (int d = rank - 1; d > 0; d--) {
    const I size = I(sizes[d]), above = rest / size;
    x.at[d] = rest - above * size;
    rest = above;
  }
  x.at[0] = rest;
  return x;
}

// Returns the offset of an element in bytes.
template <int rank, class I>
GPO_FN i64 offset(const Place<rank, I> &x, const Word *strides) {
  using Signed = int_of<I>;
  Signed sum = 0;
  GPO_UNROLL
  for (int d = 0; d < rank; d++) sum += Signed(x.at[d]) * Signed(strides[d]);
  return sum;
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_WORDS_H_
