// core/kernels/kernel_call.cpp -- see kernel_call.h.
#include "core/kernels/kernel_call.h"

#include <algorithm>

#include "core/engine/engine.h"
#include "core/engine/library_call.h"
#include "core/engine/node.h"
#include "core/engine/record.h"

namespace gpuopt {
namespace {

constexpr int kBlockSize = 128;

}  // namespace

void ArgumentBytes::add(const void *bytes, size_t count) {
  places_.emplace_back(storage_.size(), count);
  storage_.resize(storage_.size() + (count + sizeof(Unit) - 1) / sizeof(Unit));
  if (count) std::memcpy(&storage_[places_.back().first], bytes, count);
}

void ArgumentBytes::add_dims(std::span<const int64_t> dims) {
  const int64_t none = 0;
  add_words(dims.empty() ? std::span(&none, 1) : dims);
}

void ArgumentBytes::add_strided(const void *data, std::span<const int64_t> strides) {
  std::vector<int64_t> words{reinterpret_cast<int64_t>(data)};
  words.insert(words.end(), strides.begin(), strides.end());
  if (strides.empty()) words.push_back(0);
  add_words(words);
}

std::vector<gpuopt_kernel_argument> ArgumentBytes::list() const {
  std::vector<gpuopt_kernel_argument> all;
  for (const auto &[at, count] : places_) all.push_back({&storage_[at], count});
  return all;
}

LoopAxes merged_axes(std::span<const int64_t> shape, uint64_t mask, const std::vector<gpuopt_array> &operands) {
  LoopAxes axes;
  axes.strides.resize(operands.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!(mask >> d & 1) || shape[d] == 1) continue;
    const bool merges = !axes.sizes.empty() && [&] {
      for (size_t k = 0; k < operands.size(); ++k)
        if (axes.strides[k].back() != operands[k]->strides[d] * shape[d]) return false;
      return true;
    }();
    if (!merges) axes.sizes.push_back(1);
    axes.sizes.back() *= shape[d];
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!merges) axes.strides[k].push_back(0);
      axes.strides[k].back() = operands[k]->strides[d];
    }
  }
  return axes;
}

KernelCall::KernelCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                       const gpuopt_kernel_call_options &options)
    : kernel_(kernel), source_(kernel.source), parameters_(source_.parameters), options_(options) {
  take(arguments);
  find_device();
}

void KernelCall::leave_outputs(gpuopt_array *results) {
  for (size_t k = 0; k < parameters_.outputs.size(); ++k) results[k] = arrays_[parameters_.inputs.size() + k].leave();
}

void KernelCall::take(std::span<const gpuopt_array> arguments) {
  const size_t nin = parameters_.inputs.size(), all = parameters_.count();
  if (arguments.size() != nin && arguments.size() != all)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Wrong number of arguments: %zu, but it has %zu inputs and %zu outputs",
         name(), arguments.size(), nin, all - nin);
  arrays_.resize(all);
  numbers_.resize(all);
  for (size_t k = 0; k < arguments.size(); ++k) {
    const gpuopt_array array = arguments[k];
    const char *const parameter = parameters_.at(k).name.c_str();
    if (!array) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: argument %s is NULL", name(), parameter);
    } else if (!array->weak) {
      arrays_[k] = ArrayRef::share(array);
    } else if (is_output(k)) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: output %s is not an array", name(), parameter);
    } else if (parameters_.at(k).raw) {
      fail(GPUOPT_ERR_TYPE, "%s: raw parameter %s takes an array, not a number", name(), parameter);
    } else {
      numbers_[k] = array->scalar;
    }
  }
  outputs_given_ = arguments.size() == all;
}

void KernelCall::find_device() {
  for (const ArrayRef &x : arrays_) {
    if (!x) continue;
    if (!stream_) stream_ = x->stream;
    if (x->device() != stream_->device)
      fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one array is on %s, another on %s", name(),
           deref(stream_->device, name()).name.c_str(), deref(x->device(), name()).name.c_str());
  }
  if (stream_) return;
  if (!options_.device)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no argument is an array, and the options name no device", name());
  stream_ = Ref<gpuopt_stream_s>::share(options_.device->default_stream);
}

BoundTypes KernelCall::bound_types() const {
  std::vector<gpuopt_dtype> dtypes;
  for (const ArrayRef &x : arrays_) dtypes.push_back(x ? x->dtype : 0);
  return BoundTypes(source_.name, parameters_, dtypes);
}

bool KernelCall::broadcast(bool with_outputs, Shape &shape) const {
  std::vector<std::span<const int64_t>> shapes;
  for (size_t k = 0; k < arrays_.size(); ++k)
    if (arrays_[k] && !parameters_.at(k).raw && (with_outputs || !is_output(k))) shapes.push_back(arrays_[k]->sizes());
  if (shapes.empty()) return false;
  broadcast_shape(shapes, shape, name());
  return true;
}

void KernelCall::check_writable(size_t k) const {
  if (arrays_[k]->read_only)
    fail(GPUOPT_ERR_READ_ONLY, "%s: %s %s is read-only", name(), is_output(k) ? "output" : "the _non_const input",
         parameters_.at(k).name.c_str());
}

void KernelCall::part_from_outputs() {
  for (size_t k = 0; k < parameters_.inputs.size(); ++k) {
    if (!arrays_[k] || parameters_.at(k).raw || parameters_.at(k).written) continue;
    for (size_t o = parameters_.inputs.size(); o < arrays_.size(); ++o) {
      const gpuopt_array_s &in = *arrays_[k], &out = *arrays_[o];
      if (in.storage.get() != out.storage.get() || parameters_.at(o).raw) continue;
      const bool same = in.offset == out.offset && in.dtype == out.dtype &&
                        std::ranges::equal(in.sizes(), out.sizes()) &&
                        std::equal(in.strides, in.strides + in.ndim, out.strides);
      if (!same) arrays_[k] = record_copy(arrays_[k].get());
    }
  }
}

gpuopt_array KernelCall::widened(size_t k, const Shape &shape) {
  wide_.push_back(broadcast_view(arrays_[k].get(), {shape.sizes, static_cast<size_t>(shape.ndim)}, name()));
  return wide_.back().get();
}

std::string KernelCall::key_of(const BoundTypes &types, const std::vector<ArgumentForm> &forms) const {
  std::string key = stream_->device->name;
  for (size_t k = 0; k < forms.size(); ++k) {
    key += ' ' + std::to_string(types.of(parameters_.at(k))) + "npsr"[forms[k].kind];
    key += std::to_string(forms[k].ndim);
  }
  return key;
}

void KernelCall::add_number(ArgumentBytes &bytes, size_t k, const BoundTypes &types) const {
  alignas(16) unsigned char element[16];
  const gpuopt_dtype dtype = types.of(parameters_.at(k));
  store_scalar(numbers_[k], dtype, element, true);
  bytes.add(element, static_cast<size_t>(dtype_size(dtype)));
}

// The layout is that of `Raw` in plugins/shared/user/arrays.h.
void KernelCall::add_raw(ArgumentBytes &bytes, size_t k) const {
  const gpuopt_array_s &x = *arrays_[k];
  const auto ndim = static_cast<size_t>(std::max(x.ndim, 1));
  std::vector<int64_t> words(3 + 2 * ndim);
  words[0] = reinterpret_cast<int64_t>(address(x));
  words[1] = x.size;
  std::copy_n(x.shape, x.ndim, &words[2]);
  std::copy_n(x.strides, x.ndim, &words[2 + ndim]);
  words.back() = x.contiguous;
  bytes.add_words(words);
}

void KernelCall::enter(LibraryCall &order) const {
  for (size_t k = 0; k < arrays_.size(); ++k) {
    if (!arrays_[k]) continue;
    if (parameters_.at(k).written) check_writable(k);
    parameters_.at(k).written ? order.output(arrays_[k].get()) : order.input(arrays_[k].get());
  }
}

gpuopt_kernel_launch KernelCall::launch_of(int64_t threads,
                                           const std::vector<gpuopt_kernel_argument> &arguments) const {
  gpuopt_kernel_launch launch{};
  launch.struct_size = sizeof launch;
  const int64_t block = options_.block_size ? options_.block_size : kBlockSize;
  launch.grid[0] = static_cast<uint32_t>(std::min<int64_t>((threads + block - 1) / block, INT32_MAX));
  launch.block[0] = static_cast<uint32_t>(block);
  launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
  launch.narguments = static_cast<int32_t>(arguments.size());
  launch.arguments = arguments.data();
  return launch;
}

}  // namespace gpuopt
