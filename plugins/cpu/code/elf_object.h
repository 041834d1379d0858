// plugins/cpu/code/elf_object.h -- reads and checks a relocatable ELF64 object: sections, symbols, relocations.
//
// The format is that of the System V ABI, chapter 4 (object files), and the processors' supplements. The structures are
// read field by field, so that no system's <elf.h> is needed. Objects are little-endian, as this library's processors
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt::cpu {

struct ElfRelocation {
  uint64_t offset;
  uint32_t type, symbol;
  int64_t addend;
};

struct ElfSection {
  size_t index = 0, size = 0, alignment = 1;
  bool in_memory = false, executable = false, writable = false, has_bytes = false;
  std::string_view bytes;  // `size` bytes if has_bytes, otherwise none
  std::vector<ElfRelocation> relocations;
};

struct ElfSymbol {
  std::string name;
  size_t section = 0;
  uint64_t value = 0, size = 0;
  bool global = false, undefined = false;
};

class ElfObject {
 public:
  // The bytes must outlive the object. Throws std::runtime_error if they are no object file for this processor.
  explicit ElfObject(std::string_view bytes);

  const std::vector<ElfSection> &sections() const { return sections_; }
  const std::vector<ElfSymbol> &symbols() const { return symbols_; }

 private:
  template <class T>
  T read(uint64_t at) const;
  std::string_view part(uint64_t at, uint64_t bytes) const;
  void read_section(uint64_t header, size_t index);
  void read_symbols(uint64_t header);
  void read_relocations(uint64_t header);

  std::string_view bytes_;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace gpuopt::cpu
