// plugins/shared/user/stencil.h -- inputs of stencils, which are read relative to the position of the loop
#ifndef GPUOPT_PLUGINS_SHARED_USER_STENCIL_H_
#define GPUOPT_PLUGINS_SHARED_USER_STENCIL_H_

#include "plugins/shared/user/arrays.h"

namespace gpo {
namespace user {

// GPUOPT_STENCIL_*; kInside is for positions where no index leaves the array.
enum StencilMode { kConstant, kReflect, kNearest, kWrap, kInside };

// Returns the index in [0, n) for one that may be outside, by scipy.ndimage's modes of these names; -1 for none.
template <int mode>
GPO_FN i64 found_at(i64 index, i64 n) {
  if constexpr (mode == kInside) return index;
  if (index >= 0 && index < n) return index;
  if constexpr (mode == kConstant) return -1;
  if constexpr (mode == kNearest) return index < 0 ? 0 : n - 1;
  const i64 period = mode == kReflect ? 2 * n : n;
  index %= period;
  if (index < 0) index += period;
  return index < n ? index : period - 1 - index;
}

template <int mode, class T, int ndim>
class Relative {
 public:
  GPO_FN Relative(const Raw<const T, ndim> &array, const i64 *place) : array_(array), place_(place) {}
  template <class... I>
  GPO_FN const T operator()(I... index) const {
    static_assert(sizeof...(I) == ndim, "an index has as many parts as the array has dimensions");
    const i64 parts[] = {i64(index)..., 0};
    i64 offset = 0;
    for (int d = 0; d < ndim; d++) {
      const i64 at = found_at<mode>(place_[d] + parts[d], array_.sizes[d]);
      if (mode == kConstant && at < 0) return T();  // beyond the neighborhood that the kernel has declared
      offset += at * array_.steps[d];
    }
    return element_at(array_.data, offset);
  }
  GPO_FN const T operator[](i64 index) const { return (*this)(index); }

 private:
  const Raw<const T, ndim> &array_;
  const i64 *place_;
};
template <int mode, class T, int ndim>
GPO_FN Relative<mode, T, ndim> relative(const Raw<const T, ndim> &array, const i64 *place) {
  return {array, place};
}

// Returns whether the whole neighborhood of a position, from `low` to `high` relative to it, lies in the array.
template <class T, int ndim>
GPO_FN bool is_inside(const Raw<T, ndim> &array, const i64 *place, const i64 *low, const i64 *high) {
  bool inside = true;
  for (int d = 0; d < ndim; d++) inside = inside && place[d] + low[d] >= 0 && place[d] + high[d] < array.sizes[d];
  return inside;
}

}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_USER_STENCIL_H_
