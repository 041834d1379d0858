// tests/fuzz/targets/api_kernel_fuzzer.cpp -- texts that the compiler of kernels gets, as functions for C to call. It
// works in a process of its own, so that what crashes it is an error of the text. Nothing is run: a text may do
// anything.
#include <gpuopt/gpuopt.h>

#include "tests/fuzz/targets/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text = fuzz::Input(data, size).rest_as_text();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_cfunc function = nullptr;
  const gpuopt_status status = gpuopt_compile_cfunc(text.c_str(), "f", "float32,float32->float32", &function, &error);
  fuzz::note_outcome(status == GPUOPT_OK);
  fuzz::require((status == GPUOPT_OK) == (function != nullptr), "a function is given exactly if there is no error");
  fuzz::require(status == GPUOPT_OK || error.code == status, "the error has the status that was returned");
  fuzz::require(status != GPUOPT_ERR_INTERNAL, "a refusal is the text's fault", error.message);
  fuzz::require(status == GPUOPT_OK || std::strlen(error.message) > 8, "a refusal says why", error.message);
  gpuopt_cfunc_release(function);
  return 0;
}
