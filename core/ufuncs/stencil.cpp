// core/ufuncs/stencil.cpp -- stencils, as numba.stencil, but elements at the edges are always written, too.
#include <algorithm>

#include "core/engine/engine.h"
#include "core/engine/node.h"
#include "core/kernels/kernel_elementwise.h"
#include "core/ufuncs/stencil_text.h"
#include "core/ufuncs/ufunc.h"

namespace gpuopt {
namespace {

class Stencil : public Composite {
 public:
  Stencil(const std::string &name, const char *in_params, const char *out_params, const char *body,
          const gpuopt_stencil_options &options)
      : cval_(options.cval.kind ? options.cval : gpuopt_scalar_int(0)) {
    text_.name = name;
    text_.body = body ? body : "";
    text_.preamble = options.preamble ? options.preamble : "";
    text_.parameters = parse_parameters(name, in_params, out_params);
    text_.mode = options.mode;
    check_scalar(cval_, name.c_str());
    check_parameters();
    find_neighborhood(options);
    kernel_ = kernel_of(stencil_kernel(text_));
  }

  size_t nin() const override { return text_.parameters.inputs.size(); }
  size_t nout() const override { return 1; }

  void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
            gpuopt_array *results) override {
    check_operands(text_.name, arguments, nin(), 1);
    if (options.has_size) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a stencil takes no size", name());
    check_arrays(arguments.first(nin()));
    const gpuopt_dtype dtype = output_dtype(arguments);
    const gpuopt_array_s &first = *arguments[0];
    UfuncOutputs outputs(text_.name, arguments.subspan(nin()), {dtype});
    outputs.make(0, first.stream.get(), Dims(first.shape, first.shape + first.ndim));
    const ArrayRef cval = checked_cval(dtype);
    std::vector<ArrayRef> kept;
    std::vector<gpuopt_array> operands;
    for (const gpuopt_array x : arguments.first(nin())) {
      kept.push_back(x->weak ? ArrayRef::share(x) : apart_from_all(outputs.targets(), ArrayRef::share(x)));
      operands.push_back(kept.back().get());
    }
    operands.push_back(cval.get());
    operands.push_back(outputs.targets()[0]);
    gpuopt_kernel_call_options plain = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
    plain.block_size = options.block_size;
    call_elementwise(*kernel_, operands, plain, nullptr);
    outputs.finish(results);
  }

 private:
  const char *name() const { return text_.name.c_str(); }
  // Returns whether input k is read at indices relative to the current element.
  bool relative(size_t k) const { return text_.relative.count(text_.parameters.inputs[k].name); }

  void check_parameters() {
    if (text_.mode < GPUOPT_STENCIL_CONSTANT || text_.mode > GPUOPT_STENCIL_WRAP)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d is not a GPUOPT_STENCIL_ mode", name(), text_.mode);
    if (text_.parameters.outputs.size() != 1 || text_.parameters.outputs[0].raw)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a stencil has one output, which is not raw", name());
    std::set<std::string> inputs;
    for (const KernelParameter &p : text_.parameters.inputs)
      if (!p.raw) inputs.insert(p.name);
    indices_ = relative_indices(text_.name, text_.preamble, text_.body, inputs);
    text_.relative = indices_.names;
    if (text_.parameters.inputs.empty() || !relative(0))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the first input is not read at relative indices", name());
  }

  // Takes the neighborhood from the options, or from the indices in the text if all of them are integer literals.
  void find_neighborhood(const gpuopt_stencil_options &options) {
    text_.checked = !indices_.constant;
    if (!options.neighborhood) {
      if (!indices_.constant)
        fail(GPUOPT_ERR_INVALID_ARGUMENT,
             "%s: a relative index is not an integer literal, and no neighborhood is given: indices of the kernel may "
             "be "
             "used only with a neighborhood",
             name());
      text_.neighborhood = indices_.reach;
      return;
    }
    if (options.ndim < 1 || options.ndim > GPUOPT_MAX_NDIM)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a neighborhood of %d dimensions", name(), options.ndim);
    for (int d = 0; d < options.ndim; ++d) {
      const int64_t low = options.neighborhood[2 * d], high = options.neighborhood[2 * d + 1];
      if (low > high || low < -INT32_MAX || high > INT32_MAX)
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the neighborhood from %lld to %lld of axis %d", name(),
             static_cast<long long>(low), static_cast<long long>(high), d);
      text_.neighborhood.low.push_back(std::min<int64_t>(low, 0));
      text_.neighborhood.high.push_back(std::max<int64_t>(high, 0));
    }
    if (indices_.any) check_reach();
  }

  // Throws ERR_INVALID_ARGUMENT if a literal index in the text lies outside of the neighborhood.
  void check_reach() const {
    const Neighborhood &given = text_.neighborhood, &reach = indices_.reach;
    if (reach.low.size() != given.low.size())
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: an index has %zu parts, but the neighborhood %zu dimensions", name(),
           reach.low.size(), given.low.size());
    for (size_t d = 0; d < reach.low.size(); ++d)
      if (reach.low[d] < given.low[d] || reach.high[d] > given.high[d])
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: an index lies outside of the neighborhood along axis %zu", name(), d);
  }

  void check_arrays(std::span<const gpuopt_array> inputs) const {
    const gpuopt_array_s &first = *inputs[0];
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!relative(k)) continue;
      const gpuopt_array_s &x = *inputs[k];
      const char *const parameter = text_.parameters.inputs[k].name.c_str();
      if (x.weak) fail(GPUOPT_ERR_TYPE, "%s: %s is indexed, but a number is given", name(), parameter);
      if (static_cast<size_t>(x.ndim) != text_.neighborhood.low.size())
        fail(GPUOPT_ERR_SHAPE, "%s: %s is indexed by %zu parts, but has %d dimensions", name(), parameter,
             text_.neighborhood.low.size(), x.ndim);
      for (int d = 0; d < x.ndim; ++d)
        if (x.shape[d] < first.shape[d])
          fail(GPUOPT_ERR_SHAPE, "%s: %s of shape %s is smaller than the first input, of shape %s", name(), parameter,
               shape_text(x.ndim, x.shape).c_str(), shape_text(first.ndim, first.shape).c_str());
    }
  }

  gpuopt_dtype output_dtype(std::span<const gpuopt_array> arguments) const {
    std::vector<gpuopt_dtype> dtypes;
    for (const gpuopt_array x : arguments) dtypes.push_back(x->weak ? 0 : x->dtype);
    dtypes.resize(nin() + 1);
    return BoundTypes(text_.name, text_.parameters, dtypes).of(text_.parameters.outputs[0]);
  }

  // Returns `cval` as a weak scalar. Throws ERR_OVERFLOW or ERR_TYPE if an element of `dtype` cannot hold it.
  ArrayRef checked_cval(gpuopt_dtype dtype) const {
    alignas(16) unsigned char element[16];
    store_scalar(cval_, dtype, element);
    return make_weak(cval_);
  }

  const gpuopt_scalar cval_;
  StencilText text_;
  RelativeIndices indices_;
  KernelRef kernel_;
};

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_stencil(const char *in_params, const char *out_params, const char *body,
                                        const char *name, const gpuopt_stencil_options *given, gpuopt_kernel *kernel,
                                        gpuopt_error *error) {
  return giving_kernel(kernel, error, "stencil", name, [&](const std::string &title) {
    return std::make_unique<Stencil>(title, in_params, out_params, body,
                                     options_or_default(given, "gpuopt_stencil_options"));
  });
}
