// plugins/shared/words/numbers/vectors.h -- CUDA C++'s vector types (Programming Guide, "Built-in Vector Types"), for
// compilers that do not have them: char1 to ulonglong4, float1 to double4, make_<type>(), and dim3
//
// Sizes and alignments are CUDA's: those of 2 and 4 elements are aligned to their size, up to 16 bytes.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_VECTORS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_VECTORS_H_

#include "plugins/shared/words/words.h"

#if defined(GPO_WORDS_ARE_TEXT)

#define GPO_VECTOR_1(type, name) \
  struct name##1 {               \
    type x;                      \
  };                             \
  GPO_WORD_FN name##1 make_##name##1(type x) { return {x}; }
#define GPO_VECTOR_2(type, name, align)            \
  struct __attribute__((aligned(align))) name##2 { \
    type x, y;                                     \
  };                                               \
  GPO_WORD_FN name##2 make_##name##2(type x, type y) { return {x, y}; }
#define GPO_VECTOR_3(type, name) \
  struct name##3 {               \
    type x, y, z;                \
  };                             \
  GPO_WORD_FN name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }
#define GPO_VECTOR_4(type, name, align)            \
  struct __attribute__((aligned(align))) name##4 { \
    type x, y, z, w;                               \
  };                                               \
  GPO_WORD_FN name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define GPO_VECTORS(type, name, two, four) \
  GPO_VECTOR_1(type, name)                 \
  GPO_VECTOR_2(type, name, two)            \
  GPO_VECTOR_3(type, name)                 \
  GPO_VECTOR_4(type, name, four)

GPO_VECTORS(signed char, char, 2, 4)
GPO_VECTORS(unsigned char, uchar, 2, 4)
GPO_VECTORS(short, short, 4, 8)
GPO_VECTORS(unsigned short, ushort, 4, 8)
GPO_VECTORS(int, int, 8, 16)
GPO_VECTORS(unsigned, uint, 8, 16)
GPO_VECTORS(long, long, 2 * sizeof(long), 16)
GPO_VECTORS(unsigned long, ulong, 2 * sizeof(long), 16)
GPO_VECTORS(long long, longlong, 16, 16)
GPO_VECTORS(unsigned long long, ulonglong, 16, 16)
GPO_VECTORS(float, float, 8, 16)
GPO_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 d) : x(d.x), y(d.y), z(d.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#undef GPO_VECTORS
#undef GPO_VECTOR_4
#undef GPO_VECTOR_3
#undef GPO_VECTOR_2
#undef GPO_VECTOR_1

#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_VECTORS_H_
