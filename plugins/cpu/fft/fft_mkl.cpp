// plugins/cpu/fft/fft_mkl.cpp -- see fft_mkl.h.
//
// The functions and numbers are those of the interface that MKL documents (Developer Reference for oneMKL, "Fourier
// Transform Functions", "DFT Functions"), which it has kept since its version 10.
#include "plugins/cpu/fft/fft_mkl.h"

#include <cstring>
#include <memory>

#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cpu {
namespace {

// Parameters and values of DftiSetValue().
enum : int {
  kDftiForwardScale = 4,
  kDftiBackwardScale = 5,
  kDftiTransforms = 7,
  kDftiConjugateEvenStorage = 10,
  kDftiPlacement = 11,
  kDftiInputStrides = 12,
  kDftiOutputStrides = 13,
  kDftiInputDistance = 14,
  kDftiOutputDistance = 15,
  kDftiComplex = 32,
  kDftiReal = 33,
  kDftiSingle = 35,
  kDftiDouble = 36,
  kDftiComplexComplex = 39,
  kDftiNotInPlace = 44
};

struct Dfti {
  long (*create)(void **descriptor, int precision, int domain, long dimensions, ...);
  long (*set)(void *descriptor, int parameter, ...);
  long (*commit)(void *descriptor);
  long (*forward)(void *descriptor, void *from, ...);
  long (*backward)(void *descriptor, void *from, ...);
  long (*release)(void **descriptor);
};

template <typename Function>
bool take_function(void *library, const char *name, Function &to) noexcept {
  to = reinterpret_cast<Function>(find_symbol(library, name));
  return to != nullptr;
}

std::unique_ptr<Dfti> find_dfti() {
  const Blas *const products = blas();
  if (!products || !find_symbol(products->library, "MKL_Get_Version")) return nullptr;
  auto found = std::make_unique<Dfti>();
  void *const library = products->library;
  const bool all = take_function(library, "DftiCreateDescriptor", found->create) &&
                   take_function(library, "DftiSetValue", found->set) &&
                   take_function(library, "DftiCommitDescriptor", found->commit) &&
                   take_function(library, "DftiComputeForward", found->forward) &&
                   take_function(library, "DftiComputeBackward", found->backward) &&
                   take_function(library, "DftiFreeDescriptor", found->release);
  return all ? std::move(found) : nullptr;
}

const Dfti *find_dfti_and_log() {
  const Dfti *const found = find_dfti().release();  // never freed, like the library
  log(GPUOPT_LOG_INFO, "cpu.fft",
      found ? "transforms by MKL" : "the BLAS library in use is not MKL: transforms by own algorithms");
  return found;
}

const Dfti *dfti() {
  static const Dfti *const found = plugin::setting_is(Setting::GPUOPT_FFT, "fast") ? find_dfti_and_log() : nullptr;
  return found;
}

// How many elements lie between those of a line, and between lines.
struct MklPlaces {
  long step = 1, next = 1;
};

// Distances in bytes as ones in elements. Returns whether they are whole ones above 0, and `first` is aligned.
bool in_whole_elements(const gpuopt_tensor &x, int64_t step, int64_t next, MklPlaces &to) noexcept {
  const bool is_complex = x.dtype == GPUOPT_COMPLEX64 || x.dtype == GPUOPT_COMPLEX128;
  const int64_t size = element_size(x.dtype), unit = is_complex ? size / 2 : size;
  to = {static_cast<long>(step / size), static_cast<long>(next / size)};
  return step > 0 && next > 0 && step % size == 0 && next % size == 0 && to.step == step / size &&
         to.next == next / size && reinterpret_cast<uintptr_t>(x.data) % static_cast<uintptr_t>(unit) == 0;
}

// What the lines of a call have in common.
struct MklLines {
  int32_t kind;
  bool inverse, single;
  int64_t n;
  double scale;
  long count;  // transformed by one call
  MklPlaces from, to;
};

class MklDescriptor {
 public:
  MklDescriptor(const Dfti &library, const MklLines &lines) noexcept : library_(library), inverse_(lines.inverse) {
    const long from[] = {0, lines.from.step}, to[] = {0, lines.to.step};
    usable_ =
        library.create(&handle_, lines.single ? kDftiSingle : kDftiDouble,
                       lines.kind == GPUOPT_CALL_FFT ? kDftiComplex : kDftiReal, 1L, static_cast<long>(lines.n)) == 0 &&
        set(kDftiPlacement, kDftiNotInPlace) && set(kDftiTransforms, lines.count) && set(kDftiInputStrides, from) &&
        set(kDftiOutputStrides, to) && set(kDftiInputDistance, lines.from.next) &&
        set(kDftiOutputDistance, lines.to.next) &&
        set(inverse_ ? kDftiBackwardScale : kDftiForwardScale, lines.scale) &&
        (lines.kind == GPUOPT_CALL_FFT || set(kDftiConjugateEvenStorage, kDftiComplexComplex)) &&
        library.commit(handle_) == 0;
  }
  ~MklDescriptor() {
    if (handle_) library_.release(&handle_);
  }
  MklDescriptor(const MklDescriptor &) = delete;
  MklDescriptor &operator=(const MklDescriptor &) = delete;

  bool is_usable() const noexcept { return usable_; }
  bool run(void *from, void *to) const noexcept {
    return (inverse_ ? library_.backward : library_.forward)(handle_, from, to) == 0;
  }

 private:
  template <typename Value>
  bool set(int parameter, Value value) const noexcept {
    return library_.set(handle_, parameter, value) == 0;
  }

  const Dfti &library_;
  const bool inverse_;
  void *handle_ = nullptr;
  bool usable_ = false;
};

// The complex numbers from which a line of real ones is made, one behind the other: the first, and for even n the last,
// without their imaginary parts, which do not count.
void copy_half_line(char *to, const char *from, int64_t step, int64_t n, size_t size) noexcept {
  for (int64_t k = 0; k <= n / 2; k++) std::memcpy(to + k * static_cast<int64_t>(size), from + k * step, size);
  std::memset(to + size / 2, 0, size / 2);
  if (n % 2 == 0) std::memset(to + (n / 2) * static_cast<int64_t>(size) + size / 2, 0, size / 2);
}

MklLines mkl_lines_of(const gpuopt_call &call, const plugin::Walk<2> &others) noexcept {
  const gpuopt_tensor &real = call.tensors[call.kind == GPUOPT_CALL_IRFFT];
  MklLines lines{};
  lines.kind = call.kind;
  lines.inverse = call.kind == GPUOPT_CALL_IRFFT || (call.kind == GPUOPT_CALL_FFT && call.ints[1] != 0);
  lines.single = call.tensors[0].dtype == GPUOPT_COMPLEX64 || call.tensors[0].dtype == GPUOPT_FLOAT32;
  lines.n = real.shape[call.ints[0]];
  lines.scale = call.floats[0];
  lines.count = static_cast<long>(others.inner_size());
  return lines;
}

// Runs along the lines, those of complex numbers that become real ones from copies.
bool run_mkl_lines(const Dfti &library, const gpuopt_call &call, const plugin::Walk<2> &others, MklLines lines) {
  const size_t size = static_cast<size_t>(element_size(call.tensors[0].dtype));
  const int64_t half = lines.n / 2 + 1, step = call.tensors[0].strides[call.ints[0]];
  const bool copies = lines.kind == GPUOPT_CALL_IRFFT;
  if (copies) lines.from = {1, static_cast<long>(half)};
  const Scratch copy(copies ? static_cast<uint64_t>(others.inner_size() * half) * size : 1);
  if (!copy) return false;
  const MklDescriptor descriptor(library, lines);
  bool right = descriptor.is_usable();
  if (!right) return false;
  others.runs(0, others.size(), [&](int64_t, const auto &offsets, int64_t count) {
    char *from = bytes_of(call.tensors[0]) + offsets[0];
    for (int64_t i = 0; i < count && copies; i++)
      copy_half_line(copy.as<char>() + i * half * static_cast<int64_t>(size), from + i * others.inner_stride(0), step,
                     lines.n, size);
    right = right && descriptor.run(copies ? copy.as<char>() : from, bytes_of(call.tensors[1]) + offsets[1]);
  });
  return right;
}

}  // namespace

bool run_mkl_fft(const gpuopt_call &call, const plugin::Walk<2> &others) {
  const Dfti *const library = dfti();
  if (!library) return false;
  MklLines lines = mkl_lines_of(call, others);
  const auto fits = [&](int32_t i, MklPlaces &to) {
    const gpuopt_tensor &x = call.tensors[i];
    const int64_t size = element_size(x.dtype), length = x.shape[call.ints[0]];
    return in_whole_elements(x, length > 1 ? x.strides[call.ints[0]] : size,
                             others.inner_size() > 1 ? others.inner_stride(static_cast<size_t>(i)) : size * length, to);
  };
  if (lines.count != others.inner_size() || static_cast<long>(lines.n) != lines.n) return false;  // of 32-bit longs
  if (!fits(0, lines.from) || !fits(1, lines.to)) return false;
  if (run_mkl_lines(*library, call, others, lines)) return true;
  plugin::log(GPUOPT_LOG_INFO, "cpu.fft", "MKL refused a transform, which the own algorithm does");
  return false;
}

}  // namespace gpuopt::cpu
