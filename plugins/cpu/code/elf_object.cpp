// plugins/cpu/code/elf_object.cpp -- see elf_object.h.
#include "plugins/cpu/code/elf_object.h"

#include <cstring>
#include <stdexcept>

namespace gpuopt::cpu {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kMachine = 183;  // EM_AARCH64
#else
constexpr uint16_t kMachine = 62;  // EM_X86_64
#endif
constexpr uint16_t kRelocatable = 1;  // ET_REL
constexpr uint64_t kSectionBytes = 64, kSymbolBytes = 24, kRelocationBytes = 24;
constexpr uint32_t kSymbolTable = 2, kRelocations = 4, kNoBytes = 8;                 // SHT_SYMTAB, SHT_RELA, SHT_NOBITS
constexpr uint64_t kWritable = 1, kInMemory = 2, kExecutable = 4, kThreads = 0x400;  // SHF_WRITE, ALLOC, EXECINSTR, TLS
constexpr uint16_t kUndefined = 0, kReserved = 0xff00;                               // SHN_UNDEF, SHN_LORESERVE
constexpr int kLocal = 0;                                                            // STB_LOCAL
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

[[noreturn]] void refuse(const char *what) { throw std::runtime_error(std::string("compiled code: ") + what); }

}  // namespace

std::string_view ElfObject::part(uint64_t at, uint64_t bytes) const {
  if (at > bytes_.size() || bytes > bytes_.size() - at) refuse("the object is cut off");
  return bytes_.substr(at, bytes);
}

template <class T>
T ElfObject::read(uint64_t at) const {
  T value;
  std::memcpy(&value, part(at, sizeof value).data(), sizeof value);
  return value;
}

ElfObject::ElfObject(std::string_view bytes) : bytes_(bytes) {
  if (part(0, 6) != std::string_view("\177ELF\2\1", 6)) refuse("no 64-bit ELF object");
  if (read<uint16_t>(16) != kRelocatable || read<uint16_t>(18) != kMachine) refuse("not an object for this processor");
  const auto table = read<uint64_t>(40);
  const auto count = read<uint16_t>(60);
  part(table, count * kSectionBytes);
  for (size_t k = 0; k < count; k++) read_section(table + k * kSectionBytes, k);
  for (size_t k = 0; k < count; k++) {
    const uint64_t header = table + k * kSectionBytes;
    if (read<uint32_t>(header + 4) == kSymbolTable) read_symbols(header);
  }
  for (size_t k = 0; k < count; k++) {
    const uint64_t header = table + k * kSectionBytes;
    if (read<uint32_t>(header + 4) == kRelocations) read_relocations(header);
  }
}

void ElfObject::read_section(uint64_t header, size_t index) {
  ElfSection section;
  const auto flags = read<uint64_t>(header + 8);
  section.index = index;
  section.in_memory = flags & kInMemory;
  section.executable = flags & kExecutable;
  section.writable = flags & kWritable;
  section.has_bytes = read<uint32_t>(header + 4) != kNoBytes;
  section.size = read<uint64_t>(header + 32);
  section.alignment = read<uint64_t>(header + 48);
  if (!section.alignment) section.alignment = 1;
  if (section.alignment & (section.alignment - 1) || section.alignment > 65536) refuse("an odd alignment");
  if (section.size > kMostBytes) refuse("a section beyond 1 GiB");
  if (section.in_memory && flags & kThreads) refuse("storage of threads");
  if (section.has_bytes) section.bytes = part(read<uint64_t>(header + 24), section.size);
  sections_.push_back(section);
}

void ElfObject::read_symbols(uint64_t header) {
  const auto at = read<uint64_t>(header + 24), bytes = read<uint64_t>(header + 32);
  const auto names = read<uint32_t>(header + 40);
  if (names >= sections_.size() || !symbols_.empty()) refuse("no table of names, or two of symbols");
  const std::string_view text = sections_[names].bytes;
  part(at, bytes);
  for (uint64_t entry = at; entry + kSymbolBytes <= at + bytes; entry += kSymbolBytes) {
    ElfSymbol symbol;
    const auto name = read<uint32_t>(entry);
    if (name < text.size()) symbol.name = text.substr(name, text.find('\0', name) - name);
    symbol.global = read<uint8_t>(entry + 4) >> 4 != kLocal;
    const auto section = read<uint16_t>(entry + 6);
    symbol.undefined = section == kUndefined && !symbol.name.empty();
    if (section >= kReserved && symbol.global) refuse("a symbol that is in no section");
    symbol.section = section;
    symbol.value = read<uint64_t>(entry + 8);
    symbol.size = read<uint64_t>(entry + 16);
    if (!symbol.undefined && section < sections_.size() && symbol.value > sections_[section].size)
      refuse("a symbol beyond its section");
    symbols_.push_back(symbol);
  }
}

void ElfObject::read_relocations(uint64_t header) {
  const auto at = read<uint64_t>(header + 24), bytes = read<uint64_t>(header + 32);
  const auto of = read<uint32_t>(header + 44);
  if (of >= sections_.size()) refuse("relocations of no section");
  part(at, bytes);
  for (uint64_t entry = at; entry + kRelocationBytes <= at + bytes; entry += kRelocationBytes) {
    const auto info = read<uint64_t>(entry + 8);
    sections_[of].relocations.push_back({read<uint64_t>(entry), static_cast<uint32_t>(info),
                                         static_cast<uint32_t>(info >> 32), read<int64_t>(entry + 16)});
  }
}

}  // namespace gpuopt::cpu
