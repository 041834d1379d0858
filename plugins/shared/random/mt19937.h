// plugins/shared/random/mt19937.h -- MT19937, seeded and drawn from as numpy.random.RandomState does; host only
//
// M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8(1), 1998, with their 2002 seeding (init_genrand, init_by_array). The words and the state
// between draws are NumPy's, so a state may be carried over from or to RandomState.get_state().
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_MT19937_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_MT19937_H_

#include "plugins/shared/prelude.h"

namespace gpo {

inline constexpr u32 mt19937_words = 624;
inline constexpr u32 mt19937_shift = 397;

// key has the current block, untempered; key[pos] is the next word; pos = 624: a new block is due.
struct Mt19937 {
  u32 key[mt19937_words];
  u32 pos;
};

// Seeds as RandomState(seed) does with an integer seed.
GPO_FN void mt19937_seed(Mt19937 &mt, u32 seed) {
  for (u32 i = 0; i < mt19937_words; ++i) {
    mt.key[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + i + 1;
  }
  mt.pos = mt19937_words;
}

// Seeds as RandomState(seeds) does with a sequence; count >= 1.
GPO_FN void mt19937_seed_array(Mt19937 &mt, const u32 *seeds, u64 count) {
  mt19937_seed(mt, 19650218u);
  u32 *key = mt.key;
  u32 i = 1;
  const auto next = [&] {
    if (++i == mt19937_words) {
      key[0] = key[mt19937_words - 1];
      i = 1;
    }
  };
  const auto previous = [&] { return key[i - 1] ^ (key[i - 1] >> 30); };
  u64 j = 0;
  for (u64 k = count > mt19937_words ? count : mt19937_words; k; --k) {
    key[i] = (key[i] ^ (previous() * 1664525u)) + seeds[j] + u32(j);
    next();
    j = j + 1 == count ? 0 : j + 1;
  }
  for (u32 k = mt19937_words - 1; k; --k) {
    key[i] = (key[i] ^ (previous() * 1566083941u)) - i;
    next();
  }
  key[0] = 0x80000000u;
}

GPO_FN u32 mt19937_twist_word(u32 a, u32 b) {
  const u32 y = (a & 0x80000000u) | (b & 0x7fffffffu);
  return (y >> 1) ^ ((0u - (b & 1u)) & 0x9908b0dfu);
}

// Makes the next block. Every dependence spans at least 227 words, so both long loops vectorise.
GPO_FN void mt19937_twist(Mt19937 &mt) {
  constexpr u32 n = mt19937_words, m = mt19937_shift;
  u32 *key = mt.key;
  for (u32 i = 0; i < n - m; ++i) key[i] = key[i + m] ^ mt19937_twist_word(key[i], key[i + 1]);
  for (u32 i = n - m; i < n - 1; ++i) key[i] = key[i + m - n] ^ mt19937_twist_word(key[i], key[i + 1]);
  key[n - 1] = key[m - 1] ^ mt19937_twist_word(key[n - 1], key[0]);
  mt.pos = 0;
}

GPO_FN u32 mt19937_temper(u32 y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

GPO_FN u32 mt19937_next32(Mt19937 &mt) {
  if (mt.pos >= mt19937_words) mt19937_twist(mt);
  return mt19937_temper(mt.key[mt.pos++]);
}

// Draws two words, the first one on top.
GPO_FN u64 mt19937_next64(Mt19937 &mt) {
  const u64 high = mt19937_next32(mt);
  return (high << 32) | mt19937_next32(mt);
}

// Returns 53 bits of two words as a number in [0, 1).
GPO_FN double mt19937_double(u32 first, u32 second) {
  return (double(i32(first >> 5)) * 67108864.0 + double(i32(second >> 6))) * 0x1p-53;
}

GPO_FN double mt19937_next_double(Mt19937 &mt) {
  const u32 first = mt19937_next32(mt);
  return mt19937_double(first, mt19937_next32(mt));
}

// Draws n words, and writes what `map` makes of each untempered one.
template <class Map>
GPO_FN void mt19937_fill(Mt19937 &mt, u64 n, u32 *__restrict out, Map map) {
  while (n) {
    if (mt.pos >= mt19937_words) mt19937_twist(mt);
    const u32 left = mt19937_words - mt.pos;
    const u32 count = n < left ? u32(n) : left;
    const u32 *__restrict key = mt.key + mt.pos;
    for (u32 i = 0; i < count; ++i) out[i] = map(key[i]);
    mt.pos += count;
    out += count;
    n -= count;
  }
}

GPO_FN void mt19937_fill_u32(Mt19937 &mt, u64 n, u32 *__restrict out) {
  mt19937_fill(mt, n, out, [](u32 word) { return mt19937_temper(word); });
}

// Draws the same words without tempering them: drawing is sequential, tempering need not be.
GPO_FN void mt19937_fill_untempered(Mt19937 &mt, u64 n, u32 *__restrict out) {
  mt19937_fill(mt, n, out, [](u32 word) { return word; });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_MT19937_H_
