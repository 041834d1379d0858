// tests/unit/random_pcg64_test.cpp -- PCG64 and SeedSequence against NumPy's default generator
#include <gtest/gtest.h>

#include "plugins/shared/random/pcg64.h"
#include "tests/unit/random_vectors.h"

namespace {

using namespace gpo;

TEST(RandomPcg64, DrawsAreNumPys) {
  for (const random_vectors::Case &c : random_vectors::read("pcg64.txt")) {
    const std::vector<u32> entropy = random_vectors::numbers(c.words[0]);
    Pcg64 pcg = pcg64_seed(entropy.data(), entropy.size());
    std::vector<u32> words(std::stoull(c.words[1]));
    std::vector<u64> longs(100);
    std::vector<double> doubles(1001);
    for (u32 &word : words) word = pcg64_next32(pcg);
    for (u64 &word : longs) word = pcg64_next64(pcg);
    pcg64_fill_uniform(pcg, 0, 1, doubles.size(), doubles.data());
    random_vectors::Crc crc[3];
    crc[0].add(words);
    crc[1].add(longs);
    crc[2].add(doubles);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(crc[i].hex(), c.checksums[i]) << c.line;
  }
}

// default_rng(12345).random(3), as NumPy's documentation prints it.
TEST(RandomPcg64, DocumentedExample) {
  const u32 entropy = 12345;
  Pcg64 pcg = pcg64_seed(&entropy, 1);
  for (double expected : {0.22733602, 0.31675834, 0.79736546}) EXPECT_NEAR(pcg64_next_double(pcg), expected, 5e-9);
}

}  // namespace
