// tests/fuzz/targets/core_pe_fuzzer.cpp -- the check of plugin files in Windows' PE format. Nothing is loaded.
#include "core/device/image/pe_image.h"
#include "tests/fuzz/targets/fuzz.h"

namespace {

std::string defect(std::string_view bytes) {
  return gpuopt::pe_image_defect({[bytes](uint64_t offset, void *to, size_t count) {
                                    fuzz::require(offset <= bytes.size() && count <= bytes.size() - offset,
                                                  "only bytes inside the file are read");
                                    std::memcpy(to, bytes.data() + offset, count);
                                    return true;
                                  },
                                  bytes.size()});
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const bool accepted = defect(bytes).empty();
  fuzz::note_outcome(accepted);
  if (accepted) fuzz::require(!defect(bytes.substr(0, 263)).empty(), "a file without headers is defective");
  return 0;
}
