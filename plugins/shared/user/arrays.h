// plugins/shared/user/arrays.h -- arrays in user kernels: operands that are read and written at the loop's position,
// and raw parameters, which the kernel indexes itself
//
// Shapes and strides (in bytes) are parameters of the kernel, so that one compilation serves all arrays of a rank.
#ifndef GPUOPT_PLUGINS_SHARED_USER_ARRAYS_H_
#define GPUOPT_PLUGINS_SHARED_USER_ARRAYS_H_

#include "plugins/shared/user/types.h"

namespace gpo {
namespace user {

// The loop's positions that a thread takes: from first_index() to last_index(), in steps of index_step(). On a GPU
// neighbouring threads take neighbouring positions; a thread of the host takes those of its blocks, in order.
#if defined(GPO_HOST_KERNELS) && !defined(GPO_RAW_KERNEL)
GPO_FN i64 first_index(i64 n) { return gpuopt_position(n, 0); }
GPO_FN i64 last_index(i64 n) { return gpuopt_position(n, 1); }
GPO_FN i64 index_step() { return 1; }
#else
GPO_FN i64 first_index(i64) { return i64(blockIdx.x) * blockDim.x + threadIdx.x; }
GPO_FN i64 last_index(i64 n) { return n; }
GPO_FN i64 index_step() { return i64(gridDim.x) * blockDim.x; }
#endif

// Returns the element `offset` bytes from another.
template <class T>
GPO_FN T &element_at(T *data, i64 offset) {
  return *(T *)((char *)data + offset);  // no cast to an integer, so that loops over elements may be vectorised
}

// The length of an array with an element for each dimension; an array needs one at least.
template <int ndim>
inline constexpr int places = ndim ? ndim : 1;

template <int ndim>
struct Sizes {
  i64 of[places<ndim>];
};

// The coordinates of the position `i`, in C order; or of the one `k` further in the same row.
template <int ndim>
struct Place {
  i64 at[places<ndim>];
  GPO_FN Place(const Place &row, i64 k) : Place(row) { at[places<ndim> - 1] += k; }
  GPO_FN Place(i64 i, const Sizes<ndim> &sizes) {
    for (int d = ndim - 1; d > 0; d--) {
      at[d] = i % sizes.of[d];
      i /= sizes.of[d];
    }
    at[0] = i;
  }
};

// row_length() returns how many of the next n positions a thread takes in one go, in the row of `place`; row_step() how
// far it is to its next one after these.
#if defined(GPO_HOST_KERNELS) && !defined(GPO_RAW_KERNEL)
template <int ndim>
GPO_FN i64 row_length(const Place<ndim> &place, const Sizes<ndim> &sizes, i64 n) {
  if (ndim == 0) return n;
  const i64 left = sizes.of[places<ndim> - 1] - place.at[places<ndim> - 1];
  return left < n ? left : n;
}
GPO_FN i64 row_step(i64 length) { return length; }
#else
template <int ndim>
GPO_FN i64 row_length(const Place<ndim> &, const Sizes<ndim> &, i64) {
  return 1;
}
GPO_FN i64 row_step(i64) { return index_step(); }
#endif

// An operand that is contiguous in the loop's own order, and one with any strides (0 where it is broadcast).
template <class T>
struct Packed {
  T *data;
  GPO_FN T &at(i64 i) const { return data[i]; }
};
template <class T, int ndim>
struct Strided {
  T *data;
  i64 strides[places<ndim>];
  GPO_FN T &at(const Place<ndim> &place) const {
    i64 offset = 0;
    for (int d = 0; d < ndim; d++) offset += place.at[d] * strides[d];
    return element_at(data, offset);
  }
};

// `_ind` of a kernel: the size of the loop, and the coordinates of its position.
template <int ndim>
class Indexer {
 public:
  GPO_FN Indexer(i64 size, const Sizes<ndim> &sizes, i64 i = 0) : size_(size), sizes_(sizes), place_(i, sizes) {}
  GPO_FN Indexer(const Indexer &row, i64 k) : size_(row.size_), sizes_(row.sizes_), place_(row.place_, k) {}
  GPO_FN i64 row_length(i64 n) const { return gpo::user::row_length(place_, sizes_, n); }
  GPO_FN i64 size() const { return size_; }
  GPO_FN const i64 *get() const { return place_.at; }

 private:
  i64 size_;
  const Sizes<ndim> &sizes_;
  Place<ndim> place_;
};

// A raw parameter: a[flat] in C order of the array whatever its strides, a[index] with `long long index[ndim]`.
template <class T, int ndim>
struct Raw {
  T *data;
  i64 elements;
  i64 sizes[places<ndim>], steps[places<ndim>];
  i64 packed;
  GPO_FN i64 size() const { return elements; }
  GPO_FN const i64 *shape() const { return sizes; }
  GPO_FN const i64 *strides() const { return steps; }
  GPO_FN T &operator[](i64 flat) const {
    if (packed) return data[flat];
    i64 offset = 0;
    for (int d = ndim - 1; d > 0; d--) {
      offset += flat % sizes[d] * steps[d];
      flat /= sizes[d];
    }
    return element_at(data, offset + (ndim ? flat * steps[0] : 0));
  }
  template <class I, int n>
  GPO_FN T &operator[](const I (&index)[n]) const {
    static_assert(n == ndim, "an index has as many parts as the array has dimensions");
    i64 offset = 0;
    for (int d = 0; d < ndim; d++) offset += i64(index[d]) * steps[d];
    return element_at(data, offset);
  }
};

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_ARRAYS_H_
