// plugins/shared/distributions/sources.h -- what distributions are drawn from: words, uniform numbers, standard normals
// and standard exponentials of a generator; host only
//
// A source has next32() and next64(), unit() and unit32(), which are in [0, 1) with 53 and 24 bits, normal() and
// exponential(), in single precision normal32() and exponential32(), and says by `legacy` whose algorithms the
// distributions follow: numpy.random.RandomState's or numpy.random.Generator's. Logarithms, powers and the like are
// those of the C library, as in NumPy, and NumPy's numbers have the same bits where both use the same one.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_SOURCES_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_SOURCES_H_

#include <cmath>

#include "plugins/shared/distributions/tables.h"
#include "plugins/shared/random/pcg64.h"
#include "plugins/shared/random/philox.h"
#include "plugins/shared/random/random_legacy.h"

namespace gpo {

// RandomState: normals by Marsaglia's polar method, which makes two at a time, exponentials by inversion.
struct LegacySource {
  static constexpr bool legacy = true;
  RandomState &state;

  u32 next32() { return mt19937_next32(state.mt); }
  u64 next64() { return mt19937_next64(state.mt); }
  double unit() { return mt19937_next_double(state.mt); }
  double exponential() { return -std::log(1.0 - unit()); }
  double normal() {
    if (state.has_gauss) {
      const double kept = state.gauss;
      state.has_gauss = 0;
      state.gauss = 0;
      return kept;
    }
    double x, y, r2;
    do {
      x = 2.0 * unit() - 1.0;
      y = 2.0 * unit() - 1.0;
      r2 = x * x + y * y;
    } while (r2 >= 1.0 || r2 == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(r2) / r2);
    state.gauss = factor * x;
    state.has_gauss = 1;
    return factor * y;
  }
};

// The words of PCG64.
struct Pcg64Words {
  Pcg64 &state;
  u32 next32() { return pcg64_next32(state); }
  u64 next64() { return pcg64_next64(state); }
};

// The words of one element drawn by Philox. Element i of a call whose first block is `counter` has block number
// counter + i of the generator's stream and, if that is not enough, the same block of the streams 2^32, 2 * 2^32 and so
// on behind it. So no two elements of a stream share a word, and each is a function of the seed, the call and i alone.
// 64-bit words are two of 32 bits, the lower half first.
class PhiloxWords {
 public:
  PhiloxWords(u64 seed, u64 stream, u64 block) : seed_(seed), stream_(stream), block_(block) {}
  u32 next32() {
    if (used_ == 4) {
      words_ = philox_block(seed_, stream_, block_);
      stream_ += u64(1) << 32;
      used_ = 0;
    }
    return words_.word[used_++];
  }
  u64 next64() {
    const u64 low = next32();
    return u64(next32()) << 32 | low;
  }

 private:
  u64 seed_, stream_, block_;
  PhiloxBlock words_{};
  u32 used_ = 4;
};

// Generator: normals and exponentials by the ziggurat method (G. Marsaglia, W. W. Tsang, 2000), from any words.
template <class Words>
struct GeneratorSource {
  static constexpr bool legacy = false;
  Words words;

  u32 next32() { return words.next32(); }
  u64 next64() { return words.next64(); }
  double unit() { return double(i64(next64() >> 11)) * 0x1p-53; }
  float unit32() { return float(i32(next32() >> 8)) * 0x1p-24f; }

  // A word's bits are, from the lowest on: the layer (8), the sign (1), the position (52).
  double normal() {
    for (;;) {
      const u64 word = next64(), position = (word >> 9) & 0xfffffffffffffu;
      const u32 layer = u32(word & 0xff);
      const double x = double(i64(position)) * normal_w64[layer];
      const bool negative = (word >> 8) & 1;
      if (position < normal_k64[layer]) return negative ? -x : x;
      if (layer == 0) return normal_tail((position >> 8) & 1);
      if ((normal_y64[layer - 1] - normal_y64[layer]) * unit() + normal_y64[layer] < std::exp(-0.5 * x * x))
        return negative ? -x : x;
    }
  }
  // A normal number beyond the last layer, by Marsaglia's method of 1964.
  double normal_tail(bool negative) {
    constexpr double r = 3.6541528853610087963519472518, inverse_r = 0.27366123732975827203338247596;
    for (;;) {
      const double x = -inverse_r * std::log1p(-unit()), y = -std::log1p(-unit());
      if (y + y > x * x) return negative ? -(r + x) : r + x;
    }
  }

  // Bits from the fourth on: the layer (8), the position (53).
  double exponential() {
    for (;;) {
      const u64 word = next64() >> 3, position = word >> 8;
      const u32 layer = u32(word & 0xff);
      const double x = double(i64(position)) * exponential_w64[layer];
      if (position < exponential_k64[layer]) return x;
      if (layer == 0) return 7.6971174701310497140446280481 - std::log1p(-unit());
      const double low = exponential_y64[layer];
      if ((exponential_y64[layer - 1] - low) * unit() + low < std::exp(-x)) return x;
    }
  }

  // The same in single precision. Bits: the layer (8), the sign (1), the position (23).
  float normal32() {
    for (;;) {
      const u32 word = next32(), layer = word & 0xff, position = (word >> 9) & 0x7fffffu;
      const float x = float(i32(position)) * normal_w32[layer];
      const bool negative = (word >> 8) & 1;
      if (position < normal_k32[layer]) return negative ? -x : x;
      if (layer == 0) return normal_tail32((position >> 8) & 1);
      // NumPy compares with an exponential in double precision here.
      const float height = (normal_y32[layer - 1] - normal_y32[layer]) * unit32() + normal_y32[layer];
      if (double(height) < std::exp(-0.5 * double(x) * double(x))) return negative ? -x : x;
    }
  }
  float normal_tail32(bool negative) {
    constexpr float r = 3.6541528853610087963519472518f, inverse_r = 0.27366123732975827203338247596f;
    for (;;) {
      const float x = -inverse_r * std::log1p(-unit32()), y = -std::log1p(-unit32());
      if (y + y > x * x) return negative ? -(r + x) : r + x;
    }
  }
  // Bits from the second on: the layer (8), the position (23).
  float exponential32() {
    for (;;) {
      const u32 word = next32() >> 1, layer = word & 0xff, position = word >> 8;
      const float x = float(i32(position)) * exponential_w32[layer];
      if (position < exponential_k32[layer]) return x;
      if (layer == 0) return 7.6971174701310497140446280481f - std::log1p(-unit32());
      const float low = exponential_y32[layer];
      if ((exponential_y32[layer - 1] - low) * unit32() + low < std::exp(-x)) return x;
    }
  }
};

using Pcg64Source = GeneratorSource<Pcg64Words>;
using PhiloxSource = GeneratorSource<PhiloxWords>;

// The int64 that x86's conversion gives: the least one for numbers outside its range and NaN.
inline i64 to_i64(double x) { return x >= -0x1p63 && x < 0x1p63 ? i64(x) : i64(u64(1) << 63); }

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_SOURCES_H_
