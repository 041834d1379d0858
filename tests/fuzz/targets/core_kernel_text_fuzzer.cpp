// tests/fuzz/targets/core_kernel_text_fuzzer.cpp -- what becomes of the texts of user kernels before a compiler sees
// them: elementwise kernels, reductions, stencils. The first byte chooses; a line each for names, parameters, options.
#include "core/ufuncs/stencil_text.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

// The texts end where the compiler's input begins: they must hold the author's words, and no byte 0.
void require_text(const std::string &text, const std::string &part) {
  fuzz::require(text.find('\0') == std::string::npos, "the text has no byte 0");
  fuzz::require(text.find(part) != std::string::npos, "the text holds what its author wrote", part);
}

std::string make_elementwise(const gpuopt::UserKernel &kernel, uint8_t forms) {
  std::vector<gpuopt_dtype> given(kernel.parameters.count(), GPUOPT_FLOAT32);
  const gpuopt::BoundTypes types(kernel.name, kernel.parameters, given);
  gpuopt::ElementwiseForm form;
  form.ndim = forms % 5;
  form.index_ndim = gpuopt::wants_index(kernel) ? form.ndim : -1;
  for (size_t k = 0; k < kernel.parameters.count(); k++)
    form.arguments.push_back({static_cast<gpuopt::ArgumentForm::Kind>((forms + k) % 4), form.ndim});
  return gpuopt::elementwise_text(kernel, types, form);
}

std::string make_reduction(gpuopt::UserKernel kernel, fuzz::Input &input, uint8_t forms) {
  kernel.reduces = true;
  kernel.combine = input.line();
  kernel.finish = input.line();
  kernel.identity = input.line();
  kernel.has_identity = !kernel.identity.empty();
  kernel.reduce_type = forms & 1 ? "T" : "";
  const gpuopt::BoundTypes types(kernel.name, kernel.parameters,
                                 std::vector<gpuopt_dtype>(kernel.parameters.count(), GPUOPT_INT64));
  gpuopt::ReductionForm form;
  form.outer = forms % 3;
  form.inner = forms % 4 + 1;
  form.arguments.assign(kernel.parameters.count(), {gpuopt::ArgumentForm::kStrided, 0});
  return gpuopt::reduction_text(kernel, types, form);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const auto kind = input.number<uint8_t>(), forms = input.number<uint8_t>();
  const std::string inputs = input.line(), outputs = input.line();
  gpuopt::UserKernel kernel;
  fuzz::accepts([&] {
    kernel.name = input.line();
    gpuopt::check_kernel_name(kernel.name);
    kernel.parameters = gpuopt::parse_parameters(kernel.name, inputs.c_str(), outputs.c_str());
    if (kind % 3 == 0) kernel.preamble = input.line();
    if (kind % 3 == 1) {
      if (kernel.parameters.outputs.empty()) return;  // refused before its text is made
      kernel.operation = input.line();
      return require_text(make_reduction(kernel, input, forms), kernel.operation);
    }
    kernel.operation = input.rest_as_text();
    if (kind % 3 == 0) return require_text(make_elementwise(kernel, forms), kernel.operation);
    gpuopt::relative_indices(kernel.name, kernel.preamble, kernel.operation, {"x", "y"});
  });
  return 0;
}
