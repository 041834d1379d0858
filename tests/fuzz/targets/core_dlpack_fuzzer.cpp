// tests/fuzz/targets/core_dlpack_fuzzer.cpp -- DLPack tensors that other libraries hand over: every field may be wrong,
// except that where shape and strides stay inside the data its elements may be read.
#include <algorithm>
#include <array>
#include <vector>

#include "core/exchange/dlpack_abi.h"
#include "tests/fuzz/targets/core_fuzz.h"
#include "tests/fuzz/targets/device_fuzz.h"

namespace {

constexpr int kMostAxes = 70;

// A tensor, what it points to, and how often its deleter was called.
struct Tensor {
  explicit Tensor(fuzz::Input &input) {
    managed.version = {input.number<uint8_t>() % 4u, input.number<uint8_t>()};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned *self) { static_cast<Tensor *>(self->manager_ctx)->deleted++; };
    managed.flags = input.number<uint8_t>();
    DLTensor &t = managed.dl_tensor;
    const auto has = input.number<uint8_t>();
    t.data = has & 1 ? data.data() : nullptr;
    t.shape = has & 2 ? shape.data() : nullptr;
    t.strides = has & 4 ? strides.data() : nullptr;
    t.device = {input.number<int8_t>(), input.number<int8_t>()};
    t.dtype = {input.number<uint8_t>(), input.number<uint8_t>(), input.number<uint8_t>()};
    t.byte_offset = input.number<uint8_t>();
    t.ndim = std::min<int32_t>(input.number<int8_t>(), kMostAxes);
    const bool wide = has & 8;
    for (int d = 0; d < t.ndim; d++) {
      shape[static_cast<size_t>(d)] = wide ? input.number<int64_t>() : input.number<int8_t>();
      strides[static_cast<size_t>(d)] = wide ? input.number<int64_t>() : input.number<int8_t>();
    }
  }

  // Whether every element lies inside the data: only then may the library be asked to read any. Of more elements than a
  // target copies quickly, which strides of 0 allow, the answer is no.
  bool inside() const {
    const DLTensor &t = managed.dl_tensor;
    if (!t.data || !t.shape || t.ndim < 0) return false;
    __int128 low = 0, high = 0, dense = 1;
    for (int d = t.ndim - 1; d >= 0; d--) {
      const auto extent = static_cast<__int128>(shape[static_cast<size_t>(d)]);
      if (extent <= 0) return extent == 0;
      const __int128 step = t.strides ? static_cast<__int128>(strides[static_cast<size_t>(d)]) : dense;
      (step < 0 ? low : high) += step * (extent - 1);
      dense *= extent;
      if (high > 4096 || low < -4096 || dense > 65536) return false;
    }
    const __int128 item = t.dtype.bits / 8 + 1, offset = static_cast<__int128>(t.byte_offset);
    return low * item + offset + kMiddle >= 0 &&
           (high + 1) * item + offset + kMiddle <= static_cast<__int128>(data.size());
  }

  static constexpr size_t kMiddle = 32768;
  std::vector<char> memory = std::vector<char>(2 * kMiddle);
  struct Span {
    char *begin;
    char *data() const { return begin; }
    static size_t size() { return 2 * kMiddle; }
  } data{memory.data() + kMiddle};
  std::array<int64_t, kMostAxes> shape{}, strides{};
  DLManagedTensorVersioned managed{};
  int deleted = 0;
};

void read_everything(gpuopt_array x) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array truth = nullptr;
  const int64_t size = gpuopt_array_size(x);
  std::vector<char> copy(static_cast<size_t>(size) * 16 + 1);
  fuzz::accepted(gpuopt_to_host(x, copy.data(), copy.size(), &error), error);
  if (fuzz::accepted(gpuopt_astype(x, GPUOPT_BOOL, GPUOPT_COPY_ALWAYS, &truth, &error), error))
    fuzz::accepted(gpuopt_eval(1, &truth, &error), error);
  gpuopt_array_release(truth);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const auto copy = static_cast<gpuopt_copy>(input.number<uint8_t>() % 5 - 1);
  Tensor tensor(input);
  if (copy != GPUOPT_COPY_NEVER && !tensor.inside()) return 0;  // the library would be asked to read what is not there
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array x = nullptr;
  const bool taken = fuzz::accepted(gpuopt_from_dlpack(fuzz::device(), &tensor.managed, copy, &x, &error), error);
  fuzz::require(taken == (x != nullptr), "an array is given exactly if there is no error");
  if (taken && tensor.inside()) read_everything(x);
  gpuopt_array_release(x);
  const bool other_version = tensor.managed.version.major != 1;
  fuzz::require(tensor.deleted == (taken || other_version ? 1 : 0),
                "the deleter is called once if the tensor was taken or is of another version, else never");
  return 0;
}
