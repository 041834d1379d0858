// core/kernels/bundle_format.h -- the head of a bundle: a magic text and the size of what follows. That is a sequence
// of pieces, each with its size in front; only backends know what is in them (plugins/shared/cache/bundle.h).
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace gpuopt {

inline constexpr std::string_view kBundleMagic{"gpuopt bundle 1\n"};
inline constexpr size_t kBundleHead = kBundleMagic.size() + sizeof(uint64_t);

// Returns the head for pieces of this many bytes in total, their own size fields included.
inline std::string bundle_head(uint64_t size_of_pieces) {
  std::string head(kBundleMagic);
  return head.append(reinterpret_cast<const char *>(&size_of_pieces), sizeof size_of_pieces);
}

// Returns the pieces of a bundle, a view of `bundle`. Returns nothing unless the bundle has a valid head and the size
// given there.
inline std::optional<std::string_view> bundle_pieces(std::string_view bundle) {
  if (bundle.size() < kBundleHead || bundle.substr(0, kBundleMagic.size()) != kBundleMagic) return std::nullopt;
  uint64_t size = 0;
  std::memcpy(&size, bundle.data() + kBundleMagic.size(), sizeof size);
  if (bundle.size() - kBundleHead != size) return std::nullopt;
  return bundle.substr(kBundleHead);
}

}  // namespace gpuopt
