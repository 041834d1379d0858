// tests/fake_cuda/ptx/alu/integer.cpp -- arithmetic of integers.
#include <limits>
#include <type_traits>

#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {
namespace {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

// Twice as wide, of the same signedness.
template <typename T>
struct Twice;
template <>
struct Twice<int16_t> {
  using type = int32_t;
};
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<int32_t> {
  using type = int64_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<int64_t> {
  using type = Wide;
};
template <>
struct Twice<uint64_t> {
  using type = UnsignedWide;
};

template <typename T>
T low_product(T a, T b) {
  return T(Unsigned<T>(uint64_t(a) * uint64_t(b)));
}
template <typename T>
typename Twice<T>::type whole_product(T a, T b) {
  using Double = typename Twice<T>::type;
  return Double(a) * Double(b);
}
template <typename T>
T high_product(T a, T b) {
  return T(whole_product(a, b) >> (8 * sizeof(T)));
}
template <typename T>
T sum(T a, T b) {
  return T(Unsigned<T>(uint64_t(a) + uint64_t(b)));
}
template <typename T>
T difference(T a, T b) {
  return T(Unsigned<T>(uint64_t(a) - uint64_t(b)));
}
int32_t saturated(int64_t value) {
  constexpr int64_t least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  return int32_t(value < least ? least : value > most ? most : value);
}

#define BINARY(name, expression)   \
  struct name {                    \
    template <typename T>          \
    T operator()(T a, T b) const { \
      return expression;           \
    }                              \
  };
#define TERNARY(name, expression)       \
  struct name {                         \
    template <typename T>               \
    T operator()(T a, T b, T c) const { \
      return expression;                \
    }                                   \
  };
#define UNARY(name, expression) \
  struct name {                 \
    template <typename T>       \
    T operator()(T a) const {   \
      return expression;        \
    }                           \
  };

BINARY(IntAdd, sum(a, b))
BINARY(IntSubtract, difference(a, b))
BINARY(IntMultiplyLow, low_product(a, b))
BINARY(IntMultiplyHigh, high_product(a, b))
BINARY(IntMinimum, b < a ? b : a)
BINARY(IntMaximum, a < b ? b : a)
BINARY(IntMinimumPositive, (b < a ? b : a) < 0 ? T(0) : b < a ? b : a)
BINARY(IntMaximumPositive, (a < b ? b : a) < 0 ? T(0) : a < b ? b : a)
BINARY(IntAddSaturated, T(saturated(int64_t(a) + int64_t(b))))
BINARY(IntSubtractSaturated, T(saturated(int64_t(a) - int64_t(b))))
TERNARY(IntMultiplyAddLow, sum(low_product(a, b), c))
TERNARY(IntMultiplyAddHigh, sum(high_product(a, b), c))
TERNARY(IntMultiplyAddHighSaturated, T(saturated(int64_t(high_product(a, b)) + int64_t(c))))
TERNARY(IntSumOfDifferences, sum(a < b ? difference(b, a) : difference(a, b), c))
UNARY(IntNegate, difference(T(0), a))
UNARY(IntAbsolute, a < 0 ? difference(T(0), a) : a)

// What a division by zero gives is up to the machine; NVIDIA's give all ones, and the dividend as the remainder.
struct IntDivide {
  template <typename T>
  T operator()(T a, T b) const {
    if (b == 0) return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1)) return difference(T(0), a);
    return T(a / b);
  }
};
struct IntRemainder {
  template <typename T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return T(0);
    return T(a % b);
  }
};

// The low 24 bits, with their sign.
template <typename T>
int64_t low_24(T value) {
  return std::is_signed_v<T> ? int64_t(int32_t(uint32_t(value) << 8) >> 8) : int64_t(uint32_t(value) & 0xffffff);
}
BINARY(IntMultiply24Low, T(low_24(a) * low_24(b)))
BINARY(IntMultiply24High, T((low_24(a) * low_24(b)) >> 16))
TERNARY(IntMultiplyAdd24Low, sum(T(low_24(a) * low_24(b)), c))

// a and b of one width, c and the result of twice that.
template <typename T, bool adds>
void wide(Warp &warp, const Op &op, Mask lanes) {
  using Double = typename Twice<T>::type;
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) {
    const Double product = whole_product(value_of<T>(a[l]), value_of<T>(b[l]));
    to[l] = bits_of(adds ? sum(product, value_of<Double>(c[l])) : product);
  });
}

template <bool adds>
void decode_wide(Decoder &d, Type type) {
  struct Kind {
    Type narrow, wide;
    Execute execute;
  };
  static const Kind kinds[] = {{Type::kS16, Type::kS32, &wide<int16_t, adds>},
                               {Type::kU16, Type::kU32, &wide<uint16_t, adds>},
                               {Type::kS32, Type::kS64, &wide<int32_t, adds>},
                               {Type::kU32, Type::kU64, &wide<uint32_t, adds>}};
  for (const Kind &kind : kinds) {
    if (kind.narrow != type) continue;
    d.op.execute = kind.execute;
    d.op.to[0] = d.out(0, kind.wide);
    d.op.from[0] = d.in(1, type);
    d.op.from[1] = d.in(2, type);
    d.op.from[2] = adds ? d.in(3, kind.wide) : d.op.from[1];
    return;
  }
  d.unknown();
}

// add.cc, addc, sub.cc, subc, madc: with a flag of each lane. immediate: 1 reads it, 2 writes it.
enum class Carry : uint8_t { kAdd, kSubtract, kMultiplyAddLow, kMultiplyAddHigh };

template <typename T>
void with_carry(Warp &warp, const Op &op, Mask lanes) {
  using Double = typename Twice<T>::type;
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  Mask &flags = warp.frame->carry;
  for_lanes(lanes, [&](int l) {
    T x = value_of<T>(a[l]), y = value_of<T>(b[l]);
    const Carry kind = Carry(op.kind);
    if (kind == Carry::kMultiplyAddLow || kind == Carry::kMultiplyAddHigh) {
      x = kind == Carry::kMultiplyAddLow ? low_product(x, y) : high_product(x, y);
      y = value_of<T>(c[l]);
    }
    const Double in = op.immediate & 1 ? flags >> l & 1 : 0;
    const Double all = kind == Carry::kSubtract ? Double(x) - y - in : Double(x) + y + in;
    if (op.immediate & 2) flags = (flags & ~(Mask{1} << l)) | Mask(all >> (8 * sizeof(T)) & 1) << l;
    to[l] = bits_of(T(all));
  });
}

void decode_carry(Decoder &d, Carry kind, bool reads) {
  const bool writes = d.take("cc");
  if (kind == Carry::kMultiplyAddLow && d.take("hi"))
    kind = Carry::kMultiplyAddHigh;
  else if (kind == Carry::kMultiplyAddLow && !d.take("lo"))
    d.unknown();
  const Type type = d.take_type();
  const bool is_signed_high = kind == Carry::kMultiplyAddHigh && is_signed(type);
  if ((bytes_of(type) != 4 && bytes_of(type) != 8) || is_float(type) || is_signed_high) d.unknown();
  d.op.kind = uint8_t(kind);
  d.op.immediate = (reads ? 1 : 0) | (writes ? 2 : 0);
  d.op.execute = bytes_of(type) == 4 ? &with_carry<uint32_t> : &with_carry<uint64_t>;
  const bool three = kind == Carry::kMultiplyAddLow || kind == Carry::kMultiplyAddHigh;
  d.operands(type, three ? 3 : 2);
}

template <typename F>
void choose2_any(Decoder &d, Type type) {
  choose2<F, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>(d, type);
}
template <typename F>
void choose3_any(Decoder &d, Type type) {
  choose3<F, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>(d, type);
}

// Two halves of 16 bits, each on its own.
template <typename T, typename F>
struct Halves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const T low = F()(T(a), T(b)), high = F()(T(a >> 16), T(b >> 16));
    return uint32_t(uint16_t(low)) | uint32_t(uint16_t(high)) << 16;
  }
};

template <typename F>
void choose2_halves(Decoder &d, Type type) {
  d.op.execute = type == Type::kS16x2 ? &do2<uint32_t, Halves<int16_t, F>> : &do2<uint32_t, Halves<uint16_t, F>>;
  d.operands(type, 2);
}

bool is_halves(Type type) { return type == Type::kS16x2 || type == Type::kU16x2; }

template <typename F>
void choose_saturated(Decoder &d, Type type) {
  choose2<F, int32_t>(d, type);
}

// dp4a: c plus the products of four pairs of bytes; dp2a: of two halves with two bytes.
template <bool a_signed, bool b_signed, int kind>  // 4; 2 for the low bytes, 3 for the high ones
struct DotProduct {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t total = c;
    for (int k = 0; k < (kind == 4 ? 4 : 2); ++k) {
      const int byte = kind == 3 ? k + 2 : k;
      const int32_t y = b_signed ? int8_t(b >> (8 * byte)) : uint8_t(b >> (8 * byte));
      const int32_t x = kind == 4 ? (a_signed ? int8_t(a >> (8 * k)) : uint8_t(a >> (8 * k)))
                                  : (a_signed ? int16_t(a >> (16 * k)) : uint16_t(a >> (16 * k)));
      total += uint32_t(x * y);
    }
    return total;
  }
};

template <int kind>
void decode_dot(Decoder &d) {
  const Type a = d.take_type(), b = d.take_type();
  if (bytes_of(a) != 4 || bytes_of(b) != 4 || is_float(a) || is_float(b)) d.unknown();
  d.op.execute = is_signed(a) ? (is_signed(b) ? &do3<uint32_t, DotProduct<true, true, kind>>
                                              : &do3<uint32_t, DotProduct<true, false, kind>>)
                              : (is_signed(b) ? &do3<uint32_t, DotProduct<false, true, kind>>
                                              : &do3<uint32_t, DotProduct<false, false, kind>>);
  d.operands(Type::kB32, 3);
}

Type type_left(const Decoder &d) {
  for (const std::string &modifier : d.statement.modifiers) {
    const Type type = type_named(modifier);
    if (type != Type::kNone) return type;
  }
  d.unknown("it has no type");
}

bool taken_by_floats(Decoder &d) {
  if (!is_float(type_left(d))) return false;
  decode_float_arithmetic(d);
  return true;
}

void decode_add(Decoder &d) {
  if (taken_by_floats(d)) return;
  if (d.next() == "cc") return decode_carry(d, Carry::kAdd, false);
  const bool saturates = d.take("sat");
  const Type type = d.take_type();
  if (is_halves(type)) return choose2_halves<IntAdd>(d, type);
  saturates ? choose_saturated<IntAddSaturated>(d, type) : choose2_any<IntAdd>(d, type);
}

void decode_subtract(Decoder &d) {
  if (taken_by_floats(d)) return;
  if (d.next() == "cc") return decode_carry(d, Carry::kSubtract, false);
  const bool saturates = d.take("sat");
  const Type type = d.take_type();
  saturates ? choose_saturated<IntSubtractSaturated>(d, type) : choose2_any<IntSubtract>(d, type);
}

void decode_multiply(Decoder &d) {
  if (taken_by_floats(d)) return;
  if (d.take("wide")) return decode_wide<false>(d, d.take_type());
  if (d.take("hi")) return choose2_any<IntMultiplyHigh>(d, d.take_type());
  if (!d.take("lo")) d.unknown();
  choose2_any<IntMultiplyLow>(d, d.take_type());
}

void decode_multiply_add(Decoder &d) {
  if (taken_by_floats(d)) return;
  if (d.take("wide")) return decode_wide<true>(d, d.take_type());
  const auto &modifiers = d.statement.modifiers;
  if (modifiers.size() > 1 && modifiers[1] == "cc") return decode_carry(d, Carry::kMultiplyAddLow, false);
  if (d.take("hi")) {
    if (!d.take("sat")) return choose3_any<IntMultiplyAddHigh>(d, d.take_type());
    return choose3<IntMultiplyAddHighSaturated, int32_t>(d, d.take_type());
  }
  if (!d.take("lo")) d.unknown();
  choose3_any<IntMultiplyAddLow>(d, d.take_type());
}

void decode_multiply_24(Decoder &d) {
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.unknown();
  const Type type = d.take_type();
  high ? choose2<IntMultiply24High, int32_t, uint32_t>(d, type) : choose2<IntMultiply24Low, int32_t, uint32_t>(d, type);
}

void decode_multiply_add_24(Decoder &d) {
  if (!d.take("lo")) d.unknown();
  choose3<IntMultiplyAdd24Low, int32_t, uint32_t>(d, d.take_type());
}

// With .relu nothing is less than 0.
template <typename F, typename Positive>
void decode_least(Decoder &d) {
  if (taken_by_floats(d)) return;
  const bool positive = d.take("relu");
  const Type type = d.take_type();
  if (positive && type == Type::kS16x2) return choose2_halves<Positive>(d, type);
  if (positive) return choose2<Positive, int32_t>(d, type);
  is_halves(type) ? choose2_halves<F>(d, type) : choose2_any<F>(d, type);
}

template <typename F>
void decode_signed1(Decoder &d) {
  if (taken_by_floats(d)) return;
  choose1<F, int16_t, int32_t, int64_t>(d, d.take_type());
}

template <typename F>
void decode_quotient(Decoder &d) {
  if (taken_by_floats(d)) return;
  choose2_any<F>(d, d.take_type());
}

}  // namespace

void add_integer(Families &families) {
  families["add"] = decode_add;
  families["sub"] = decode_subtract;
  families["mul"] = decode_multiply;
  families["mad"] = decode_multiply_add;
  families["addc"] = [](Decoder &d) { decode_carry(d, Carry::kAdd, true); };
  families["subc"] = [](Decoder &d) { decode_carry(d, Carry::kSubtract, true); };
  families["madc"] = [](Decoder &d) { decode_carry(d, Carry::kMultiplyAddLow, true); };
  families["mul24"] = decode_multiply_24;
  families["mad24"] = decode_multiply_add_24;
  families["min"] = decode_least<IntMinimum, IntMinimumPositive>;
  families["max"] = decode_least<IntMaximum, IntMaximumPositive>;
  families["neg"] = decode_signed1<IntNegate>;
  families["abs"] = decode_signed1<IntAbsolute>;
  families["div"] = decode_quotient<IntDivide>;
  families["rem"] = [](Decoder &d) { choose2_any<IntRemainder>(d, d.take_type()); };
  families["sad"] = [](Decoder &d) { choose3_any<IntSumOfDifferences>(d, d.take_type()); };
  families["dp4a"] = decode_dot<4>;
  families["dp2a"] = [](Decoder &d) {
    if (d.take("lo")) return decode_dot<2>(d);
    if (!d.take("hi")) d.unknown();
    decode_dot<3>(d);
  };
}

#undef UNARY
#undef BINARY
#undef TERNARY

}  // namespace fake_cuda::ptx
