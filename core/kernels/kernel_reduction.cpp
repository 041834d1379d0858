// core/kernels/kernel_reduction.cpp -- calls reduction kernels.
#include "core/kernels/kernel_reduction.h"

#include <algorithm>

#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_call.h"

namespace gpuopt {
namespace {

// These must be the same as in plugins/shared/user/reduction.h and plugins/shared/reduce_shape.h.
constexpr int64_t kPartialBytes = 32, kChunk = 1024, kLanes = 32;
enum Stage : int32_t { kFold, kMerge, kEmpty };

class ReductionCall : public KernelCall {
 public:
  ReductionCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                const gpuopt_kernel_call_options &options)
      : KernelCall(kernel, arguments, options) {
    const BoundTypes types = bound_types();
    decide_shapes();
    make_outputs(types);
    if (sequences_) launch(types);
  }

 private:
  void decide_shapes() {
    if (options_.has_size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a reduction takes no size", name());
    if (!broadcast(false, shape_)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no input is an array to be reduced", name());
    if (options_.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", name());
    reduced_ = axis_mask(options_.naxes, options_.axes, shape_.ndim, name());
    for (int d = 0; d < shape_.ndim; ++d) {
      const bool reduced = reduced_ >> d & 1;
      (reduced ? length_ : sequences_) *= shape_.sizes[d];
      if (!reduced || options_.keepdims) kept_.sizes[kept_.ndim++] = reduced ? 1 : shape_.sizes[d];
    }
    checked_size(shape_.ndim, shape_.sizes, 1);
    if (sequences_ && !length_ && !source_.has_identity)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "zero-size array to reduction operation %s which has no identity", name());
  }

  void make_outputs(const BoundTypes &types) {
    for (size_t k = parameters_.inputs.size(); k < arrays_.size(); ++k) {
      if (!outputs_given_) {
        arrays_[k] = make_array(stream_.get(), types.of(parameters_.at(k)), kept_.ndim, kept_.sizes);
        continue;
      }
      check_writable(k);
      const gpuopt_array_s &out = *arrays_[k];
      if (!std::ranges::equal(out.sizes(), std::span<const int64_t>(kept_.sizes, static_cast<size_t>(kept_.ndim))))
        fail(GPUOPT_ERR_SHAPE, "%s: Out shape is mismatched: %s has shape %s, but the result %s", name(),
             parameters_.at(k).name.c_str(), shape_text(out.ndim, out.shape).c_str(),
             shape_text(kept_.ndim, kept_.sizes).c_str());
    }
  }

  // Returns a view of output k with as many axes as the inputs, in which the reduced axes have size 1 and stride 0.
  gpuopt_array unreduced(size_t k) {
    const gpuopt_array_s &out = *arrays_[k];
    Dims shape, strides;
    for (int d = 0, at = 0; d < shape_.ndim; ++d) {
      const bool reduced = reduced_ >> d & 1;
      shape.push_back(reduced ? 1 : shape_.sizes[d]);
      strides.push_back(reduced ? 0 : out.strides[at]);
      if (!reduced || options_.keepdims) ++at;
    }
    wide_.push_back(restrided(arrays_[k].get(), shape, strides, out.offset, out.read_only));
    return wide_.back().get();
  }

  // Returns the arrays that are not raw: inputs broadcast to shape_, outputs as unreduced() returns them.
  std::vector<gpuopt_array> operands() {
    std::vector<gpuopt_array> all;
    for (size_t k = 0; k < arrays_.size(); ++k)
      if (arrays_[k] && !parameters_.at(k).raw) all.push_back(is_output(k) ? unreduced(k) : widened(k, shape_));
    return all;
  }

  ReductionForm form_of(const LoopAxes &outer, const LoopAxes &inner, const BoundTypes &types) const {
    ReductionForm form{outer.ndim(), inner.ndim(), inner.ndim() <= 1, {}};
    size_t operand = 0;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      ArgumentForm argument;
      if (arrays_[k]) argument.kind = ArgumentForm::kStrided;
      if (parameters_.at(k).raw) argument = {ArgumentForm::kRaw, arrays_[k]->ndim};
      form.arguments.push_back(argument);
      if (argument.kind != ArgumentForm::kStrided) continue;
      const Dims &strides = inner.strides[operand++];
      if (!is_output(k) && !strides.empty()) form.packed &= strides[0] == dtype_size(types.of(parameters_.at(k)));
    }
    return form;
  }

  // Returns the arguments of the launch for one stage. The arrays must have memory: enter() comes first.
  ArgumentBytes bytes_of(const ReductionForm &form, const LoopAxes &outer, const LoopAxes &inner,
                         const BoundTypes &types, Stage stage) const {
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
        default: {
          Dims strides = outer.strides[operand];
          if (strides.empty()) strides.push_back(0);
          const Dims &more = inner.strides[operand++];
          if (!is_output(k)) strides.insert(strides.end(), more.begin(), more.end());
          if (!is_output(k) && more.empty()) strides.push_back(0);
          bytes.add_strided(address(*arrays_[k]), strides);
        }
      }
    }
    bytes.add_dims(outer.sizes);
    bytes.add_dims(inner.sizes);
    bytes.add_word(partials_ ? reinterpret_cast<int64_t>(address(*partials_)) : 0);
    const int64_t sequences[] = {sequences_, length_};
    bytes.add_words(sequences);
    const int32_t number = stage;
    bytes.add(&number, sizeof number);
    return bytes;
  }

  void launch(const BoundTypes &types) {
    part_from_outputs();
    const std::vector<gpuopt_array> all = operands();
    const std::span<const int64_t> shape(shape_.sizes, static_cast<size_t>(shape_.ndim));
    const LoopAxes outer = merged_axes(shape, ~reduced_, all), inner = merged_axes(shape, reduced_, all);
    const ReductionForm form = form_of(outer, inner, types);
    const std::string key = key_of(types, form.arguments) + ' ' + std::to_string(form.outer) + ' ' +
                            std::to_string(form.inner) + ' ' + std::to_string(form.packed);
    gpuopt_plugin_kernel *const kernel =
        kernel_.compiled_for(stream_->device, key, [&] { return reduction_text(source_, types, form); });
    const int64_t chunks = (length_ + kChunk - 1) / kChunk;
    if (chunks > 1) {
      const int64_t partials[] = {sequences_, chunks, kPartialBytes};
      partials_ = make_array(stream_.get(), GPUOPT_UINT8, 3, partials);
    }
    LibraryCall order(0, stream_.get());
    enter(order);
    if (partials_) order.output(partials_.get());
    const auto stage = [&](Stage number, int64_t threads) {
      const ArgumentBytes bytes = bytes_of(form, outer, inner, types, number);
      const std::vector<gpuopt_kernel_argument> arguments = bytes.list();
      order.launch(name(), kernel, launch_of(threads, arguments));
    };
    if (chunks == 0) return stage(kEmpty, sequences_);
    stage(kFold, sequences_ * chunks * kLanes);
    if (chunks > 1) stage(kMerge, sequences_);
  }

  Shape shape_, kept_;                  // of the broadcast inputs, and of the results
  uint64_t reduced_ = 0;                // bit d is set if axis d is reduced
  int64_t sequences_ = 1, length_ = 1;  // the number of results, and of elements that each is reduced from
  ArrayRef partials_;                   // partial results of all chunks, if a sequence has more than one
};

}  // namespace

void call_reduction(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                    const gpuopt_kernel_call_options &options, gpuopt_array *results) {
  ReductionCall call(kernel, arguments, options);
  if (results) call.leave_outputs(results);
}

}  // namespace gpuopt
