// tests/unit/shared_bundle_test.cpp -- pieces of bundles: what is sealed is read back, what is not whole or of another
// build is refused, all of it.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "plugins/shared/cache/bundle.h"
#include "plugins/shared/host/barrier.h"

namespace {

using namespace gpuopt::plugin;

// As the core puts pieces together.
std::string together(const std::vector<std::string> &pieces) {
  std::string out;
  for (const std::string &piece : pieces) {
    const uint64_t size = piece.size();
    out.append(reinterpret_cast<const char *>(&size), sizeof size).append(piece);
  }
  return out;
}

Bundles::Key key_of(int number) { return Sha256::of("key " + std::to_string(number)); }

std::string refusal(const std::function<void()> &call) {
  try {
    call();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, GPUOPT_ERR_FORMAT) << failure.message;
    return failure.message;
  }
  return "";
}

TEST(Bundle, IsReadBack) {
  Bundles ours("cpu", "1.0.0 abc");
  const std::string code(100000, '\0'),
      bytes = together({source_piece("k", "void k();"), ours.piece("x86-64-v3", "k", key_of(1), code),
                        ours.piece("x86-64-v4", "k", key_of(2), "more"),
                        Bundles("cuda", "9").piece("sm_90", "k", key_of(3), "x")});
  const std::vector<BundlePiece> pieces = read_pieces(bytes);
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].backend, kSourcePiece);
  EXPECT_EQ(pieces[0].code, "void k();");
  EXPECT_EQ(pieces[1].kernel, "k");
  EXPECT_EQ(pieces[3].target, "sm_90");
  EXPECT_FALSE(ours.find(key_of(1)));
  ours.add(bytes);
  EXPECT_EQ(ours.find(key_of(1)), code);
  EXPECT_EQ(ours.find(key_of(2)), "more");
  EXPECT_FALSE(ours.find(key_of(3))) << "another backend's";
  EXPECT_EQ(ours.targets(), (std::vector<std::string>{"x86-64-v3", "x86-64-v4"}));
}

TEST(Bundle, AnyBitThatChangesIsSeen) {
  const std::string whole =
      together({source_piece("k", "text"), Bundles("cpu", "b").piece("t", "k", key_of(1), "some code")});
  for (size_t bit = 0; bit < whole.size() * 8; bit++) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    EXPECT_NE(refusal([&] { read_pieces(bytes); }), "") << bit;
  }
  const size_t first = whole.size() - together({Bundles("cpu", "b").piece("t", "k", key_of(1), "some code")}).size();
  for (size_t size = 1; size < whole.size(); size++)
    EXPECT_EQ(refusal([&] { read_pieces(whole.substr(0, size)); }) == "", size == first) << size;
}

TEST(Bundle, OfAnotherBuildNothingIsTaken) {
  Bundles ours("cpu", "1.0.0 abc");
  const std::string bytes = together({ours.piece("x86-64-v3", "k", key_of(1), "fits"),
                                      Bundles("cpu", "1.0.1 abc").piece("x86-64-v4", "k", key_of(2), "does not")});
  const std::string said = refusal([&] { ours.add(bytes); });
  EXPECT_NE(said.find("1.0.1 abc"), std::string::npos) << said;
  EXPECT_NE(said.find("1.0.0 abc"), std::string::npos) << said;
  EXPECT_FALSE(ours.find(key_of(1)));
  const std::string odd = together({sealed({"cpu", "1.0.0 abc", "t", "k", "short", "code"})});
  EXPECT_NE(refusal([&] { ours.add(odd); }).find("key"), std::string::npos);
  EXPECT_TRUE(ours.targets().empty());
}

}  // namespace
