// plugins/cpu/levels/random_legacy.cpp -- loops: RandomState's distributions, drawn serially or computed from words
// that have been drawn.
#include "plugins/cpu/levels/random_table.h"

namespace gpuopt::cpu {
namespace {

using gpo::RandomState;
using gpo::u32;

using IntegerTypes = Types<gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64>;

constexpr int64_t kTile = gpo::legacy_tile;

void untempered(gpo::Mt19937 &state, int64_t nwords, uint32_t *out) {
  gpo::mt19937_fill_untempered(state, static_cast<gpo::u64>(nwords), out);
}

// Tempers the words and calls map(words, out) for each tile of them; map() returns how many elements it wrote. Returns
// their total.
template <class T, class Map>
GPO_FN int64_t map_tiles(const u32 *untempered_words, int64_t nwords, T *out, Map map) {
  u32 words[kTile];
  T *next = out;
  for (int64_t first = 0; first < nwords; first += kTile) {
    for (u32 i = 0; i < kTile; i++) words[i] = gpo::mt19937_temper(untempered_words[first + i]);
    next += map(words, next);
  }
  return next - out;
}

// ---- Real numbers ----

void fill_uniform(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  gpo::legacy_fill_uniform(state, draw.f[0], draw.f[1], static_cast<gpo::u64>(n), static_cast<double *>(out));
}
int64_t map_uniform(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<double *>(out), [&](const u32 *tile, double *to) {
    gpo::legacy_map_uniform(draw.f[0], draw.f[1], kTile / 2, tile, to);
    return kTile / 2;
  });
}

void fill_exponential(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  gpo::legacy_fill_exponential(state, draw.f[0], static_cast<gpo::u64>(n), static_cast<double *>(out));
}
int64_t map_exponential(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<double *>(out), [&](const u32 *tile, double *to) {
    gpo::legacy_map_exponential(draw.f[0], kTile / 2, tile, to);
    return kTile / 2;
  });
}

void fill_normal(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  gpo::legacy_fill_normal(state, draw.f[0], draw.f[1], static_cast<gpo::u64>(n), static_cast<double *>(out));
}
int64_t map_normal(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<double *>(out), [&](const u32 *tile, double *to) {
    gpo::LegacyDisc disc;
    const u32 points = gpo::legacy_keep_disc(tile, kTile / 4, disc);
    gpo::legacy_map_disc(disc, draw.f[0], draw.f[1], points, to);
    return int64_t{2} * points;
  });
}

// ---- Integers ----

void fill_bools(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  bool *const to = static_cast<bool *>(out);
  if (draw.span) return gpo::legacy_fill_bools(state, static_cast<gpo::u64>(n), to);
  for (int64_t i = 0; i < n; i++) to[i] = draw.low != 0;
}
int64_t map_bools(const RandomDraw &, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<bool *>(out), [](const u32 *tile, bool *to) {
    gpo::legacy_split_bits(tile, 32 * kTile, to);
    return 32 * kTile;
  });
}

template <class T>
void fill_integers(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  gpo::legacy_fill_integers(state, static_cast<T>(draw.low), draw.span, static_cast<gpo::u64>(n),
                            static_cast<T *>(out));
}

template <class W, class T>
GPO_FN u32 keep_tile(const u32 *words, T low, gpo::u64 span, T *out) {
  constexpr u32 count = gpo::legacy_candidates<W>;
  W candidates[count];
  gpo::legacy_split(words, count, candidates);
  return gpo::legacy_keep(candidates, count, low, static_cast<W>(span), count, out);
}

template <class T>
int64_t map_integers(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  using W = gpo::conditional<sizeof(T) == 8, u32, gpo::uint_of<T>>;
  const T low = static_cast<T>(draw.low);
  if (sizeof(T) == 8 && draw.span > 0xffffffffu) {
    return map_tiles(words, nwords, static_cast<T *>(out),
                     [&](const u32 *tile, T *to) { return keep_tile<gpo::u64>(tile, low, draw.span, to); });
  }
  return map_tiles(words, nwords, static_cast<T *>(out),
                   [&](const u32 *tile, T *to) { return keep_tile<W>(tile, low, draw.span, to); });
}

// ---- Choices ----

template <class U, class I>
GPO_FN void choose(const RandomDraw &draw, RandomState &state, int64_t n, U *out) {
  I k[kTableTile];
  for (int64_t i = 0; i < n; i += kTableTile) {
    const int64_t count = n - i < kTableTile ? n - i : kTableTile;
    fill_integers<I>(draw, state, count, k);
    look_up(static_cast<const U *>(draw.table), draw.span + 1, k, static_cast<u32>(count), out + i);
  }
}
template <class U>
void fill_choice(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  if (fits_int32(draw.span)) return choose<U, gpo::i32>(draw, state, n, static_cast<U *>(out));
  choose<U, gpo::i64>(draw, state, n, static_cast<U *>(out));
}
// Maps random words to entries of a table of up to 2^31 entries.
template <class U>
int64_t map_choice(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<U *>(out), [&](const u32 *tile, U *to) {
    gpo::i32 k[kTile];
    const u32 kept = keep_tile<u32>(tile, gpo::i32(0), draw.span, k);
    look_up(static_cast<const U *>(draw.table), draw.span + 1, k, kept, to);
    return kept;
  });
}

template <class U>
void fill_choice_by_sums(const RandomDraw &draw, RandomState &state, int64_t n, void *out) {
  constexpr int64_t tile = kTableTile / 2;
  double u[tile];
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = n - i < tile ? n - i : tile;
    gpo::legacy_fill_uniform(state, 0, 1, static_cast<gpo::u64>(count), u);
    look_up_by_sums(draw, u, static_cast<u32>(count), static_cast<U *>(out) + i);
  }
}
template <class U>
int64_t map_choice_by_sums(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out) {
  return map_tiles(words, nwords, static_cast<U *>(out), [&](const u32 *tile, U *to) {
    double u[kTile / 2];
    gpo::legacy_map_uniform(0, 1, kTile / 2, tile, u);
    look_up_by_sums(draw, u, kTile / 2, to);
    return kTile / 2;
  });
}

void fill_permutation(const RandomDraw &, RandomState &state, int64_t n, void *out) {
  gpo::legacy_fill_permutation(state, static_cast<gpo::u64>(n), static_cast<gpo::i64 *>(out));
}

template <class... T>
void install_integers(RandomLoops &loops, Types<T...>) {
  ((loops.legacy[GPUOPT_RANDOM_INTEGERS][dtype_of<T>] = {fill_integers<T>, map_integers<T>}), ...);
}
template <class... T>
void install_choices(RandomLoops &loops, Types<T...>) {
  ((loops.legacy[GPUOPT_RANDOM_CHOICE][dtype_of<T>] = {fill_choice<bits_of<T>>, map_choice<bits_of<T>>}), ...);
  ((loops.legacy[GPUOPT_RANDOM_CHOICE_CDF][dtype_of<T>] = {fill_choice_by_sums<bits_of<T>>,
                                                           map_choice_by_sums<bits_of<T>>}),
   ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(random_legacy) {
  RandomLoops &loops = table.random;
  loops.untempered = untempered;
  loops.legacy[GPUOPT_RANDOM_UNIFORM][GPUOPT_FLOAT64] = {fill_uniform, map_uniform};
  loops.legacy[GPUOPT_RANDOM_NORMAL][GPUOPT_FLOAT64] = {fill_normal, map_normal};
  loops.legacy[GPUOPT_RANDOM_EXPONENTIAL][GPUOPT_FLOAT64] = {fill_exponential, map_exponential};
  loops.legacy[GPUOPT_RANDOM_INTEGERS][GPUOPT_BOOL] = {fill_bools, map_bools};
  install_integers(loops, IntegerTypes());
  install_choices(loops, AllTypes());
  loops.legacy[GPUOPT_RANDOM_PERMUTATION][GPUOPT_INT64] = {fill_permutation, nullptr};
}
