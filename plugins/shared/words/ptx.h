// plugins/shared/words/ptx.h -- the instructions of PTX that asm statements may use in kernels for the CPU ("PTX ISA",
// "Instruction Set" and "Special Registers"), but for those that move, load and store
//
// The compiler replaces an instruction by a call of the function whose symbol is its opcode, "ptx.add.u32", with its
// operands behind the first one as arguments (plugins/jit/ptx/assembly.cpp). A last parameter `carry` beyond the
// operands is the carry. Instructions whose results are a GPU's own, such as ex2.approx, are not here.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_PTX_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_PTX_H_
#ifndef __CUDACC_RTC__  // a compiler for GPUs has the instructions themselves

#include "plugins/shared/casts.h"
#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/rounded.h"
#include "plugins/shared/words/video.h"

// Defines the function of an opcode. The names of the functions do not matter.
#define GPO_PTX(opcode, type, parameters, ...) GPO_PTX_NUMBERED(__COUNTER__, opcode, type, parameters, __VA_ARGS__)
#define GPO_PTX_NUMBERED(number, ...) GPO_PTX_DEFINED(number, __VA_ARGS__)
#define GPO_PTX_DEFINED(number, opcode, type, parameters, ...)                                                       \
  extern "C" __attribute__((used, always_inline)) inline type gpuopt_ptx_##number parameters __asm__("ptx." opcode); \
  extern "C" inline type gpuopt_ptx_##number parameters { __VA_ARGS__; }
#define GPO_PTX_IS(opcode, type, parameters, expression) GPO_PTX(opcode, type, parameters, return expression)

namespace gpo {
namespace ptx {

template <class T>
inline constexpr unsigned bits_in = 8 * sizeof(T);

// A shift by as many bits as there are, or more, leaves none, or the sign.
template <class T>
GPO_FN T shifted_left(T x, u32 by) {
  return by < bits_in<T> ? T(x << by) : T(0);
}
template <class T>
GPO_FN T shifted_right(T x, u32 by) {
  return T(x >> (by < bits_in<T> ? by : bits_in<T> - 1)) & (by < bits_in<T> || T(-1) < T(0) ? T(-1) : T(0));
}

// Bits of `a` from bit `at` on, `count` of them; what lies beyond a's last one is 0, or a's sign.
template <class T, class U>
GPO_FN T extracted(T a, u32 at, u32 count) {
  constexpr u32 last = bits_in<T> - 1;
  at &= 255, count &= 255;
  if (count == 0) return 0;
  const u32 top = at + count - 1 < last ? at + count - 1 : last;
  const bool fill = T(-1) < T(0) && (U(a) >> top & 1);
  const U mask = count > last ? U(-1) : U((U(1) << count) - 1), valid = shifted_right<U>(U(-1), at) & mask;
  const U found = shifted_right<U>(U(a), at) & mask;
  return T(fill ? U(found | ~valid) : found);
}
// b with `count` bits of it, from bit `at` on, replaced by the lowest ones of a.
template <class U>
GPO_FN U inserted(U a, U b, u32 at, u32 count) {
  at &= 255, count &= 255;
  const U mask = shifted_left<U>(count < bits_in<U> ? U((U(1) << count) - 1) : U(-1), at);
  return U((b & ~mask) | (shifted_left<U>(a, at) & mask));
}
// The place of the highest bit that is not the sign, ~0 where there is none.
template <class T, class U>
GPO_FN u32 highest(T x) {
  const U seen = x < 0 ? U(~U(x)) : U(x);
  return seen == 0 ? ~0u : u32(63 - __clzll((long long)seen));
}
// The upper half of a product.
template <class T>
GPO_FN T upper(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    return T(T(-1) < T(0) ? u64(i64(a) * i64(b)) >> bits_in<T> : u64(a) * u64(b) >> bits_in<T>);
  } else if constexpr (T(-1) < T(0)) {
    return __mul64hi(a, b);
  } else {
    return __umul64hi(a, b);
  }
}
template <class T>
GPO_FN T less(T a, T b) {
  return b < a ? b : a;
}
template <class T>
GPO_FN T more(T a, T b) {
  return a < b ? b : a;
}
// The lesser of two floats; if one is a NaN, the other one. -0 is less than 0.
template <class T>
GPO_FN T less_number(T a, T b) {
  if (a != a || b != b) return a != a ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
template <class T>
GPO_FN T more_number(T a, T b) {
  if (a != a || b != b) return a != a ? b : a;
  return b < a || (a == b && !signbit(a)) ? a : b;
}
template <class T, class U>
GPO_FN T with_sign(T of, T number) {
  constexpr U sign = U(1) << (bits_in<U> - 1);
  return from_bits(U((to_bits(of) & sign) | (to_bits(number) & ~sign)));
}
template <class T>
GPO_FN T kept_in(i64 x, i64 least, i64 most) {
  return T(x < least ? least : x > most ? most : x);
}

// The bits of the results of three inputs, by a table of the eight combinations.
GPO_FN u32 looked_up(u32 a, u32 b, u32 c, u32 table) {
  u32 out = 0;
  for (u32 k = 0; k < 8; k++)
    if (table >> k & 1) out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return out;
}

// A sum and a difference with the carry, of 32 or 64 bits. Where `out` is not wanted it stays as it is.
template <class U>
GPO_FN U sum(U a, U b, u32 in, u32 *carry, bool out) {
  const U first = U(a + b), whole = U(first + in);
  if (out) *carry = first < a || whole < first;
  return whole;
}
template <class U>
GPO_FN U difference(U a, U b, u32 in, u32 *carry, bool out) {
  const U first = U(a - b), whole = U(first - in);
  if (out) *carry = a < b || first < in;
  return whole;
}

// A shuffle whose last operand names the segments of the warp and the last lane that is read.
template <class Source>
GPO_FN u32 shuffled(u32 mask, u32 value, u32 segments, bool up, Source source) {
  const int fixed = int(segments >> 8 & 31), limit = int(segments & 31);
  return shuffle(mask, value, 32, [=](int lane) {
    const int first = lane & fixed, last = first | (limit & ~fixed), from = source(lane, first, fixed);
    return (up ? from >= last : from <= last) && from >= 0 ? from : lane;
  });
}

}  // namespace ptx
}  // namespace gpo

// ---- Integers ----

#define GPO_PTX_COMPARE(comparison, operation, type, T) \
  GPO_PTX_IS("setp." comparison "." type, bool, (T a, T b), a operation b)
#define GPO_PTX_COMPARISONS(type, T) \
  GPO_PTX_COMPARE("eq", ==, type, T) \
  GPO_PTX_COMPARE("lt", <, type, T)  \
  GPO_PTX_COMPARE("le", <=, type, T) \
  GPO_PTX_COMPARE("gt", >, type, T)  \
  GPO_PTX_COMPARE("ge", >=, type, T)
#define GPO_PTX_WHOLE(type, T, U)                                                                  \
  GPO_PTX_IS("add." type, T, (T a, T b), T(U(a) + U(b)))                                           \
  GPO_PTX_IS("sub." type, T, (T a, T b), T(U(a) - U(b)))                                           \
  GPO_PTX_IS("mul.lo." type, T, (T a, T b), T(gpo::u64(a) * gpo::u64(b)))                          \
  GPO_PTX_IS("mul.hi." type, T, (T a, T b), gpo::ptx::upper(a, b))                                 \
  GPO_PTX_IS("mad.lo." type, T, (T a, T b, T c), T(gpo::u64(a) * gpo::u64(b) + gpo::u64(c)))       \
  GPO_PTX_IS("mad.hi." type, T, (T a, T b, T c), T(U(gpo::ptx::upper(a, b)) + U(c)))               \
  GPO_PTX_IS("div." type, T, (T a, T b), T(a / b))                                                 \
  GPO_PTX_IS("rem." type, T, (T a, T b), T(a % b))                                                 \
  GPO_PTX_IS("min." type, T, (T a, T b), gpo::ptx::less(a, b))                                     \
  GPO_PTX_IS("max." type, T, (T a, T b), gpo::ptx::more(a, b))                                     \
  GPO_PTX_IS("sad." type, T, (T a, T b, T c), T(U(c) + (a < b ? U(U(b) - U(a)) : U(U(a) - U(b))))) \
  GPO_PTX_IS("shr." type, T, (T a, gpo::u32 by), gpo::ptx::shifted_right(a, by))                   \
  GPO_PTX_COMPARE("ne", !=, type, T)                                                               \
  GPO_PTX_COMPARISONS(type, T)
#define GPO_PTX_SIGNED(type, T, U)                              \
  GPO_PTX_WHOLE(type, T, U)                                     \
  GPO_PTX_IS("abs." type, T, (T a), a < 0 ? T(U(0) - U(a)) : a) \
  GPO_PTX_IS("neg." type, T, (T a), T(U(0) - U(a)))
#define GPO_PTX_BITS(type, U)                                                    \
  GPO_PTX_IS("and." type, U, (U a, U b), U(a &b))                                \
  GPO_PTX_IS("or." type, U, (U a, U b), U(a | b))                                \
  GPO_PTX_IS("xor." type, U, (U a, U b), U(a ^ b))                               \
  GPO_PTX_IS("not." type, U, (U a), U(~a))                                       \
  GPO_PTX_IS("cnot." type, U, (U a), U(a == 0))                                  \
  GPO_PTX_IS("shl." type, U, (U a, gpo::u32 by), gpo::ptx::shifted_left(a, by))  \
  GPO_PTX_IS("shr." type, U, (U a, gpo::u32 by), gpo::ptx::shifted_right(a, by)) \
  GPO_PTX_COMPARE("eq", ==, type, U)                                             \
  GPO_PTX_COMPARE("ne", !=, type, U)
GPO_PTX_WHOLE("u16", gpo::u16, gpo::u16)
GPO_PTX_WHOLE("u32", gpo::u32, gpo::u32)
GPO_PTX_WHOLE("u64", gpo::u64, gpo::u64)
GPO_PTX_SIGNED("s16", gpo::i16, gpo::u16)
GPO_PTX_SIGNED("s32", gpo::i32, gpo::u32)
GPO_PTX_SIGNED("s64", gpo::i64, gpo::u64)
GPO_PTX_BITS("b16", gpo::u16)
GPO_PTX_BITS("b32", gpo::u32)
GPO_PTX_BITS("b64", gpo::u64)
#undef GPO_PTX_BITS
#undef GPO_PTX_SIGNED
#undef GPO_PTX_WHOLE
GPO_PTX_IS("and.pred", bool, (bool a, bool b), a &&b)
GPO_PTX_IS("or.pred", bool, (bool a, bool b), a || b)
GPO_PTX_IS("xor.pred", bool, (bool a, bool b), a != b)
GPO_PTX_IS("not.pred", bool, (bool a), !a)
#define GPO_PTX_UNSIGNED_ORDER(type, U) \
  GPO_PTX_COMPARE("lo", <, type, U)     \
  GPO_PTX_COMPARE("ls", <=, type, U)    \
  GPO_PTX_COMPARE("hi", >, type, U)     \
  GPO_PTX_COMPARE("hs", >=, type, U)
GPO_PTX_UNSIGNED_ORDER("u16", gpo::u16)
GPO_PTX_UNSIGNED_ORDER("u32", gpo::u32)
GPO_PTX_UNSIGNED_ORDER("u64", gpo::u64)
#undef GPO_PTX_UNSIGNED_ORDER

#define GPO_PTX_WIDE(type, T, wide, W)                        \
  GPO_PTX_IS("mul.wide." type, W, (T a, T b), W(W(a) * W(b))) \
  GPO_PTX_IS("mad.wide." type, W, (T a, T b, W c), W(wide(a) * wide(b) + wide(c)))
GPO_PTX_WIDE("u16", gpo::u16, gpo::u32, gpo::u32)
GPO_PTX_WIDE("s16", gpo::i16, gpo::u32, gpo::i32)
GPO_PTX_WIDE("u32", gpo::u32, gpo::u64, gpo::u64)
GPO_PTX_WIDE("s32", gpo::i32, gpo::u64, gpo::i64)
#undef GPO_PTX_WIDE
GPO_PTX_IS("add.sat.s32", gpo::i32, (gpo::i32 a, gpo::i32 b),
           gpo::ptx::kept_in<gpo::i32>(gpo::i64(a) + b, -2147483648ll, 2147483647))
GPO_PTX_IS("sub.sat.s32", gpo::i32, (gpo::i32 a, gpo::i32 b),
           gpo::ptx::kept_in<gpo::i32>(gpo::i64(a) - b, -2147483648ll, 2147483647))
GPO_PTX_IS("mul24.lo.u32", gpo::u32, (gpo::u32 a, gpo::u32 b), __umul24(a, b))
GPO_PTX_IS("mul24.lo.s32", gpo::i32, (gpo::i32 a, gpo::i32 b), __mul24(a, b))
GPO_PTX_IS("mad24.lo.u32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 c), __umul24(a, b) + c)
GPO_PTX_IS("mad24.lo.s32", gpo::i32, (gpo::i32 a, gpo::i32 b, gpo::i32 c),
           gpo::i32(gpo::u32(__mul24(a, b)) + gpo::u32(c)))

// With the carry, of signed numbers, too.
#define GPO_PTX_CARRY(type, U)                                                                                   \
  GPO_PTX_IS("add.cc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::sum<U>(a, b, 0, carry, true))            \
  GPO_PTX_IS("addc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::sum<U>(a, b, *carry, carry, false))        \
  GPO_PTX_IS("addc.cc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::sum<U>(a, b, *carry, carry, true))      \
  GPO_PTX_IS("sub.cc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::difference<U>(a, b, 0, carry, true))     \
  GPO_PTX_IS("subc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::difference<U>(a, b, *carry, carry, false)) \
  GPO_PTX_IS("subc.cc." type, U, (U a, U b, gpo::u32 * carry), gpo::ptx::difference<U>(a, b, *carry, carry, true))
#define GPO_PTX_CARRY_OF_PRODUCT(type, T, U)                                      \
  GPO_PTX_IS("mad.lo.cc." type, U, (T a, T b, U c, gpo::u32 * carry),             \
             gpo::ptx::sum<U>(U(a) * U(b), c, 0, carry, true))                    \
  GPO_PTX_IS("madc.lo." type, U, (T a, T b, U c, gpo::u32 * carry),               \
             gpo::ptx::sum<U>(U(a) * U(b), c, *carry, carry, false))              \
  GPO_PTX_IS("madc.lo.cc." type, U, (T a, T b, U c, gpo::u32 * carry),            \
             gpo::ptx::sum<U>(U(a) * U(b), c, *carry, carry, true))               \
  GPO_PTX_IS("mad.hi.cc." type, U, (T a, T b, U c, gpo::u32 * carry),             \
             gpo::ptx::sum<U>(U(gpo::ptx::upper(a, b)), c, 0, carry, true))       \
  GPO_PTX_IS("madc.hi." type, U, (T a, T b, U c, gpo::u32 * carry),               \
             gpo::ptx::sum<U>(U(gpo::ptx::upper(a, b)), c, *carry, carry, false)) \
  GPO_PTX_IS("madc.hi.cc." type, U, (T a, T b, U c, gpo::u32 * carry),            \
             gpo::ptx::sum<U>(U(gpo::ptx::upper(a, b)), c, *carry, carry, true))
GPO_PTX_CARRY("u32", gpo::u32)
GPO_PTX_CARRY("s32", gpo::u32)
GPO_PTX_CARRY("u64", gpo::u64)
GPO_PTX_CARRY("s64", gpo::u64)
GPO_PTX_CARRY_OF_PRODUCT("u32", gpo::u32, gpo::u32)
GPO_PTX_CARRY_OF_PRODUCT("s32", gpo::i32, gpo::u32)
GPO_PTX_CARRY_OF_PRODUCT("u64", gpo::u64, gpo::u64)
GPO_PTX_CARRY_OF_PRODUCT("s64", gpo::i64, gpo::u64)
#undef GPO_PTX_CARRY_OF_PRODUCT
#undef GPO_PTX_CARRY

// ---- Bits ----

GPO_PTX_IS("popc.b32", gpo::u32, (gpo::u32 a), gpo::u32(__popc(a)))
GPO_PTX_IS("popc.b64", gpo::u32, (gpo::u64 a), gpo::u32(__popcll(a)))
GPO_PTX_IS("clz.b32", gpo::u32, (gpo::u32 a), gpo::u32(__clz(int(a))))
GPO_PTX_IS("clz.b64", gpo::u32, (gpo::u64 a), gpo::u32(__clzll((long long)a)))
GPO_PTX_IS("brev.b32", gpo::u32, (gpo::u32 a), __brev(a))
GPO_PTX_IS("brev.b64", gpo::u64, (gpo::u64 a), __brevll(a))
GPO_PTX_IS("lop3.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 c, gpo::u32 table),
           gpo::ptx::looked_up(a, b, c, table))
GPO_PTX_IS("prmt.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 select), __byte_perm(a, b, select))
GPO_PTX_IS("shf.l.wrap.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 by), __funnelshift_l(a, b, by))
GPO_PTX_IS("shf.l.clamp.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 by), __funnelshift_lc(a, b, by))
GPO_PTX_IS("shf.r.wrap.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 by), __funnelshift_r(a, b, by))
GPO_PTX_IS("shf.r.clamp.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 by), __funnelshift_rc(a, b, by))
#define GPO_PTX_FIELDS(type, T, U)                                                                          \
  GPO_PTX_IS("bfe." type, T, (T a, gpo::u32 at, gpo::u32 count), (gpo::ptx::extracted<T, U>(a, at, count))) \
  GPO_PTX_IS("bfind." type, gpo::u32, (T a), (gpo::ptx::highest<T, U>(a)))                                  \
  GPO_PTX_IS("bfind.shiftamt." type, gpo::u32, (T a),                                                       \
             (gpo::ptx::highest<T, U>(a) == ~0u ? ~0u : gpo::ptx::bits_in<T> - 1 - gpo::ptx::highest<T, U>(a)))
GPO_PTX_FIELDS("u32", gpo::u32, gpo::u32)
GPO_PTX_FIELDS("s32", gpo::i32, gpo::u32)
GPO_PTX_FIELDS("u64", gpo::u64, gpo::u64)
GPO_PTX_FIELDS("s64", gpo::i64, gpo::u64)
#undef GPO_PTX_FIELDS
GPO_PTX_IS("bfi.b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 at, gpo::u32 count),
           gpo::ptx::inserted(a, b, at, count))
GPO_PTX_IS("bfi.b64", gpo::u64, (gpo::u64 a, gpo::u64 b, gpo::u32 at, gpo::u32 count),
           gpo::ptx::inserted(a, b, at, count))

// ---- Bytes and halves of words ----

#define GPO_PTX_PARTS(type, bytes, halves)                                                                           \
  GPO_PTX_IS("vabsdiff4.u32." type "." type, gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32), __vabsdiff##bytes(a, b))  \
  GPO_PTX_IS("vabsdiff2.u32." type "." type, gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32), __vabsdiff##halves(a, b)) \
  GPO_PTX_IS("vabsdiff4.u32." type "." type ".add", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 c),                  \
             __vsad##bytes(a, b) + c)                                                                                \
  GPO_PTX_IS("vabsdiff2.u32." type "." type ".add", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 c),                  \
             __vsad##halves(a, b) + c)
GPO_PTX_PARTS("u32", u4, u2)
GPO_PTX_PARTS("s32", s4, s2)
#undef GPO_PTX_PARTS
#define GPO_PTX_DOT(a_type, A, b_type, B)                                               \
  GPO_PTX_IS("dp4a." a_type "." b_type, gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 c), \
             (gpo::words::dot_bytes<A, B>(a, b, c)))
GPO_PTX_DOT("u32", gpo::u8, "u32", gpo::u8)
GPO_PTX_DOT("s32", gpo::i8, "s32", gpo::i8)
GPO_PTX_DOT("u32", gpo::u8, "s32", gpo::i8)
GPO_PTX_DOT("s32", gpo::i8, "u32", gpo::u8)
#undef GPO_PTX_DOT

// ---- Floating-point numbers ----

#define GPO_PTX_ROUNDED(ptx, mode)                                                                              \
  GPO_PTX_IS("add." ptx ".f32", float, (float a, float b), gpo::rounded::add(gpo::rounded::mode, a, b))         \
  GPO_PTX_IS("sub." ptx ".f32", float, (float a, float b), gpo::rounded::add(gpo::rounded::mode, a, -b))        \
  GPO_PTX_IS("mul." ptx ".f32", float, (float a, float b), gpo::rounded::multiply(gpo::rounded::mode, a, b))    \
  GPO_PTX_IS("div." ptx ".f32", float, (float a, float b), gpo::rounded::divide(gpo::rounded::mode, a, b))      \
  GPO_PTX_IS("rcp." ptx ".f32", float, (float a), gpo::rounded::divide(gpo::rounded::mode, 1.0f, a))            \
  GPO_PTX_IS("sqrt." ptx ".f32", float, (float a), gpo::rounded::square_root(gpo::rounded::mode, a))            \
  GPO_PTX_IS("fma." ptx ".f32", float, (float a, float b, float c),                                             \
             gpo::rounded::multiply_add(gpo::rounded::mode, a, b, c))                                           \
  GPO_PTX_IS("add." ptx ".f64", double, (double a, double b), gpo::rounded::add(gpo::rounded::mode, a, b))      \
  GPO_PTX_IS("sub." ptx ".f64", double, (double a, double b), gpo::rounded::add(gpo::rounded::mode, a, -b))     \
  GPO_PTX_IS("mul." ptx ".f64", double, (double a, double b), gpo::rounded::multiply(gpo::rounded::mode, a, b)) \
  GPO_PTX_IS("div." ptx ".f64", double, (double a, double b), gpo::rounded::divide(gpo::rounded::mode, a, b))   \
  GPO_PTX_IS("rcp." ptx ".f64", double, (double a), gpo::rounded::divide(gpo::rounded::mode, 1.0, a))           \
  GPO_PTX_IS("sqrt." ptx ".f64", double, (double a), gpo::rounded::square_root(gpo::rounded::mode, a))          \
  GPO_PTX_IS("fma." ptx ".f64", double, (double a, double b, double c),                                         \
             gpo::rounded::multiply_add(gpo::rounded::mode, a, b, c))
GPO_PTX_ROUNDED("rn", nearest)
GPO_PTX_ROUNDED("rz", to_zero)
GPO_PTX_ROUNDED("rp", up)
GPO_PTX_ROUNDED("rm", down)
#undef GPO_PTX_ROUNDED
#define GPO_PTX_FLOATING(type, T, U)                                                      \
  GPO_PTX_IS("add." type, T, (T a, T b), a + b)                                           \
  GPO_PTX_IS("sub." type, T, (T a, T b), a - b)                                           \
  GPO_PTX_IS("mul." type, T, (T a, T b), a *b)                                            \
  GPO_PTX_IS("abs." type, T, (T a), gpo::abs(a))                                          \
  GPO_PTX_IS("neg." type, T, (T a), -a)                                                   \
  GPO_PTX_IS("min." type, T, (T a, T b), gpo::ptx::less_number(a, b))                     \
  GPO_PTX_IS("max." type, T, (T a, T b), gpo::ptx::more_number(a, b))                     \
  GPO_PTX_IS("copysign." type, T, (T a, T b), (gpo::ptx::with_sign<T, U>(a, b)))          \
  GPO_PTX_IS("cvt.rni." type "." type, T, (T a), gpo::rint(a))                            \
  GPO_PTX_IS("cvt.rzi." type "." type, T, (T a), gpo::trunc(a))                           \
  GPO_PTX_IS("cvt.rmi." type "." type, T, (T a), gpo::floor(a))                           \
  GPO_PTX_IS("cvt.rpi." type "." type, T, (T a), gpo::ceil(a))                            \
  GPO_PTX_IS("cvt.sat." type "." type, T, (T a), a > T(0) ? (a < T(1) ? a : T(1)) : T(0)) \
  GPO_PTX_IS("testp.finite." type, bool, (T a), gpo::abs(a) < gpo::inf<T>())              \
  GPO_PTX_IS("testp.infinite." type, bool, (T a), gpo::abs(a) == gpo::inf<T>())           \
  GPO_PTX_IS("testp.number." type, bool, (T a), a == a)                                   \
  GPO_PTX_IS("testp.notanumber." type, bool, (T a), a != a)                               \
  GPO_PTX_IS("setp.ne." type, bool, (T a, T b), a<b || a> b)                              \
  GPO_PTX_COMPARISONS(type, T)                                                            \
  GPO_PTX_IS("setp.equ." type, bool, (T a, T b), !(a < b || a > b))                       \
  GPO_PTX_IS("setp.neu." type, bool, (T a, T b), a != b)                                  \
  GPO_PTX_IS("setp.ltu." type, bool, (T a, T b), !(a >= b))                               \
  GPO_PTX_IS("setp.leu." type, bool, (T a, T b), !(a > b))                                \
  GPO_PTX_IS("setp.gtu." type, bool, (T a, T b), !(a <= b))                               \
  GPO_PTX_IS("setp.geu." type, bool, (T a, T b), !(a < b))                                \
  GPO_PTX_IS("setp.num." type, bool, (T a, T b), a == a && b == b)                        \
  GPO_PTX_IS("setp.nan." type, bool, (T a, T b), a != a || b != b)
GPO_PTX_FLOATING("f32", float, gpo::u32)
GPO_PTX_FLOATING("f64", double, gpo::u64)
#undef GPO_PTX_FLOATING
#undef GPO_PTX_COMPARISONS
#undef GPO_PTX_COMPARE

// ---- Conversions that take or give floating-point numbers ----

#define GPO_PTX_TO_WHOLE(ptx, mode)                                                                                  \
  GPO_PTX_IS("cvt." ptx ".s32.f32", gpo::i32, (float a), gpo::rounded::to_integer<int>(gpo::rounded::mode, a))       \
  GPO_PTX_IS("cvt." ptx ".u32.f32", gpo::u32, (float a), gpo::rounded::to_integer<unsigned>(gpo::rounded::mode, a))  \
  GPO_PTX_IS("cvt." ptx ".s64.f32", gpo::i64, (float a), gpo::rounded::to_integer<gpo::i64>(gpo::rounded::mode, a))  \
  GPO_PTX_IS("cvt." ptx ".u64.f32", gpo::u64, (float a), gpo::rounded::to_integer<gpo::u64>(gpo::rounded::mode, a))  \
  GPO_PTX_IS("cvt." ptx ".s32.f64", gpo::i32, (double a), gpo::rounded::to_integer<int>(gpo::rounded::mode, a))      \
  GPO_PTX_IS("cvt." ptx ".u32.f64", gpo::u32, (double a), gpo::rounded::to_integer<unsigned>(gpo::rounded::mode, a)) \
  GPO_PTX_IS("cvt." ptx ".s64.f64", gpo::i64, (double a), gpo::rounded::to_integer<gpo::i64>(gpo::rounded::mode, a)) \
  GPO_PTX_IS("cvt." ptx ".u64.f64", gpo::u64, (double a), gpo::rounded::to_integer<gpo::u64>(gpo::rounded::mode, a))
GPO_PTX_TO_WHOLE("rni", nearest)
GPO_PTX_TO_WHOLE("rzi", to_zero)
GPO_PTX_TO_WHOLE("rpi", up)
GPO_PTX_TO_WHOLE("rmi", down)
#undef GPO_PTX_TO_WHOLE
#define GPO_PTX_OF_WHOLE(type, T)                        \
  GPO_PTX_IS("cvt.rn.f32." type, float, (T a), float(a)) \
  GPO_PTX_IS("cvt.rn.f64." type, double, (T a), double(a))
GPO_PTX_OF_WHOLE("s16", gpo::i16)
GPO_PTX_OF_WHOLE("u16", gpo::u16)
GPO_PTX_OF_WHOLE("s32", gpo::i32)
GPO_PTX_OF_WHOLE("u32", gpo::u32)
GPO_PTX_OF_WHOLE("s64", gpo::i64)
GPO_PTX_OF_WHOLE("u64", gpo::u64)
#undef GPO_PTX_OF_WHOLE
GPO_PTX_IS("cvt.f64.f32", double, (float a), double(a))
GPO_PTX_IS("cvt.rn.f32.f64", float, (double a), float(a))
GPO_PTX_IS("cvt.rz.f32.f64", float, (double a), gpo::rounded::to_float<float>(gpo::rounded::to_zero, a))
GPO_PTX_IS("cvt.rp.f32.f64", float, (double a), gpo::rounded::to_float<float>(gpo::rounded::up, a))
GPO_PTX_IS("cvt.rm.f32.f64", float, (double a), gpo::rounded::to_float<float>(gpo::rounded::down, a))
GPO_PTX_IS("cvt.f32.f16", float, (gpo::u16 a), gpo::to_float(gpo::float16{a}))
GPO_PTX_IS("cvt.rn.f16.f32", gpo::u16, (float a), gpo::to_float16(a).bits)

// ---- Memory that threads share ----

#define GPO_PTX_ATOMIC(name, type, T, function)                                \
  GPO_PTX_IS("atom." name "." type, T, (T * at, T value), function(at, value)) \
  GPO_PTX("red." name "." type, void, (T * at, T value), function(at, value))
#define GPO_PTX_ATOMIC_BITS(type, U)                                         \
  GPO_PTX_ATOMIC("and", type, U, atomicAnd)                                  \
  GPO_PTX_ATOMIC("or", type, U, atomicOr)                                    \
  GPO_PTX_ATOMIC("xor", type, U, atomicXor)                                  \
  GPO_PTX_IS("atom.exch." type, U, (U * at, U value), atomicExch(at, value)) \
  GPO_PTX_IS("atom.cas." type, U, (U * at, U expected, U value), atomicCAS(at, expected, value))
#define GPO_PTX_ATOMIC_ORDER(type, T)       \
  GPO_PTX_ATOMIC("min", type, T, atomicMin) \
  GPO_PTX_ATOMIC("max", type, T, atomicMax)
GPO_PTX_ATOMIC_BITS("b32", gpo::u32)
GPO_PTX_ATOMIC_BITS("b64", gpo::u64)
GPO_PTX_ATOMIC_ORDER("u32", gpo::u32)
GPO_PTX_ATOMIC_ORDER("s32", gpo::i32)
GPO_PTX_ATOMIC_ORDER("u64", gpo::u64)
GPO_PTX_ATOMIC_ORDER("s64", gpo::i64)
GPO_PTX_ATOMIC("add", "u32", gpo::u32, atomicAdd)
GPO_PTX_ATOMIC("add", "s32", gpo::i32, atomicAdd)
GPO_PTX_ATOMIC("add", "u64", gpo::u64, atomicAdd)
GPO_PTX_ATOMIC("add", "f32", float, atomicAdd)
GPO_PTX_ATOMIC("add", "f64", double, atomicAdd)
GPO_PTX_ATOMIC("inc", "u32", gpo::u32, atomicInc)
GPO_PTX_ATOMIC("dec", "u32", gpo::u32, atomicDec)
#undef GPO_PTX_ATOMIC_ORDER
#undef GPO_PTX_ATOMIC_BITS
#undef GPO_PTX_ATOMIC
GPO_PTX("membar", void, (), __threadfence())
GPO_PTX("fence", void, (), __threadfence())

// ---- Threads ----

// The compiler takes barrier 0 alone, which is for all threads of the block.
GPO_PTX("bar.sync", void, (gpo::u32), __syncthreads())
GPO_PTX("barrier.sync", void, (gpo::u32), __syncthreads())
GPO_PTX("barrier.sync.aligned", void, (gpo::u32), __syncthreads())
GPO_PTX("bar.warp.sync", void, (gpo::u32 mask), __syncwarp(mask))
GPO_PTX_IS("activemask.b32", gpo::u32, (), __activemask())
GPO_PTX_IS("vote.sync.ballot.b32", gpo::u32, (bool a, gpo::u32 mask), __ballot_sync(mask, a))
GPO_PTX_IS("vote.sync.any.pred", bool, (bool a, gpo::u32 mask), __any_sync(mask, a) != 0)
GPO_PTX_IS("vote.sync.all.pred", bool, (bool a, gpo::u32 mask), __all_sync(mask, a) != 0)
GPO_PTX_IS("match.any.sync.b32", gpo::u32, (gpo::u32 a, gpo::u32 mask), __match_any_sync(mask, a))
GPO_PTX_IS("match.any.sync.b64", gpo::u32, (gpo::u64 a, gpo::u32 mask), __match_any_sync(mask, a))
#define GPO_PTX_SHUFFLE(mode, up, ...)                                                                       \
  GPO_PTX_IS("shfl.sync." mode ".b32", gpo::u32, (gpo::u32 a, gpo::u32 b, gpo::u32 segments, gpo::u32 mask), \
             gpo::ptx::shuffled(mask, a, segments, up,                                                       \
                                [b]([[maybe_unused]] int lane, [[maybe_unused]] int first,                   \
                                    [[maybe_unused]] int fixed) { return __VA_ARGS__; }))
GPO_PTX_SHUFFLE("up", true, lane - int(b & 31))
GPO_PTX_SHUFFLE("down", false, lane + int(b & 31))
GPO_PTX_SHUFFLE("bfly", false, lane ^ int(b & 31))
GPO_PTX_SHUFFLE("idx", false, first | (int(b & 31) & ~fixed))
#undef GPO_PTX_SHUFFLE
#define GPO_PTX_REDUCTION(name, type, T, function) \
  GPO_PTX_IS("redux.sync." name "." type, T, (T a, gpo::u32 mask), function(mask, a))
GPO_PTX_REDUCTION("add", "u32", gpo::u32, __reduce_add_sync)
GPO_PTX_REDUCTION("add", "s32", gpo::i32, __reduce_add_sync)
GPO_PTX_REDUCTION("min", "u32", gpo::u32, __reduce_min_sync)
GPO_PTX_REDUCTION("min", "s32", gpo::i32, __reduce_min_sync)
GPO_PTX_REDUCTION("max", "u32", gpo::u32, __reduce_max_sync)
GPO_PTX_REDUCTION("max", "s32", gpo::i32, __reduce_max_sync)
GPO_PTX_REDUCTION("and", "b32", gpo::u32, __reduce_and_sync)
GPO_PTX_REDUCTION("or", "b32", gpo::u32, __reduce_or_sync)
GPO_PTX_REDUCTION("xor", "b32", gpo::u32, __reduce_xor_sync)
#undef GPO_PTX_REDUCTION
GPO_PTX("trap", void, (), __trap())
GPO_PTX("nanosleep.u32", void, (gpo::u32 time), __nanosleep(time))

// ---- Special registers; all blocks are on one multiprocessor, and clocks are the processor's ----

#define GPO_PTX_DIMENSIONS(name, variable)            \
  GPO_PTX_IS("%" name ".x", gpo::u32, (), variable.x) \
  GPO_PTX_IS("%" name ".y", gpo::u32, (), variable.y) \
  GPO_PTX_IS("%" name ".z", gpo::u32, (), variable.z)
GPO_PTX_DIMENSIONS("tid", threadIdx)
GPO_PTX_DIMENSIONS("ntid", blockDim)
GPO_PTX_DIMENSIONS("ctaid", blockIdx)
GPO_PTX_DIMENSIONS("nctaid", gridDim)
#undef GPO_PTX_DIMENSIONS
GPO_PTX_IS("%laneid", gpo::u32, (), gpuopt_thread()->number % 32)
GPO_PTX_IS("%warpid", gpo::u32, (), gpuopt_thread()->number / 32)
GPO_PTX_IS("%nwarpid", gpo::u32, (), (blockDim.x * blockDim.y * blockDim.z + 31) / 32)
GPO_PTX_IS("%smid", gpo::u32, (), 0)
GPO_PTX_IS("%nsmid", gpo::u32, (), 1)
GPO_PTX_IS("%lanemask_eq", gpo::u32, (), 1u << gpuopt_thread()->number % 32)
GPO_PTX_IS("%lanemask_lt", gpo::u32, (), (1u << gpuopt_thread()->number % 32) - 1)
GPO_PTX_IS("%lanemask_le", gpo::u32, (), (2u << gpuopt_thread()->number % 32) - 1)
GPO_PTX_IS("%lanemask_gt", gpo::u32, (), ~((2u << gpuopt_thread()->number % 32) - 1))
GPO_PTX_IS("%lanemask_ge", gpo::u32, (), ~((1u << gpuopt_thread()->number % 32) - 1))
GPO_PTX_IS("%clock", gpo::u32, (), gpo::u32(clock64()))
GPO_PTX_IS("%clock_hi", gpo::u32, (), gpo::u32(clock64() >> 32))
GPO_PTX_IS("%clock64", gpo::u64, (), gpo::u64(clock64()))
GPO_PTX_IS("%globaltimer", gpo::u64, (), gpo::u64(clock64()))
GPO_PTX_IS("%globaltimer_lo", gpo::u32, (), gpo::u32(clock64()))

#undef GPO_PTX_IS
#undef GPO_PTX_DEFINED
#undef GPO_PTX_NUMBERED
#undef GPO_PTX

#endif  // __CUDACC_RTC__
#endif  // GPUOPT_PLUGINS_SHARED_WORDS_PTX_H_
