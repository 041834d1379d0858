// tests/loader/files_windows_test.cpp -- files that are no plugins on Windows: cut short, of another processor, no
// libraries, no files at all.
#include "tests/loader/child.h"

namespace {

using child::Opened;
using child::Result;

const std::string kGood = child::plugin("good");

// A directory that holds one gpuopt_cuda.dll to be spoilt.
struct Place : child::Scratch {
  const std::string file = *this / "gpuopt_cuda.dll";
};

Result open_cuda(const std::string &path) { return child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path}}); }

void expect_refused(const Result &result, const std::string &detail) {
  ASSERT_EQ(result.exit, 0) << result.err;
  const Opened opened = child::parse_opened(result.out_lines().at(0));
  EXPECT_EQ(opened.device, "cpu:0");
  EXPECT_EQ(opened.fallback, "LOAD_FAILED") << result.err;
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find(detail), std::string::npos) << result.err;
}

void expect_refused(const std::string &bytes, const std::string &detail) {
  const Place place;
  child::write_file(place.file, bytes);
  expect_refused(open_cuda(place.path()), detail);
}

TEST(File, AWholeCopyWorks) {
  const Place place;
  child::write_file(place.file, child::read_file(kGood));
  const Result result = open_cuda(place.path());
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).device, "cuda:0") << result.err;
  EXPECT_EQ(result.err, "");
}

TEST(File, CutShortAnywhereIsRefusedNotFatal) {
  const std::string whole = child::read_file(kGood);
  ASSERT_GT(whole.size(), 20000u);
  for (const size_t size : {size_t{2}, size_t{63}, size_t{64}, size_t{200}, size_t{300}, size_t{500}, size_t{4096},
                            size_t{8192}, whole.size() / 2}) {
    SCOPED_TRACE(size);
    expect_refused(whole.substr(0, size), "the file is cut short: it has " + std::to_string(size) + " bytes");
  }
}

TEST(File, EmptyIsRefused) { expect_refused("", "the file is empty"); }

TEST(File, TextIsRefused) {
  expect_refused("version https://git-lfs.github.com/spec/v1\noid sha256:0123456789012345678901234567890123456789\n",
                 "not a library: it does not begin with MZ");
}

// The good plugin with other bytes at an offset from its PE header.
std::string spoilt(size_t offset, const std::string &bytes) {
  std::string file = child::read_file(kGood);
  IMAGE_DOS_HEADER dos;
  std::memcpy(&dos, file.data(), sizeof dos);
  return file.replace(static_cast<size_t>(dos.e_lfanew) + offset, bytes.size(), bytes);
}

TEST(File, OfAnotherProcessorIsRefusedAndSaysWhich) {
  const size_t machine = offsetof(IMAGE_NT_HEADERS64, FileHeader.Machine);
  expect_refused(spoilt(machine, "\x64\xAA"), "built for AArch64, this program runs on x86-64");
  expect_refused(spoilt(machine, "\x4C\x01"), "built for 32-bit x86, this program runs on x86-64");
}

TEST(File, WithoutAPeHeaderIsRefused) {  // a program for DOS
  expect_refused(spoilt(0, std::string(4, 'x')), "not a library: it has no PE header");
}

TEST(File, AProgramIsRefused) { expect_refused(child::read_file(LOADER_PROBE), "not a library: a program"); }

TEST(File, ZeroedBehindTheHeadersIsRefused) {  // as an interrupted download into a preallocated file leaves it
  std::string file = child::read_file(kGood);
  std::fill(file.begin() + 4096, file.end(), '\0');
  const Place place;
  child::write_file(place.file, file);
  const Result result = open_cuda(place.path());
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).device, "cpu:0");
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
}

TEST(File, ADirectoryIsRefused) {
  const Place place;
  std::filesystem::create_directory(child::file_path(place.file));
  expect_refused(open_cuda(place.path()), "a directory, not a file");
}

}  // namespace
