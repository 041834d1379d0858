// plugins/shared/host/bundle.h -- bundles of code compiled ahead of time, as backends see them: pieces, each with its
// own checksum, that say what they are code of.
//
// A piece is the SHA-256 of its rest, and then, each with its size in front: the backend it is for, that backend's
// build, the processor, the kernel, its key as in a cache (cache.h), and the code. The core puts pieces together and a
// head in front of them (core/kernels/bundle_format.h).
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/host/sha256.h"

namespace gpuopt::plugin {

struct BundlePiece {
  std::string_view backend, build, target, kernel, key, code;
};
std::string sealed(const BundlePiece &piece);
// All of `bytes`, which must outlive them: pieces one behind the other, each with its size in front. Throws Failure,
// ERR_FORMAT, if one is damaged or not whole.
std::vector<BundlePiece> read_pieces(std::string_view bytes);

// The text that a kernel is compiled from is a piece of its own, for whoever looks into a bundle.
inline constexpr std::string_view kSourcePiece = "source";
std::string source_piece(std::string_view kernel, std::string_view text);

using BundleSink = std::function<void(const std::string &piece)>;

// The code in the bundles that were loaded, of one backend and one build of it. Safe from any threads.
class Bundles {
 public:
  using Key = Sha256::Digest;
  Bundles(std::string backend, std::string build) : backend_(std::move(backend)), build_(std::move(build)) {}

  // Refers to `bytes` as long as the process lives. Throws Failure, ERR_FORMAT, as read_pieces(), and for pieces that
  // are of this backend but another build; then it takes none.
  void add(std::string_view bytes);
  std::optional<std::string_view> find(const Key &key);
  // The processors there is code for.
  std::vector<std::string> targets();

  std::string piece(std::string_view target, std::string_view kernel, const Key &key, std::string_view code) const;

 private:
  const std::string backend_, build_;
  std::mutex mutex_;
  std::map<Key, std::string_view> code_;
  std::set<std::string> targets_;
};

}  // namespace gpuopt::plugin
