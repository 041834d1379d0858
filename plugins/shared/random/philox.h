// plugins/shared/random/philox.h -- Philox4x32-10: a block of four random words is a function of a seed and a counter
//
// J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11 (Random123). The key is
// the 64-bit seed; of the 128-bit counter the lower half numbers the blocks of a stream and the upper half is the
// stream.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_H_

#include "plugins/shared/prelude.h"
#if !defined(__CUDACC__) && !defined(GPO_HOST_KERNELS)
#include "plugins/shared/random/philox_lanes.h"
#endif

namespace gpo {

struct PhiloxBlock {
  u32 word[4];
};

inline constexpr u32 philox_multiplier[2] = {0xd2511f53u, 0xcd9e8d57u};
// Added to the key after each round: the golden ratio and sqrt(3) - 1.
inline constexpr u32 philox_weyl[2] = {0x9e3779b9u, 0xbb67ae85u};

GPO_FN PhiloxBlock philox_block(u64 seed, u64 stream, u64 block) {
  u32 c0 = u32(block), c1 = u32(block >> 32), c2 = u32(stream), c3 = u32(stream >> 32);
  u32 k0 = u32(seed), k1 = u32(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = u64(philox_multiplier[0]) * c0, p1 = u64(philox_multiplier[1]) * c2;
    c0 = u32(p1 >> 32) ^ c1 ^ k0;
    c1 = u32(p1);
    c2 = u32(p0 >> 32) ^ c3 ^ k1;
    c3 = u32(p0);
    k0 += philox_weyl[0];
    k1 += philox_weyl[1];
  }
  return {{c0, c1, c2, c3}};
}

#if !defined(__CUDACC__) && !defined(GPO_HOST_KERNELS)

// The number of blocks that philox_tile() makes.
inline constexpr u32 philox_tile_blocks = 64;

// The blocks as 32-bit words, or as 64-bit ones whose lower half is the first word. All supported processors are
// little-endian.
union PhiloxTile {
  u32 w32[4 * philox_tile_blocks];
  u64 w64[2 * philox_tile_blocks];
};

#if defined(GPO_PHILOX_LANES)
// Makes the blocks from `first` on, two vectors at a time, whose rounds overlap.
GPO_FN void philox_tile(u64 seed, u64 stream, u64 first, PhiloxTile &tile) {
  using L = PhiloxLanes;
  const L::V m0 = L::all(philox_multiplier[0]), m1 = L::all(philox_multiplier[1]);
  for (u32 b = 0; b < philox_tile_blocks; b += 2 * L::count) {
    L::V c0[2], c1[2], c2[2], c3[2];
    for (u32 i = 0; i < 2; ++i) {
      c0[i] = L::counting(first + b + i * L::count);
      c1[i] = L::upper(c0[i]);
      c2[i] = L::all(u32(stream));
      c3[i] = L::all(u32(stream >> 32));
    }
#pragma GCC unroll 10
    for (u32 round = 0; round < 10; ++round) {
      const L::V k0 = L::all(u32(seed) + round * philox_weyl[0]), k1 = L::all(u32(seed >> 32) + round * philox_weyl[1]);
#pragma GCC unroll 2
      for (u32 i = 0; i < 2; ++i) {
        const L::V p0 = L::multiply(c0[i], m0), p1 = L::multiply(c2[i], m1);
        c0[i] = L::exclusive_or(L::upper(p1), c1[i], k0);
        c1[i] = p1;
        c2[i] = L::exclusive_or(L::upper(p0), c3[i], k1);
        c3[i] = p0;
      }
    }
    for (u32 i = 0; i < 2; ++i)
      L::store_zipped(tile.w32 + 4 * (b + i * L::count), L::pair(c0[i], c1[i]), L::pair(c2[i], c3[i]));
  }
}
#else
GPO_FN void philox_tile(u64 seed, u64 stream, u64 first, PhiloxTile &tile) {
  for (u32 b = 0; b < philox_tile_blocks; ++b) {
    const PhiloxBlock block = philox_block(seed, stream, first + b);
    for (u32 i = 0; i < 4; ++i) tile.w32[4 * b + i] = block.word[i];
  }
}
#endif

#endif

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_H_
