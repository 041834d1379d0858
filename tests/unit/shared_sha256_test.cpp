// tests/unit/shared_sha256_test.cpp -- SHA-256 against the published examples of FIPS 180-4 and NIST's test vectors.
#include <gtest/gtest.h>

#include <string>

#include "plugins/shared/cache/sha256.h"

namespace {

using gpuopt::plugin::Sha256;

std::string hex_of(const std::string &text) { return Sha256::hex(Sha256::of(text)); }

TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                   "mnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hex_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every length around the ends of blocks, cut anywhere: the digest does not depend on the cut.
TEST(Sha256, PiecesMakeTheWhole) {
  std::string text;
  for (int n = 0; n < 200; ++n) {
    const std::string whole = hex_of(text);
    for (const int cut : {0, 1, n / 2, n - 1}) {
      if (cut < 0 || cut > n) continue;
      Sha256 hash;
      hash.update(text.data(), cut);
      hash.update(text.data() + cut, text.size() - cut);
      EXPECT_EQ(Sha256::hex(hash.finish()), whole) << n << " bytes cut at " << cut;
    }
    text += static_cast<char>(n * 7);
  }
}

TEST(Sha256, FieldsDoNotRunIntoEachOther) {
  Sha256 a, b;
  a.field("ab"), a.field("c");
  b.field("a"), b.field("bc");
  EXPECT_NE(a.finish(), b.finish());
}

}  // namespace
