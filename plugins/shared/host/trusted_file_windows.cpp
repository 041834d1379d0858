// plugins/shared/host/trusted_file_windows.cpp -- see trusted_file.h. Access control lists are not checked, but left to
// whoever names the file; elevated processes ignore environment variables.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::trusted {

namespace {

std::filesystem::path native(const std::string &path) { return std::u8string(path.begin(), path.end()); }

}  // namespace

File::File(const std::string &given, Check check) : path(given), checked(check == Check::kAll) {
  const DWORD attributes = GetFileAttributesW(native(given).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    problem = "no such file";
  } else if (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE)) {
    outcome = Outcome::kNoFile;
    problem = attributes & FILE_ATTRIBUTE_DIRECTORY ? "a directory, not a file" : "a device, not a file";
  } else {
    outcome = Outcome::kOpened;
  }
}

File::~File() = default;

bool File::read_all(std::string *bytes) const {
  std::ifstream file(native(path), std::ios::binary);
  bytes->assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

std::string distrust_directory(const std::string &) { return {}; }
std::string distrust_file(const std::string &) { return {}; }

}  // namespace gpuopt::trusted
#endif
