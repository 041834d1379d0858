// plugins/shared/random/random_legacy.h -- numpy.random.RandomState's distributions, bit for bit; host only
//
// The numbers are drawn in sequence from one MT19937 stream, as NumPy (1.17 to 2.x, x86-64) draws them: what a call
// consumes and what it returns depend on everything drawn before. Nothing is drawn ahead, so states can be exchanged
// with NumPy between calls.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_LEGACY_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_LEGACY_H_

#include "plugins/shared/random/mt19937.h"
#include "plugins/shared/random/random_log.h"

namespace gpo {

// The second of each pair of normals waits here for the next draw.
struct RandomState {
  Mt19937 mt;
  u32 has_gauss;
  double gauss;
};

GPO_FN void random_state_seed(RandomState &state, u32 seed) {
  mt19937_seed(state.mt, seed);
  state.has_gauss = 0;
  state.gauss = 0;
}

GPO_FN void random_state_seed_array(RandomState &state, const u32 *seeds, u64 count) {
  mt19937_seed_array(state.mt, seeds, count);
  state.has_gauss = 0;
  state.gauss = 0;
}

// Words drawn at a time: they stay in the L1 cache, and the loops over them vectorise.
inline constexpr u32 legacy_tile = 1024;

// ---- Real numbers ----

// uniform(low, low + range, n); random_sample is (0, 1). Two words each.
GPO_FN void legacy_map_uniform(double low, double range, u32 n, const u32 *__restrict words, double *__restrict out) {
  for (u32 i = 0; i < n; ++i) out[i] = low + range * mt19937_double(words[2 * i], words[2 * i + 1]);
}

// exponential(scale, n), by inversion. Two words each.
GPO_FN void legacy_map_exponential(double scale, u32 n, const u32 *__restrict words, double *__restrict out) {
  for (u32 i = 0; i < n; ++i) out[i] = scale * -libm_log(1.0 - mt19937_double(words[2 * i], words[2 * i + 1]));
}

// Draws two words for each of n numbers; map(count, words, out) makes a tile of them.
template <class Map>
GPO_FN void legacy_fill_pairs(Mt19937 &mt, u64 n, double *__restrict out, Map map) {
  u32 words[legacy_tile];
  while (n) {
    const u32 count = n < legacy_tile / 2 ? u32(n) : legacy_tile / 2;
    mt19937_fill_u32(mt, 2 * count, words);
    map(count, words, out);
    out += count;
    n -= count;
  }
}

// Not lambdas: one that Clang does not inline would be shared between the instruction set levels.
struct LegacyUniform {
  double low, range;
  GPO_FN void operator()(u32 n, const u32 *words, double *out) const { legacy_map_uniform(low, range, n, words, out); }
};
struct LegacyExponential {
  double scale;
  GPO_FN void operator()(u32 n, const u32 *words, double *out) const { legacy_map_exponential(scale, n, words, out); }
};

GPO_FN void legacy_fill_uniform(RandomState &state, double low, double range, u64 n, double *__restrict out) {
  legacy_fill_pairs(state.mt, n, out, LegacyUniform{low, range});
}

GPO_FN void legacy_fill_exponential(RandomState &state, double scale, u64 n, double *__restrict out) {
  legacy_fill_pairs(state.mt, n, out, LegacyExponential{scale});
}

// Points of the open unit disc, for Marsaglia's polar method: x, y, their squared length, and the factor that turns
// them into normals.
struct LegacyDisc {
  double x[legacy_tile / 4], y[legacy_tile / 4], r2[legacy_tile / 4], factor[legacy_tile / 4];
};

// Tries `candidates` points of the square and keeps, in order, those in the disc but not its centre. Four words each.
GPO_FN u32 legacy_keep_disc(const u32 *__restrict words, u32 candidates, LegacyDisc &disc) {
  for (u32 i = 0; i < candidates; ++i) {
    disc.x[i] = 2.0 * mt19937_double(words[4 * i], words[4 * i + 1]) - 1.0;
    disc.y[i] = 2.0 * mt19937_double(words[4 * i + 2], words[4 * i + 3]) - 1.0;
    disc.r2[i] = disc.x[i] * disc.x[i] + disc.y[i] * disc.y[i];
  }
  u32 kept = 0;
  for (u32 i = 0; i < candidates; ++i) {
    const double x = disc.x[i], y = disc.y[i], r2 = disc.r2[i];
    disc.x[kept] = x;
    disc.y[kept] = y;
    disc.r2[kept] = r2;
    kept += (r2 < 1.0) & (r2 != 0.0);
  }
  for (u32 i = 0; i < kept; ++i) disc.factor[i] = sqrt(-2.0 * libm_log(disc.r2[i]) / disc.r2[i]);
  return kept;
}

// Each point gives two normals, y's before x's.
GPO_FN void legacy_map_disc(const LegacyDisc &disc, double loc, double scale, u32 points, double *__restrict out) {
  for (u32 i = 0; i < points; ++i) {
    out[2 * i] = loc + scale * (disc.factor[i] * disc.y[i]);
    out[2 * i + 1] = loc + scale * (disc.factor[i] * disc.x[i]);
  }
}

// normal(loc, scale, n) by the polar method.
GPO_FN void legacy_fill_normal(RandomState &state, double loc, double scale, u64 n, double *__restrict out) {
  if (n && state.has_gauss) {
    *out++ = loc + scale * state.gauss;
    state.has_gauss = 0;
    state.gauss = 0;
    --n;
  }
  u32 words[legacy_tile];
  LegacyDisc disc;
  while (n) {
    const u64 pairs = n / 2 + n % 2;
    const u32 candidates = pairs < legacy_tile / 4 ? u32(pairs) : legacy_tile / 4;
    mt19937_fill_u32(state.mt, 4 * candidates, words);
    const u32 kept = legacy_keep_disc(words, candidates, disc);
    const u32 whole = n < 2 * u64(kept) ? kept - 1 : kept;
    legacy_map_disc(disc, loc, scale, whole, out);
    out += 2 * whole;
    n -= 2 * whole;
    if (whole < kept) {
      *out = loc + scale * (disc.factor[whole] * disc.y[whole]);
      state.gauss = disc.factor[whole] * disc.x[whole];
      state.has_gauss = 1;
      n = 0;
    }
  }
}

// ---- Integers ----

// The smallest 2^k - 1 that is >= span.
GPO_FN u64 legacy_mask(u64 span) {
  for (u32 shift = 1; shift < 64; shift *= 2) span |= span >> shift;
  return span;
}

// How many candidates of type W a word gives, or how many words one candidate takes.
template <class W>
inline constexpr u32 legacy_per_word = sizeof(W) < 4 ? 4 / sizeof(W) : 1;
template <class W>
inline constexpr u32 legacy_words_per = sizeof(W) == 8 ? 2 : 1;
template <class W>
inline constexpr u32 legacy_candidates = legacy_tile *legacy_per_word<W> / legacy_words_per<W>;  // of a tile of words

// Makes candidates from words: bytes and halves are taken from a word lowest first, u64 are two words, first on top.
// Rounds `count` up to whole words.
template <class W>
GPO_FN void legacy_split(const u32 *__restrict words, u32 count, W *__restrict out) {
  constexpr u32 per_word = legacy_per_word<W>;
  if constexpr (sizeof(W) == 8) {
    for (u32 i = 0; i < count; ++i) out[i] = u64(words[2 * i]) << 32 | words[2 * i + 1];
  } else {
    for (u32 i = 0; i < (count + per_word - 1) / per_word; ++i)
      for (u32 j = 0; j < per_word; ++j) out[per_word * i + j] = W(words[i] >> (8 * sizeof(W) * j));
  }
}

// Writes low + the masked candidates that are <= span (all of them if the mask is span itself), at most n, and returns
// how many. `out` has room for the smaller of n and count.
template <class W, class T>
GPO_FN u32 legacy_keep(const W *__restrict candidates, u32 count, T low, W span, u64 n, T *__restrict out) {
  using U = uint_of<T>;
  const W mask = W(legacy_mask(span));
  const u32 most = n < count ? u32(n) : count;
  u32 taken = 0;
  if (mask == span) {
    for (taken = 0; taken < most; ++taken) out[taken] = T(U(U(low) + U(candidates[taken] & mask)));
  } else {
    for (u32 i = 0; i < count && taken < most; ++i) {
      const W value = candidates[i] & mask;
      out[taken] = T(U(U(low) + U(value)));
      taken += value <= span;
    }
  }
  return taken;
}

template <class W, class T>
GPO_FN void legacy_fill_masked(Mt19937 &mt, T low, W span, u64 n, T *__restrict out) {
  constexpr u32 per_word = legacy_per_word<W>, tile = legacy_candidates<W>;
  u32 words[legacy_tile];
  W candidates[tile];
  while (n) {
    // The words needed if nothing is rejected, and no more; what is left of the last one is not used by the next call.
    const u64 wanted = (n + per_word - 1) / per_word * per_word;
    const u32 count = wanted < tile ? u32(wanted) : tile;
    mt19937_fill_u32(mt, count / per_word * legacy_words_per<W>, words);
    legacy_split(words, count, candidates);
    const u32 taken = legacy_keep(candidates, count, low, span, n, out);
    out += taken;
    n -= taken;
  }
}

// randint(low, low + span + 1, n, dtype=T): masked rejection on the narrowest draw NumPy uses for T. span 0 draws
// nothing.
template <class T>
GPO_FN void legacy_fill_integers(RandomState &state, T low, u64 span, u64 n, T *__restrict out) {
  if (span == 0) {
    for (u64 i = 0; i < n; ++i) out[i] = low;
  } else if (span <= 0xffffffffu) {
    using W = conditional<sizeof(T) == 8, u32, uint_of<T>>;
    legacy_fill_masked<W>(state.mt, low, W(span), n, out);
  } else {
    legacy_fill_masked<u64>(state.mt, low, span, n, out);
  }
}

// randint(0, 2, n, dtype=bool): the bits of a word from the lowest up.
GPO_FN void legacy_split_bits(const u32 *__restrict words, u64 n, bool *__restrict out) {
  for (u64 i = 0; i < n; ++i) out[i] = (words[i / 32] >> (i % 32)) & 1;
}

GPO_FN void legacy_fill_bools(RandomState &state, u64 n, bool *__restrict out) {
  while (n) {
    const u32 word = mt19937_next32(state.mt);
    const u32 count = n < 32 ? u32(n) : 32;
    legacy_split_bits(&word, count, out);
    out += count;
    n -= count;
  }
}

// bytes(n); NumPy draws a word even for none.
GPO_FN void legacy_fill_bytes(RandomState &state, u64 n, u8 *__restrict out) {
  if (n == 0) mt19937_next32(state.mt);
  legacy_fill_masked<u8>(state.mt, u8(0), u8(255), n, out);
}

// ---- Sampling ----

// choice(values, n) with replacement: values[randint(0, count, n)] without storing the indices.
template <class T>
GPO_FN void legacy_fill_choice(RandomState &state, const T *__restrict values, u64 count, u64 n, T *__restrict out) {
  i64 indices[legacy_tile];
  while (n) {
    const u32 part = n < legacy_tile ? u32(n) : legacy_tile;
    legacy_fill_integers(state, i64(0), count - 1, part, indices);
    for (u32 i = 0; i < part; ++i) out[i] = values[indices[i]];
    out += part;
    n -= part;
  }
}

// The running sums of p over their last, as choice(p=...) forms them. cdf may be p.
GPO_FN void legacy_cumulative(const double *p, u64 count, double *cdf) {
  double sum = 0;
  for (u64 i = 0; i < count; ++i) cdf[i] = sum += p[i];
  for (u64 i = 0; i < count; ++i) cdf[i] /= sum;
}

// For each u the first index whose entry exceeds it (searchsorted, side="right"). All searches take the same steps, so
// one step of all is a loop without branches.
GPO_FN void legacy_search(const double *__restrict cdf, u64 count, u32 n, const double *__restrict u,
                          i64 *__restrict out) {
  for (u32 i = 0; i < n; ++i) out[i] = 0;
  for (u64 half; count > 1; count -= half) {
    half = count / 2;
    for (u32 i = 0; i < n; ++i) out[i] += cdf[out[i] + i64(half) - 1] > u[i] ? i64(0) : i64(half);
  }
  for (u32 i = 0; i < n; ++i) out[i] += !(cdf[out[i]] > u[i]);
}

// choice(count, n, p=...) with replacement: n indices, from legacy_cumulative's cdf. Two words each.
GPO_FN void legacy_fill_choice_weighted(RandomState &state, const double *cdf, u64 count, u64 n, i64 *__restrict out) {
  double u[legacy_tile / 2];
  while (n) {
    const u32 part = n < legacy_tile / 2 ? u32(n) : legacy_tile / 2;
    legacy_fill_uniform(state, 0, 1, part, u);
    legacy_search(cdf, count, part, u, out);
    out += part;
    n -= part;
  }
}

// choice(count, n, replace=False, p=p): n distinct indices; p needs n positive entries and ends with those of the
// chosen zeroed. cdf is scratch for count doubles. Each round draws as many as are missing and keeps the first of every
// index.
GPO_FN void legacy_fill_choice_distinct(RandomState &state, double *p, double *cdf, u64 count, u64 n,
                                        i64 *__restrict out) {
  u64 found = 0;
  while (found < n) {
    legacy_cumulative(p, count, cdf);
    for (u64 missing = n - found; missing; --missing) {
      i64 index;
      legacy_fill_choice_weighted(state, cdf, count, 1, &index);
      out[found] = index;
      found += p[index] != 0;
      p[index] = 0;
    }
  }
}

// Draws a uniform integer in [0, max] by masked rejection; max 0 draws nothing.
GPO_FN u64 legacy_interval(Mt19937 &mt, u64 max) {
  if (max == 0) return 0;
  const u64 mask = legacy_mask(max);
  u64 value;
  do {
    value = (max <= 0xffffffffu ? u64(mt19937_next32(mt)) : mt19937_next64(mt)) & mask;
  } while (value > max);
  return value;
}

// Draws the next picks of a shuffle with `left` >= 2 items left: pick k is in [0, left - 1 - k]. Draws no word more
// than the shuffle needs; returns how many picks came of them.
GPO_FN u32 legacy_draw_picks(Mt19937 &mt, u32 left, u32 *__restrict picks) {
  u32 words[legacy_tile];
  const u32 count = left - 1 < legacy_tile ? left - 1 : legacy_tile;
  mt19937_fill_u32(mt, count, words);
  u32 kept = 0, last = left - 1, mask = u32(legacy_mask(last));
  for (u32 i = 0; i < count; ++i) {
    picks[kept] = words[i] & mask;
    const u32 keeps = picks[kept] <= last;
    kept += keeps;
    last -= keeps;
    mask >>= last <= mask >> 1;
  }
  return kept;
}

// shuffle: from the last to the second, each item changes places with one not after it. The picks are known well before
// the items are touched, which hides the memory's latency.
template <class T>
GPO_FN void legacy_shuffle_values(RandomState &state, u64 n, T *values) {
  const auto swap = [values](u64 i, u64 j) {
    const T kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  };
  u64 left = n;
  for (; left > 0xffffffffu; --left) swap(left - 1, legacy_interval(state.mt, left - 1));
  u32 picks[legacy_tile];
  while (left > 1) {
    const u32 count = legacy_draw_picks(state.mt, u32(left), picks);
#if defined(__GNUC__)
    for (u32 k = 0; k < count; ++k) __builtin_prefetch(values + picks[k], 1);
#endif
    for (u32 k = 0; k < count; ++k) swap(--left, picks[k]);
  }
}

// permutation(n); its first k items are choice(n, k, replace=False).
GPO_FN void legacy_fill_permutation(RandomState &state, u64 n, i64 *out) {
  for (u64 i = 0; i < n; ++i) out[i] = i64(i);
  legacy_shuffle_values(state, n, out);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_LEGACY_H_
