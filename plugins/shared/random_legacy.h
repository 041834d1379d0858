// plugins/shared/random_legacy.h -- numpy.random.RandomState's distributions, bit for bit; host only
//
// The numbers are drawn in sequence from one MT19937 stream, as NumPy (1.17 to 2.x, x86-64) draws them: what a call
// consumes and what it returns depend on everything drawn before. Nothing is drawn ahead, so states can be exchanged
// with NumPy between calls.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_LEGACY_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_LEGACY_H_

#include "plugins/shared/mt19937.h"
#include "plugins/shared/random_log.h"

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

// Words drawn at a time: they stay in the first cache level, and the loops over them vectorise.
inline constexpr u32 legacy_tile = 1024;

// ---- Real numbers ----

// uniform(low, low + range, n); random_sample is (0, 1). Two words each.
GPO_FN void legacy_fill_uniform(RandomState &state, double low, double range, u64 n, double *__restrict out) {
  u32 words[legacy_tile];
  while (n) {
    const u32 count = n < legacy_tile / 2 ? u32(n) : legacy_tile / 2;
    mt19937_fill_u32(state.mt, 2 * count, words);
    for (u32 i = 0; i < count; ++i) out[i] = low + range * mt19937_double(words[2 * i], words[2 * i + 1]);
    out += count;
    n -= count;
  }
}

// exponential(scale, n), by inversion. Two words each.
GPO_FN void legacy_fill_exponential(RandomState &state, double scale, u64 n, double *__restrict out) {
  u32 words[legacy_tile];
  while (n) {
    const u32 count = n < legacy_tile / 2 ? u32(n) : legacy_tile / 2;
    mt19937_fill_u32(state.mt, 2 * count, words);
    for (u32 i = 0; i < count; ++i) out[i] = scale * -libm_log(1.0 - mt19937_double(words[2 * i], words[2 * i + 1]));
    out += count;
    n -= count;
  }
}

// Points of the open unit disc, for Marsaglia's polar method: x, y and their squared length.
struct LegacyDisc {
  double x[legacy_tile / 4], y[legacy_tile / 4], r2[legacy_tile / 4];
};

// Tries `candidates` points of the square and keeps, in order, those in the disc but not its centre. Four words each.
GPO_FN u32 legacy_draw_disc(Mt19937 &mt, u32 candidates, LegacyDisc &disc) {
  u32 words[legacy_tile];
  mt19937_fill_u32(mt, 4 * candidates, words);
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
  return kept;
}

// normal(loc, scale, n) by the polar method: each point gives two, y's before x's.
GPO_FN void legacy_fill_normal(RandomState &state, double loc, double scale, u64 n, double *__restrict out) {
  if (n && state.has_gauss) {
    *out++ = loc + scale * state.gauss;
    state.has_gauss = 0;
    state.gauss = 0;
    --n;
  }
  LegacyDisc disc;
  double factor[legacy_tile / 4];
  while (n) {
    const u64 pairs = n / 2 + n % 2;
    const u32 kept = legacy_draw_disc(state.mt, pairs < legacy_tile / 4 ? u32(pairs) : legacy_tile / 4, disc);
    for (u32 i = 0; i < kept; ++i) factor[i] = sqrt(-2.0 * libm_log(disc.r2[i]) / disc.r2[i]);
    const u32 whole = n < 2 * u64(kept) ? kept - 1 : kept;
    for (u32 i = 0; i < whole; ++i) {
      out[2 * i] = loc + scale * (factor[i] * disc.y[i]);
      out[2 * i + 1] = loc + scale * (factor[i] * disc.x[i]);
    }
    out += 2 * whole;
    n -= 2 * whole;
    if (whole < kept) {
      *out = loc + scale * (factor[whole] * disc.y[whole]);
      state.gauss = factor[whole] * disc.x[whole];
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

// The next `count` candidates of type W: bytes and halves are taken from a word lowest first, u64 are two words, first
// on top.
template <class W>
GPO_FN void legacy_draw_candidates(Mt19937 &mt, u32 count, W *__restrict out) {
  u32 words[legacy_tile];
  if constexpr (sizeof(W) == 8) {
    mt19937_fill_u32(mt, 2 * count, words);
    for (u32 i = 0; i < count; ++i) out[i] = u64(words[2 * i]) << 32 | words[2 * i + 1];
  } else {
    constexpr u32 per_word = 4 / sizeof(W);
    const u32 nwords = (count + per_word - 1) / per_word;
    mt19937_fill_u32(mt, nwords, words);
    for (u32 i = 0; i < nwords; ++i)
      for (u32 j = 0; j < per_word; ++j) out[per_word * i + j] = W(words[i] >> (8 * sizeof(W) * j));
  }
}

// low + the masked candidates that are <= span (all of them where the mask is span itself).
template <class W, class T>
GPO_FN void legacy_fill_masked(Mt19937 &mt, T low, W span, u64 n, T *__restrict out) {
  using U = uint_of<T>;
  constexpr u32 tile = sizeof(W) == 8 ? legacy_tile / 2 : legacy_tile;
  constexpr u32 per_word = sizeof(W) < 4 ? 4 / sizeof(W) : 1;
  const W mask = W(legacy_mask(span));
  W candidates[tile];
  while (n) {
    // The words needed if nothing is refused, and no more; what is left of the last one is not kept for the next call.
    const u64 wanted = (n + per_word - 1) / per_word * per_word;
    const u32 count = wanted < tile ? u32(wanted) : tile;
    legacy_draw_candidates(mt, count, candidates);
    u64 taken = 0;
    if (mask == span) {
      taken = n < count ? n : count;
      for (u64 i = 0; i < taken; ++i) out[i] = T(U(U(low) + U(candidates[i] & mask)));
    } else {
      for (u32 i = 0; i < count && taken < n; ++i) {
        const W value = candidates[i] & mask;
        out[taken] = T(U(U(low) + U(value)));
        taken += value <= span;
      }
    }
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
GPO_FN void legacy_fill_bools(RandomState &state, u64 n, bool *__restrict out) {
  while (n) {
    const u32 word = mt19937_next32(state.mt);
    const u32 count = n < 32 ? u32(n) : 32;
    for (u32 i = 0; i < count; ++i) out[i] = (word >> i) & 1;
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

// A uniform integer in [0, max] by masked rejection; max 0 draws nothing.
GPO_FN u64 legacy_interval(Mt19937 &mt, u64 max) {
  if (max == 0) return 0;
  const u64 mask = legacy_mask(max);
  u64 value;
  do {
    value = (max <= 0xffffffffu ? u64(mt19937_next32(mt)) : mt19937_next64(mt)) & mask;
  } while (value > max);
  return value;
}

// shuffle: swap(i, j) exchanges items i and j, j <= i, of n.
template <class Swap>
GPO_FN void legacy_shuffle(RandomState &state, u64 n, Swap swap) {
  for (u64 i = n; i-- > 1;) swap(i, legacy_interval(state.mt, i));
}

template <class T>
GPO_FN void legacy_shuffle_values(RandomState &state, u64 n, T *values) {
  legacy_shuffle(state, n, [values](u64 i, u64 j) {
    const T kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  });
}

// permutation(n); its first k items are choice(n, k, replace=False).
GPO_FN void legacy_fill_permutation(RandomState &state, u64 n, i64 *out) {
  for (u64 i = 0; i < n; ++i) out[i] = i64(i);
  legacy_shuffle_values(state, n, out);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_LEGACY_H_
