// plugins/shared/comm/hmac.h -- HMAC-SHA256 (RFC 2104, FIPS 198-1), by which processes prove that they know a secret.
#pragma once

#include "plugins/shared/cache/sha256.h"

namespace gpuopt::plugin {

inline Sha256::Digest hmac_sha256(std::string_view key, std::string_view message) noexcept {
  constexpr size_t block = 64;
  std::array<char, block> padded{};
  const Sha256::Digest hashed = Sha256::of(key);
  const std::string_view used = key.size() > block ? bytes_of(hashed) : key;
  std::copy(used.begin(), used.end(), padded.begin());
  const auto mixed = [&](char with) {
    std::array<char, block> result = padded;
    for (char &byte : result) byte = static_cast<char>(byte ^ with);
    return result;
  };
  Sha256 inner, outer;
  inner.update(mixed(0x36).data(), block);
  inner.update(message.data(), message.size());
  const Sha256::Digest digest = inner.finish();
  outer.update(mixed(0x5c).data(), block);
  outer.update(digest.data(), digest.size());
  return outer.finish();
}

// Compares in a time that does not depend on where the digests differ.
inline bool same_digest(const Sha256::Digest &a, const Sha256::Digest &b) noexcept {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace gpuopt::plugin
