// plugins/shared/distributions/bounded.h -- integers within bounds, and shuffles, as numpy.random.Generator draws them;
// host only
//
// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019, and by masks with rejection.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BOUNDED_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BOUNDED_H_

#include "plugins/shared/distributions/sources.h"

namespace gpo {

// An integer in [0, last], by masked rejection.
template <class Source>
u64 draw_masked(Source &s, u64 last) {
  if (!last) return 0;
  const u64 mask = legacy_mask(last);
  for (;;) {
    const u64 value = (last <= 0xffffffffu ? u64(s.next32()) : s.next64()) & mask;
    if (value <= last) return value;
  }
}

// Words of 8, 16, 32 or 64 bits. Short ones are taken from 32-bit words, lowest first; what is left of a word is
// dropped with the object.
template <class Source, class W>
class WordReader {
 public:
  explicit WordReader(Source &source) : source_(source) {}
  W next() {
    if constexpr (sizeof(W) == 8) {
      return source_.next64();
    } else if constexpr (sizeof(W) == 4) {
      return source_.next32();
    } else {
      if (left_) {
        word_ >>= 8 * sizeof(W);
        --left_;
      } else {
        word_ = source_.next32();
        left_ = u32(4 / sizeof(W) - 1);
      }
      return W(word_);
    }
  }
  // An integer in [0, last], by masked rejection.
  W masked(W last) {
    if (!last) return 0;
    for (const W mask = W(legacy_mask(last));;) {
      const W value = W(next() & mask);
      if (value <= last) return value;
    }
  }
  // The same by Lemire's method.
  W bounded(W last) {
    if (!last) return 0;
    if (last == W(~W(0))) return next();
    const W range = W(last + 1);
    W upper, lower = multiply(next(), range, upper);
    if (lower < range)
      for (const W threshold = W(W(W(~W(0)) - last) % range); lower < threshold;)
        lower = multiply(next(), range, upper);
    return upper;
  }

 private:
  static W multiply(W a, W b, W &upper) {
    using Wide = conditional<sizeof(W) == 8, u128, u64>;
    const Wide product = Wide(a) * Wide(b);
    upper = W(product >> (8 * sizeof(W)));
    return W(product);
  }

  Source &source_;
  u32 word_ = 0, left_ = 0;
};

// An integer in [0, last]: of 64 bits, made of 32-bit words where these are enough.
template <class Source>
u64 draw_bounded(Source &s, u64 last) {
  if (last <= 0xffffffffu) return WordReader<Source, u32>(s).bounded(u32(last));
  return WordReader<Source, u64>(s).bounded(last);
}

// Integers within bounds that may be others each time: as Generator.integers() draws them, and RandomState.randint().
template <class T, class Source>
class BoundedReader {
 public:
  explicit BoundedReader(Source &source) : source_(source), words_(source) {}
  // An integer in [low, low + span].
  T next(i64 low, u64 span) {
    if constexpr (sizeof(T) == 8) {
      return T(u64(low) + (Source::legacy ? draw_masked(source_, span) : draw_bounded(source_, span)));
    } else {
      const W last = W(span);
      return T(W(W(low) + (Source::legacy ? words_.masked(last) : words_.bounded(last))));
    }
  }

 private:
  using W = uint_of<T>;
  Source &source_;
  WordReader<Source, W> words_;
};

// The same of bool: bits of 32-bit words, lowest first.
template <class Source>
class BoundedReader<bool, Source> {
 public:
  explicit BoundedReader(Source &source) : source_(source) {}
  bool next(i64 low, u64 span) {
    if (!span) return low != 0;
    word_ = left_ ? word_ >> 1 : source_.next32();
    left_ = left_ ? left_ - 1 : 31;
    return word_ & 1;
  }

 private:
  Source &source_;
  u32 word_ = 0, left_ = 0;
};

// Generator.integers(low, low + span, n, endpoint=True).
template <class T, class Source>
void fill_integers(Source &s, T low, u64 span, i64 n, T *out) {
  using W = uint_of<T>;
  if constexpr (sizeof(T) == 8) {
    for (i64 i = 0; i < n; ++i) out[i] = T(W(low) + draw_bounded(s, span));
  } else {
    WordReader<Source, W> reader(s);
    for (i64 i = 0; i < n; ++i) out[i] = T(W(W(low) + reader.bounded(W(span))));
  }
}

// The same of bool: bits of 32-bit words, lowest first.
template <class Source>
void fill_bools(Source &s, bool low, u64 span, i64 n, bool *out) {
  u32 word = 0;
  for (i64 i = 0; i < n; ++i) {
    if (span) word = i % 32 ? word >> 1 : s.next32();
    out[i] = span ? (word & 1) != 0 : low;
  }
}

// Shuffles values[0 .. n-1] by exchanging each, from the last one down to number `first` >= 1, with one not after it.
// pick(i) is a random integer in [0, i].
template <class T, class Pick>
void shuffle_from_end(i64 n, i64 first, T *values, Pick pick) {
  for (i64 i = n - 1; i >= first; --i) {
    const i64 j = i64(pick(u64(i)));
    const T kept = values[j];
    values[j] = values[i];
    values[i] = kept;
  }
}

// Generator.permutation(n).
template <class Source>
void fill_permutation(Source &s, i64 n, i64 *out) {
  for (i64 i = 0; i < n; ++i) out[i] = i;
  shuffle_from_end(n, 1, out, [&](u64 last) { return draw_masked(s, last); });
}

// Robert Floyd's sampling: J. Bentley, R. Floyd, "A sample of brilliance", Communications of the ACM 30(9), 1987.
// `slots` is a hash table of mask + 1 entries, all -1, for those chosen so far.
template <class Source>
void sample_by_floyd(Source &s, i64 population, i64 n, i64 *out, i64 *slots, u64 mask) {
  const auto find = [&](i64 value) {
    u64 at = u64(value) & mask;
    while (slots[at] != -1 && slots[at] != value) at = (at + 1) & mask;
    return at;
  };
  for (i64 last = population - n; last < population; ++last) {
    i64 value = i64(draw_bounded(s, u64(last)));
    u64 at = find(value);
    if (slots[at] != -1) at = find(value = last);
    slots[at] = value;
    *out++ = value;
  }
}

// Whether Generator.choice() shuffles the end of all positions, rather than to use Floyd's method.
inline bool samples_by_shuffling(i64 population, i64 n, bool shuffled) {
  return population > 10000 && n > population / (shuffled ? 50 : 20);
}

// The number of entries of Floyd's hash table less 1.
inline u64 floyd_mask(i64 n) { return legacy_mask(u64(1.2 * double(n))); }

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BOUNDED_H_
