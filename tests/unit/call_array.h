// tests/unit/call_array.h -- arrays in odd layouts, and calls with them, for tests of plugins.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/shared/host/tensor.h"

namespace gpuopt::test {

using Shape = std::vector<int64_t>;

inline int64_t count_of(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// kOffAlignment: the first element is half an element off; kOddRows: rows are half an element longer.
enum class Layout { kC, kFortran, kReversed, kGaps, kShuffled, kBroadcast, kOffAlignment, kOddRows };
inline constexpr Layout kLayouts[] = {Layout::kC,    Layout::kFortran,  Layout::kReversed,
                                      Layout::kGaps, Layout::kShuffled, Layout::kBroadcast};
inline constexpr Layout kWritableLayouts[] = {Layout::kC, Layout::kFortran, Layout::kReversed, Layout::kGaps,
                                              Layout::kShuffled};

// Storage plus a strided view of it. Bytes that belong to no element are there to be left alone: compare whole
// storages.
class Array {
 public:
  Array(int32_t dtype, Shape shape, Layout layout = Layout::kC, unsigned seed = 1)
      : dtype_(dtype), shape_(std::move(shape)), strides_(shape_.size()) {
    const int64_t element = plugin::element_size(dtype);
    std::vector<size_t> order(shape_.size());  // axes from the outermost in memory to the innermost
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937 random(seed);
    if (layout == Layout::kFortran) std::reverse(order.begin(), order.end());
    if (layout == Layout::kShuffled) std::shuffle(order.begin(), order.end(), random);
    int64_t step = element * (layout == Layout::kGaps ? 3 : 1);
    for (size_t i = order.size(); i-- > 0;) {
      const size_t axis = order[i];
      strides_[axis] = layout == Layout::kBroadcast && axis % 2 == 0 ? 0 : step;
      step *= std::max<int64_t>(shape_[axis], 1) + (layout == Layout::kGaps ? 1 : 0);
      if (layout == Layout::kOddRows && i + 1 == order.size()) step += element / 2;
    }
    if (layout == Layout::kOffAlignment) first_ = element / 2;
    for (size_t axis = 0; axis < shape_.size(); axis++) {
      const bool flip = layout == Layout::kReversed || (layout == Layout::kShuffled && random() % 2);
      if (!flip || shape_[axis] < 1) continue;
      first_ += strides_[axis] * (shape_[axis] - 1);
      strides_[axis] = -strides_[axis];
    }
    storage_.resize(step + 64);
    for (auto &byte : storage_) byte = static_cast<unsigned char>(random());
  }

  gpuopt_tensor tensor() { return tensor_at(storage_.data()); }
  // The same view of a copy of the storage.
  gpuopt_tensor tensor_at(void *storage) const {
    return {static_cast<unsigned char *>(storage) + kGuard + first_, dtype_, static_cast<int32_t>(shape_.size()),
            shape_.data(), strides_.data()};
  }
  std::vector<unsigned char> &storage() { return storage_; }

  const Shape &shape() const { return shape_; }
  int64_t size() const { return count_of(shape_); }

  // The element at a position in C order, as bytes and as a value.
  unsigned char *at(int64_t position) {
    int64_t offset = kGuard + first_;
    for (size_t axis = shape_.size(); axis-- > 0; position /= shape_[axis]) {
      offset += position % shape_[axis] * strides_[axis];
    }
    return storage_.data() + offset;
  }
  template <typename T>
  T get(int64_t position) {
    T value;
    std::memcpy(&value, at(position), sizeof(T));
    return value;
  }
  template <typename T>
  void set(int64_t position, T value) {
    std::memcpy(at(position), &value, sizeof(T));
  }

  // Copies element bytes between arrays of one dtype.
  void copy_from(int64_t position, Array &other, int64_t other_position) {
    std::memcpy(at(position), other.at(other_position), static_cast<size_t>(plugin::element_size(dtype_)));
  }

  bool operator==(const Array &other) const { return storage_ == other.storage_; }

 private:
  static constexpr int64_t kGuard = 32;
  int32_t dtype_;
  Shape shape_, strides_;
  int64_t first_ = 0;
  std::vector<unsigned char> storage_;
};

// A call with its tensors, integers and numbers.
class Call {
 public:
  Call(int32_t kind, std::vector<gpuopt_tensor> tensors, std::vector<int64_t> ints = {},
       std::vector<double> floats = {})
      : tensors_(std::move(tensors)), ints_(std::move(ints)), floats_(std::move(floats)) {
    call_.struct_size = sizeof(call_);
    call_.kind = kind;
    call_.ntensors = static_cast<int32_t>(tensors_.size());
    call_.nints = static_cast<int32_t>(ints_.size());
    call_.tensors = tensors_.data();
    call_.ints = ints_.data();
    call_.nfloats = static_cast<int32_t>(floats_.size());
    call_.floats = floats_.data();
  }
  const gpuopt_call &operator*() const { return call_; }
  int64_t integer(size_t i) const { return ints_[i]; }

 private:
  std::vector<gpuopt_tensor> tensors_;
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  gpuopt_call call_{};
};

// Makes a call with these arrays as tensors and leaves in them, and in the integers, what the call made of them.
using RunCall = std::function<gpuopt_status(int32_t kind, const std::vector<Array *> &arrays,
                                            std::vector<int64_t> &ints, gpuopt_error *error)>;

inline void run_well(const RunCall &run, int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> ints) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(run(kind, arrays, ints, &error), GPUOPT_OK) << error.message;
}

}  // namespace gpuopt::test
