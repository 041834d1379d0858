// tests/fake_cuda/ptx/alu/bits.cpp -- logic, shifts, fields of bits, permutations of bytes.
#include <algorithm>

#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {
namespace {

#define BIT_BINARY(name, expression) \
  struct name {                      \
    template <typename T>            \
    T operator()(T a, T b) const {   \
      return T(expression);          \
    }                                \
  };
BIT_BINARY(BitAnd, a &b)
BIT_BINARY(BitOr, a | b)
BIT_BINARY(BitXor, a ^ b)
#undef BIT_BINARY

struct BitNot {
  template <typename T>
  T operator()(T a) const {
    return T(~a);
  }
};
struct BitIsZero {
  template <typename T>
  T operator()(T a) const {
    return a == 0;
  }
};

// Predicates are masks of lanes: all lanes are computed at once. kind: 0 and, 1 or, 2 xor, 3 not, 4 move.
void predicates(Warp &warp, const Op &op, Mask lanes) {
  const Mask a = warp.predicate(op.predicate[1]), b = warp.predicate(op.predicate[2]);
  const Mask all[] = {a & b, a | b, a ^ b, ~a, op.from_negated ? ~a : a};
  Mask &to = warp.predicate(op.predicate[0]);
  to = (to & ~lanes) | (all[op.kind] & lanes);
}

void decode_predicates(Decoder &d, uint8_t kind, int sources) {
  if (d.operands() != size_t(sources) + 1) d.unknown();
  d.op.execute = predicates;
  d.op.kind = kind;
  d.op.predicate[0] = d.predicate(d.operand(0));
  for (int k = 0; k < sources; ++k) {
    bool negated = false;
    d.op.predicate[k + 1] = d.predicate_in(d.operand(size_t(k) + 1), negated);
    if (negated) d.unknown();
  }
}

template <typename F, int kind>
void decode_logic(Decoder &d) {
  const Type type = d.take_type();
  if (type == Type::kPred) return decode_predicates(d, kind, 2);
  choose2<F, uint16_t, uint32_t, uint64_t>(d, type);
}

void decode_not(Decoder &d) {
  const Type type = d.take_type();
  if (type == Type::kPred) return decode_predicates(d, 3, 1);
  choose1<BitNot, uint16_t, uint32_t, uint64_t>(d, type);
}

// ------------------------------------------------------------------------------------------------ shifts

// Counts beyond the width give what shifting so often one by one would.
template <typename T, bool left>
void shift(Warp &warp, const Op &op, Mask lanes) {
  constexpr unsigned width = 8 * sizeof(T);
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) {
    const T x = value_of<T>(a[l]);
    const uint32_t count = uint32_t(b[l]);
    const T none = left || x >= 0 ? T(0) : T(-1);
    to[l] = bits_of(count >= width ? none : left ? T(x << count) : T(x >> count));
  });
}

template <bool left, typename... Ts>
void decode_shift(Decoder &d) {
  const Type type = d.take_type();
  ((computes<Ts>(type) ? void(d.op.execute = &shift<Ts, left>) : void()), ...);
  if (!d.op.execute || d.operands() != 3) d.unknown();
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, Type::kU32);
}

// The upper (left) or lower 32 bits of b:a shifted.
template <bool left, bool wraps>
struct FunnelShift {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t count = wraps ? c & 31 : std::min(c, 32u);
    const uint64_t both = uint64_t(b) << 32 | a;
    return left ? uint32_t((both << count) >> 32) : uint32_t(both >> count);
  }
};

void decode_funnel(Decoder &d) {
  const bool left = d.take("l");
  if (!left && !d.take("r")) d.unknown();
  const bool wraps = d.take("wrap");
  if (!wraps && !d.take("clamp")) d.unknown();
  if (d.take_type() != Type::kB32) d.unknown();
  d.op.execute = left ? (wraps ? &do3<uint32_t, FunnelShift<true, true>> : &do3<uint32_t, FunnelShift<true, false>>)
                      : (wraps ? &do3<uint32_t, FunnelShift<false, true>> : &do3<uint32_t, FunnelShift<false, false>>);
  d.operands(Type::kB32, 3);
}

// The bits of the immediate are the values for (a, b, c) = 000 to 111, c being the lowest.
void look_up(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) {
    uint32_t all = 0;
    for (int k = 0; k < 8; ++k) {
      if (!(op.immediate >> k & 1)) continue;
      all |= uint32_t(k & 4 ? a[l] : ~a[l]) & uint32_t(k & 2 ? b[l] : ~b[l]) & uint32_t(k & 1 ? c[l] : ~c[l]);
    }
    to[l] = all;
  });
}

void decode_look_up(Decoder &d) {
  if (d.take_type() != Type::kB32 || d.operands() != 5 || d.operand(4).kind != Operand::Kind::kInteger) d.unknown();
  d.op.execute = look_up;
  d.op.immediate = int64_t(d.operand(4).bits & 255);
  d.op.to[0] = d.out(0, Type::kB32);
  for (size_t k = 0; k < 3; ++k) d.op.from[k] = d.in(k + 1, Type::kB32);
}

// ------------------------------------------------------------------------------------------------ counting

// A result of 32 bits from a value of T.
template <typename T, typename F>
void counted(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = uint32_t(F()(value_of<T>(a[l]))); });
}

struct CountOnes {
  template <typename T>
  int operator()(T a) const {
    return std::popcount(a);
  }
};
struct CountLeadingZeros {
  template <typename T>
  int operator()(T a) const {
    return std::countl_zero(a);
  }
};
// Of the highest bit that is not the sign; with `distance` how far from the top it is.
template <bool distance>
struct FindHighest {
  template <typename T>
  int operator()(T a) const {
    using Bits = std::make_unsigned_t<T>;
    const Bits bits = a < 0 ? Bits(~a) : Bits(a);
    if (bits == 0) return -1;
    const int zeros = std::countl_zero(bits);
    return distance ? zeros : int(8 * sizeof(T)) - 1 - zeros;
  }
};

template <typename F, typename... Ts>
void choose_counted(Decoder &d, Type type) {
  ((computes<Ts>(type) ? void(d.op.execute = &counted<Ts, F>) : void()), ...);
  if (!d.op.execute || d.operands() != 2) d.unknown();
  d.op.to[0] = d.out(0, Type::kU32);
  d.op.from[0] = d.in(1, type);
}

void decode_find_highest(Decoder &d) {
  const bool distance = d.take("shiftamt");
  const Type type = d.take_type();
  distance ? choose_counted<FindHighest<true>, uint32_t, int32_t, uint64_t, int64_t>(d, type)
           : choose_counted<FindHighest<false>, uint32_t, int32_t, uint64_t, int64_t>(d, type);
}

struct ReverseBits {
  template <typename T>
  T operator()(T a) const {
    T out = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) out |= T(a >> k & 1) << (8 * sizeof(T) - 1 - k);
    return out;
  }
};

// ------------------------------------------------------------------------------------------------ fields

// The field of `c` bits from bit `b` on, filled with its sign (or what lies at the top, if it ends beyond that).
template <typename T>
T field(T a, uint32_t b, uint32_t c) {
  using Bits = std::make_unsigned_t<T>;
  constexpr uint32_t width = 8 * sizeof(T);
  const uint32_t begin = b & 255, count = c & 255;
  const uint32_t top = std::min(begin + count - 1, width - 1);
  const bool sign = std::is_signed_v<T> && count != 0 && (Bits(a) >> top & 1);
  Bits out = sign ? Bits(~Bits(0)) : Bits(0);
  for (uint32_t k = 0; k < std::min(count, width); ++k) {
    const bool bit = begin + k < width ? Bits(a) >> (begin + k) & 1 : sign;
    out = Bits((out & ~(Bits(1) << k)) | Bits(bit) << k);
  }
  return T(out);
}

template <typename T>
void extract(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = bits_of(field(value_of<T>(a[l]), uint32_t(b[l]), uint32_t(c[l]))); });
}

void decode_extract(Decoder &d) {
  const Type type = d.take_type();
  d.op.execute = type == Type::kU32   ? &extract<uint32_t>
                 : type == Type::kS32 ? &extract<int32_t>
                 : type == Type::kU64 ? &extract<uint64_t>
                 : type == Type::kS64 ? &extract<int64_t>
                                      : nullptr;
  if (!d.op.execute || d.operands() != 4) d.unknown();
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, Type::kU32);
  d.op.from[2] = d.in(3, Type::kU32);
}

// b with d bits of a put in from bit c on.
template <typename T>
void insert(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]),
                        *const d = warp.row(op.from[3]);
  uint64_t *const to = warp.row(op.to[0]);
  constexpr uint32_t width = 8 * sizeof(T);
  for_lanes(lanes, [&](int l) {
    const uint32_t begin = uint32_t(c[l]) & 255, count = uint32_t(d[l]) & 255;
    T out = value_of<T>(b[l]);
    for (uint32_t k = 0; k < count && begin + k < width; ++k)
      out = T((out & ~(T(1) << (begin + k))) | T(a[l] >> k & 1) << (begin + k));
    to[l] = bits_of(out);
  });
}

void decode_insert(Decoder &d) {
  const Type type = d.take_type();
  if ((type != Type::kB32 && type != Type::kB64) || d.operands() != 5) d.unknown();
  d.op.execute = type == Type::kB32 ? &insert<uint32_t> : &insert<uint64_t>;
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, type);
  d.op.from[2] = d.in(3, Type::kU32);
  d.op.from[3] = d.in(4, Type::kU32);
}

template <bool wraps>
struct FieldMask {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t begin = wraps ? a & 31 : a, count = wraps ? b & 31 : b;
    const uint64_t ones = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    return begin >= 32 ? 0 : uint32_t(ones << begin);
  }
};

void decode_field_mask(Decoder &d) {
  const bool wraps = d.take("wrap");
  if ((!wraps && !d.take("clamp")) || d.take_type() != Type::kB32) d.unknown();
  d.op.execute = wraps ? &do2<uint32_t, FieldMask<true>> : &do2<uint32_t, FieldMask<false>>;
  d.operands(Type::kB32, 2);
}

// The value of the low b bits.
template <typename T, bool wraps>
struct ExtendField {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t count = wraps ? b & 31 : std::min(b, 32u);
    return count == 0 ? 0 : uint32_t(T(a << (32 - count)) >> (32 - count));
  }
};

void decode_extend(Decoder &d) {
  const bool wraps = d.take("wrap");
  if (!wraps && !d.take("clamp")) d.unknown();
  const Type type = d.take_type();
  if (type != Type::kS32 && type != Type::kU32) d.unknown();
  const bool has_sign = type == Type::kS32;
  d.op.execute =
      has_sign ? (wraps ? &do2<uint32_t, ExtendField<int32_t, true>> : &do2<uint32_t, ExtendField<int32_t, false>>)
               : (wraps ? &do2<uint32_t, ExtendField<uint32_t, true>> : &do2<uint32_t, ExtendField<uint32_t, false>>);
  d.operands(Type::kB32, 2);
}

// The place of the c-th bit that is set, counted from bit b on; backwards for a negative c.
struct FindNth {
  uint32_t operator()(uint32_t mask, uint32_t base, uint32_t count) const {
    const int32_t offset = int32_t(count);
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int32_t left = offset < 0 ? -offset : offset;
    for (int32_t at = int32_t(base); at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
      if ((mask >> at & 1) && --left == 0) return uint32_t(at);
    return ~0u;
  }
};

// ------------------------------------------------------------------------------------------------ bytes

uint32_t byte_of(uint64_t bytes, unsigned selector) {
  const uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 255;
  return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}

struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t out = 0;
    for (unsigned k = 0; k < 4; ++k) out |= byte_of(bytes, c >> (4 * k) & 15) << (8 * k);
    return out;
  }
};

// The modes by a name take two bits of c. 0: f4e, 1: b4e, 2: rc8, 3: ecl, 4: ecr, 5: rc16.
template <int mode>
struct PermuteMode {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint64_t bytes = uint64_t(b) << 32 | a;
    const unsigned s = c & 3;
    uint32_t out = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned selectors[] = {s + k, (s + 8 - k) & 7, s, std::max(k, s), std::min(k, s), 2 * (s & 1) + (k & 1)};
      out |= byte_of(bytes, selectors[mode]) << (8 * k);
    }
    return out;
  }
};

void decode_permute(Decoder &d) {
  struct Mode {
    const char *name;
    Execute execute;
  };
  static const Mode modes[] = {{"f4e", &do3<uint32_t, PermuteMode<0>>}, {"b4e", &do3<uint32_t, PermuteMode<1>>},
                               {"rc8", &do3<uint32_t, PermuteMode<2>>}, {"ecl", &do3<uint32_t, PermuteMode<3>>},
                               {"ecr", &do3<uint32_t, PermuteMode<4>>}, {"rc16", &do3<uint32_t, PermuteMode<5>>}};
  if (d.take_type() != Type::kB32) d.unknown();
  d.op.execute = &do3<uint32_t, Permute>;
  for (const Mode &mode : modes)
    if (d.take(mode.name)) d.op.execute = mode.execute;
  d.operands(Type::kB32, 3);
}

// vabsdiff2 and vabsdiff4: differences of the parts of words, each on its own, or their sum.
template <typename T, bool adds>
struct PartDifferences {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    constexpr int bits = 8 * sizeof(T);
    uint32_t parts = 0, total = c;
    for (int at = 0; at < 32; at += bits) {
      const int x = T(a >> at), y = T(b >> at);
      const uint32_t difference = uint32_t(x < y ? y - x : x - y);
      total += difference;
      parts |= (difference & ((1u << bits) - 1)) << at;
    }
    return adds ? total : parts;
  }
};

template <typename Unsigned, typename Signed>
void decode_part_differences(Decoder &d) {
  const bool adds = d.take("add");
  const Type to = d.take_type(), a = d.take_type(), b = d.take_type();
  if (to != Type::kU32 || a != b || (a != Type::kU32 && a != Type::kS32)) d.unknown();
  d.op.execute =
      a == Type::kU32
          ? (adds ? &do3<uint32_t, PartDifferences<Unsigned, true>> : &do3<uint32_t, PartDifferences<Unsigned, false>>)
          : (adds ? &do3<uint32_t, PartDifferences<Signed, true>> : &do3<uint32_t, PartDifferences<Signed, false>>);
  d.operands(Type::kB32, 3);
}

// ------------------------------------------------------------------------------------------------ moves

void move(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = a[l]; });
}

// width: bits of an element
void pack(Warp &warp, const Op &op, Mask lanes) {
  uint64_t *const to = warp.row(op.to[0]);
  const uint64_t *from[8];
  for (uint32_t k = 0; k < op.count; ++k) from[k] = warp.row(op.from[k]);
  for_lanes(lanes, [&](int l) {
    uint64_t all = 0;
    for (uint32_t k = 0; k < op.count; ++k) all |= from[k][l] << (k * op.width);
    to[l] = all;
  });
}

void unpack(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const from = warp.row(op.from[0]);
  const uint64_t mask = (uint64_t{1} << op.width) - 1;
  for_lanes(lanes, [&](int l) {
    const uint64_t all = from[l];
    for (uint32_t k = 0; k < op.count; ++k) warp.row(op.to[k])[l] = all >> (k * op.width) & mask;
  });
}

void local_address(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t address = warp.frame->local_begin + uint64_t(op.immediate);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = address; });
}

void read_clock(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t now = warp.block->clock + warp.block->counts.operations;
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = op.width == 4 ? uint32_t(now) : now; });
}

void read_active(Warp &warp, const Op &op, Mask lanes) {
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = lanes; });
}

Type unsigned_of_bytes(Decoder &d, unsigned bytes) {
  switch (bytes) {
    case 1:
      return Type::kB8;
    case 2:
      return Type::kB16;
    case 4:
      return Type::kB32;
    case 8:
      return Type::kB64;
    default:
      d.unknown();
  }
}

void decode_vector_move(Decoder &d, Type type, const Operand &vector, bool packs) {
  d.op.count = uint32_t(vector.parts.size());
  if (d.op.count != 2 && d.op.count != 4) d.unknown();
  const unsigned bytes = bytes_of(type) / d.op.count;
  const Type part = unsigned_of_bytes(d, bytes);
  d.op.width = uint8_t(8 * bytes);
  d.op.execute = packs ? pack : unpack;
  for (uint32_t k = 0; k < d.op.count; ++k)
    (packs ? d.op.from : d.op.to)[k] = packs ? d.in(vector.parts[k], part) : d.out(vector.parts[k], part);
  (packs ? d.op.to : d.op.from)[0] = packs ? d.out(0, type) : d.in(1, type);
}

void decode_move(Decoder &d) {
  const Type type = d.take_type();
  if (type == Type::kPred) {
    decode_predicates(d, 4, 1);
    return;
  }
  if (d.operands() != 2) d.unknown();
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (to.kind == Operand::Kind::kVector) return decode_vector_move(d, type, to, false);
  if (from.kind == Operand::Kind::kVector) return decode_vector_move(d, type, from, true);
  if (bytes_of(type) < 2 || bytes_of(type) > 8) d.unknown();
  d.op.to[0] = d.out(0, type);
  d.op.width = uint8_t(bytes_of(type));
  if (from.kind == Operand::Kind::kSpecial && from.name.find("clock") != from.name.npos) {
    d.op.execute = read_clock;
  } else if (from.kind == Operand::Kind::kSpecial && from.name.find("globaltimer") != from.name.npos) {
    d.op.execute = read_clock;
  } else if (from.kind == Operand::Kind::kVariable && from.variable->space == Space::kLocal) {
    d.op.execute = local_address;
    d.op.immediate = int64_t(d.function.places.at(from.variable)) + from.offset;
  } else {
    d.op.execute = move;
    d.op.from[0] = d.in(1, type);
  }
}

void decode_active(Decoder &d) {
  if (d.take_type() != Type::kB32 || d.operands() != 1) d.unknown();
  d.op.execute = read_active;
  d.op.to[0] = d.out(0, Type::kB32);
}

}  // namespace

void add_bits(Families &families) {
  families["and"] = decode_logic<BitAnd, 0>;
  families["or"] = decode_logic<BitOr, 1>;
  families["xor"] = decode_logic<BitXor, 2>;
  families["not"] = decode_not;
  families["cnot"] = [](Decoder &d) { choose1<BitIsZero, uint16_t, uint32_t, uint64_t>(d, d.take_type()); };
  families["shl"] = decode_shift<true, uint16_t, uint32_t, uint64_t>;
  families["shr"] = decode_shift<false, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>;
  families["shf"] = decode_funnel;
  families["lop3"] = decode_look_up;
  families["popc"] = [](Decoder &d) { choose_counted<CountOnes, uint32_t, uint64_t>(d, d.take_type()); };
  families["clz"] = [](Decoder &d) { choose_counted<CountLeadingZeros, uint32_t, uint64_t>(d, d.take_type()); };
  families["bfind"] = decode_find_highest;
  families["brev"] = [](Decoder &d) { choose1<ReverseBits, uint32_t, uint64_t>(d, d.take_type()); };
  families["bfe"] = decode_extract;
  families["bfi"] = decode_insert;
  families["bmsk"] = decode_field_mask;
  families["szext"] = decode_extend;
  families["fns"] = [](Decoder &d) {
    if (d.take_type() != Type::kB32) d.unknown();
    d.op.execute = &do3<uint32_t, FindNth>;
    d.operands(Type::kB32, 3);
  };
  families["prmt"] = decode_permute;
  families["vabsdiff2"] = decode_part_differences<uint16_t, int16_t>;
  families["vabsdiff4"] = decode_part_differences<uint8_t, int8_t>;
  families["mov"] = decode_move;
  families["activemask"] = decode_active;
}

}  // namespace fake_cuda::ptx
