// tests/fake_cuda/ptx/alu/half.cpp -- arithmetic of half and bfloat16, one number or two in a register.
//
// Sums, differences and products of two such numbers are computed in double and rounded once to the format: the product
// is exact, and a sum is made odd where it is not (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums:
// proved algorithms using rounding to odd", 2008), so that the second rounding sees on which side of a tie it was.
#include "tests/fake_cuda/ptx/alu/small_float.h"

namespace fake_cuda::ptx {
namespace {

// a + b, rounded to odd.
double odd_sum(double a, double b) {
  const double s = a + b;
  if (!std::isfinite(s)) return s;
  const double t = s - a, error = (a - (s - t)) + (b - t);
  uint64_t bits = bits_of(s);
  if (error == 0 || bits & 1) return s;
  // Towards the error: away from zero where it has the sign of the sum.
  bits += (error > 0) == (s > 0) ? 1 : -1;
  return value_of<double>(bits);
}

double clamped_half(double value) { return std::isnan(value) || value <= 0 ? 0 : value >= 1 ? 1 : value; }

// What may be asked for besides.
enum HalfExtra : uint8_t { kPlainHalf = 0, kClampedHalf = 1, kPositiveHalf = 2 };

template <typename Format>
uint16_t finished(double value, uint8_t extra) {
  if (extra == kClampedHalf) value = clamped_half(value);
  if (extra == kPositiveHalf && !(value > 0) && !std::isnan(value)) value = 0;
  return Format::from_double(value);
}

enum class HalfKind : uint8_t { kAdd, kSubtract, kMultiply, kFused, kMinimum, kMaximum, kMinimumNan, kMaximumNan };

template <typename Format>
uint16_t extreme(uint16_t a, uint16_t b, bool greater, bool with_nan) {
  const double x = Format::to_double(a), y = Format::to_double(b);
  if (std::isnan(x) || std::isnan(y)) {
    if (with_nan || (std::isnan(x) && std::isnan(y))) return Format::kNan;
    return std::isnan(x) ? b : a;
  }
  if (x == y) return std::signbit(x) == greater ? b : a;
  return (x < y) == greater ? b : a;
}

template <typename Format>
uint16_t half_result(const Op &op, uint16_t a, uint16_t b, uint16_t c) {
  const double x = Format::to_double(a), y = Format::to_double(b), z = Format::to_double(c);
  const auto extra = uint8_t(op.immediate);
  switch (HalfKind(op.kind)) {
    case HalfKind::kAdd:
      return finished<Format>(odd_sum(x, y), extra);
    case HalfKind::kSubtract:
      return finished<Format>(odd_sum(x, -y), extra);
    case HalfKind::kMultiply:
      return finished<Format>(x * y, extra);
    case HalfKind::kFused:
      return finished<Format>(odd_sum(x * y, z), extra);
    case HalfKind::kMinimum:
      return extreme<Format>(a, b, false, false);
    case HalfKind::kMaximum:
      return extreme<Format>(a, b, true, false);
    case HalfKind::kMinimumNan:
      return extreme<Format>(a, b, false, true);
    case HalfKind::kMaximumNan:
      return extreme<Format>(a, b, true, true);
  }
  return 0;
}

template <typename Format, int count>
void half_operation(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) {
    uint64_t all = 0;
    for (int k = 0; k < count; ++k) {
      const int by = 16 * k;
      all |= uint64_t(half_result<Format>(op, uint16_t(a[l] >> by), uint16_t(b[l] >> by), uint16_t(c[l] >> by))) << by;
    }
    to[l] = all;
  });
}

void choose_half(Decoder &d, HalfKind kind, Type type, int sources) {
  d.op.kind = uint8_t(kind);
  d.op.execute = type == Type::kF16      ? &half_operation<HalfFormat, 1>
                 : type == Type::kF16x2  ? &half_operation<HalfFormat, 2>
                 : type == Type::kBF16   ? &half_operation<BfloatFormat, 1>
                 : type == Type::kBF16x2 ? &half_operation<BfloatFormat, 2>
                                         : nullptr;
  if (!d.op.execute) d.unknown();
  d.operands(type, sources);
  for (int k = sources; k < 3; ++k) d.op.from[k] = d.op.from[0];
}

// As in float: only what says .rn may not be contracted.
void decode_half_sum(Decoder &d, HalfKind kind, int sources) {
  if (d.take_rounding(true) != Rounding::kNearest) d.unknown();
  d.op.immediate = d.take("sat") ? kClampedHalf : kPlainHalf;
  if (kind == HalfKind::kFused && d.take("relu")) d.op.immediate = kPositiveHalf;
  choose_half(d, kind, d.take_type(), sources);
}

void decode_half_extreme(Decoder &d, bool greater) {
  const bool with_nan = d.take("NaN");
  const HalfKind kind = greater ? (with_nan ? HalfKind::kMaximumNan : HalfKind::kMaximum)
                                : (with_nan ? HalfKind::kMinimumNan : HalfKind::kMinimum);
  choose_half(d, kind, d.take_type(), 2);
}

struct HalfNegate {
  template <typename T>
  T operator()(T a) const {
    return T(a ^ T(0x80008000u));
  }
};
struct HalfAbsolute {
  template <typename T>
  T operator()(T a) const {
    return T(a & T(0x7fff7fffu));
  }
};

template <typename F>
void decode_half_sign(Decoder &d) {
  const Type type = d.take_type();
  d.op.execute = bytes_of(type) == 2 ? &do1<uint16_t, F> : &do1<uint32_t, F>;
  d.operands(type, 1);
}

bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}

}  // namespace

bool decode_half_arithmetic(Decoder &d) {
  bool found = false;
  for (const std::string &modifier : d.statement.modifiers) found = found || is_half(type_named(modifier));
  if (!found) return false;
  const std::string &opcode = d.statement.opcode;
  if (opcode == "add") return decode_half_sum(d, HalfKind::kAdd, 2), true;
  if (opcode == "sub") return decode_half_sum(d, HalfKind::kSubtract, 2), true;
  if (opcode == "mul") return decode_half_sum(d, HalfKind::kMultiply, 2), true;
  if (opcode == "fma") return decode_half_sum(d, HalfKind::kFused, 3), true;
  if (opcode == "min") return decode_half_extreme(d, false), true;
  if (opcode == "max") return decode_half_extreme(d, true), true;
  if (opcode == "neg") return decode_half_sign<HalfNegate>(d), true;
  if (opcode == "abs") return decode_half_sign<HalfAbsolute>(d), true;
  d.unknown();
}

}  // namespace fake_cuda::ptx
