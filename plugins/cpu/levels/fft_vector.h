// plugins/cpu/levels/fft_vector.h -- vectors of floats as wide as the level has them, for the loops of transforms.
#pragma once

#include "plugins/cpu/levels/fft_loops.h"
#include "plugins/cpu/levels/level.h"
#include "plugins/shared/fft/butterflies.h"

namespace gpuopt::cpu {
namespace {

#if defined(__AVX512F__)
inline constexpr int kFftVector = 64;
#elif defined(__AVX__)
inline constexpr int kFftVector = 32;
#else
inline constexpr int kFftVector = 16;
#endif

template <class T>
struct FftVector {
  static constexpr int count = kFftVector / static_cast<int>(sizeof(T));  // numbers in a vector
  static constexpr int lanes = static_cast<int>(kFftRow / static_cast<int64_t>(sizeof(T)));
  typedef T V __attribute__((vector_size(kFftVector)));
  typedef T Unaligned __attribute__((vector_size(kFftVector), aligned(sizeof(T)), may_alias));
};
template <class T>
using vector_of = typename FftVector<T>::V;

template <class T>
GPO_FN vector_of<T> load_fft(const void *from) {
  return *static_cast<const typename FftVector<T>::Unaligned *>(from);
}
template <class T>
GPO_FN void store_fft(void *to, const vector_of<T> &value) {
  *static_cast<typename FftVector<T>::Unaligned *>(to) = value;
}

// take_apart: the numbers of a and b at even and at odd places, which are the real and the imaginary parts of complex
// numbers. put_together: the first and the second half of the numbers of a and b in turn. reversed: the last first.
#define GPUOPT_FFT_SHUFFLES(lanes, EVEN, ODD, FIRST, SECOND, LAST_FIRST)         \
  template <class V>                                                             \
  GPO_FN void take_apart##lanes(const V &a, const V &b, V &even, V &odd) {       \
    even = __builtin_shufflevector(a, b, EVEN);                                  \
    odd = __builtin_shufflevector(a, b, ODD);                                    \
  }                                                                              \
  template <class V>                                                             \
  GPO_FN void put_together##lanes(const V &a, const V &b, V &first, V &second) { \
    first = __builtin_shufflevector(a, b, FIRST);                                \
    second = __builtin_shufflevector(a, b, SECOND);                              \
  }                                                                              \
  template <class V>                                                             \
  GPO_FN V reversed##lanes(const V &a) {                                         \
    return __builtin_shufflevector(a, a, LAST_FIRST);                            \
  }
#define GPUOPT_LIST(...) __VA_ARGS__
GPUOPT_FFT_SHUFFLES(2, GPUOPT_LIST(0, 2), GPUOPT_LIST(1, 3), GPUOPT_LIST(0, 2), GPUOPT_LIST(1, 3), GPUOPT_LIST(1, 0))
GPUOPT_FFT_SHUFFLES(4, GPUOPT_LIST(0, 2, 4, 6), GPUOPT_LIST(1, 3, 5, 7), GPUOPT_LIST(0, 4, 1, 5),
                    GPUOPT_LIST(2, 6, 3, 7), GPUOPT_LIST(3, 2, 1, 0))
GPUOPT_FFT_SHUFFLES(8, GPUOPT_LIST(0, 2, 4, 6, 8, 10, 12, 14), GPUOPT_LIST(1, 3, 5, 7, 9, 11, 13, 15),
                    GPUOPT_LIST(0, 8, 1, 9, 2, 10, 3, 11), GPUOPT_LIST(4, 12, 5, 13, 6, 14, 7, 15),
                    GPUOPT_LIST(7, 6, 5, 4, 3, 2, 1, 0))
GPUOPT_FFT_SHUFFLES(16, GPUOPT_LIST(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                    GPUOPT_LIST(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31),
                    GPUOPT_LIST(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                    GPUOPT_LIST(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
                    GPUOPT_LIST(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#undef GPUOPT_LIST
#undef GPUOPT_FFT_SHUFFLES

template <class T>
GPO_FN void take_apart(const vector_of<T> &a, const vector_of<T> &b, vector_of<T> &even, vector_of<T> &odd) {
  constexpr int count = FftVector<T>::count;
  if constexpr (count == 2) return take_apart2(a, b, even, odd);
  if constexpr (count == 4) return take_apart4(a, b, even, odd);
  if constexpr (count == 8) return take_apart8(a, b, even, odd);
  if constexpr (count == 16) return take_apart16(a, b, even, odd);
}
template <class T>
GPO_FN void put_together(const vector_of<T> &a, const vector_of<T> &b, vector_of<T> &first, vector_of<T> &second) {
  constexpr int count = FftVector<T>::count;
  if constexpr (count == 2) return put_together2(a, b, first, second);
  if constexpr (count == 4) return put_together4(a, b, first, second);
  if constexpr (count == 8) return put_together8(a, b, first, second);
  if constexpr (count == 16) return put_together16(a, b, first, second);
}

template <class T>
GPO_FN vector_of<T> reversed(const vector_of<T> &a) {
  constexpr int count = FftVector<T>::count;
  if constexpr (count == 2) return reversed2(a);
  if constexpr (count == 4) return reversed4(a);
  if constexpr (count == 8) return reversed8(a);
  if constexpr (count == 16) return reversed16(a);
}

// As many complex numbers side by side as a vector has numbers.
template <class T>
GPO_FN gpo::cplx<vector_of<T>> load_pairs(const void *pairs) {
  const T *const from = static_cast<const T *>(pairs);
  gpo::cplx<vector_of<T>> x;
  take_apart<T>(load_fft<T>(from), load_fft<T>(from + FftVector<T>::count), x.re, x.im);
  return x;
}
template <class T>
GPO_FN void store_pairs(void *pairs, const gpo::cplx<vector_of<T>> &x) {
  T *const to = static_cast<T *>(pairs);
  vector_of<T> first, second;
  put_together<T>(x.re, x.im, first, second);
  store_fft<T>(to, first);
  store_fft<T>(to + FftVector<T>::count, second);
}

// Transposes a square of vectors: with each step the lower half of the rows is laid between those of the upper half.
template <class T>
GPO_FN void transpose_fft(vector_of<T> (&rows)[FftVector<T>::count]) {
  constexpr int count = FftVector<T>::count;
#pragma GCC unroll 4
  for (int step = 1; step < count; step *= 2) {
    vector_of<T> laid[size_t{count}];
#pragma GCC unroll 8
    for (int i = 0; i < count / 2; ++i) put_together<T>(rows[i], rows[i + count / 2], laid[2 * i], laid[2 * i + 1]);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) rows[i] = laid[i];
  }
}

}  // namespace
}  // namespace gpuopt::cpu
