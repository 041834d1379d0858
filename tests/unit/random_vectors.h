// tests/unit/random_vectors.h -- reads tests/data/random/*.txt: a case per line, "=" before its checksums
#ifndef GPUOPT_TESTS_UNIT_RANDOM_VECTORS_H_
#define GPUOPT_TESTS_UNIT_RANDOM_VECTORS_H_

#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace random_vectors {

// The CRC-32 of zlib, over everything added.
class Crc {
 public:
  void add(const void *data, size_t bytes) {
    for (const auto *p = static_cast<const unsigned char *>(data); bytes--; ++p) {
      state_ ^= *p;
      for (int bit = 0; bit < 8; ++bit) state_ = (state_ >> 1) ^ ((0u - (state_ & 1u)) & 0xedb88320u);
    }
  }
  template <class T>
  void add(const std::vector<T> &values) {
    add(values.data(), values.size() * sizeof(T));
  }
  std::string hex() const {
    char text[9];
    snprintf(text, sizeof text, "%08x", ~state_);
    return text;
  }

 private:
  uint32_t state_ = ~0u;
};

struct Case {
  std::string line;
  std::vector<std::string> words;      // before "="
  std::vector<std::string> checksums;  // after it
};

inline std::vector<Case> read(const char *name) {
  const std::string path = std::string(GPUOPT_SOURCE_DIR) + "/tests/data/random/" + name;
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path;
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    Case c{line, {}, {}};
    std::istringstream text(line);
    bool after = false;
    for (std::string word; text >> word;) {
      if (word == "=")
        after = true;
      else
        (after ? c.checksums : c.words).push_back(word);
    }
    cases.push_back(c);
  }
  EXPECT_FALSE(cases.empty()) << path;
  return cases;
}

// "7" or "7," or "1,2,3"
inline std::vector<uint32_t> numbers(const std::string &text) {
  std::vector<uint32_t> out;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) out.push_back(uint32_t(std::stoul(item)));
  return out;
}

}  // namespace random_vectors

#endif  // GPUOPT_TESTS_UNIT_RANDOM_VECTORS_H_
