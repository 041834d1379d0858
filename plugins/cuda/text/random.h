// plugins/cuda/text/random.h -- kernels that draw random numbers (plugins/shared/random/random_philox.h), with a thread
// for each block of Philox
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_RANDOM_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_RANDOM_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/random/random_philox.h"

namespace gpo {

// Words of every kernel here: 0 the number of elements, 1 the output, 2 to 4 the generator's key, counter and stream,
// 5 and 6 the distribution's parameters.
template <int n>
GPO_FN Philox philox_of(const Words<n> &p) {
  return {p.w[2], p.w[3], p.w[4]};
}

// make() fills a distribution from its parameters. Those of floats are the bits of the type in which they are computed.
template <class C>
GPO_FN C real_of_word(u64 word) {
  if constexpr (sizeof(C) == 8)
    return from_bits(word);
  else
    return from_bits(u32(word));
}
template <class T>
GPO_FN void make(PhiloxUniform<T> &d, u64 low, u64 width) {
  using C = random_compute<T>;
  d.low = real_of_word<C>(low), d.width = real_of_word<C>(width);
}
template <class T>
GPO_FN void make(PhiloxNormal<T> &d, u64 loc, u64 scale) {
  using C = random_compute<T>;
  d.loc = real_of_word<C>(loc), d.scale = real_of_word<C>(scale);
}
template <class T>
GPO_FN void make(PhiloxExponential<T> &d, u64 scale, u64) {
  d.scale = real_of_word<random_compute<T>>(scale);
}
template <class T, class W>
GPO_FN void make(PhiloxIntegerPower<T, W> &d, u64 low, u64 shift) {
  d.low = T(low), d.shift = u32(shift);
}
template <class T>
GPO_FN void make(PhiloxInteger32<T> &d, u64 low, u64 range) {
  d.low = T(low), d.range = u32(range);
}
template <class T>
GPO_FN void make(PhiloxInteger64<T> &d, u64 low, u64 range) {
  d.low = T(low), d.range = range;
}

template <class D, int n>
GPO_FN D distribution_of(const Words<n> &p) {
  D d;
  make(d, p.w[5], p.w[6]);
  return d;
}

// The elements of a block, which are stored at once.
template <class T, u32 count>
struct alignas(sizeof(T) * count) Together {
  T values[count];
};

// Calls store(first, values) with the elements of this thread's block; `first` is the number of the first.
template <class D, int n, class F>
GPO_FN void for_block(const Words<n> &p, F &&store) {
  constexpr u32 count = philox_block_values<D>;
  const u64 block = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (block * count >= p.w[0]) return;
  Together<typename D::Value, count> made;
  philox_block_of(distribution_of<D>(p), philox_of(p), block, made.values);
  store(block * count, made);
}

// Draws elements. `aligned` says that the output is aligned to the size of a block's elements.
template <class D, bool aligned, int n>
GPO_FN void philox_draw(const Words<n> &p) {
  using T = typename D::Value;
  constexpr u32 count = philox_block_values<D>;
  for_block<D>(p, [&](u64 first, const Together<T, count> &made) {
    T *const out = at_bytes<T>(p.w[1], 0) + first;
    if (aligned && first + count <= p.w[0]) {
      *reinterpret_cast<Together<T, count> *>(out) = made;
      return;
    }
#pragma unroll
    for (u32 i = 0; i < count; ++i) {
      if (first + i < p.w[0]) out[i] = made.values[i];
    }
  });
}

// Draws entries of a table, whose positions D draws. Word 7: the table.
template <class D, class U, int n>
GPO_FN void philox_choice(const Words<n> &p) {
  constexpr u32 count = philox_block_values<D>;
  const U *const table = at_bytes<const U>(p.w[7], 0);
  for_block<D>(p, [&](u64 first, const Together<i64, count> &made) {
#pragma unroll
    for (u32 i = 0; i < count; ++i) {
      if (first + i < p.w[0]) at_bytes<U>(p.w[1], 0)[first + i] = table[made.values[i]];
    }
  });
}

// Returns how many entries of a cumulative distribution are <= u, by the steps of legacy_search()
// (plugins/shared/random/random_legacy.h). The last entry is not counted, neither here nor in `size`.
GPO_FN u64 cdf_position(const double *cdf, u64 size, double u) {
  if (size == 0) return 0;
  u64 position = 0;
  for (u64 half; size > 1; size -= half) {
    half = size / 2;
    if (!(cdf[position + half - 1] > u)) position += half;
  }
  return position + !(cdf[position] > u);
}

// Draws entries of a table with given probabilities. Words: 7 the table, 8 the cdf, 9 its size less one.
template <class U, int n>
GPO_FN void philox_choice_cdf(const Words<n> &p) {
  using D = PhiloxUniform<double>;
  const U *const table = at_bytes<const U>(p.w[7], 0);
  for_block<D>(p, [&](u64 first, const Together<double, philox_block_values<D>> &made) {
#pragma unroll
    for (u32 i = 0; i < philox_block_values<D>; ++i) {
      const u64 k = cdf_position(at_bytes<const double>(p.w[8], 0), p.w[9], made.values[i]);
      if (first + i < p.w[0]) at_bytes<U>(p.w[1], 0)[first + i] = table[k];
    }
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_RANDOM_H_
