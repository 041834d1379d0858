// tests/loader/files_posix_test.cpp -- files that are no plugins: cut short, of another processor, unreadable, no
// files at all.
//
// POSIX only: ELF files, modes and owners, of which files_windows_test has what corresponds
#include <elf.h>

#include <algorithm>

#include "tests/loader/child.h"

namespace {

using child::Opened;
using child::Result;

const std::string kGood = std::string(PLUGIN_ROOT) + "/good/libgpuopt_cuda.so";

// A directory that holds one libgpuopt_cuda.so to be spoilt.
struct Place : child::Scratch {
  const std::string file = *this / "libgpuopt_cuda.so";
};

Result open_cuda(const std::string &path, unsigned user = 0) {
  return child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path}}, "", user);
}

void expect_refused(const Result &result, const std::string &reason, const std::string &detail) {
  ASSERT_EQ(result.exit, 0) << "signal " << result.signal << result.err;
  const Opened opened = child::parse_opened(result.out_lines().at(0));
  EXPECT_EQ(opened.device, "cpu:0");
  EXPECT_EQ(opened.fallback, reason) << result.err;
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("reason=" + reason), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(detail), std::string::npos) << result.err;
}

void expect_used(const Result &result) {
  ASSERT_EQ(result.exit, 0) << "signal " << result.signal << result.err;
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).device, "cuda:0") << result.err;
  EXPECT_EQ(result.err, "");
}

TEST(File, AWholeCopyWorks) {
  const Place place;
  child::write_file(place.file, child::read_file(kGood));
  expect_used(open_cuda(place.path()));
}

TEST(File, CutShortAnywhereIsRefusedNotFatal) {
  const std::string whole = child::read_file(kGood);
  std::vector<size_t> sizes = {1,
                               3,
                               4,
                               16,
                               52,
                               63,
                               64,
                               100,
                               500,
                               4095,
                               4096,
                               4097,
                               8192,
                               whole.size() / 2,
                               whole.size() - 4096,
                               whole.size() - 64,
                               whole.size() - 1};
  for (const size_t size : sizes) {
    if (size >= whole.size()) continue;
    SCOPED_TRACE(size);
    const Place place;
    child::write_file(place.file, whole.substr(0, size));
    expect_refused(open_cuda(place.path()), "LOAD_FAILED",
                   size < 4 ? "not a library" : "the file is cut short: it has " + std::to_string(size) + " bytes");
  }
}

TEST(File, CutShortWithoutSectionHeadersIsRefusedNotFatal) {  // only the segments tell; mapping them would be SIGBUS
  std::string file = child::read_file(kGood);
  std::fill_n(file.begin() + offsetof(Elf64_Ehdr, e_shoff), sizeof(Elf64_Off), '\0');
  for (const size_t size : {size_t{4096}, size_t{8192}, size_t{12288}}) {
    const Place place;
    child::write_file(place.file, file.substr(0, size));
    expect_refused(open_cuda(place.path()), "LOAD_FAILED", "but a segment ends at byte");
  }
}

TEST(File, EmptyIsRefused) {
  const Place place;
  child::write_file(place.file, "");
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "the file is empty");
}

TEST(File, TextIsRefused) {
  const Place place;
  child::write_file(
      place.file,
      "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789012345678901234567890123456789\nsize 12345\n");
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "not a library: it does not begin with the ELF magic number");
}

// Replaces bytes of the good plugin.
void spoil(const Place &place, size_t offset, const std::string &bytes) {
  std::string file = child::read_file(kGood);
  file.replace(offset, bytes.size(), bytes);
  child::write_file(place.file, file);
}

TEST(File, OfAnotherProcessorIsRefusedAndSaysWhich) {
  const Place place;
  const uint16_t other =
      std::string(child::read_file(kGood)).at(offsetof(Elf64_Ehdr, e_machine)) == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  spoil(place, offsetof(Elf64_Ehdr, e_machine), std::string(reinterpret_cast<const char *>(&other), 2));
  expect_refused(
      open_cuda(place.path()), "LOAD_FAILED",
      other == EM_AARCH64 ? "built for AArch64, this program runs on" : "built for x86-64, this program runs on");
}

TEST(File, For32BitIsRefused) {
  const Place place;
  spoil(place, EI_CLASS, std::string(1, ELFCLASS32));
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "built for 32-bit programs");
}

TEST(File, AProgramIsRefused) {
  const Place place;
  const uint16_t type = ET_EXEC;
  spoil(place, offsetof(Elf64_Ehdr, e_type), std::string(reinterpret_cast<const char *>(&type), 2));
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "not a shared library");
}

TEST(File, ZeroedBehindTheHeadersIsRefused) {  // as an interrupted download into a preallocated file leaves it
  const Place place;
  std::string file = child::read_file(kGood);
  std::fill(file.begin() + 4096, file.end(), '\0');
  child::write_file(place.file, file);
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "the dynamic section is damaged");
}

TEST(File, ADirectoryIsRefused) {
  const Place place;
  std::filesystem::create_directory(place.file);
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "a directory, not a file");
}

TEST(File, AFifoIsRefusedWithoutWaiting) {
  const Place place;
  ASSERT_EQ(mkfifo(place.file.c_str(), 0600), 0);
  expect_refused(open_cuda(place.path()), "LOAD_FAILED", "a FIFO, not a file");
  expect_refused(open_cuda(place.file), "LOAD_FAILED", "a FIFO, not a file");
}

TEST(File, SymbolicLinksAreFollowed) {
  const Place place;
  std::filesystem::create_symlink(kGood, place.file);
  expect_used(open_cuda(place.path()));
}

TEST(File, SymbolicLinksThatLeadNowhereAreRefused) {
  const Place dangling, loop;
  std::filesystem::create_symlink(dangling / "absent", dangling.file);
  expect_refused(open_cuda(dangling.path()), "LOAD_FAILED", "a symbolic link that leads nowhere");
  std::filesystem::create_symlink(loop / "back", loop.file);
  std::filesystem::create_symlink(loop.file, loop / "back");
  expect_refused(open_cuda(loop.path()), "LOAD_FAILED", "Too many levels of symbolic links");
}

// An installation of its own, so that another user can reach it wherever the build directory is.
void install(const Place &place) {
  namespace fs = std::filesystem;
  const std::string libraries = LIBRARY_DIRECTORY;
  fs::copy_file(LOADER_PROBE, place / "probe");
  fs::copy_file(libraries + "/libgpuopt.so.1", place / "libgpuopt.so.1");
  fs::copy(libraries + "/gpuopt/1/libgpuopt_cpu.so", place.directory("gpuopt/1") + "/libgpuopt_cpu.so");
  fs::permissions(place.path(), fs::perms(0755));
}

TEST(File, UnreadableIsRefused) {
  const Place place;
  install(place);
  const std::string plugins = place.directory("plugins");
  child::write_file(plugins + "/libgpuopt_cuda.so", child::read_file(kGood));
  ASSERT_EQ(chmod((plugins + "/libgpuopt_cuda.so").c_str(), 0), 0);
  const unsigned nobody = geteuid() == 0 ? 65534 : 0;  // root reads everything
  const Result result = child::run({place / "probe", "cuda"},
                                   {{"GPUOPT_PLUGIN_PATH", plugins}, {"LD_LIBRARY_PATH", place.path()}}, "/", nobody);
  expect_refused(result, "LOAD_FAILED", "cannot be opened: Permission denied");
}

// ---- Trust

TEST(Trust, AFileThatOthersMayWriteIsRefused) {
  const Place place;
  child::write_file(place.file, child::read_file(kGood));
  ASSERT_EQ(chmod(place.file.c_str(), 0666), 0);
  expect_refused(open_cuda(place.path()), "UNTRUSTED_PATH", "libgpuopt_cuda.so may be written by every user");
  expect_refused(open_cuda(place.file), "UNTRUSTED_PATH", "libgpuopt_cuda.so may be written by every user");
}

TEST(Trust, ADirectoryThatOthersMayWriteIsRefusedStickyOrNot) {
  for (const mode_t mode : {0777, 01777}) {
    const Place place;
    child::write_file(place.file, child::read_file(kGood));
    ASSERT_EQ(chmod(place.path().c_str(), mode), 0);
    expect_refused(open_cuda(place.path()), "UNTRUSTED_PATH", place.path() + " may be written by every user");
    expect_refused(open_cuda(place.file), "UNTRUSTED_PATH", place.path() + " may be written by every user");
  }
}

TEST(Trust, ALinkIntoADirectoryThatOthersMayWriteIsRefused) {
  const Place open_to_all, place;
  child::write_file(open_to_all.file, child::read_file(kGood));
  ASSERT_EQ(chmod(open_to_all.path().c_str(), 0777), 0);
  std::filesystem::create_symlink(open_to_all.file, place.file);
  expect_refused(open_cuda(place.path()), "UNTRUSTED_PATH", open_to_all.path() + " may be written by every user");
}

TEST(Trust, FilesOfAnotherUserAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const Place file, directory;
  child::write_file(file.file, child::read_file(kGood));
  ASSERT_EQ(chown(file.file.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  expect_refused(open_cuda(file.path()), "UNTRUSTED_PATH", "libgpuopt_cuda.so belongs to user 12345");
  child::write_file(directory.file, child::read_file(kGood));
  ASSERT_EQ(chown(directory.path().c_str(), 12345, static_cast<gid_t>(-1)), 0);
  expect_refused(open_cuda(directory.path()), "UNTRUSTED_PATH", directory.path() + " belongs to user 12345");
}

TEST(Trust, HoldsForOptionsToo) {
  const Place place;
  child::write_file(place.file, child::read_file(kGood));
  ASSERT_EQ(chmod(place.file.c_str(), 0666), 0);
  expect_refused(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_TEST_OPTIONS", place.path()}}), "UNTRUSTED_PATH",
                 "may be written by every user");
}

}  // namespace
