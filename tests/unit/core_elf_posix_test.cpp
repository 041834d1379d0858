// tests/unit/core_elf_posix_test.cpp -- the check of an ELF file, on this program's own library spoilt in many ways.
//
// POSIX only: Windows has files of another format, which loader/files_windows_test spoils
#include <elf.h>
#include <fcntl.h>
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "core/device/image/elf_posix.h"

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

const std::string kLibrary = GPUOPT_BUILT_PLUGINS "/libgpuopt_ring.so";  // the smallest, also with a sanitizer in it

const std::string &library() {
  static const std::string bytes = [] {
    std::ifstream file(kLibrary, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }();
  return bytes;
}

std::string defect(const std::string &bytes) {
  std::string path = testing::TempDir() + "gpuopt-elf-XXXXXX";
  const int descriptor = mkstemp(path.data());
  EXPECT_EQ(write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const std::string found = gpuopt::elf_defect(descriptor);
  close(descriptor);
  unlink(path.c_str());
  return found;
}

Header header_of(const std::string &bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

// Applies `change` to the first program header of a type.
template <class Change>
std::string with_segment(uint32_t type, Change change) {
  std::string bytes = library();
  const Header header = header_of(bytes);
  for (int i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    const size_t at = header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != type) continue;
    change(segment);
    std::memcpy(bytes.data() + at, &segment, sizeof segment);
    return bytes;
  }
  ADD_FAILURE() << "no such segment";
  return bytes;
}

template <class Change>
std::string with_header(Change change) {
  std::string bytes = library();
  Header header = header_of(bytes);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Elf, AWholeLibraryPasses) { EXPECT_EQ(defect(library()), ""); }

TEST(Elf, NoPrefixOfALibraryPasses) {
  const std::string &whole = library();
  std::mt19937 random(1);
  for (int i = 0; i < 140; ++i) {
    const size_t size = i < 100 ? i : random() % whole.size();
    EXPECT_NE(defect(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(defect(""), "the file is empty");
  EXPECT_TRUE(has(defect(whole.substr(0, 3)), "does not begin with the ELF magic number"));
  EXPECT_TRUE(has(defect(whole.substr(0, 20)), "cut short: it has 20 bytes, but the ELF header ends at byte 64"));
}

TEST(Elf, OtherKindsOfFileAreNamed) {
  EXPECT_TRUE(has(defect(std::string(4096, 'x')), "ELF magic number"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_ident[EI_CLASS] = ELFCLASS32; })), "32-bit"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_ident[EI_CLASS] = 9; })), "ELF class"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_ident[EI_DATA] ^= 3; })), "byte order"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_machine = EM_S390; })), "built for S/390"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_machine = 4242; })), "built for ELF machine 4242"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_type = ET_REL; })), "not a shared library"));
}

TEST(Elf, TablesOutsideTheFileAreFound) {
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_phnum = 0; })), "no program headers"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_phentsize = 1; })), "no program headers"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_phoff = 1u << 30; })), "program header table"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_phoff = ~ElfW(Off){0} - 8; })), "program header table"));
  EXPECT_TRUE(has(defect(with_header([](Header &h) { h.e_shoff = 1u << 30; })), "section header table"));
}

TEST(Elf, SegmentsOutsideTheFileAreFound) {
  EXPECT_TRUE(
      has(defect(with_segment(PT_LOAD, [](Segment &s) { s.p_filesz = s.p_memsz = 1u << 30; })), "a segment ends"));
  EXPECT_TRUE(has(defect(with_segment(PT_LOAD, [](Segment &s) { s.p_offset = ~ElfW(Off){0}; })), "a segment ends"));
  EXPECT_TRUE(has(defect(with_segment(PT_LOAD, [](Segment &s) { s.p_memsz = s.p_filesz - 1; })), "larger in the file"));
  EXPECT_TRUE(
      has(defect(with_segment(PT_DYNAMIC, [](Segment &s) { s.p_type = PT_NULL; })), "without a dynamic section"));
  EXPECT_TRUE(
      has(defect(with_segment(PT_DYNAMIC, [](Segment &s) { s.p_offset = 0; })), "the dynamic section is not loaded"));
  EXPECT_TRUE(has(defect(with_segment(PT_DYNAMIC, [](Segment &s) { s.p_vaddr += 1u << 20; })),
                  "the dynamic section is not loaded"));
}

TEST(Elf, ADynamicSectionThatPointsNowhereIsFound) {
  Segment dynamic{};
  std::string bytes = with_segment(PT_DYNAMIC, [&](Segment &s) { dynamic = s; });
  ElfW(Dyn) entry{};
  for (size_t at = dynamic.p_offset; entry.d_tag != DT_STRTAB; at += sizeof entry) {
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    if (entry.d_tag != DT_STRTAB) continue;
    ElfW(Dyn) wrong = entry;
    wrong.d_un.d_ptr = 1u << 30;
    std::memcpy(bytes.data() + at, &wrong, sizeof wrong);
    EXPECT_TRUE(has(defect(bytes), "points outside the library"));
  }
  std::memset(bytes.data() + dynamic.p_offset, 0, dynamic.p_filesz);
  EXPECT_TRUE(has(defect(bytes), "no symbol table"));
}

}  // namespace
