// tests/fuzz/targets/core_types_fuzzer.cpp -- names of dtypes, type lists of ufuncs, and core signatures of generalized
// ufuncs. The first byte chooses which.
#include "core/ufuncs/ufunc_types.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

void check_name(const std::string &text) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_dtype dtype = 0;
  if (!fuzz::accepted(gpuopt_dtype_from_name(text.c_str(), &dtype, &error), error)) return;
  gpuopt_dtype again = 0;
  const gpuopt_status status = gpuopt_dtype_from_name(gpuopt_dtype_name(dtype), &again, nullptr);
  fuzz::require(status == GPUOPT_OK && again == dtype, "a dtype's name is its name", text);
}

void check_types(const std::string &text) {
  std::vector<gpuopt::TypeSignature> types;
  if (!fuzz::accepts([&] { types = gpuopt::parse_types("f", text.c_str()); })) return;
  fuzz::require(!types.empty(), "a list that is accepted has a signature", text);
  for (const gpuopt::TypeSignature &type : types) {
    fuzz::require(type.inputs.size() == types[0].inputs.size() && type.outputs.size() == types[0].outputs.size(),
                  "all signatures have the same numbers of operands", text);
  }
}

void check_signature(const std::string &text) {
  fuzz::accepts([&] {
    const gpuopt::CoreSignature signature("f", text.c_str());
    fuzz::require(signature.nout() > 0, "a generalized ufunc has an output", text);
    for (size_t k = 0; k < signature.nin() + signature.nout(); k++)
      fuzz::require(signature.rank(k) <= text.size(), "each core dimension is in the text", text);
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const int kind = input.number<uint8_t>() % 3;
  const std::string text = input.rest_as_text();
  if (kind == 0) check_name(text);
  if (kind == 1) check_types(text);
  if (kind == 2) check_signature(text);
  return 0;
}
