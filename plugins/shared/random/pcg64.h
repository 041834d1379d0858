// plugins/shared/random/pcg64.h -- PCG64 and SeedSequence, as numpy.random.default_rng seeds and draws them; host only
//
// M. O'Neill, "PCG: a family of simple fast space-efficient statistically good algorithms for random number
// generation", Harvey Mudd College HMC-CS-2014-0905: a 128-bit linear congruential generator with the XSL-RR output.
// SeedSequence follows NumPy's (after M. O'Neill's seed_seq_fe).
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_PCG64_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_PCG64_H_

#include "plugins/shared/prelude.h"

namespace gpo {

__extension__ typedef unsigned __int128 u128;

// ---- SeedSequence: entropy of any length to well mixed words ----

struct SeedSequence {
  u32 pool[4];
};

// Each hashed value takes the next multiplier, so the order of the calls matters.
struct SeedHash {
  u32 constant, multiplier;
  GPO_FN u32 operator()(u32 value) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ (value >> 16);
  }
};

GPO_FN u32 seed_mix(u32 x, u32 y) {
  const u32 mixed = 0xca01f9ddu * x - 0x4973f715u * y;
  return mixed ^ (mixed >> 16);
}

// SeedSequence(entropy); `entropy` are the 32-bit words of the integers, least significant first, one integer after
// another.
GPO_FN SeedSequence seed_sequence(const u32 *entropy, u64 count) {
  SeedSequence seq;
  SeedHash hash{0x43b0d7e5u, 0x931e8875u};
  for (u32 i = 0; i < 4; ++i) seq.pool[i] = hash(i < count ? entropy[i] : 0);
  for (u32 from = 0; from < 4; ++from)
    for (u32 to = 0; to < 4; ++to)
      if (from != to) seq.pool[to] = seed_mix(seq.pool[to], hash(seq.pool[from]));
  for (u64 from = 4; from < count; ++from)
    for (u32 to = 0; to < 4; ++to) seq.pool[to] = seed_mix(seq.pool[to], hash(entropy[from]));
  return seq;
}

// generate_state(n, uint32); pairs of them, the low word first, are generate_state(n / 2, uint64).
GPO_FN void seed_sequence_generate(const SeedSequence &seq, u32 n, u32 *out) {
  SeedHash hash{0x8b51f9ddu, 0x58f38dedu};
  for (u32 i = 0; i < n; ++i) out[i] = hash(seq.pool[i % 4]);
}

// ---- PCG64 ----

// half is the upper half of a 64-bit draw whose lower half went out as 32 bits.
struct Pcg64 {
  u128 state, increment;
  u32 has_half, half;
};

GPO_FN void pcg64_step(Pcg64 &pcg) {
  constexpr u128 multiplier = u128(2549297995355413924u) << 64 | 4865540595714422341u;
  pcg.state = pcg.state * multiplier + pcg.increment;
}

// PCG64(entropy)
GPO_FN Pcg64 pcg64_seed(const u32 *entropy, u64 count) {
  u32 words[8];
  seed_sequence_generate(seed_sequence(entropy, count), 8, words);
  // Two 64-bit halves make 128 bits, the upper one first.
  const auto wide = [&](u32 i) {
    return (u128(u64(words[i + 1]) << 32 | words[i]) << 64) | (u64(words[i + 3]) << 32 | words[i + 2]);
  };
  Pcg64 pcg{0, wide(4) << 1 | 1, 0, 0};
  pcg64_step(pcg);
  pcg.state += wide(0);
  pcg64_step(pcg);
  return pcg;
}

GPO_FN u64 pcg64_next64(Pcg64 &pcg) {
  pcg64_step(pcg);
  const u64 folded = u64(pcg.state >> 64) ^ u64(pcg.state);
  const u32 turn = u32(pcg.state >> 122);
  return folded >> turn | folded << ((64 - turn) & 63);
}

GPO_FN u32 pcg64_next32(Pcg64 &pcg) {
  if (pcg.has_half) {
    pcg.has_half = 0;
    return pcg.half;
  }
  const u64 word = pcg64_next64(pcg);
  pcg.has_half = 1;
  pcg.half = u32(word >> 32);
  return u32(word);
}

// 53 bits, in [0, 1): Generator.random().
GPO_FN double pcg64_next_double(Pcg64 &pcg) { return double(i64(pcg64_next64(pcg) >> 11)) * 0x1p-53; }

// uniform(low, low + range, n); random is (0, 1). One 64-bit draw each.
GPO_FN void pcg64_fill_uniform(Pcg64 &pcg, double low, double range, u64 n, double *__restrict out) {
  for (u64 i = 0; i < n; ++i) out[i] = low + range * pcg64_next_double(pcg);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_PCG64_H_
