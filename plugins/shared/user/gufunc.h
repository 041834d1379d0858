// plugins/shared/user/gufunc.h -- what the function of a generalized ufunc is given of an operand: its core dimensions
// at one position of the loop
#ifndef GPUOPT_PLUGINS_SHARED_USER_GUFUNC_H_
#define GPUOPT_PLUGINS_SHARED_USER_GUFUNC_H_

#include "plugins/shared/user/arrays.h"

namespace gpo {
namespace user {

// The core part of an operand. `sizes` and `steps` (strides in bytes) are those of the operand's last dimensions.
template <class T, int ndim>
class array {
 public:
  GPO_FN array(T *data, const i64 *sizes, const i64 *steps) : data_(data), sizes_(sizes), steps_(steps) {}
  GPO_FN i64 shape(int d) const { return sizes_[d]; }
  GPO_FN i64 size() const {
    i64 n = 1;
    for (int d = 0; d < ndim; d++) n *= sizes_[d];
    return n;
  }
  template <class... I>
  GPO_FN T &operator()(I... index) const {
    static_assert(sizeof...(I) == ndim, "an index has as many parts as the array has core dimensions");
    const i64 at[] = {i64(index)..., 0};
    i64 offset = 0;
    for (int d = 0; d < ndim; d++) offset += at[d] * steps_[d];
    return element_at(data_, offset);
  }
  // For one dimension; for none, out[0].
  GPO_FN T &operator[](i64 index) const {
    static_assert(ndim <= 1, "a[i] is of one dimension; others are indexed as a(i, j)");
    return ndim ? element_at(data_, index * steps_[0]) : *data_;
  }

 private:
  T *data_;
  const i64 *sizes_, *steps_;
};

// Returns the operand's core part at position `i` of the loop, whose dimensions are the first ones.
template <int rank, class T, int ndim>
GPO_FN array<T, rank> output_at(const Raw<T, ndim> &operand, i64 i) {
  i64 offset = 0;
  for (int d = ndim - rank - 1; d > 0; d--) {
    offset += i % operand.sizes[d] * operand.steps[d];
    i /= operand.sizes[d];
  }
  if (ndim > rank) offset += i * operand.steps[0];
  return {&element_at(operand.data, offset), operand.sizes + (ndim - rank), operand.steps + (ndim - rank)};
}
// As output_at(), but an input without core dimensions is passed as its value.
template <int rank, class T, int ndim>
GPO_FN auto input_at(const Raw<T, ndim> &operand, i64 i) {
  if constexpr (rank == 0) {
    return output_at<0>(operand, i)();
  } else {
    return output_at<rank>(operand, i);
  }
}

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_GUFUNC_H_
