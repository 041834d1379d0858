// tools/plugin_test/phase_link.cpp -- checks how the file was linked, by its ELF headers, without running any of its
// code.
#include <elf.h>
#include <fcntl.h>
#include <gpuopt/gpuopt_plugin.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/device/image/elf_posix.h"
#include "tools/plugin_test/phase.h"

namespace gpuopt::plugin_test {
namespace {

// The headers of a shared library. elf_defect() must have found no defect in the file before.
class Elf {
 public:
  explicit Elf(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    header_ = read<ElfW(Ehdr)>(0);
    for (int i = 0; i < header_.e_phnum; ++i)
      segments_.push_back(read<ElfW(Phdr)>(header_.e_phoff + static_cast<size_t>(i) * sizeof(ElfW(Phdr))));
    for (const auto &segment : segments_) {
      if (segment.p_type == PT_DYNAMIC) read_dynamic(segment);
    }
  }
  const std::vector<ElfW(Phdr)> &segments() const { return segments_; }
  bool has(int64_t tag) const {
    return std::any_of(dynamic_.begin(), dynamic_.end(), [&](const auto &d) { return d.d_tag == tag; });
  }
  uint64_t value(int64_t tag) const {
    for (const auto &entry : dynamic_) {
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return 0;
  }
  std::vector<std::string> needed() const {
    std::vector<std::string> names;
    for (const auto &entry : dynamic_) {
      if (entry.d_tag == DT_NEEDED) names.push_back(string(entry.d_un.d_val));
    }
    return names;
  }
  // Returns the names of the dynamic symbols that other libraries can bind to, sorted, without names of versions.
  std::vector<std::string> exported() const;

 private:
  // Returns the T at an offset in the file, zero if it is not all in the file.
  template <class T>
  T read(size_t at) const {
    T value{};
    if (at <= bytes_.size() && bytes_.size() - at >= sizeof value)
      std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  // Returns the offset in the file of an address in memory; the size of the file if it has none.
  size_t offset(uint64_t address) const {
    for (const auto &s : segments_) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
        return address - s.p_vaddr + s.p_offset;
    }
    return bytes_.size();
  }
  void read_dynamic(const ElfW(Phdr) & segment) {
    for (size_t at = 0; at + sizeof(ElfW(Dyn)) <= segment.p_filesz; at += sizeof(ElfW(Dyn))) {
      const auto entry = read<ElfW(Dyn)>(segment.p_offset + at);
      if (entry.d_tag == DT_NULL) break;
      dynamic_.push_back(entry);
    }
  }
  std::string string(uint64_t at) const {
    const size_t begin = offset(value(DT_STRTAB)) + at;
    if (begin >= bytes_.size()) return "";
    return std::string(bytes_.data() + begin, strnlen(bytes_.data() + begin, bytes_.size() - begin));
  }

  std::vector<char> bytes_;
  ElfW(Ehdr) header_{};
  std::vector<ElfW(Phdr)> segments_;
  std::vector<ElfW(Dyn)> dynamic_;
};

std::vector<std::string> Elf::exported() const {
  std::vector<std::string> names;
  for (int i = 0; i < header_.e_shnum; ++i) {
    const auto section = read<ElfW(Shdr)>(header_.e_shoff + static_cast<size_t>(i) * sizeof(ElfW(Shdr)));
    if (section.sh_type != SHT_DYNSYM) continue;
    for (size_t at = 0; at + sizeof(ElfW(Sym)) <= section.sh_size; at += sizeof(ElfW(Sym))) {
      const auto symbol = read<ElfW(Sym)>(section.sh_offset + at);
      const int binding = symbol.st_info >> 4, visibility = symbol.st_other & 3;
      const bool visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && binding != STB_LOCAL && visible)
        names.push_back(string(symbol.st_name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string joined(const std::vector<std::string> &names) {
  constexpr size_t kMost = 5;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

// Returns whether this is a library of a GPU vendor. A backend must open these at run time, so that it can be loaded on
// machines without them.
bool is_vendors(const std::string &library) {
  static constexpr const char *kVendors[] = {"libcuda.",    "libcudart", "libcublas",  "libcusolver",  "libcufft",
                                             "libcusparse", "libcurand", "libnvrtc",   "libnvJitLink", "libnvidia",
                                             "libamdhip",   "libhip",    "librocblas", "libhsa",       "libze_loader",
                                             "libOpenCL",   "libsycl",   "libvulkan",  "libnccl",      "libmpi"};
  return std::any_of(std::begin(kVendors), std::end(kVendors),
                     [&](const char *vendor) { return library.rfind(vendor, 0) == 0; });
}

void check_exports(const Elf &elf, const std::string &query, Recorder &recorder) {
  std::vector<std::string> exported = elf.exported();
  const auto entry = std::find(exported.begin(), exported.end(), query);
  const bool found = entry != exported.end();
  if (found) exported.erase(entry);
  recorder.check("one exported symbol",
                 !found ? "it does not export " + query
                 : exported.empty()
                     ? ""
                     : "it also exports " + joined(exported) + ": use -fvisibility=hidden and a version script",
                 query);
}

void check_needed(const Elf &elf, Recorder &recorder) {
  std::vector<std::string> own, vendors;
  for (const std::string &library : elf.needed()) {
    if (library.rfind("libgpuopt", 0) == 0) own.push_back(library);
    if (is_vendors(library)) vendors.push_back(library);
  }
  recorder.check("not linked to libgpuopt",
                 own.empty() ? "" : "it needs " + joined(own) + ": the host's services come as a table");
  recorder.check("not linked to a vendor's library",
                 vendors.empty() ? "" : "it needs " + joined(vendors) + ": open these at run time, when they are used");
}

void check_flags(const Elf &elf, Recorder &recorder) {
  const uint64_t flags = elf.value(DT_FLAGS), flags_1 = elf.value(DT_FLAGS_1);
  recorder.check("never unloaded (NODELETE)", flags_1 & DF_1_NODELETE ? "" : "link with -Wl,-z,nodelete");
  recorder.check("bound at load time (BIND_NOW)",
                 (flags & DF_BIND_NOW) || (flags_1 & DF_1_NOW) || elf.has(DT_BIND_NOW) ? "" : "link with -Wl,-z,now");
  recorder.check("own symbols first (SYMBOLIC)",
                 (flags & DF_SYMBOLIC) || elf.has(DT_SYMBOLIC) ? "" : "link with -Wl,-Bsymbolic");
  recorder.check("no text relocations (TEXTREL)", !(flags & DF_TEXTREL) && !elf.has(DT_TEXTREL)
                                                      ? ""
                                                      : "its code must be patched to be loaded: compile with -fPIC");
}

void check_segments(const Elf &elf, Recorder &recorder) {
  std::string stack = "it says nothing of its stack, which makes it executable: link with -Wl,-z,noexecstack", both;
  for (const auto &segment : elf.segments()) {
    if (segment.p_type == PT_GNU_STACK)
      stack = segment.p_flags & PF_X ? "it wants an executable stack: link with -Wl,-z,noexecstack" : "";
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && (segment.p_flags & PF_W))
      both = "a segment is writable and executable";
  }
  recorder.check("no executable stack", stack);
  recorder.check("nothing writable and executable", both);
}

}  // namespace

void link_phase(const Subject &subject, Recorder &recorder) {
  const int file = open(subject.path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string defect = file < 0 ? std::strerror(errno) : elf_defect(file);
  if (file >= 0) close(file);
  recorder.check("a shared library for this system", defect);
  if (!defect.empty()) return;
  const Elf elf(subject.path);
  check_exports(elf, subject.entry(), recorder);
  check_needed(elf, recorder);
  check_flags(elf, recorder);
  check_segments(elf, recorder);
}

}  // namespace gpuopt::plugin_test
