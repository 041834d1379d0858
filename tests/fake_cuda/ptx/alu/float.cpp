// tests/fake_cuda/ptx/alu/float.cpp -- arithmetic of float and double, rounded as each instruction says.
//
// Compiled with -frounding-math and without contraction. Instructions that approximate (.approx, .full) and those that
// flush denormals (.ftz) are refused: what they give is another thing than what the operations of this library promise,
// and the text given to NVRTC asks for none of them.
#include <cfenv>
#include <cmath>

#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {
namespace {

// A NaN that an instruction on floats makes has these bits, whatever went in. Doubles keep what went in.
float canonical(float value) { return std::isnan(value) ? value_of<float>(0x7fffffff) : value; }
double canonical(double value) { return value; }

template <typename T>
T clamped(T value) {
  return std::isnan(value) || value <= 0 ? T(0) : value >= 1 ? T(1) : value;
}

#define FLOAT2(name, expression)   \
  struct name {                    \
    template <typename T>          \
    T operator()(T a, T b) const { \
      return expression;           \
    }                              \
  };
FLOAT2(FloatAdd, canonical(a + b))
FLOAT2(FloatSubtract, canonical(a - b))
FLOAT2(FloatMultiply, canonical(a *b))
FLOAT2(FloatDivide, canonical(a / b))
FLOAT2(FloatAddClamped, clamped(a + b))
FLOAT2(FloatSubtractClamped, clamped(a - b))
FLOAT2(FloatMultiplyClamped, clamped(a *b))
#undef FLOAT2

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

struct FloatFused {
  template <typename T>
  T operator()(T a, T b, T c) const {
    return canonical(fused(a, b, c));
  }
};
struct FloatFusedClamped {
  template <typename T>
  T operator()(T a, T b, T c) const {
    return clamped(fused(a, b, c));
  }
};
struct FloatRoot {
  template <typename T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct FloatReciprocal {
  template <typename T>
  T operator()(T a) const {
    return canonical(T(1) / a);
  }
};

// Of one NaN and a number the number; -0 is less than +0.
template <bool greater, bool with_nan, bool with_sign>
struct FloatExtreme {
  template <typename T>
  T operator()(T a, T b) const {
    const bool sign = std::signbit(a) != std::signbit(b);
    if constexpr (with_sign) a = std::fabs(a), b = std::fabs(b);
    const T out = chosen(a, b);
    return with_sign && !std::isnan(out) ? std::copysign(out, sign ? T(-1) : T(1)) : out;
  }
  template <typename T>
  static T chosen(T a, T b) {
    const T nan = sizeof(T) == 4 ? T(value_of<float>(0x7fffffff)) : T(value_of<double>(0x7fffffffffffffff));
    if (std::isnan(a) || std::isnan(b))
      return with_nan || (std::isnan(a) && std::isnan(b)) ? nan : std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) == greater ? b : a;
    return (a < b) == greater ? b : a;
  }
};

// Sign bits alone: no arithmetic, so that a NaN stays what it was.
struct FloatNegate {
  template <typename T>
  T operator()(T a) const {
    return T(a ^ T(T(1) << (8 * sizeof(T) - 1)));
  }
};
struct FloatAbsolute {
  template <typename T>
  T operator()(T a) const {
    return T(a & ~T(T(1) << (8 * sizeof(T) - 1)));
  }
};
struct FloatCopySign {  // of a, to b
  template <typename T>
  T operator()(T a, T b) const {
    constexpr T sign = T(1) << (8 * sizeof(T) - 1);
    return T((a & sign) | (b & ~sign));
  }
};

class RoundingScope {
 public:
  explicit RoundingScope(int mode) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
  RoundingScope(const RoundingScope &) = delete;
};

template <Execute execute, int mode>
void rounded(Warp &warp, const Op &op, Mask lanes) {
  const RoundingScope scope(mode);
  execute(warp, op, lanes);
}

template <Execute execute>
Execute with_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return &rounded<execute, FE_TOWARDZERO>;
    case Rounding::kDown:
      return &rounded<execute, FE_DOWNWARD>;
    case Rounding::kUp:
      return &rounded<execute, FE_UPWARD>;
    default:
      return execute;
  }
}

template <typename F>
void choose_rounded1(Decoder &d, Type type, Rounding rounding) {
  d.op.execute = type == Type::kF32   ? with_rounding<&do1<float, F>>(rounding)
                 : type == Type::kF64 ? with_rounding<&do1<double, F>>(rounding)
                                      : nullptr;
  if (!d.op.execute) d.unknown();
  d.operands(type, 1);
}
template <typename F>
void choose_rounded2(Decoder &d, Type type, Rounding rounding) {
  d.op.execute = type == Type::kF32   ? with_rounding<&do2<float, F>>(rounding)
                 : type == Type::kF64 ? with_rounding<&do2<double, F>>(rounding)
                                      : nullptr;
  if (!d.op.execute) d.unknown();
  d.operands(type, 2);
}
template <typename F>
void choose_rounded3(Decoder &d, Type type, Rounding rounding) {
  d.op.execute = type == Type::kF32   ? with_rounding<&do3<float, F>>(rounding)
                 : type == Type::kF64 ? with_rounding<&do3<double, F>>(rounding)
                                      : nullptr;
  if (!d.op.execute) d.unknown();
  d.operands(type, 3);
}

// Only float has .sat.
void decode_sum(Decoder &d) {
  const Rounding rounding = d.take_rounding(true);
  const bool clamps = d.take("sat");
  const Type type = d.take_type();
  if (clamps && type != Type::kF32) d.unknown();
  const std::string &opcode = d.statement.opcode;
  if (opcode == "add")
    clamps ? choose_rounded2<FloatAddClamped>(d, type, rounding) : choose_rounded2<FloatAdd>(d, type, rounding);
  else if (opcode == "sub")
    clamps ? choose_rounded2<FloatSubtractClamped>(d, type, rounding)
           : choose_rounded2<FloatSubtract>(d, type, rounding);
  else
    clamps ? choose_rounded2<FloatMultiplyClamped>(d, type, rounding)
           : choose_rounded2<FloatMultiply>(d, type, rounding);
}

void decode_fused(Decoder &d) {
  const Rounding rounding = d.take_rounding(true);
  const bool clamps = d.take("sat");
  const Type type = d.take_type();
  if (clamps && type != Type::kF32) d.unknown();
  clamps ? choose_rounded3<FloatFusedClamped>(d, type, rounding) : choose_rounded3<FloatFused>(d, type, rounding);
}

template <bool greater>
void decode_extreme(Decoder &d) {
  const bool with_nan = d.take("NaN"), with_sign = d.take("xorsign");
  if (with_sign && !d.take("abs")) d.unknown();
  const Type type = d.take_type();
  if ((with_nan || with_sign) && type != Type::kF32) d.unknown();
  const Rounding exact = Rounding::kNearest;
  if (with_nan && with_sign) return choose_rounded2<FloatExtreme<greater, true, true>>(d, type, exact);
  if (with_nan) return choose_rounded2<FloatExtreme<greater, true, false>>(d, type, exact);
  if (with_sign) return choose_rounded2<FloatExtreme<greater, false, true>>(d, type, exact);
  choose_rounded2<FloatExtreme<greater, false, false>>(d, type, exact);
}

template <typename F>
void decode_sign(Decoder &d) {
  const Type type = d.take_type();
  if (type != Type::kF32 && type != Type::kF64) d.unknown();
  d.op.execute = type == Type::kF32 ? &do1<uint32_t, F> : &do1<uint64_t, F>;
  d.operands(type, 1);
}

void decode_copy_sign(Decoder &d) {
  const Type type = d.take_type();
  if (type != Type::kF32 && type != Type::kF64) d.unknown();
  d.op.execute = type == Type::kF32 ? &do2<uint32_t, FloatCopySign> : &do2<uint64_t, FloatCopySign>;
  d.operands(type, 2);
}

// testp. kind: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal
template <typename T>
void test_property(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *const a = warp.row(op.from[0]);
  Mask &to = warp.predicate(op.predicate[0]);
  for_lanes(lanes, [&](int l) {
    const T x = value_of<T>(a[l]);
    const bool normal = std::isnormal(x) || x == 0;  // PTX counts zeros among the normal numbers
    const bool all[] = {std::isfinite(x) != 0,
                        std::isinf(x) != 0,
                        !std::isnan(x),
                        std::isnan(x),
                        normal,
                        std::fpclassify(x) == FP_SUBNORMAL};
    to = (to & ~(Mask{1} << l)) | Mask(all[op.kind]) << l;
  });
}

void decode_property(Decoder &d) {
  static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  int kind = -1;
  for (int k = 0; k < 6; ++k)
    if (d.take(names[k])) kind = k;
  const Type type = d.take_type();
  if (kind < 0 || (type != Type::kF32 && type != Type::kF64) || d.operands() != 2) d.unknown();
  d.op.kind = uint8_t(kind);
  d.op.execute = type == Type::kF32 ? &test_property<float> : &test_property<double>;
  d.op.predicate[0] = d.predicate(d.operand(0));
  d.op.from[0] = d.in(1, type);
}

}  // namespace

void decode_float_arithmetic(Decoder &d) {
  if (decode_half_arithmetic(d)) return;
  const std::string &opcode = d.statement.opcode;
  if (opcode == "add" || opcode == "sub" || opcode == "mul") return decode_sum(d);
  if (opcode == "mad" || opcode == "fma") return decode_fused(d);
  if (opcode == "min") return decode_extreme<false>(d);
  if (opcode == "max") return decode_extreme<true>(d);
  if (opcode == "neg") return decode_sign<FloatNegate>(d);
  if (opcode == "abs") return decode_sign<FloatAbsolute>(d);
  if (opcode != "div") d.unknown();
  const Rounding rounding = d.take_rounding(true);
  choose_rounded2<FloatDivide>(d, d.take_type(), rounding);
}

void add_float(Families &families) {
  families["fma"] = [](Decoder &d) { decode_float_arithmetic(d); };
  families["sqrt"] = [](Decoder &d) {
    const Rounding rounding = d.take_rounding(true);
    choose_rounded1<FloatRoot>(d, d.take_type(), rounding);
  };
  families["rcp"] = [](Decoder &d) {
    const Rounding rounding = d.take_rounding(true);
    choose_rounded1<FloatReciprocal>(d, d.take_type(), rounding);
  };
  families["copysign"] = decode_copy_sign;
  families["testp"] = decode_property;
}

}  // namespace fake_cuda::ptx
