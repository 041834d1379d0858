// tests/unit/shared_hmac_test.cpp -- HMAC-SHA256 by the test vectors of RFC 4231.
#include <gtest/gtest.h>

#include "plugins/shared/comm/hmac.h"

namespace {

using gpuopt::plugin::hmac_sha256;
using gpuopt::plugin::same_digest;
using gpuopt::plugin::Sha256;

std::string hex_of(const std::string &key, const std::string &message) {
  return Sha256::hex(hmac_sha256(key, message));
}

TEST(Hmac, VectorsOfRfc4231) {
  EXPECT_EQ(hex_of(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex_of("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex_of(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hex_of(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, DigestsAreComparedWhole) {
  Sha256::Digest a = Sha256::of("a"), b = a;
  EXPECT_TRUE(same_digest(a, b));
  for (size_t i : {size_t{0}, size_t{16}, size_t{31}}) {
    b = a;
    b[i] = static_cast<uint8_t>(b[i] ^ 0x80);
    EXPECT_FALSE(same_digest(a, b)) << i;
  }
}

}  // namespace
