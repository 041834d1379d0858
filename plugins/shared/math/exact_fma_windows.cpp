// plugins/shared/math/exact_fma_windows.cpp -- fma and fmaf that round once, for Windows.
//
// The definitions of operations rely on them (prelude.h), and if the processor has no such instruction the compiler
// calls the C library's. That of mingw-w64 rounds twice. The linker finds these before it.
#if defined(__MINGW32__)
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

__extension__ using Wide = unsigned __int128;

uint64_t bits_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double from_bits(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// |x| = significand * 2^exponent with the significand's highest bit at 52, for finite x other than 0.
struct Parts {
  uint64_t significand;
  int exponent;
};

Parts parts_of(double x) {
  const uint64_t bits = bits_of(x), fraction = bits & ((uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased != 0) return {fraction | uint64_t{1} << 52, biased - 1075};
  const int shift = __builtin_clzll(fraction) - 11;
  return {fraction << shift, -1074 - shift};
}

// Returns x * 2^-count, whose last bit is a sticky one for all that was lost: enough to round by.
Wide shifted(Wide x, int count) {
  if (count > 127) return x != 0;
  const Wide kept = x >> count;
  return kept | ((kept << count) != x);
}

int highest_bit(Wide x) {
  const uint64_t high = static_cast<uint64_t>(x >> 64);
  return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(static_cast<uint64_t>(x));
}

// Returns the double nearest to sum * 2^exponent, ties to even; sum is not 0.
double rounded(bool negative, Wide sum, int exponent) {
  const int top = highest_bit(sum) + exponent;      // of the value
  const int unit = top < -1022 ? -1074 : top - 52;  // the exponent of the result's last bit
  const int dropped = unit - exponent;              // bits below it
  uint64_t kept = static_cast<uint64_t>(dropped > 0 ? (dropped > 127 ? Wide{0} : sum >> dropped) : sum << -dropped);
  if (dropped > 0) {
    const Wide rest = dropped > 127 ? sum : sum & ((Wide{1} << dropped) - 1);
    const Wide half = dropped > 127 ? ~Wide{0} : Wide{1} << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  // A carry out of the fraction is one into the exponent, up to infinity's.
  const uint64_t biased = top < -1022 ? 0 : static_cast<uint64_t>(top + 1022);
  const uint64_t bits = top > 1023 ? uint64_t{0x7ff} << 52 : (biased << 52) + kept;
  return from_bits(bits | uint64_t{negative} << 63);
}

}  // namespace

extern "C" double fma(double a, double b, double c) {
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return a * b + c;
  if (!std::isfinite(c)) return c + c;
  if (c == 0) return a * b;
  const Parts pa = parts_of(a), pb = parts_of(b), pc = parts_of(c);
  const bool negative_product = std::signbit(a) != std::signbit(b), negative_c = std::signbit(c);
  // Both with their highest bits at 114 or 115 and zeros below, so that what a shift loses is far below what cancels.
  Wide product = Wide{pa.significand} * pb.significand << 10, addend = Wide{pc.significand} << 62;
  int product_exponent = pa.exponent + pb.exponent - 10, addend_exponent = pc.exponent - 62;
  const int exponent = product_exponent > addend_exponent ? product_exponent : addend_exponent;
  product = shifted(product, exponent - product_exponent);
  addend = shifted(addend, exponent - addend_exponent);
  if (negative_product == negative_c) return rounded(negative_c, product + addend, exponent);
  if (product == addend) return 0.0;
  return product > addend ? rounded(negative_product, product - addend, exponent)
                          : rounded(negative_c, addend - product, exponent);
}

// A product of floats is exact in double, and so is their sum once its last bit says whether something was lost ("round
// to odd"): the second rounding is then the only one.
extern "C" float fmaf(float a, float b, float c) {
  const double product = double{a} * b, sum = product + c;
  if (!std::isfinite(sum) || (bits_of(sum) & 1)) return static_cast<float>(sum);
  const double part = sum - product, lost = (product - (sum - part)) + (c - part);
  if (lost == 0) return static_cast<float>(sum);
  const bool away = (lost > 0) == (sum > 0);
  return static_cast<float>(from_bits(away ? bits_of(sum) + 1 : bits_of(sum) - 1));
}
#endif
