// plugins/cpu/levels/reductions.cpp -- loops: reductions of a chunk along rows, and down columns.
#include "plugins/cpu/levels/level.h"
#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/reduce_shape.h"

namespace gpuopt::cpu {
namespace {

constexpr int kLanes = GPUOPT_LANES;

// The type of the lanes of a chunk. A lane has at most 32 elements, so sums of 8 and 16-bit integers, which have the
// same bits in any order, fit into 16 and 32 bits until the chunk ends.
template <class Op, class T>
struct LaneType {
  using A = typename Op::template accumulator<T>;
  static constexpr bool kNarrowSum =
      (gpo::is_same<Op, gpo::reduce::sum> || gpo::is_same<Op, gpo::reduce::count_nonzero>)&&sizeof(T) <= 2 &&
      !gpo::is_half<T>;
  using Signed = gpo::conditional<sizeof(T) == 1, gpo::i16, gpo::i32>;
  using Narrow = gpo::conditional<gpo::is_unsigned_int<T>, gpo::uint_of<Signed>, Signed>;
  using type = gpo::conditional<kNarrowSum, Narrow, A>;
};

// The number of chunks that are reduced side by side: as many as have their lanes in the vector registers, at most 4.
#if defined(__AVX512F__)
constexpr int kRegisterBytes = 32 * 64;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 16 * 32;
#else
constexpr int kRegisterBytes = 16 * 16;
#endif
constexpr int kMostStreams = 4;
constexpr int64_t kStreamLength = 512;  // elements of a chunk from which it pays
constexpr int streams_of(int lane_size) {
  const int fitting = kRegisterBytes / (kLanes * lane_size);
  return fitting >= kMostStreams ? kMostStreams : fitting > 1 ? fitting : 1;
}

// Whether the reduction is a maximum, and whether it finds an extreme of floating-point numbers.
template <class Op>
constexpr bool kIsMax = gpo::is_same<Op, gpo::reduce::max> || gpo::is_same<Op, gpo::reduce::nanmax>;
template <class Op, class A>
constexpr bool kFloatExtreme = gpo::is_float<A> && (kIsMax<Op> || gpo::is_same<Op, gpo::reduce::min> ||
                                                    gpo::is_same<Op, gpo::reduce::nanmin>);

// Combines like Op, except that of -0 and +0 either may be the extreme, which halves the work.
template <class Op, class A>
GPO_FN A combine_either_zero(A a, A b) {
  if constexpr (kFloatExtreme<Op, A>) {
    constexpr bool skips_nan = gpo::is_same<Op, gpo::reduce::nanmin> || gpo::is_same<Op, gpo::reduce::nanmax>;
    const bool beats = kIsMax<Op> ? a > b : a < b;
    return (beats | (skips_nan ? b != b : a != a)) ? a : b;
  } else {
    return Op::combine(a, b);
  }
}

// Tests groups of kAtOnce elements from element i on, and returns where the first group begins that has an element of
// which is_it() is true. If there is none, it returns the end of the last whole group.
template <int64_t kAtOnce, class T, class Is>
GPO_FN int64_t find_group(const T *x, int64_t i, int64_t length, const Is &is_it) {
  for (; i + kAtOnce <= length; i += kAtOnce) {
    gpo::int_of<T> found = 0;
    for (int64_t l = 0; l < kAtOnce; l++) found |= gpo::int_of<T>(is_it(x[i + l]));
    if (found) break;
  }
  return i;
}

// Returns the index of the first element of which is_it() is true; `length` if there is none.
template <class T, class Is>
GPO_FN int64_t find_first(const T *x, int64_t length, const Is &is_it) {
  constexpr int64_t kMany = 64, kFew = 64 / sizeof(T) < 8 ? 8 : 64 / sizeof(T);
  int64_t i = find_group<kFew>(x, find_group<kMany>(x, 0, length, is_it), length, is_it);
  while (i < length && !is_it(x[i])) i++;
  return i;
}

// Returns the extreme of a chunk with the right sign, given one that combine_either_zero() has found: a maximum is +0
// if any element is, and a minimum -0.
template <class Op, class T, class A>
GPO_FN A with_sign_of_zero(A extreme, const T *x, int64_t length) {
  if constexpr (kFloatExtreme<Op, A>) {
    if (extreme != 0) return extreme;
    const A wanted = kIsMax<Op> ? A(0) : -A(0);
    const auto is_wanted = [&](T y) { return gpo::to_bits(y) == gpo::to_bits(wanted); };
    return find_first(x, length, is_wanted) < length ? wanted : -wanted;
  } else {
    return extreme;
  }
}

// Does the same as gpo::combine_lanes with all lanes present. The loops vectorize only if they are not unrolled.
template <class Op, int kHalf = kLanes / 2, class A>
GPO_FN A halve(A *lane) {
#pragma GCC unroll 1
  for (int l = 0; l < kHalf; l++) lane[l] = combine_either_zero<Op>(lane[l], lane[l + kHalf]);
  if constexpr (kHalf > 1) halve<Op, kHalf / 2>(lane);
  return lane[0];
}

// Combines the whole lanes of kStreams streams of `length` elements, at least kLanes, which begin at x + s * x_step.
// Returns the number of elements of each stream that are in the lanes then.
template <class Op, int kStreams, class T, class L>
GPO_FN int64_t fold_lanes(L (*lane)[kLanes], const T *x, int64_t x_step, int64_t length) {
  for (int s = 0; s < kStreams; s++) {
    for (int l = 0; l < kLanes; l++) lane[s][l] = Op::template lift<L>(x[s * x_step + l], 0);
  }
  int64_t i = kLanes;
  for (; i + kLanes <= length; i += kLanes) {
#pragma GCC unroll 4
    for (int s = 0; s < kStreams; s++) {
      const T *const next = x + s * x_step + i;
      for (int l = 0; l < kLanes; l++) {
        lane[s][l] = combine_either_zero<Op>(lane[s][l], Op::template lift<L>(next[l], 0));
      }
    }
  }
  return i;
}

// Sets out[s * out_step] to the result of chunk s, which begins at x + s * x_step. All chunks have `length` elements,
// at least kLanes.
template <class Op, int kStreams, class T, class A>
GPO_FN void fold_streams(A *out, int64_t out_step, const T *x, int64_t x_step, int64_t length) {
  using L = typename LaneType<Op, T>::type;
  L lane[static_cast<size_t>(kStreams)][kLanes];
  const int64_t i = fold_lanes<Op, kStreams>(lane, x, x_step, length);
  for (int s = 0; s < kStreams; s++) {
    const T *const last = x + s * x_step + i;
    for (int l = 0; i + l < length; l++) {
      lane[s][l] = combine_either_zero<Op>(lane[s][l], Op::template lift<L>(last[l], 0));
    }
    A whole[kLanes];
    for (int l = 0; l < kLanes; l++) whole[l] = gpo::cast<A>(lane[s][l]);
    out[s * out_step] = with_sign_of_zero<Op>(halve<Op>(whole), x + s * x_step, length);
  }
}

// Returns the extreme of a chunk whose length is a multiple of 2 * kLanes. Its halves are combined side by side, since
// the lanes of one stream would wait for one another; then their lanes, in order, which gives the same bits.
template <class Op, class T>
GPO_FN T fold_halves(const T *x, int64_t length) {
  T lane[2][kLanes];
  fold_lanes<Op, 2>(lane, x, length / 2, length / 2);
  for (int l = 0; l < kLanes; l++) lane[0][l] = combine_either_zero<Op>(lane[0][l], lane[1][l]);
  return with_sign_of_zero<Op>(halve<Op>(lane[0]), x, length);
}

// Returns the result of a chunk of any length. It has one copy for all callers, which keeps the library small.
template <class Op, class T>
[[gnu::noinline]] typename Op::template accumulator<T> fold_chunk(const T *x, int64_t length) {
  using A = typename Op::template accumulator<T>;
  if (length < kLanes) {
    A few[kLanes] = {};
    for (int64_t l = 0; l < length; l++) few[l] = Op::template lift<A>(x[l], 0);
    return gpo::combine_lanes<Op>(few, static_cast<int>(length));
  }
  if constexpr (kFloatExtreme<Op, T>) {
    if (length % (2 * kLanes) == 0) return fold_halves<Op>(x, length);
  }
  A result;
  fold_streams<Op, 1>(&result, 1, x, 0, length);
  return result;
}

// Sequences of up to kShortLength elements are combined side by side, kRowsAtOnce of them: most lanes would be empty.
constexpr int64_t kShortLength = 16, kRowsAtOnce = 32;

// Sets to[k * kRowsAtOnce + r] to element k of row r, for kRowsAtOnce rows.
template <int kPitch, class T>
GPO_FN void turn_dense(T *to, const T *x) {
  GPUOPT_INDEPENDENT
  for (int64_t r = 0; r < kRowsAtOnce; r++) {
#pragma GCC unroll 4
    for (int k = 0; k < kPitch; k++) to[k * kRowsAtOnce + r] = x[r * kPitch + k];
  }
}
template <class T>
void transpose_rows(T *to, const T *x, int64_t length, int64_t pitch) {
  if (pitch == length && length == 2) return turn_dense<2>(to, x);
  if (pitch == length && length == 3) return turn_dense<3>(to, x);
  if (pitch == length && length == 4) return turn_dense<4>(to, x);
  for (int64_t k = 0; k < length; k++) {
    for (int64_t r = 0; r < kRowsAtOnce; r++) to[k * kRowsAtOnce + r] = x[r * pitch + k];
  }
}

// Does the same as gpo::combine_lanes for kRowsAtOnce rows of `length` elements, of which element k of row r is
// lane[k * kRowsAtOnce + r].
template <class Op, class A>
GPO_FN void combine_turned(A *lane, int64_t length) {
  for (int64_t s = kShortLength / 2; s > 0; s /= 2) {
    for (int64_t l = 0; l < s && l + s < length; l++) {
      A *const a = lane + l * kRowsAtOnce;
      const A *const b = a + s * kRowsAtOnce;
      for (int64_t r = 0; r < kRowsAtOnce; r++) a[r] = Op::combine(a[r], b[r]);
    }
  }
}

// Reduces rows of up to kShortLength elements, as far as there are kRowsAtOnce of them. Returns the number of rows.
template <class Op, class T, class A>
GPO_FN int64_t fold_short_rows(A *out, const T *x, int64_t nrows, int64_t length, int64_t pitch) {
  T transposed[kShortLength * kRowsAtOnce];
  A lane[kShortLength * kRowsAtOnce];
  int64_t r = 0;
  for (; r + kRowsAtOnce <= nrows; r += kRowsAtOnce) {
    transpose_rows(transposed, x + r * pitch, length, pitch);
    for (int64_t k = 0; k < length * kRowsAtOnce; k += kRowsAtOnce) {
      for (int64_t i = k; i < k + kRowsAtOnce; i++) lane[i] = Op::template lift<A>(transposed[i], 0);
    }
    combine_turned<Op>(lane, length);
    for (int64_t i = 0; i < kRowsAtOnce; i++) out[r + i] = lane[i];
  }
  return r;
}

// Bytes of the extremes of a stream, so that those of all streams take half of the vector registers.
constexpr int kExtremeBytes = kRegisterBytes / 2 / kMostStreams;

// Finds the extreme of n numbers, a multiple of the number of extremes in half of the vector registers. Returns false
// if it is not the right one: a number is NaN or, for an Op that skips NaN, no number is better than the worst one.
template <class Op, class T>
GPO_FN bool find_extreme(T *extreme, const T *x, int64_t n) {
  constexpr auto lanes = static_cast<int>(kExtremeBytes / sizeof(T));
  constexpr bool skips_nan = gpo::is_same<Op, gpo::reduce::nanmin> || gpo::is_same<Op, gpo::reduce::nanmax>;
  const T worst = kIsMax<Op> ? gpo::least<T>() : gpo::greatest<T>();
  const auto better = [](T a, T b) { return (kIsMax<Op> ? a > b : a < b) ? a : b; };
  T best[kMostStreams][static_cast<size_t>(lanes)];
  gpo::int_of<T> unordered[static_cast<size_t>(lanes)] = {};
  for (auto &stream : best) {
    for (T &each : stream) each = worst;
  }
  const int64_t part = n / kMostStreams;
  for (int64_t i = 0; i < part; i += lanes) {
#pragma GCC unroll 2
    for (int s = 0; s < kMostStreams; s += 2) {
      const T *const a = x + s * part + i, *const b = a + part;
      for (int l = 0; l < lanes; l++) best[s][l] = better(a[l], best[s][l]);
      for (int l = 0; l < lanes; l++) best[s + 1][l] = better(b[l], best[s + 1][l]);
      if constexpr (!skips_nan) {
        for (int l = 0; l < lanes; l++) unordered[l] |= -gpo::int_of<T>(__builtin_isunordered(a[l], b[l]));
      }
    }
  }
  *extreme = worst;
  gpo::int_of<T> is_wrong = 0;
  for (const auto &stream : best) {
    for (const T each : stream) *extreme = better(each, *extreme);
  }
  for (const auto each : unordered) is_wrong |= each;
  return !is_wrong && !(skips_nan && *extreme == worst);
}

// Finds both extremes of n numbers, a multiple of the number that half of the vector registers hold. Returns false if
// one of them is NaN.
template <class T>
GPO_FN bool find_both(T *minimum, T *maximum, const T *x, int64_t n) {
  constexpr auto lanes = static_cast<int>(kExtremeBytes / sizeof(T));
  constexpr int streams = kMostStreams / 2;
  const auto lesser = [](T a, T b) { return a < b ? a : b; };
  const auto greater = [](T a, T b) { return a > b ? a : b; };
  T low[streams][static_cast<size_t>(lanes)], high[streams][static_cast<size_t>(lanes)];
  gpo::int_of<T> unordered[static_cast<size_t>(lanes)] = {};
  for (int s = 0; s < streams; s++) {
    for (int l = 0; l < lanes; l++) low[s][l] = gpo::greatest<T>();
    for (int l = 0; l < lanes; l++) high[s][l] = gpo::least<T>();
  }
  const int64_t part = n / streams;
  for (int64_t i = 0; i < part; i += lanes) {
    const T *const from[] = {x + i, x + part + i};
#pragma GCC unroll 2
    for (int s = 0; s < streams; s++) {
      for (int l = 0; l < lanes; l++) low[s][l] = lesser(from[s][l], low[s][l]);
      for (int l = 0; l < lanes; l++) high[s][l] = greater(from[s][l], high[s][l]);
    }
    for (int l = 0; l < lanes; l++) unordered[l] |= -gpo::int_of<T>(__builtin_isunordered(from[0][l], from[1][l]));
  }
  *minimum = gpo::greatest<T>();
  *maximum = gpo::least<T>();
  gpo::int_of<T> has_nan = 0;
  for (int l = 0; l < lanes * streams; l++) {
    *minimum = lesser(low[l / lanes][l % lanes], *minimum);
    *maximum = greater(high[l / lanes][l % lanes], *maximum);
    has_nan |= unordered[l % lanes];
  }
  return !has_nan;
}

template <class T>
bool fold_both(void *minimum, void *maximum, const void *memory, int64_t nrows) {
  const T *const x = static_cast<const T *>(memory);
  const int64_t n = nrows * gpo::reduce_chunk;
  T low, high;
  if (!find_both(&low, &high, x, n)) return false;
  low = with_sign_of_zero<gpo::reduce::min>(low, x, n);
  high = with_sign_of_zero<gpo::reduce::max>(high, x, n);
  for (int64_t r = 0; r < nrows; r++) static_cast<T *>(minimum)[r] = low;
  for (int64_t r = 0; r < nrows; r++) static_cast<T *>(maximum)[r] = high;
  return true;
}

// Sets the results of nrows chunks, which follow each other, to the extreme of them all. Returns false if it did not
// find it.
template <class Op, class T>
GPO_FN bool fold_together(T *out, const T *x, int64_t nrows) {
  T extreme;
  if (!find_extreme<Op>(&extreme, x, nrows * gpo::reduce_chunk)) return false;
  extreme = with_sign_of_zero<Op>(extreme, x, nrows * gpo::reduce_chunk);
  for (int64_t r = 0; r < nrows; r++) out[r] = extreme;
  return true;
}

// Reduces long rows in groups of rows that are far apart, since memory delivers several streams faster than one.
template <class Op, class T>
void fold_rows(void *out, const void *memory, int64_t nrows, int64_t length, int64_t pitch, int64_t, int64_t step) {
  using A = typename Op::template accumulator<T>;
  constexpr int streams = streams_of(sizeof(typename LaneType<Op, T>::type));
  A *const to = static_cast<A *>(out);
  const T *const x = static_cast<const T *>(memory);
  if constexpr (kFloatExtreme<Op, T>) {
    const bool are_neighbors = nrows > 1 && length == gpo::reduce_chunk && pitch == length && step == length;
    if (are_neighbors && fold_together<Op>(to, x, nrows)) return;
  }
  const int64_t apart = length >= kStreamLength ? nrows / streams : 0;
  const bool is_whole = gpo::is_float<A> && gpo::is_same<Op, gpo::reduce::sum> && length == gpo::reduce_chunk;
  for (int64_t r = 0; r < apart; r++) {
    // With a constant length no code for incomplete lanes is needed.
    if (is_whole)
      fold_streams<Op, streams>(to + r, apart, x + r * pitch, apart * pitch, gpo::reduce_chunk);
    else
      fold_streams<Op, streams>(to + r, apart, x + r * pitch, apart * pitch, length);
  }
  const int64_t done =
      length <= kShortLength ? fold_short_rows<Op>(to, x, nrows, length, pitch) : apart * int64_t{streams};
  for (int64_t r = done; r < nrows; r++) to[r] = fold_chunk<Op>(x + r * pitch, length);
}

// Computed elements of sums. Every element is rounded before it is added, so the bits are those of a loop that computes
// the elements and one that adds them.
template <class T>
struct Product {
  const T *x, *y;
  GPO_FN T operator[](int64_t i) const { return x[i] * y[i]; }
};
template <class T>
struct WithoutNan {
  const T *x;
  GPO_FN T operator[](int64_t i) const { return x[i] == x[i] ? x[i] : T(0); }
};

// Sets out[s * step] to the sum of chunk s of kStreams, for chunks of gpo::reduce_chunk computed elements that begin
// `step` chunks apart, the first one at element `first`.
template <class Op, int kStreams, class A, class Elements>
GPO_FN void fold_computed_streams(A *out, const Elements &x, int64_t first, int64_t step) {
  A lane[static_cast<size_t>(kStreams)][kLanes];
  for (int64_t i = 0; i < gpo::reduce_chunk; i += kLanes) {
#pragma GCC unroll 4
    for (int s = 0; s < kStreams; s++) {
      const int64_t at = first + s * step * gpo::reduce_chunk + i;
      for (int l = 0; l < kLanes; l++) {
        const A element = Op::template lift<A>(x[at + l], 0);
        lane[s][l] = i == 0 ? element : Op::combine(lane[s][l], element);
      }
    }
  }
  for (int s = 0; s < kStreams; s++) out[s * step] = halve<Op>(lane[s]);
}

// Returns the same of one chunk of any length.
template <class Op, class A, class Elements>
A fold_computed_chunk(const Elements &x, int64_t first, int64_t length) {
  const auto element = [&x, first](int64_t i) { return Op::template lift<A>(x[first + i], 0); };
  A lane[kLanes] = {};
  const int64_t filled = length < kLanes ? length : kLanes;
  for (int64_t l = 0; l < filled; l++) lane[l] = element(l);
  if (length < kLanes) return gpo::combine_lanes<Op>(lane, static_cast<int>(length));
  int64_t i = kLanes;
  for (; i + kLanes <= length; i += kLanes) {
    for (int l = 0; l < kLanes; l++) lane[l] = Op::combine(lane[l], element(i + l));
  }
  for (int l = 0; i + l < length; l++) lane[l] = Op::combine(lane[l], element(i + l));
  return halve<Op>(lane);
}

// Sums computed elements without storing them, kStreams chunks that are far apart side by side, as fold_rows() does.
template <class Op, int kStreams, class A, class Elements>
GPO_FN void fold_computed(A *out, const Elements &x, int64_t nrows, int64_t length) {
  const int64_t apart = length == gpo::reduce_chunk ? nrows / kStreams : 0;
  for (int64_t r = 0; r < apart; r++) fold_computed_streams<Op, kStreams>(out + r, x, r * length, apart);
  for (int64_t r = apart * kStreams; r < nrows; r++) out[r] = fold_computed_chunk<Op, A>(x, r * length, length);
}

// Products of 4 bytes were measured to be slower in several streams.
template <class Op, class T>
void fold_products(void *out, const void *x, const void *y, int64_t nrows, int64_t length) {
  using A = typename Op::template accumulator<T>;
  constexpr int streams = sizeof(A) >= 8 ? streams_of(2 * sizeof(A)) : 1;
  const Product<T> elements = {static_cast<const T *>(x), static_cast<const T *>(y)};
  fold_computed<Op, streams>(static_cast<A *>(out), elements, nrows, length);
}
template <class Op, class T>
void fold_without_nan(void *out, const void *x, const void *, int64_t nrows, int64_t length) {
  using A = typename Op::template accumulator<T>;
  fold_computed<Op, streams_of(sizeof(A))>(static_cast<A *>(out), WithoutNan<T>{static_cast<const T *>(x)}, nrows,
                                           length);
}

// Returns a number for the bits of a float16 or bfloat16, whose order among signed integers is that of the numbers: -0
// comes before +0. The same function gives the bits for such a number.
GPO_FN gpo::i16 ordered(gpo::i16 bits) { return gpo::i16(bits ^ ((bits >> 15) & 0x7fff)); }

// Finds the extreme of n numbers in half precision. Returns false if one of them is NaN.
template <class Op, class Half>
GPO_FN bool find_half_extreme(Half *extreme, const Half *x, int64_t n) {
  constexpr gpo::u16 infinity = gpo::is_same<Half, gpo::float16> ? 0x7c00 : 0x7f80;
  const auto better = [](gpo::i16 a, gpo::i16 b) { return kIsMax<Op> ? (a > b ? a : b) : (a < b ? a : b); };
  const auto bits = [x](int64_t i) { return gpo::i16(x[i].bits); };
  const auto larger = [](gpo::u16 a, gpo::u16 b) { return a > b ? a : b; };
  gpo::i16 best[kMostStreams];
  gpo::u16 magnitude[kMostStreams] = {};
  for (int s = 0; s < kMostStreams; s++) best[s] = ordered(bits(0));
  const int64_t part = n / kMostStreams;
  for (int64_t i = 0; i < part; i++) {
#pragma GCC unroll 4
    for (int s = 0; s < kMostStreams; s++) {
      best[s] = better(best[s], ordered(bits(s * part + i)));
      magnitude[s] = larger(magnitude[s], gpo::u16(bits(s * part + i) & 0x7fff));
    }
  }
  for (int64_t i = part * kMostStreams; i < n; i++) {
    best[0] = better(best[0], ordered(bits(i)));
    magnitude[0] = larger(magnitude[0], gpo::u16(bits(i) & 0x7fff));
  }
  for (int s = 1; s < kMostStreams; s++) {
    best[0] = better(best[0], best[s]);
    magnitude[0] = larger(magnitude[0], magnitude[s]);
  }
  extreme->bits = gpo::u16(ordered(best[0]));
  return magnitude[0] <= infinity;
}

template <class Op, class Half>
void fold_half_precision(void *memory, const void *source, const void *, int64_t nrows, int64_t length) {
  float *const out = static_cast<float *>(memory);
  const Half *const x = static_cast<const Half *>(source);
  Half extreme;
  if (find_half_extreme<Op>(&extreme, x, nrows * length)) {
    for (int64_t r = 0; r < nrows; r++) out[r] = gpo::cast<float>(extreme);
    return;
  }
  for (int64_t r = 0; r < nrows; r++) {
    float converted[gpo::reduce_chunk];
    for (int64_t i = 0; i < length; i++) converted[i] = gpo::cast<float>(x[r * length + i]);
    out[r] = fold_chunk<Op>(converted, length);
  }
}

// Finds the position of a chunk's extreme, whose value is known.
template <class T>
GPO_FN gpo::indexed<T> locate(const T *x, int64_t length, int64_t first, T extreme) {
  const int64_t i = extreme != extreme ? find_first(x, length, [](T y) { return y != y; })
                                       : find_first(x, length, [extreme](T y) { return y == extreme; });
  return {x[i], first + i};
}

// Sets extremes[r] to the extreme of row r, for several rows of floating-point numbers at the same time where they are
// whole chunks.
template <class Extreme, class T>
GPO_FN void find_extremes(T *extremes, const T *x, int64_t nrows, int64_t length, int64_t pitch) {
  constexpr int streams = streams_of(sizeof(T));
  int64_t r = 0;
  for (; kFloatExtreme<Extreme, T> && length == gpo::reduce_chunk && r + streams <= nrows; r += streams)
    fold_streams<Extreme, streams>(extremes + r, 1, x + r * pitch, pitch, gpo::reduce_chunk);
  for (; r < nrows; r++) extremes[r] = fold_chunk<Extreme>(x + r * pitch, length);
}

// Finds the extremes first, which vectorizes, and then their positions. Of successive chunks of one sequence only those
// are searched whose extreme is better than those of the chunks before it.
template <class Op, class Extreme, class T>
void locate_rows(void *out, const void *memory, int64_t nrows, int64_t length, int64_t pitch, int64_t first,
                 int64_t step) {
  constexpr int64_t kRows = 64;
  gpo::indexed<T> *const found = static_cast<gpo::indexed<T> *>(out);
  const T *const x = static_cast<const T *>(memory);
  T extremes[static_cast<size_t>(kRows)];
  gpo::indexed<T> best = {};
  for (int64_t r = 0; r < nrows; r++) {
    if (r % kRows == 0)
      find_extremes<Extreme>(extremes, x + r * pitch, nrows - r < kRows ? nrows - r : kRows, length, pitch);
    gpo::indexed<T> now = {extremes[r % kRows], first + r * step};
    const bool is_better = r == 0 || step != gpo::reduce_chunk || Op::combine(best, now).index == now.index;
    if (is_better) best = now = locate(x + r * pitch, length, now.index, now.value);
    found[r] = now;
  }
}

// The number of lanes of columns(): 1 if any order of combination gives the same bits.
template <class A>
constexpr int kColumnLanes = gpo::is_int<A> || gpo::is_bool<A> ? 1 : kLanes;

// Rows whose distance is the number of lanes belong to the same lane. Combining kBands of them at a time saves loads
// and stores of the lane, and lets narrow integers be added before they are widened.
constexpr int kBands = 4;

// Columns whose extremes are kept in registers while their rows are read, bytes.
constexpr int64_t kPieceBytes = 256;

// Combines kRows rows of x, `distance` elements apart, into n accumulators; with kStarts, sets these. GCC vectorizes no
// chain of selections, so that extremes are found in pieces of a fixed number of columns, a loop for each row of one.
template <class Op, bool kStarts, int kRows, class T, class A>
GPO_FN void fold_row(A *acc, const T *x, int64_t n, int64_t distance) {
  if constexpr (kFloatExtreme<Op, T> && kRows > 1) {
    constexpr auto piece = static_cast<int64_t>(kPieceBytes / sizeof(A));
    const int64_t whole = n / piece * piece;
    for (int64_t c = 0; c < whole; c += piece) {
      A best[static_cast<size_t>(piece)];
      for (int64_t l = 0; l < piece; l++) {
        const A first = Op::template lift<A>(x[c + l], 0);
        best[l] = kStarts ? first : Op::combine(acc[c + l], first);
      }
#pragma GCC unroll 4
      for (int64_t k = 1; k < kRows; k++) {
        const T *const row = x + k * distance + c;
        for (int64_t l = 0; l < piece; l++) best[l] = Op::combine(best[l], Op::template lift<A>(row[l], 0));
      }
      for (int64_t l = 0; l < piece; l++) acc[c + l] = best[l];
    }
    fold_row<Op, kStarts, 1>(acc + whole, x + whole, n - whole, 0);
    for (int64_t k = 1; k < kRows; k++) fold_row<Op, false, 1>(acc + whole, x + k * distance + whole, n - whole, 0);
    return;
  }
  GPUOPT_INDEPENDENT
  for (int64_t c = 0; c < n; c++) {
    if constexpr (kColumnLanes<A> == 1) {
      using L = typename LaneType<Op, T>::type;
      L some = Op::template lift<L>(x[c], 0);
      for (int k = 1; k < kRows; k++) some = Op::combine(some, Op::template lift<L>(x[k * distance + c], 0));
      acc[c] = kStarts ? gpo::cast<A>(some) : Op::combine(acc[c], gpo::cast<A>(some));
    } else {
      A a = Op::template lift<A>(x[c], 0);
      if (!kStarts) a = Op::combine(acc[c], a);
      for (int k = 1; k < kRows; k++) a = Op::combine(a, Op::template lift<A>(x[k * distance + c], 0));
      acc[c] = a;
    }
  }
}

template <class Op, class T>
void fold_columns(void *memory, int64_t acc_pitch, const void *source, int64_t nrows, int64_t ncolumns, int64_t pitch,
                  int64_t first) {
  using A = typename Op::template accumulator<T>;
  constexpr int lanes = kColumnLanes<A>;
  A *const acc = static_cast<A *>(memory);
  const T *x = static_cast<const T *>(source);
  const bool dense = pitch == ncolumns && acc_pitch == ncolumns;  // several lanes can be processed as one long row
  for (int64_t r = 0; r < nrows;) {
    const int64_t place = (first + r) % GPUOPT_CHUNK, lane = place % lanes, room = lanes - lane;
    const int64_t bands = lane == 0 && nrows - r >= kBands * lanes ? kBands : 1;
    const int64_t rows = nrows - r < room ? nrows - r : room, at_once = dense ? rows : 1;
    const auto fold = place < lanes ? (bands > 1 ? fold_row<Op, true, kBands, T, A> : fold_row<Op, true, 1, T, A>)
                                    : (bands > 1 ? fold_row<Op, false, kBands, T, A> : fold_row<Op, false, 1, T, A>);
    for (int64_t i = 0; i < rows; i += at_once) {
      fold(acc + (lane + i) * acc_pitch, x + i * pitch, at_once * ncolumns, lanes * pitch);
    }
    r += rows * bands;
    x += rows * bands * pitch;
  }
}

// The size of a strip of columns. The extreme of each column is found first, with row numbers as narrow as the
// elements, and then combined with that of the rows before.
constexpr int64_t kStripRows = 16, kStripColumns = 64;

template <class T>
struct Candidate {
  T value;
  gpo::int_of<T> index;
};

template <class Op, class T>
GPO_FN void locate_strip(gpo::indexed<T> *acc, const T *x, int64_t nrows, int64_t ncolumns, int64_t pitch,
                         int64_t first) {
  T best[kStripColumns];
  gpo::int_of<T> at[kStripColumns];
  for (int64_t c = 0; c < ncolumns; c++) best[c] = x[c];
  for (int64_t c = 0; c < ncolumns; c++) at[c] = 0;
  for (int64_t r = 1; r < nrows; r++) {
    for (int64_t c = 0; c < ncolumns; c++) {
      const auto better = Op::combine(Candidate<T>{best[c], at[c]}, Candidate<T>{x[r * pitch + c], gpo::int_of<T>(r)});
      best[c] = better.value;
      at[c] = better.index;
    }
  }
  const bool starts = first % GPUOPT_CHUNK == 0;
  for (int64_t c = 0; c < ncolumns; c++) {
    const gpo::indexed<T> found = {best[c], first + at[c]};
    acc[c] = starts ? found : Op::combine(acc[c], found);
  }
}

template <class Op, class T>
void locate_columns(void *acc, int64_t, const void *source, int64_t nrows, int64_t ncolumns, int64_t pitch,
                    int64_t first) {
  const T *const x = static_cast<const T *>(source);
  for (int64_t r = 0; r < nrows; r += kStripRows) {
    const int64_t rows = nrows - r < kStripRows ? nrows - r : kStripRows;
    for (int64_t c = 0; c < ncolumns; c += kStripColumns) {
      const int64_t columns = ncolumns - c < kStripColumns ? ncolumns - c : kStripColumns;
      locate_strip<Op>(static_cast<gpo::indexed<T> *>(acc) + c, x + r * pitch + c, rows, columns, pitch, first + r);
    }
  }
}

template <class Op, class A>
void combine(void *memory, const void *later, int64_t n) {
  A *const acc = static_cast<A *>(memory);
  const A *const x = static_cast<const A *>(later);
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) acc[i] = Op::combine(acc[i], x[i]);
}
template <class Op, class A>
void join(void *memory, int64_t count, int64_t n) {
  A *const acc = static_cast<A *>(memory);
  for (int64_t left = count; left > 1; left = (left + 1) / 2) {
    for (int64_t j = 0; j < left; j += 2) {
      A *const to = acc + j / 2 * n;
      const A *const a = acc + j * n, *const b = a + n;
      const bool paired = j + 1 < left;
      for (int64_t i = 0; i < n; i++) to[i] = paired ? Op::combine(a[i], b[i]) : a[i];
    }
  }
}
template <class Op, class A>
void identity(void *memory, int64_t n) {
  for (int64_t i = 0; i < n; i++) static_cast<A *>(memory)[i] = Op::template identity<A>();
}
template <class Op, class A>
void finish(void *result, const void *acc, int64_t n) {
  for (int64_t i = 0; i < n; i++) static_cast<int64_t *>(result)[i] = Op::finish(static_cast<const A *>(acc)[i]);
}

// The type as which loops read elements of type T. Where bools are added or compared they are read as the numbers 0 and
// 1: GCC vectorizes no conversion of bools. The types of accumulators and results are the same either way.
template <class Op, class T>
constexpr bool kReadsTruth = gpo::is_bool<T> && !gpo::is_same<typename Op::template accumulator<T>, bool>;
template <class Op, class T>
using ReadType = gpo::conditional<kReadsTruth<Op, T>, gpo::i8, T>;

template <class Op, class T>
void set_reduction(ReductionLoops &loops) {
  using A = typename Op::template accumulator<T>;
  static_assert(sizeof(A) <= kMostAccumulator);
  constexpr bool is_argmin = gpo::is_same<Op, gpo::reduce::argmin>, is_argmax = gpo::is_same<Op, gpo::reduce::argmax>;
  if constexpr (is_argmin || is_argmax) {
    using Extreme = gpo::conditional<is_argmin, gpo::reduce::min, gpo::reduce::max>;
    loops = {locate_rows<Op, Extreme, T>,
             locate_columns<Op, T>,
             combine<Op, A>,
             join<Op, A>,
             finish<Op, A>,
             identity<Op, A>,
             sizeof(A),
             GPUOPT_INT64,
             1,
             {},
             nullptr};
  } else {
    loops = {fold_rows<Op, T>, fold_columns<Op, T>, combine<Op, A>,  join<Op, A>, nullptr, identity<Op, A>,
             sizeof(A),        dtype_of<A>,         kColumnLanes<A>, {},          nullptr};
    if constexpr (gpo::is_same<Op, gpo::reduce::sum> && (gpo::is_same<T, float> || gpo::is_same<T, double>))
      loops.source = {fold_products<Op, T>, fold_without_nan<Op, T>, nullptr, nullptr};
    if constexpr ((gpo::is_same<Op, gpo::reduce::min> || gpo::is_same<Op, gpo::reduce::max>)&&gpo::is_float<T>)
      loops.extremes = fold_both<T>;
    if constexpr ((gpo::is_same<Op, gpo::reduce::min> || gpo::is_same<Op, gpo::reduce::max>)&&gpo::is_same<T, float>)
      loops.source = {nullptr, nullptr, fold_half_precision<Op, gpo::float16>, fold_half_precision<Op, gpo::bfloat16>};
  }
}

template <class Op, int kReduction, class Kinds, class... T>
void install_reduction(LoopTable &table, Kinds, Types<T...>) {
  const auto install_type = [&]<class U>(Types<U>) {
    if constexpr (lists_kind(Kinds()(), kind_of<U>))
      set_reduction<Op, ReadType<Op, U>>(table.reduction[kReduction][dtype_of<U>]);
  };
  (install_type(Types<T>()), ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(reductions) {
#define GPUOPT_REDUCTION(name, kinds, result, doc)               \
  install_reduction<gpo::reduce::name, GPUOPT_REDUCTION_##name>( \
      table, [] { return kinds; }, LoopTypes());
#include "gpuopt/ops.def"
}
