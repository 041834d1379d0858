// tests/fake_cuda/ptx/decode.h -- a statement on its way to become an operation: each family of opcodes takes the
// modifiers it knows, and whatever is left over is an error that names the statement.
#pragma once

#include <type_traits>

#include "tests/fake_cuda/ptx/warp.h"

namespace fake_cuda::ptx {

enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp };

class Decoder {
 public:
  Decoder(Module &module, Function &function, const Statement &statement);

  Op op;
  const Statement &statement;
  Function &function;
  Module &module;

  // Whether this modifier is there; it is taken.
  bool take(const char *modifier);
  // The first modifier that is a type, taken; an error if there is none.
  Type take_type();
  // The first of the modifiers that are left, or "".
  std::string next() const { return left_.empty() ? "" : left_.front(); }
  size_t left() const { return left_.size(); }
  void drop() {
    if (!left_.empty()) left_.erase(left_.begin());
  }
  // .rn .rz .rm .rp; an error if there is none of them and `needed`.
  Rounding take_rounding(bool needed);

  const Operand &operand(size_t number) const;
  size_t operands() const { return statement.operands.size(); }
  // A register, number or address to read; to write. Unless `wider`, a register is as wide as its type.
  Row in(const Operand &from, Type type, bool wider = false);
  Row out(const Operand &to, Type type, bool wider = false);
  Row in(size_t number, Type type) { return in(operand(number), type); }
  Row out(size_t number, Type type) { return out(operand(number), type); }
  uint32_t predicate(const Operand &of) const;
  uint32_t predicate_in(const Operand &of, bool &negated);
  Row constant(uint64_t bits);
  unsigned register_bytes(const Operand &of) const;

  // The first operand is written, so many others are read, all of this type.
  void operands(Type type, int sources);

  // Nothing may be left over.
  void finish() const;
  [[noreturn]] void unknown(const std::string &why = "") const;

 private:
  std::vector<std::string> left_;
};

using Family = void (*)(Decoder &decoder);
using Families = std::map<std::string, Family>;

void add_integer(Families &families);
void add_bits(Families &families);
void add_float(Families &families);
void add_compare(Families &families);
void add_convert(Families &families);
void add_memory(Families &families);
void add_atomics(Families &families);
void add_flow(Families &families);

// add, mul and others are one opcode for integers and floating-point numbers: this takes those whose type is one of the
// latter.
void decode_float_arithmetic(Decoder &decoder);
// Takes those whose type is half or bfloat16; false if it is not.
bool decode_half_arithmetic(Decoder &decoder);

// Whether values of T are what an instruction of this type computes with.
template <typename T>
constexpr bool computes(Type type) {
  if constexpr (std::is_floating_point_v<T>) return type == (sizeof(T) == 4 ? Type::kF32 : Type::kF64);
  const bool packed = type == Type::kS16x2 || type == Type::kU16x2;
  return !packed && type != Type::kPred && !is_float(type) && bytes_of(type) == sizeof(T) &&
         is_signed(type) == std::is_signed_v<T>;
}

template <typename T, typename F>
[[gnu::noinline]] void do1(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = bits_of(F()(value_of<T>(a[l]))); });
}

template <typename T, typename F>
[[gnu::noinline]] void do2(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = bits_of(F()(value_of<T>(a[l]), value_of<T>(b[l]))); });
}

template <typename T, typename F>
[[gnu::noinline]] void do3(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]), *const b = warp.row(op.from[1]), *const c = warp.row(op.from[2]);
  uint64_t *const to = warp.row(op.to[0]);
  for_lanes(lanes, [&](int l) { to[l] = bits_of(F()(value_of<T>(a[l]), value_of<T>(b[l]), value_of<T>(c[l]))); });
}

// F with one, two or three operands, computed with that one of Ts that the type stands for.
template <typename F, typename... Ts>
void choose1(Decoder &decoder, Type type) {
  decoder.op.execute = nullptr;
  ((computes<Ts>(type) ? void(decoder.op.execute = &do1<Ts, F>) : void()), ...);
  if (!decoder.op.execute) decoder.unknown();
  decoder.operands(type, 1);
}
template <typename F, typename... Ts>
void choose2(Decoder &decoder, Type type) {
  decoder.op.execute = nullptr;
  ((computes<Ts>(type) ? void(decoder.op.execute = &do2<Ts, F>) : void()), ...);
  if (!decoder.op.execute) decoder.unknown();
  decoder.operands(type, 2);
}
template <typename F, typename... Ts>
void choose3(Decoder &decoder, Type type) {
  decoder.op.execute = nullptr;
  ((computes<Ts>(type) ? void(decoder.op.execute = &do3<Ts, F>) : void()), ...);
  if (!decoder.op.execute) decoder.unknown();
  decoder.operands(type, 3);
}

}  // namespace fake_cuda::ptx
