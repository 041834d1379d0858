// tests/unit/core_npy_support.h -- the committed NumPy files and their manifest, and files that tests may spoil.
#pragma once
#include <gpuopt_test_paths.h>

#include <filesystem>
#include <random>
#include <sstream>

#include "tests/unit/core_array_support.h"

namespace support {

inline const std::string kNpyData = GPUOPT_SOURCE_DIR "/tests/data/npy/";

// One line of tests/data/npy/manifest.txt.
struct Listed {
  std::string kind, file, name, word;
  gpuopt_dtype dtype = 0;
  bool fortran = false, same = false;
  std::vector<unsigned char> bytes;
  Shape shape;
};

inline std::vector<unsigned char> from_hex(const std::string &hex) {
  std::vector<unsigned char> bytes;
  for (size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(k, 2), nullptr, 16)));
  return bytes;
}

inline Listed parse_listed(const std::string &line) {
  Listed l;
  std::istringstream in(line);
  std::string dtype, hex;
  in >> l.kind >> l.file;
  if (l.kind == "reject") {
    in >> l.word;
    return l;
  }
  if (l.kind == "member") in >> l.name >> dtype >> hex;
  if (l.kind == "array") in >> dtype >> l.fortran >> l.same >> hex;
  EXPECT_EQ(gpuopt_dtype_from_name(dtype.c_str(), &l.dtype, nullptr), GPUOPT_OK) << line;
  l.bytes = from_hex(hex);
  for (int64_t size; in >> size;) l.shape.push_back(size);
  return l;
}

inline std::vector<Listed> manifest(const std::string &kind) {
  std::ifstream in(kNpyData + "manifest.txt");
  EXPECT_TRUE(in);
  std::vector<Listed> lines;
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, kind.size(), kind) == 0) lines.push_back(parse_listed(line));
  EXPECT_FALSE(lines.empty());
  return lines;
}

inline void expect_listed(const Array &x, const Listed &l) {
  ASSERT_TRUE(x) << l.file;
  EXPECT_EQ(gpuopt_array_dtype(x.get()), l.dtype) << l.file;
  EXPECT_EQ(shape_of(x), l.shape) << l.file;
  EXPECT_EQ(bytes_of(x), l.bytes) << l.file;
}

// A directory of the test's own, removed with it; in memory where the system has such a place, since thousands of files
// are written.
class Scratch {
 public:
  Scratch() : path_(root() / ("gpuopt_test_" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  std::string operator()(const std::string &name) const { return (path_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  static std::filesystem::path root() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  }
  std::filesystem::path path_;
};

// Calls `read(path)` on every truncation of `bytes` and on every change of one bit. It must
// return success or the format error, whatever it is given.
template <class Read>
void expect_survives(const std::string &bytes, const Scratch &scratch, Read read) {
  const std::string path = scratch("spoilt");
  int failures = 0;
  const auto try_bytes = [&](const std::string &spoilt, const std::string &what) {
    write_file(path, spoilt);
    const gpuopt_status status = read(path);
    EXPECT_TRUE(status == GPUOPT_OK || status == GPUOPT_ERR_FORMAT) << what << ": " << gpuopt_status_name(status);
    failures += status == GPUOPT_ERR_FORMAT;
  };
  for (size_t k = 0; k < bytes.size(); ++k) try_bytes(bytes.substr(0, k), "cut at " + std::to_string(k));
  EXPECT_GT(failures, 0);
  for (size_t k = 0; k < 8 * bytes.size(); ++k) {
    std::string spoilt = bytes;
    spoilt[k / 8] = static_cast<char>(spoilt[k / 8] ^ (1 << (k % 8)));
    try_bytes(spoilt, "bit " + std::to_string(k));
  }
}

}  // namespace support
