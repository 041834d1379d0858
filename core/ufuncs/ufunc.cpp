// core/ufuncs/ufunc.cpp -- calls ufuncs: chooses the types, casts the inputs and calls an elementwise kernel, one for
// each choice of types.
#include "core/ufuncs/ufunc.h"

#include <algorithm>

#include "core/engine/node.h"
#include "core/engine/record.h"
#include "core/kernels/kernel_elementwise.h"
#include "core/ops/select.h"

namespace gpuopt {

KernelParameter parameter_of(std::string name, gpuopt_dtype dtype, bool raw, bool written) {
  KernelParameter parameter;
  parameter.name = std::move(name);
  parameter.dtype = dtype;
  parameter.raw = raw;
  parameter.written = written;
  return parameter;
}

KernelRef kernel_of(UserKernel source) {
  auto kernel = KernelRef::adopt(new gpuopt_kernel_s);
  kernel->source = std::move(source);
  return kernel;
}

gpuopt_kernel_s &KernelFamily::get(const std::string &name, const std::function<UserKernel()> &source) {
  const std::lock_guard lock(mutex_);
  KernelRef &kernel = kernels_[name];
  if (!kernel) kernel = kernel_of(source());
  return *kernel;
}

void check_operands(const std::string &name, std::span<const gpuopt_array> arguments, size_t nin, size_t nout) {
  if (arguments.size() != nin && arguments.size() != nin + nout)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Wrong number of arguments: %zu, but it has %zu inputs and %zu outputs",
         name.c_str(), arguments.size(), nin, nout);
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (!arguments[k]) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: argument %zu is NULL", name.c_str(), k);
    if (k >= nin && arguments[k]->weak)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: output %zu is not an array", name.c_str(), k - nin);
  }
}

ArrayRef apart_from_all(std::span<const gpuopt_array> outputs, ArrayRef x) {
  for (const gpuopt_array out : outputs) x = apart_from(out, std::move(x));
  return x;
}

gpuopt_stream stream_for(const std::string &name, std::span<const gpuopt_array> arguments,
                         const gpuopt_kernel_call_options &options) {
  for (const gpuopt_array x : arguments)
    if (!x->weak) return x->stream.get();
  if (!options.device)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no argument is an array, and the options name no device", name.c_str());
  return options.device->default_stream;
}

ArrayRef typed_input(gpuopt_stream stream, gpuopt_array x, gpuopt_dtype dtype) {
  return x->weak ? scalar_array(stream, dtype, x->scalar) : in_dtype(x, dtype);
}

gpuopt_kernel_call_options sized_call(int64_t size, int32_t block_size) {
  gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
  options.block_size = block_size;
  options.has_size = 1;
  options.size = size;
  return options;
}

UfuncOutputs::UfuncOutputs(const std::string &name, std::span<const gpuopt_array> given,
                           const std::vector<gpuopt_dtype> &dtypes)
    : name_(name), made_(dtypes.size()), dtypes_(dtypes), targets_(dtypes.size()) {
  for (size_t k = 0; k < given.size(); ++k) {
    if (given[k]->read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: output %zu is read-only", name.c_str(), k);
    if (!can_cast(dtypes[k], given[k]->dtype, 1))
      fail(GPUOPT_ERR_TYPE, "%s: Cannot cast output %zu from %s to %s with casting rule 'same_kind'", name.c_str(), k,
           dtype_name(dtypes[k]), dtype_name(given[k]->dtype));
    given_.push_back(ArrayRef::share(given[k]));
  }
}

void UfuncOutputs::make(size_t k, gpuopt_stream stream, const Dims &shape) {
  if (given() && !std::ranges::equal(given_[k]->sizes(), shape))
    fail(GPUOPT_ERR_SHAPE, "%s: Out shape is mismatched: output %zu has shape %s, but the result %s", name_.c_str(), k,
         shape_text(given_[k]->ndim, given_[k]->shape).c_str(),
         shape_text(static_cast<int>(shape.size()), shape.data()).c_str());
  if (given() && given_[k]->dtype == dtypes_[k]) {
    targets_[k] = given_[k].get();
    return;
  }
  made_[k] = make_array(stream, dtypes_[k], static_cast<int>(shape.size()), shape.data());
  targets_[k] = made_[k].get();
}

void UfuncOutputs::finish(gpuopt_array *results) {
  for (size_t k = 0; k < given_.size(); ++k) {
    if (!made_[k]) continue;
    const gpuopt_array inputs[] = {made_[k].get()};
    Recorder recorder(name_.c_str(), inputs, given_[k].get());
    recorder.store(given_[k].get(), recorder.value(made_[k].get(), given_[k]->dtype));
  }
  for (size_t k = 0; results && k < made_.size(); ++k) results[k] = (given() ? given_[k] : made_[k]).leave();
}

Ufunc::Ufunc(std::string name, const char *code, const char *types, const char *identity)
    : name_(std::move(name)), code_(code ? code : ""), identity_(identity ? identity : "") {
  types_ = parse_types(name_, types);
  if (types_.front().outputs.size() != 1)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a function has one result, but the types have %zu outputs", name_.c_str(),
         types_.front().outputs.size());
}

UserKernel Ufunc::source() const {
  UserKernel source;
  source.name = name_;
  source.preamble = code_;
  source.preamble_title = "";
  source.generated = true;
  return source;
}

UserKernel Ufunc::loop_source(size_t types) const {
  UserKernel made = source();
  std::string list;
  for (size_t k = 0; k < nin(); ++k) {
    const std::string name = "gpuopt_x" + std::to_string(k);
    made.parameters.inputs.push_back(parameter_of(name, types_[types].inputs[k], false, false));
    list += (k ? ", " : "") + name;
  }
  made.parameters.outputs = {parameter_of("gpuopt_out", types_[types].outputs[0], false, true)};
  made.operation = "gpuopt_out = " + applied(list);
  return made;
}

void Ufunc::call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
                 gpuopt_array *results) {
  check_operands(name_, arguments, nin(), nout());
  if (options.has_size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a ufunc takes no size", name_.c_str());
  const std::span<const gpuopt_array> inputs = arguments.first(nin());
  const size_t types = resolved_types(name_, types_, inputs);
  UfuncOutputs outputs(name_, arguments.subspan(nin()), types_[types].outputs);
  std::vector<ArrayRef> kept;
  std::vector<gpuopt_array> operands;
  std::vector<std::span<const int64_t>> shapes;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k]->weak) shapes.push_back(inputs[k]->sizes());
    kept.push_back(inputs[k]->weak ? ArrayRef::share(inputs[k]) : in_dtype(inputs[k], types_[types].inputs[k]));
    operands.push_back(kept.back().get());
  }
  Shape shape;
  if (!shapes.empty()) broadcast_shape(shapes, shape, name_.c_str());
  outputs.make(0, stream_for(name_, arguments, options), Dims(shape.sizes, shape.sizes + shape.ndim));
  operands.push_back(outputs.targets()[0]);
  gpuopt_kernel_s &kernel = kernels_.get(std::to_string(types), [&] { return loop_source(types); });
  call_elementwise(kernel, operands, options, nullptr);
  outputs.finish(results);
}

Ufunc &ufunc_of(gpuopt_kernel kernel, const char *method) {
  auto *const ufunc = kernel ? dynamic_cast<Ufunc *>(kernel->composite.get()) : nullptr;
  if (!ufunc)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s is not a ufunc", method, kernel ? kernel->source.name.c_str() : "NULL");
  return *ufunc;
}

}  // namespace gpuopt
