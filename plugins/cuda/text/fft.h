// plugins/cuda/text/fft.h -- discrete Fourier transforms with the bits of plugins/shared/fft
//
// Lines of up to short_size elements are transformed by a block, several at once, in shared memory: fft_short. Longer
// ones are gathered into rows in global memory (fft_load), go from one buffer to another in each stage (fft_stage), and
// are written from there (fft_store). Those with a large prime factor are transformed so by a convolution
// (fft_convolve). All roots of unity come from a table (fft_table).
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_FFT_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_FFT_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/fft/bluestein.h"
#include "plugins/shared/fft/butterflies.h"
#include "plugins/shared/fft/real.h"

namespace gpo {

inline constexpr int fft_threads = 256;

// ---- The table
//
// Its parts are, one behind the other: the factors of the stages, of which the stage with l = before (factors.h) has
// before * (radix - 1) from entry before - 1 on; 16 roots for each radix up to 31, of which the odd ones are used; the
// roots root(k, 2 h) for k < h; and the chirp.
inline constexpr u32 fft_odd_row = 16, fft_odd_rows = 32;

// Writes the table. Words: 0 its entries, 1 its address, 2 the elements of a transform, 3 h, 4 the elements of the
// chirp; from 5 on five words with the radices of the stages, one in a byte, up to a byte of 0.
template <class T, int n>
GPO_FN void fft_table(const Words<n> &p) {
  const u64 at = u64(blockIdx.x) * fft_threads + threadIdx.x;
  if (at >= p.w[0]) return;
  const u64 odd = p.w[2] - 1, real = odd + fft_odd_row * fft_odd_rows, chirp = real + p.w[3];
  i64 i = 0, whole = 1;
  if (at < odd) {
    i64 before = 1;
    GPO_UNROLL
    for (int word = 0; word < 5; ++word) {
      for (u64 radices = p.w[5 + word]; radices; radices >>= 8) {
        const i64 radix = i64(radices & 255), entry = i64(at) - (before - 1);
        before *= radix;
        if (entry < 0 || i64(at) >= before - 1) continue;
        i = entry / (radix - 1) * (1 + entry % (radix - 1));
        whole = before;
      }
    }
  } else if (at < real) {
    const u32 entry = u32(at - odd), radix = entry / fft_odd_row, j = entry % fft_odd_row;
    if (2 * j < radix) i = j, whole = radix;
  } else if (at < chirp) {
    i = i64(at - real), whole = i64(2 * p.w[3]);
  } else {
    const u64 j = at - chirp;
    i = i64(j * j % (2 * p.w[4])), whole = i64(2 * p.w[4]);
  }
  at_bytes<cplx<T>>(p.w[1], 0)[at] = fft::root_as<T>(i, whole);
}

// ---- Stages

// A stage of transforms whose elements lie side by side: m of factors.h, the elements divided by the radix, and where
// in the table the factors are; `first` says that it has none.
template <class T, class I>
struct FftStage {
  const cplx<T> *factors;
  I m, share;
  bool first;
};

// Element number `t` < share of each part of the result: the butterfly of a radix that is a power of two.
template <int radix, class T, class I>
GPO_FN void fft_butterfly(const FftStage<T, I> &stage, const cplx<T> *in, cplx<T> *out, I t) {
  const I k = t / stage.m;
  const cplx<T> *const from = in + t + k * I(radix - 1) * stage.m, *const factors = stage.factors + k * I(radix - 1);
  cplx<T> x[radix], y[radix];
  GPO_UNROLL
  for (int j = 0; j < radix; ++j) {
    x[j] = from[I(j) * stage.m];
    if (j > 0 && !stage.first) x[j] = fft::multiply(x[j], factors[j - 1]);
  }
  if constexpr (radix == 2)
    fft::butterfly2(x, y);
  else if constexpr (radix == 4)
    fft::butterfly4(x[0], x[1], x[2], x[3], y);
  else
    fft::butterfly8<T>(x, y);
  GPO_UNROLL
  for (int c = 0; c < radix; ++c) out[t + I(c) * stage.share] = y[c];
}

// The same for odd radices, in the order of butterfly_odd() of butterflies.h: results c and radix - c alone, for c up
// to radix / 2. `roots` are those of the radix in the table.
template <class T, class I>
GPO_FN void fft_butterfly_odd(const FftStage<T, I> &stage, u32 radix, const cplx<T> *roots, const cplx<T> *in,
                              cplx<T> *out, I t, u32 c) {
  const I k = t / stage.m;
  const cplx<T> *const from = in + t + k * I(radix - 1) * stage.m, *const factors = stage.factors + k * I(radix - 1);
  const auto element = [&](u32 j) {
    const cplx<T> x = from[I(j) * stage.m];
    return j == 0 || stage.first ? x : fft::multiply(x, factors[j - 1]);
  };
  const u32 half = radix / 2;
  cplx<T> even = element(0), odd = {};
  u32 turn = 0;  // j c modulo the radix
  GPO_NO_UNROLL
  for (u32 j = 1; j <= half; ++j) {
    const cplx<T> a = element(j), b = element(radix - j);
    const cplx<T> sum = fft::add(a, b), difference = fft::subtract(a, b);
    turn += c;
    if (turn >= radix) turn -= radix;
    if (c == 0) {
      even = fft::add(even, sum);
      continue;
    }
    const cplx<T> root = roots[turn <= half ? turn : radix - turn];
    const T cosine = root.re, sine = turn <= half ? -root.im : root.im;
    even = {even.re + sum.re * cosine, even.im + sum.im * cosine};
    odd = j == 1 ? cplx<T>{difference.re * sine, difference.im * sine}
                 : cplx<T>{odd.re + difference.re * sine, odd.im + difference.im * sine};
  }
  out[t + I(c) * stage.share] = c == 0 ? even : fft::subtract_turned(even, odd);
  if (c > 0) out[t + I(radix - c) * stage.share] = fft::add_turned(even, odd);
}

// One stage of all rows; `radix` is 2, 4, 8 or, for odd ones, 0. Words: 0 the threads, 1 where the rows are, 2 where
// they go, 3 the stage's factors, 4 whether it has none, 5 m, 6 the elements of a row, 7 the radix, 8 its roots.
template <class T, int radix, class I, int n>
GPO_FN void fft_stage(const Words<n> &p) {
  const I item = I(blockIdx.x) * fft_threads + threadIdx.x;
  if (item >= I(p.w[0])) return;
  const I size = I(p.w[6]), share = radix ? size / I(radix ? radix : 1) : size / I(p.w[7]);
  const FftStage<T, I> stage = {at_bytes<const cplx<T>>(p.w[3], 0), I(p.w[5]), share, p.w[4] != 0};
  const I part = item / share, t = item - part * share;
  const cplx<T> *const in = at_bytes<const cplx<T>>(p.w[1], 0);
  cplx<T> *const out = at_bytes<cplx<T>>(p.w[2], 0);
  if constexpr (radix != 0) {
    fft_butterfly<radix>(stage, in + part * size, out + part * size, t);
  } else {
    const I parts = I(p.w[7] / 2 + 1), row = part / parts;
    fft_butterfly_odd(stage, u32(p.w[7]), at_bytes<const cplx<T>>(p.w[8], 0), in + row * size, out + row * size, t,
                      u32(part - row * parts));
  }
}

// ---- From arrays into rows, and back
//
// The complex elements that are transformed are, by the kind of a transform: the elements themselves; pairs of real
// ones, for an even number; real ones, for an odd one; and the same the other way round.
enum FftKind : int { fft_complex, fft_from_pairs, fft_from_reals, fft_to_pairs, fft_to_reals };

// Words: 0 the threads' elements, 1 x, 2 the result, 3 and 4 their strides along the axis, 5 the complex elements of a
// line, 6 those that are written of each line, 7 the roots of real.h, 8 the scale, a double, 9 whether real and
// imaginary parts are exchanged, 10 whether neighbours in memory are of different lines, 11 the lines, 12 the first of
// them, 13 the rows, 14 the elements of a row, 15 the chirp, or 0; then a walk of (x, result) over the lines. fft_short
// has the lines of a block in word 13, the table in 14 and the radices in 15.
inline constexpr int fft_walk = 16;

template <class T>
GPO_FN cplx<T> swapped(const cplx<T> &z) {
  return {z.im, z.re};
}

// A line, and one of its elements.
template <class I>
struct FftPlace {
  I line, index;
};
template <class I, int n>
GPO_FN FftPlace<I> fft_place(const Words<n> &p, I position, I lines, I size) {
  if (p.w[10]) {
    const I index = position / lines;
    return {position - index * lines, index};
  }
  const I line = position / size;
  return {line, position - line * size};
}

// The bytes from the first element of x or of the result to a line.
template <int operand, class I, int rank, int n>
GPO_FN i64 fft_line(const Words<n> &p, I line) {
  i64 offsets[2];
  locate<fft_walk, rank, 2>(p, I(line + I(p.w[12])), offsets);
  return offsets[operand];
}

// Element j of what is transformed, of the line at `line`.
template <class T, int kind, int n>
GPO_FN cplx<T> fft_in(const Words<n> &p, i64 line, u64 j) {
  const auto complex = [&](u64 k) { return *at_bytes<const cplx<T>>(p.w[1], line + i64(k * p.w[3])); };
  const auto real = [&](u64 k) { return *at_bytes<const T>(p.w[1], line + i64(k * p.w[3])); };
  const u64 size = p.w[5];
  cplx<T> z;
  if constexpr (kind == fft_from_pairs) {
    z = {real(2 * j), real(2 * j + 1)};
  } else if constexpr (kind == fft_from_reals) {
    z = {real(j), T(0)};
  } else if constexpr (kind == fft_to_pairs) {
    z = j == 0 ? fft::real_packed_first(complex(0).re, complex(size).re)
               : fft::real_packed(complex(j), complex(size - j), at_bytes<const cplx<T>>(p.w[7], 0)[j]);
  } else if constexpr (kind == fft_to_reals) {
    const bool mirrored = j > size / 2;
    z = complex(mirrored ? size - j : j);
    if (mirrored) z.im = -z.im;
    if (j == 0) z.im = 0;
  } else {
    z = complex(j);
  }
  return p.w[9] ? swapped(z) : z;
}

// Writes element k of the line at `line`, where at(j) is element j of the transform.
template <class T, int kind, class At, int n>
GPO_FN void fft_out(const Words<n> &p, i64 line, u64 k, At &&at) {
  const T scale = T(from_bits(p.w[8]));
  const auto complex = [&](const cplx<T> &z) { *at_bytes<cplx<T>>(p.w[2], line + i64(k * p.w[4])) = z; };
  const auto real = [&](u64 j, T x) { *at_bytes<T>(p.w[2], line + i64(j * p.w[4])) = x; };
  const u64 size = p.w[5];
  if constexpr (kind == fft_from_pairs) {
    if (k == 0) return complex(fft::real_first(at(0), scale));
    if (k == size) return complex(fft::real_middle(at(0), scale));
    const cplx<T> root = at_bytes<const cplx<T>>(p.w[7], 0)[k];
    complex(fft::real_element(at(k), at(size - k), root, T(0.5) * scale));
  } else {
    const cplx<T> y = at(k), z = {y.re * scale, y.im * scale};
    if constexpr (kind == fft_to_pairs) {
      real(2 * k, z.im);
      real(2 * k + 1, z.re);
    } else if constexpr (kind == fft_to_reals) {
      real(k, z.im);
    } else {
      complex(p.w[9] ? swapped(z) : z);
    }
  }
}

template <class T, int kind, class I, int rank, int n>
GPO_FN void fft_load(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    const FftPlace<I> place = fft_place(p, position, I(p.w[11]), I(p.w[14]));
    cplx<T> z = {};
    if (place.index < I(p.w[5])) {
      z = fft_in<T, kind>(p, fft_line<0, I, rank>(p, place.line), place.index);
      if (p.w[15]) z = fft::multiply(z, at_bytes<const cplx<T>>(p.w[15], 0)[place.index]);
    }
    at_bytes<cplx<T>>(p.w[13], 0)[place.line * I(p.w[14]) + place.index] = z;
  });
}

template <class T, int kind, class I, int rank, int n>
GPO_FN void fft_store(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    const FftPlace<I> place = fft_place(p, position, I(p.w[11]), I(p.w[6]));
    const cplx<T> *const row = at_bytes<const cplx<T>>(p.w[13], 0) + place.line * I(p.w[14]);
    fft_out<T, kind>(p, fft_line<1, I, rank>(p, place.line), place.index, [&](u64 j) {
      return p.w[15] ? fft::multiply(swapped(row[j]), at_bytes<const cplx<T>>(p.w[15], 0)[j]) : row[j];
    });
  });
}

// ---- Convolutions (bluestein.h)

// What is done between the stages: the conjugate chirp is laid out, its transform divided by its size, and rows are
// multiplied by that, and exchanged for the inverse transform. Words: 0 the elements, 1 where they are, 2 the chirp, 3
// its elements, 4 the elements of a row, 5 the spectrum.
enum FftConvolution : int { fft_lay_out, fft_divide, fft_multiply };

template <class T, int step, class I, int n>
GPO_FN void fft_convolve(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    cplx<T> &z = at_bytes<cplx<T>>(p.w[1], 0)[position];
    const I size = I(p.w[4]);
    if constexpr (step == fft_lay_out) {
      const I given = I(p.w[3]), j = position < given ? position : size - position;
      z = {};
      if (j < given) z = at_bytes<const cplx<T>>(p.w[2], 0)[j], z.im = -z.im;
    } else if constexpr (step == fft_divide) {
      z = {z.re / T(size), z.im / T(size)};
    } else {
      z = swapped(fft::multiply(z, at_bytes<const cplx<T>>(p.w[5], 0)[position % size]));
    }
  });
}

// ---- Short lines

template <class T>
inline constexpr int short_size = 16384 / int(sizeof(cplx<T>));

// All stages of `lines` lines in `from`, which are there again, or in `to`; returns where. Every thread calls it.
template <class T, int n>
GPO_FN const cplx<T> *fft_stages(const Words<n> &p, cplx<T> *from, cplx<T> *to, u32 lines) {
  const cplx<T> *const table = at_bytes<const cplx<T>>(p.w[14], 0);
  const u32 size = u32(p.w[5]);
  u32 before = 1;
  GPO_NO_UNROLL
  for (u64 radices = p.w[15]; radices; radices >>= 8) {
    const u32 radix = u32(radices & 255), share = size / radix, parts = radix % 2 ? radix / 2 + 1 : 1;
    const FftStage<T, u32> stage = {table + (before - 1), share / before, share, before == 1};
    GPO_NO_UNROLL
    for (u32 item = threadIdx.x; item < lines * parts * share; item += fft_threads) {
      const u32 part = item / share, t = item - part * share, line = part / parts;
      const cplx<T> *const in = from + line * size;
      cplx<T> *const out = to + line * size;
      if (radix == 8)
        fft_butterfly<8>(stage, in, out, t);
      else if (radix == 4)
        fft_butterfly<4>(stage, in, out, t);
      else if (radix == 2)
        fft_butterfly<2>(stage, in, out, t);
      else
        fft_butterfly_odd(stage, radix, table + (size - 1 + radix * fft_odd_row), in, out, t, part - line * parts);
    }
    before *= radix;
    cplx<T> *const other = from;
    from = to;
    to = other;
    __syncthreads();
  }
  return from;
}

template <class T, int kind, class I, int rank, int n>
GPO_FN void fft_short(const Words<n> &p) {
  __shared__ cplx<T> first[short_size<T>], second[short_size<T>];
  const I line = I(blockIdx.x) * I(p.w[13]), left = I(p.w[11]) - line;
  const u32 size = u32(p.w[5]), outs = u32(p.w[6]), lines = left < I(p.w[13]) ? u32(left) : u32(p.w[13]);
  for (u32 slot = threadIdx.x; slot < lines * size; slot += fft_threads) {
    const FftPlace<u32> place = fft_place(p, slot, lines, size);
    first[place.line * size + place.index] =
        fft_in<T, kind>(p, fft_line<0, I, rank>(p, I(line + place.line)), place.index);
  }
  __syncthreads();
  const cplx<T> *const done = fft_stages<T>(p, first, second, lines);
  for (u32 slot = threadIdx.x; slot < lines * outs; slot += fft_threads) {
    const FftPlace<u32> place = fft_place(p, slot, lines, outs);
    const cplx<T> *const row = done + place.line * size;
    fft_out<T, kind>(p, fft_line<1, I, rank>(p, I(line + place.line)), place.index, [&](u64 j) { return row[j]; });
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_FFT_H_
