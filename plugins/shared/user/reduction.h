// plugins/shared/user/reduction.h -- reductions by user kernels, in the fixed shape of the library's own
// (reduce_shape.h): the same bits on every device, whatever the threads
//
// The core writes a Body for each kernel (core/kernels/text/kernel_text.cpp):
//   gpuopt_Result, gpuopt_Row            a partial result; where the elements of a sequence are
//   gpuopt_Row gpuopt_row(i64 sequence), gpuopt_Result gpuopt_map(gpuopt_Row, i64 j)
//   static gpuopt_Result gpuopt_combine(gpuopt_Result, gpuopt_Result), gpuopt_identity()
//   void gpuopt_finish(i64 sequence, gpuopt_Result)
// Other names would hide those of the functions that the kernel's author calls in it.
#ifndef GPUOPT_PLUGINS_SHARED_USER_REDUCTION_H_
#define GPUOPT_PLUGINS_SHARED_USER_REDUCTION_H_

#include "plugins/shared/reduce_shape.h"
#include "plugins/shared/user/arrays.h"

namespace gpo {
namespace user {

// An input, with its strides along the axes that stay (outer) and those that are reduced (inner). If `packed`, it is
// contiguous along the latter.
template <class T, int outer, int inner, bool packed>
struct Reduced {
  T *data;
  i64 outer_strides[places<outer>], inner_strides[places<inner>];
  GPO_FN T *row(const Place<outer> &place) const {
    i64 offset = 0;
    for (int d = 0; d < outer; d++) offset += place.at[d] * outer_strides[d];
    return &element_at(data, offset);
  }
  GPO_FN T &at(T *row, i64 j, const Sizes<inner> &sizes) const {
    if constexpr (packed) return row[j];
    const Place<inner> place(j, sizes);
    i64 offset = 0;
    for (int d = 0; d < inner; d++) offset += place.at[d] * inner_strides[d];
    return element_at(row, offset);
  }
};

struct Sequences {
  i64 count, length;
  GPO_FN i64 chunks() const { return (length + reduce_chunk - 1) / reduce_chunk; }
  GPO_FN int size_of(i64 chunk) const {
    const i64 rest = length - chunk * reduce_chunk;
    return rest < reduce_chunk ? int(rest) : reduce_chunk;
  }
};

// Gives Body::gpuopt_combine the name by which combine_lanes() calls it.
template <class Body>
struct Combining {
  template <class Result>
  GPO_FN static Result combine(const Result &a, const Result &b) {
    return Body::gpuopt_combine(a, b);
  }
};

// Space for a partial result; the core allocates it without knowing the type.
inline constexpr int partial_bytes = 32;  // kPartialBytes of core/kernels/kernel_reduction.cpp
template <class Result>
GPO_FN Result &partial_at(void *partials, i64 number) {
  static_assert(sizeof(Result) <= partial_bytes, "reduce_type has 32 bytes at most");
  return *reinterpret_cast<Result *>(static_cast<char *>(partials) + number * partial_bytes);
}

#if defined(GPO_HOST_KERNELS) && !defined(GPO_RAW_KERNEL)

template <class Body>
GPO_FN typename Body::gpuopt_Result fold_chunk(const Body &body, const typename Body::gpuopt_Row &row, i64 first,
                                               int size) {
  typename Body::gpuopt_Result lane[reduce_lanes];
  const int present = size < reduce_lanes ? size : reduce_lanes;
  for (int l = 0; l < present; l++) lane[l] = body.gpuopt_map(row, first + l);
  int t = reduce_lanes;
  for (; t + reduce_lanes <= size; t += reduce_lanes)
    for (int l = 0; l < reduce_lanes; l++) lane[l] = Body::gpuopt_combine(lane[l], body.gpuopt_map(row, first + t + l));
  for (int l = 0; t + l < size; l++) lane[l] = Body::gpuopt_combine(lane[l], body.gpuopt_map(row, first + t + l));
  return combine_lanes<Combining<Body>>(lane, present);
}

// for_units() calls use(unit) for the units of this thread of the host, or of this warp of a GPU. has_result() returns
// whether the calling thread has the result of fold_chunk().
template <class Use>
GPO_FN void for_units(i64 units, Use use) {
  for (i64 unit = first_index(units), last = last_index(units); unit < last; unit++) use(unit);
}
GPO_FN bool has_result() { return true; }

#else

GPO_FN void copy_bytes(void *to, const void *from, int count) {
  for (int k = 0; k < count; k++) static_cast<char *>(to)[k] = static_cast<const char *>(from)[k];
}
template <class Result>
GPO_FN Result shuffle_down(const Result &x, int by) {
  u32 words[(sizeof(Result) + 3) / 4] = {};
  copy_bytes(words, &x, sizeof(Result));
  for (u32 &word : words) word = __shfl_down_sync(0xffffffffu, word, by);
  Result other;
  copy_bytes(&other, words, sizeof(Result));
  return other;
}

template <class Body>
GPO_FN typename Body::gpuopt_Result fold_chunk(const Body &body, const typename Body::gpuopt_Row &row, i64 first,
                                               int size) {
  const int lane = threadIdx.x % reduce_lanes;
  typename Body::gpuopt_Result acc = body.gpuopt_map(row, first + (lane < size ? lane : 0));
  for (int t = reduce_lanes + lane; t < size; t += reduce_lanes)
    acc = Body::gpuopt_combine(acc, body.gpuopt_map(row, first + t));
  for (int s = reduce_lanes / 2; s > 0; s /= 2) {
    const typename Body::gpuopt_Result other = shuffle_down(acc, s);
    if (lane + s < size) acc = Body::gpuopt_combine(acc, other);
  }
  return acc;
}

template <class Use>
GPO_FN void for_units(i64 units, Use use) {
  const i64 thread = i64(blockIdx.x) * blockDim.x + threadIdx.x, warps = i64(gridDim.x) * blockDim.x / reduce_lanes;
  for (i64 unit = thread / reduce_lanes; unit < units; unit += warps) use(unit);
}
GPO_FN bool has_result() { return threadIdx.x % reduce_lanes == 0; }

#endif

// Merges the chunk results of a sequence in rounds of neighbouring pairs (merges_after()).
template <class Body>
GPO_FN typename Body::gpuopt_Result merge_chunks(void *partials, i64 first, i64 chunks) {
  using Result = typename Body::gpuopt_Result;
  Result pending[64];
  int count = 0;
  for (i64 chunk = 0; chunk < chunks; chunk++) {
    Result x = partial_at<Result>(partials, first + chunk);
    for (int merges = merges_after(chunk); merges > 0; merges--) x = Body::gpuopt_combine(pending[--count], x);
    pending[count++] = x;
  }
  Result x = pending[--count];
  while (count > 0) x = Body::gpuopt_combine(pending[--count], x);
  return x;
}

// What a launch does: folds chunks, and finishes sequences of one; or merges chunks and finishes; or finishes empty
// sequences.
enum Stage { stage_fold, stage_merge, stage_empty };

template <class Body>
GPO_FN void reduce(const Body &body, void *partials, const Sequences &of, int stage) {
  const i64 chunks = of.chunks();
  if (stage == stage_fold) {
    for_units(of.count * chunks, [&](i64 unit) {
      const i64 sequence = unit / chunks, chunk = unit % chunks;
      const auto x = fold_chunk(body, body.gpuopt_row(sequence), chunk * reduce_chunk, of.size_of(chunk));
      if (!has_result()) return;
      if (chunks == 1) {
        body.gpuopt_finish(sequence, x);
      } else {
        partial_at<typename Body::gpuopt_Result>(partials, unit) = x;
      }
    });
    return;
  }
  for (i64 k = first_index(of.count); k < last_index(of.count); k += index_step()) {
    if (stage == stage_merge) {
      body.gpuopt_finish(k, merge_chunks<Body>(partials, k * chunks, chunks));
    } else {
      body.gpuopt_finish(k, Body::gpuopt_identity());
    }
  }
}

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_REDUCTION_H_
