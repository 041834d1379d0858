// core/kernel.cpp -- user kernels: made, called; gpuopt_elementwise_kernel and gpuopt_kernel_call.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "engine.h"
#include "kernel_text.h"
#include "library_call.h"
#include "node.h"
#include "view.h"

namespace gpuopt {
namespace {

// A kernel compiled for one device. Lives as long as the user's kernel.
struct Compiled {
  gpuopt_device device = nullptr;
  gpuopt_plugin_kernel *handle = nullptr;
  Compiled() = default;
  Compiled(const Compiled &) = delete;
  ~Compiled() {
    if (handle && !device->forked()) device->api().kernel_release(device->handle, handle);
  }
};

}  // namespace
}  // namespace gpuopt

struct gpuopt_kernel_s : gpuopt::RefCounted<gpuopt_kernel_s> {
  gpuopt::ElementwiseSource source;
  bool indexed = false;  // wants `_ind`
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<gpuopt::Compiled>> compiled;  // by device, types and form
  static void destroy(gpuopt_kernel_s *kernel) { delete kernel; }
};

namespace gpuopt {
namespace {

constexpr int kBlockSize = 128;

// The bytes a kernel is given, in the order of its parameters.
class ArgumentBytes {
 public:
  void add(const void *bytes, size_t count) {
    places_.emplace_back(storage_.size(), count);
    storage_.resize(storage_.size() + (count + 15) / 16);
    std::memcpy(&storage_[places_.back().first], bytes, count);
  }
  void add_words(const std::vector<int64_t> &words) { add(words.data(), words.size() * sizeof(int64_t)); }
  std::vector<gpuopt_kernel_argument> list() const {
    std::vector<gpuopt_kernel_argument> all;
    for (const auto &[at, count] : places_) all.push_back({&storage_[at], count});
    return all;
  }

 private:
  struct alignas(16) Unit {
    unsigned char bytes[16];
  };
  std::vector<Unit> storage_;
  std::vector<std::pair<size_t, size_t>> places_;
};

// The loop's axes and each operand's strides along them, neighbours merged that every operand walks as one.
struct LoopAxes {
  Dims sizes;
  std::vector<Dims> strides;  // of each operand
};

LoopAxes merged_axes(std::span<const int64_t> shape, const std::vector<gpuopt_array> &operands) {
  LoopAxes axes;
  axes.strides.resize(operands.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
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

// Words for an array of `ndim` numbers that C++ gives at least one element.
std::vector<int64_t> padded(std::span<const int64_t> words) {
  std::vector<int64_t> all(words.begin(), words.end());
  if (all.empty()) all.push_back(0);
  return all;
}

// One call of an elementwise kernel.
class ElementwiseCall {
 public:
  ElementwiseCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                  const gpuopt_kernel_call_options &options)
      : kernel_(kernel), source_(kernel.source), parameters_(source_.parameters), options_(options) {
    take(arguments);
    find_device();
    const BoundTypes types(source_.name, parameters_, given_dtypes());
    decide_shape();
    make_outputs(types);
    if (size_) launch(types);
  }

  void leave_outputs(gpuopt_array *results) {
    for (size_t k = 0; k < parameters_.outputs.size(); ++k) results[k] = arrays_[parameters_.inputs.size() + k].leave();
  }

 private:
  const char *name() const { return source_.name.c_str(); }
  bool is_output(size_t k) const { return k >= parameters_.inputs.size(); }

  void take(std::span<const gpuopt_array> arguments) {
    const size_t nin = parameters_.inputs.size(), all = parameters_.count();
    if (arguments.size() != nin && arguments.size() != all)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Wrong number of arguments: %zu, but it has %zu inputs and %zu outputs",
           name(), arguments.size(), nin, all - nin);
    arrays_.resize(all);
    numbers_.resize(all);
    for (size_t k = 0; k < arguments.size(); ++k) {
      const gpuopt_array array = arguments[k];
      if (!array) {
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: argument %s is NULL", name(), parameters_.at(k).name.c_str());
      } else if (!array->weak) {
        arrays_[k] = ArrayRef::share(array);
      } else if (is_output(k)) {
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: output %s is no array", name(), parameters_.at(k).name.c_str());
      } else if (parameters_.at(k).raw) {
        fail(GPUOPT_ERR_TYPE, "%s: raw parameter %s takes an array, not a number", name(),
             parameters_.at(k).name.c_str());
      } else {
        numbers_[k] = array->scalar;
      }
    }
    outputs_given_ = arguments.size() == all;
  }

  void find_device() {
    for (const ArrayRef &x : arrays_) {
      if (!x) continue;
      if (!stream_) stream_ = x->stream;
      if (x->device() != stream_->device)
        fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: one array is on %s, another on %s", name(), stream_->device->name.c_str(),
             x->device()->name.c_str());
    }
    if (stream_) return;
    if (!options_.device)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no argument is an array, and the options name no device", name());
    stream_ = Ref<gpuopt_stream_s>::share(options_.device->default_stream);
  }

  std::vector<gpuopt_dtype> given_dtypes() const {
    std::vector<gpuopt_dtype> dtypes;
    for (const ArrayRef &x : arrays_) dtypes.push_back(x ? x->dtype : 0);
    return dtypes;
  }

  void decide_shape() {
    std::vector<std::span<const int64_t>> shapes;
    for (size_t k = 0; k < arrays_.size(); ++k)
      if (arrays_[k] && !parameters_.at(k).raw) shapes.push_back(arrays_[k]->sizes());
    if (options_.has_size) {
      if (!shapes.empty())
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Specified 'size' can be used only if all of the ndarray are 'raw'.",
             name());
      shape_.ndim = 1;
      shape_.sizes[0] = options_.size;
    } else if (shapes.empty()) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Loop size is undecided.", name());
    } else {
      broadcast_shape(shapes, shape_, name());
    }
    size_ = checked_size(shape_.ndim, shape_.sizes, 1);
  }

  std::span<const int64_t> shape() const { return {shape_.sizes, static_cast<size_t>(shape_.ndim)}; }

  void make_outputs(const BoundTypes &types) {
    for (size_t k = parameters_.inputs.size(); k < arrays_.size(); ++k) {
      const KernelParameter &p = parameters_.at(k);
      if (!outputs_given_) {
        if (p.raw && !options_.has_size)
          fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Output array size is Undecided: raw output %s", name(),
               p.name.c_str());
        arrays_[k] = make_array(stream_.get(), types.of(p), shape_.ndim, shape_.sizes);
        continue;
      }
      const gpuopt_array_s &out = *arrays_[k];
      if (out.read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: output %s is read-only", name(), p.name.c_str());
      if (!p.raw && !std::ranges::equal(out.sizes(), shape()))
        fail(GPUOPT_ERR_SHAPE, "%s: Out shape is mismatched: %s has shape %s, but the loop %s", name(), p.name.c_str(),
             shape_text(out.ndim, out.shape).c_str(), shape_text(shape_.ndim, shape_.sizes).c_str());
    }
  }

  // Inputs that overlap an output without being it are copied: elements are written in no particular order.
  void part_from_outputs() {
    for (size_t k = 0; k < parameters_.inputs.size(); ++k) {
      if (!arrays_[k] || parameters_.at(k).raw) continue;
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

  // The arrays as the loop walks them.
  std::vector<gpuopt_array> broadcast_operands() {
    std::vector<gpuopt_array> operands;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      if (!arrays_[k] || parameters_.at(k).raw) continue;
      wide_.push_back(broadcast_view(arrays_[k].get(), shape(), name()));
      operands.push_back(wide_.back().get());
    }
    return operands;
  }

  ElementwiseForm form_of(const LoopAxes &axes, bool packed) const {
    ElementwiseForm form;
    form.ndim = packed ? 0 : static_cast<int>(axes.sizes.size());
    form.index_ndim = kernel_.indexed ? shape_.ndim : -1;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      ArgumentForm argument;
      if (arrays_[k]) argument.kind = packed ? ArgumentForm::kPacked : ArgumentForm::kStrided;
      if (parameters_.at(k).raw) argument = {ArgumentForm::kRaw, arrays_[k]->ndim};
      form.arguments.push_back(argument);
    }
    return form;
  }

  // After the arrays have memory.
  ArgumentBytes bytes_of(const ElementwiseForm &form, const LoopAxes &axes, const BoundTypes &types) const {
    ArgumentBytes bytes;
    size_t operand = 0;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      const ArgumentForm::Kind kind = form.arguments[k].kind;
      if (kind == ArgumentForm::kNumber) {
        alignas(16) unsigned char element[16];
        const gpuopt_dtype dtype = types.of(parameters_.at(k));
        store_scalar(numbers_[k], dtype, element, true);
        bytes.add(element, static_cast<size_t>(dtype_size(dtype)));
        continue;
      }
      const gpuopt_array_s &x = *arrays_[k];
      std::vector<int64_t> words{reinterpret_cast<int64_t>(address(x))};
      const auto append = [&](std::span<const int64_t> more) {
        const std::vector<int64_t> all = padded(more);
        words.insert(words.end(), all.begin(), all.end());
      };
      if (kind == ArgumentForm::kStrided) append(axes.strides[operand]);
      if (kind == ArgumentForm::kRaw) {
        words.push_back(x.size);
        append(x.sizes());
        append({x.strides, static_cast<size_t>(x.ndim)});
        words.push_back(x.contiguous);
      } else {
        ++operand;
      }
      bytes.add_words(words);
    }
    if (form.strided()) bytes.add_words(padded(axes.sizes));
    if (form.index_ndim >= 0) bytes.add_words(padded(shape()));
    bytes.add(&size_, sizeof size_);
    return bytes;
  }

  std::string key_of(const BoundTypes &types, const ElementwiseForm &form) const {
    std::string key = stream_->device->name;
    key += ' ' + std::to_string(form.ndim) + ' ' + std::to_string(form.index_ndim);
    for (size_t k = 0; k < form.arguments.size(); ++k) {
      key += ' ' + std::to_string(types.of(parameters_.at(k))) + "pnsr"[form.arguments[k].kind];
      key += std::to_string(form.arguments[k].ndim);
    }
    return key;
  }

  gpuopt_plugin_kernel *compiled(const BoundTypes &types, const ElementwiseForm &form) {
    const std::lock_guard lock(kernel_.mutex);
    std::unique_ptr<Compiled> &place = kernel_.compiled[key_of(types, form)];
    if (!place) {
      auto made = std::make_unique<Compiled>();
      made->device = stream_->device;
      const std::string text = elementwise_text(source_, types, form), symbol = kernel_symbol(source_.name);
      gpuopt_kernel_source source{};
      source.struct_size = sizeof source;
      source.name = symbol.c_str();
      source.code = text.c_str();
      compile(source, *made);
      place = std::move(made);
    }
    return place->handle;
  }

  void compile(const gpuopt_kernel_source &source, Compiled &made) {
    try {
      call_slot(made.device, name(), made.device->api().kernel_compile, &source, &made.handle);
    } catch (Failure &failure) {
      if (failure.code == GPUOPT_ERR_UNSUPPORTED) failure.code = GPUOPT_ERR_JIT_UNAVAILABLE;
      throw;
    }
  }

  void launch(const BoundTypes &types) {
    part_from_outputs();
    const std::vector<gpuopt_array> operands = broadcast_operands();
    const bool packed = std::all_of(operands.begin(), operands.end(), [](gpuopt_array x) { return x->contiguous; });
    const LoopAxes axes = merged_axes(shape(), operands);
    const ElementwiseForm form = form_of(axes, packed);
    gpuopt_plugin_kernel *const kernel = compiled(types, form);
    LibraryCall order(0, stream_.get());
    for (size_t k = 0; k < arrays_.size(); ++k) {
      if (!arrays_[k]) continue;
      parameters_.at(k).written ? order.output(arrays_[k].get()) : order.input(arrays_[k].get());
    }
    const ArgumentBytes bytes = bytes_of(form, axes, types);
    const std::vector<gpuopt_kernel_argument> list = bytes.list();
    gpuopt_kernel_launch launch{};
    launch.struct_size = sizeof launch;
    const int64_t block = options_.block_size ? options_.block_size : kBlockSize;
    const int64_t blocks = std::min<int64_t>((size_ + block - 1) / block, INT32_MAX);
    launch.grid[0] = static_cast<uint32_t>(blocks);
    launch.block[0] = static_cast<uint32_t>(block);
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    launch.narguments = static_cast<int32_t>(list.size());
    launch.arguments = list.data();
    call_stream(stream_.get(), name(), stream_->device->api().kernel_launch, kernel,
                static_cast<const gpuopt_kernel_launch *>(&launch));
  }

  gpuopt_kernel_s &kernel_;
  const ElementwiseSource &source_;
  const KernelParameters &parameters_;
  const gpuopt_kernel_call_options &options_;
  std::vector<ArrayRef> arrays_;  // of each parameter; empty for a number
  std::vector<ArrayRef> wide_;
  std::vector<gpuopt_scalar> numbers_;
  bool outputs_given_ = false;
  Ref<gpuopt_stream_s> stream_;
  Shape shape_;
  int64_t size_ = 0;
};

std::string text_or_empty(const char *text) { return text ? text : ""; }

Ref<gpuopt_kernel_s> make_kernel(const char *in_params, const char *out_params, const char *operation, const char *name,
                                 const gpuopt_kernel_options *given) {
  const auto options = options_or_default(given, "gpuopt_kernel_options");
  const std::string title = text_or_empty(name);
  check_kernel_name(title);
  auto kernel = Ref<gpuopt_kernel_s>::adopt(new gpuopt_kernel_s);
  kernel->source = {title,
                    parse_parameters(title, in_params, out_params),
                    text_or_empty(operation),
                    text_or_empty(options.preamble),
                    text_or_empty(options.loop_prep),
                    text_or_empty(options.after_loop)};
  kernel->indexed = wants_index(kernel->source);
  return kernel;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_elementwise_kernel(const char *in_params, const char *out_params, const char *operation,
                                        const char *name, const gpuopt_kernel_options *options, gpuopt_kernel *kernel,
                                        gpuopt_error *error) {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "elementwise_kernel: the kernel pointer is NULL");
    *kernel = make_kernel(in_params, out_params, operation, name, options).leave();
  });
}

gpuopt_kernel gpuopt_kernel_retain(gpuopt_kernel kernel) {
  if (kernel) kernel->retain();
  return kernel;
}

void gpuopt_kernel_release(gpuopt_kernel kernel) {
  if (kernel) kernel->release();
}

int32_t gpuopt_kernel_nin(gpuopt_kernel kernel) {
  return static_cast<int32_t>(kernel->source.parameters.inputs.size());
}
int32_t gpuopt_kernel_nout(gpuopt_kernel kernel) {
  return static_cast<int32_t>(kernel->source.parameters.outputs.size());
}

gpuopt_status gpuopt_kernel_call(gpuopt_kernel kernel, int32_t count, const gpuopt_array *arguments,
                                 const gpuopt_kernel_call_options *given, gpuopt_array *results, gpuopt_error *error) {
  if (kernel && results) std::fill_n(results, kernel->source.parameters.outputs.size(), nullptr);
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "kernel_call: the kernel is NULL");
    if (count < 0 || (count && !arguments))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d arguments at %p", kernel->source.name.c_str(), count,
           static_cast<const void *>(arguments));
    const auto options = options_or_default(given, "gpuopt_kernel_call_options");
    if (!results && static_cast<size_t>(count) != kernel->source.parameters.count())
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the results pointer is NULL, and no outputs are given",
           kernel->source.name.c_str());
    ElementwiseCall call(*kernel, {arguments, static_cast<size_t>(count)}, options);
    if (results) call.leave_outputs(results);
  });
}

}  // extern "C"
