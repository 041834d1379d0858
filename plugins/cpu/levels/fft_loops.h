// plugins/cpu/levels/fft_loops.h -- the loops of Fourier transforms, which have the bits of plugins/shared/fft.
//
// A block holds elements of several transforms side by side: element t of them is a row of `lanes` real parts and as
// many imaginary ones. Strides are in bytes. Complex numbers outside of blocks are pairs, aligned to their parts.
// `exchanged` says that real and imaginary parts change places on the way in or out, as those of inverse transforms do.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

// A stage of transforms side by side: l, r and m of factors.h, of the stages of these transforms alone.
struct FftStage {
  int64_t before, after;
  int32_t radix;
  // Whether each lane has factors of its own. The lanes are then not transforms, but indices k of one.
  bool by_lane;
  // The factors w(l r, j k), for each k those of j = 1, ..., r - 1. NULL in the first stage of a transform. Those by
  // lane are rows of a block.
  const void *factors;
  const void *odd;  // gpo::fft::OddRoots, for odd radices
};

// Elements in memory: `step` bytes from one element of a transform to the next, `next` bytes from one lane to the next.
struct FftPlaces {
  char *data;
  int64_t step, next;
  int64_t lanes;  // how many there are; the others of a block are zeros, or not stored
};

// The loops of one precision.
struct FftLoops {
  void (*load)(void *block, const FftPlaces &from, int64_t count, bool exchanged);
  void (*store)(const FftPlaces &to, const void *block, int64_t count, double scale, bool exchanged);
  void (*stage)(const FftStage &stage, const void *in, void *out);
  // The first stage of a transform with load(), the last one with store(). For radix 4 and 8, and places whose lanes
  // are a whole block and lie side by side.
  void (*load_stage)(const FftStage &stage, const FftPlaces &from, bool exchanged, void *out);
  void (*store_stage)(const FftStage &stage, const void *in, const FftPlaces &to, double scale, bool exchanged);
  // Exchanges elements and lanes of a block: its rows [b lanes, (b + 1) lanes) go to `to` + b `step`, lane i of them to
  // row i. There are `blocks` times as many rows as lanes, and only the first `count` lanes go there.
  void (*transpose)(char *to, int64_t step, const void *block, int64_t blocks, int64_t count);
  // roots[i] = root(first + i * step, n) in this precision, of `count`.
  void (*roots)(void *roots, int64_t first, int64_t step, int64_t n, int64_t count);
  // x[i] *= by[i], of complex numbers side by side.
  void (*multiply)(void *x, const void *by, int64_t count);
  // to[i] = scale * (from[i] * chirp[i]); only the chirp lies side by side.
  void (*chirp)(const FftPlaces &to, const FftPlaces &from, const void *chirp, int64_t count, double scale,
                bool from_exchanged, bool to_exchanged);
  // The elements 0 to h of a transform of 2 h real numbers, from h complex ones side by side (real.h); roots[k] =
  // root(k, 2 h).
  void (*real_out)(char *to, int64_t step, const void *from, const void *roots, int64_t h, double scale);
  // The way back, without a scale.
  void (*real_in)(void *to, const char *from, int64_t step, const void *roots, int64_t h);
};

// The lanes of a block are 64 bytes.
inline constexpr int64_t kFftRow = 64;

}  // namespace gpuopt::cpu
