// tests/fake_cuda/ptx/alu/compare.cpp -- comparisons, and choices by predicates.
#include "tests/fake_cuda/ptx/alu/small_float.h"

namespace fake_cuda::ptx {
namespace {

enum class Relation : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kNum, kNan };

// What a half is compared as.
template <typename Format>
struct Widened {
  uint16_t bits;
};

template <typename T>
auto compared(uint64_t bits) {
  return value_of<T>(bits);
}
template <>
auto compared<Widened<HalfFormat>>(uint64_t bits) {
  return HalfFormat::to_double(uint16_t(bits));
}
template <>
auto compared<Widened<BfloatFormat>>(uint64_t bits) {
  return BfloatFormat::to_double(uint16_t(bits));
}

template <Relation relation, typename T>
bool holds(T a, T b) {
  switch (relation) {
    case Relation::kEq:
      return a == b;
    case Relation::kNe:
      return a != b && a == a && b == b;
    case Relation::kLt:
      return a < b;
    case Relation::kLe:
      return a <= b;
    case Relation::kGt:
      return a > b;
    case Relation::kGe:
      return a >= b;
    case Relation::kNum:
      return a == a && b == b;
    default:
      return a != a || b != b;
  }
}

// The lanes for which the relation holds; `unordered`: also where one is a NaN.
template <typename T, Relation relation, bool unordered>
Mask compare_lanes(const uint64_t *a, const uint64_t *b, Mask lanes) {
  Mask out = 0;
  for_lanes(lanes, [&](int l) {
    const auto x = compared<T>(a[l]), y = compared<T>(b[l]);
    out |= Mask(holds<relation>(x, y) || (unordered && holds<Relation::kNan>(x, y))) << l;
  });
  return out;
}

using Compare = Mask (*)(const uint64_t *, const uint64_t *, Mask);

// kind: how the result is combined with a predicate. 0 not at all, 1 and, 2 or, 3 xor. predicate: p, q, the other one.
Mask combined(Warp &warp, const Op &op, Mask result) {
  if (op.kind == 0) return result;
  const Mask other = op.from_negated ? ~warp.predicate(op.predicate[2]) : warp.predicate(op.predicate[2]);
  return op.kind == 1 ? result & other : op.kind == 2 ? result | other : result ^ other;
}

template <Compare compare>
void set_predicate(Warp &warp, const Op &op, Mask lanes) {
  const Mask result = compare(warp.row(op.from[0]), warp.row(op.from[1]), lanes);
  const Mask p = combined(warp, op, result), q = combined(warp, op, ~result);
  if (op.to_predicate) {
    Mask &second = warp.predicate(op.predicate[1]);
    second = (second & ~lanes) | (q & lanes);
  }
  Mask &to = warp.predicate(op.predicate[0]);
  to = (to & ~lanes) | (p & lanes);
}

// set: all ones or 1.0 into a register of 32 bits.
template <Compare compare>
void set_value(Warp &warp, const Op &op, Mask lanes) {
  const Mask p = combined(warp, op, compare(warp.row(op.from[0]), warp.row(op.from[1]), lanes));
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = p >> l & 1 ? uint64_t(op.immediate) : 0; });
}

struct Setters {
  Execute predicate = nullptr, value = nullptr;
};

template <typename T, Relation relation, bool unordered>
Setters setters() {
  return {&set_predicate<&compare_lanes<T, relation, unordered>>, &set_value<&compare_lanes<T, relation, unordered>>};
}

// The relations by name. "ne" of floating-point numbers is false where one is a NaN, "neu" true.
template <typename T>
Setters relation_named(const std::string &name, bool floating) {
  if (name == "eq") return setters<T, Relation::kEq, false>();
  if (name == "ne") return setters<T, Relation::kNe, false>();
  if (name == "lt" || (name == "lo" && !floating)) return setters<T, Relation::kLt, false>();
  if (name == "le" || (name == "ls" && !floating)) return setters<T, Relation::kLe, false>();
  if (name == "gt" || (name == "hi" && !floating)) return setters<T, Relation::kGt, false>();
  if (name == "ge" || (name == "hs" && !floating)) return setters<T, Relation::kGe, false>();
  if (!floating) return {};
  if (name == "equ") return setters<T, Relation::kEq, true>();
  if (name == "neu") return setters<T, Relation::kNe, true>();
  if (name == "ltu") return setters<T, Relation::kLt, true>();
  if (name == "leu") return setters<T, Relation::kLe, true>();
  if (name == "gtu") return setters<T, Relation::kGt, true>();
  if (name == "geu") return setters<T, Relation::kGe, true>();
  if (name == "num") return setters<T, Relation::kNum, false>();
  if (name == "nan") return setters<T, Relation::kNan, false>();
  return {};
}

Setters setters_of(const std::string &relation, Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return relation_named<uint16_t>(relation, false);
    case Type::kB32:
    case Type::kU32:
      return relation_named<uint32_t>(relation, false);
    case Type::kB64:
    case Type::kU64:
      return relation_named<uint64_t>(relation, false);
    case Type::kS16:
      return relation_named<int16_t>(relation, false);
    case Type::kS32:
      return relation_named<int32_t>(relation, false);
    case Type::kS64:
      return relation_named<int64_t>(relation, false);
    case Type::kF32:
      return relation_named<float>(relation, true);
    case Type::kF64:
      return relation_named<double>(relation, true);
    case Type::kF16:
      return relation_named<Widened<HalfFormat>>(relation, true);
    case Type::kBF16:
      return relation_named<Widened<BfloatFormat>>(relation, true);
    default:
      return {};
  }
}

uint8_t take_combination(Decoder &d) { return d.take("and") ? 1 : d.take("or") ? 2 : d.take("xor") ? 3 : 0; }

void read_compared(Decoder &d, Type type) {
  if (d.operands() != (d.op.kind ? 4u : 3u)) d.unknown();
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, type);
  if (d.op.kind) d.op.predicate[2] = d.predicate_in(d.operand(3), d.op.from_negated);
}

bool is_unsigned_order(const std::string &relation, Type type) {
  const bool named = relation == "lo" || relation == "ls" || relation == "hi" || relation == "hs";
  const bool bits = type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
  return (named && is_signed(type)) || (bits && relation != "eq" && relation != "ne");
}

void decode_set_predicate(Decoder &d) {
  const std::string relation = d.next();
  d.drop();
  d.op.kind = take_combination(d);
  const Type type = d.take_type();
  d.op.execute = setters_of(relation, type).predicate;
  if (!d.op.execute || is_unsigned_order(relation, type)) d.unknown();
  const Operand &to = d.operand(0);
  d.op.to_predicate = !to.parts.empty();
  if (d.op.to_predicate) d.op.predicate[1] = d.predicate(to.parts[0]);
  d.op.predicate[0] = d.predicate(to);
  read_compared(d, type);
}

void decode_set_value(Decoder &d) {
  const std::string relation = d.next();
  d.drop();
  d.op.kind = take_combination(d);
  const Type to = d.take_type(), type = d.take_type();
  d.op.execute = setters_of(relation, type).value;
  if (!d.op.execute || is_unsigned_order(relation, type) || bytes_of(to) != 4) d.unknown();
  d.op.immediate = to == Type::kF32 ? 0x3f800000 : 0xffffffff;
  d.op.to[0] = d.out(0, to);
  read_compared(d, type);
}

void select(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]);
  const Mask p = op.from_negated ? ~warp.predicate(op.predicate[0]) : warp.predicate(op.predicate[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = p >> l & 1 ? a[l] : b[l]; });
}

void decode_select(Decoder &d) {
  const Type type = d.take_type();
  if (d.operands() != 4 || bytes_of(type) < 2 || bytes_of(type) > 8) d.unknown();
  d.op.execute = select;
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, type);
  d.op.predicate[0] = d.predicate_in(d.operand(3), d.op.from_negated);
}

// slct: by the sign of the third, where a NaN counts as negative.
template <typename T>
void select_by_sign(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = value_of<T>(c[l]) >= 0 ? a[l] : b[l]; });
}

void decode_select_by_sign(Decoder &d) {
  const Type type = d.take_type(), sign = d.take_type();
  if ((sign != Type::kS32 && sign != Type::kF32) || d.operands() != 4) d.unknown();
  d.op.execute = sign == Type::kS32 ? &select_by_sign<int32_t> : &select_by_sign<float>;
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.in(1, type);
  d.op.from[1] = d.in(2, type);
  d.op.from[2] = d.in(3, sign);
}

}  // namespace

void add_compare(Families &families) {
  families["setp"] = decode_set_predicate;
  families["set"] = decode_set_value;
  families["selp"] = decode_select;
  families["slct"] = decode_select_by_sign;
}

}  // namespace fake_cuda::ptx
