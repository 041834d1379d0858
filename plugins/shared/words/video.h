// plugins/shared/words/video.h -- CUDA C++'s SIMD intrinsics on two 16-bit or four 8-bit integers in a word, and its
// minima and maxima of sums (CUDA Math API, "SIMD Intrinsics"), for compilers that do not have them
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_VIDEO_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_VIDEO_H_

#include "plugins/shared/prelude.h"
#include "plugins/shared/words/words.h"

#if defined(GPO_WORDS_ARE_TEXT)

namespace gpo::words {

template <class T>
inline constexpr int lane_min = T(-1) < T(0) ? -(1 << (8 * sizeof(T) - 1)) : 0;
template <class T>
inline constexpr int lane_max = T(-1) < T(0) ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << 8 * sizeof(T)) - 1;
template <class T>
GPO_WORD_FN int saturated(int x) {
  return x < lane_min<T> ? lane_min<T> : x > lane_max<T> ? lane_max<T> : x;
}

// The word of whose lanes, of type T, each is what `f` makes of the lanes of a and b there.
template <class T, class F>
GPO_WORD_FN unsigned lanes_of(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * sizeof(T);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned out = 0;
  for (int at = 0; at < 32; at += bits) out |= (unsigned(f(int(T(a >> at)), int(T(b >> at)))) & mask) << at;
  return out;
}
// The sum of what `f` makes of the lanes.
template <class T, class F>
GPO_WORD_FN unsigned sum_of_lanes(unsigned a, unsigned b, F f) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 8 * int(sizeof(T))) sum += unsigned(f(int(T(a >> at)), int(T(b >> at))));
  return sum;
}

}  // namespace gpo::words

// A function of two words, or of one, for halves (2) and for bytes (4).
#define GPO_LANES(name, two, four, expression)                                     \
  GPO_WORD_FN unsigned name##2(unsigned a, unsigned b) {                           \
    using T = two;                                                                 \
    return gpo::words::lanes_of<T>(a, b, [](int x, int y) { return expression; }); \
  }                                                                                \
  GPO_WORD_FN unsigned name##4(unsigned a, unsigned b) {                           \
    using T = four;                                                                \
    return gpo::words::lanes_of<T>(a, b, [](int x, int y) { return expression; }); \
  }
#define GPO_LANES_OF_ONE(name, expression)                                       \
  GPO_WORD_FN unsigned name##2(unsigned a) {                                     \
    using T = short;                                                             \
    return gpo::words::lanes_of<T>(a, a, [](int x, int) { return expression; }); \
  }                                                                              \
  GPO_WORD_FN unsigned name##4(unsigned a) {                                     \
    using T = signed char;                                                       \
    return gpo::words::lanes_of<T>(a, a, [](int x, int) { return expression; }); \
  }
#define GPO_LANE_SUMS(name, two, four)                                                               \
  GPO_WORD_FN unsigned name##2(unsigned a, unsigned b) {                                             \
    return gpo::words::sum_of_lanes<two>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });  \
  }                                                                                                  \
  GPO_WORD_FN unsigned name##4(unsigned a, unsigned b) {                                             \
    return gpo::words::sum_of_lanes<four>(a, b, [](int x, int y) { return x < y ? y - x : x - y; }); \
  }
#define GPO_SIGNED_LANES(name, expression) GPO_LANES(name, short, signed char, expression)
#define GPO_UNSIGNED_LANES(name, expression) GPO_LANES(name, unsigned short, unsigned char, expression)

GPO_LANES_OF_ONE(__vabs, x < 0 ? -x : x)
GPO_LANES_OF_ONE(__vabsss, gpo::words::saturated<T>(x < 0 ? -x : x))
GPO_LANES_OF_ONE(__vneg, -x)
GPO_LANES_OF_ONE(__vnegss, gpo::words::saturated<T>(-x))
GPO_UNSIGNED_LANES(__vadd, x + y)
GPO_SIGNED_LANES(__vaddss, gpo::words::saturated<T>(x + y))
GPO_UNSIGNED_LANES(__vaddus, gpo::words::saturated<T>(x + y))
GPO_UNSIGNED_LANES(__vsub, x - y)
GPO_SIGNED_LANES(__vsubss, gpo::words::saturated<T>(x - y))
GPO_UNSIGNED_LANES(__vsubus, gpo::words::saturated<T>(x - y))
GPO_SIGNED_LANES(__vavgs, (x + y + (x + y >= 0)) >> 1)
GPO_UNSIGNED_LANES(__vavgu, (x + y + 1) >> 1)
GPO_UNSIGNED_LANES(__vhaddu, (x + y) >> 1)
GPO_SIGNED_LANES(__vabsdiffs, x < y ? y - x : x - y)
GPO_UNSIGNED_LANES(__vabsdiffu, x < y ? y - x : x - y)
GPO_SIGNED_LANES(__vmaxs, x > y ? x : y)
GPO_UNSIGNED_LANES(__vmaxu, x > y ? x : y)
GPO_SIGNED_LANES(__vmins, x < y ? x : y)
GPO_UNSIGNED_LANES(__vminu, x < y ? x : y)
GPO_LANE_SUMS(__vsads, short, signed char)
GPO_LANE_SUMS(__vsadu, unsigned short, unsigned char)
GPO_UNSIGNED_LANES(__vcmpeq, x == y ? -1 : 0)
GPO_UNSIGNED_LANES(__vcmpne, x != y ? -1 : 0)
GPO_SIGNED_LANES(__vcmpges, x >= y ? -1 : 0)
GPO_SIGNED_LANES(__vcmpgts, x > y ? -1 : 0)
GPO_SIGNED_LANES(__vcmples, x <= y ? -1 : 0)
GPO_SIGNED_LANES(__vcmplts, x < y ? -1 : 0)
GPO_UNSIGNED_LANES(__vcmpgeu, x >= y ? -1 : 0)
GPO_UNSIGNED_LANES(__vcmpgtu, x > y ? -1 : 0)
GPO_UNSIGNED_LANES(__vcmpleu, x <= y ? -1 : 0)
GPO_UNSIGNED_LANES(__vcmpltu, x < y ? -1 : 0)
GPO_UNSIGNED_LANES(__vseteq, x == y)
GPO_UNSIGNED_LANES(__vsetne, x != y)
GPO_SIGNED_LANES(__vsetges, x >= y)
GPO_SIGNED_LANES(__vsetgts, x > y)
GPO_SIGNED_LANES(__vsetles, x <= y)
GPO_SIGNED_LANES(__vsetlts, x < y)
GPO_UNSIGNED_LANES(__vsetgeu, x >= y)
GPO_UNSIGNED_LANES(__vsetgtu, x > y)
GPO_UNSIGNED_LANES(__vsetleu, x <= y)
GPO_UNSIGNED_LANES(__vsetltu, x < y)

#undef GPO_UNSIGNED_LANES
#undef GPO_SIGNED_LANES
#undef GPO_LANE_SUMS
#undef GPO_LANES_OF_ONE
#undef GPO_LANES

// ---- Minima and maxima of sums, for dynamic programming ----

namespace gpo::words {
template <class T>
GPO_WORD_FN T larger(T x, T y) {
  return x > y ? x : y;
}
template <class T>
GPO_WORD_FN T smaller(T x, T y) {
  return x < y ? x : y;
}
template <class F>
GPO_WORD_FN unsigned halves_of(unsigned a, unsigned b, unsigned c, F f) {
  return (unsigned(f(a & 0xffff, b & 0xffff, c & 0xffff)) & 0xffff) | unsigned(f(a >> 16, b >> 16, c >> 16)) << 16;
}
}  // namespace gpo::words

// One function for words of type T, and one for their halves, which are of type H. `relu`: negative results become 0.
#define GPO_OF_THREE(name, T, H, suffix, relu, expression)                               \
  GPO_WORD_FN T name##_##suffix##32##relu(T x, T y, T z) {                               \
    using U = T;                                                                         \
    return expression;                                                                   \
  }                                                                                      \
  GPO_WORD_FN unsigned name##_##suffix##16x2##relu(unsigned a, unsigned b, unsigned c) { \
    using U = H;                                                                         \
    return gpo::words::halves_of(a, b, c, [](unsigned p, unsigned q, unsigned r) {       \
      const U x = U(p), y = U(q), z = U(r);                                              \
      return expression;                                                                 \
    });                                                                                  \
  }
#define GPO_SUM(a, b) U(unsigned(a) + unsigned(b))
#define GPO_OF_ANY(name, expression)                               \
  GPO_OF_THREE(name, int, short, s, , U(expression))               \
  GPO_OF_THREE(name, unsigned, unsigned short, u, , U(expression)) \
  GPO_OF_THREE(name, int, short, s, _relu, gpo::words::larger(U(expression), U(0)))
GPO_OF_ANY(__vimax3, gpo::words::larger(gpo::words::larger(x, y), z))
GPO_OF_ANY(__vimin3, gpo::words::smaller(gpo::words::smaller(x, y), z))
GPO_OF_ANY(__viaddmax, gpo::words::larger(GPO_SUM(x, y), z))
GPO_OF_ANY(__viaddmin, gpo::words::smaller(GPO_SUM(x, y), z))
#undef GPO_OF_ANY
#undef GPO_SUM
#undef GPO_OF_THREE

GPO_WORD_FN int __vimax_s32_relu(int a, int b) { return gpo::words::larger(gpo::words::larger(a, b), 0); }
GPO_WORD_FN int __vimin_s32_relu(int a, int b) { return gpo::words::larger(gpo::words::smaller(a, b), 0); }
GPO_WORD_FN unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmaxs2(a, b), 0); }
GPO_WORD_FN unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0); }
#define GPO_WITH_PREDICATE(name, T, is_first)             \
  GPO_WORD_FN T name(const T a, const T b, bool *first) { \
    *first = a is_first b;                                \
    return *first ? a : b;                                \
  }
GPO_WITH_PREDICATE(__vibmax_s32, int, >=)
GPO_WITH_PREDICATE(__vibmax_u32, unsigned, >=)
GPO_WITH_PREDICATE(__vibmin_s32, int, <=)
GPO_WITH_PREDICATE(__vibmin_u32, unsigned, <=)
#undef GPO_WITH_PREDICATE
#define GPO_WITH_PREDICATES(name, H, is_first)                                        \
  GPO_WORD_FN unsigned name(const unsigned a, const unsigned b, bool *hi, bool *lo) { \
    *hi = H(a >> 16) is_first H(b >> 16);                                             \
    *lo = H(a) is_first H(b);                                                         \
    return ((*hi ? a : b) & 0xffff0000u) | ((*lo ? a : b) & 0xffffu);                 \
  }
GPO_WITH_PREDICATES(__vibmax_s16x2, short, >=)
GPO_WITH_PREDICATES(__vibmax_u16x2, gpo::u16, >=)
GPO_WITH_PREDICATES(__vibmin_s16x2, short, <=)
GPO_WITH_PREDICATES(__vibmin_u16x2, gpo::u16, <=)
#undef GPO_WITH_PREDICATES

#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_VIDEO_H_
