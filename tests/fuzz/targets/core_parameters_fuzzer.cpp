// tests/fuzz/targets/core_parameters_fuzzer.cpp -- the parameter lists of user kernels: a line of inputs, a line of
// outputs.
#include "core/kernels/text/kernel_params.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

std::string written(const std::vector<gpuopt::KernelParameter> &list, bool inputs) {
  std::string text;
  for (const gpuopt::KernelParameter &p : list) {
    if (!text.empty()) text += ", ";
    text +=
        (p.raw ? "raw " : "") + std::string(inputs && p.written ? "_non_const " : "") + p.type_text() + " " + p.name;
  }
  return text;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const std::string inputs = input.line(), outputs = input.line();
  gpuopt::KernelParameters parsed, again;
  if (!fuzz::accepts([&] { parsed = gpuopt::parse_parameters("k", inputs.c_str(), outputs.c_str()); })) return 0;
  const std::string first = written(parsed.inputs, true), second = written(parsed.outputs, false);
  fuzz::require(fuzz::accepts([&] { again = gpuopt::parse_parameters("k", first.c_str(), second.c_str()); }),
                "parameters can be written again", first + " -> " + second);
  fuzz::require(written(again.inputs, true) == first && written(again.outputs, false) == second,
                "parameters that were written again are the same", first + " -> " + second);
  return 0;
}
