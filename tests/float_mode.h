// tests/float_mode.h -- the processor's floating-point control word, for tests that change it as code built with
// -ffast-math does.
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#if defined(__SSE__) || defined(__aarch64__)
#define GPUOPT_HAS_FLOAT_MODE 1

namespace float_mode {

#if defined(__SSE__)
using Word = unsigned;
constexpr Word kDefault = 0x1F80, kFlushesDenormals = 0x8040, kRoundsUp = 0x4000, kInvalidHappened = 0x1;
inline Word read() { return _mm_getcsr(); }
inline void write(Word word) { _mm_setcsr(word); }
#else  // FPCR; what has happened is in another register
using Word = unsigned long;
constexpr Word kDefault = 0, kFlushesDenormals = 1ul << 24, kRoundsUp = 1ul << 22, kInvalidHappened = 0;
inline Word read() {
  Word word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void write(Word word) { __asm__ __volatile__("msr fpcr, %0" : : "r"(word)); }
#endif

inline void flush_denormals() { write(read() | kFlushesDenormals); }

}  // namespace float_mode
#endif
