// plugins/cuda/library/fast_fft.cpp -- transforms by cuFFT; see fast_fft.h.
//
// A plan takes lines at one distance from each other, whose elements are at one distance: where those of an array are
// not, and where cuFFT would overwrite them, they are copied to memory without gaps first, and results to where they
// go. cuFFT does not scale: a kernel does.
#include "plugins/cuda/library/fast_fft.h"

#include <bit>
#include <memory>
#include <vector>

#include "plugins/cuda/vendor/cufft.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cuda {
namespace {

constexpr const char *kFastFftHeader = "fast_fft.h";

// One of the two arrays of a call: where its lines are for cuFFT.
class FftSide {
 public:
  // `direct`: whether the lines may be used where they are.
  FftSide(const Work &work, const gpuopt_tensor &of, int64_t axis, bool direct) : tensor_(of), axis_(axis) {
    if (direct && has_plain_lines()) return;
    int64_t bytes = element_size(of.dtype);
    strides_.resize(static_cast<size_t>(of.ndim));
    const auto append = [&](int32_t k) {
      strides_[static_cast<size_t>(k)] = bytes;
      bytes *= of.shape[k];
    };
    append(static_cast<int32_t>(axis));
    for (int32_t k = of.ndim; k-- > 0;) {
      if (k != axis) append(k);
    }
    memory_ = std::make_unique<Scratch>(work.device, work.stream, static_cast<uint64_t>(bytes));
    lines_ = {1, of.shape[axis]};
  }

  bool is_copy() const noexcept { return memory_ != nullptr; }
  const CufftLines::Side &lines() const noexcept { return lines_; }
  CUdeviceptr address() const noexcept { return memory_ ? memory_->address() : address_of(tensor_); }
  // The array as it is for cuFFT.
  gpuopt_tensor tensor() const noexcept {
    return {reinterpret_cast<void *>(address()), tensor_.dtype, tensor_.ndim, tensor_.shape,
            memory_ ? strides_.data() : tensor_.strides};
  }

 private:
  // Whether the lines are at one distance above 0 from each other, and so are their elements, all in whole elements.
  bool has_plain_lines() noexcept {
    const int64_t size = element_size(tensor_.dtype), length = tensor_.shape[axis_];
    Axes<1> others;
    for (int32_t k = 0; k < tensor_.ndim; k++) {
      if (k != axis_) others.append(tensor_.shape[k], {tensor_.strides[k]});
    }
    const Walk<1> walk = others.walk();
    const int64_t step = length > 1 ? tensor_.strides[axis_] : size;
    const int64_t next = walk.inner_size() > 1 ? walk.inner_stride(0) : size * length;
    lines_ = {step / size, next / size};
    // cuFFT may read two real numbers at once.
    const int64_t aligned = dtype_kind(tensor_.dtype) == 'c' ? size : 2 * size;
    return walk.is_one_run() && step > 0 && next > 0 && step % size == 0 && next % size == 0 &&
           address_of(tensor_) % static_cast<uint64_t>(aligned) == 0;
  }

  const gpuopt_tensor &tensor_;
  const int64_t axis_;
  std::vector<int64_t> strides_;
  std::unique_ptr<Scratch> memory_;
  CufftLines::Side lines_{};
};

bool is_double(const gpuopt_tensor &x) noexcept { return x.dtype == GPUOPT_FLOAT64 || x.dtype == GPUOPT_COMPLEX128; }

cufftType type_of(const gpuopt_call &call) noexcept {
  const bool wide = is_double(call.tensors[0]);
  if (call.kind == GPUOPT_CALL_FFT) return wide ? CUFFT_Z2Z : CUFFT_C2C;
  if (call.kind == GPUOPT_CALL_RFFT) return wide ? CUFFT_D2Z : CUFFT_R2C;
  return wide ? CUFFT_Z2D : CUFFT_C2R;
}

const char *component_of(const gpuopt_tensor &x) noexcept { return is_double(x) ? "double" : "float"; }

void clear_ends(const Work &work, const FftSide &side, const gpuopt_tensor &x, int64_t count, bool even) {
  launch_moves(work, kFastFftHeader, instance("fast_fft_ends", {component_of(x)}),
               {static_cast<uint64_t>(count), side.address(), static_cast<uint64_t>(side.lines().next), even}, count);
}

// Multiplies what cuFFT has given by the factor, where it is.
void scale(const Work &work, const gpuopt_tensor &y, double factor) {
  Axes<1> axes;
  for (int32_t k = 0; k < y.ndim; k++) axes.append(y.shape[k], {y.strides[k]});
  if (dtype_kind(y.dtype) == 'c') axes.append(2, {element_size(y.dtype) / 2});
  const Walk<1> walk = axes.walk();
  KernelWords words{static_cast<uint64_t>(walk.size()), address_of(y), std::bit_cast<uint64_t>(factor)};
  launch_moves(work, kFastFftHeader,
               instance("fast_fft_scale", {component_of(y), count_type(walk.size()), std::to_string(walk.ndim())}),
               words.add(walk), walk.size());
}

}  // namespace

bool run_fast_fft(const Work &work, const gpuopt_call &call) {
  if (!plugin::setting_is(Setting::GPUOPT_FFT, "fast") || !Cufft::is_there()) return false;
  const gpuopt_tensor &x = call.tensors[0], &y = call.tensors[1];
  const int64_t axis = call.ints[0];
  const bool to_real = call.kind == GPUOPT_CALL_IRFFT;
  const FftSide from(work, x, axis, !to_real), to(work, y, axis, true);
  const int64_t n = (to_real ? y : x).shape[axis], count = size_of(x) / x.shape[axis];
  if (from.is_copy()) copy_elements(work, x.ndim, x.shape, from.tensor(), x);
  if (to_real) clear_ends(work, from, x, count, n % 2 == 0);
  const bool inverse = to_real || (call.kind == GPUOPT_CALL_FFT && call.ints[1] != 0);
  const CufftLines lines{type_of(call), n, count, from.lines(), to.lines()};
  if (!work.device.transforms->transform(work.stream, lines, inverse, from.address(), to.address())) {
    const std::string said = "cuFFT takes no " + std::to_string(n) + " elements: transformed by own kernels";
    log(GPUOPT_LOG_INFO, "cuda.cufft", said.c_str());
    return false;
  }
  if (call.floats[0] != 1) scale(work, to.tensor(), call.floats[0]);
  if (to.is_copy()) copy_elements(work, y.ndim, y.shape, y, to.tensor());
  return true;
}

}  // namespace gpuopt::cuda
