// plugins/shared/words/bits.h -- the integer intrinsics of CUDA C++ (CUDA Math API, "Integer Intrinsics"), for
// compilers that do not have them
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_BITS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_BITS_H_

#include "plugins/shared/words/numbers/vectors.h"

#if defined(GPO_WORDS_ARE_TEXT)

// ---- Counting and reversing bits ----

GPO_WORD_FN int __popc(unsigned x) { return __builtin_popcount(x); }
GPO_WORD_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GPO_WORD_FN int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
GPO_WORD_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
GPO_WORD_FN int __ffs(int x) { return __builtin_ffs(x); }
GPO_WORD_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
#if defined(__clang__)
GPO_WORD_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
GPO_WORD_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
#else
GPO_WORD_FN unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
GPO_WORD_FN unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
#endif
// The position of the offset-th set bit of `mask` from bit `base` on (backwards if offset is negative; with 0, `base`
// itself if it is set), or -1.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31) & 1 ? base & 31 : ~0u;
  const int step = offset < 0 ? -1 : 1;
  int left = offset < 0 ? -offset : offset;
  for (int at = int(base & 31); at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && --left == 0) return unsigned(at);
  return ~0u;
}

// ---- Products ----

GPO_WORD_FN int __mul24(int x, int y) {
  return int(unsigned(int(unsigned(x) << 8) >> 8) * unsigned(int(unsigned(y) << 8) >> 8));
}
GPO_WORD_FN unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
GPO_WORD_FN int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
GPO_WORD_FN unsigned __umulhi(unsigned x, unsigned y) { return unsigned((unsigned long long)x * y >> 32); }
GPO_WORD_FN long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
GPO_WORD_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
namespace gpo::words {
// The sum of products of the four bytes of a and b, and c; T is a signed or an unsigned byte.
template <class A, class B>
GPO_WORD_FN unsigned dot_bytes(unsigned a, unsigned b, unsigned c) {
  for (int k = 0; k < 32; k += 8) c += unsigned(int(A(a >> k)) * int(B(b >> k)));
  return c;
}
// The sum of products of the two halves of a with two bytes of b, from bit `from` on, and c.
template <class A, class B>
GPO_WORD_FN unsigned dot_halves(unsigned a, unsigned b, unsigned c, int from) {
  for (int k = 0; k < 2; k++) c += unsigned(int(A(a >> 16 * k)) * int(B(b >> (from + 8 * k))));
  return c;
}
}  // namespace gpo::words
GPO_WORD_FN int __dp4a(int a, int b, int c) {
  return int(gpo::words::dot_bytes<signed char, signed char>(unsigned(a), unsigned(b), unsigned(c)));
}
GPO_WORD_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return gpo::words::dot_bytes<unsigned char, unsigned char>(a, b, c);
}
GPO_WORD_FN int __dp4a(char4 a, char4 b, int c) {
  return int(unsigned(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + unsigned(c));
}
GPO_WORD_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return unsigned(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c;
}
#define GPO_DP2A(name, from, first, second)                                                              \
  GPO_WORD_FN int name(short2 a, char4 b, int c) {                                                       \
    return int(unsigned(a.x * b.first + a.y * b.second) + unsigned(c));                                  \
  }                                                                                                      \
  GPO_WORD_FN unsigned name(ushort2 a, uchar4 b, unsigned c) {                                           \
    return unsigned(a.x) * b.first + unsigned(a.y) * b.second + c;                                       \
  }                                                                                                      \
  GPO_WORD_FN int name(int a, int b, int c) {                                                            \
    return int(gpo::words::dot_halves<short, signed char>(unsigned(a), unsigned(b), unsigned(c), from)); \
  }                                                                                                      \
  GPO_WORD_FN unsigned name(unsigned a, unsigned b, unsigned c) {                                        \
    return gpo::words::dot_halves<unsigned short, unsigned char>(a, b, c, from);                         \
  }
GPO_DP2A(__dp2a_lo, 0, x, y)
GPO_DP2A(__dp2a_hi, 16, z, w)
#undef GPO_DP2A

// ---- Bytes, shifts, averages, differences ----

// Four bytes of the eight of y:x, each chosen by three bits of `select`; the fourth bit repeats the byte's sign.
GPO_WORD_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned select) {
  const unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned out = 0;
  for (int k = 0; k < 4; k++) {
    const unsigned choice = select >> 4 * k & 15, byte = unsigned(both >> 8 * (choice & 7)) & 255;
    out |= (choice & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * k;
  }
  return out;
}
GPO_WORD_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return unsigned(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}
GPO_WORD_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
GPO_WORD_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return unsigned(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
GPO_WORD_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}
GPO_WORD_FN unsigned __sad(int x, int y, unsigned z) {
  return (x < y ? unsigned(y) - unsigned(x) : unsigned(x) - unsigned(y)) + z;
}
GPO_WORD_FN unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
GPO_WORD_FN int __hadd(int x, int y) { return int(((long long)x + y) >> 1); }
GPO_WORD_FN int __rhadd(int x, int y) { return int(((long long)x + y + 1) >> 1); }
GPO_WORD_FN unsigned __uhadd(unsigned x, unsigned y) { return unsigned(((unsigned long long)x + y) >> 1); }
GPO_WORD_FN unsigned __urhadd(unsigned x, unsigned y) { return unsigned(((unsigned long long)x + y + 1) >> 1); }

#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_BITS_H_
