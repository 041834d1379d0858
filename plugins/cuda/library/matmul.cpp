// plugins/cuda/library/matmul.cpp -- the slot matmul: by our own kernel, whose bits are the CPU's; floats by cuBLAS if
// the call or GPUOPT_MATMUL says fast.
//
// cuBLAS is column-major: a matrix that is row-major here is its transpose there. So c = a b is computed as c' = b' a',
// where ' is the transpose. An operand with contiguous rows is passed as it is, and one with contiguous columns as
// transposed.
#include <array>
#include <memory>

#include "plugins/cuda/library/library.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/cuda/vendor/cublas.h"
#include "plugins/shared/host/matrix.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cuda {
using plugin::Matrix;
using plugin::MatrixBatch;
namespace {

// Contiguous scratch memory for a tensor. A batch axis along which the tensor is broadcast stays so, and takes no
// memory.
class Packed {
 public:
  Packed(const Work &work, const gpuopt_tensor &of)
      : ndim_(of.ndim), shape_(of.shape, of.shape + of.ndim), strides_(shape_.size()) {
    int64_t bytes = element_size(of.dtype);
    for (size_t axis = shape_.size(); axis-- > 0;) {
      const bool batch_axis = axis + 2 < shape_.size();
      if (batch_axis && of.strides[axis] == 0) shape_[axis] = 1;
      strides_[axis] = batch_axis && of.strides[axis] == 0 ? 0 : bytes;
      bytes *= shape_[axis];
    }
    memory_ = std::make_unique<Scratch>(work.device, work.stream, static_cast<uint64_t>(bytes));
  }

  // Returns a tensor like `of`, but in this memory.
  gpuopt_tensor tensor(const gpuopt_tensor &of) const {
    return {reinterpret_cast<void *>(memory_->address()), of.dtype, of.ndim, of.shape, strides_.data()};
  }
  // Both copy all elements: into this memory, and out of it.
  void fill(const Work &work, const gpuopt_tensor &from) const {
    copy_elements(work, ndim_, shape_.data(), tensor(from), from);
  }
  void give(const Work &work, const gpuopt_tensor &to) const {
    copy_elements(work, ndim_, shape_.data(), to, tensor(to));
  }

 private:
  int32_t ndim_;
  std::vector<int64_t> shape_, strides_;
  std::unique_ptr<Scratch> memory_;
};

// ---- Our own kernel ----

// Returns how many rows and columns of elements a thread computes: more of them need fewer loads, if there are tiles
// enough for all processors. Those of wider numbers would not fit into its registers.
int64_t elements_per_thread(const Work &work, int32_t dtype, double elements) {
  constexpr int64_t kLarge = 8, kSmall = 4;
  const double tiles = elements / (16 * kLarge * 16 * kLarge);
  return dtype == GPUOPT_FLOAT32 && tiles >= 2.0 * work.device.processors ? kLarge : kSmall;
}

void multiply_own(const Work &work, int32_t dtype, const MatrixBatch &batch) {
  constexpr uint32_t threads = 256;
  const Matrix &a = batch.a, &b = batch.b, &c = batch.c;
  const Walk<3> walk(batch.ndim, batch.shape, {batch.a_strides, batch.b_strides, batch.c_strides});
  KernelWords parameters{};
  for (const int64_t size : {c.rows, c.cols, a.cols}) parameters.add(size);
  for (const Matrix *const x : {&a, &b, &c}) parameters.add(reinterpret_cast<int64_t>(x->data));
  for (const Matrix *const x : {&a, &b, &c}) parameters.add(x->row_stride).add(x->col_stride);
  const double elements = static_cast<double>(c.rows) * static_cast<double>(c.cols) * static_cast<double>(walk.size());
  const int64_t per = elements_per_thread(work, dtype, elements), tile = 16 * per;
  const int64_t tiles = ((c.rows - 1) / tile + 1) * ((c.cols - 1) / tile + 1);
  launch_library(work, "matmul.h",
                 instance("product", {element_type(dtype), std::to_string(per), std::to_string(walk.ndim())}),
                 parameters.add(walk), tiles * walk.size(), threads);
}

// Whether all elements lie at multiples of their size, or of the size of a complex number's components.
bool is_aligned(const gpuopt_tensor &x) noexcept {
  const auto element = static_cast<uint64_t>(element_size(x.dtype) / (dtype_kind(x.dtype) == 'c' ? 2 : 1));
  uint64_t offsets = address_of(x);
  for (int32_t axis = 0; axis < x.ndim; axis++) offsets |= static_cast<uint64_t>(x.strides[axis]);
  return offsets % element == 0;
}

// Operands that are not aligned are packed first.
void multiply_aligned(const Work &work, const gpuopt_call &call) {
  std::array<gpuopt_tensor, 3> tensors = {call.tensors[0], call.tensors[1], call.tensors[2]};
  std::array<std::unique_ptr<Packed>, 3> packed;
  for (size_t j = 0; j < 3; j++) {
    if (is_aligned(tensors[j])) continue;
    packed[j] = std::make_unique<Packed>(work, tensors[j]);
    if (j < 2) packed[j]->fill(work, tensors[j]);
    tensors[j] = packed[j]->tensor(tensors[j]);
  }
  multiply_own(work, tensors[2].dtype, MatrixBatch(tensors[0], tensors[1], tensors[2]));
  if (packed[2]) packed[2]->give(work, call.tensors[2]);
}

// ---- cuBLAS ----

bool is_fast(const gpuopt_call &call) {
  return plugin::is_fast_product(call, plugin::setting_is(Setting::GPUOPT_MATMUL, "fast"));
}

// Returns whether the rows of a matrix are contiguous, at a distance that a BLAS can take. `leading` becomes that
// distance in elements, the leading dimension.
bool has_plain_rows(const Matrix &x, int64_t element, int64_t &leading) noexcept {
  if (x.cols > 1 && x.col_stride != element) return false;
  leading = x.rows > 1 ? x.row_stride / element : x.cols;
  return leading >= x.cols && (x.rows <= 1 || x.row_stride % element == 0);
}

// Returns whether cuBLAS can take the matrices of a batch where they lie. Sets the operand's `transposed` and
// `leading`.
bool fits(const Matrix &x, int32_t ndim, const int64_t *shape, const int64_t *strides, int64_t element,
          Gemm::Operand &operand) noexcept {
  if (reinterpret_cast<uint64_t>(x.data) % static_cast<uint64_t>(element)) return false;
  for (int32_t axis = 0; axis < ndim; axis++) {
    if (shape[axis] > 1 && (strides[axis] % element || strides[axis] < 0)) return false;
  }
  operand.transposed = false;
  if (has_plain_rows(x, element, operand.leading)) return true;
  operand.transposed = true;
  return has_plain_rows(x.transposed(), element, operand.leading);
}

// A product by cuBLAS. Operands that it cannot take where they lie are packed.
class FloatProduct {
 public:
  FloatProduct(const Work &work, const gpuopt_call &call)
      : work_(work),
        element_(element_size(call.tensors[2].dtype)),
        tensors_{call.tensors[0], call.tensors[1], call.tensors[2]} {}

  void run() {
    const gpuopt_tensor out = tensors_[kC];
    while (true) {
      const MatrixBatch batch(tensors_[kA], tensors_[kB], tensors_[kC]);
      const int misfit = find_misfit(batch);
      if (misfit < 0) {
        multiply(batch);
        break;
      }
      pack(misfit);
    }
    if (packed_[kC]) packed_[kC]->give(work_, out);
  }

 private:
  enum { kA, kB, kC };

  // Returns the first operand that must be packed; -1 if there is none, and operands_ is filled. Packing one may change
  // how MatrixBatch merges the axes of the others, so run() asks again after each. A packed operand is expected to fit.
  int find_misfit(const MatrixBatch &batch) {
    const auto fit = [&](const Matrix &x, const int64_t *strides, Gemm::Operand &operand) {
      return fits(x, batch.ndim, batch.shape, strides, element_, operand);
    };
    if (!fit(batch.a, batch.a_strides, operands_[kA])) return kA;
    if (!fit(batch.b, batch.b_strides, operands_[kB])) return kB;
    return fit(batch.c, batch.c_strides, operands_[kC]) ? -1 : kC;
  }

  void pack(int which) {
    auto &packed = packed_[static_cast<size_t>(which)];
    if (packed) fail(GPUOPT_ERR_INTERNAL, "matmul: packing operand %d did not make it fit", which);
    gpuopt_tensor &tensor = tensors_[static_cast<size_t>(which)];
    packed = std::make_unique<Packed>(work_, tensor);
    if (which != kC) packed->fill(work_, tensor);
    tensor = packed->tensor(tensor);
  }

  // Multiplies each run of matrices at constant strides by one call.
  void multiply(const MatrixBatch &batch) {
    constexpr int64_t kMostMatrices = 65535;  // in a call: the limit of a grid along z
    const Walk<3> walk(batch.ndim, batch.shape, {batch.a_strides, batch.b_strides, batch.c_strides});
    for (int64_t first = 0; first < walk.size(); first += kMostMatrices) {
      walk.runs(first, std::min(walk.size(), first + kMostMatrices),
                [&](int64_t, const auto &offsets, int64_t count) { call(batch, walk, offsets, count); });
    }
  }

  void call(const MatrixBatch &batch, const Walk<3> &walk, const std::array<int64_t, 3> &offsets, int64_t count) {
    const Matrix matrices[] = {batch.a, batch.b, batch.c};
    std::array<Gemm::Operand, 3> x = operands_;
    for (size_t j = 0; j < 3; j++) {
      x[j].address = reinterpret_cast<uint64_t>(matrices[j].data + offsets[j]);
      x[j].stride = count > 1 ? walk.inner_stride(j) / element_ : 0;
    }
    Gemm gemm{tensors_[kC].dtype, batch.c.cols, batch.c.rows, batch.a.cols, count, x[kB], x[kA], x[kC]};
    if (x[kC].transposed) {  // c is column-major: compute c = a b itself
      std::swap(gemm.m, gemm.n);
      std::swap(gemm.a, gemm.b);
      gemm.a.transposed = !gemm.a.transposed;
      gemm.b.transposed = !gemm.b.transposed;
      gemm.c.transposed = false;
    }
    work_.device.blas->multiply(work_.stream, gemm);
  }

  const Work &work_;
  const int64_t element_;
  std::array<gpuopt_tensor, 3> tensors_;
  std::array<Gemm::Operand, 3> operands_{};
  std::array<std::unique_ptr<Packed>, 3> packed_;
};

// Writes zeros, the sums of no terms, to all elements.
void fill_with_zeros(const Work &work, const gpuopt_tensor &out) {
  const std::vector<int64_t> strides(static_cast<size_t>(out.ndim), 0);
  const Scratch zero(work.device, work.stream, 16);
  fill_bytes(work, zero.address(), 0, 16);
  copy_elements(work, out.ndim, out.shape, out,
                {reinterpret_cast<void *>(zero.address()), out.dtype, out.ndim, out.shape, strides.data()});
}

}  // namespace

gpuopt_status slots::matmul(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                            gpuopt_error *) {
  const ContextScope context(*device);
  if (call->kind != GPUOPT_CALL_MATMUL)
    fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend knows no matrix operation %d", static_cast<int>(call->kind));
  const Work work{*device, *stream, "matmul"};
  const gpuopt_tensor &a = call->tensors[0], &out = call->tensors[2];
  const char kind = dtype_kind(out.dtype);
  if (!size_of(out)) return GPUOPT_OK;
  if (a.shape[a.ndim - 1] == 0)
    fill_with_zeros(work, out);
  else if ((kind == 'f' || kind == 'c') && is_fast(*call))
    FloatProduct(work, *call).run();
  else
    multiply_aligned(work, *call);
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda
