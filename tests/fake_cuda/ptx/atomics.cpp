// tests/fake_cuda/ptx/atomics.cpp -- atom and red. Lanes come one after the other, so that nothing can come between.
#include "tests/fake_cuda/ptx/alu/small_float.h"
#include "tests/fake_cuda/ptx/memory.h"

namespace fake_cuda::ptx {
namespace {

enum class Atomic : uint8_t { kAdd, kMinimum, kMaximum, kIncrement, kDecrement, kExchange, kCompare, kAnd, kOr, kXor };

constexpr const char *kAtomics[] = {"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"};

// Zero for what is too small for a normal number: only atomic additions to global memory do so.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

template <typename T>
T added(T a, T b, Space space) {
  if constexpr (std::is_same_v<T, float>) {
    const float sum = space == Space::kGlobal ? flushed(flushed(a) + flushed(b)) : a + b;
    return std::isnan(sum) ? value_of<float>(0x7fffffff) : sum;
  } else {
    return T(a + b);
  }
}

template <typename T>
T after(Atomic kind, T old, T b, T c, Space space) {
  switch (kind) {
    case Atomic::kAdd:
      return added(old, b, space);
    case Atomic::kMinimum:
      return b < old ? b : old;
    case Atomic::kMaximum:
      return old < b ? b : old;
    case Atomic::kIncrement:
      return old >= b ? T(0) : T(old + 1);
    case Atomic::kDecrement:
      return old == 0 || old > b ? b : T(old - 1);
    case Atomic::kExchange:
      return b;
    case Atomic::kCompare:
      return old == b ? c : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>)
    return kind == Atomic::kAnd ? T(old & b) : kind == Atomic::kOr ? T(old | b) : T(old ^ b);
  return old;
}

// width: the Atomic; to_predicate: the old value is wanted.
template <typename T>
void atomic(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  warp.block->tries += Atomic(op.width) == Atomic::kCompare;
  for_lanes(lanes, [&](int l) {
    Space space = Space(op.kind);
    uint8_t *const at = resolve(warp, op, l, space, address_of(warp, op, l, op.from[0]), sizeof(T), Access::kBoth);
    if (space == Space::kLocal || space == Space::kConst || space == Space::kParam)
      fault(warp, op, l, CUDA_ERROR_INVALID_ADDRESS_SPACE, "an atomic operation on memory that nobody shares");
    T old;
    std::memcpy(&old, at, sizeof old);
    const T now = after(Atomic(op.width), old, value_of<T>(b[l]), value_of<T>(c[l]), space);
    std::memcpy(at, &now, sizeof now);
    if (op.to_predicate) to[l] = bits_of(old);
  });
}

// One or two halves, added one by one.
template <typename Format, int count>
void add_halves(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const b = warp.row(op.from[1]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) {
    Space space = Space(op.kind);
    uint8_t *const at = resolve(warp, op, l, space, address_of(warp, op, l, op.from[0]), 2 * count, Access::kBoth);
    uint16_t halves[count];
    std::memcpy(halves, at, sizeof halves);
    uint64_t old = 0;
    std::memcpy(&old, at, sizeof halves);
    for (int k = 0; k < count; ++k) {
      const double x = Format::to_double(halves[k]), y = Format::to_double(uint16_t(b[l] >> (16 * k)));
      halves[k] = Format::from_double(x + y);
    }
    std::memcpy(at, halves, sizeof halves);
    if (op.to_predicate) to[l] = old;
  });
}

bool is_possible(Atomic kind, Type type) {
  const bool bits = type == Type::kB32 || type == Type::kB64 || type == Type::kB16;
  switch (kind) {
    case Atomic::kAdd:
      return !bits;
    case Atomic::kMinimum:
    case Atomic::kMaximum:
      return !bits && !is_float(type);
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      return type == Type::kU32;
    case Atomic::kExchange:
      return bits && type != Type::kB16;
    case Atomic::kCompare:
      return bits;
    default:
      return bits && type != Type::kB16;
  }
}

Execute atomic_of(Type type) {
  switch (type) {
    case Type::kB16:
      return &atomic<uint16_t>;
    case Type::kU32:
    case Type::kB32:
      return &atomic<uint32_t>;
    case Type::kS32:
      return &atomic<int32_t>;
    case Type::kU64:
    case Type::kB64:
      return &atomic<uint64_t>;
    case Type::kS64:
      return &atomic<int64_t>;
    case Type::kF32:
      return &atomic<float>;
    case Type::kF64:
      return &atomic<double>;
    case Type::kF16:
      return &add_halves<HalfFormat, 1>;
    case Type::kF16x2:
      return &add_halves<HalfFormat, 2>;
    case Type::kBF16:
      return &add_halves<BfloatFormat, 1>;
    case Type::kBF16x2:
      return &add_halves<BfloatFormat, 2>;
    default:
      return nullptr;
  }
}

void decode_atomic(Decoder &d, bool gives) {
  drop_ordering(d);
  const Space space = take_optional_space(d);
  int kind = -1;
  for (int k = 0; k < int(std::size(kAtomics)); ++k)
    if (kind < 0 && d.take(kAtomics[k])) kind = k;
  d.take("noftz");
  const Type type = d.take_type();
  if (kind < 0 || !is_possible(Atomic(kind), type)) d.unknown();
  const size_t first = gives ? 1 : 0, values = Atomic(kind) == Atomic::kCompare ? 2 : 1;
  if (d.operands() != first + 1 + values) d.unknown("it has another number of operands");
  d.op.execute = atomic_of(type);
  if (!d.op.execute) d.unknown();
  take_address(d, d.operand(first), space);
  d.op.width = uint8_t(kind);
  d.op.to_predicate = gives;
  if (gives) d.op.to[0] = d.out(0, type);
  for (size_t k = 0; k < values; ++k) d.op.from[k + 1] = d.in(first + 1 + k, type);
  if (values == 1) d.op.from[2] = d.op.from[1];
}

}  // namespace

void add_atomics(Families &families) {
  families["atom"] = [](Decoder &d) { decode_atomic(d, true); };
  families["red"] = [](Decoder &d) { decode_atomic(d, false); };
}

}  // namespace fake_cuda::ptx
