// tests/fuzz/targets/core_elf_fuzzer.cpp -- the check of plugin files in the ELF format. Nothing is loaded.
#include "core/device/image/elf_posix.h"
#include "tests/fuzz/targets/file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const fuzz::MemoryFile file(bytes);
  const std::string whole = gpuopt::elf_defect(file.descriptor());
  fuzz::note_outcome(whole.empty());
  if (!whole.empty()) return 0;
  // A file that ends within its first header cannot be whole, whatever the bytes that are left.
  const fuzz::MemoryFile cut(bytes.substr(0, 63));
  fuzz::require(!gpuopt::elf_defect(cut.descriptor()).empty(), "a file without a whole header is defective");
  return 0;
}
