// tests/cuda/embedded_test.cpp -- the headers in the plugin are those of the repository, and need no others.
#include "plugins/cuda/compile/embedded.h"

#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace {

using gpuopt::cuda::embedded_headers;

std::map<std::string, std::string> embedded() {
  std::map<std::string, std::string> out;
  for (const auto &header : embedded_headers()) out[header.name] = header.text;
  return out;
}

TEST(Embedded, TextsAreTheFiles) {
  const auto headers = embedded();
  EXPECT_TRUE(headers.count("plugins/shared/ops/scalar_ops.h"));
  EXPECT_TRUE(headers.count("plugins/shared/math/exp.h"));
  EXPECT_TRUE(headers.count("plugins/cuda/text/words.h"));
  for (const auto &[name, text] : headers) {
    EXPECT_EQ(name.find("plugins/shared/host"), name.npos) << name;
    std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/" + name);
    std::stringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(text, expected.str()) << name;
  }
}

TEST(Embedded, EveryIncludeIsEmbedded) {
  const auto headers = embedded();
  const std::regex include("#include \"([^\"]+)\"");
  for (const auto &[name, text] : headers) {
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      EXPECT_TRUE(headers.count((*it)[1])) << name << " includes " << (*it)[1];
    }
  }
}

TEST(Embedded, HashIsOfSixtyFourDigits) {
  EXPECT_TRUE(std::regex_match(gpuopt::cuda::embedded_hash(), std::regex("[0-9a-f]{64}")));
}

}  // namespace
