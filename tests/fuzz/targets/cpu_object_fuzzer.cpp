// tests/fuzz/targets/cpu_object_fuzzer.cpp -- object files of compiled kernels, as they come from the cache, a bundle
// or the compiler's process: read, placed in memory and linked, never run.
#include <exception>

#include "plugins/cpu/code/elf_object.h"
#include "plugins/cpu/code/object_code.h"
#include "tests/fuzz/targets/fuzz.h"

namespace {

char any_function[64];

// Links the object with `variables` as another object of its module would have left them.
void link(std::string_view bytes, const gpuopt::cpu::ElfObject &object, gpuopt::cpu::Variables &variables) {
  const gpuopt::cpu::ObjectCode code(
      bytes, [](const std::string &name) -> void * { return name == "absent" ? nullptr : any_function; }, &variables);
  for (const gpuopt::cpu::ElfSymbol &symbol : object.symbols())
    fuzz::require(!code.find(symbol.name) || symbol.global, "only global symbols are found", symbol.name);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  try {
    const gpuopt::cpu::ElfObject object(bytes);
    for (const gpuopt::cpu::ElfSection &section : object.sections())
      fuzz::require(!section.has_bytes || section.bytes.size() == section.size, "a section has its bytes");
    gpuopt::cpu::Variables variables;
    link(bytes, object, variables);
    fuzz::note_outcome(true);
  } catch (const std::bad_alloc &) {  // a section without bytes may be of any size
  } catch (const std::runtime_error &refusal) {
    fuzz::note_outcome(false);
    fuzz::require(std::strlen(refusal.what()) > 8, "a refusal says why", refusal.what());
  }
  return 0;
}
