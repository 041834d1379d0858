// tests/fuzz/targets/core_bundle_fuzzer.cpp -- bundles as a program gives them to the library, which hands the pieces
// to the CPU backend.
#include <gpuopt/gpuopt.h>

#include "core/kernels/bundle_format.h"
#include "tests/fuzz/targets/core_fuzz.h"
#include "tests/fuzz/targets/device_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const bool right_head = input.number<uint8_t>() & 1;
  const std::string_view rest = input.rest();
  const std::string bundle = (right_head ? gpuopt::bundle_head(rest.size()) : "") + std::string(rest);
  fuzz::device();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  fuzz::accepted(gpuopt_bundle_load_memory(bundle.data(), bundle.size(), &error), error);
  return 0;
}
