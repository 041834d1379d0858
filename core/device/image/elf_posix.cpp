// core/device/image/elf_posix.cpp -- checks a plugin file before the dynamic linker opens it (ELF: System V gABI,
// chapters 4 and 5).
#include "core/device/image/elf_posix.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace gpuopt {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Dynamic = ElfW(Dyn);

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr int kMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr int kMachine = EM_S390;
#elif defined(__i386__)
constexpr int kMachine = EM_386;
#elif defined(__arm__)
constexpr int kMachine = EM_ARM;
#else
#error "add this processor's ELF machine number"
#endif
constexpr int kClass = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr int kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

// A file of which only ranges inside its size are read.
struct File {
  int descriptor;
  uint64_t size;
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  bool read(uint64_t offset, void *out, size_t bytes) const {
    return holds(offset, bytes) &&
           pread(descriptor, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
};

std::string machine_name(int machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "i386";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "ARM";
    case EM_PPC64:
      return "PowerPC 64";
    case EM_RISCV:
      return "RISC-V";
    case EM_S390:
      return "S/390";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

std::string cut_short(const File &file, const char *what, uint64_t end) {
  char text[160];
  std::snprintf(text, sizeof text, "the file is cut short: it has %llu bytes, but %s ends at byte %llu",
                static_cast<unsigned long long>(file.size), what, static_cast<unsigned long long>(end));
  return text;
}

// Each of these returns what is wrong with a part of the file, "" if nothing is.
std::string header_defect(const File &file, const Header &header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "not a library: it does not begin with the ELF magic number";
  if (header.e_ident[EI_CLASS] != kClass) {
    return header.e_ident[EI_CLASS] == ELFCLASS32 ? "built for 32-bit programs, this is a 64-bit one"
                                                  : "of another ELF class than this program";
  }
  if (header.e_ident[EI_DATA] != kOrder) return "built for the other byte order";
  if (header.e_machine != kMachine) {
    return "built for " + machine_name(header.e_machine) + ", this program runs on " + machine_name(kMachine);
  }
  if (header.e_type != ET_DYN)
    return "an ELF file, but not a shared library (type " + std::to_string(header.e_type) + ")";
  if (header.e_phentsize != sizeof(Segment) || header.e_phnum == 0)
    return "the ELF header is damaged: no program headers";
  const uint64_t segments_end = header.e_phoff + uint64_t{header.e_phnum} * sizeof(Segment);
  if (!file.holds(header.e_phoff, segments_end - header.e_phoff))
    return cut_short(file, "the program header table", segments_end);
  const uint64_t sections_end = header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff != 0 && !file.holds(header.e_shoff, sections_end - header.e_shoff)) {
    return cut_short(file, "the section header table", sections_end);
  }
  return {};
}

std::string segments_defect(const File &file, const std::vector<Segment> &segments) {
  bool loads = false;
  for (const Segment &segment : segments) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    loads = loads || segment.p_type == PT_LOAD;
    if (!file.holds(segment.p_offset, segment.p_filesz))
      return cut_short(file, "a segment", segment.p_offset + segment.p_filesz);
    if (segment.p_filesz > segment.p_memsz)
      return "the program headers are damaged: a segment is larger in the file than in memory";
  }
  return loads ? std::string() : "the program headers are damaged: nothing to load";
}

// Returns whether an entry of the dynamic section with this tag holds an address that the dynamic linker uses
// unchecked.
bool holds_address(int64_t tag) {
  static constexpr int64_t kTags[] = {DT_HASH, DT_STRTAB, DT_SYMTAB,     DT_RELA,       DT_INIT,     DT_FINI,
                                      DT_REL,  DT_JMPREL, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_GNU_HASH, DT_VERSYM};
  return std::find(std::begin(kTags), std::end(kTags), tag) != std::end(kTags);
}

// Returns whether the address (before relocation) lies in a loaded segment.
bool mapped(const std::vector<Segment> &segments, uint64_t address) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment &segment) {
    return segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz;
  });
}

// Returns whether the dynamic section's address and its offset in the file are the same bytes of a loaded segment. The
// dynamic linker finds it by the address, this check by the offset.
bool dynamic_is_mapped(const std::vector<Segment> &segments, const Segment &dynamic) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment &load) {
    return load.p_type == PT_LOAD && dynamic.p_vaddr >= load.p_vaddr &&
           dynamic.p_vaddr - load.p_vaddr < load.p_filesz &&
           dynamic.p_vaddr - load.p_vaddr == dynamic.p_offset - load.p_offset;
  });
}

std::string dynamic_defect(const File &file, const std::vector<Segment> &segments) {
  constexpr size_t limit = 1 << 20;
  const auto segment =
      std::find_if(segments.begin(), segments.end(), [](const Segment &s) { return s.p_type == PT_DYNAMIC; });
  if (segment == segments.end()) return "an ELF file without a dynamic section";
  if (!dynamic_is_mapped(segments, *segment))
    return "the program headers are damaged: the dynamic section is not loaded";
  std::vector<Dynamic> entries(std::min<size_t>(segment->p_filesz, limit) / sizeof(Dynamic));
  if (!file.read(segment->p_offset, entries.data(), entries.size() * sizeof(Dynamic)))
    return "the dynamic section cannot be read";
  bool strings = false, symbols = false, ends = false;
  for (const Dynamic &entry : entries) {
    if (entry.d_tag == DT_NULL) {
      ends = true;
      break;
    }
    if (holds_address(entry.d_tag) && !mapped(segments, entry.d_un.d_ptr))
      return "the dynamic section is damaged: it points outside the library";
    strings = strings || entry.d_tag == DT_STRTAB;
    symbols = symbols || entry.d_tag == DT_SYMTAB;
  }
  return strings && symbols && ends ? std::string() : "the dynamic section is damaged: no symbol table";
}

}  // namespace

std::string elf_defect(int descriptor) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return std::strerror(errno);
  const File file{descriptor, static_cast<uint64_t>(facts.st_size)};
  if (file.size == 0) return "the file is empty";
  Header header{};
  const size_t present = std::min<uint64_t>(file.size, sizeof header);
  if (!file.read(0, &header, present)) return "the file cannot be read";
  if (present < sizeof header) {
    const bool magic = present >= SELFMAG && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    return magic ? cut_short(file, "the ELF header", sizeof header)
                 : "not a library: it does not begin with the ELF magic number";
  }
  if (std::string defect = header_defect(file, header); !defect.empty()) return defect;
  std::vector<Segment> segments(header.e_phnum);
  if (!file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Segment)))
    return "the program headers cannot be read";
  if (std::string defect = segments_defect(file, segments); !defect.empty()) return defect;
  return dynamic_defect(file, segments);
}

namespace {

// Returns the NUL-terminated text at an address (before relocation), cut at `most` bytes; "" if no segment in the file
// contains it.
std::string text_at(const File &file, const std::vector<Segment> &segments, uint64_t address, size_t most) {
  for (const Segment &segment : segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
      continue;
    const uint64_t at = address - segment.p_vaddr;
    std::string text(std::min<uint64_t>(most, segment.p_filesz - at), '\0');
    if (!file.read(segment.p_offset + at, text.data(), text.size())) return {};
    return text.substr(0, text.find('\0'));
  }
  return {};
}

}  // namespace

bool elf_uses_origin(int descriptor) {
  constexpr size_t longest = 1 << 16, limit = 1 << 20;
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return false;
  const File file{descriptor, static_cast<uint64_t>(facts.st_size)};
  Header header{};
  if (!file.read(0, &header, sizeof header)) return false;
  std::vector<Segment> segments(header.e_phnum);
  if (!file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Segment))) return false;
  uint64_t strings = 0;
  std::vector<uint64_t> paths;
  for (const Segment &segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    std::vector<Dynamic> entries(std::min<size_t>(segment.p_filesz, limit) / sizeof(Dynamic));
    if (!file.read(segment.p_offset, entries.data(), entries.size() * sizeof(Dynamic))) return false;
    for (const Dynamic &entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) paths.push_back(entry.d_un.d_val);
    }
  }
  return std::any_of(paths.begin(), paths.end(), [&](uint64_t path) {
    return text_at(file, segments, strings + path, longest).find("ORIGIN") != std::string::npos;
  });
}

}  // namespace gpuopt
