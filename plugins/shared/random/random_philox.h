// plugins/shared/random/random_philox.h -- the default generator: element i of a result is a function of the state and
// i alone
//
// The state is a seed, a stream and the number of the next unused block. A call for n elements takes
// ceil(n / elements per block) blocks (philox_advance), so no two calls share a word, and no result depends on how a
// call is split over threads, blocks or devices. Elements take their words in order from word 0 of the call's first
// block (word w is word w % 4 of block w / 4; a 64-bit word is two of 32 bits, the lower half first):
//
//   uniform, exponential   one 32-bit word; float64 one 64-bit word
//   normal                 elements 2j and 2j + 1 together from words 2j and 2j + 1, of 32 bits or for float64 of 64
//   integers               by the number of values R: a power of two in [2, 2^32] one 32-bit word; else below 2^32, or
//                          a larger power of two, one 64-bit word; else two 64-bit words. The dtype plays no part: an
//                          equal range gives equal values in all of them, bool included
//   permutation            one 64-bit word per element, in whose stable order the elements are put (PhiloxBits<u64>);
//                          choice without replacement is its beginning
//   choice                 with replacement as integers; with probabilities as uniform float64, looked up in their
//                          running sums
//
// A distribution is a struct of its parameters whose operator() maps `words` words of type Word to `values` elements of
// type Value. Those of 16-bit floats are computed in float and rounded once more.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_PHILOX_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_PHILOX_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/random/philox.h"
#include "plugins/shared/random/random_math.h"

namespace gpo {

// The type in which numbers of a dtype are computed, and the type of the random words they are made of.
template <class T>
using random_compute = conditional<is_same<T, double>, double, float>;
template <class T>
using random_word = conditional<is_same<T, double>, u64, u32>;

// Word itself: 32 or 64 random bits.
template <class T>
struct PhiloxBits {
  using Word = T;
  using Value = T;
  static constexpr u32 words = 1, values = 1;
  GPO_FN void operator()(const Word *w, Value *out) const { *out = *w; }
};

// As many bits as T's significand holds, so that u < 1 in T: low + width u.
template <class T>
struct PhiloxUniform {
  using Word = random_word<T>;
  using Value = T;
  using C = random_compute<T>;
  static constexpr u32 words = 1, values = 1;
  C low, width;

  static GPO_FN C unit(u32 w) {
    constexpr u32 bits = is_same<T, float> ? 24 : is_same<T, float16> ? 11 : 8;
    return C(i32(w >> (32 - bits))) * from_bits(u32(127 - bits) << 23);
  }
  // The halves are placed under 2^20 and 1/2, where their units are 2^-32 and 2^-53; every step is exact.
  static GPO_FN C unit(u64 w) {
    const double high = from_bits((w >> 32) | u64(0x4130000000000000u));
    const double rest = from_bits(((w & 0xffffffffu) >> 11) | u64(0x3fe0000000000000u));
    return (high - 1048576.5) + rest;
  }
  GPO_FN void operator()(const Word *w, Value *out) const { *out = cast<T>(low + width * unit(*w)); }
};

// scale times -log of a number in (0, 1): positive and finite.
template <class T>
struct PhiloxExponential {
  using Word = random_word<T>;
  using Value = T;
  using C = random_compute<T>;
  static constexpr u32 words = 1, values = 1;
  C scale;

  GPO_FN void operator()(const Word *w, Value *out) const { *out = cast<T>(scale * random_exponential(*w)); }
};

// loc + scale z; |z| <= 6.8, or 8.6 in float64.
template <class T>
struct PhiloxNormal {
  using Word = random_word<T>;
  using Value = T;
  using C = random_compute<T>;
  static constexpr u32 words = 2, values = 2;
  C loc, scale;

  GPO_FN void operator()(const Word *w, Value *out) const {
    const RandomPoint<C> z = random_normal_pair<C>(w[0], w[1]);
    out[0] = cast<T>(loc + scale * z.x);
    out[1] = cast<T>(loc + scale * z.y);
  }
};

// ---- Integers in [low, low + range) ----
//
// floor(w range / 2^bits) for a word w of that many bits (D. Lemire, "Fast random integer generation in an interval",
// ACM TOMACS 29(1), 2019), without its rejection step, which would make the number of words vary. Every value then has
// a probability within 2^-bits of 1/range: exact for powers of two, else within 2^-64 for ranges below 2^32 and 2^-128
// above.

template <class T, class U>
GPO_FN T philox_add(T low, U value) {
  return T(uint_of<T>(uint_of<T>(low) + uint_of<T>(value)));
}

// range = 2^(bits of W - shift)
template <class T, class W>
struct PhiloxIntegerPower {
  using Word = W;
  using Value = T;
  static constexpr u32 words = 1, values = 1;
  T low;
  u32 shift;

  GPO_FN void operator()(const Word *w, Value *out) const { *out = philox_add(low, *w >> shift); }
};

// range < 2^32
template <class T>
struct PhiloxInteger32 {
  using Word = u64;
  using Value = T;
  static constexpr u32 words = 1, values = 1;
  T low;
  u32 range;

  GPO_FN void operator()(const Word *w, Value *out) const {
    const u64 r = range;
    *out = philox_add(low, ((*w >> 32) * r + ((*w & 0xffffffffu) * r >> 32)) >> 32);
  }
};

GPO_FN u64 multiply_high(u64 a, u64 b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return u64(Wide(a) * b >> 64);
#endif
}

// range < 2^64; the second word is the upper half of the 128 bits.
template <class T>
struct PhiloxInteger64 {
  using Word = u64;
  using Value = T;
  static constexpr u32 words = 2, values = 1;
  T low;
  u64 range;

  GPO_FN void operator()(const Word *w, Value *out) const {
    const u64 product = w[1] * range, sum = product + multiply_high(w[0], range);
    *out = philox_add(low, multiply_high(w[1], range) + (sum < product));
  }
};

// Calls f with the distribution of the integers low..low + span, which T holds.
template <class T, class F>
GPO_FN void philox_integers(T low, u64 span, F &&f) {
  u32 bits = 1;
  while (bits < 64 && span >> bits) ++bits;
  const bool power = span && (span & (span + 1)) == 0;
  if (power && bits <= 32)
    f(PhiloxIntegerPower<T, u32>{low, 32 - bits});
  else if (power)
    f(PhiloxIntegerPower<T, u64>{low, 64 - bits});
  else if (span < 0xffffffffu)
    f(PhiloxInteger32<T>{low, u32(span) + 1});
  else
    f(PhiloxInteger64<T>{low, span + 1});
}

// ---- Elements and fills ----

struct Philox {
  u64 seed, counter, stream;
};

// The number of elements that one block gives.
template <class D>
inline constexpr u32 philox_block_values = 16 / sizeof(typename D::Word) / D::words *D::values;

// Advances the counter past the blocks of a call for n elements.
template <class D>
GPO_FN void philox_advance(const D &, Philox &g, u64 n) {
  g.counter += n / philox_block_values<D> + (n % philox_block_values<D> != 0);
}

// Computes the elements of the call's block number `block`, as a GPU thread does.
template <class D>
GPO_FN void philox_block_of(const D &distribution, const Philox &g, u64 block, typename D::Value *out) {
  const PhiloxBlock b = philox_block(g.seed, g.stream, g.counter + block);
  typename D::Word w[16 / sizeof(typename D::Word)];
  for (u32 i = 0; i < 16 / sizeof(w[0]); ++i) {
    if constexpr (sizeof(w[0]) == 8)
      w[i] = u64(b.word[2 * i + 1]) << 32 | b.word[2 * i];
    else
      w[i] = b.word[i];
  }
  for (u32 i = 0; i < philox_block_values<D> / D::values; ++i) distribution(w + D::words * i, out + D::values * i);
}

// Returns element i alone, at the price of its block.
template <class D>
GPO_FN typename D::Value philox_element(const D &distribution, const Philox &g, u64 i) {
  typename D::Value values[philox_block_values<D>];
  philox_block_of(distribution, g, i / philox_block_values<D>, values);
  return values[i % philox_block_values<D>];
}

#if !defined(__CUDACC__) && !defined(GPO_HOST_KERNELS)

// Maps a tile by a loop that the compiler vectorises (with -fno-math-errno -fno-trapping-math); `out` has room for the
// elements of philox_tile_blocks blocks.
template <class D>
GPO_FN void philox_map_tile(const D &distribution, const PhiloxTile &tile, typename D::Value *__restrict out) {
  for (u32 i = 0; i < philox_tile_blocks * philox_block_values<D> / D::values; ++i) {
    if constexpr (sizeof(typename D::Word) == 8)
      distribution(tile.w64 + D::words * i, out + D::values * i);
    else
      distribution(tile.w32 + D::words * i, out + D::values * i);
  }
}

// Computes elements first..first + n - 1 of a call; g stays as it is.
template <class D>
GPO_FN void philox_fill(const D &distribution, const Philox &g, u64 first, u64 n, typename D::Value *__restrict out) {
  constexpr u32 per_block = philox_block_values<D>, per_tile = philox_tile_blocks * per_block;
  PhiloxTile tile;
  typename D::Value part[per_tile];
  while (n) {
    const u32 skip = u32(first % per_block);
    const u32 count = n < per_tile - skip ? u32(n) : per_tile - skip;
    philox_tile(g.seed, g.stream, g.counter + first / per_block, tile);
    if (count == per_tile) {
      philox_map_tile(distribution, tile, out);
    } else {
      philox_map_tile(distribution, tile, part);
      for (u32 i = 0; i < count; ++i) out[i] = part[skip + i];
    }
    first += count;
    out += count;
    n -= count;
  }
}

#endif

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_PHILOX_H_
