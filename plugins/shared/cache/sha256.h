// plugins/shared/cache/sha256.h -- SHA-256 (FIPS 180-4), for names and integrity of cached files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuopt::plugin {

class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  void update(const void *data, size_t bytes) noexcept;
  // Appends the length as 8 bytes and then the text, so that no two lists of fields are the same bytes.
  void field(std::string_view text) noexcept;
  // Returns the digest of all updates. The object must not be used afterwards.
  Digest finish() noexcept;

  static Digest of(std::string_view data) noexcept;
  static std::string hex(const Digest &digest);

 private:
  void block(const uint8_t *bytes) noexcept;

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> waiting_{};  // the last bytes, less than a block
  uint64_t total_ = 0;
};

inline std::string_view bytes_of(const Sha256::Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

}  // namespace gpuopt::plugin
