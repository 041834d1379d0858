// tests/fuzz/targets/core_npz_fuzzer.cpp -- .npz archives: every member is read, or refused with its reason.
#include "tests/fuzz/targets/core_fuzz.h"
#include "tests/fuzz/targets/device_fuzz.h"
#include "tests/fuzz/targets/file_fuzz.h"

namespace {

void read_member(gpuopt_npz archive, int32_t index) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const char *const name = gpuopt_npz_name(archive, index);
  fuzz::require(name != nullptr, "each member has a name");
  gpuopt_array x = nullptr;
  const bool read = fuzz::accepted(gpuopt_npz_read(archive, name, fuzz::device(), &x, &error), error);
  fuzz::require(read == (x != nullptr), "an array is given exactly if there is no error");
  gpuopt_array_release(x);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz::MemoryFile file({reinterpret_cast<const char *>(data), size});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_npz archive = nullptr;
  if (!fuzz::accepted(gpuopt_npz_open(file.path().c_str(), &archive, &error), error)) return 0;
  for (int32_t k = 0; k < gpuopt_npz_count(archive); k++) read_member(archive, k);
  gpuopt_npz_close(archive);
  return 0;
}
