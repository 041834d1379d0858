// plugins/cpu/products/matmul.cpp -- batches of matrix products of any dtype.
#include "plugins/cpu/products/matmul.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>
#include <vector>

#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/products/blas_product.h"
#include "plugins/cpu/products/gemm.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/casts.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::MatrixBatch;
using plugin::Walk;
namespace {

// Whether products of floats are left to a BLAS.
bool is_fast(const gpuopt_call &call) {
  static const bool fast = plugin::setting_is(Setting::GPUOPT_MATMUL, "fast");
  return plugin::is_fast_product(call, fast);
}

bool multiply_one(const Blas *library, int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c) {
  const bool empty = c.rows == 0 || c.cols == 0 || a.cols == 0;
  if (library && !empty) return blas_multiply(*library, dtype, a, b, c);
  return multiply(dtype, a, b, c);
}

// Computes small products in parallel with each other, and large ones one after the other, each in parallel by itself.
void multiply_batch(int32_t dtype, const MatrixBatch &batch, bool fast) {
  const Walk<3> walk(batch.ndim, batch.shape, {batch.a_strides, batch.b_strides, batch.c_strides});
  const Blas *const library = fast && blas_type(dtype) >= 0 ? blas() : nullptr;
  const double work = static_cast<double>(batch.c.rows) * static_cast<double>(batch.c.cols) *
                      static_cast<double>(std::max<int64_t>(batch.a.cols, 1));
  const auto group = static_cast<int64_t>(std::max(1.0, kBlasSerialWork / std::max(work, 1.0)));
  const int64_t n = walk.size(), groups = (n + group - 1) / group;
  std::atomic<bool> refused{false};
  const auto run_group = [&](int64_t g, int) {
    walk.runs(g * group, std::min(n, (g + 1) * group), [&](int64_t, const auto &offsets, int64_t count) {
      const SmallBatch small = {batch.a.at(offsets[0]), batch.b.at(offsets[1]), batch.c.at(offsets[2]), count,
                                walk.inner_stride(0),   walk.inner_stride(1),   walk.inner_stride(2)};
      if (!library && multiply_small(dtype, isa_level(), small)) return;
      for (int64_t i = 0; i < count && !refused; i++) {
        const auto place = [&](size_t j) { return offsets[j] + i * walk.inner_stride(j); };
        const bool done =
            multiply_one(library, dtype, batch.a.at(place(0)), batch.b.at(place(1)), batch.c.at(place(2)));
        if (!done) refused = true;
      }
    });
  };
  if (work <= kBlasSerialWork) {
    parallel_for(groups, run_group);
  } else {
    for (int64_t g = 0; g < groups; g++) run_group(g, 0);
  }
  if (!refused) return;
  const int64_t bytes = element_size(dtype) * (batch.a.rows * batch.a.cols + batch.b.rows * batch.b.cols);
  fail_out_of_memory(static_cast<uint64_t>(bytes));
}

// The layout of a float32 copy of a tensor: of the same shape and contiguous, but axes along which the tensor is
// broadcast have stride 0 and are stored once.
struct Float32Copy {
  std::vector<int64_t> shape, strides;
  int64_t elements = 1;

  explicit Float32Copy(const gpuopt_tensor &t) : shape(t.shape, t.shape + t.ndim), strides(shape.size()) {
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (t.strides[axis] == 0) shape[axis] = std::min<int64_t>(shape[axis], 1);
      strides[axis] = t.strides[axis] == 0 ? 0 : 4 * elements;
      elements *= shape[axis];
    }
  }
  uint64_t bytes() const noexcept { return static_cast<uint64_t>(4 * elements); }
  gpuopt_tensor tensor(void *data, const gpuopt_tensor &of) const noexcept {
    return {data, GPUOPT_FLOAT32, of.ndim, of.shape, strides.data()};
  }
};

// Converts `count` elements. Strides are passed as std::integral_constant where they are known, so that the compiler
// vectorizes the loop.
template <typename To, typename From, typename ToStep, typename FromStep>
void convert_run(char *to, ToStep to_step, const char *from, FromStep from_step, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    From x;
    std::memcpy(&x, from + i * from_step, sizeof(x));
    const To y = gpo::cast<To>(x);
    std::memcpy(to + i * to_step, &y, sizeof(y));
  }
}

// Converts the elements of `shape` from one layout and dtype to another, in parallel.
template <typename To, typename From>
void convert(const std::vector<int64_t> &shape, void *to, const int64_t *to_strides, const void *from,
             const int64_t *from_strides) {
  constexpr int64_t kPiece = 1 << 15, kTo = sizeof(To), kFrom = sizeof(From);
  const Walk<2> walk(static_cast<int32_t>(shape.size()), shape.data(), {to_strides, from_strides});
  const int64_t n = walk.size(), to_step = walk.inner_stride(0), from_step = walk.inner_stride(1);
  parallel_for((n + kPiece - 1) / kPiece, [&](int64_t piece, int) {
    walk.runs(piece * kPiece, std::min(n, (piece + 1) * kPiece), [&](int64_t, const auto &offsets, int64_t count) {
      char *const target = static_cast<char *>(to) + offsets[0];
      const char *const source = static_cast<const char *>(from) + offsets[1];
      if (to_step == kTo && from_step == kFrom) {
        convert_run<To, From>(target, std::integral_constant<int64_t, kTo>(), source,
                              std::integral_constant<int64_t, kFrom>(), count);
      } else {
        convert_run<To, From>(target, to_step, source, from_step, count);
      }
    });
  });
}

template <typename Half>
void multiply_halves(const gpuopt_tensor &a, const gpuopt_tensor &b, const gpuopt_tensor &out, bool fast) {
  const Float32Copy left(a), right(b), result(out);
  const Scratch left_memory(left.bytes()), right_memory(right.bytes()), result_memory(result.bytes());
  if (!left_memory || !right_memory || !result_memory) {
    fail_out_of_memory(left.bytes() + right.bytes() + result.bytes());
  }
  convert<float, Half>(left.shape, left_memory.as<void>(), left.strides.data(), a.data, a.strides);
  convert<float, Half>(right.shape, right_memory.as<void>(), right.strides.data(), b.data, b.strides);
  const gpuopt_tensor product = result.tensor(result_memory.as<void>(), out);
  const MatrixBatch batch(left.tensor(left_memory.as<void>(), a), right.tensor(right_memory.as<void>(), b), product);
  multiply_batch(GPUOPT_FLOAT32, batch, fast);
  convert<Half, float>(result.shape, out.data, out.strides, product.data, product.strides);
}

}  // namespace

void run_matmul(const gpuopt_call &call) {
  if (call.kind != GPUOPT_CALL_MATMUL) {
    fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no matrix operation %d", call.kind);
  }
  const gpuopt_tensor &a = call.tensors[0], &b = call.tensors[1], &out = call.tensors[2];
  const bool fast = is_fast(call);
  if (out.dtype == GPUOPT_FLOAT16) return multiply_halves<gpo::float16>(a, b, out, fast);
  if (out.dtype == GPUOPT_BFLOAT16) return multiply_halves<gpo::bfloat16>(a, b, out, fast);
  return multiply_batch(out.dtype, MatrixBatch(a, b, out), fast);
}

}  // namespace gpuopt::cpu
