// tests/unit/math_level.h -- a checksum of every op of every loop dtype; included by one translation unit per
// instruction set level
//
// No standard containers here: their out-of-line functions would be shared between the levels.
#ifndef GPUOPT_TESTS_UNIT_MATH_LEVEL_H_
#define GPUOPT_TESTS_UNIT_MATH_LEVEL_H_

#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/ops/scalar_ops.h"

struct MathLevelResult {
  const char *op;
  const char *type;
  gpo::u64 checksum;
};
// Room for every row times 13 loop dtypes.
inline constexpr int kMathLevelCapacity = 2000;

namespace {

using namespace gpo;

constexpr int kLevelCount = 1500;

struct LevelRandom {
  u64 state;
  u64 next() {
    u64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 27);
  }
};

// Bits of every kind and numbers around 1; about one in thirty is special.
template <class T>
T level_input(LevelRandom &random) {
  const u64 bits = random.next();
  if constexpr (is_complex<T>) {
    using R = real_of<T>;
    const R re = level_input<R>(random), im = level_input<R>(random);
    return {re, im};
  } else if constexpr (is_float<T>) {
    constexpr double special[] = {0, -0.0, 1, -1, 0.5, 2, 3, -2, 1e300, -1e-300};
    if (bits % 31 == 0) return cast<T>(special[(bits >> 8) % 10]);
    if (bits % 31 == 1) return (bits & 256) ? inf<T>() : nan<T>();
    if (bits % 3 == 0) return from_bits(uint_of<T>(bits >> (64 - 8 * sizeof(T))));
    return cast<T>(double(i64(bits) >> 12) * 0x1p-48);  // within 8
  } else if constexpr (is_bool<T>) {
    return (bits & 1) != 0;
  } else {
    return (bits & 256) ? T(bits >> 32) : T(i64(bits >> 32) % 9 - 4);
  }
}

template <class T>
u64 level_bits(T x) {
  if constexpr (is_complex<T>) {
    return level_bits(x.re) * 0x100000001b3u ^ level_bits(x.im);
  } else if constexpr (is_float<T>) {
    return x != x ? u64(0x7ff8) : u64(to_bits(x));  // every NaN counts as equal
  } else {
    return u64(x);
  }
}
// FNV-1a over whole values.
template <class T>
u64 level_checksum(const T *y) {
  u64 hash = 0xcbf29ce484222325u;
  for (int i = 0; i < kLevelCount; ++i) hash = (hash ^ level_bits(y[i])) * 0x100000001b3u;
  return hash;
}

template <class T>
struct LevelInputs {
  T a[kLevelCount], b[kLevelCount], c[kLevelCount];
  bool condition[kLevelCount];
};
template <class T>
const LevelInputs<T> &level_inputs() {
  static LevelInputs<T> inputs;
  static bool filled = false;
  if (!filled) {
    LevelRandom random{42};
    for (int i = 0; i < kLevelCount; ++i) {
      inputs.a[i] = level_input<T>(random), inputs.b[i] = level_input<T>(random), inputs.c[i] = level_input<T>(random);
      inputs.condition[i] = random.next() & 1;
    }
    filled = true;
  }
  return inputs;
}

// As a backend's loop does it: the easy path over a vector, then the elements that asked for more.
template <class Op, class T>
void level_loop_1(T *__restrict y, const T *__restrict x) {
  for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply_easy(x[i]);
  for (int i = 0; i < kLevelCount; ++i)
    if (Op::hard(x[i])) y[i] = Op::apply_hard(x[i]);
}
template <class Op, class T>
void level_loop_2(T *__restrict y, const T *__restrict a, const T *__restrict b) {
  for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply_easy(a[i], b[i]);
  for (int i = 0; i < kLevelCount; ++i)
    if (Op::hard(a[i], b[i])) y[i] = Op::apply_hard(a[i], b[i]);
}

template <class Op, int kInputs, bool kSelects, class T>
u64 level_row() {
  const LevelInputs<T> &in = level_inputs<T>();
  if constexpr (kSelects) {
    static T y[kLevelCount];
    for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply(in.condition[i], in.a[i], in.b[i]);
    return level_checksum(y);
  } else if constexpr (kInputs == 1) {
    static decltype(Op::apply(T{})) y[kLevelCount];
    if constexpr (Op::template has_hard<T>) {
      level_loop_1<Op>(y, in.a);
    } else {
      for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply(in.a[i]);
    }
    return level_checksum(y);
  } else if constexpr (kInputs == 2) {
    static decltype(Op::apply(T{}, T{})) y[kLevelCount];
    if constexpr (Op::template has_hard<T>) {
      level_loop_2<Op>(y, in.a, in.b);
    } else {
      for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply(in.a[i], in.b[i]);
    }
    return level_checksum(y);
  } else {
    static T y[kLevelCount];
    for (int i = 0; i < kLevelCount; ++i) y[i] = Op::apply(in.a[i], in.b[i], in.c[i]);
    return level_checksum(y);
  }
}

// ---- Complex numbers whose components are infinite, NaN, huge, denormal or zero, in every combination

// All 625 such numbers in each loop, so that loops over them are those of a backend.
constexpr int kSpecialParts = 25, special_count = kSpecialParts * kSpecialParts;
template <class T>
T special_part(int i) {
  constexpr double double_sizes[] = {0, 0x1p-1074, 0x1p-1022, 1e-200, 0.5, 1, 3, 41, 745, 1e154, 1.7e308};
  constexpr double float_sizes[] = {0, 0x1p-149, 0x1p-126, 1e-25, 0.5, 1, 3, 41, 104, 1e19, 3.3e38};
  if (i == 0) return inf<T>();
  if (i == 1) return -inf<T>();
  if (i == 2) return nan<T>();
  const double size = sizeof(T) == 8 ? double_sizes[(i - 3) / 2] : float_sizes[(i - 3) / 2];
  return T(i & 1 ? -size : size);
}
template <class T>
T special_number(int i) {
  using R = real_of<T>;
  return {special_part<R>(i / kSpecialParts), special_part<R>(i % kSpecialParts)};
}
template <class Op, class T>
u64 special_row_1(u64 hash) {
  static T x[special_count];
  for (int i = 0; i < special_count; ++i) x[i] = special_number<T>(i);
  static decltype(Op::apply(T{})) y[special_count];
  if constexpr (Op::template has_hard<T>) {
    for (int i = 0; i < special_count; ++i) y[i] = Op::apply_easy(x[i]);
    for (int i = 0; i < special_count; ++i)
      if (Op::hard(x[i])) y[i] = Op::apply_hard(x[i]);
  } else {
    for (int i = 0; i < special_count; ++i) y[i] = Op::apply(x[i]);
  }
  for (int i = 0; i < special_count; ++i) hash = (hash ^ level_bits(y[i])) * 0x100000001b3u;
  return hash;
}
template <class Op, class T>
u64 special_row_2(u64 hash) {
  static T b[special_count];
  for (int i = 0; i < special_count; ++i) b[i] = special_number<T>(i);
  static decltype(Op::apply(T{}, T{})) y[special_count];
  for (int k = 0; k < special_count; ++k) {
    const T a = b[k];
    if constexpr (Op::template has_hard<T>) {
      for (int i = 0; i < special_count; ++i) y[i] = Op::apply_easy(a, b[i]);
      for (int i = 0; i < special_count; ++i)
        if (Op::hard(a, b[i])) y[i] = Op::apply_hard(a, b[i]);
    } else {
      for (int i = 0; i < special_count; ++i) y[i] = Op::apply(a, b[i]);
    }
    for (int i = 0; i < special_count; ++i) hash = (hash ^ level_bits(y[i])) * 0x100000001b3u;
  }
  return hash;
}
template <class Op, int kInputs, class T>
u64 special_row() {
  constexpr u64 start = 0xcbf29ce484222325u;
  if constexpr (kInputs == 1) {
    return special_row_1<Op, T>(start);
  } else if constexpr (kInputs == 2) {
    return special_row_2<Op, T>(start);
  } else {
    return start;
  }
}

constexpr bool level_has(const char *kinds, char kind) {
  for (; *kinds; ++kinds)
    if (*kinds == kind) return true;
  return false;
}
enum class LevelResultKind { SAME, BOOL, REAL, LOGICAL, SELECT };

// Fills `results` and returns how many there are.
inline int math_level(MathLevelResult *results) {
  int n = 0;
#define GPO_LEVEL_TYPE(name, nin, kinds, result, kind, T) \
  if constexpr (level_has(kinds, kind))                   \
    results[n++] = {#name, #T, level_row<ops::name, nin, LevelResultKind::result == LevelResultKind::SELECT, T>()};
#define GPUOPT_OP(name, nin, kinds, result, doc)        \
  GPO_LEVEL_TYPE(name, nin, kinds, result, '?', bool)   \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'i', i8)     \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'i', i32)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'i', i64)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'u', u16)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'u', u32)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'u', u64)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'f', float)  \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'f', double) \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'c', c64)    \
  GPO_LEVEL_TYPE(name, nin, kinds, result, 'c', c128)
#include "gpuopt/ops.def"
#undef GPO_LEVEL_TYPE
#define GPUOPT_OP(name, nin, kinds, result, doc)                                       \
  if constexpr (level_has(kinds, 'c')) {                                               \
    results[n++] = {#name, "special complex64", special_row<ops::name, nin, c64>()};   \
    results[n++] = {#name, "special complex128", special_row<ops::name, nin, c128>()}; \
  }
#include "gpuopt/ops.def"
  return n;
}

}  // namespace

#endif  // GPUOPT_TESTS_UNIT_MATH_LEVEL_H_
