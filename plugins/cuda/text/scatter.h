// plugins/cuda/text/scatter.h -- kernels that write through masks and index arrays, beside those of gather.h
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_SCATTER_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_SCATTER_H_

#include "plugins/cuda/text/walk.h"

namespace gpo {

// Copies a unit wherever the mask is true. Words: 0 the number of units, 1 the mask, 2 the values, 3 the output; then a
// walk of (mask, values, output).
template <class I, class U, int rank, int n>
GPO_FN void mask_fill(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[3];
    locate<4, rank, 3>(p, position, offsets);
    if (*at_bytes<const u8>(p.w[1], offsets[0]))
      *at_bytes<U>(p.w[3], offsets[2]) = *at_bytes<const U>(p.w[2], offsets[1]);
  });
}

// ---- The last of equal indices ----
//
// Where several indices name the same place, the last one wins. index_note enters the position of each index, plus one,
// for its place, and the largest stays: in a table with an entry for every place of the axis or, if the axis is long,
// in a hash table (open addressing, linear probing) of at least twice as many entries as indices. The key of an entry
// there is its place plus one; 0 marks an empty one.
//
// Words: 0 the number of indices, 1 their address, 2 the size of the axis, 3 the table of positions (I each, zeroed), 4
// the hash table's keys (u64 each, zeroed), 5 its entries less one, 6 the list of targets; a walk from 7 on.

GPO_FN u64 hash_of(u64 place) {
  place *= 0x9e3779b97f4a7c15u;  // Fibonacci hashing; the upper half is the better one
  return place >> 32 ^ place;
}

// Returns the place along the axis of the index at `position`.
template <class I, int rank, int n>
GPO_FN i64 place_of_index(const Words<n> &p, I position) {
  i64 offsets[1];
  locate<7, rank, 1>(p, position, offsets);
  const i64 index = *at_bytes<const i64>(p.w[1], offsets[0]);
  return index < 0 ? index + i64(p.w[2]) : index;
}

template <class I, int rank, bool hashed, int n>
GPO_FN void index_note(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    u64 entry = u64(place_of_index<I, rank>(p, position));
    if constexpr (hashed) {
      const u64 key = entry + 1;
      for (entry = hash_of(entry) & p.w[5];; entry = (entry + 1) & p.w[5]) {
        const u64 found = atomicCAS(at_bytes<u64>(p.w[4], 0) + entry, u64(0), key);
        if (found == 0 || found == key) break;
      }
    }
    atomicMax(at_bytes<I>(p.w[3], 0) + entry, I(position + 1));
  });
}

// Writes to targets[position] the place of the index there, or -1 if a later index has the same place.
template <class I, int rank, bool hashed, int n>
GPO_FN void index_targets(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    const i64 place = place_of_index<I, rank>(p, position);
    u64 entry = u64(place);
    if constexpr (hashed) {
      for (entry = hash_of(entry) & p.w[5]; at_bytes<const u64>(p.w[4], 0)[entry] != u64(place) + 1;)
        entry = (entry + 1) & p.w[5];
    }
    at_bytes<i64>(p.w[6], 0)[position] = at_bytes<const I>(p.w[3], 0)[entry] == I(position + 1) ? place : -1;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_SCATTER_H_
