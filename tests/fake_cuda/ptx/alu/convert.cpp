// tests/fake_cuda/ptx/alu/convert.cpp -- cvt, cvta, isspacep.
//
// Compiled with -frounding-math.
#include <cfenv>
#include <limits>

#include "tests/fake_cuda/ptx/alu/small_float.h"

namespace fake_cuda::ptx {
namespace {

// Halves by their formats, in the place of a C++ type.
struct HalfTag {
  using Format = HalfFormat;
};
struct BfloatTag {
  using Format = BfloatFormat;
};

template <typename T>
constexpr bool is_small = std::is_same_v<T, HalfTag> || std::is_same_v<T, BfloatTag>;
template <typename T>
constexpr bool is_real = is_small<T> || std::is_floating_point_v<T>;

// kind of the operation: a Rounding, plus 4 where it is one to an integer.
constexpr uint8_t kToInteger = 4;

template <typename From>
auto loaded(uint64_t bits) {
  if constexpr (is_small<From>)
    return From::Format::to_double(uint16_t(bits));
  else
    return value_of<From>(bits);
}

double to_whole(double value, uint8_t rounding) {
  switch (Rounding(rounding & 3)) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

// An integer of 64 bits as a double that rounds to the same half as the integer itself would: what a double has no room
// for is left as one odd bit.
template <typename T>
double odd_double(T value) {
  constexpr T limit = T(1) << (std::numeric_limits<T>::digits > 53 ? 53 : 1);
  if (sizeof(T) < 8 || (value < limit && (!std::is_signed_v<T> || value > T(0 - limit)))) return double(value);
  const T low = T(value & 2047);
  return double(T((value >> 11) | (low ? 1 : 0))) * 2048;
}

template <typename To>
uint64_t real_bits(double value, uint8_t kind, bool clamps) {
  if (clamps) value = std::isnan(value) || value <= 0 ? 0 : value >= 1 ? 1 : value;
  if constexpr (is_small<To>) {
    return To::Format::from_double(value, Rounding(kind & 3));
  } else {
    const To out = static_cast<To>(value);  // in the rounding mode that is set
    return std::isnan(out) && sizeof(To) == 4 ? 0x7fffffff : bits_of(out);
  }
}

template <typename To, typename From>
uint64_t real_to_integer(From value, uint8_t kind) {
  constexpr unsigned width = 8 * sizeof(To);
  if (std::isnan(value)) return sizeof(From) == 8 || width == 64 ? uint64_t{1} << (width - 1) : 0;
  const double whole = to_whole(double(value), kind);
  const double beyond = std::ldexp(1.0, std::is_signed_v<To> ? int(width) - 1 : int(width));
  if (whole >= beyond) return bits_of(std::numeric_limits<To>::max());
  if (whole < (std::is_signed_v<To> ? -beyond : 0.0)) return bits_of(std::numeric_limits<To>::min());
  return bits_of(static_cast<To>(whole));
}

template <typename To, typename From>
uint64_t integer_to_integer(From value, bool clamps) {
  using Wide = __int128;
  if (!clamps) return bits_of(static_cast<To>(value));
  const Wide least = Wide(std::numeric_limits<To>::min()), most = Wide(std::numeric_limits<To>::max()), x = Wide(value);
  return bits_of(static_cast<To>(x < least ? least : x > most ? most : x));
}

template <typename To, typename From>
uint64_t converted(uint64_t bits, uint8_t kind, bool clamps) {
  const auto value = loaded<From>(bits);
  if constexpr (is_real<From> && is_real<To>) {
    return real_bits<To>(kind & kToInteger ? to_whole(double(value), kind) : double(value), kind, clamps);
  } else if constexpr (is_real<From>) {
    if constexpr (is_small<From>)
      return real_to_integer<To>(float(value), kind);  // exact
    else
      return real_to_integer<To>(value, kind);
  } else if constexpr (is_small<To>) {
    return real_bits<To>(odd_double(value), kind, clamps);
  } else if constexpr (is_real<To>) {
    const To out = static_cast<To>(value);
    return clamps ? real_bits<To>(double(out), kind, true) : bits_of(out);
  } else {
    return integer_to_integer<To>(value, clamps);
  }
}

// Beyond its type a signed result fills the register with its sign.
template <typename To>
uint64_t in_register(uint64_t bits, uint8_t width) {
  if constexpr (!is_real<To>) {
    if (std::is_signed_v<To> && width > sizeof(To)) {
      const uint64_t all = uint64_t(int64_t(value_of<To>(bits)));
      return width >= 8 ? all : all & ((uint64_t{1} << (8 * width)) - 1);
    }
  }
  return bits;
}

// Reading and converting apart, so that the compiler cannot compute before the mode is set.
template <typename To, typename From>
[[gnu::noinline]] void convert_lanes(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes,
            [&](int l) { to[l] = in_register<To>(converted<To, From>(a[l], op.kind, op.immediate != 0), op.width); });
}

template <typename To, typename From>
void convert(Warp &warp, const Op &op, Mask lanes) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const bool sets = !(op.kind & kToInteger) && op.kind != 0;
  if (sets) std::fesetround(modes[op.kind & 3]);
  convert_lanes<To, From>(warp, op, lanes);
  if (sets) std::fesetround(FE_TONEAREST);
}

template <typename To>
Execute convert_from(Type from) {
  switch (from) {
    case Type::kU8:
      return &convert<To, uint8_t>;
    case Type::kU16:
      return &convert<To, uint16_t>;
    case Type::kU32:
      return &convert<To, uint32_t>;
    case Type::kU64:
      return &convert<To, uint64_t>;
    case Type::kS8:
      return &convert<To, int8_t>;
    case Type::kS16:
      return &convert<To, int16_t>;
    case Type::kS32:
      return &convert<To, int32_t>;
    case Type::kS64:
      return &convert<To, int64_t>;
    case Type::kF16:
      return &convert<To, HalfTag>;
    case Type::kBF16:
      return &convert<To, BfloatTag>;
    case Type::kF32:
      return &convert<To, float>;
    case Type::kF64:
      return &convert<To, double>;
    default:
      return nullptr;
  }
}

Execute conversion(Type to, Type from) {
  switch (to) {
    case Type::kU8:
      return convert_from<uint8_t>(from);
    case Type::kU16:
      return convert_from<uint16_t>(from);
    case Type::kU32:
      return convert_from<uint32_t>(from);
    case Type::kU64:
      return convert_from<uint64_t>(from);
    case Type::kS8:
      return convert_from<int8_t>(from);
    case Type::kS16:
      return convert_from<int16_t>(from);
    case Type::kS32:
      return convert_from<int32_t>(from);
    case Type::kS64:
      return convert_from<int64_t>(from);
    case Type::kF16:
      return convert_from<HalfTag>(from);
    case Type::kBF16:
      return convert_from<BfloatTag>(from);
    case Type::kF32:
      return convert_from<float>(from);
    case Type::kF64:
      return convert_from<double>(from);
    default:
      return nullptr;
  }
}

// Returns whether one is named; integer roundings where a real becomes whole, the others where bits may be lost.
bool take_integer_rounding(Decoder &d, uint8_t &kind) {
  static const char *const names[] = {"rni", "rzi", "rmi", "rpi"};
  for (uint8_t k = 0; k < 4; ++k) {
    if (!d.take(names[k])) continue;
    kind = uint8_t(kToInteger | k);
    return true;
  }
  return false;
}

// Which roundings PTX wants: one to an integer from reals to integers; one of the others where a real is narrowed or
// made of an integer.
void check_rounding(Decoder &d, Type to, Type from, bool to_integer, bool other) {
  const bool real_to = is_float(to), real_from = is_float(from);
  const bool loses = real_to && (!real_from || bytes_of(to) < bytes_of(from));
  if (real_from && !real_to && !to_integer) d.unknown();
  if (loses && !other && !to_integer) d.unknown("it names no rounding");
  if (other && !loses && !(real_to && real_from && bytes_of(to) == 2 && bytes_of(from) == 2)) d.unknown();
  if (to_integer && !real_from) d.unknown();
}

// Two floats into one register, the first one above.
template <typename Format>
void convert_pair(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]);
  uint64_t *const to = warp.row(op.to[0]);
  const auto one = [&](uint64_t bits) {
    const double value = value_of<float>(bits);
    const bool drops = op.immediate != 0 && value < 0;
    return uint64_t(Format::from_double(drops ? 0.0 : value, Rounding(op.kind)));
  };
  for_lanes(lanes, [&](int l) { to[l] = one(a[l]) << 16 | one(b[l]); });
}

void decode_pair(Decoder &d, Type to) {
  if (d.take_type() != Type::kF32 || d.operands() != 3) d.unknown();
  d.op.execute = to == Type::kF16x2 ? &convert_pair<HalfFormat> : &convert_pair<BfloatFormat>;
  d.op.to[0] = d.out(0, to);
  d.op.from[0] = d.in(1, Type::kF32);
  d.op.from[1] = d.in(2, Type::kF32);
}

void decode_convert(Decoder &d) {
  uint8_t kind = 0;
  const bool to_integer = take_integer_rounding(d, kind);
  const size_t before = d.left();
  if (!to_integer) kind = uint8_t(d.take_rounding(false));
  const bool other = d.left() != before;
  d.op.kind = kind;
  d.op.immediate = d.take("sat");
  const Type to = d.take_type();
  if (to == Type::kF16x2 || to == Type::kBF16x2) {
    d.op.immediate = d.take("relu");
    if (!other) d.unknown("it names no rounding");
    return decode_pair(d, to);
  }
  const Type from = d.take_type();
  check_rounding(d, to, from, to_integer, other);
  d.op.execute = conversion(to, from);
  if (!d.op.execute || d.operands() != 2) d.unknown();
  d.op.to[0] = d.out(d.operand(0), to, !is_float(to));
  d.op.from[0] = d.in(d.operand(1), from, !is_float(from));
  d.op.width = d.operand(0).kind == Operand::Kind::kSink ? 8 : uint8_t(d.register_bytes(d.operand(0)));
}

// ------------------------------------------------------------------------------------------------ addresses

Space take_space(Decoder &d) {
  if (d.take("global")) return Space::kGlobal;
  if (d.take("shared") || d.take("shared::cta")) return Space::kShared;
  if (d.take("local")) return Space::kLocal;
  if (d.take("const")) return Space::kConst;
  if (d.take("param") || d.take("param::entry")) return Space::kParam;
  d.unknown("it names no space");
}

uint64_t window_of(Space space) {
  switch (space) {
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kParam:
      return kParameterWindow;
    default:
      return 0;
  }
}

bool is_in(uint64_t address, Space space, const Module &module) {
  const uint64_t top = address >> 56 << 56;
  if (space == Space::kConst) return address >= module.constant_begin && address < module.constant_end;
  return top == window_of(space);
}

void to_generic(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = a[l] + uint64_t(op.immediate); });
}

// Compilers move this in front of the branch that decides whether the address is used. One outside of the space gives
// an address at which there is nothing: who uses it fails.
void from_generic(Warp &warp, const Op &op, Mask lanes) {
  constexpr uint64_t nothing = 0xbad0bad000000000u;
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  const Module &module = *warp.block->launch->module;
  for_lanes(lanes, [&](int l) {
    const bool outside = op.immediate && !is_in(a[l], Space(op.kind), module);
    to[l] = outside ? nothing : a[l] - uint64_t(op.immediate);
  });
}

void decode_address(Decoder &d) {
  const bool from = d.take("to");
  const Space space = take_space(d);
  if (d.take_type() != Type::kU64 || d.operands() != 2) d.unknown();
  d.op.execute = from ? from_generic : to_generic;
  d.op.immediate = int64_t(window_of(space));
  d.op.kind = uint8_t(space);
  d.op.to[0] = d.out(0, Type::kU64);
  d.op.from[0] = d.in(1, Type::kU64);
}

void is_space(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  Mask &to = warp.predicate(op.predicate[0]);
  for_lanes(lanes, [&](int l) {
    const bool is = is_in(a[l], Space(op.kind), *warp.block->launch->module);
    to = (to & ~(Mask{1} << l)) | Mask(is) << l;
  });
}

void decode_is_space(Decoder &d) {
  d.op.kind = uint8_t(take_space(d));
  if (d.operands() != 2) d.unknown();
  d.op.execute = is_space;
  d.op.predicate[0] = d.predicate(d.operand(0));
  d.op.from[0] = d.in(1, Type::kU64);
}

}  // namespace

void add_convert(Families &families) {
  families["cvt"] = decode_convert;
  families["cvta"] = decode_address;
  families["isspacep"] = decode_is_space;
}

}  // namespace fake_cuda::ptx
