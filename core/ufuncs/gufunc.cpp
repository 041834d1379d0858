// core/ufuncs/gufunc.cpp -- generalized ufuncs: a function that is called with sub-arrays for each index of a loop.
#include "core/ufuncs/gufunc.h"

#include <algorithm>

#include "core/array/view.h"
#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_elementwise.h"

namespace gpuopt {

Gufunc::Gufunc(std::string name, const char *code, const char *types, const char *signature)
    : name_(std::move(name)), code_(code ? code : ""), types_(parse_types(name_, types)), core_(name_, signature) {
  if (types_.front().inputs.size() != nin() || types_.front().outputs.size() != nout())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: signature %s has %zu inputs and %zu outputs, the types %zu and %zu",
         name_.c_str(), core_.text().c_str(), nin(), nout(), types_.front().inputs.size(),
         types_.front().outputs.size());
}

// Returns the kernel for signature number `types`. All operands are raw; plugins/shared/user/gufunc.h takes from each
// the sub-array that belongs to an index of the loop.
UserKernel Gufunc::loop_source(size_t types) const {
  UserKernel made;
  made.name = name_;
  made.generated = true;
  made.header = "gufunc";
  made.preamble = code_;
  made.preamble_title = "";
  std::string list;
  for (size_t k = 0; k < nin() + nout(); ++k) {
    const bool input = k < nin();
    const std::string name = "gpuopt_x" + std::to_string(k), rank = std::to_string(core_.rank(k));
    const gpuopt_dtype dtype = input ? types_[types].inputs[k] : types_[types].outputs[k - nin()];
    (input ? made.parameters.inputs : made.parameters.outputs).push_back(parameter_of(name, dtype, true, !input));
    list += (k ? ", " : "") + std::string(input ? "::gpo::user::input_at<" : "::gpo::user::output_at<") + rank + ">(" +
            name + ", i)";
  }
  made.operation = name_ + "(" + list + ")";
  return made;
}

// Returns the shape of the loop: the broadcast shape of the inputs without their core dimensions.
Dims Gufunc::loop_shape(std::span<const gpuopt_array> inputs) const {
  std::vector<std::span<const int64_t>> shapes;
  for (size_t k = 0; k < inputs.size(); ++k)
    shapes.push_back(inputs[k]->sizes().first(static_cast<size_t>(inputs[k]->ndim) - core_.rank(k)));
  Shape shape;
  broadcast_shape(shapes, shape, name_.c_str());
  return Dims(shape.sizes, shape.sizes + shape.ndim);
}

void Gufunc::call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
                  gpuopt_array *results) {
  check_operands(name_, arguments, nin(), nout());
  if (options.has_size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a gufunc takes no size", name_.c_str());
  const size_t types = resolved_types(name_, types_, arguments.first(nin()));
  UfuncOutputs outputs(name_, arguments.subspan(nin()), types_[types].outputs);
  const gpuopt_stream stream = stream_for(name_, arguments, options);
  std::vector<ArrayRef> inputs;
  std::vector<gpuopt_array> operands;
  for (size_t k = 0; k < nin(); ++k) {
    inputs.push_back(typed_input(stream, arguments[k], types_[types].inputs[k]));
    operands.push_back(inputs.back().get());
  }
  std::vector<gpuopt_array> bound = operands;
  bound.insert(bound.end(), arguments.begin() + static_cast<std::ptrdiff_t>(nin()), arguments.end());
  const Dims sizes = core_.sizes(bound), loop_sizes = loop_shape(operands);
  const auto with_core = [&](size_t k) {
    Dims shape = loop_sizes;
    const Dims core = core_.shape(k, sizes);
    shape.insert(shape.end(), core.begin(), core.end());
    return shape;
  };
  for (size_t k = 0; k < nout(); ++k) outputs.make(k, stream, with_core(nin() + k));
  for (size_t k = 0; k < nin(); ++k) {
    inputs[k] = broadcast_view(apart_from_all(outputs.targets(), inputs[k]).get(), with_core(k), name_.c_str());
    operands[k] = inputs[k].get();
  }
  operands.insert(operands.end(), outputs.targets().begin(), outputs.targets().end());
  const int64_t places = checked_size(static_cast<int>(loop_sizes.size()), loop_sizes.data(), 1);
  gpuopt_kernel_s &kernel = kernels_.get(std::to_string(types), [&] { return loop_source(types); });
  if (places) call_elementwise(kernel, operands, sized_call(places, options.block_size), nullptr);
  outputs.finish(results);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_guvectorize(const char *code, const char *name, const char *types,
                                            const char *signature, gpuopt_kernel *kernel, gpuopt_error *error) {
  return giving_kernel(kernel, error, "guvectorize", name, [&](const std::string &title) {
    return std::make_unique<Gufunc>(title, code, types, signature);
  });
}
