// tests/fake_cuda/ptx/alu/small_float.h -- half and bfloat16 as bits, converted exactly and rounded once.
#pragma once

#include <cmath>
#include <cstdint>

#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {

// fraction: bits of the significand behind the point; bias of the exponent.
template <int fraction, int bias>
struct SmallFloat {
  static constexpr uint16_t kNan = 0x7fff, kSign = 0x8000;
  static constexpr uint16_t kInfinity = uint16_t((0x7fff >> fraction) << fraction);
  static constexpr int kLeast = 1 - bias;  // the exponent of the smallest normal number
  static constexpr int kMost = (0x7fff >> fraction) - 1 - bias;

  static double to_double(uint16_t bits) {
    const int exponent = (bits & 0x7fff) >> fraction, significand = bits & ((1 << fraction) - 1);
    double magnitude = 0;
    if ((bits & 0x7fff) > kInfinity)
      magnitude = std::nan("");
    else if ((bits & 0x7fff) == kInfinity)
      magnitude = HUGE_VAL;
    else if (exponent == 0)
      magnitude = std::ldexp(significand, kLeast - fraction);
    else
      magnitude = std::ldexp(significand + (1 << fraction), exponent - bias - fraction);
    return bits & kSign ? -magnitude : magnitude;
  }

  // What to do with a magnitude between two numbers of this format.
  static double whole(double scaled, bool negative, Rounding rounding) {
    const double below = std::floor(scaled), rest = scaled - below;
    if (rest == 0) return below;
    if (rounding == Rounding::kZero) return below;
    if (rounding == Rounding::kDown) return negative ? below + 1 : below;
    if (rounding == Rounding::kUp) return negative ? below : below + 1;
    if (rest != 0.5) return rest < 0.5 ? below : below + 1;
    return std::fmod(below, 2) == 0 ? below : below + 1;
  }

  static uint16_t from_double(double value, Rounding rounding = Rounding::kNearest) {
    if (std::isnan(value)) return kNan;
    const bool negative = std::signbit(value);
    const uint16_t sign = negative ? kSign : 0;
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return sign | kInfinity;
    if (magnitude == 0) return sign;
    const int exponent = std::max(std::ilogb(magnitude), kLeast);
    const double steps = whole(std::ldexp(magnitude, fraction - exponent), negative, rounding);
    // A carry out of the significand raises the exponent by itself.
    const double bits = steps + (exponent - kLeast) * double(1 << fraction);
    if (bits < kInfinity) return uint16_t(sign | uint16_t(bits));
    const bool stays = rounding == Rounding::kZero || (rounding == Rounding::kDown && !negative) ||
                       (rounding == Rounding::kUp && negative);
    return uint16_t(sign | (stays ? kInfinity - 1 : kInfinity));
  }
};

using HalfFormat = SmallFloat<10, 15>;
using BfloatFormat = SmallFloat<7, 127>;

}  // namespace fake_cuda::ptx
