// core/kernels/kernel_elementwise.cpp -- calls elementwise kernels.
#include "core/kernels/kernel_elementwise.h"

#include <algorithm>

#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_call.h"

namespace gpuopt {
namespace {

class ElementwiseCall : public KernelCall {
 public:
  ElementwiseCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                  const gpuopt_kernel_call_options &options)
      : KernelCall(kernel, arguments, options) {
    const BoundTypes types = bound_types();
    decide_shape();
    make_outputs(types);
    if (size_) launch(types);
  }

 private:
  // Sets the shape of the loop: that of the arrays, or the size in the options if all arrays are raw.
  void decide_shape() {
    const bool arrays = broadcast(true, shape_);
    if (options_.has_size) {
      if (arrays)
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Specified 'size' can be used only if all of the ndarray are 'raw'.",
             name());
      shape_.ndim = 1;
      shape_.sizes[0] = options_.size;
    } else if (!arrays) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Loop size is undecided.", name());
    }
    size_ = checked_size(shape_.ndim, shape_.sizes, 1);
  }

  std::span<const int64_t> shape() const { return {shape_.sizes, static_cast<size_t>(shape_.ndim)}; }

  // Makes the outputs, or checks those that were given.
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
      check_writable(k);
      const gpuopt_array_s &out = *arrays_[k];
      if (!p.raw && !std::ranges::equal(out.sizes(), shape()))
        fail(GPUOPT_ERR_SHAPE, "%s: Out shape is mismatched: %s has shape %s, but the loop %s", name(), p.name.c_str(),
             shape_text(out.ndim, out.shape).c_str(), shape_text(shape_.ndim, shape_.sizes).c_str());
    }
  }

  // Returns the arrays that are not raw, broadcast to the shape of the loop.
  std::vector<gpuopt_array> broadcast_operands() {
    std::vector<gpuopt_array> operands;
    for (size_t k = 0; k < arrays_.size(); ++k)
      if (arrays_[k] && !parameters_.at(k).raw) operands.push_back(widened(k, shape_));
    return operands;
  }

  ElementwiseForm form_of(const LoopAxes &axes, bool packed) const {
    ElementwiseForm form;
    form.ndim = packed ? 0 : axes.ndim();
    form.index_ndim = source_.indexed ? shape_.ndim : -1;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      ArgumentForm argument;
      if (arrays_[k]) argument.kind = packed ? ArgumentForm::kPacked : ArgumentForm::kStrided;
      if (parameters_.at(k).raw) argument = {ArgumentForm::kRaw, arrays_[k]->ndim};
      form.arguments.push_back(argument);
    }
    return form;
  }

  // Returns the arguments of the launch. The arrays must have memory: enter() comes first.
  ArgumentBytes bytes_of(const ElementwiseForm &form, const LoopAxes &axes, const BoundTypes &types) const {
    ArgumentBytes bytes;
    size_t operand = 0;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      switch (form.arguments[k].kind) {
        case ArgumentForm::kNumber:
          add_number(bytes, k, types);
          break;
        case ArgumentForm::kRaw:
          add_raw(bytes, k);
          break;
        case ArgumentForm::kPacked:
          bytes.add_word(reinterpret_cast<int64_t>(address(*arrays_[k])));
          break;
        case ArgumentForm::kStrided:
          bytes.add_strided(address(*arrays_[k]), axes.strides[operand++]);
          break;
      }
    }
    if (form.strided()) bytes.add_dims(axes.sizes);
    if (form.index_ndim >= 0) bytes.add_dims(shape());
    bytes.add_word(size_);
    return bytes;
  }

  void launch(const BoundTypes &types) {
    part_from_outputs();
    const std::vector<gpuopt_array> operands = broadcast_operands();
    const bool packed = std::all_of(operands.begin(), operands.end(), [](gpuopt_array x) { return x->contiguous; });
    const LoopAxes axes = merged_axes(shape(), ~uint64_t{0}, operands);
    const ElementwiseForm form = form_of(axes, packed);
    const std::string key =
        key_of(types, form.arguments) + ' ' + std::to_string(form.ndim) + ' ' + std::to_string(form.index_ndim);
    gpuopt_plugin_kernel *const kernel =
        kernel_.compiled_for(stream_->device, key, [&] { return elementwise_text(source_, types, form); });
    LibraryCall order(0, stream_.get());
    enter(order);
    const ArgumentBytes bytes = bytes_of(form, axes, types);
    const std::vector<gpuopt_kernel_argument> arguments = bytes.list();
    order.launch(name(), kernel, launch_of(size_, arguments));
  }

  Shape shape_;
  int64_t size_ = 0;
};

}  // namespace

void call_elementwise(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                      const gpuopt_kernel_call_options &options, gpuopt_array *results) {
  ElementwiseCall call(kernel, arguments, options);
  if (results) call.leave_outputs(results);
}

}  // namespace gpuopt
