// tests/unit/core_naive_model.h -- what arrays are meant to do, computed at once, one element at a time, on plain
// buffers.
//
// Every operation reads all of its operands into vectors before it writes anything: NumPy's rule for overlapping
// operands.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "core/array/dtype.h"
#include "tests/unit/cpu_program_reference.h"

namespace gpuopt::test {

using Bytes = std::vector<unsigned char>;
using Sizes = std::vector<int64_t>;

// Elements of one dtype in C order.
struct Elements {
  int dtype = 0;
  Sizes shape;
  Bytes bytes;
  int64_t count() const { return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()); }
  unsigned char *at(int64_t i) { return bytes.data() + i * size_of(dtype); }
  const unsigned char *at(int64_t i) const { return bytes.data() + i * size_of(dtype); }
};

inline Elements make_elements(int dtype, Sizes shape) {
  Elements e{dtype, std::move(shape), {}};
  e.bytes.resize(static_cast<size_t>(e.count() * size_of(dtype)) + 16);
  return e;
}

// A view of a shared buffer.
struct NaiveArray {
  std::shared_ptr<Bytes> buffer;
  int dtype = 0;
  Sizes shape, strides;
  int64_t offset = 0;

  int64_t position(int64_t flat) const {
    int64_t at = offset;
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
      at += flat % shape[d] * strides[d];
      flat /= shape[d];
    }
    return at;
  }
  Elements read() const {
    Elements e = make_elements(dtype, shape);
    for (int64_t i = 0; i < e.count(); ++i) std::memcpy(e.at(i), buffer->data() + position(i), size_of(dtype));
    return e;
  }
  void write(const Elements &e) {
    for (int64_t i = 0; i < e.count(); ++i) std::memcpy(buffer->data() + position(i), e.at(i), size_of(dtype));
  }
};

inline NaiveArray fresh(const Elements &e) {
  NaiveArray a{std::make_shared<Bytes>(e.bytes), e.dtype, e.shape, Sizes(e.shape.size()), 0};
  int64_t stride = size_of(e.dtype);
  for (int d = static_cast<int>(e.shape.size()) - 1; d >= 0; --d) {
    a.strides[d] = stride;
    if (e.shape[d] > 1) stride *= e.shape[d];
  }
  return a;
}

inline Elements naive_cast(const Elements &x, int dtype) {
  Elements r = make_elements(dtype, x.shape);
  for (int64_t i = 0; i < x.count(); ++i) cast_element(r.at(i), dtype, x.at(i), x.dtype);
  return r;
}

// x read at an index of a shape it broadcasts to.
inline int64_t broadcast_index(const Sizes &from, const Sizes &to, int64_t flat) {
  int64_t result = 0, stride = 1;
  for (int i = static_cast<int>(to.size()) - 1, k = static_cast<int>(from.size()) - 1; k >= 0; --i, --k) {
    const int64_t at = i >= 0 ? flat % to[i] : 0;
    if (i >= 0) flat /= to[i];
    if (from[k] != 1) result += at * stride;
    stride *= from[k];
  }
  return result;
}

inline Elements naive_broadcast(const Elements &x, const Sizes &shape) {
  Elements r = make_elements(x.dtype, shape);
  for (int64_t i = 0; i < r.count(); ++i)
    std::memcpy(r.at(i), x.at(broadcast_index(x.shape, shape, i)), size_of(x.dtype));
  return r;
}

// An elementwise operation on operands of its loop dtype (float32 for the 16-bit floats).
inline Elements naive_op(int op, int loop, const std::vector<Elements> &inputs, const Sizes &shape) {
  const ScalarOp scalar = scalar_op(op, loop);
  Elements r = make_elements(scalar.result_dtype, shape);
  for (int64_t i = 0; i < r.count(); ++i) {
    const unsigned char *src[3] = {};
    for (size_t k = 0; k < inputs.size(); ++k) src[k] = inputs[k].at(broadcast_index(inputs[k].shape, shape, i));
    scalar.call(r.at(i), src[0], src[1], src[2]);
  }
  return r;
}

// Calls visit(sequence, its elements' flat indices) for every result of a reduction over `axes`, in C order.
template <class Visit>
void for_each_sequence(const Sizes &shape, uint64_t axes, Visit visit) {
  int64_t kept = 1, length = 1, total = 1;
  for (size_t d = 0; d < shape.size(); ++d) (axes >> d & 1 ? length : kept) *= shape[d], total *= shape[d];
  std::vector<std::vector<int64_t>> sequences(static_cast<size_t>(kept));
  for (int64_t flat = 0; flat < total; ++flat) {
    int64_t rest = flat, number = 0, stride = 1;
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
      if (!(axes >> d & 1)) number += rest % shape[d] * stride, stride *= shape[d];
      rest /= shape[d];
    }
    sequences[static_cast<size_t>(number)].push_back(flat);
  }
  for (int64_t k = 0; k < kept; ++k) visit(k, sequences[static_cast<size_t>(k)]);
}

inline Elements naive_reduce(int reduction, const Elements &x, uint64_t axes, bool keepdims) {
  const SequenceOp op = reduction_op(reduction, x.dtype);
  Sizes shape;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (!(axes >> d & 1)) shape.push_back(x.shape[d]);
    if ((axes >> d & 1) && keepdims) shape.push_back(1);
  }
  Elements r = make_elements(op.result_dtype, shape);
  for_each_sequence(x.shape, axes, [&](int64_t k, const std::vector<int64_t> &places) {
    Bytes sequence(places.size() * static_cast<size_t>(size_of(x.dtype)) + 16);
    for (size_t i = 0; i < places.size(); ++i) {
      std::memcpy(sequence.data() + i * static_cast<size_t>(size_of(x.dtype)), x.at(places[i]), size_of(x.dtype));
    }
    op.reduce(r.at(k), sequence.data(), static_cast<int64_t>(places.size()));
  });
  return r;
}

inline Elements naive_scan(int scan, const Elements &x, int axis) {
  const SequenceOp op = scan_op(scan, x.dtype);
  Elements r = make_elements(op.result_dtype, x.shape);
  const auto in_size = static_cast<size_t>(size_of(x.dtype)), out_size = static_cast<size_t>(size_of(r.dtype));
  for_each_sequence(x.shape, uint64_t{1} << axis, [&](int64_t, const std::vector<int64_t> &places) {
    Bytes in(places.size() * in_size + 16), out(places.size() * out_size + 16);
    for (size_t i = 0; i < places.size(); ++i) std::memcpy(in.data() + i * in_size, x.at(places[i]), in_size);
    op.reduce(out.data(), in.data(), static_cast<int64_t>(places.size()));
    for (size_t i = 0; i < places.size(); ++i) std::memcpy(r.at(places[i]), out.data() + i * out_size, out_size);
  });
  return r;
}

inline bool same_elements(const Elements &a, const Elements &b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  for (int64_t i = 0; i < a.count(); ++i) {
    if (!same_value(a.at(i), b.at(i), a.dtype)) return false;
  }
  return true;
}

}  // namespace gpuopt::test
