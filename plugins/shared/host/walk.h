// plugins/shared/host/walk.h -- the elements of a shape in C order, for several operands with byte strides of their
// own.
#pragma once

#include <gpuopt/types.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace gpuopt::plugin {

// Adjacent axes are merged if every operand allows it, so that runs along the innermost one are long. A range of the
// elements can be walked alone, which is how work is divided among threads.
template <size_t operands>
class Walk {
 public:
  using Offsets = std::array<int64_t, operands>;  // bytes from each operand's first element
  using Strides = std::array<const int64_t *, operands>;

  Walk(int32_t ndim, const int64_t *shape, const Strides &strides) noexcept {
    for (int32_t axis = 0; axis < ndim; axis++) {
      Offsets steps;
      for (size_t j = 0; j < operands; j++) steps[j] = strides[j][axis];
      append(shape[axis], steps);
    }
  }

  int64_t size() const noexcept {
    int64_t size = 1;
    for (int32_t axis = 0; axis < ndim_; axis++) size *= shape_[axis];
    return size;
  }

  // The innermost axis after merging.
  int64_t inner_size() const noexcept { return shape_[ndim_ - 1]; }
  int64_t inner_stride(size_t operand) const noexcept { return strides_[ndim_ - 1][operand]; }
  bool is_one_run() const noexcept { return ndim_ == 1; }

  // All axes after merging: at least one.
  int32_t ndim() const noexcept { return ndim_; }
  int64_t size(int32_t axis) const noexcept { return shape_[axis]; }
  int64_t stride(int32_t axis, size_t operand) const noexcept { return strides_[axis][operand]; }

  // Calls body(position, offsets, count) for the elements [begin, end) in order: `count` of them, at least 1, from
  // `position` on, which lie at `offsets` and inner_stride() apart. Elements behind the last are a mistake of the
  // caller: they fail an assertion, and are left out in builds without assertions.
  template <typename Body>
  void runs(int64_t begin, int64_t end, Body &&body) const {
    assert(0 <= begin && end <= size() && "a walk stays inside its shape");
    end = std::min(end, size());
    if (begin >= end) return;
    int64_t index[kMaxAxes];
    Offsets offsets = locate(begin, index);
    const int32_t last = ndim_ - 1;
    while (true) {
      const int64_t count = std::min(shape_[last] - index[last], end - begin);
      assert(count > 0 && "a walk advances");
      body(begin, offsets, count);
      begin += count;
      if (begin >= end) return;
      rewind(offsets, last, index[last]);
      index[last] = 0;
      for (int32_t axis = last - 1;; axis--) {
        step(offsets, axis);
        if (++index[axis] < shape_[axis]) break;
        rewind(offsets, axis, shape_[axis]);
        index[axis] = 0;
      }
    }
  }

 private:
  static constexpr int32_t kMaxAxes = 2 * GPUOPT_MAX_NDIM;

  void append(int64_t size, const Offsets &steps) noexcept {
    if (size == 1) return;
    int32_t &n = ndim_;
    if (fresh_) {
      fresh_ = false;
      n = 0;
    } else if (continues(size, steps)) {
      shape_[n - 1] *= size;
      strides_[n - 1] = steps;
      return;
    }
    shape_[n] = size;
    strides_[n++] = steps;
  }

  // Returns whether the last axis and one of `size` inside it are one axis for every operand.
  bool continues(int64_t size, const Offsets &steps) const noexcept {
    for (size_t j = 0; j < operands; j++) {
      if (strides_[ndim_ - 1][j] != steps[j] * size) return false;
    }
    return true;
  }

  // Returns the offsets of an element, and fills `index` with its coordinates.
  Offsets locate(int64_t position, int64_t (&index)[kMaxAxes]) const noexcept {
    Offsets offsets{};
    for (int32_t axis = ndim_ - 1; axis >= 0; axis--) {
      index[axis] = position % shape_[axis];
      position /= shape_[axis];
      for (size_t j = 0; j < operands; j++) offsets[j] += index[axis] * strides_[axis][j];
    }
    return offsets;
  }

  void step(Offsets &offsets, int32_t axis) const noexcept {
    for (size_t j = 0; j < operands; j++) offsets[j] += strides_[axis][j];
  }
  void rewind(Offsets &offsets, int32_t axis, int64_t steps) const noexcept {
    for (size_t j = 0; j < operands; j++) offsets[j] -= steps * strides_[axis][j];
  }

  // A shape without axes, or with axes of size 1 only, is one element along one axis.
  int32_t ndim_ = 1;
  bool fresh_ = true;
  int64_t shape_[kMaxAxes] = {1};
  Offsets strides_[kMaxAxes] = {};
};

}  // namespace gpuopt::plugin
